/* SPDX-License-Identifier: BSD-3-Clause */
/* What rounding may hide in a residual, and the residual without that. */
#ifndef PERP_PROBLEM_ROUNDING_H
#define PERP_PROBLEM_ROUNDING_H

#include "problem/residual.h"

/* Doubles that perp_residual_sharpen() works in. */
size_t perp_rounding_work(const perp_mat *M);

/* A bound of what perp_rounding_bound() says, for any z, from what is known at once; 0: as there.
 */
double perp_rounding_at_most(const perp_problem *problem, const perp_blocks *blocks,
                             const perp_scaling *scaling);

/* The norms from all entries, and at_most by them; scaling->low is used. */
void perp_rounding_sharpen_norms(const perp_problem *problem, const perp_blocks *blocks,
                                 perp_scaling *scaling);

/* A bound of what the roundings of w = M z + q have changed in the two measures (natural, scaled)
 * and, third, in the dual part; z, w and the residuals as perp_residual_compute() left them.  A few
 * operations a row at most, but for the first call after a new matrix where its norm is not enough.
 * 0: not known (OPERATOR; a DELASSUS matrix whose mass has components of more than 12 unknowns). */
void perp_rounding_bound(double bound[3], const perp_problem *problem, const perp_blocks *blocks,
                         perp_scaling *scaling, const double *z, const double *w);

/* A bound of the third of them alone, with what is known at once: it divides by |q|, and z may be
 * larger than that by any factor.  0: as there. */
double perp_rounding_of_dual(const perp_problem *problem, const perp_scaling *scaling,
                             const double *z, const double *w);

/* w = M z + q again, in sums of twice the digits and rounded once, and the residuals with it.
 * bound: as above, becomes that of what may still be wrong.  No allocation. */
void perp_residual_sharpen(double bound[3], const perp_problem *problem, const perp_blocks *blocks,
                           const perp_scaling *scaling, const double *z, double *w,
                           perp_residuals *residuals);

#endif
