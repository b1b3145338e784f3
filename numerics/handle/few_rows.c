/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/few_rows.h"

#include <math.h>
#include <string.h>

#include "local/intervals.h"

/* An answer with a larger error is refined. */
static const double exact = 1e-14;

int perp_few_rows(const perp_work *work)
{
    return work->blocks.n > 0 && work->blocks.n <= PERP_INTERVALS_MOST &&
           (work->problem->M.kind == PERP_DENSE || work->problem->M.kind == PERP_BSR) &&
           !(work->blocks.sets & ~PERP_LINEAR_SETS);
}

static void copy_blocks(double *to, const perp_mat *M)
{
    int m = M->as.bsr.block, n = M->rows;
    const double *x = M->as.bsr.x;
    memset(to, 0, (size_t)(n * n) * sizeof(double));
    for (int k = 0; k < n / m; k++)
        for (int p = M->as.bsr.rowptr[k]; p < M->as.bsr.rowptr[k + 1]; p++)
            for (int c = 0; c < m; c++)
                for (int i = 0; i < m; i++)
                    to[k * m + i + (M->as.bsr.col[p] * m + c) * n] = *x++;
}

/* copy: space for M where it is not dense. */
static void read_rows(perp_intervals *p, const perp_work *work, double *copy)
{
    const perp_mat *M = &work->problem->M;
    p->n = work->blocks.n;
    p->M = M->kind == PERP_DENSE ? M->as.dense.x : copy;
    p->ld = M->kind == PERP_DENSE ? M->as.dense.ld : p->n;
    if (M->kind == PERP_BSR)
        copy_blocks(copy, M);
    p->q = work->problem->q;
    p->d = work->scaling.d;
    for (int i = 0; i < p->n; i++) {
        const perp_block *row = &work->blocks.at[i];
        p->lo[i] = row->set == PERP_NONNEG ? 0.0 : row->set == PERP_BOX ? row->par[0] : -INFINITY;
        p->hi[i] = row->set == PERP_BOX ? row->par[1] : INFINITY;
    }
}

/* The error of z, infinite where it is none. */
static double measure(perp_work *work)
{
    for (int i = 0; i < work->blocks.n; i++)
        if (!isfinite(work->z[i]))
            return INFINITY;
    double error = perp_measure(work, work->z);
    return isfinite(error) ? error : INFINITY;
}

/* A step of refinement, where it helps. */
static double refine(const perp_intervals *p, perp_work *work, double error)
{
    size_t bytes = (size_t)p->n * sizeof(double);
    memcpy(work->best, work->z, bytes);
    perp_intervals_refine(p, work->z, work->w);
    double refined = measure(work);
    if (refined < error)
        return refined;
    memcpy(work->z, work->best, bytes);
    return measure(work);
}

/* The name of the method that solved it, or NULL. */
static const char *find(perp_intervals *p, perp_work *work, double *error)
{
    double tol = work->settings->tol;
    if (perp_intervals_pivots(p, work->z)) {
        *error = measure(work);
        if (*error > exact && *error < 1.0)
            *error = refine(p, work, *error);
        if (*error <= tol)
            return "dantzig";
    }
    if (work->blocks.sets == PERP_BIT(PERP_NONNEG) && perp_intervals_lemke(p, work->z)) {
        *error = measure(work);
        if (*error <= tol)
            return "lemke";
    }
    if (perp_intervals_modes(p, work->z)) {
        *error = measure(work);
        if (*error <= tol)
            return "enumerative";
    }
    return NULL;
}

perp_status perp_few_rows_solve(perp_work *work)
{
    perp_intervals p;
    perp_info *info = work->info;
    double copy[PERP_INTERVALS_MOST * PERP_INTERVALS_MOST], error;
    read_rows(&p, work, copy);
    const char *solver = find(&p, work, &error);
    if (solver && perp_stop(work, p.steps, error) && work->monitor.verdict == PERP_SOLVED) {
        info->stages[info->nstages++] = (perp_stage){.solver = solver,
                                                     .why = perp_status_text(PERP_SOLVED),
                                                     .iterations = p.steps,
                                                     .first = INFINITY,
                                                     .best = error};
        return PERP_SOLVED;
    }
    memset(work->z, 0, (size_t)work->blocks.n * sizeof(double));
    memset(work->best, 0, (size_t)work->blocks.n * sizeof(double));
    return PERP_STALLED;
}
