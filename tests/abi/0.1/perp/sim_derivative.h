/* SPDX-License-Identifier: BSD-3-Clause */
/* Derivatives through the steps of a simulation: of states by the first state, by forces and by
 * parameters.
 *
 *     perp_tape_create(&tape, sim, NULL, NULL, NULL);
 *     perp_tape_set_parameters(tape, 1, &mu, NULL);
 *     for (int k = 0; k < steps; k++)
 *         perp_sim_step(sim);                                  each step is recorded
 *     perp_tape_jvp(tape, 1, &along, 0, dq, dv, NULL, NULL);   change of the last state
 *     perp_tape_vjp(tape, 1, 0, q_bar, v_bar, &of, NULL);      gradient of q_bar.q + v_bar.v
 *     perp_tape_destroy(tape);
 *
 * A step of moreau-jean is a free velocity, one Perp problem and a new state; one of
 * discrete-gradient several problems one after the other: impacts in stages, the equation of motion
 * with joints and contacts, corrections of positions and velocities.  Its derivative is that of
 * these equations, with the derivative of each problem by <perp/derivative.h>; that of a motion is
 * the chain of its steps (docs/reference/derivatives.md).  The derivative is that of the motion in
 * steps: which contacts are in a step does not change along a direction.  The instant of an impact
 * moves under discrete-gradient, whose impacts are made at their times; moreau-jean rounds it to
 * the end of a step.
 *
 * What is recorded: discrete-gradient, but for impacts by Poisson's law; moreau-jean with
 * activation_at start and without hysteresis; Lagrangian systems and bodies; laws EQUALITY, IMPACT,
 * FRICTION (with a stiffness or rigid, with or without rolling; not with relative_compliance) and
 * BOX with its drives; relations whose rows do not depend on the state, contacts of a detection
 * between points or balls and points, balls or planes, and joints.  Under moreau-jean rows that
 * turn with the state need a configuration of start or predicted, or iterated where the step took
 * one iteration.  Other relations are recorded with settings.differences.  What is not recorded
 * ends the tape with PERP_ERR_UNSUPPORTED: its info says at which step and why.  The simulation
 * goes on as it would without, and no bit of it depends on a tape; but with a tape all islands of
 * discrete-gradient are solved together, and where several of them have 24 velocities and more, what
 * the tolerances of the step leave is another.
 *
 * Forces, laws and parameters z that hooks set count as given in each step, whatever they were made
 * from: a feedback is differentiated where it is in callbacks of the systems (f, T and u) and
 * drives.
 *
 * States are those of all systems in the order of their slots; the tangent of a system has as many
 * numbers as its velocity: dq of a Lagrangian system, and for a body (change of the centre,
 * inertial frame; small turn, body frame).  `dofs` of these make a dq, and as many a dv. */
#ifndef PERP_SIM_DERIVATIVE_H
#define PERP_SIM_DERIVATIVE_H

#include <perp/collide.h>
#include <perp/derivative.h>
#include <perp/sim.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_tape perp_tape;

typedef struct perp_tape_settings {
    size_t size;     /* set by perp_tape_settings_init() */
    double kink;     /* 1e-9: of perp_derivative_settings; and how near the threshold of the index
                        set a prediction is on it, beside the lengths that go in */
    int dense;       /* 1000: of perp_derivative_settings */
    int differences; /* 0; 1: derivatives of rows, masses and drifts that no call gives are taken by
                        central differences of their callbacks, at the step that is recorded */
    size_t factors;  /* 2^28: bytes of factors of steps that the second perp_tape_jvp() or _vjp()
                        through them keeps for the next ones; steps that would need more memory are
                        factored in each */
} perp_tape_settings;

PERP_API void perp_tape_settings_init(perp_tape_settings *settings, size_t size);

/* What a motion depends on beside its first state and its forces. */
typedef enum perp_tape_quantity {
    /* Of the law of an interaction, or of all interactions whose law has it ({0, 0}): */
    PERP_TAPE_MU,   /* FRICTION */
    PERP_TAPE_MU_R, /* FRICTION with rolling or torsion: the coefficient of its moment; with both:
                       of rolling */
    PERP_TAPE_MU_S, /* FRICTION with torsion: its coefficient */
    PERP_TAPE_E,    /* IMPACT, FRICTION */
    PERP_TAPE_E_T,  /* FRICTION */
    PERP_TAPE_LO,   /* BOX: a force */
    PERP_TAPE_HI,
    PERP_TAPE_RATE,      /* MOTOR, PROFILE */
    PERP_TAPE_TARGET,    /* SERVO, PROFILE */
    PERP_TAPE_STIFFNESS, /* SERVO; IMPACT and FRICTION with a stiffness */
    PERP_TAPE_DAMPING,
    /* Of a system: */
    PERP_TAPE_MASS,    /* of a body: its mass; Lagrangian: entry (row, column) of a constant M.
                          Forces stay: of a weight m g its own part is PERP_TAPE_FORCE */
    PERP_TAPE_INERTIA, /* of a body: by s where its inertia is s times the given one, at s = 1 */
    PERP_TAPE_FORCE,   /* number `row` of a force that acts in all steps, as in `forces` */
    PERP_TAPE_C,       /* Lagrangian: entry (row, column) of C, of K */
    PERP_TAPE_K,
    PERP_TAPE_Z /* number `row` of the parameters z of a system: settings.differences, two more
                   calls of its functions in each step */
} perp_tape_quantity;

typedef struct perp_tape_parameter {
    perp_tape_quantity quantity;
    int row, column;
    perp_interaction_id interaction;
    perp_system_id system;
} perp_tape_parameter;

typedef struct perp_tape_info {
    size_t size;        /* set by the caller */
    perp_status status; /* PERP_SOLVED; else why the tape ended, with `detail` */
    long first, steps;  /* number of the step that was recorded first, and how many were */
    int systems, dofs, parameters;
    int differences;  /* 1: something was taken by differences, by the tape or by the model */
    int given;        /* 1: forces, laws or parameters z were changed between steps */
    size_t bytes;     /* of memory that the record takes */
    perp_where where; /* of the end: "system", "interaction", ... with its slot */
    long step;        /* number of the step at which it ended */
    char detail[160]; /* one sentence, or "" */
    size_t factors;   /* bytes of the factors that products keep, beside `bytes` */
} perp_tape_info;

/* Records the steps of sim from now on; one tape at a time.  settings NULL: defaults; allocator
 * NULL: malloc.  Destroying the simulation ends the recording; the tape stays.  PERP_ERR_STATE: sim
 * has a tape; PERP_ERR_SETTING, PERP_ERR_MEMORY.  On error *tape is NULL. */
PERP_API perp_status perp_tape_create(perp_tape **tape, perp_sim *sim,
                                      const perp_tape_settings *settings,
                                      const perp_allocator *allocator, perp_where *where);
PERP_API void perp_tape_destroy(perp_tape *tape); /* NULL is accepted */
/* The parameters (copied), before the first step that is recorded (else PERP_ERR_STATE).
 * PERP_ERR_ARGUMENT: *where names the field and, as index, the parameter; PERP_ERR_UNSUPPORTED: Z
 * without differences. */
PERP_API perp_status perp_tape_set_parameters(perp_tape *tape, int count,
                                              const perp_tape_parameter *list, perp_where *where);
/* How the rows of a relation turn, where no closed form is known: turn = dH/dx, rows x nv for each
 * of the nv coordinates of x one behind the other (column-major; x in the coordinates of
 * velocities: of a body a shift and a small turn in its own axes), and drift = d(h_t)/dx, rows x
 * nv.  Both are zero at the call; x: the states of the relation.  Non-zero: refused, which ends the
 * tape. */
typedef int (*perp_tape_turn_fn)(double *turn, double *drift, double t, const double *x,
                                 void *user);
/* In place of differences, for one interaction; fn NULL: no more.  PERP_ERR_STATE: a stale
 * identifier, or steps were recorded; PERP_ERR_MEMORY. */
PERP_API perp_status perp_tape_set_turn(perp_tape *tape, perp_interaction_id interaction,
                                        perp_tape_turn_fn fn, void *user);
/* Forgets all steps; parameters stay.  The next step is the first again. */
PERP_API void perp_tape_reset(perp_tape *tape);
/* 0: steps are not recorded until 1.  Steps that were left out end the tape at the next one. */
PERP_API perp_status perp_tape_set_recording(perp_tape *tape, int on);
PERP_API perp_status perp_tape_info_get(const perp_tape *tape, perp_tape_info *info);
/* Where the numbers of a system lie in a dq or dv: from *at on, *count of them. */
PERP_API perp_status perp_tape_place(const perp_tape *tape, perp_system_id system, int *at,
                                     int *count);

/* A direction, or `count` of them one behind the other in each array.  NULL: zero. */
typedef struct perp_tape_tangent {
    size_t size;              /* set by the caller */
    const double *q, *v;      /* dofs each: of the state before the first step */
    const double *parameters; /* as many as there are */
    const double *forces; /* steps * dofs: in each step, constant over it, on the velocities as F
                             is: of a body (force, inertial frame; moment, body frame) */
} perp_tape_tangent;

/* Where gradients go; members as in perp_tape_tangent, NULL: not wanted. */
typedef struct perp_tape_gradient {
    size_t size;
    double *q, *v, *parameters, *forces;
} perp_tape_gradient;

/* Of a product. */
typedef struct perp_tape_report {
    size_t size;        /* set by the caller */
    perp_status status; /* the largest one of all steps and directions */
    long step;          /* number of the first step that has it; -1: PERP_SOLVED */
} perp_tape_report;

/* dq and dv (either may be NULL) along the directions: of the last state, count * dofs each; with
 * path = 1 of all states, count * (steps + 1) * dofs, the first one first.  each (count) receives
 * the status of each direction; each and report may be NULL.  Returns the largest of them, as
 * perp_derivative_jvp() does:
 *   PERP_ONE_SIDED           the derivative holds for a change in this direction, not in the
 *                            opposite one: a contact that just touches, a force on the edge of its
 *                            cone
 *   PERP_NOT_UNIQUE          some impulses are not unique; velocities follow where they are
 *   PERP_NOT_DIFFERENTIABLE  some step has no derivative in this direction: its problem has none,
 *                            or a contact on the threshold of the index set leaves or joins it, by
 *                            which the motion jumps.  What is written belongs to the side that was
 *                            recorded
 * Errors, with outputs untouched: PERP_ERR_STATE: no steps; the status of the tape where it ended;
 * PERP_ERR_NONFINITE: a direction; PERP_ERR_MEMORY; PERP_ERR_NUMERICAL: results are not finite, or
 * the solution of report->step has an error above 1e-4; errors of perp_derivative_factor() for the
 * problem of a step. */
PERP_API perp_status perp_tape_jvp(perp_tape *tape, int count, const perp_tape_tangent *along,
                                   int path, double *dq, double *dv, perp_status *each,
                                   perp_tape_report *report);
/* Gradients of q_bar.q + v_bar.v (either may be NULL) of the last state, or, with path = 1, of the
 * sum over all states; shapes as in perp_tape_jvp().  On a kink the gradient is that of
 * perp_derivative_vjp(), and on the threshold of the index set that of the side that was recorded,
 * with PERP_ONE_SIDED: what no direction moves counts, too, as it is not known here.
 * PERP_NOT_DIFFERENTIABLE: a step's correction of positions has no derivative that is known.
 * Returns and errors as there. */
PERP_API perp_status perp_tape_vjp(perp_tape *tape, int count, int path, const double *q_bar,
                                   const double *v_bar, const perp_tape_gradient *of,
                                   perp_tape_report *report);

/* The collider that makes contacts of the model (borrowed; NULL: none), for the checkpoints of
 * perp_tape_gradient_of_run(), which hold it too. */
PERP_API perp_status perp_tape_set_collider(perp_tape *tape, perp_collider *collider);

/* The cotangent of the state after a step, counted from 0 for the first state: added to q_bar and
 * v_bar (dofs each).  Called with the simulation at that state, from the last part of the motion to
 * the first, in the order of time within a part.  Non-zero ends the call with PERP_INTERRUPTED. */
typedef int (*perp_tape_cotangent_fn)(void *ctx, perp_sim *sim, long step, double *q_bar,
                                      double *v_bar);
/* Makes `steps` steps of the simulation of the tape and gives the gradient by its present state, in
 * memory for about 2 sqrt(steps) of them: the motion is made once with checkpoints, by
 * perp_sim_save(), and then in parts, from the last to the first, a second time.  At the end the
 * simulation is where the steps lead; the tape holds the first part.  Hooks must do the same a
 * second time (they see the same states, times and parameters): PERP_ERR_STATE, "hooks", where the
 * second run differs from the first.  Else as perp_tape_vjp(); the status of a step that was not
 * solved.  steps > 0; `forces` of the gradient has steps * dofs numbers. */
PERP_API perp_status perp_tape_gradient_of_run(perp_tape *tape, long steps,
                                               perp_tape_cotangent_fn cotangent, void *ctx,
                                               const perp_tape_gradient *of,
                                               perp_tape_report *report);

#ifdef __cplusplus
}
#endif
#endif
