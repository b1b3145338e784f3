/* SPDX-License-Identifier: BSD-3-Clause */
/* One block of a convex set (s = 0) of any dimension: semismooth Newton on the
 * natural map, extragradient steps between, and for SOC a search along the
 * multiplier of the boundary. */
#ifndef PERP_LOCAL_CONVEX_H
#define PERP_LOCAL_CONVEX_H

#include "sets/set.h"

typedef struct perp_convex {
    const perp_set_type *set;
    const double *A, *b, *par;
    double norm; /* |A|_2 or a bound; positive */
    int dim;
    double shift; /* with centre not NULL, w = A z + b + shift (z - centre) */
    const double *centre;
} perp_convex;

/* Doubles of scratch that the calls below need. */
size_t perp_convex_scratch(int dim);

/* norm |z - P_K(z - w/norm)| / max(|b|, norm |z|, |w|).  work: 2 dim doubles. */
double perp_convex_error(const perp_convex *block, const double *z, double *work);

/* z: guess and answer; never worse than the guess.  Returns its error. */
double perp_convex_solve(double *z, const perp_convex *block, double *scratch);

/* SOC on its boundary: w = kappa (mu^2 z_N, -z_T), so (A - kappa diag(mu^2, -I)) z = -b;
 * every sign change of |z_T| - mu z_N over kappa > 0 is tried.  Returns the error
 * of z, which changes only for the better. */
double perp_soc_boundary(double *z, const perp_convex *block, double error, double *scratch);

/* M x = f by Gaussian elimination with row pivoting, in place: x in f, M destroyed.
 * Negligible pivots are replaced by eps max|M|. */
void perp_convex_eliminate(double *M, double *f, int n);

#endif
