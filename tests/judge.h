/* SPDX-License-Identifier: BSD-3-Clause */
/* The measures recomputed from their definition in docs/theory.md, with
 * nothing of the library: dense loops in long double, projections by angles. */
#ifndef PERP_TESTS_JUDGE_H
#define PERP_TESTS_JUDGE_H

#include "stored.h"

/* All five numbers for z; w (n entries, may be NULL) receives M z + q. */
perp_residuals judge(const stored_problem *p, const double *z, double *w);

/* For an operator: all that is known of the blocks is their diagonal. */
perp_residuals judge_diagonal(const stored_problem *p, const double *z, double *w);

/* d of each block. */
void judge_scaling(const stored_problem *p, double *d);

#endif
