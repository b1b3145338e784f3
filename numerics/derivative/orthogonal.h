/* SPDX-License-Identifier: BSD-3-Clause */
/* A = Q [T 0; 0 0] Z P' of a singular square matrix: columns chosen by what is left of them, Q and
 * Z products of reflections, T upper triangular.  Least-norm solutions and the null space, as of
 * singular values, for a small part of their cost. */
#ifndef PERP_DERIVATIVE_ORTHOGONAL_H
#define PERP_DERIVATIVE_ORTHOGONAL_H

#include "core/arena.h"

typedef struct perp_orthogonal {
    int n, rank;
    double *a;      /* n x n, row by row: T, and beside it the reflections of Z */
    double *tails;  /* n x n, column by column: the reflections of Q below the diagonal */
    double *q, *z;  /* n each: their factors */
    int *column;    /* P */
    double *work;   /* 2 n */
    double largest; /* first pivot */
    double rest;    /* Frobenius norm of what was dropped */
} perp_orthogonal;

perp_status perp_orthogonal_take(perp_orthogonal *o, int n, perp_arena *arena);
/* Of the matrix whose rows are in o->a, dropping what is below `singular` of its norm.  1: this is
 * the number of singular values above `singular` of the largest; 0: that is not certain. */
int perp_orthogonal_factor(perp_orthogonal *o, double singular);
/* x = A^+ x, or its transpose. */
void perp_orthogonal_solve(const perp_orthogonal *o, double *x, int transposed);
/* n rows of n - rank numbers: an orthonormal base of the null space is in the columns.  work: as
 * many. */
void perp_orthogonal_nulls(const perp_orthogonal *o, double *rows, double *work);

#endif
