/* SPDX-License-Identifier: BSD-3-Clause */
/* The one-step problem: active interactions -> rows -> M, q -> solve -> lambda, p.
 *
 * With x the new velocity (or state) of each system,
 *     x_i = free_i + W_i^-1 (sum of right_a lambda_a + inner_right_a rho_a),
 *     w_a = sum_i left_a^i x_i + D_a lambda_a + offset_a,
 * the matrix has the blocks M_ab = D_a [a = b] + sum over common systems of
 * left_a^i W_i^-1 right_b^i ([SDN] ch. 1) and q_a = left_a free + offset_a + restitution. */
#ifndef PERP_KERNEL_ONE_STEP_H
#define PERP_KERNEL_ONE_STEP_H

#include <perp/sim.h>

#include "kernel/systems/pool.h"
#include "kernel/relations/link.h"
#include "kernel/step/saddle_spread.h"

/* Solvers that the problems of one simulation are given to: a further one sets up again each time. */
enum { PERP_ONE_STEP_HANDLES = 4 };

/* A solver and what it was set up for. */
typedef struct perp_one_step_handle {
    const perp_solver_type *type;
    perp_solver *solver;
    unsigned long pattern; /* of the set-up that it holds; 0 none */
    unsigned long fills;   /* of the matrix that it has seen */
    double tol;            /* of its last solve */
    /* What the solver remembers, as bytes: to be given to it after its next set-up; where nothing is
     * remembered from step to step, what it has after a set-up. */
    void *memory;
    size_t memory_bytes;
    unsigned long step; /* the last one of the simulation in which it was used */
} perp_one_step_handle;

/* Who solves problems of many rows first, in the place of the solvers here. */
typedef struct perp_one_step_asked {
    perp_solve_fn fn; /* NULL: nobody */
    void *ctx;
    int rows; /* from so many on */
} perp_one_step_asked;

typedef struct perp_one_step {
    perp_pool *pool;
    perp_allocator allocator; /* the pool, for numerics */
    perp_form wanted, form;

    perp_link **active; /* in the order of their slots */
    int nactive, capacity_active;
    perp_link **before; /* those of the present pattern */
    int nbefore, capacity_before;
    perp_system **touched; /* systems of active links, each once */
    int ntouched, capacity_touched;

    int rows;
    unsigned long pattern;              /* changes where rows, segments or positions do */
    int posed;                          /* problem, z and w belong together */
    unsigned long version;              /* of the model when the pattern was made */
    double *q, *z, *w;                  /* rows each */
    double *par[PERP_PARAMETERS];       /* rows each: parameters of the sets */
    int capacity_rows;
    perp_segment *segments;
    int nsegments, capacity_segments;
    int linear;       /* FREE, NONNEG and BOX alone: solved exactly but for rounding */
    int bilateral;    /* set by its owner: all rows are FREE whatever the laws say */
    int tresca;       /* set by its owner: friction is Tresca's, with the bounds link->bound */
    double *spent;    /* set by its owner: counted work of the step so far, of which the budget of
                         the settings is the limit; NULL: each solve has it */
    double part;      /* set by its owner: of that budget, which this problem may spend; 0: all */
    int strict_start; /* set by its owner: a warm start within tol is taken without an iteration
                         only where its error is at most tol / 10; 2: what is nearly an answer is
                         settled, too (warm_start = 3); 3: to tol / 1000 (4); 4: from any
                         start, what touches being at rest (5) */
    int remembers; /* set by its owner: solvers know the steps before, and checkpoints hold that */
    int gaps_kept; /* set by its owner: the law itself keeps gaps, so that what the tolerance of the
                        solver leaves takes no contact out of the next step */
    int gives;     /* set by its owner: 1: contacts give way by link->give and their
                      relative_compliance; 2: the same about 0, not about link->centre */
    const perp_one_step_asked *given; /* set by its owner; NULL: as fn NULL */
    int apart;      /* set by its owner: small islands are solved alone by a solver of any name */
    int may_mirror; /* set by its owner: one half of a matrix of blocks may be made from the other
                     */
    int of_parts;   /* set by its owner: the rows of one of several processes, maybe none */
    int by_mode;    /* set by its owner: friction that slides has mu = 0, see mechanics.h */
    double enough;  /* set by its owner: error that will do where a solver does not come to its
                       tolerance; 0: none */

    /* Set by its owner, shaped and factored before this problem is: systems with s->coupled >= 0
     * stand in the saddle system, and W^-1 is the part of x of its inverse; s->free is the free
     * velocity with the joints.  NULL: each system has its own W^-1. */
    perp_saddle *saddle;
    unsigned long saddle_pattern; /* of the present pattern */
    int tied;                     /* an active link touches an island of the saddle system */
    int *island_mark;             /* per island: a link that was solved for */
    double *tied_x;               /* columns of dofs + rows of the saddle system */
    int capacity_island_mark, capacity_tied_x;
    perp_saddle_half half; /* groups of links, and of bodies that many rows touch */
    int halved;            /* the matrix is made from it */
    perp_saddle_spread spread;
    int spreads;           /* from whole solves of the groups, which are the links */
    int *link_group;       /* by active link: its group; -1: it is made from those of its bodies */
    int *body_group;       /* by offset of a body in x: its group of all twists, or -1 */
    int *mobility_of;      /* by group: of which other one `mobility` holds the block, or -1 */
    double *mobility;      /* by group, 6 x 6 each: what an impulse on that one moves here */
    int capacity_link_group;
    int capacity_body_group, capacity_mobility_of, capacity_mobility;

    /* Neighbours: for each active link, the active links that share a system or an island. */
    int *neighbour_ptr, *neighbours;
    int capacity_neighbour_ptr, capacity_neighbours;
    int *mark; /* per active link */
    int capacity_mark;
    int *column, *index; /* CSC or BSR index arrays, H for DELASSUS */
    double *x;           /* values */
    int capacity_column, capacity_index, capacity_x;
    double *solved; /* W^-1 right of one link */
    int capacity_solved;
    double *own, *give; /* a diagonal block; rows: what DELASSUS gets on its diagonal */
    int capacity_own, capacity_give;

    perp_mass *mass; /* DELASSUS: of all systems */
    int *mass_column, *mass_row;
    double *mass_x;
    int capacity_mass_column, capacity_mass_row, capacity_mass_x;
    int mass_dofs;
    unsigned long mass_pattern;

    unsigned long fills;            /* times the matrix was filled */
    unsigned long filled, filled_W; /* pattern and sum of W versions of the present matrix */
    perp_problem problem;
    perp_one_step_handle handles[PERP_ONE_STEP_HANDLES];
    struct perp_one_step_islands
        *islands; /* one_step_islands.h; NULL before they were looked for */
} perp_one_step;
typedef struct perp_one_step_islands perp_one_step_islands;

void perp_one_step_init(perp_one_step *one, perp_pool *pool, perp_form form);
void perp_one_step_free(perp_one_step *one);
/* What the solvers remember, and their set-ups. */
void perp_one_step_forget(perp_one_step *one);

/* Lists the active links, numbers their rows and makes segments and index arrays where
 * they changed.  rows = 0 where nothing is active. */
perp_status perp_one_step_shape(perp_one_step *one, perp_link *const *links, int nlinks,
                                perp_system *const *systems, int nsystems, unsigned long version);
/* Memory of so many rows for q, z, w and the parameters of the sets; 0 when it is out. */
int perp_one_step_grow_rows(perp_one_step *one, int rows);
/* Fills the values of M and q from the blocks of the active links; same = 1: those
 * blocks but for their offsets are as they were at the last call for this pattern. */
perp_status perp_one_step_fill(perp_one_step *one, perp_system *const *systems, int nsystems,
                               int same);
/* The free velocities have the impulses of the first iterate z: q -= M z. */
perp_status perp_one_step_from_start(perp_one_step *one);
/* The set of the rows of a link. */
perp_set perp_one_step_set(const perp_one_step *one, const perp_link *link);
/* Some active contact gives way, and the owner says so. */
int perp_one_step_gives_way(const perp_one_step *one);
/* Of M; 0 where it is left as factors. */
double perp_one_step_diagonal(perp_one_step *one, int row);
/* Adds to a diagonal entry of M, where it is dense, CSC or BSR. */
void perp_one_step_add_diagonal(perp_one_step *one, int row, double by);
/* Adds delta times the largest diagonal entry to the diagonal of M, and returns what was added;
 * where M is dense, CSC or BSR. */
double perp_one_step_shift(perp_one_step *one, double delta);
/* lambda and rho of the active links, and p of each system, from z. */
void perp_one_step_scatter(perp_one_step *one, perp_system *const *systems, int nsystems);
/* One solve with the solver of this name (NULL: chosen); z is the first iterate where
 * warm is 1.  A linear problem is solved to 1e-12 where it can be, since a Newton or
 * pivoting method ends there anyway and multiple impacts amplify what is left; the
 * tolerance of the settings is what counts as solved. */
perp_status perp_one_step_solve(perp_one_step *one, const char *name, const perp_settings *settings,
                                int warm, perp_info *info);

/* The same by one->given; where that leaves the problem, or ends early, by the solver of this name.
 */
perp_status perp_one_step_solve_first(perp_one_step *one, const char *name,
                                      const perp_settings *settings, int warm, perp_info *info);

/* The same by several processes, each with its rows: nothing is measured again. */
perp_status perp_one_step_solve_part(perp_one_step *one, const perp_sim_parts *parts,
                                     const perp_settings *settings, int warm, perp_info *info);

/* Rows without those of islands that are solved each to the end, for a solver of this name. */
int perp_one_step_hard_rows(perp_one_step *one, const char *name);

/* The handle of a solver: its own, an empty one, or the last one emptied. */
perp_one_step_handle *perp_one_step_handle_of(perp_one_step *one, const perp_solver_type *type);

/* Between the files of this folder: the same among PERP_ONE_STEP_HANDLES others; a solve of a
 * problem whose pattern and fills are those of `one`; the default for such a problem. */
perp_one_step_handle *perp_one_step_handle_in(perp_one_step_handle *handles, perp_pool *pool,
                                              const perp_solver_type *type);
/* one_step_memory.c: before and after a solver is set up, and before it is given new numbers. */
void perp_one_step_keep(perp_one_step *one, perp_one_step_handle *handle);
void perp_one_step_recall(perp_one_step *one, perp_one_step_handle *handle);
void perp_one_step_renew(perp_one_step *one, perp_one_step_handle *handle);
perp_status perp_one_step_run(perp_one_step *one, perp_one_step_handle *handle,
                              const perp_problem *problem, const perp_settings *settings, double *z,
                              double *w, perp_info *info);
const perp_solver_type *perp_one_step_type(const perp_one_step *one, const perp_problem *problem);

#endif
