/* SPDX-License-Identifier: BSD-3-Clause */
/* The certificate of a run: what the simulation measured of itself at every step, and what follows.
 *
 *     perp_verdict verdict;
 *     perp_sim_run(sim, 10.0);
 *     perp_sim_verdict(sim, &verdict, sizeof verdict);
 *     if (verdict.kind == PERP_VERDICT_NOT_VERIFIED)
 *         printf("%s at step %ld, t = %g\n", verdict.first, verdict.step, verdict.t);
 *
 * Each measure is computed again from the states, the multipliers and the callbacks of the model,
 * not read from what the solver said.  Measures are ratios (to momenta, to energies, to sizes of
 * bodies), so that units do not matter. */
#ifndef PERP_VERDICT_H
#define PERP_VERDICT_H

#include <perp/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum perp_verdict_kind {
    PERP_VERDICT_VERIFIED,    /* all measures within their first thresholds */
    PERP_VERDICT_REMARKS,     /* done: within the second ones, or some measures are not known */
    PERP_VERDICT_NOT_VERIFIED /* some measure above its second threshold, or the run ended on an
                                 error */
} perp_verdict_kind;
/* "verified", "done with remarks", "not verified"; NULL for other numbers. */
PERP_API const char *perp_verdict_name(perp_verdict_kind kind);

/* Thresholds of <perp/verdict.def>: `energy` for verified, `energy_remarks` for done with
 * remarks, and so on. */
typedef struct perp_thresholds {
    size_t size; /* sizeof(perp_thresholds) of the caller; set by perp_thresholds_init() */
#define PERP_MEASURE(name, verified, remarks, text) double name, name##_remarks;
#include <perp/verdict.def>
#undef PERP_MEASURE
} perp_thresholds;

/* Fills in the defaults; no byte beyond size is touched. */
PERP_API void perp_thresholds_init(perp_thresholds *thresholds, size_t size);
/* Sets one from text, independent of the locale.  PERP_ERR_SETTING: an unknown name, a value below
 * 0, or a threshold that the caller's struct does not have. */
PERP_API perp_status perp_thresholds_set(perp_thresholds *thresholds, const char *name,
                                         const char *value);
/* Threshold k, static; NULL past the end. */
PERP_API const perp_setting_info *perp_threshold_at(int k);
/* Copied; for the steps that follow, best before the first.  PERP_ERR_SETTING: one is negative or
 * not a number. */
PERP_API perp_status perp_sim_set_thresholds(perp_sim *sim, const perp_thresholds *thresholds);

/* The smallest half-width of a system, a length: overlaps are compared with it.  Without it a
 * body has that of the box with its mass and inertia (or what the collider knows), and an
 * interaction of Lagrangian systems alone has the largest gap or coordinate that it was seen
 * with.  discrete-gradient leaves overlaps of a part of it (projection_tol).  0: unknown again.
 * PERP_ERR_ARGUMENT unless size is finite and >= 0; PERP_ERR_STATE: a
 * stale identifier. */
PERP_API perp_status perp_sim_set_size(perp_sim *sim, perp_system_id system, double size);

typedef struct perp_verdict {
    size_t size;
    perp_verdict_kind kind;
    int unknown;       /* measures that the scheme does not let know */
    long steps;        /* that were made */
    const char *first; /* measure that was first above its second threshold (first threshold where
                          kind is REMARKS); NULL: none */
    long step;         /* step at which it was (from 1), and the time of its end */
    double t;
    perp_where where;    /* "system" or "interaction" and its slot; what is NULL: the whole */
    int systems[2];      /* slots of its first two systems, which may be gone; -1: none */
    perp_status stopped; /* of a run that ended on an error, PERP_SOLVED else */
    double scale;        /* of energies: the three that follow together */
    double kinetic;      /* largest kinetic energy */
    double potential;    /* range of the potential of constant and linear forces */
    double contact;      /* works of contacts, each positive */
    double external;     /* work of all other forces and of moving obstacles: signed */
    double balance;      /* sum of what is missing in the energy balance */
    double joint;        /* sum of the works of bilateral constraints: signed */
    double stage;        /* energy given by corrections of positions, and of velocities: signed */
    double projected;
} perp_verdict;

/* What is known of the run so far, a checkpoint that it began with included.  size:
 * sizeof(perp_verdict) where the caller was compiled.  PERP_ERR_ARGUMENT: NULL, or no size. */
PERP_API perp_status perp_sim_verdict(const perp_sim *sim, perp_verdict *verdict, size_t size);

/* One measure. */
typedef struct perp_figure {
    size_t size;
    const char *name, *text;  /* static */
    int known;                /* 0: not stated by the scheme, or nothing was there to measure */
    perp_verdict_kind kind;   /* of this measure alone */
    double value;             /* of the whole run */
    double last;              /* of the last step; sums: as it stands */
    double verified, remarks; /* its thresholds */
    long step;                /* first step above the threshold that it fails; 0: none */
    double t;
    perp_where where;
    int systems[2];
    const char *why; /* static; where known is 0 "no statement by SCHEME: ..." or "nothing was there to
                        measure", else NULL */
} perp_figure;
/* Measure k in the order of <perp/verdict.def>.  PERP_ERR_ARGUMENT: NULL, no such measure, or no
 * size. */
PERP_API perp_status perp_sim_figure(const perp_sim *sim, int k, perp_figure *figure, size_t size);

/* What the last step adds to the certificate: one call where perp_sim_figure() of every measure would
 * be too dear after each step. */
typedef struct perp_step_figure {
    size_t size;
    int measure; /* the one that is largest beside its second threshold, in the order of
                    <perp/verdict.def>; -1: none is above 0 */
    double over; /* last / remarks of it; of one that failed in this step at least value / remarks, or 2
                    where the threshold is 0 */
    int failed;  /* 1: a measure went above its second threshold in this step, for the first time */
} perp_step_figure;
/* PERP_ERR_ARGUMENT: NULL, or no size. */
PERP_API perp_status perp_sim_step_figure(const perp_sim *sim, perp_step_figure *figure, size_t size);

/* The impacts of the last step (of its last part where it was halved), where its scheme makes them in
 * stages before the smooth motion: discrete-gradient and discrete-gradient-adaptive.  In a stage
 *
 *     M dv = sum of H' impulse,     0 <= u+ + restitution e u- perp impulse_N >= 0,   u+ = u- + H dv,
 *
 * and Coulomb's law on u+_T + restitution e_t u-_T, with H at the part `at` of the free motion. */
typedef enum perp_strike_kind {
    PERP_STRIKE_JOINT,       /* a joint while others are struck: u+ = 0 */
    PERP_STRIKE_CARRIED,     /* no impact: what a contact gave before the next stage */
    PERP_STRIKE_NEWTON,      /* the law above */
    PERP_STRIKE_COMPRESSION, /* of Poisson's law: the same without restitution */
    PERP_STRIKE_EXPANSION    /* 0 <= u+ perp impulse_N - e times that of the compression >= 0 */
} perp_strike_kind;

/* One interaction in one stage; arrays are borrowed until the next step or change of the model. */
typedef struct perp_strike_info {
    size_t size; /* sizeof(perp_strike_info) of the caller, who sets it; it stays */
    perp_interaction_id interaction;
    perp_strike_kind kind;
    int stage;           /* from 0 */
    int rows, relations; /* rows of all its relations */
    const double *impulse, *before, *after; /* rows: impulse, u-, u+; of an expansion u- is that
                                               before its compression */
    const double *time;        /* relations: when, a part of the step; -1: not in this stage */
    const double *restitution; /* relations: part of e in its law: 1; 0 where it was only closed, or
                                  where restitution was left out since it would have given energy */
    double at;
    int has_point;            /* of CONTACT: */
    perp_contact_point point; /* at that part of the free motion */
} perp_strike_info;

PERP_API int perp_sim_strikes(const perp_sim *sim);
/* In the order of stages.  PERP_ERR_ARGUMENT: NULL, no such strike, or no size; PERP_INTERRUPTED: the
 * callback of the contact refused. */
PERP_API perp_status perp_sim_strike(const perp_sim *sim, int k, perp_strike_info *info);

#ifdef __cplusplus
}
#endif
#endif
