/* SPDX-License-Identifier: BSD-3-Clause */
/* Factorisations of square systems behind one table of functions. */
#ifndef PERP_LINALG_FACTOR_H
#define PERP_LINALG_FACTOR_H

#include <perp/choices.h>

#include "core/arena.h"
#include "linalg/csc.h"
#include "linalg/factor/lu.h"

/* perp_factor_kind of <perp/choices.h>:
 *   LAPACK  dense LU, any matrix; n^2 doubles
 *   KLU     sparse LU, unsymmetric values
 *   LDL     sparse L D L', positive definite or quasi-definite only
 *   MUMPS   multifrontal, where configured
 *   FRONTS  multifrontal, our own: pivots inside fronts, else KLU */
enum { PERP_FACTOR_COUNT = PERP_FACTOR_FRONTS + 1 };

typedef struct perp_factor perp_factor;

/* Found by perp_order() for L D L'; an L U of the same pattern takes twice as
 * many flops. */
typedef struct perp_fill {
    double nnz; /* of L, with the diagonal */
    double flops;
} perp_fill;

typedef struct perp_factor_stats {
    double nnz;   /* entries of the factors */
    double flops; /* of one numeric factorisation, estimated by the analysis */
} perp_factor_stats;

typedef struct perp_factor_type {
    const char *name;
    /* Orders and analyses the pattern of A (values are not read). */
    perp_status (*analyse)(perp_factor *factor, const perp_csc *A);
    /* Numeric factorisation; values may have changed, the pattern not.  Reuses the
     * pivots of an earlier call when they are still good.  PERP_ERR_SINGULAR. */
    perp_status (*factorise)(perp_factor *factor, const perp_csc *A);
    /* x = A^-1 x in place.  No allocation. */
    void (*solve)(perp_factor *factor, double *x);
    void (*stats)(const perp_factor *factor, perp_factor_stats *stats);
    void (*destroy)(perp_factor *factor);
    /* Sign of the determinant of what was last factorised; NULL where it is not known. */
    int (*sign)(const perp_factor *factor);
} perp_factor_type;

struct perp_factor {
    const perp_factor_type *type;
    perp_allocator allocator;
    perp_ordering_kind ordering;
    int definite; /* the matrix will be symmetric quasi-definite */
    int repivot;  /* set by the user: the next numeric factorisation forgets old pivots, so
                     that a solve does not depend on the one before it; cleared by it */
    int n;
    int *perm;      /* n: the unknown eliminated at step k; not for dense LU */
    perp_fill fill; /* of that order */
    void *state;
};

/* NULL when this build has no such factorisation. */
const perp_factor_type *perp_factor_type_of(perp_factor_kind kind);

/* Creates, orders and analyses.  AUTO chooses by size, by density and by
 * `definite` (1: the matrix will be symmetric quasi-definite; all of A is given
 * in either case): dense LU for small or dense matrices, else LDL or fronts, and for
 * definite ones MUMPS where it is configured and the factorisation takes more than 2e9
 * flops.  MUMPS alone gives bits that depend on the number of threads of the BLAS.
 * PERP_ERR_UNSUPPORTED: this build has no such factorisation. */
perp_status perp_factor_create(perp_factor **factor, perp_factor_kind kind, perp_ordering_kind ordering,
                               int definite, const perp_csc *A, const perp_allocator *allocator);
perp_status perp_factor_numeric(perp_factor *factor, const perp_csc *A);
void perp_factor_solve(perp_factor *factor, double *x);
/* 1 or -1: the sign of the determinant after a numeric factorisation; 0: not known. */
int perp_factor_sign(const perp_factor *factor);
void perp_factor_stats_get(const perp_factor *factor, perp_factor_stats *stats);
void perp_factor_destroy(perp_factor *factor);

/* Copies the factors of KLU or LDL, after a numeric factorisation, into arrays
 * that can be shared by threads. */
perp_status perp_factor_klu_extract(perp_lu *lu, const perp_factor *factor, perp_arena *arena);
perp_status perp_factor_ldl_extract(perp_lu *lu, const perp_factor *factor, perp_arena *arena);

extern const perp_factor_type perp_factor_lapack, perp_factor_klu, perp_factor_ldl,
    perp_factor_mumps, perp_factor_fronts;

#endif
