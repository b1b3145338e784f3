/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the projection of positions: its rows and their matrix C D C'. */
#ifndef PERP_KERNEL_PROJECTION_MATRIX_H
#define PERP_KERNEL_PROJECTION_MATRIX_H

#include "kernel/integrators/position_projection.h"
#include "kernel/step/one_step.h"

/* One row: component of a link, or |Q| - 1 of a body. */
typedef struct perp_projection_row {
    perp_link *link; /* NULL: of the body */
    perp_system *body;
    int component;
    int free; /* an equality */
} perp_projection_row;

struct perp_projection {
    perp_one_step one; /* handles, and space for the problem: q, z, w, C' as column, index, x */
    perp_projection_row *entries;
    int rows, capacity_entries;
    perp_system **touched;
    int ntouched, capacity_touched;
    int dofs;       /* coordinates, or twists, of the touched systems */
    int *first_dof; /* of each system by its slot, -1: not touched */
    int capacity_first_dof;
    double *weight, *move, *scratch; /* dofs each: D where it is diagonal, D C' Lambda */
    int capacity_weight, capacity_move, capacity_scratch;
    /* D^-1 as a matrix and its inverse: for MASS, and for problems that stay factors. */
    int *mass_column, *mass_row;
    double *mass_x;
    int capacity_mass_column, capacity_mass_row, capacity_mass_x;
    perp_mass *mass;
    double *dense; /* rows x rows */
    int capacity_dense;
    perp_projection_metric metric;
};

#define PERP_PROJECTION_GROW(pool, owner, array, capacity, count)                                  \
    perp_pool_grow((pool), (void **)&(owner)->array, &(owner)->capacity, (count),                  \
                   sizeof *(owner)->array)

static inline int perp_projection_width(const perp_projection *p, const perp_system *s)
{
    return p->metric == PERP_METRIC_Q ? s->nq : s->nv;
}
double perp_projection_norm(const perp_system *s); /* |Q| of a body at NOW */

/* position_projection.c: Lambda of a posed problem by the solver of the simulation, else by the one
 * that fits, else by gs.  warm = 1: z is a start.  *usable: it is worth a move. */
perp_status perp_projection_solve(perp_one_step *one, const perp_step *step, double tol, int warm,
                                  int *usable);

/* D, or M and its inverse, at NOW. */
perp_status perp_projection_weights(perp_projection *p);
/* C at NOW and time t, and C D C' into one.problem.M. */
perp_status perp_projection_matrix(perp_projection *p, double t);
/* move = D C' z. */
void perp_projection_displacement(perp_projection *p, const double *z);

#endif
