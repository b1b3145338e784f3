/* SPDX-License-Identifier: BSD-3-Clause */
/* A = P [L 0; M 1] [U V; 0 S] P' of a square matrix that may be singular: pivots from the diagonal
 * as long as they are large, and what is left, S, taken apart by reflections.  That gives a
 * generalised inverse A^-, with A A^- A = A and A^- A A^- = A^-; between projections off both null
 * spaces it is the pseudo-inverse. */
#ifndef PERP_DERIVATIVE_ELIMINATED_H
#define PERP_DERIVATIVE_ELIMINATED_H

#include "derivative/orthogonal.h"

typedef struct perp_eliminated {
    int n, steps, rank;
    size_t stride;        /* of rows: n and some more, which are 0 */
    double *a;            /* rows: L and M, U and V */
    int *order;           /* row i is order[i] of A */
    double *work;         /* stride */
    double largest;       /* of the entries on the diagonal */
    double rest;          /* Frobenius norm of what was dropped */
    perp_orthogonal last; /* S */
    /* Bases of the null spaces of A and A', rows in the order of L, and triangular factors of
     * their products with themselves, whose values are 1 or more. */
    size_t wide; /* stride of the bases */
    double *right, *left, *right_factor, *left_factor;
} perp_eliminated;

perp_status perp_eliminated_take(perp_eliminated *e, int n, perp_arena *arena);
/* Of the matrix whose rows are in e->a, dropping what is below `singular` of the largest. */
perp_status perp_eliminated_factor(perp_eliminated *e, double singular, perp_arena *arena);
/* x = A^+ x, or its transpose. */
void perp_eliminated_solve(const perp_eliminated *e, double *x, int transposed);
/* |A^-|, and so |A^+|, is no larger. */
double perp_eliminated_bound(const perp_eliminated *e);
/* A base of the null space, see perp_orthogonal_nulls(). */
void perp_eliminated_nulls(const perp_eliminated *e, double *rows, size_t stride);

#endif
