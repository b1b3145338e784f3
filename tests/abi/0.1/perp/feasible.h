/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear inequalities and equalities: a common point, or the proof that there is none.
 *
 *     A_i v + b_i >= 0  (rows of inequalities),   A_i v + b_i = 0  (rows of equalities),   v free
 *
 * have no common point if and only if there is y with y_i >= 0 on the inequalities, A'y = 0 and
 * b.y < 0 (Farkas).  With the y of the inequalities summing to 1, -b.y is at most
 *
 *     s* = min { s : A_i v + b_i + s >= 0, A_i v + b_i = 0 },
 *
 * the least by which all inequalities must give way together, and the best y attains it. */
#ifndef PERP_FEASIBLE_H
#define PERP_FEASIBLE_H

#include <perp/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Arrays are borrowed. */
typedef struct perp_linear_rows {
    size_t size; /* sizeof(perp_linear_rows) of the caller */
    int rows, cols;
    const int *colptr, *row; /* A by compressed columns, cols + 1 and colptr[cols] entries */
    const double *x;
    const double *b;               /* rows */
    const unsigned char *equality; /* rows, 1: an equality; NULL: none is */
    const double *noise;           /* rows, >= 0: by how much b may be off; NULL: 0 */
    const double *weight; /* cols, > 0: v is measured by sqrt(sum of weight v^2); NULL: 1 */
    const int *group;     /* cols: which columns belong together, numbered from 0; NULL: all */
} perp_linear_rows;

/* Figures of a proof, computed from the arrays alone. */
typedef struct perp_refutation {
    size_t size;   /* set by the caller */
    int holds;     /* 1: no row has a wrong sign, breach <= 1e-12 and value > 0 */
    double speed;  /* -b.y over the sum of y on the inequalities: at most s*.  Infinite where the
                      equalities alone contradict each other: no s helps them */
    double breach; /* the largest, over the groups, of |A'y| over the sum of |y_i| |A_i|, both in
                      the columns of the group and divided by the roots of their weights */
    double value;  /* -b.y - sum of |y_i| noise_i - 1e-12 sum of |b_i y_i| */
    double reach;  /* value / |A'y|: what satisfies the rows, if anything, is longer than this */
} perp_refutation;

/* Looks for a point or a proof: the projection of (0, 1) on the cone A v + b t >= 0 by an active
 * set ([LawsonHanson1974], ch. 23), and, where t is 0, by Newton's method in s the best proof.
 *   PERP_SOLVED      v satisfies the rows (to 1e-8 of their terms and the noise)
 *   PERP_INFEASIBLE  y is a proof, which was checked as below
 *   PERP_STALLED     neither was found, or it would take more than 4e9 operations
 * v (cols entries) and y (rows entries; its entries on inequalities sum to 1, or, where all of
 * those are 0, the largest is 1) may be NULL; they are 0 but for the status that they belong to.
 * figures (may be NULL): of y.  Errors: PERP_ERR_ARGUMENT, PERP_ERR_STRUCTURE, PERP_ERR_NONFINITE,
 * PERP_ERR_MEMORY. */
PERP_API perp_status perp_rows_feasible(const perp_linear_rows *rows,
                                        const perp_allocator *allocator, double *v, double *y,
                                        perp_refutation *figures);

/* Checks a proof, by code that shares nothing with the search.  Errors as above. */
PERP_API perp_status perp_refutation_check(const perp_linear_rows *rows, const double *y,
                                           const perp_allocator *allocator,
                                           perp_refutation *figures);

#ifdef __cplusplus
}
#endif
#endif
