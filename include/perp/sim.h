/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation advances a model in time; each step is one Perp problem.
 *
 *     perp_sim *sim;
 *     perp_sim_options options;
 *     perp_sim_options_init(&options, sizeof options);
 *     options.h = 5e-3;
 *     perp_sim_create(&sim, model, &options, NULL, NULL);
 *     while (perp_sim_time(sim) < 10.0 && perp_sim_step(sim) == PERP_SOLVED)
 *         ...
 *     perp_sim_destroy(sim);
 */
#ifndef PERP_SIM_H
#define PERP_SIM_H

#include <perp/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_sim perp_sim;

/* A time integrator with its parameters. */
typedef struct perp_scheme {
    size_t size;      /* sizeof(perp_scheme) of the caller; set by perp_scheme_init() */
    const char *name; /* "euler-moreau", "moreau-jean", "schatzman-paoli",
                         "moreau-jean-direct-projection", ...: perp_scheme_at() lists them */
#define PERP_REAL(name, def, lo, hi, text) double name;
#define PERP_INT(name, def, lo, hi, text) int name;
#define PERP_CHOICE(name, def, choices, text) int name;
#include <perp/scheme.def>
#undef PERP_REAL
#undef PERP_INT
#undef PERP_CHOICE
} perp_scheme;

/* The variants of euler-moreau ([SDN] ch. 9), for M x' = f(t, x) + r, y = h(t, x, lambda),
 * r = g(t, x, lambda); x_k+a = (1 - a) x_k + a x_k+1, t_k+a = t_k + a h:
 *     theta-gamma (9.5)  M (x_k+1 - x_k) = h theta f(t_k+1, x_k+1) + h (1 - theta) f(t_k, x_k)
 *                                        + h gamma r_k+1 + h (1 - gamma) r_k,
 *                        y and r at (t_k+1, x_k+1, lambda_k+1)
 *     full        (9.6)  the same f, + h r;     y and r at (t_k+gamma, x_k+gamma, lambda)
 *     midpoint    (9.7)  h f(t_k+theta, x_k+theta) + h r;     y and r as in full
 * The y that the model shows is the one of these lines, to which lambda is complementary; before
 * the first step, and under adaptive and extrapolated schemes, y at the state that is shown.
 */

/* Fills *scheme with the defaults of a scheme; size is sizeof(perp_scheme) where the caller was
 * compiled, and no byte beyond is touched.  A scheme of an older caller (smaller) is taken with
 * the defaults for what it does not have, one of a newer caller (larger) where the rest is zero.
 * PERP_ERR_SETTING for an unknown name or a size that is none. */
PERP_API perp_status perp_scheme_init(perp_scheme *scheme, const char *name, size_t size);
/* Sets one parameter from text, independent of the locale.  PERP_ERR_SETTING: an unknown name, a
 * value out of range, or a parameter that the caller's struct does not have. */
PERP_API perp_status perp_scheme_set(perp_scheme *scheme, const char *name, const char *value);
/* Integrators by number, NULL past the end; and what each is. */
PERP_API const char *perp_scheme_at(int k);
PERP_API const char *perp_scheme_summary(const char *name);
/* The parameters that it reads, separated by blanks: the others change nothing.  NULL for an
 * unknown name. */
PERP_API const char *perp_scheme_reads(const char *name);
/* 1: it chooses its own instants, and takes the whole model through them. */
PERP_API int perp_scheme_chooses_instants(const char *name);
/* Parameter k of all schemes, static; NULL past the end. */
PERP_API const perp_setting_info *perp_scheme_parameter_at(int k);

typedef enum perp_form {
    PERP_FORM_AUTO, /* dense when small, else sparse blocks or, of many contacts, DELASSUS */
    PERP_FORM_DENSE,
    PERP_FORM_CSC,
    PERP_FORM_BSR,     /* refused where the blocks differ in size */
    PERP_FORM_DELASSUS /* the global form: W is never formed */
} perp_form;

/* A step that is not solved: its one-step problem, by the solver that was asked for and by gs, or
 * its Newton loop. */
typedef enum perp_unsolved {
    PERP_UNSOLVED_STOP,   /* the step is redone in halves, down to h / 2^20 and while that can help;
                             where it does not, it is not made */
    PERP_UNSOLVED_ACCEPT, /* it goes on with the iterate, as it is */
    PERP_UNSOLVED_LEAST /* as stop; but where it is shown that no motion satisfies the interactions,
                           all gaps may close by the least rate that makes the step possible (s* of
                           <perp/feasible.h>).  Impulses on what is squeezed are not determined */
} perp_unsolved;

typedef struct perp_sim_options {
    size_t size; /* sizeof(perp_sim_options) of the caller; set by the init call */
    double t0, h;
    const char *solver; /* of the one-step problem and of projections of positions; NULL: direct
                           without friction, gs for a contact alone, else perp_solver_choose(), but
                           nsn instead of auto up to 48 rows, under schemes other than
                           discrete-gradient and where contacts give way up to 6000: it ends at
                           rounding */
    /* Of that solver, copied by create; NULL: the defaults.  Their warm_start and timing are set by
     * the simulation.  Without friction (rows of equalities, inequalities and boxes alone) the
     * solver is asked for min(tol, 1e-12): a pivoting or Newton method ends there anyway, and
     * multiple impacts amplify what is left; what counts as solved is tol.  With joints
     * discrete-gradient makes a step, too, whose last solve stands within what rounding of places
     * (64 units in the last place) in a step h makes of the rates of contacts: `solver` of its info
     * then has the status and the error that were reached.  Their budget is that of
     * all solves of a step together: where it is spent the step is made with the best iterate, as by
     * on_unsolved ACCEPT and without looking for proofs, and its status is PERP_WORK_LIMIT. */
    const perp_settings *settings;
    perp_form form;
    int timing;        /* 1: fills the seconds of perp_step_info and its solver; 0 at first */
    int warm_start;    /* 1, at first: each solve begins with the multipliers of the last step, and
                          takes them as they are where they are within tol; 2: where they are within
                          tol/10, so that errors of steps at rest do not add up; 0: with zero */
    double newton_tol; /* 2-norm of the residual of the dynamics (impulses) and relations; where it
                          stays above, what rounding of the momenta leaves is enough */
    int newton_iter;   /* iterations at most; 1: one linearised step, not judged */
    perp_unsolved on_unsolved; /* stop at first */
} perp_sim_options;
/* size: sizeof(perp_sim_options) where the caller was compiled; no byte beyond is touched.  Options
 * of an older caller (smaller) are taken with the defaults for what they do not have, those of a
 * newer one (larger) where the rest is zero. */
PERP_API void perp_sim_options_init(perp_sim_options *options, size_t size);

/* Of the last step; written by the library alone. */
typedef struct perp_step_info {
    size_t size; /* of the library's struct: an older library fills less */
    perp_status status;
    long step;        /* number of steps made */
    double t, h;      /* time reached and length of the step */
    int rows, active; /* of the one-step problems of the step together (see perp_sim_problems()):
                         rows, interactions; one that is in two of them counts once */
    int newton;       /* iterations; of several islands those of the one with the most */
    double newton_residual;
    int solves;              /* one-step problems solved */
    const perp_info *solver; /* of the last of them; never NULL, borrowed as this struct is */
    double violation;        /* largest -y over unilateral rows and |y| over bilateral ones */
    int halvings;            /* times the step was cut */
    long evaluations;        /* of right-hand sides, summed over the systems */
    int inner;               /* steps that the scheme made inside this one; 1 where it makes one */
    int rejected;            /* and those that it made and threw away */
    int events;              /* that it localised: contacts that close or open, stick or slip */
    int impacts;             /* impact problems among them */
    int differences;         /* 1: some Jacobian came from differences */
    double assembly_seconds, solve_seconds, update_seconds;
    perp_where where; /* of an error; where.index: the slot of system or interaction */
    perp_status
        reason;       /* why a hook stopped the step: see perp_sim_set_reason(); else PERP_SOLVED */
    char detail[160]; /* one sentence more, or "" */
    /* Of the run so far, kept by checkpoints: steps that were made though not solved (their status
     * was > 0), and those of them that were shown to have no solution. */
    long unsolved, infeasible;
    int resting; /* systems that the next step leaves at rest (parameter `rest` of their scheme) */
} perp_step_info;

/* The model is borrowed.  One simulation a model at a time: it is that of the one made last, and
 * what an earlier one would do with it (step, check, save, load, schemes, reactions) is
 * PERP_ERR_STATE; it may be destroyed before or after.  Systems added
 * later take the default scheme of their kind (euler-moreau for first-order
 * systems, discrete-gradient for others).  Errors name the option in *where. */
PERP_API perp_status perp_sim_create(perp_sim **sim, perp_model *model,
                                     const perp_sim_options *options,
                                     const perp_allocator *allocator, perp_where *where);
PERP_API void perp_sim_destroy(perp_sim *sim);
/* Gives a scheme (copied) to one system, or ({0, 0}) to each system whose kind it takes, now and
 * later.  PERP_ERR_SETTING: an unknown name or a parameter out of range; PERP_ERR_STATE: a stale
 * identifier; PERP_ERR_UNSUPPORTED: the scheme does not take this kind of system. */
PERP_API perp_status perp_sim_set_scheme(perp_sim *sim, perp_system_id system,
                                         const perp_scheme *scheme);
/* The scheme of a system, or the one that it takes with the next step.  *scheme was filled by
 * perp_scheme_init() with any name; its own becomes static.  PERP_ERR_STATE: a stale identifier;
 * PERP_ERR_ARGUMENT: NULL, or a struct without a size. */
PERP_API perp_status perp_sim_scheme(const perp_sim *sim, perp_system_id system,
                                     perp_scheme *scheme);

/* One step of length h.
 *   PERP_SOLVED
 *   > 0   the one-step problem or the Newton loop ended early.  The step is not made, unless
 *         on_unsolved or the hook on_failure says so: then info->step and info->unsolved have grown
 *   PERP_INFEASIBLE_STEP   the same, and no motion satisfies the interactions of the step whatever
 *         the forces: info->detail says what is squeezed, perp_sim_infeasibility() has the proof
 *   > 0   a callback refused (PERP_INTERRUPTED), on_failure stopped, or a scheme with inner steps
 *         could not go on (PERP_STEP_LIMIT, PERP_EVENT_LOST, PERP_ZENO, PERP_UNDETERMINED,
 *         PERP_FLOW_FAILED): info->step has not grown
 *   < 0   an error, also where the new state would not be finite (PERP_ERR_NUMERICAL)
 * A step that was not made leaves every bit of states, outputs and inputs as it was; info->where
 * and info->detail say why.  PERP_INTERRUPTED of the hook after the step comes from a step that was
 * made.  The first step, and each after a change of the model, checks the whole of it. */
PERP_API perp_status perp_sim_step(perp_sim *sim);
/* Steps until t >= t_end - h/2 (t = t0 + k h is kept without drift).  The largest status of the
 * steps, or that of the first that was not made or was interrupted. */
PERP_API perp_status perp_sim_run(perp_sim *sim, double t_end);
/* All of the check of the first step: schemes and laws that fit, masses of callbacks, first outputs,
 * unit normals.  Whether Jacobians are right shows in the steps: `rates` of the verdict. */
PERP_API perp_status perp_sim_check(perp_sim *sim);

PERP_API double perp_sim_time(const perp_sim *sim); /* in the units of t0 and h */
/* Between steps and in hooks; in the one before a step it holds for that step.
 * PERP_ERR_ARGUMENT unless h is finite and > 0. */
PERP_API perp_status perp_sim_set_h(perp_sim *sim, double h);
PERP_API const perp_step_info *perp_sim_info(const perp_sim *sim); /* borrowed from sim */
/* The one-step problem that was solved last in the step, with its solution z and w (M.rows entries);
 * borrowed until the next step.  problem->M.rows is 0, z and w are NULL, where there was none: no
 * interaction was active, or the step ended before it was made. */
PERP_API perp_status perp_sim_last_problem(const perp_sim *sim, perp_problem *problem,
                                           const double **z, const double **w);
/* Problems with rows of the last step: first-order systems have one of their own beside the contacts
 * of discrete-gradient, of which each island of 24 velocities and more has its own where there are
 * several, and generalized-alpha one of the smooth forces and one of the impulses.  Of schemes that
 * make steps inside a step: those of the last of these. */
PERP_API int perp_sim_problems(const perp_sim *sim);
/* Problem k of them, from 0, in the order in which they were solved, so that the last is that of
 * perp_sim_last_problem().  PERP_ERR_ARGUMENT: NULL or no such problem. */
PERP_API perp_status perp_sim_problem(const perp_sim *sim, int k, perp_problem *problem,
                                      const double **z, const double **w);

/* What to do when a one-step problem ended with info->status != PERP_SOLVED. */
typedef enum perp_failure_action {
    PERP_FAILURE_STOP,   /* the step fails with that status, negative where it is an error */
    PERP_FAILURE_ACCEPT, /* go on with the iterate */
    PERP_FAILURE_RETRY,  /* solve again with the solver that the callback named; 99 times at most */
    PERP_FAILURE_HALVE,  /* redo the step in two halves, down to h / 2^20 */
    PERP_FAILURE_DEFAULT /* what on_unsolved of the options says */
} perp_failure_action;
/* *solver is the one that failed; the callback may set another.  attempt counts from 0. */
typedef perp_failure_action (*perp_failure_fn)(void *ctx, const perp_sim *sim,
                                               const perp_info *info, int attempt,
                                               const char **solver);
/* NULL: retry with gs, then PERP_FAILURE_DEFAULT.  Not asked about Newton loops and about problems
 * that met the tolerance but have no solution, for which on_unsolved counts.  An iterate of a
 * status < 0 cannot be accepted: it stops. */
PERP_API void perp_sim_set_on_failure(perp_sim *sim, perp_failure_fn fn, void *ctx);

/* Who solves one-step problems of at least `rows` rows first, in the place of the simulation's own
 * solver: several processes together, say.  Where nothing asks for another form such problems are
 * DELASSUS, if they can be.  mass: the matrix M of such a problem (CSC, unknowns of the bodies in
 * the order of H), else NULL.  settings: those of the simulation; z (rows entries) is the first
 * iterate where their warm_start is not 0, and receives the answer.  Of *info, which is all zeros
 * but for its size, solver and iterations are kept.  Returns as a solver does; what it calls solved
 * is measured again.  The own solver goes on from z after another status > 0 (but
 * PERP_INTERRUPTED), and takes the problem as it was after PERP_ERR_UNSUPPORTED.  Problems of
 * projections, of position levels and of smooth forces stay with the simulation, and so does all
 * where settings have a budget. fn NULL: nobody. */
typedef perp_status (*perp_solve_fn)(void *ctx, const perp_problem *problem, const perp_mat *mass,
                                     const perp_settings *settings, double *z, perp_info *info);
PERP_API void perp_sim_set_solve(perp_sim *sim, int rows, perp_solve_fn fn, void *ctx);

/* The process that this simulation is a part of: what the parts of a step need of each other.  Every
 * process calls these at the same places of a step, with the same number of calls.  With `solve` NULL
 * each process has whole islands: no system is SHARED or GUEST, two systems that an interaction may
 * join in a step are in one process, and `total` and `largest` alone are called, which then serve every
 * scheme but those that choose their own instants.  A step that fails in one process fails in all, and one that
 * is halved in one is halved in all. */
typedef struct perp_sim_parts {
    size_t size; /* sizeof(perp_sim_parts) of the caller, who sets it */
    void *ctx;
    /* The one-step problem of all parts, of which `problem` (DELASSUS; M.rows may be 0) has the rows
     * that belong here and mass (CSC, 0 x 0 where no system is here) the systems that are here, in the
     * order in which they were added.  z, the first iterate where settings->warm_start is not 0,
     * receives the own part of the answer and w that of W z + q, of the whole W.  Of *info status,
     * solver, iterations, error, residual and detail are kept.  The status is the same in all
     * processes: nothing is measured again here. */
    perp_status (*solve)(void *ctx, const perp_problem *problem, const perp_mat *mass,
                         const perp_settings *settings, double *z, double *w, perp_info *info);
    /* x has nv numbers of each SHARED or GUEST system that is here, in the order in which they were
     * added: they become the sums over the processes, with the same bits in all.  Non-zero: it failed
     * somewhere. */
    int (*add)(void *ctx, double *x, int n);
    /* Each of the n numbers (at most 32) becomes its sum over the processes, with the same bits in all.
     * Non-zero: it failed somewhere. */
    int (*total)(void *ctx, double *x, int n);
    /* That islands of bodies keep their momentum, where they lie in several processes; NULL: it is
     * left out.  island[k], from 0 to islands - 1, is that of the k-th SHARED or GUEST system that is
     * here, in the order in which they were added: systems of one number hang together by what belongs
     * here.  The 5 numbers in sums of each become the sums over all that hang together, of all
     * processes, with the same bits in these.  Non-zero: it failed somewhere. */
    int (*join)(void *ctx, const int *island, int systems, double *sums, int islands);
    /* x has at most 64 groups of `width` numbers, at most 8: each becomes that of the process whose
     * first number is the largest (of equals that of the first process; a NaN is larger than all),
     * with the same bits in all.  Non-zero: it failed somewhere.  NULL: but for energies and works the
     * certificate and the perp_step_info of a step are those of this process. */
    int (*largest)(void *ctx, double *x, int groups, int width);
} perp_sim_parts;
/* From the next step on this simulation makes a part of each step, the systems that are not ABSENT;
 * parts NULL: the whole again.  With `solve`, steps that end early are not retried with other solvers
 * and not looked at for proofs, for schemes that solve one problem in a step and do nothing after it
 * (moreau-jean): with others the next step says PERP_ERR_UNSUPPORTED.  The certificate is that of all
 * parts (but for `largest` NULL): the place of a measure may be an interaction of another process.
 * PERP_ERR_ARGUMENT. */
PERP_API perp_status perp_sim_set_parts(perp_sim *sim, const perp_sim_parts *parts);

/* Why a step has no solution: weights by which normal rows (weight >= 0) and equalities of
 * interactions add up to a row without velocities, 0 v + b >= 0 with b < 0.  It is exact for the
 * linearised rows of the step that was tried last, whatever forces and friction are. */
typedef struct perp_infeasibility {
    size_t size;                            /* set by the caller */
    int rows;                               /* of the proof, 0: there is none */
    const perp_interaction_id *interaction; /* rows: whose each is, in the order of their slots */
    const int *component;                   /* rows: which component of its y */
    const double *weight; /* rows; those of inequalities sum to 1 (equalities alone: largest 1) */
    int systems;
    const perp_system_id *system; /* systems: what is squeezed between them */
    double speed; /* s*: whatever the motion, some gap closes at this rate though it may not; two
                     parallel walls then approach at 2 s*.  Infinite: equalities contradict each
                     other */
    double breach, reach; /* of the proof, see perp_refutation: no motion below `reach`, measured by
                             the masses, satisfies the rows */
} perp_infeasibility;
/* Of the last step where its status is PERP_INFEASIBLE_STEP; else rows is 0.  Arrays are borrowed
 * until the next step.  PERP_ERR_ARGUMENT. */
PERP_API perp_status perp_sim_infeasibility(const perp_sim *sim, perp_infeasibility *found);

/* Called at the start of each step, where the model may be changed (contact
 * detection, motors).  Non-zero ends the step with PERP_INTERRUPTED. */
typedef int (*perp_step_fn)(void *ctx, perp_sim *sim, perp_model *model, double t, double h);
PERP_API void perp_sim_set_before_step(perp_sim *sim, perp_step_fn fn, void *ctx);
/* Called after each step that was accepted. */
PERP_API void perp_sim_set_after_step(perp_sim *sim, perp_step_fn fn, void *ctx);
/* Schemes that make several steps inside one of length h show each of them, and the states just
 * before and just after an impact; the others show the end of each step.  States and outputs
 * of the model are those of time t; they may be read, not changed.  Non-zero ends the step with
 * PERP_INTERRUPTED.  Times never decrease, but where a step that was not made after all is tried
 * again: it may have shown instants, and `number` begins with 0 once more at the same
 * perp_sim_info()->step. */
typedef enum perp_instant_kind {
    PERP_INSTANT_SMOOTH, /* end of an inner step */
    PERP_INSTANT_BEFORE, /* of an impact: left limits */
    PERP_INSTANT_AFTER   /* right limits at the same time */
} perp_instant_kind;
typedef struct perp_instant {
    double t, h; /* time, length of the inner step that ended there (0 after an impact) */
    perp_instant_kind kind;
    int number; /* of the instant within its step, from 0 */
} perp_instant;
typedef int (*perp_instant_fn)(void *ctx, perp_sim *sim, perp_model *model,
                               const perp_instant *instant);
PERP_API void perp_sim_set_at_instants(perp_sim *sim, perp_instant_fn fn, void *ctx);
/* For a hook or an event that is about to return non-zero: why.  where (copied; NULL: none) and
 * detail (a sentence, copied, 159 characters at most; NULL: none) go to where and detail of
 * perp_step_info, status to its reason; the status of the step is PERP_INTERRUPTED all the same.
 * A hook that returns 0 takes it back. */
PERP_API void perp_sim_set_reason(perp_sim *sim, perp_status status, const perp_where *where,
                                  const char *detail);
/* Called once, at the start of the first step with t >= time - h/1e6.  Events stay listed for the
 * life of the simulation.  PERP_ERR_ARGUMENT: fn is NULL or the time is not finite. */
PERP_API perp_status perp_sim_schedule(perp_sim *sim, double time, perp_step_fn fn, void *ctx);

/* What a joint (or a coordinate of one with its law) did to its first body in the last step, the mean
 * over it; on the second body, at the same point, the opposite.  Where joints close a loop and their
 * rows depend on each other the reactions are not determined, though the motion is: these are then
 * those of least norm (moments over the arm of their joint), whatever the scheme found. */
typedef struct perp_reaction {
    size_t size;      /* sizeof(perp_reaction) of the caller, who sets it; it stays */
    double point[3];  /* the anchor on the first body (a coupling: its centre of mass) */
    double force[3];  /* inertial frame */
    double moment[3]; /* about that point, inertial frame */
    int dependent;    /* rows of the joints of its loops that follow from others */
} perp_reaction;
/* 0 before the first step.  PERP_ERR_STATE: a stale identifier; PERP_ERR_UNSUPPORTED: no joint,
 * coordinate or coupling, or a scheme whose multipliers are no impulses of a step (event-driven,
 * schatzman-paoli and those that choose inner steps); PERP_ERR_MEMORY; PERP_INTERRUPTED. */
PERP_API perp_status perp_sim_reaction(perp_sim *sim, perp_interaction_id interaction,
                                       perp_reaction *reaction);

/* Sampled control: fn is called at the start of the step that begins at, or first after, each of
 * t0, t0 + period, t0 + 2 period, ... (t0 of the options), before the hook of
 * perp_sim_set_before_step(); what it sets (laws by perp_model_set_law(), forces) holds until its
 * next call (zero-order hold).  Outputs are those of that time.  Any number of them, for the life of
 * the simulation, in the order in which they were added; a checkpoint holds which samples were
 * taken.  A period that is no multiple of h is kept in the mean.  PERP_ERR_ARGUMENT: fn is NULL, or
 * the period is not finite and > 0. */
PERP_API perp_status perp_sim_add_sampler(perp_sim *sim, double period, perp_step_fn fn, void *ctx);

/* The state of the simulation as bytes, for the same program on the same kind of machine: *bytes is
 * the size of buf and becomes the size needed (buf NULL: ask; too small a buffer:
 * PERP_ERR_ARGUMENT).  States, multipliers, parameters z, forces set by perp_model_set_force(),
 * laws, time and h, which events are done, and what the solvers remember are in it; schemes,
 * options and hooks are not.  load wants a model with the same systems and interactions in the same
 * order and the same events scheduled; PERP_ERR_FORMAT, with everything as it was, for other models
 * and for bytes that were cut or damaged.  The run that was saved goes on as if it had not been, and
 * the one that was loaded with the same bits. */
PERP_API perp_status perp_sim_save(perp_sim *sim, void *buf, size_t *bytes);
PERP_API perp_status perp_sim_load(perp_sim *sim, const void *buf, size_t bytes);
/* The same of one interaction, for processes that make parts of one simulation: outputs,
 * multipliers, law, modes, turns of a joint, and the length of its last step.  Between steps or in the
 * hook before one; perp_model_changed() is called after the last load.  PERP_ERR_STATE: a stale
 * identifier; PERP_ERR_ARGUMENT: too little; PERP_ERR_FORMAT: of an interaction of another form. */
PERP_API perp_status perp_sim_save_interaction(const perp_sim *sim, perp_interaction_id id,
                                               void *buf, size_t *bytes);
PERP_API perp_status perp_sim_load_interaction(perp_sim *sim, perp_interaction_id id,
                                               const void *buf, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
