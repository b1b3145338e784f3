/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the discrete-gradient scheme.  With vb = theta v + (1 - theta) v' the mean velocity of
 * a step, q = q_k (+) h vb its end,
 *
 *     M (v - v') + h (gyroscopic term at vb) - h F_theta = Gb' lambda + Hb' p,
 *     g(q) = 0,        0 <= u_N + b perp p_N >= 0 and Coulomb's law on u_T,        u = Hb v,
 *
 * Gb and Hb are discrete gradients: g(q) - g(q_k) = h Gb vb but for rounding, so joints do no
 * work at all, and b is such that contacts never give any (gap_law.c).  v' is the velocity with
 * the impacts of the step, lag what those miss that come late in it (impact_stages.c). */
#ifndef PERP_KERNEL_DISCRETE_GRADIENT_SCHEME_H
#define PERP_KERNEL_DISCRETE_GRADIENT_SCHEME_H

#include <math.h>
#include <stdint.h>

#include "kernel/certificate/impacts.h"
#include "kernel/integrators/position_projection.h"
#include "kernel/step/integrator.h"
#include "kernel/step/link_groups.h"
#include "kernel/step/one_step.h"
#include "kernel/step/saddle.h"

/* Bits of link->mode while a step is made, beside the mode of the last step (enum perp_mode). */
enum perp_dg_mode {
    PERP_DG_REVERSED = 16, /* friction by the mean rate turned the slip around */
    PERP_DG_CLOSED = 32,   /* closed while others are struck, and taking part in it */
    PERP_DG_BACKWARD = 64, /* friction sees the mean rate, see gap_law.c */
    PERP_DG_STRUCK = 128,  /* in the stage of impacts that is being made */
    PERP_DG_MARKS = PERP_DG_CLOSED | PERP_DG_BACKWARD | PERP_DG_STRUCK
};
static inline void perp_dg_mark(perp_link *link, int r, int marks)
{
    link->mode[r] = (unsigned char)((link->mode[r] & ~PERP_DG_MARKS) | marks);
}
static inline void perp_dg_clear_marks(perp_link *link)
{
    for (int r = 0; r < link->relations; r++)
        perp_dg_mark(link, r, 0);
}

/* So many contacts begin with what they carried without impacts.  Of few, what the last solve had is
 * as near, and what rounds to nothing is nothing. */
enum { PERP_DG_MANY = 128 };

/* What becomes of a relation in a step. */
typedef enum perp_dg_role {
    PERP_DG_JOINT,     /* an equality, eliminated: in perp_dg.joints */
    PERP_DG_CONTACT,   /* impact law with or without friction, by the gap law */
    PERP_DG_RATE,      /* law on the rate: relays, motors, servos, dry friction */
    PERP_DG_COMPLIANT, /* law on the mean of y, which depends on lambda */
    PERP_DG_INPUT      /* an input of its own */
} perp_dg_role;
perp_dg_role perp_dg_role_of(const perp_link *link);

enum { PERP_DG_DEPTH = 3 }; /* of the mixing */

/* Iterates of the Newton loop and their increments (newton_mixing.c). */
typedef struct perp_dg_history {
    int n;     /* numbers of an iterate */
    int count; /* differences kept, PERP_DG_DEPTH at most */
    int has_last;
    double *x, *f;                       /* n: the last iterate and increment */
    double *iterate, *increment, *mixed; /* n: of the caller, and what came of them */
    double *dx, *df;                     /* PERP_DG_DEPTH x n: differences, in a ring */
    double *weight;                      /* n */
    int next;
    double part; /* of the last increment that was taken, where increments are relaxed */
    double *block;
    int capacity;
} perp_dg_history;

/* Systems that chains of joints and contacts join: what impacts can reach, see impact_islands.c.
 */
typedef struct perp_dg_island {
    int links;          /* that are no joints */
    int refused;        /* attempts whose impacts gave energy */
    int stands;         /* one took energy: it is made again as it was */
    int plastic, over;  /* too many impacts in this attempt: the rest end so; are left out */
    double work, scale; /* what its impacts add to the energy, without the lags; of the terms */
    int turned;         /* for slip_stage.c: friction turned a slip around */
    double slope, curvature; /* of the energy along the impulses that stop its slips */
    int large;               /* for overlap_stage.c: too many contacts for a dense matrix */
} perp_dg_island;

/* A system while the impacts of a step are made, see impact_times.c. */
typedef struct perp_dg_flight {
    double *lag, *change, *carried; /* nv */
    double time;                    /* of its last impact, a part of the step */
    double next;                    /* of a root: that of the next stage, or HUGE_VAL */
    int root;                       /* place of a system of its group; its own: the root */
    int contacts, bounces;          /* of a root: closed ones of its group; any that bounces */
    double work, scale, part; /* of a root: p . (u- + u+)/2 and its terms; its part of e and e_t */
    int carrier;              /* of one of those tied by contacts that carry; -1: none, or over */
    double until;             /* of a carrier: the stage at which it is over, or HUGE_VAL */
} perp_dg_flight;

/* What a stage of impacts is about, see impact_lists.c. */
typedef struct perp_dg_stage {
    perp_system **systems; /* of the groups that are struck, in the order of the step */
    perp_link **links;     /* their contacts that take part */
    int nsystems, nlinks, capacity_systems, capacity_links;
    int *first, *contact;   /* by system: its links that may strike, nsystems + 1 in contact */
    int *ring;              /* of each system: the next one of its group, around */
    int *waiting;           /* links that strike, now or later; maybe some that do no more */
    unsigned char *waits;   /* of each link: it is in waiting */
    int *number;            /* what is listed */
    uint64_t *bits;         /* of systems or links that will be; zeros in between */
    int nwaiting, carriers; /* carriers: some systems are carried */
    int from_start;         /* states of all are found again */
    int capacity_first, capacity_contact, capacity_ring, capacity_waiting, capacity_waits,
        capacity_number, capacity_bits;
} perp_dg_stage;

/* The impacts of an interaction in a step. */
typedef struct perp_dg_hit {
    perp_link *link;
    double time; /* of the configuration of its Jacobian, a part of the step */
    int first;   /* in hit_block, rows each: impulses, sums of tau times impulse, impulse of the
                    whole step as it carries, what of it came until the first impact */
} perp_dg_hit;

/* A row of overlap_stage.c: a component of a relation. */
typedef struct perp_dg_overlap {
    perp_link *link;
    int component;
    int solved; /* of its parts in `solved` */
} perp_dg_overlap;

/* The problem of overlap_stage.c. */
typedef struct perp_dg_overlaps {
    perp_one_step one;
    perp_saddle_half half;
    perp_dg_overlap *row, *listed; /* group by group; as they were found */
    perp_link **link;              /* of listed */
    perp_link_groups groups;
    double part;        /* of the displacement that is made; 0: it is taken back */
    double over;        /* the largest violation, in units of what may stay */
    int joined, large;  /* some contacts are of islands that are small, or have joints; of others */
    double *best;       /* positions of least violation */
    double *W, *solved; /* of a group: rows x rows; M^-1 H' of systems without joints */
    double *z, *w;      /* by row */
    int rows, capacity_row, capacity_listed, capacity_link, capacity_W, capacity_solved, capacity_z,
        capacity_w, capacity_best;
} perp_dg_overlaps;

typedef struct perp_dg {
    perp_pool *pool;
    const perp_scheme *scheme;
    double h, theta;
    perp_system **systems; /* those of the scheme, dense */
    perp_link **joints, **links;
    int nsystems, njoints, nlinks, capacity_systems, capacity_joints, capacity_links;
    perp_system **open; /* those whose increments are looked for: all, but in the Newton loop */
    perp_system **tied; /* those that do not fly alone, see newton_step.c */
    int nopen, capacity_tied;
    unsigned long version;
    perp_saddle saddle;   /* factors with the masses: of all stages but the Newton loop */
    perp_saddle moving;   /* those of the Newton loop */
    perp_saddle *factors; /* which of the two serves */
    unsigned long ranked; /* its pattern when dependent rows were looked for */
    int redundant;        /* rows of joints followed from others at the end of the last step */
    perp_one_step smooth, impact; /* the problems of the contacts */
    perp_one_step expansion;      /* of Poisson's law */
    double *gap;                  /* by joint row: g(q), then the right-hand side of the joints */
    double *giving;               /* by joint row: see joint_giving.c */
    double **stiffness;           /* of each joint, or NULL */
    double *stiffness_block;
    double *saddle_x;    /* right-hand side and solution of the saddle */
    double *multipliers; /* of the contacts before the last solve */
    double *wedged;      /* z and w of a solve that is made again, see contact_solve.c */
    int capacity_wedged;
    int capacity_gap, capacity_giving, capacity_stiffness, capacity_stiffness_block,
        capacity_saddle_x, capacity_multipliers;
    double *lanczos; /* of all systems: a vector of resolution.c, and of newton_turning.c */
    int capacity_lanczos;
    perp_one_step slip; /* the problem of slip_stage.c, its contacts and the bounds of friction */
    perp_link **slipping;
    double *slip_bound, slip_part; /* slip_part: of the impulses that are taken, the least */
    int slips_solved;              /* its problem was, to the tolerance */
    int nslipping, capacity_slipping, capacity_slip_bound;
    perp_dg_overlaps overlap;
    perp_projection *projection;
    perp_dg_history history;
    perp_dg_flight *flights;     /* of each system; set where something was struck, nhits > 0 */
    double *flight_block, *when; /* when: of each relation, the part of the step or HUGE_VAL */
    perp_dg_stage stage;
    perp_dg_hit *hits;
    double *hit_block;
    double *compression; /* of the contacts of a stage: impulses before the expansion and bounds of
                            friction, rows each */
    int told;            /* stages of the certificate that are of other schemes */
    int nhits, capacity_flights, capacity_flight_block, capacity_when, capacity_stuck,
        capacity_hits, capacity_hit_block;
    int capacity_compression;
    perp_dg_island *islands; /* by the place of one of their systems, its root */
    int *island_root;        /* of each system */
    int capacity_islands, capacity_island_root;
    int gave;             /* joints gave way in this step */
    int cut;              /* some impacts end plastically, or are left out */
    int early;            /* those of some island are made at the start */
    unsigned char *stuck; /* by relation: it closes no more, see impact_times.c */
    int dofs;             /* of all systems */
    double arm;           /* longest arm of a contact */
    double acceleration;  /* largest of the free motions, of translation or coordinates */
    double slack;         /* of the size of what touches: see perp_dg_set_slacks() */
    double no_work;       /* of the normal impulse times the slip: work that the solver leaves */
    double strictness;    /* factor of all tolerances of the Newton loop */
    double place;         /* largest coordinate of what joints join */
    double length;        /* to which gaps of joints are compared */
    double largest[2], found[2]; /* terms of any system: translation, rotation; last and present */
    double power, energy;        /* of the residual and of the terms, in the mean velocity */
    double lost, others; /* errors: of gaps of joint rows that the factors left out; the rest */
    int astray;          /* so many iterates left the gaps of those rows as they were */
    int drives, coordinates;     /* links that are drives; that are coordinates of joints */
    double loose;                /* error of the last solve where it is above the tolerance, or 0 */
    double rounding;             /* error that rounding of places makes in the present problem */
    int expects;                 /* rows of the first iterate: see gap_law.c */
    int rates_known;             /* smooth.w are the rates that the solver saw in this step */
    int settles;                 /* rates differ by less than the solver of the contacts leaves */
    int clamped;                 /* the stiffness is clamped from here on */
    int keeps;                   /* this iterate has the matrices of an earlier one */
    int relaxed;                 /* iterates since contacts alone were seen to go to and fro */
    int turns;                   /* see newton_turning.c */
    int hasty;                   /* the second one had, though new ones might have left less */
    int solves;                  /* made in this step before it was the turn of this cluster */
} perp_dg;

/* Shows a part of the step to its follower. */
static inline void perp_dg_show(perp_step *step, const perp_dg *dg, perp_step_part part)
{
    if (dg->nsystems > 0)
        perp_step_show_part(step, dg->systems[0]->scheme, part);
}

/* What the impacts of the step leave out of the mean velocity, or NULL: nothing. */
static inline const double *perp_dg_lag(const perp_dg *dg, const perp_system *s)
{
    return dg->nhits > 0 ? dg->flights[s->place].lag : NULL;
}

/* v' - lag/(1 - theta): theta v + (1 - theta) times this is the mean velocity, theta < 1. */
static inline double perp_dg_start_velocity(const perp_dg *dg, const perp_system *s, int i)
{
    const double *lag = dg->theta < 1.0 ? perp_dg_lag(dg, s) : NULL;
    return s->v_kept[i] - (lag ? lag[i] / (1.0 - dg->theta) : 0.0);
}

extern const perp_integrator perp_discrete_gradient;

/* gap_law.c: the index set; b of a contact's rows (left holds Hb, offset the drift). */
perp_status perp_dg_index_set(perp_step *step, perp_dg *dg);
void perp_dg_gap_rows(const perp_dg *dg, perp_link *link);
/* Its turn, from the rates u at the start by v' and from swing.  Non-zero: refused. */
int perp_dg_find_turn(const perp_step *step, const perp_dg *dg, perp_link *link);
/* What impacts since then left of the turn of row i: no more than of the spin of its bodies. */
double perp_dg_turn_left(const perp_link *link, int i);
/* Velocities at the start changed: where they lead is found again. */
void perp_dg_forget_ahead(const perp_dg *dg);
/* Limits of joints, and where there are drives all contacts, that are not in the problem and
 * overlap at the iterate come into it: no band by the forces at the start tells what joints and
 * drives do. How many; -1: a callback refused. */
int perp_dg_catch_missed(perp_step *step, perp_dg *dg);
/* Contacts whose friction would give energy see the mean rate from here on, and have their rows
 * again; 1: some did; -1: a callback refused. */
int perp_dg_turn_backward(perp_step *step, perp_dg *dg);
/* For the next step, after the Newton loop. */
void perp_dg_note_reversals(const perp_dg *dg);
/* Bound of the acceleration of row i of a relation by the forces at the start, by its H. */
double perp_dg_acceleration(const perp_link *link, const double *H, int i);
/* What makes an angle of joints a length. */
static inline double perp_dg_arm(const perp_dg *dg)
{
    return dg->length > 0.0 ? dg->length : 1.0;
}
/* Rates of rounding alone, along a line and of a relation: joints take the rounding of places back
 * within a step. */
static inline double perp_dg_no_speed(const perp_dg *dg, const perp_link *link)
{
    double place = dg->njoints > 0 ? fmax(dg->place, perp_link_place(link, PERP_NOW)) : 0.0;
    return place * PERP_ROUNDING_OF_PLACE / dg->h;
}
static inline double perp_dg_no_rate(const perp_dg *dg, const perp_link *link)
{
    return perp_dg_no_speed(dg, link) / (perp_joint_row_turns(link, 0) ? perp_dg_arm(dg) : 1.0);
}
/* Of a gap, by the coordinates that it is a difference of. */
double perp_dg_rounding(const perp_link *link);
/* The length that makes the rate of a row that turns, an angle or a moment of a contact, one along
 * a line; 1 for the others.  By `left` of the relation. */
double perp_dg_row_length(const perp_dg *dg, const perp_link *link, int i);
/* What makes impulses of the last step, which may have been of another length, those of this one.
 */
static inline double perp_dg_since(const perp_dg *dg, const perp_link *link)
{
    double kept = link->systems[0]->h_kept;
    return kept > 0.0 ? dg->h / kept : 1.0;
}
/* Contacts that touch take part when another one is struck. */
static inline int perp_dg_at_once(const perp_dg *dg)
{
    return dg->scheme->impacts != PERP_IMPACTS_STAGED;
}

/* u of row i at the start by its present Jacobian `left`. */
double perp_dg_start_rate(const perp_dg *dg, const perp_link *link, int i, double drift);

/* drive_rows.c: motors, servos and dry friction.  At the start of a step, after the accelerations
 * of the free motion, to which their last forces are added: where the spring of each servo is taken
 * (link->key[0]).  Their row: left holds Gb, offset the drift. */
perp_status perp_dg_begin_drives(perp_step *step, perp_dg *dg);
void perp_dg_drive_row(const perp_dg *dg, perp_link *link);
/* What is added to u of the row, but for the part of the impulse. */
double perp_dg_drive_offset(const perp_dg *dg, const perp_link *link, double u_start,
                            double *compliance);

/* step_rows.c. */
/* u of a relation at the start by v' (v_kept); H and drift (spare) there.  Non-zero: refused. */
int perp_dg_start_rates(perp_step *step, perp_link *link);
/* The impulse that lambda = 1 is: h where it is a force. */
double perp_dg_unit(const perp_dg *dg, const perp_link *link);
/* G, drift, y at the end and y at the start (spare) of a relation whose y depends on lambda, with
 * the force `force` times lambda (u).  Non-zero: refused. */
int perp_dg_compliant(perp_step *step, const perp_dg *dg, perp_link *link, double force, double *G,
                      double *drift);
/* States and rows at the iterate; s->residual = M (v - v') - h F without impulses; s->p += the
 * impulses of the present rows, of the joints or of all others. */
void perp_dg_place(const perp_dg *dg);
void perp_dg_place_system(const perp_dg *dg, perp_system *s);
perp_status perp_dg_rows(perp_step *step, perp_dg *dg);
perp_status perp_dg_link_rows(perp_step *step, perp_dg *dg, perp_link *link); /* not of a joint */
void perp_dg_transpose_left(perp_link *link);                                 /* right = left' */
perp_status perp_dg_forces(perp_step *step, perp_dg *dg, perp_system *s);
perp_status perp_dg_add_impulses(perp_step *step, const perp_dg *dg, int joints);
void perp_dg_clear_impulses(const perp_dg *dg);

/* islands.c: those of joints and of these links.  0: no memory. */
int perp_dg_find_islands(perp_dg *dg, perp_link *const *links, int nlinks);
static inline perp_dg_island *perp_dg_island_of(const perp_dg *dg, const perp_system *s)
{
    return &dg->islands[dg->island_root[s->place]];
}
/* impact_islands.c: those of impacts; at the first attempt nothing is known of them. */
int perp_dg_begin_islands(perp_dg *dg, int attempt);
/* 1: the impacts of its systems are made at the start of the step. */
enum { PERP_DG_ATTEMPTS = 4 };
static inline int perp_dg_is_early(const perp_dg *dg, const perp_system *s)
{
    return perp_dg_island_of(dg, s)->refused >= PERP_DG_ATTEMPTS;
}
/* 1: impacts of the stage have times. */
int perp_dg_stage_has_times(const perp_dg *dg);
/* 1: `change` is what came out of an attempt before, and nothing carries. */
static inline int perp_dg_change_is_given(const perp_dg *dg, const perp_system *s)
{
    return perp_dg_island_of(dg, s)->refused > 0;
}
/* May the link be struck in this stage?  Limits the impacts of its island. */
int perp_dg_admits(perp_dg *dg, const perp_link *link, int stage);
/* Islands of the stage that had no impulse are over: they would be struck the same way again. */
void perp_dg_end_idle(const perp_dg *dg);

/* impact_stages.c: v_kept of the systems becomes v', flights have their lags.  impact_energy.c: a
 * step that was solved is judged, island by island; *again: from the forces on with the next
 * attempt (from 0).  At its end perp_dg_add_strikes() makes lambda the whole impulse of each
 * relation. */
perp_status perp_dg_impacts(perp_step *step, perp_dg *dg, int attempt);
perp_status perp_dg_judge_impacts(perp_step *step, perp_dg *dg, int *again);
void perp_dg_add_strikes(const perp_dg *dg);
int perp_dg_may_strike(const perp_link *link);
/* H and drift of its impulses, at the part `time` of the free motion.  Non-zero: refused. */
int perp_dg_hit_jacobian(const perp_step *step, perp_link *link, double time, double *H,
                         double *drift);

/* impact_stages.c, for joint_impact.c: the impulses of a relation in this step, zeros at first, or
 * NULL: no memory; what an increment in work of the systems adds to the kinetic energy, where the
 * work of moving obstacles and joints in it is taken away with their impulses. */
double *perp_dg_hit_impulses(perp_dg *dg, perp_link *link, double time);
perp_status perp_dg_add_strike_work(perp_step *step, perp_dg *dg);
/* impact_carrying.c: `change` of the free motion, and what contacts that carry make of it
 * (`carried`); their impulses until the first impact of their group. */
perp_status perp_dg_predict(perp_step *step, perp_dg *dg);
perp_status perp_dg_carry(perp_step *step, perp_dg *dg);
/* The right-hand sides of the joints are 0. */
static inline void perp_dg_clear_targets(const perp_dg *dg)
{
    for (int k = 0; dg->njoints > 0 && k < perp_saddle_rows(&dg->saddle); k++)
        dg->gap[k] = 0.0;
}
/* No impulses in residual; v' += work. */
void perp_dg_clear_residuals(const perp_dg *dg);
void perp_dg_take_increment(const perp_dg *dg);
/* joint_impact.c: do velocities at the start contradict joints?  The impact that ends it, at the
 * start of the step, in v' and the hits. */
int perp_dg_joints_struck(const perp_dg *dg);
perp_status perp_dg_strike_joints(perp_step *step, perp_dg *dg);
/* The increments of the joints into their hits; 0: no memory. */
int perp_dg_note_joint_impulses(perp_dg *dg);

/* tau of relation r in this stage: its own time, that of its group where it is only closed. */
double perp_dg_time_of(const perp_dg *dg, const perp_link *link, int r);
/* That from which on the impulses of all of a group move it, the first of its strikes: what presses
 * a light body from both sides at two times would throw it by the way between them. */
double perp_dg_lag_time(const perp_dg *dg, const perp_link *link);

/* impact_record.c: the stage with increments in work of the systems, before they are taken; then
 * those of the lags.  What carried until the next stage, in the same way. */
perp_status perp_dg_record_stage(perp_step *step, perp_dg *dg, perp_impact_kind kind,
                                 double restitution);
void perp_dg_record_lags(perp_step *step, const perp_dg *dg);
perp_status perp_dg_record_carrying(perp_step *step, perp_dg *dg);

/* impact_stages.c, for impact_expansion.c: rows of the contacts of the stage, with these parts of
 * their coefficients of restitution; the increments of the velocities in work of the systems by the
 * impulses that s->residual has, the joints and those of the contacts, found by this problem and
 * added to s->residual. */
perp_status perp_dg_stage_rows(perp_step *step, perp_dg *dg, double normal, double tangential);
perp_status perp_dg_stage_solve(perp_step *step, perp_dg *dg, perp_one_step *one);
/* impact_expansion.c: after the compression of a stage, e = 0, its expansion by Poisson's law;
 * lambda and the increments become those of both. *ended = 0: its friction was not found. */
perp_status perp_dg_expand(perp_step *step, perp_dg *dg, int *ended);

/* impact_times.c, with Jacobians at the start in H and drifts in spare. */
int perp_dg_begin_flights(perp_dg *dg); /* 0: no memory */
/* Contacts of the next stage: active and on, those that strike marked; how many these are.
 * Of each group the first ones alone in the first PERP_DG_ORDERED stages. */
enum { PERP_DG_ORDERED = 8 };
int perp_dg_next_strikes(perp_dg *dg, int stage);
/* From the increments of a stage in work: what it struck and left as it was would be struck again,
 * at the same time. */
void perp_dg_note_idle(const perp_dg *dg);
/* The time of the stage for the group of a system; HUGE_VAL: it has none. */
double perp_dg_strike_time(const perp_dg *dg, const perp_system *s);
/* The root of the group of a contact of the stage. */
perp_dg_flight *perp_dg_group_of(const perp_dg *dg, const perp_link *link);
/* After perp_dg_next_strikes(): contacts closed and not struck, of the groups that are, become
 * active; how many. */
int perp_dg_carrying(perp_dg *dg);
/* 1: the next stage ends what carries some systems; until when it did, else HUGE_VAL. */
int perp_dg_next_carrying(const perp_dg *dg);
double perp_dg_carrying_time(const perp_dg *dg, const perp_system *s);

/* impact_lists.c: memory and the contacts of each system (0: no memory); a stage of all systems and
 * of what is active; of the first `count` systems in stage.number.  dg->open becomes its systems.
 */
int perp_dg_begin_lists(perp_dg *dg);
void perp_dg_stage_of_all(perp_dg *dg);
void perp_dg_stage_of(perp_dg *dg, int count);
/* Sets the bits of all links that may strike the systems of the stage. */
void perp_dg_contacts_of_stage(perp_dg *dg);
void perp_dg_set_bit(uint64_t *bits, int k);
int perp_dg_has_bit(const uint64_t *bits, int k);
/* The numbers below n whose bits are set, ascending; the bits become zeros. How many. */
int perp_dg_take_bits(uint64_t *bits, int n, int *list);

/* newton_error.c: the largest of all errors of the iterate, in units of their tolerances; *rates:
 * of the rates of contacts alone. */
perp_status perp_dg_measure(perp_step *step, perp_dg *dg, double *error, double *rates);
/* newton_step.c */
int perp_dg_has_bias(const perp_dg *dg);
perp_status perp_dg_newton(perp_step *step, perp_dg *dg);
/* discrete_gradient.c: its first iterate, velocities and multipliers. */
void perp_dg_begin_loop(const perp_dg *dg);
/* Factors of the joints with the W of the systems, and the stiffness, clamped where it must be. */
/* velocity_projection.c: finds rows of joints that follow from others at the start.  Between other
 * configurations discrete gradients differ a little, and such rows contradict each other by as
 * much: without them there is nothing to divide by.  Masses are those at the start. */
perp_status perp_dg_find_dependent(perp_step *step, perp_dg *dg);
perp_status perp_dg_factor(perp_step *step, perp_dg *dg, int with_stiffness);
/* work of the systems = dv with W dv = residual + G' dlambda and G dv = gap on the joints. */
void perp_dg_increment(perp_dg *dg);
const double *perp_dg_joint_increment(const perp_dg *dg, const perp_link *link); /* dlambda */

/* joint_stresses.c: 1 where the systems of a mechanism are stressed; after a loop that ended; the
 * problem of an iterate, posed, for them. */
int perp_dg_is_stressed(const perp_dg *dg);
void perp_dg_note_stresses(const perp_step *step, const perp_dg *dg);
void perp_dg_hold_stresses(const perp_step *step, const perp_dg *dg, perp_one_step *one);

/* contact_solve.c: one of the two problems, posed and solved: lambda, and the impulses of contacts
 * in s->p; the smooth one with an effort, for an iterate of this error (relative). */
perp_status perp_dg_solve(perp_step *step, perp_dg *dg, perp_one_step *one);
typedef enum perp_dg_effort {
    PERP_DG_ROUGHLY, /* laws still change: to 1e-4 */
    PERP_DG_PARTLY,  /* as the error of the iterate asks, within a budget */
    PERP_DG_WHOLLY   /* to the tolerance */
} perp_dg_effort;
perp_status perp_dg_solve_contacts(perp_step *step, perp_dg *dg, perp_dg_effort effort,
                                   double error);
/* residual += the impulses of the contacts; += what their last solve changed these by. */
perp_status perp_dg_add_contacts(perp_step *step, perp_dg *dg);
/* The diagonal entry of W of row i as it is without joints, about. */
double perp_dg_free_diagonal(const perp_link *link, int i);
int perp_dg_add_contact_changes(const perp_dg *dg); /* 0: nothing */

/* overlap_stage.c: positions at the end; what is left of the largest violation, in units of what
 * may stay. */
perp_status perp_dg_separate(perp_step *step, perp_dg *dg, int scheme, double *left);

/* velocity_projection.c; W = M, rows of the joints and gap = - (G v_kept + drift) at a moment. */
perp_status perp_dg_project_velocities(perp_step *step, perp_dg *dg);
/* Stops the slips that friction by the mean rate has turned around: slip_stage.c.  1: those of this
 * contact; some contact that carries load ends with one, by the rows of the Newton loop, which the
 * stage replaces. */
int perp_dg_stops_slips(const perp_link *link);
int perp_dg_has_turned(const perp_dg *dg);
perp_status perp_dg_stop_slips(perp_step *step, perp_dg *dg);
perp_status perp_dg_mass(perp_step *step, perp_system *s, perp_moment moment);
perp_status perp_dg_joint_rates(perp_step *step, perp_dg *dg, perp_moment moment);
/* Both for all systems and joints, and the factors. */
perp_status perp_dg_set_masses(perp_step *step, perp_dg *dg, perp_moment moment);
void perp_dg_joint_targets(const perp_dg *dg);

/* step_scales.c.  Length to which gaps of joints are compared: the largest arm, or coordinate where
 * there is none. */
void perp_dg_set_length(perp_dg *dg);
/* link->slack: contacts this far apart touch, and overlaps and gaps of joints leave as much. */
void perp_dg_set_slacks(const perp_dg *dg);
static inline double perp_dg_may_stay(const perp_dg *dg, const perp_link *link)
{
    return dg->scheme->projection_tol > 0.0 ? dg->scheme->projection_tol : link->slack;
}
/* Accelerations of the free motion at the start, in v[PERP_GUESS], and their scale. */
perp_status perp_dg_accelerations(perp_step *step, perp_dg *dg);

/* resolution.c: after the projection of velocities, whose factors it takes; in some of the steps.
 */
perp_status perp_dg_resolution(perp_step *step, perp_dg *dg);

/* step_balance.c: for the certificate. */
int perp_dg_balance(perp_step *step, perp_system *s, perp_balance *balance);
/* Of the residuals of the Newton loop, over the terms of each. */
double perp_dg_tolerance(const perp_dg *dg);
double perp_dg_gap_tolerance(const perp_dg *dg, int turns); /* of a row of a joint */

/* The step was not solved within the limit of iterations: see perp_step_unsolved().  Says which
 * joint stays open, if one does. */
perp_status perp_dg_not_ended(perp_step *step, const perp_dg *dg);
int perp_dg_stays_open(const perp_dg *dg); /* 1: a joint does */
double perp_dg_rate_tolerance(void); /* of the rates of contacts */
/* And in any momentum: multipliers of joints carry the rounding of the largest one. */
double perp_dg_carried_rounding(const perp_dg *dg);
/* What it leaves of the rate of a limit that carries: no approach. */
double perp_dg_no_approach(const perp_dg *dg, const perp_link *link);
int perp_dg_paired(perp_step *step, perp_link *link, perp_pairing *pairing);

/* joint_giving.c: the Newton loop ended with this status; may it be made with joints that give way?
 * Then dg->giving is by how much; they do where dg->moving.giving is that, and not NULL. */
int perp_dg_may_give(const perp_step *step, const perp_dg *dg, perp_status status);
perp_status perp_dg_give(perp_step *step, perp_dg *dg);

/* newton_keeping.c: do the matrices of an earlier iterate serve once more?  error: of this iterate,
 * `before`: of the last one. */
int perp_dg_may_keep(const perp_step *step, perp_dg *dg, double before, double error);
/* Counts an iterate that left the gaps of rows without pivots, `before` in the last one. */
void perp_dg_count_astray(const perp_step *step, perp_dg *dg, double before);
/* Does the loop end with this error? */
int perp_dg_is_enough(const perp_dg *dg, double before, double error);

/* newton_turning.c: do bodies with joints turn so fast that parts of the derivative that are not
 * symmetric count?  perp_dg_increment() with them, whose product with the increment is taken from
 * residual and gap; dg->turns becomes 0 where they are too large. */
int perp_dg_turns(const perp_dg *dg);
perp_status perp_dg_turning_increment(perp_step *step, perp_dg *dg);

/* newton_mixing.c: the next iterate, from the increments in work of the systems and of joints. */
perp_status perp_dg_advance(perp_step *step, perp_dg *dg);
void perp_dg_history_forget(perp_dg_history *history);

#endif
