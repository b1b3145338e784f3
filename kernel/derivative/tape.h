/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a tape.  Each step is kept as the matrices of its linearised equations, so that
 * products call nothing of the user and do not need the interactions to live on.  With the tangents
 * dq, dv of the state at the start, dv+ of the velocity at the end, z the impulses and the means of
 * [SNL]:
 *
 *     x_g  = A_g dq + ahead B_g dv                     configuration of mass and rows
 *     rho  = M dv - turn x_g + h F0 (dq, dv) + h F1 (A dq + h (1 - theta) B dv) + sum A1 x_g + ...
 *     beta = sum A2 x_g + e (Hs dv + A3 dq) + drives + ...
 *     W dv+ = rho + H' dz,    (H W^-1 H' + diag) dz + H W^-1 rho + beta = dw
 *     dq+  = A dq + h B (theta dv+ + (1 - theta) dv)
 *
 * Matrices are column-major; NULL where they are zero (A, B: the identity). */
#ifndef PERP_KERNEL_TAPE_H
#define PERP_KERNEL_TAPE_H

#include <perp/sim_derivative.h>

#include "kernel/derivative/relation_turn.h"
#include "kernel/derivative/stages.h"
#include "kernel/sim/sim_inside.h"

/* Memory of the record: blocks that are used again after a reset. */
typedef struct perp_tape_chunk {
    unsigned char *bytes;
    size_t size;
} perp_tape_chunk;

/* What stays the same of a system. */
typedef struct perp_tape_system {
    const perp_system *system;
    uint32_t generation;
    int slot, nv, at;    /* its place among the dofs */
    double *mass;        /* nv x nv; NULL: by a callback */
    double *by_q, *by_v; /* of the right-hand side where they are constant; NULL: 0 */
} perp_tape_system;

/* A system in one step. */
typedef struct perp_tape_motion {
    double theta, end, start; /* theta of positions; h theta and h (1 - theta) of forces */
    double ahead;             /* gamma h */
    const double *mass;
    const double *turn;              /* d(M(x_g) (v+ - v))/dx_g */
    const double *q0, *v0, *q1, *v1; /* nv x nv: of the right-hand side at both ends */
    const double *A, *B, *A_g, *B_g; /* 3 x 3: of the rotation of a body */
    const double *state;         /* nq, nv, nq, nv: both ends; NULL where no parameter needs it */
    const double *change, *spin; /* nv: v+ - v; 6: omega x J omega at both ends, or NULL */
} perp_tape_motion;

/* The relations of an interaction that are in the problem of a step. */
typedef struct perp_tape_tie {
    int slot;
    uint32_t generation;
    perp_law law;
    int first, rows, relations; /* rows of the problem; relations = rows / law.dim */
    int block;                  /* of the first of them */
    int nsystems, nv;
    const int *system;     /* places in the list of systems */
    const double *H;       /* rows x nv, at x_g */
    const double *A1, *A2; /* nv x nv: of H' z, rows x nv: of H v+ + drift, by x_g */
    const double *A4;      /* rows x nv: of H v + drift by x_g; drives */
    const double *Hs, *A3; /* rows x nv, at the start: H, and H v + drift by q */
    const double *u;       /* rows: rates at the start */
    const double *z, *w;   /* rows; z impulses of BOX too */
    const double *y;       /* relations: of a servo or a spring, at the start */
    double scale;          /* impulse of a multiplier: 1, or h */
} perp_tape_tie;

/* Where a step has another form beside: a contact on the threshold of the index set, in it or not,
 * by which the motion jumps where y + activation h u changes sign; a row whose slope in y is
 * another one on the other side: a damper that begins to act at y = 0, a profile at one of its
 * ends. */
typedef enum perp_tape_edge_kind {
    PERP_TAPE_EDGE_OPEN,
    PERP_TAPE_EDGE_CLOSED,
    PERP_TAPE_EDGE_SLOPE
} perp_tape_edge_kind;

/* What changes sign changes by by_q dq + by_v dv. */
typedef struct perp_tape_edge {
    perp_tape_edge_kind kind;
    int nsystems, nv;
    const int *system;
    const double *by_q, *by_v; /* nv each */
} perp_tape_edge;

/* A parameter z of a system in one step. */
typedef struct perp_tape_push {
    int system;
    const double *rho; /* nv */
} perp_tape_push;

typedef struct perp_tape_step {
    double t, h;
    int rows, nties, nedges;
    perp_tape_motion *motions;
    perp_tape_tie *ties;
    perp_tape_edge *edges;
    perp_tape_push *pushes;   /* of each parameter that is PERP_TAPE_Z, in their order */
    perp_tape_stages *stages; /* of discrete-gradient: all of the step, in place of the above */
    struct perp_tape_linear *linear; /* factors that a product kept, or NULL; of stages: in each */
} perp_tape_step;

/* A step that is being made. */
typedef struct perp_tape_draft {
    perp_tape_stages *stages; /* NULL: none, or not to be recorded */
    int chunk;                /* of the record before it */
    size_t used, bytes;
    int *number; /* of the time of each relation that strikes */
    int *flight; /* number of the last impact of each system, -1: none */
    int *hit;    /* number of the time of the Jacobian of each hit */
    int *first;  /* row of each interaction in the solve of the equation of motion, -1 */
    perp_tape_solve_stage *smooth; /* that solve */
    int capacity_first;
    int hits, numbered; /* hits before the stage; those that have their number */
    int during;         /* a part of the step is looked at: the step is not counted yet */
    int chosen;         /* numbers are those of the stage */
    int capacity_number, capacity_flight, capacity_hit;
} perp_tape_draft;

/* What the caller knows of an interaction. */
typedef struct perp_tape_turn {
    perp_interaction_id id;
    perp_tape_turn_fn fn;
    void *user;
} perp_tape_turn;

typedef struct perp_tape_linear perp_tape_linear;
struct perp_tape_stage_system;

struct perp_tape {
    perp_pool pool;
    perp_sim *sim; /* NULL: gone */
    perp_tape_settings settings;
    perp_tape_info info;
    int recording;
    perp_collider *collider; /* of checkpoints, or NULL */
    perp_tape_parameter *parameters;
    int nparameters, capacity_parameters;
    perp_tape_turn *turns;
    int nturns, capacity_turns;

    perp_tape_chunk *chunks;
    int nchunks, capacity_chunks, chunk; /* chunk: the one in use */
    size_t used;

    perp_tape_system *systems;
    int nsystems, capacity_systems, dofs;
    perp_tape_step *steps;
    int nsteps, capacity_steps;
    double *last; /* states at the end of the last step, and what was given in it */
    int capacity_last, places, capacity_place, capacity_work;
    int *place;   /* of a system slot among the systems, or -1 */
    double *work; /* of a step that is recorded */

    perp_tape_draft draft;
    /* Factors of the step, and of the solve of a stage, that a product is at (linear.h,
     * stage_system.h): its own ones, which are listed, or the spare ones. */
    perp_tape_linear *linear, *spare_linear, *kept_linear;
    struct perp_tape_stage_system *stage_system, *spare_system, *kept_system;
    int keeps;     /* products keep factors: not the first, which may be the only one */
    long products; /* through the steps of the record */
};

/* tape_memory.c */
void *perp_tape_take(perp_tape *tape, size_t count, size_t size); /* zeroed; NULL: out of memory */
#define PERP_TAPE_ARRAY(tape, type, count)                                                         \
    ((type *)perp_tape_take((tape), (size_t)(count), sizeof(type)))
double *perp_tape_copy(perp_tape *tape, const double *x, size_t count);
void perp_tape_forget(perp_tape *tape);
/* Factors of so many bytes stay in their step, and are counted. */
int perp_tape_keeps(perp_tape *tape, size_t bytes);
/* A matrix without entries that are not 0 is none. */
const double *perp_tape_keep(perp_tape *tape, const double *x, size_t count, int *failed);

/* Ends the tape; returns status. */
perp_status perp_tape_end(perp_tape *tape, perp_status status, const char *what, int slot,
                          const char *format, ...) __attribute__((format(printf, 5, 6)));

/* A part of a step that is being made (follow.c). */
void perp_tape_follow(void *tape, perp_step *step, int scheme, perp_step_part part);
/* Records the step that was made last (record.c). */
void perp_tape_record(void *tape, perp_sim *sim);
/* The systems of the simulation as they are before the first step (record_motion.c). */
perp_status perp_tape_list_systems(perp_tape *tape);
perp_status perp_tape_record_motion(perp_tape *tape, const perp_step *step, perp_tape_step *node,
                                    int k);
/* The parameters z (record_push.c). */
perp_status perp_tape_record_pushes(perp_tape *tape, const perp_step *step, perp_tape_step *node);
/* Interactions in the problem and those on the threshold (record_tie.c). */
perp_status perp_tape_record_ties(perp_tape *tape, const perp_step *step, perp_tape_step *node);
/* Memory of tape->work for one interaction or system. */
double *perp_tape_work(perp_tape *tape, size_t count);
/* How a body carries small turns over a turn by h omega, 3 x 3 each; 0: out of memory. */
int perp_tape_record_turn(perp_tape *tape, const double **A, const double **B, const double *omega,
                          double h);
/* Configuration x_g of a system. */
void perp_tape_guess(double *q, const perp_system *s, double ahead);
int perp_tape_moves_ahead(const perp_scheme *scheme); /* 0: configuration start */

/* Checks of a list of parameters (parameters.c). */
perp_status perp_tape_check_parameter(const perp_tape *tape, const perp_tape_parameter *p,
                                      const char **what);
/* The law has the quantity. */
int perp_tape_law_has(const perp_law *law, perp_tape_quantity quantity);
/* Each number that parameter k puts into the equations of a step: rho of a dof, beta of a row, or
 * parameter 0, 1 or 2 of a block of the sets. */
typedef enum perp_tape_target {
    PERP_TAPE_RHO,
    PERP_TAPE_BETA,
    PERP_TAPE_PAR0,
    PERP_TAPE_PAR1,
    PERP_TAPE_PAR2
} perp_tape_target;
/* Of MU, MU_R, MU_S, LO and HI: which of them; -1: none of these. */
int perp_tape_parameter_place(const perp_law *law, perp_tape_quantity quantity);
typedef void (*perp_tape_term_fn)(void *ctx, perp_tape_target target, int at, double value);
void perp_tape_parameter_terms(const perp_tape *tape, const perp_tape_step *node, int k,
                               perp_tape_term_fn term, void *ctx);

/* What the caller of the tape knows of the turn of an interaction, or NULL; where it comes from. */
const perp_tape_turn *perp_tape_turn_given(const perp_tape *tape, const perp_link *link);
perp_turn_source perp_tape_turn_source(const perp_tape *tape, const perp_link *link);

/* A servo, or a contact with a stiffness: its row has a spring and a damper, of this compliance of
 * the mean rate by the impulse. */
int perp_tape_has_spring(const perp_law *law);
/* A profile at y: how its rate of approach changes with the distance, 0 where the largest rate
 * holds; *kink 1: another slope begins there. */
double perp_tape_profile_slope(const perp_law *law, double h, double y, int *kink);
double perp_tape_spring_compliance(const perp_law *law, double h);

#endif
