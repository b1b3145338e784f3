/* SPDX-License-Identifier: BSD-3-Clause */
/* Multifrontal LU or L D L' (sequential MUMPS).  Its interface keeps state in
 * static variables, so that calls of it from several threads are serialised. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include <dmumps_c.h>
#include <pthread.h>

#include "linalg/factor/factor.h"

/* Pivots below this share of the norm of the scaled matrix count as zero. */
static const double singular_share = 1e-15;

enum {
    USE_COMM_WORLD = -987654,
    JOB_INIT = -1,
    JOB_END = -2,
    JOB_ANALYSE = 1,
    JOB_FACTORISE = 2,
    JOB_SOLVE = 3,
    RETRIES = 8
};

static pthread_mutex_t mumps_lock = PTHREAD_MUTEX_INITIALIZER;

typedef struct mumps_state {
    perp_arena arena;
    DMUMPS_STRUC_C mumps;
    int started;
    int nz, *from; /* entry k of MUMPS is entry from[k] of A */
} mumps_state;

static void call(mumps_state *s, int job)
{
    s->mumps.job = job;
    pthread_mutex_lock(&mumps_lock);
    dmumps_c(&s->mumps);
    pthread_mutex_unlock(&mumps_lock);
}

/* Fortran counts from 1. */
static int *control(mumps_state *s, int k)
{
    return &s->mumps.icntl[k - 1];
}

static perp_status status_of(const mumps_state *s)
{
    switch (s->mumps.infog[0]) {
    case -5:
    case -7:
    case -13:
    case -22:
        return PERP_ERR_MEMORY;
    case -6:
    case -10:
        return PERP_ERR_SINGULAR;
    case -51:
    case -52:
        return PERP_ERR_OVERFLOW;
    default:
        return s->mumps.infog[0] < 0 ? PERP_ERR_NUMERICAL : PERP_SOLVED;
    }
}

static void mumps_destroy(perp_factor *factor)
{
    mumps_state *s = factor->state;
    if (!s)
        return;
    if (s->started)
        call(s, JOB_END);
    perp_arena_free(&s->arena);
    factor->allocator.release(factor->allocator.ctx, s);
    factor->state = NULL;
}

static void start(mumps_state *s, int definite)
{
    s->mumps.comm_fortran = USE_COMM_WORLD;
    s->mumps.par = 1;
    s->mumps.sym = definite ? 2 : 0;
    call(s, JOB_INIT);
    s->started = s->mumps.infog[0] >= 0;
    *control(s, 1) = *control(s, 2) = *control(s, 3) = -1;
    *control(s, 4) = 0;
    *control(s, 6) = 0;  /* no permutation from values */
    *control(s, 7) = 1;  /* ordering given */
    *control(s, 12) = 1; /* ordering of the pattern as it is */
    *control(s, 14) = 30;
    *control(s, 24) = 1; /* null pivots are counted */
    s->mumps.cntl[2] = singular_share;
    if (definite)
        s->mumps.cntl[0] = 0.0; /* no pivoting */
}

static perp_status copy_pattern(mumps_state *s, const perp_csc *A, int definite)
{
    size_t nz = (size_t)A->colptr[A->cols];
    s->from = PERP_TAKE(&s->arena, int, nz);
    s->mumps.irn = PERP_TAKE(&s->arena, MUMPS_INT, nz);
    s->mumps.jcn = PERP_TAKE(&s->arena, MUMPS_INT, nz);
    s->mumps.a = PERP_TAKE(&s->arena, double, nz);
    if (s->arena.failed)
        return PERP_ERR_MEMORY;
    for (int j = 0; j < A->cols; j++) {
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
            if (definite && A->row[p] < j)
                continue;
            s->mumps.irn[s->nz] = A->row[p] + 1;
            s->mumps.jcn[s->nz] = j + 1;
            s->from[s->nz++] = p;
        }
    }
    s->mumps.n = A->cols;
    s->mumps.nnz = s->nz;
    return PERP_SOLVED;
}

/* perm_in gives the step at which each unknown is eliminated. */
static perp_status give_ordering(mumps_state *s, const perp_factor *factor)
{
    s->mumps.perm_in = PERP_TAKE(&s->arena, MUMPS_INT, factor->n);
    if (!s->mumps.perm_in)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < factor->n; k++)
        s->mumps.perm_in[factor->perm[k]] = k + 1;
    return PERP_SOLVED;
}

static perp_status mumps_analyse(perp_factor *factor, const perp_csc *A)
{
    mumps_state *s = factor->allocator.allocate(factor->allocator.ctx, sizeof *s);
    if (!s)
        return PERP_ERR_MEMORY;
    memset(s, 0, sizeof *s);
    factor->state = s;
    perp_arena_init(&s->arena, &factor->allocator);
    if (A->cols == 0)
        return PERP_SOLVED;
    start(s, factor->definite);
    perp_status status = status_of(s);
    if (status == PERP_SOLVED)
        status = copy_pattern(s, A, factor->definite);
    if (status == PERP_SOLVED)
        status = give_ordering(s, factor);
    if (status != PERP_SOLVED)
        return status;
    call(s, JOB_ANALYSE);
    return status_of(s);
}

static perp_status mumps_factorise(perp_factor *factor, const perp_csc *A)
{
    mumps_state *s = factor->state;
    if (factor->n == 0)
        return PERP_SOLVED;
    for (int k = 0; k < s->nz; k++)
        s->mumps.a[k] = A->x[s->from[k]];
    for (int attempt = 0; attempt < RETRIES; attempt++) {
        call(s, JOB_FACTORISE);
        /* -8, -9, -14, -15, -17, -20: the workspace estimated by the analysis is too small. */
        int code = s->mumps.infog[0];
        if (code != -8 && code != -9 && code != -14 && code != -15 && code != -17 && code != -20)
            break;
        *control(s, 14) *= 2;
    }
    if (s->mumps.infog[0] >= 0 && s->mumps.infog[27] > 0)
        return PERP_ERR_SINGULAR;
    return status_of(s);
}

static void mumps_solve(perp_factor *factor, double *x)
{
    mumps_state *s = factor->state;
    if (factor->n == 0)
        return;
    s->mumps.rhs = x;
    s->mumps.nrhs = 1;
    call(s, JOB_SOLVE);
    s->mumps.rhs = NULL;
    if (s->mumps.infog[0] < 0)
        for (int i = 0; i < factor->n; i++)
            x[i] = NAN;
}

static void mumps_stats(const perp_factor *factor, perp_factor_stats *stats)
{
    const perp_fill *fill = &factor->fill;
    stats->nnz = factor->definite ? fill->nnz : 2.0 * fill->nnz - factor->n;
    stats->flops = factor->definite ? fill->flops : 2.0 * fill->flops;
}

const perp_factor_type perp_factor_mumps = {
    "mumps", mumps_analyse, mumps_factorise, mumps_solve, mumps_stats, mumps_destroy, NULL};
