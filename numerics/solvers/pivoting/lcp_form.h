/* SPDX-License-Identifier: BSD-3-Clause */
/* A problem of FREE, NONNEG and BOX rows as one dense mixed LCP
 *     y = A x + b,   x_i >= 0 perp y_i >= 0 (pairs),   y_i = 0 (free rows).
 * A box with two finite bounds gives two pairs: x = z - lo with its row, and
 * hi - z with the multiplier of the upper bound.  A box with one bound is
 * shifted and turned, one with none is free, one of width 0 is left out.
 * A and b are equilibrated by powers of two, so nothing is rounded. */
#ifndef PERP_SOLVERS_LCP_FORM_H
#define PERP_SOLVERS_LCP_FORM_H

#include "core/arena.h"
#include "problem/blocks.h"

typedef enum perp_lcp_kind { PERP_LCP_PAIR, PERP_LCP_SLACK, PERP_LCP_FREE } perp_lcp_kind;

typedef struct perp_lcp {
    int n;               /* rows of the problem */
    int size;            /* rows of the LCP */
    int boxes;           /* problem rows that are neither FREE nor NONNEG */
    unsigned char *kind; /* size: a perp_lcp_kind */
    int *origin;         /* size: row of the problem */
    double *sign;        /* size: 1, or -1 where x runs against z */
    double *shift;       /* n: z = shift + sign x */
    double *row_scale;   /* size: powers of two */
    double *col_scale;   /* size */
    double b_scale;      /* a power of two: |b| about 1 */
    double *a;           /* size x size, column-major, scaled */
    double *b;           /* size, scaled */
} perp_lcp;

/* Rows of the LCP of these blocks, or 0 with *status: PERP_ERR_UNSUPPORTED for blocks of
 * more rows, PERP_ERR_OVERFLOW. */
size_t perp_lcp_size(const perp_blocks *blocks, perp_status *status);
/* Bytes that perp_lcp_build() takes, rounding of the arena included. */
size_t perp_lcp_bytes(size_t size, size_t n);

/* Takes everything from the arena.  PERP_ERR_UNSUPPORTED for an operator. */
perp_status perp_lcp_build(perp_lcp *lcp, const perp_problem *problem, const perp_blocks *blocks,
                           perp_arena *arena);

/* z from scaled x. */
void perp_lcp_to_z(double *z, const perp_lcp *lcp, const double *x);
/* A direction: without the shift.  It keeps the scale of b. */
void perp_lcp_to_direction(double *z, const perp_lcp *lcp, const double *x);

/* Solves A_SS x_S = -b_S with refinement, S = the rows with on[i] != 0, other
 * entries of x zero.  lu: size x size, pivots: size ints, r, low: size doubles.
 * PERP_ERR_SINGULAR when A_SS is. */
perp_status perp_lcp_basic_solution(double *x, const perp_lcp *lcp, const unsigned char *on,
                                    double *lu, int *pivots, double *r, double *low);

#endif
