/* SPDX-License-Identifier: BSD-3-Clause */
/* The iteration matrix W of one system, its factors and its storage: diagonal where
 * it can be, dense where small or where callbacks fill it, sparse for big linear systems. */
#ifndef PERP_KERNEL_ITERATION_H
#define PERP_KERNEL_ITERATION_H

#include <perp/matrix.h>

#include "kernel/systems/pool.h"

typedef enum perp_iteration_kind {
    PERP_ITERATION_DIAGONAL,
    PERP_ITERATION_DENSE,
    PERP_ITERATION_SPARSE
} perp_iteration_kind;

typedef struct perp_iteration {
    perp_iteration_kind kind;
    int n;
    double *a;         /* W: n, n x n column-major, or the CSC values */
    double *lu;        /* n reciprocals, or n x n factors; SPARSE: NULL */
    int *pivot;        /* n; DENSE only */
    int *colptr, *row; /* SPARSE only: union pattern of all terms */
    perp_mass *mass;   /* SPARSE only */
    double *scratch;   /* n; SPARSE only */
    perp_pool *pool;   /* where the factors of SPARSE come from */
} perp_iteration;

/* DIAGONAL or DENSE of order n; 0 when memory is out. */
int perp_iteration_create(perp_iteration *W, perp_iteration_kind kind, int n, perp_pool *pool);
/* SPARSE over the union pattern of `count` CSC or DENSE matrices and the diagonal. */
int perp_iteration_create_sparse(perp_iteration *W, const perp_mat *const *terms, int count, int n,
                                 perp_pool *pool);
void perp_iteration_free(perp_iteration *W, perp_pool *pool);

void perp_iteration_zero(perp_iteration *W);
/* a += scale * A for a matrix that fits the storage (DENSE, CSC; rows = 0: nothing). */
void perp_iteration_add(perp_iteration *W, const perp_mat *A, double scale);
/* The same for a diagonal (NULL: identity) and for n x n numbers, column-major. */
void perp_iteration_add_diagonal(perp_iteration *W, const double *d, double scale);
void perp_iteration_add_dense(perp_iteration *W, const double *A, double scale);
/* Factors what a holds.  PERP_ERR_SINGULAR: a pivot is 0 or not finite; *index its row. */
perp_status perp_iteration_factor(perp_iteration *W, int *index);
/* DENSE: the first k whose pivot is below least in magnitude, else -1. */
int perp_iteration_weak_pivot(const perp_iteration *W, double least);
/* x = W^-1 x for `columns` columns of length n, leading dimension n. */
void perp_iteration_solve(const perp_iteration *W, double *x, int columns);
double perp_iteration_diagonal(const perp_iteration *W, int i); /* W_ii, not of the factors */
int perp_iteration_entries(const perp_iteration *W); /* stored in a */
/* Appends the columns of W to a CSC matrix as its columns `first` and on, rows shifted by
 * `first`; colptr[first] is where they begin.  W itself, not its factors. */
void perp_iteration_append(const perp_iteration *W, int first, int *colptr, int *row, double *x);

#endif
