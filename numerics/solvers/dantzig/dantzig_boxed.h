/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows lo <= z <= hi of a dense matrix, -w in N(z) with w = M z + q, and the parts of `dantzig`
 * that work on them.  FREE rows have infinite bounds, NONNEG rows lo = 0.
 *
 * Rows of F have w = 0 and a factor of M_FF; every other row stays where it is, at a bound as a
 * rule, within its bounds where its column depends on those of F. */
#ifndef PERP_SOLVERS_DANTZIG_DANTZIG_BOXED_H
#define PERP_SOLVERS_DANTZIG_DANTZIG_BOXED_H

#include "handle/solver_type.h"
#include "linalg/dense_ldl.h"

enum { PERP_SIDE_IN, PERP_SIDE_LOWER, PERP_SIDE_UPPER };

typedef struct perp_boxed {
    int n, count;        /* rows; those in F */
    const double *a;     /* M by columns: the problem's own array or `copy` */
    size_t ld;           /* of a */
    double *copy;        /* n x n, NULL where M is dense */
    const double *q, *d; /* d: work->scaling.d */
    double *z, *w;       /* n: work->z; M z + q, kept current */
    double *lo, *hi;     /* n */
    double *inverse;     /* n: 1 / M_ii, 0 where M_ii <= 0 */
    double *start;       /* n: where the pivots start, in the bounds */
    double *x, *y;       /* n each: right-hand sides and directions in F */
    int *row;            /* n: rows of F, in the order of the factor */
    unsigned char *side; /* n: in the block phase, IN for rows of F */
    perp_dense_ldl ldl;
    int *pivots; /* n: of the unsymmetric factor, which takes ldl.l */
    int iteration;
} perp_boxed;

/* Bytes of everything but the struct; SIZE_MAX where that is too much. */
size_t perp_boxed_bytes(size_t n, int copied);
void perp_boxed_place(perp_boxed *b, size_t n, int copied, void *memory);
/* Reads M, which perp_boxed_place() knew by its kind.  work->scratch is used. */
perp_status perp_boxed_load(perp_boxed *b, perp_work *work);
/* Bounds, diagonal and q; z into its bounds and w = M z + q there. */
void perp_boxed_begin(perp_boxed *b, perp_work *work);
/* w = M z + q from scratch; overwrites pivots and x. */
void perp_boxed_multiply(perp_boxed *b);
/* w += M(:, row[k]) by[k], k < count. */
void perp_boxed_move(perp_boxed *b, const int *row, const double *by, int count);
/* 1: M_ij and M_ji differ by rounding alone. */
int perp_boxed_is_symmetric(const perp_boxed *b);
/* Error of work->z, after one step of refinement by the present factor of M_FF where that helps;
 * work->w is M z + q. */
double perp_boxed_polish(perp_boxed *b, perp_work *work, double error);

/* Whole sets at once: sweeps of projected Gauss-Seidel, then the primal-dual active set method
 * (blocks.c).  1: work->z is measured, *error, and its signs ask for no other set.  0: pivots are
 * needed, and b->start lies in the bounds; or a limit was met (the monitor's verdict). */
int perp_boxed_blocks(perp_boxed *b, perp_work *work, double *error);

/* One row after the other from b->start (pivots.c).  PERP_SOLVED: work->z meets all signs to
 * rounding.  PERP_INFEASIBLE with its certificate, PERP_STALLED, or what perp_stop_light() says. */
perp_status perp_boxed_pivots(perp_boxed *b, perp_work *work, double error);

/* Unsymmetric M: whole sets with an LU factor each, one row at a time by Murty's rule where that
 * does not settle (unsymmetric.c).  1: work->z is measured and its signs ask for no other set. */
int perp_boxed_unsymmetric(perp_boxed *b, perp_work *work, double *error);

#endif
