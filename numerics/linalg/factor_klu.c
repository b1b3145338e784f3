/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse LU (SuiteSparse KLU) with a symmetric ordering given and diagonal
 * pivots preferred; values that changed are factored again along the old
 * pivots as long as these stay good. */
#include <limits.h>
#include <math.h>

#include <suitesparse/klu.h>

#include "linalg/ordering.h"

/* A pivot below this share of its column's largest entry is cancellation. */
static const double singular_share = 1e-15;
/* Old pivots are given up when entries of U grew by this factor more than when
 * the pivots were chosen. */
static const double growth_share = 1e-3;

typedef struct klu_state {
    perp_fill fill;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double growth;   /* reciprocal pivot growth when the pivots were chosen */
    double *largest; /* n: of the scaled columns */
} klu_state;

static void state_destroy(perp_factor *factor)
{
    klu_state *s = factor->state;
    if (!s)
        return;
    klu_free_numeric(&s->numeric, &s->common);
    klu_free_symbolic(&s->symbolic, &s->common);
    factor->allocator.release(factor->allocator.ctx, s->largest);
    factor->allocator.release(factor->allocator.ctx, s);
    factor->state = NULL;
}

static perp_status status_of(const klu_state *s)
{
    switch (s->common.status) {
    case KLU_SINGULAR:
        return PERP_ERR_SINGULAR;
    case KLU_OUT_OF_MEMORY:
        return PERP_ERR_MEMORY;
    case KLU_TOO_LARGE:
        return PERP_ERR_OVERFLOW;
    case KLU_OK:
        return PERP_SOLVED;
    default:
        return PERP_ERR_STRUCTURE;
    }
}

static perp_status state_analyse(perp_factor *factor, const perp_csc *A)
{
    perp_allocator *memory = &factor->allocator;
    klu_state *s = memory->allocate(memory->ctx, sizeof *s);
    if (!s)
        return PERP_ERR_MEMORY;
    *s = (klu_state){.growth = 0.0};
    factor->state = s;
    klu_defaults(&s->common);
    s->common.btf = 0;
    if (A->cols == 0)
        return PERP_SOLVED;

    size_t n = (size_t)A->cols;
    s->largest = memory->allocate(memory->ctx, n * sizeof(double));
    int *perm = memory->allocate(memory->ctx, n * sizeof(int));
    perp_status status = s->largest && perm ? PERP_SOLVED : PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = perp_order(perm, &s->fill, A, factor->ordering, memory);
    if (status == PERP_SOLVED && s->fill.nnz > INT_MAX)
        status = PERP_ERR_OVERFLOW;
    if (status == PERP_SOLVED) {
        s->symbolic = klu_analyze_given(A->cols, A->colptr, A->row, perm, perm, &s->common);
        if (s->symbolic)
            s->symbolic->Lnz[0] = s->fill.nnz; /* sizes the first allocation of L and U */
        else
            status = status_of(s);
    }
    memory->release(memory->ctx, perm);
    return status;
}

/* Compares each pivot with its column of the scaled matrix. */
static perp_status check_pivots(const klu_state *s, const perp_csc *A)
{
    const double *u = s->numeric->Udiag, *scale = s->numeric->Rs;
    const int *inverse = s->numeric->Pinv;
    for (int k = 0; k < A->cols; k++) {
        double largest = 0.0;
        int j = s->symbolic->Q[k];
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++)
            largest = fmax(largest, fabs(A->x[p] / scale[inverse[A->row[p]]]));
        if (!(fabs(u[k]) > singular_share * largest) || isinf(u[k]))
            return PERP_ERR_SINGULAR;
    }
    return PERP_SOLVED;
}

static double reciprocal_growth(klu_state *s, const perp_csc *A)
{
    klu_rgrowth(A->colptr, A->row, A->x, s->symbolic, s->numeric, &s->common);
    return s->common.rgrowth;
}

static perp_status choose_pivots(klu_state *s, const perp_csc *A)
{
    klu_free_numeric(&s->numeric, &s->common);
    s->numeric = klu_factor(A->colptr, A->row, A->x, s->symbolic, &s->common);
    if (!s->numeric || s->common.status != KLU_OK) {
        perp_status status = status_of(s);
        klu_free_numeric(&s->numeric, &s->common);
        return status;
    }
    s->growth = reciprocal_growth(s, A);
    klu_flops(s->symbolic, s->numeric, &s->common);
    return check_pivots(s, A);
}

static perp_status state_factorise(perp_factor *factor, const perp_csc *A)
{
    klu_state *s = factor->state;
    if (factor->n == 0)
        return PERP_SOLVED;
    if (s->numeric && klu_refactor(A->colptr, A->row, A->x, s->symbolic, s->numeric, &s->common) &&
        s->common.status == KLU_OK && reciprocal_growth(s, A) >= growth_share * s->growth &&
        check_pivots(s, A) == PERP_SOLVED)
        return PERP_SOLVED;
    return choose_pivots(s, A);
}

static void state_solve(perp_factor *factor, double *x)
{
    klu_state *s = factor->state;
    if (factor->n > 0 && s->numeric)
        klu_solve(s->symbolic, s->numeric, factor->n, 1, x, &s->common);
}

static void state_stats(const perp_factor *factor, perp_factor_stats *stats)
{
    const klu_state *s = factor->state;
    stats->nnz = 2.0 * s->fill.nnz - factor->n;
    stats->flops = 2.0 * s->fill.flops;
    if (s->numeric) {
        stats->nnz = (double)s->numeric->lnz + (double)s->numeric->unz - factor->n;
        stats->flops = s->common.flops;
    }
}

/* klu_extract() stores the diagonals: dropped from L, moved apart from U. */
static void split_diagonal(int *ptr, int *index, double *x, double *diagonal, int n)
{
    int end = 0;
    for (int j = 0, p = 0; j < n; j++) {
        int stop = ptr[j + 1];
        ptr[j] = end;
        for (; p < stop; p++) {
            if (index[p] == j) {
                if (diagonal)
                    diagonal[j] = x[p];
            } else {
                index[end] = index[p];
                x[end++] = x[p];
            }
        }
    }
    ptr[n] = end;
}

perp_status perp_factor_klu_extract(perp_lu *lu, const perp_factor *factor, perp_arena *arena)
{
    const klu_state *s = factor->state;
    klu_common common = s->common;
    size_t n = (size_t)factor->n;
    size_t lnz = (size_t)s->numeric->lnz, unz = (size_t)s->numeric->unz;
    *lu = (perp_lu){.n = factor->n};
    lu->p = PERP_TAKE(arena, int, n);
    lu->q = PERP_TAKE(arena, int, n);
    lu->scale = PERP_TAKE(arena, double, n);
    lu->lp = PERP_TAKE(arena, int, n + 1);
    lu->li = PERP_TAKE(arena, int, lnz);
    lu->lx = PERP_TAKE(arena, double, lnz);
    lu->up = PERP_TAKE(arena, int, n + 1);
    lu->ui = PERP_TAKE(arena, int, unz);
    lu->ux = PERP_TAKE(arena, double, unz);
    lu->diagonal = PERP_TAKE(arena, double, n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    klu_extract(s->numeric, s->symbolic, lu->lp, lu->li, lu->lx, lu->up, lu->ui, lu->ux, NULL, NULL,
                NULL, lu->p, lu->q, lu->scale, NULL, &common);
    split_diagonal(lu->lp, lu->li, lu->lx, NULL, factor->n);
    split_diagonal(lu->up, lu->ui, lu->ux, lu->diagonal, factor->n);
    return PERP_SOLVED;
}

const perp_factor_type perp_factor_klu = {"klu",       state_analyse, state_factorise,
                                          state_solve, state_stats,   state_destroy};
