/* SPDX-License-Identifier: BSD-3-Clause */
/* Multifrontal LU of a sparse matrix whose pattern is (made) symmetric: rows with a common
 * pattern are eliminated together in small dense matrices ("fronts"), pivots are chosen inside
 * a front only.  [DuffReid1983]; [Liu1992]; fronts are merged as in [AshcraftGrimes1989].
 * It is meant for Newton's matrices, which are factorised very often: analysed once, rows may
 * be left out by a mask from one factorisation to the next, and nothing is allocated after
 * the analysis.  The same bits on every machine.
 *
 * Restricted pivots cost digits where the diagonal is bad: perp_front_solve() refines, and
 * says how good the answer is. */
#ifndef PERP_LINALG_FRONT_H
#define PERP_LINALG_FRONT_H

#include "linalg/csc.h"
#include "linalg/factor/factor.h"

typedef struct perp_front {
    int n, nodes, count;       /* rows; groups of rows that are eliminated together; fronts */
    const perp_csc *A;         /* pattern: borrowed */
    int full;                  /* 1: each column of A has all rows */
    int *node_ptr, *row;       /* nodes + 1; n: rows of a node, nodes in the order of elimination */
    int *pivot_ptr;            /* count + 1: nodes that are pivots of a front */
    int *update_ptr;           /* count + 1 */
    int *update;               /* nodes in the rest of a front */
    int *children;             /* count: contributions that a front takes from the stack */
    int *entry_ptr;            /* count + 1 */
    int *entry, *column;       /* entries of A by fronts: place in A, column */
    size_t *start;             /* count + 1: a front's pivot columns and rows in lu */
    size_t *index_start;       /* count + 1: its rows in index */
    double *lu;                /* per front: (s + u) x s pivot columns, then s x u pivot rows */
    int *index;                /* rows of A in the fronts of the last factorisation */
    int *order, *size;         /* count: pivots s and order s + u of each front, then */
    int *waiting;              /* fronts whose contributions are on the stack */
    int *swap, *where, *place; /* n: row exchanges; row of A in a front; row of a contribution */
    double *work, *stack;      /* a contribution; those that wait */
    double *largest, *local;   /* n: of the columns of A; vector in the order of a front */
    double *b, *r;             /* n: right-hand side, residual */
    double *weight, *sum;      /* n: |A| |x| + |b|, row sums of |A| */
    double nnz, flops;         /* of a factorisation without mask */
} perp_front;

/* Orders and analyses the pattern of A, which is borrowed as long as the front lives.  group
 * (A->cols numbers in 0 .. groups - 1, or NULL) names rows that are to be kept together;
 * without it neighbours with the same pattern are.  Rows of group -1 will be skipped by each
 * factorisation.  Memory from the arena. */
perp_status perp_front_analyse(perp_front *front, const perp_csc *A, const int *group, int groups,
                               perp_ordering_kind ordering, perp_arena *arena);
/* Factorises A without the rows and columns i with skip[i] (n, or NULL: none).
 * PERP_ERR_SINGULAR, PERP_ERR_NUMERICAL. */
perp_status perp_front_factorise(perp_front *front, const double *x, const unsigned char *skip);
/* Sign of the determinant of what was factorised. */
int perp_front_sign(const perp_front *front);
/* b becomes A^-1 b where no row is skipped; elsewhere b stays and counts as known: its
 * columns are carried to the right-hand side.  x are the values that were factorised.  Refines
 * until the backward error of rows is below `goal`, thrice at most; returns it. */
double perp_front_solve(perp_front *front, const double *x, const unsigned char *skip, double *b,
                        double goal);
/* b becomes A^-1 b by the factors alone, where no row was skipped: for those who see what is left
 * by themselves. */
void perp_front_solve_once(perp_front *front, double *b);

/* C -= A B, sizes m x k and k x n, column-major. */
void perp_front_product(double *C, size_t ldc, const double *A, size_t lda, const double *B,
                        size_t ldb, int m, int n, int k);
/* The first s columns of a front of order s + u: P (s + u) x s, U s x u, C u x u; L and U of
 * the pivots, and C becomes their contribution to the rest.  largest[k]: of the original
 * column k.  0: a pivot is missing. */
int perp_front_eliminate(double *P, double *U, double *C, int s, int u, int *swap,
                         const double *largest);

#endif
