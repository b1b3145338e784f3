/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse LU (SuiteSparse KLU) with a symmetric ordering given and diagonal
 * pivots preferred; values that changed are factored again along the old
 * pivots as long as these stay good. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <suitesparse/klu.h>

#include "linalg/factor/factor.h"

/* A pivot below this share of its column's largest entry is cancellation. */
static const double singular_share = 1e-15;
/* Old pivots are given up when entries of U grew by this factor more than when
 * the pivots were chosen. */
static const double growth_share = 1e-3;

/* Diagonal pivots are preferred down to a thousandth of the largest one, which
 * costs digits: solutions are refined to this componentwise backward error. */
static const double backward_error = 1e-14;
enum { REFINEMENTS = 3 };

typedef struct klu_state {
    perp_arena arena;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
    double growth;  /* reciprocal pivot growth when the pivots were chosen */
    perp_csc A;     /* copy, for the refinement */
    double *b, *r;  /* n: right-hand side; residual, then correction */
    double *weight; /* n: |A| |x| + |b| */
} klu_state;

static void state_destroy(perp_factor *factor)
{
    klu_state *s = factor->state;
    if (!s)
        return;
    klu_free_numeric(&s->numeric, &s->common);
    klu_free_symbolic(&s->symbolic, &s->common);
    perp_arena_free(&s->arena);
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

static perp_status take_copy(klu_state *s, const perp_csc *A)
{
    size_t n = (size_t)A->cols, nz = (size_t)A->colptr[A->cols];
    s->A = *A;
    s->A.colptr = PERP_TAKE(&s->arena, int, n + 1);
    s->A.row = PERP_TAKE(&s->arena, int, nz);
    s->A.x = PERP_TAKE(&s->arena, double, nz);
    s->b = PERP_TAKE(&s->arena, double, n);
    s->r = PERP_TAKE(&s->arena, double, n);
    s->weight = PERP_TAKE(&s->arena, double, n);
    if (s->arena.failed)
        return PERP_ERR_MEMORY;
    memcpy(s->A.colptr, A->colptr, (n + 1) * sizeof(int));
    memcpy(s->A.row, A->row, nz * sizeof(int));
    return PERP_SOLVED;
}

static perp_status state_analyse(perp_factor *factor, const perp_csc *A)
{
    perp_allocator *memory = &factor->allocator;
    klu_state *s = memory->allocate(memory->ctx, sizeof *s);
    if (!s)
        return PERP_ERR_MEMORY;
    *s = (klu_state){.growth = 0.0};
    factor->state = s;
    perp_arena_init(&s->arena, memory);
    klu_defaults(&s->common);
    s->common.btf = 0;
    if (A->cols == 0)
        return PERP_SOLVED;

    if (take_copy(s, A) != PERP_SOLVED)
        return PERP_ERR_MEMORY;
    if (factor->fill.nnz > INT_MAX)
        return PERP_ERR_OVERFLOW;
    s->symbolic =
        klu_analyze_given(A->cols, A->colptr, A->row, factor->perm, factor->perm, &s->common);
    if (!s->symbolic)
        return status_of(s);
    s->symbolic->Lnz[0] = factor->fill.nnz; /* sizes the first allocation of L and U */
    return PERP_SOLVED;
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
    memcpy(s->A.x, A->x, (size_t)A->colptr[A->cols] * sizeof(double));
    if (!factor->repivot && s->numeric &&
        klu_refactor(A->colptr, A->row, A->x, s->symbolic, s->numeric, &s->common) &&
        s->common.status == KLU_OK && reciprocal_growth(s, A) >= growth_share * s->growth &&
        check_pivots(s, A) == PERP_SOLVED)
        return PERP_SOLVED;
    return choose_pivots(s, A);
}

/* r = b - A x; returns max |r_i| / (|A| |x| + |b|)_i. */
static double residual(klu_state *s, const double *x)
{
    const perp_csc *A = &s->A;
    double worst = 0.0;
    for (int i = 0; i < A->rows; i++) {
        s->r[i] = s->b[i];
        s->weight[i] = fabs(s->b[i]);
    }
    for (int j = 0; j < A->cols; j++) {
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
            double t = A->x[p] * x[j];
            s->r[A->row[p]] -= t;
            s->weight[A->row[p]] += fabs(t);
        }
    }
    for (int i = 0; i < A->rows; i++)
        if (s->r[i] != 0.0)
            worst = fmax(worst, fabs(s->r[i]) / s->weight[i]);
    return worst;
}

static void state_solve(perp_factor *factor, double *x)
{
    klu_state *s = factor->state;
    int n = factor->n;
    if (n == 0 || !s->numeric)
        return;
    memcpy(s->b, x, (size_t)n * sizeof(double));
    klu_solve(s->symbolic, s->numeric, n, 1, x, &s->common);
    double error = residual(s, x);
    for (int step = 0; step < REFINEMENTS && error > backward_error; step++) {
        double previous = error;
        klu_solve(s->symbolic, s->numeric, n, 1, s->r, &s->common);
        for (int i = 0; i < n; i++)
            x[i] += s->r[i];
        error = residual(s, x);
        if (!(error <= 0.5 * previous))
            break;
    }
}

static void state_stats(const perp_factor *factor, perp_factor_stats *stats)
{
    const klu_state *s = factor->state;
    stats->nnz = 2.0 * factor->fill.nnz - factor->n;
    stats->flops = 2.0 * factor->fill.flops;
    if (s->numeric) {
        stats->nnz = (double)s->numeric->lnz + (double)s->numeric->unz - factor->n;
        stats->flops = s->common.flops;
    }
}

/* Sign of a permutation; mark: n, overwritten. */
static int parity(const int *permutation, int n, double *mark)
{
    int sign = 1;
    for (int i = 0; i < n; i++)
        mark[i] = 0.0;
    for (int i = 0; i < n; i++) {
        if (mark[i] != 0.0)
            continue;
        for (int j = permutation[i]; j != i; j = permutation[j]) {
            mark[j] = 1.0;
            sign = -sign;
        }
    }
    return sign;
}

static int state_sign(const perp_factor *factor)
{
    const klu_state *s = factor->state;
    if (factor->n == 0 || !s->numeric)
        return factor->n == 0;
    const double *u = s->numeric->Udiag;
    int sign = parity(s->numeric->Pnum, factor->n, s->weight);
    sign *= parity(s->symbolic->Q, factor->n, s->weight);
    for (int k = 0; k < factor->n; k++)
        sign = u[k] < 0.0 ? -sign : sign;
    return sign;
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

const perp_factor_type perp_factor_klu = {"klu",       state_analyse, state_factorise, state_solve,
                                          state_stats, state_destroy, state_sign};
