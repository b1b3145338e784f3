/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole solves from half ones (saddle_half.h): x = (L')^-1 D^-1 y of one group of right-hand sides,
 * on the places that the groups have.  Where many groups share long ways, as contacts along a
 * chain, that is less than all their products. */
#ifndef PERP_KERNEL_SADDLE_SPREAD_H
#define PERP_KERNEL_SADDLE_SPREAD_H

#include "kernel/step/saddle_half.h"

/* Begins as zeros. */
typedef struct perp_saddle_spread {
    perp_pool *pool;
    int *place; /* that some group has, ascending */
    int nplaces, stride;
    int *known; /* by place of the saddle system: columns of all groups there; then: x is not 0 */
    double *x;  /* by scalar of the permuted vector, stride each */
    int capacity_place, capacity_known, capacity_x;
} perp_saddle_spread;

/* Lists the places of the groups.  *products, *spreads: operations of the products of all groups,
 * and of whole solves for a column.  0 when memory is out. */
int perp_saddle_spread_begin(perp_saddle_spread *spread, perp_pool *pool,
                             const perp_saddle_half *half, const perp_saddle *saddle,
                             double *products, double *spreads);
/* Memory for groups of so many columns at most; 0 when it is out. */
int perp_saddle_spread_reserve(perp_saddle_spread *spread, const perp_saddle *saddle, int widest);

/* x of one group, whose places are among those that were listed. */
void perp_saddle_spread_make(perp_saddle_spread *spread, const perp_saddle_half *half,
                             const perp_saddle *saddle, int group);

/* The columns of x at one velocity of a system; NULL: they are 0. */
const double *perp_saddle_spread_row(const perp_saddle_spread *spread, const perp_saddle *saddle,
                                     const perp_system *s, int dof);

/* Gives its memory back to the pool. */
void perp_saddle_spread_free(perp_saddle_spread *spread);

#endif
