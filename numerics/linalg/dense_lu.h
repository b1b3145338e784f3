/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factors of a dense matrix with partial pivoting: our own kernel for small
 * orders, where a call of LAPACK costs more than its work, LAPACK above. */
#ifndef PERP_LINALG_DENSE_LU_H
#define PERP_LINALG_DENSE_LU_H

/* A (n x n, column-major, contiguous) becomes its factors; pivots: n.  0: a pivot is 0. */
int perp_dense_lu_factor(double *A, int *pivots, int n);
/* x = A^-1 x. */
void perp_dense_lu_solve(double *x, const double *lu, const int *pivots, int n);

#endif
