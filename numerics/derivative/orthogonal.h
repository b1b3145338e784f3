/* SPDX-License-Identifier: BSD-3-Clause */
/* A = Q [T 0; 0 0] Z P' of a singular square matrix: columns chosen by what is left of them, Q and
 * Z products of reflections, T upper triangular.  Least-norm solutions and the null space, as of
 * singular values, for a small part of their cost. */
#ifndef PERP_DERIVATIVE_ORTHOGONAL_H
#define PERP_DERIVATIVE_ORTHOGONAL_H

#include "core/arena.h"

enum { PERP_ORTHOGONAL_WIDTH = 8 }; /* columns that are worked on together */

typedef struct perp_orthogonal {
    int n, rank;
    size_t stride;  /* of rows: n and some more, which are 0 */
    double *a;      /* rows: T, and beside it the reflections of Z */
    double *tails;  /* n x n, column by column: the reflections of Q below the diagonal */
    double *q, *z;  /* n each: their factors */
    int *column;    /* P */
    double *work;   /* 2 stride */
    double largest; /* first pivot, or what pivots are compared with */
    double rest;    /* Frobenius norm of what was dropped */
} perp_orthogonal;

perp_status perp_orthogonal_take(perp_orthogonal *o, int n, perp_arena *arena);
/* Of the matrix whose rows are in o->a, dropping what is below `singular` of its norm.  1: this is
 * the number of singular values above `singular` of the largest; 0: that is not certain. */
int perp_orthogonal_factor(perp_orthogonal *o, double singular);
/* The same of a part of a matrix, dropping what is below `singular` of `largest`; whether the rank
 * is certain is for the caller to say. */
void perp_orthogonal_drop(perp_orthogonal *o, double singular, double largest);
/* |A^+| is no larger. */
double perp_orthogonal_bound(const perp_orthogonal *o);
/* x = A^+ x, or its transpose. */
void perp_orthogonal_solve(const perp_orthogonal *o, double *x, int transposed);
/* An orthonormal base of the null space, in the first n - rank columns of n rows; the others are 0.
 * stride: of the rows, a multiple of PERP_ORTHOGONAL_WIDTH.  work: as large as they. */
void perp_orthogonal_nulls(const perp_orthogonal *o, double *rows, size_t stride, double *work);
/* The same of the transpose. */
void perp_orthogonal_left_nulls(const perp_orthogonal *o, double *rows, size_t stride);

#endif
