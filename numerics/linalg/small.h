/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense kernels for small column-major matrices, contiguous (ld = rows). */
#ifndef PERP_LINALG_SMALL_H
#define PERP_LINALG_SMALL_H

#include <math.h>
#include <stddef.h>

/* Norms and products in a fixed order: the same bits on every run. */
double perp_dot(const double *x, const double *y, int n);
double perp_norm(const double *x, int n); /* no overflow for entries up to 1e300 */

/* y += A x and y += A' x, A is m x n. */
void perp_small_gemv(double *y, const double *A, const double *x, int m, int n);
void perp_small_gemtv(double *y, const double *A, const double *x, int m, int n);

/* inverse = A^-1, n <= 12, partial pivoting.  0: A is singular to working precision
 * (pivot <= n eps max|A|) and inverse is undefined. */
int perp_small_invert(double *inverse, const double *A, int n);

/* x = A^-1 b for n <= 12, partial pivoting.  Return as above. */
int perp_small_solve(double *x, const double *A, const double *b, int n);

/* L with A = L L', lower triangle, n <= 12; 0: not positive definite. */
int perp_small_cholesky(double *L, const double *A, int n);

/* Spectral norm |A|_2 of an n x n matrix, any n (exact to rounding for n <= 6,
 * Lanczos to 1e-10 above; beyond 1024 the bound sqrt(|A|_1 |A|_inf)). */
double perp_small_norm2(const double *A, int n);

/* Eigenvalues of a symmetric n x n matrix, n <= 6, ascending; Jacobi. */
void perp_small_eigenvalues(double *values, const double *A, int n);

#endif
