/* SPDX-License-Identifier: BSD-3-Clause */
/* Triangular factors that own their arrays (in an arena) and are only read
 * when solving, so that several threads may share them. */
#ifndef PERP_LINALG_LU_H
#define PERP_LINALG_LU_H

#include "core/arena.h"

/* (A / scale)(p, q) = L U, L with unit diagonal (not stored).  With up NULL it
 * is A(p, p) = L D L', D the diagonal. */
typedef struct perp_lu {
    int n;
    int *p, *q;    /* q = p for L D L' */
    double *scale; /* divisor of row p[k] at k, or NULL */
    int *lp, *li;  /* n + 1, lp[n]: strict lower triangle by columns */
    double *lx;
    int *up, *ui; /* strict upper triangle by columns */
    double *ux;
    double *diagonal; /* n, of U or D */
} perp_lu;

/* x[at[i]] = (A^-1 b(at))_i; at is NULL for 0, 1, ...  x and b may be the same
 * array; work has n doubles. */
void perp_lu_solve_at(double *x, const perp_lu *lu, const double *b, const int *at, double *work);
/* The same with the transpose of A. */
void perp_lu_solve_transposed(double *x, const perp_lu *lu, const double *b, const int *at,
                              double *work);

#endif
