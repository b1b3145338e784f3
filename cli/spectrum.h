/* SPDX-License-Identifier: BSD-3-Clause */
/* The extreme singular values of a square matrix. */
#ifndef PERP_CLI_SPECTRUM_H
#define PERP_CLI_SPECTRUM_H

/* y = A x or, transposed 1, y = A' x. */
typedef void (*perp_apply_fn)(void *ctx, double *y, const double *x, int transposed);

typedef struct perp_spectrum {
    double largest;  /* from an estimate: bound from below */
    double smallest; /* from an estimate: bound from above, so that the condition number
                        is at least the quotient */
    int exact;       /* 1: all singular values were computed */
    int rank;        /* exact: singular values above n eps times the largest */
    int steps;       /* of the estimate */
} perp_spectrum;

/* All singular values by LAPACK, for n up to PERP_SPECTRUM_DENSE; a larger matrix
 * gets the estimate below.  Return as there. */
int perp_spectrum_compute(perp_spectrum *spectrum, int n, int steps, perp_apply_fn apply,
                          void *ctx);

enum { PERP_SPECTRUM_DENSE = 800 };

/* At most `steps` steps of the bidiagonalisation of [GolubKahan1965] from a
 * fixed start, without reorthogonalisation; the singular values of the
 * bidiagonal matrix by bisection on the tridiagonal matrix of order 2 steps
 * with zero diagonal.  0: no memory or n < 1. */
int perp_spectrum_estimate(perp_spectrum *spectrum, int n, int steps, perp_apply_fn apply,
                           void *ctx);

#endif
