/* SPDX-License-Identifier: BSD-3-Clause */
/* Half solves with the factors of a saddle system, for right-hand sides that are 0 outside a few
 * systems.  With K = L D L' (saddle.h) and y = L^-1 (b, 0)
 *
 *     b' (the part of K^-1 on the systems) c = sum of y_b y_c / D
 *
 * over the places that both have: those on the ways from their systems to the root of the tree of
 * elimination.  In a tree of joints that is the operational-space inertia at the cost of the depth
 * of the tree ([Featherstone2008]); nothing is refined, see perp_saddle_is_exact(). */
#ifndef PERP_KERNEL_SADDLE_HALF_H
#define PERP_KERNEL_SADDLE_HALF_H

#include "kernel/step/saddle.h"

/* Begins as zeros; groups of right-hand sides with the places and numbers of each. */
typedef struct perp_saddle_half {
    perp_pool *pool;
    int groups, nplaces, nnumbers;
    int *first;     /* by group: in place and at */
    int *columns;   /* by group */
    int *place;     /* ascending in each group */
    int *at;        /* of the numbers of each of these: width x columns, by rows (of 4 for 3) */
    double *number; /* y */
    double *scaled; /* y / D */
    int *index;     /* by place of the saddle system: in the present group; work */
    int capacity_first, capacity_columns, capacity_place, capacity_at, capacity_number,
        capacity_scaled, capacity_index;
} perp_saddle_half;

/* Forgets all groups. */
void perp_saddle_half_begin(perp_saddle_half *half, perp_pool *pool);

/* Adds the group of the right-hand sides left[from..from + columns - 1][.] of some systems, left as
 * in perp_link with `rows` rows; systems without joints are passed over.  0 when memory is out. */
int perp_saddle_half_add(perp_saddle_half *half, const perp_saddle *saddle,
                         perp_system *const *systems, int nsystems, const double *left, int rows,
                         int from, int columns);

/* block (columns of a x columns of b, leading dimension ld) += the product of two groups. */
void perp_saddle_half_product(double *block, int ld, const perp_saddle_half *half,
                              const perp_saddle *saddle, int a, int b);

/* Gives its memory back to the pool. */
void perp_saddle_half_free(perp_saddle_half *half);

#endif
