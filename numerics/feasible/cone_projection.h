/* SPDX-License-Identifier: BSD-3-Clause */
/* The projection of e = (0, .., 0, 1) on the cone { x : a_i.x >= 0, a_i.x = 0 on equalities }, with
 * unit vectors a_i in their first m entries:
 *
 *     x = e + sum of y_i a_i,   y_i >= 0 on inequalities, perpendicular to a_i.x
 *
 * ([LawsonHanson1974], algorithms NNLS and LDP).  |x| = 0: y proves that no x has x_m > 0. */
#ifndef PERP_FEASIBLE_CONE_PROJECTION_H
#define PERP_FEASIBLE_CONE_PROJECTION_H

#include "core/arena.h"

typedef struct perp_row_cone {
    int n, m;             /* vectors, and entries of each but for the last */
    const int *ptr, *col; /* the first m entries by rows */
    const double *a;      /* likewise */
    const double *last;   /* n */
    const double *noise;  /* n: of `last` */
    const unsigned char *equality;

    int p, capacity;   /* vectors in the passive set, and how many there is space for */
    int *passive;      /* capacity */
    double *Q, *R;     /* (m + 1) x capacity, capacity x capacity: their QR factors */
    double *y, *trial; /* capacity: coefficients */
    unsigned char *in; /* n: 1 in the passive set, 2 left alone for this round */
    double *x;         /* m + 1 */
    double work, most; /* operations so far, and at most */
    perp_arena *arena;
} perp_row_cone;

typedef enum perp_row_cone_end {
    PERP_ROW_CONE_POINT,   /* x is the projection */
    PERP_ROW_CONE_NOTHING, /* x is 0 */
    PERP_ROW_CONE_LIMIT,
    PERP_ROW_CONE_NO_MEMORY
} perp_row_cone_end;

/* The arrays of the passive set; ptr .. equality, n, m and most are set. */
int perp_row_cone_take(perp_row_cone *cone, perp_arena *arena);
perp_row_cone_end perp_row_cone_project(perp_row_cone *cone);

#endif
