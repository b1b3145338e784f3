/* SPDX-License-Identifier: BSD-3-Clause */
/* The fronts of front.h as a factorisation.  What they cannot do well goes to KLU, for good
 * until the next set of values. */
#include <math.h>
#include <string.h>

#include "linalg/factor/front.h"

static const double error_goal = 1e-14, error_limit = 1e-12;

typedef struct fronts_state {
    perp_arena arena;
    perp_front front;
    perp_csc A;        /* copy, for the refinement and the other factorisation */
    double *b, *scale; /* n: right-hand side; 1 / largest of each row, as a power of two */
    perp_factor *klu;  /* NULL until it is needed */
    int given_up;      /* of these values */
} fronts_state;

static void fronts_destroy(perp_factor *factor)
{
    fronts_state *s = factor->state;
    if (!s)
        return;
    perp_factor_destroy(s->klu);
    perp_arena_free(&s->arena);
    factor->allocator.release(factor->allocator.ctx, s);
    factor->state = NULL;
}

static perp_status fronts_analyse(perp_factor *factor, const perp_csc *A)
{
    size_t n = (size_t)A->cols, nz = (size_t)A->colptr[n];
    fronts_state *s = factor->allocator.allocate(factor->allocator.ctx, sizeof *s);
    if (!s)
        return PERP_ERR_MEMORY;
    *s = (fronts_state){.given_up = 0};
    factor->state = s;
    perp_arena_init(&s->arena, &factor->allocator);
    s->A = *A;
    s->A.colptr = PERP_TAKE(&s->arena, int, n + 1);
    s->A.row = PERP_TAKE(&s->arena, int, nz);
    s->A.x = PERP_TAKE(&s->arena, double, nz);
    s->b = PERP_TAKE(&s->arena, double, n);
    s->scale = PERP_TAKE(&s->arena, double, n);
    if (s->arena.failed)
        return PERP_ERR_MEMORY;
    memcpy(s->A.colptr, A->colptr, (n + 1) * sizeof(int));
    memcpy(s->A.row, A->row, nz * sizeof(int));
    return perp_front_analyse(&s->front, &s->A, NULL, 0, factor->ordering, &s->arena);
}

static perp_status other_factorisation(perp_factor *factor)
{
    fronts_state *s = factor->state;
    perp_status status = PERP_SOLVED;
    s->given_up = 1;
    if (!s->klu)
        status = perp_factor_create(&s->klu, PERP_FACTOR_KLU, factor->ordering, factor->definite,
                                    &s->A, &factor->allocator);
    if (status != PERP_SOLVED)
        return status;
    s->klu->repivot = 1;
    return perp_factor_numeric(s->klu, &s->A);
}

/* The copy of A with rows of about the same size, without rounding. */
static void scale_rows(fronts_state *s, const double *x)
{
    memset(s->scale, 0, (size_t)s->A.rows * sizeof(double));
    for (int p = 0; p < s->A.colptr[s->A.cols]; p++)
        s->scale[s->A.row[p]] = fmax(s->scale[s->A.row[p]], fabs(x[p]));
    for (int i = 0; i < s->A.rows; i++) {
        int exponent = 0;
        if (s->scale[i] > 0.0 && isfinite(s->scale[i]))
            frexp(s->scale[i], &exponent);
        s->scale[i] = ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
    }
    for (int p = 0; p < s->A.colptr[s->A.cols]; p++)
        s->A.x[p] = x[p] * s->scale[s->A.row[p]];
}

static perp_status fronts_factorise(perp_factor *factor, const perp_csc *A)
{
    fronts_state *s = factor->state;
    scale_rows(s, A->x);
    s->given_up = 0;
    perp_status status = perp_front_factorise(&s->front, s->A.x, NULL);
    return status == PERP_SOLVED ? status : other_factorisation(factor);
}

static void fronts_solve(perp_factor *factor, double *x)
{
    fronts_state *s = factor->state;
    size_t bytes = (size_t)factor->n * sizeof(double);
    for (int i = 0; i < factor->n; i++)
        x[i] *= s->scale[i];
    if (!s->given_up) {
        memcpy(s->b, x, bytes);
        if (perp_front_solve(&s->front, s->A.x, NULL, x, error_goal) <= error_limit)
            return;
        memcpy(x, s->b, bytes);
        /* Without memory for another factorisation this answer has to do. */
        if (other_factorisation(factor) != PERP_SOLVED) {
            s->given_up = 0;
            perp_front_solve(&s->front, s->A.x, NULL, x, error_goal);
            return;
        }
    }
    perp_factor_solve(s->klu, x);
}

static void fronts_stats(const perp_factor *factor, perp_factor_stats *stats)
{
    const fronts_state *s = factor->state;
    stats->nnz = s->front.nnz;
    stats->flops = s->front.flops;
}

static int fronts_sign(const perp_factor *factor)
{
    const fronts_state *s = factor->state;
    return s->given_up ? perp_factor_sign(s->klu) : perp_front_sign(&s->front);
}

const perp_factor_type perp_factor_fronts = {"fronts",     fronts_analyse, fronts_factorise,
                                             fronts_solve, fronts_stats,   fronts_destroy,
                                             fronts_sign};
