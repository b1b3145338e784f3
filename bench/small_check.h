/* SPDX-License-Identifier: BSD-3-Clause */
/* What bench/small_problems knows of a small problem without any solver: the error of an answer,
 * and whether a solution exists. */
#ifndef PERP_BENCH_SMALL_CHECK_H
#define PERP_BENCH_SMALL_CHECK_H

#include "generators/small_problem.h"

/* The natural residual of z, recomputed in long double and without the library;
 * *product receives max |w - (M z + q)| over max(|q|, |z|, |w|).  NaN where z or w is
 * not finite. */
double small_error(const small_problem *p, const double *z, const double *w, double *product);

/* 1 where a solution is known to exist: it was planted; or some v gives H' v + w inside the dual
 * cone ([AcaryEtAl2011]), seen by solving the convex problem with q_N a
 * little lower.  Impacts with restitution and friction in a packing often have no such v.  Linear
 * problems of up to SMALL_ENUMERATED rows are enumerated. */
int small_exists(const small_problem *p);

#endif
