/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factors of a matrix of few unknowns in their own order.  Rows are scaled to a largest entry of
 * 1, and exchanged where the entry on the diagonal is small.  Zeros are left out: of a chain of
 * bodies little fills in. */
#ifndef PERP_KERNEL_SMALL_LU_H
#define PERP_KERNEL_SMALL_LU_H

#include <perp/base.h>

enum { PERP_SMALL_LU_MOST = 64 }; /* unknowns; more are for factors with an ordering */

typedef struct perp_small_lu {
    int n;
    int *row;           /* n: of the matrix, which became row k */
    int *start, *upper; /* n + 1, n: row k of L, and from upper[k] on of U, both off the diagonal */
    int *column;        /* entries */
    double *x;          /* entries */
    double *scale, *pivot; /* n: of row k */
} perp_small_lu;

/* A (n x n, row by row) becomes its factors, row and scale (n) those of perp_small_lu.  At
 * least as many as its entries off the diagonal; -1: singular, or not finite. */
int perp_small_lu_eliminate(double *A, int n, int *row, double *scale);
/* How much memory so many entries take, and the factors in it; row and scale as above. */
int perp_small_lu_integers(int n, int entries);
int perp_small_lu_numbers(int n, int entries);
void perp_small_lu_pack(perp_small_lu *lu, const double *A, int n, const int *row,
                        const double *scale, int *integers, double *numbers);
/* x = A^-1 x and x = A^-T x; work: n. */
void perp_small_lu_solve(const perp_small_lu *lu, double *x, double *work);
void perp_small_lu_solve_transposed(const perp_small_lu *lu, double *x, double *work);
/* out = A^-T x for n x count numbers, row by row; x is used up. */
void perp_small_lu_solve_rows(const perp_small_lu *lu, double *out, double *x, int count);

#endif
