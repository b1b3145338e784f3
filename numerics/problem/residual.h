/* SPDX-License-Identifier: BSD-3-Clause */
/* The measures of docs/theory.md, written only here. */
#ifndef PERP_PROBLEM_RESIDUAL_H
#define PERP_PROBLEM_RESIDUAL_H

#include <stdint.h>

#include <perp/problem.h>

#include "problem/blocks.h"

typedef struct perp_scaling {
    double *d;       /* blocks.count positive numbers; NULL: the scaled measure does not exist */
    int substituted; /* blocks whose d came from neighbours or is 1 */
    double norm[2];  /* Frobenius norms of |M| and D^-1 |M| D^-1, or more; see rounding.h */
    int sharp;       /* 1: these are from all entries, 0: from what was known at once */
    double terms;    /* products that an entry of w is summed from, at most; 0: not counted */
    double at_most;  /* perp_rounding_at_most() */
    double *low; /* workspace of bounds, or of a product: perp_mat_scratch(M) doubles, or more */
} perp_scaling;

/* Takes d and low (and nothing else) from the arena; temporary memory comes from the
 * arena's allocator.  For an operator without diagonal d is NULL.  Writes the lengths of ROLLING
 * blocks. */
perp_status perp_scaling_build(perp_scaling *scaling, const perp_problem *problem,
                               perp_blocks *blocks, perp_arena *arena);
/* Same array, new numbers. */
perp_status perp_scaling_update(perp_scaling *scaling, const perp_problem *problem,
                                perp_blocks *blocks, const perp_allocator *allocator);

/* w = M z + q and the residuals.  scratch: perp_mat_scratch(&problem->M)
 * doubles.  No allocation (blocks of more than 6 rows work in place). */
perp_status perp_residual_compute(const perp_problem *problem, const perp_blocks *blocks,
                                  const perp_scaling *scaling, const double *z, double *w,
                                  double *scratch, perp_residuals *residuals);

/* The same on so many threads, with the same bits.  touched: of perp_mat_find_touched(), or NULL.
 */
perp_status perp_residual_compute_on(int threads, const uint32_t *touched,
                                     const perp_problem *problem, const perp_blocks *blocks,
                                     const perp_scaling *scaling, const double *z, double *w,
                                     double *scratch, perp_residuals *residuals);

/* Residuals for a given w; nothing is recomputed. */
void perp_residual_given_w(const perp_problem *problem, const perp_blocks *blocks,
                           const perp_scaling *scaling, const double *z, const double *w,
                           perp_residuals *residuals);

/* What blocks add to the two measures, squared: [0] natural, [1] scaled (of no meaning where
 * there is no scaling). */
typedef struct perp_residual_squares {
    double map[2], z[2], w[2], q[2];
} perp_residual_squares;

/* sum += one. */
void perp_residual_add(perp_residual_squares *sum, const perp_residual_squares *one);
/* What the measure (0 natural, 1 scaled) divides by, squared. */
double perp_residual_base(const perp_residual_squares *sum, int measure);

/* Of one block; there is a scaling. */
void perp_residual_of_block(perp_residual_squares *squares, const perp_problem *problem,
                            const perp_blocks *blocks, const perp_scaling *scaling, int block,
                            const double *z, const double *w);

#endif
