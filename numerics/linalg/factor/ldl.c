/* SPDX-License-Identifier: BSD-3-Clause */
/* Up-looking L D L' without pivoting (SuiteSparse LDL). */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <suitesparse/ldl.h>

#include "linalg/factor/factor.h"

/* A pivot below this share of the diagonal entry it came from is cancellation. */
static const double singular_share = 1e-15;

typedef struct ldl_state {
    perp_arena arena;
    int *p; /* the factor's */
    int *inverse, *lp, *parent, *lnz, *flag, *pattern, *li;
    double *lx, *d, *y;
} ldl_state;

static void ldl_destroy(perp_factor *factor)
{
    ldl_state *s = factor->state;
    if (!s)
        return;
    perp_arena_free(&s->arena);
    factor->allocator.release(factor->allocator.ctx, s);
    factor->state = NULL;
}

static perp_status take_vectors(ldl_state *s, size_t n)
{
    s->inverse = PERP_TAKE(&s->arena, int, n);
    s->lp = PERP_TAKE(&s->arena, int, n + 1);
    s->parent = PERP_TAKE(&s->arena, int, n);
    s->lnz = PERP_TAKE(&s->arena, int, n);
    s->flag = PERP_TAKE(&s->arena, int, n);
    s->pattern = PERP_TAKE(&s->arena, int, n);
    s->d = PERP_TAKE(&s->arena, double, n);
    s->y = PERP_TAKE(&s->arena, double, n);
    return s->arena.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static perp_status ldl_analyse(perp_factor *factor, const perp_csc *A)
{
    ldl_state *s = factor->allocator.allocate(factor->allocator.ctx, sizeof *s);
    if (!s)
        return PERP_ERR_MEMORY;
    factor->state = s;
    perp_arena_init(&s->arena, &factor->allocator);
    perp_status status = take_vectors(s, (size_t)A->cols);
    if (status != PERP_SOLVED)
        return status;
    if (factor->fill.nnz > INT_MAX)
        return PERP_ERR_OVERFLOW;
    s->p = factor->perm;
    ldl_symbolic(A->cols, A->colptr, A->row, s->lp, s->parent, s->lnz, s->flag, s->p, s->inverse);
    s->li = PERP_TAKE(&s->arena, int, s->lp[A->cols]);
    s->lx = PERP_TAKE(&s->arena, double, s->lp[A->cols]);
    return s->arena.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static double diagonal_entry(const perp_csc *A, int j)
{
    for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++)
        if (A->row[p] == j)
            return A->x[p];
    return 0.0;
}

static perp_status ldl_factorise(perp_factor *factor, const perp_csc *A)
{
    ldl_state *s = factor->state;
    int n = ldl_numeric(A->cols, A->colptr, A->row, A->x, s->lp, s->parent, s->lnz, s->li, s->lx,
                        s->d, s->y, s->pattern, s->flag, s->p, s->inverse);
    if (n < A->cols)
        return PERP_ERR_SINGULAR;
    for (int k = 0; k < n; k++) {
        double least = singular_share * fabs(diagonal_entry(A, s->p[k]));
        if (!(fabs(s->d[k]) > least) || isinf(s->d[k]))
            return PERP_ERR_SINGULAR;
    }
    return PERP_SOLVED;
}

static void ldl_solve(perp_factor *factor, double *x)
{
    ldl_state *s = factor->state;
    ldl_perm(factor->n, s->y, x, s->p);
    ldl_lsolve(factor->n, s->y, s->lp, s->li, s->lx);
    ldl_dsolve(factor->n, s->y, s->d);
    ldl_ltsolve(factor->n, s->y, s->lp, s->li, s->lx);
    ldl_permt(factor->n, x, s->y, s->p);
}

static void ldl_stats(const perp_factor *factor, perp_factor_stats *stats)
{
    stats->nnz = factor->fill.nnz;
    stats->flops = factor->fill.flops;
}

static void *copy(const void *from, size_t bytes, perp_arena *arena)
{
    void *to = perp_arena_take(arena, bytes, 1);
    if (to)
        memcpy(to, from, bytes);
    return to;
}

perp_status perp_factor_ldl_extract(perp_lu *lu, const perp_factor *factor, perp_arena *arena)
{
    const ldl_state *s = factor->state;
    size_t n = (size_t)factor->n, nnz = (size_t)s->lp[n];
    *lu = (perp_lu){.n = factor->n};
    lu->p = lu->q = copy(s->p, n * sizeof(int), arena);
    lu->lp = copy(s->lp, (n + 1) * sizeof(int), arena);
    lu->li = copy(s->li, nnz * sizeof(int), arena);
    lu->lx = copy(s->lx, nnz * sizeof(double), arena);
    lu->diagonal = copy(s->d, n * sizeof(double), arena);
    return lu->p && lu->lp && lu->li && lu->lx && lu->diagonal ? PERP_SOLVED : PERP_ERR_MEMORY;
}

static int ldl_sign(const perp_factor *factor)
{
    const ldl_state *s = factor->state;
    int sign = 1;
    for (int k = 0; k < factor->n; k++)
        sign = s->d[k] < 0.0 ? -sign : sign;
    return sign;
}

const perp_factor_type perp_factor_ldl = {"ldl",     ldl_analyse, ldl_factorise, ldl_solve,
                                          ldl_stats, ldl_destroy, ldl_sign};
