/* SPDX-License-Identifier: BSD-3-Clause */
/* A = L D L' of a dense symmetric matrix without pivoting, L unit lower triangular, and its change
 * by one row and column: appended at the end (a triangular solve) or removed anywhere (a rank-one
 * update, [GillEtAl1974], method C1).  The sums have a fixed order. */
#ifndef PERP_LINALG_DENSE_LDL_H
#define PERP_LINALG_DENSE_LDL_H

#include <stddef.h>

typedef struct perp_dense_ldl {
    int m;          /* rows of A at present */
    size_t ld;      /* most rows, rounded up to whole panels */
    double *l;      /* ld x ld, column-major; above the diagonal and on it: of no meaning */
    double *d;      /* ld: the pivots */
    double *packed; /* capacity */
} perp_dense_ldl;

enum { PERP_LDL_PANEL = 8 };

/* Bytes for up to n rows; SIZE_MAX where they are too many to count. */
size_t perp_dense_ldl_bytes(size_t n);
/* Empty, in memory of so many bytes aligned for doubles. */
void perp_dense_ldl_place(perp_dense_ldl *ldl, size_t n, void *memory);

/* On entry l holds column j of A from row j - j % PERP_LDL_PANEL on, and zeros to the end of the
 * last panel.  Stops before the first pivot
 * that is not above `share` of its diagonal entry; returns the rows done, which are the factors of
 * that leading block. */
int perp_dense_ldl_factor(perp_dense_ldl *ldl, int m, double share);
/* x = A^-1 x. */
void perp_dense_ldl_solve(const perp_dense_ldl *ldl, double *x);
/* x = L'^-1 D^-1 x, the second half of that. */
void perp_dense_ldl_finish(const perp_dense_ldl *ldl, double *x);
/* For a new row and column (c, diagonal): y becomes L^-1 c; returns the pivot that it would have.
 * y may be c. */
double perp_dense_ldl_pivot(const perp_dense_ldl *ldl, double *y, const double *c, double diagonal);
/* Appends it, given both; m < ld. */
void perp_dense_ldl_append(perp_dense_ldl *ldl, const double *y, double pivot);
/* Removes row and column p.  0: a pivot vanished or is not finite (never where all are positive),
 * and the factors are lost. */
int perp_dense_ldl_remove(perp_dense_ldl *ldl, int p);

#endif
