/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense LU with partial pivoting after scaling the rows.  The unblocked dgetf2
 * is used: its bits do not depend on the number of threads of the BLAS. */
#include <math.h>
#include <string.h>

#include <lapacke.h>

#include "linalg/factor/factor.h"

/* A pivot below this share of its column's largest entry is cancellation. */
static const double singular_share = 1e-15;

typedef struct lapack_state {
    perp_arena arena;
    double *lu, *scale, *largest; /* n x n; n: of rows; n: of the scaled columns */
    lapack_int *pivot;
} lapack_state;

static void lapack_destroy(perp_factor *factor)
{
    lapack_state *s = factor->state;
    if (!s)
        return;
    perp_arena_free(&s->arena);
    factor->allocator.release(factor->allocator.ctx, s);
    factor->state = NULL;
}

static perp_status lapack_analyse(perp_factor *factor, const perp_csc *A)
{
    size_t n = (size_t)A->cols;
    lapack_state *s = factor->allocator.allocate(factor->allocator.ctx, sizeof *s);
    if (!s)
        return PERP_ERR_MEMORY;
    factor->state = s;
    perp_arena_init(&s->arena, &factor->allocator);
    s->lu = PERP_TAKE(&s->arena, double, n *n);
    s->scale = PERP_TAKE(&s->arena, double, n);
    s->largest = PERP_TAKE(&s->arena, double, n);
    s->pivot = PERP_TAKE(&s->arena, lapack_int, n);
    return s->arena.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static perp_status scale_rows(lapack_state *s, const perp_csc *A)
{
    for (int i = 0; i < A->rows; i++)
        s->scale[i] = 0.0;
    for (int p = 0; p < A->colptr[A->cols]; p++)
        s->scale[A->row[p]] = fmax(s->scale[A->row[p]], fabs(A->x[p]));
    for (int i = 0; i < A->rows; i++) {
        if (s->scale[i] == 0.0)
            return PERP_ERR_SINGULAR;
        s->scale[i] = 1.0 / s->scale[i];
    }
    return PERP_SOLVED;
}

static perp_status lapack_factorise(perp_factor *factor, const perp_csc *A)
{
    lapack_state *s = factor->state;
    size_t n = (size_t)factor->n;
    if (scale_rows(s, A) != PERP_SOLVED)
        return PERP_ERR_SINGULAR;
    memset(s->lu, 0, n * n * sizeof(double));
    for (size_t j = 0; j < n; j++) {
        s->largest[j] = 0.0;
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
            double x = A->x[p] * s->scale[A->row[p]];
            s->lu[(size_t)A->row[p] + j * n] = x;
            s->largest[j] = fmax(s->largest[j], fabs(x));
        }
    }
    if (n > 0 && LAPACKE_dgetf2_work(LAPACK_COL_MAJOR, factor->n, factor->n, s->lu, factor->n,
                                     s->pivot) != 0)
        return PERP_ERR_SINGULAR;
    for (size_t j = 0; j < n; j++) {
        double pivot = fabs(s->lu[j + j * n]);
        if (!(pivot > singular_share * s->largest[j]) || isinf(pivot))
            return PERP_ERR_SINGULAR;
    }
    return PERP_SOLVED;
}

static void lapack_solve(perp_factor *factor, double *x)
{
    lapack_state *s = factor->state;
    if (factor->n == 0)
        return;
    for (int i = 0; i < factor->n; i++)
        x[i] *= s->scale[i];
    LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', factor->n, 1, s->lu, factor->n, s->pivot, x,
                        factor->n);
}

static int lapack_sign(const perp_factor *factor)
{
    const lapack_state *s = factor->state;
    size_t n = (size_t)factor->n;
    int sign = 1;
    for (size_t j = 0; j < n; j++) {
        sign = s->pivot[j] != (lapack_int)j + 1 ? -sign : sign;
        sign = s->lu[j + j * n] < 0.0 ? -sign : sign;
    }
    return sign;
}

static void lapack_stats(const perp_factor *factor, perp_factor_stats *stats)
{
    double n = factor->n;
    stats->nnz = n * n;
    stats->flops = 2.0 / 3.0 * n * n * n;
}

const perp_factor_type perp_factor_lapack = {"lapack",     lapack_analyse, lapack_factorise,
                                             lapack_solve, lapack_stats,   lapack_destroy,
                                             lapack_sign};
