/* SPDX-License-Identifier: BSD-3-Clause */
/* The iteration of both methods. */
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "core/float_environment.h"
#include "core/sized.h"
#include "handle/explain.h"
#include "linalg/small.h"
#include "ncp/state.h"

enum { RECENT = 4, HALVINGS = 30, SHIFTS = 4 };
static const double slope_share = 1e-4, inner_enough = 1e-6;

/* Two merits: half the square of Fischer's function, and the natural map, which counts for
 * Josephy's steps. */
typedef struct search {
    double recent[2][RECENT]; /* of the last iterates */
    int count;
} search;

static int all_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

/* PERP_ERR_NUMERICAL: F is not defined there. */
static perp_status evaluate(perp_ncp_solver *h, double *F, const double *z)
{
    h->info.values++;
    if (h->ncp.F(h->ncp.ctx, F, z))
        return PERP_INTERRUPTED;
    return all_finite(F, h->ncp.n) ? PERP_SOLVED : PERP_ERR_NUMERICAL;
}

static perp_status linearise(perp_ncp_solver *h)
{
    int n = h->ncp.n;
    h->info.jacobians++;
    if (h->ncp.J(h->ncp.ctx, h->values, h->z))
        return PERP_INTERRUPTED;
    for (int p = 0; p < h->J.colptr[n]; p++) {
        h->J.x[p] = h->from[p] >= 0 ? h->values[h->from[p]] : 0.0;
        if (!isfinite(h->J.x[p]))
            return PERP_ERR_NUMERICAL;
    }
    return PERP_SOLVED;
}

/* q = F - (J + mu I) z; mu is in J already. */
static void linear_part(perp_ncp_solver *h)
{
    memcpy(h->q, h->F, (size_t)h->ncp.n * sizeof(double));
    for (int j = 0; j < h->ncp.n; j++)
        for (int p = h->J.colptr[j]; p < h->J.colptr[j + 1]; p++)
            h->q[h->J.row[p]] -= h->J.x[p] * h->z[j];
}

/* The error of z with F and J there. */
static double error_of(perp_ncp_solver *h)
{
    int n = h->ncp.n;
    double dual = 0.0, e = perp_ncp_natural(&h->blocks, h->z, h->F);
    linear_part(h);
    double q = perp_norm(h->q, n), base = fmax(q, fmax(perp_norm(h->z, n), perp_norm(h->F, n)));
    for (int i = 0; i < n; i++) {
        const perp_block *block = &h->blocks.at[i];
        int up = block->set == PERP_BOX && isinf(block->par[0]);
        int down = block->set == PERP_BOX && isinf(block->par[1]);
        double out = block->set == PERP_FREE || (up && down) ? fabs(h->F[i])
                     : block->set == PERP_NONNEG || down     ? fmax(-h->F[i], 0.0)
                     : up                                    ? fmax(h->F[i], 0.0)
                                                             : 0.0;
        dual += out * out;
    }
    dual = q > 0.0 ? sqrt(dual) / q : sqrt(dual);
    e = base > 0.0 ? e / base : e;
    return fmax(e, dual * dual);
}

static double merit(perp_ncp_solver *h, int natural, const double *z, const double *F)
{
    return natural ? perp_ncp_natural(&h->blocks, z, F)
                   : perp_ncp_fischer(h->inner_w, NULL, NULL, &h->blocks, z, F);
}

static void shift_diagonal(perp_ncp_solver *h, double mu)
{
    for (int i = 0; i < h->ncp.n; i++)
        h->J.x[h->diagonal[i]] += mu;
}

/* The solution of the linearised problem, less z, into step.  1: solved. */
static perp_status josephy_step(perp_ncp_solver *h, int *solved)
{
    perp_info inner = {.size = sizeof inner};
    size_t bytes = (size_t)h->ncp.n * sizeof(double);
    linear_part(h);
    memcpy(h->inner_z, h->z, bytes);
    perp_status status = perp_solver_update(h->inner, &h->problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(h->inner, h->inner_z, h->inner_w, &inner);
    h->info.inner_solves++;
    h->info.inner_status = status;
    *solved = 0;
    if (status >= 0) {
        h->info.inner_iterations += inner.iterations;
        *solved = status == PERP_SOLVED || (status == PERP_STALLED && inner.error <= inner_enough);
    }
    h->info.inner_failed += !*solved;
    for (int i = 0; i < h->ncp.n; i++)
        h->step[i] = h->inner_z[i] - h->z[i];
    return status == PERP_ERR_MEMORY || status == PERP_INTERRUPTED ? status : PERP_SOLVED;
}

/* Newton's step for Fischer's function with the present J; 1: a direction of descent. */
static perp_status fischer_step(perp_ncp_solver *h, int *solved)
{
    int n = h->ncp.n;
    *solved = 0;
    perp_ncp_fischer_matrix(h);
    perp_status status = perp_factor_numeric(h->factor, &h->V);
    if (status != PERP_SOLVED)
        return status == PERP_ERR_MEMORY ? status : PERP_SOLVED;
    for (int i = 0; i < n; i++)
        h->step[i] = -h->fischer[i];
    perp_factor_solve(h->factor, h->step);
    double slope = perp_dot(h->gradient, h->step, n);
    double size = perp_norm(h->gradient, n) * perp_norm(h->step, n);
    *solved = all_finite(h->step, n) && slope < 0.0 && -slope >= 1e-12 * size;
    return PERP_SOLVED;
}

/* 1: the trial is low enough; slope: 0, the merit is to fall by a share of itself. */
static int is_lower(perp_ncp_solver *h, const search *s, int natural, double length, double slope)
{
    double limit = 0.0;
    for (int k = 0; k < s->count; k++)
        limit = fmax(limit, s->recent[natural][k]);
    double fall = slope < 0.0 ? -slope_share * length * slope : slope_share * length * limit;
    return merit(h, natural, h->trial, h->trial_F) <= limit - fall;
}

/* Along step from z with steps 1, 1/2, ..., put into K. */
static perp_status line_search(perp_ncp_solver *h, const search *s, int josephy, double slope,
                               int *found)
{
    double length = 1.0;
    *found = 0;
    for (int k = 0; k < HALVINGS && !*found; k++, length *= 0.5) {
        for (int i = 0; i < h->ncp.n; i++)
            h->trial[i] = h->z[i] + length * h->step[i];
        perp_blocks_project(h->trial, &h->blocks, h->trial);
        perp_status status = evaluate(h, h->trial_F, h->trial);
        if (status == PERP_INTERRUPTED)
            return status;
        if (status == PERP_SOLVED)
            *found =
                is_lower(h, s, 0, length, slope) || (josephy && is_lower(h, s, 1, length, slope));
    }
    return PERP_SOLVED;
}

static double largest_entry(const perp_csc *A)
{
    double largest = 0.0;
    for (int p = 0; p < A->colptr[A->cols]; p++)
        largest = fmax(largest, fabs(A->x[p]));
    return largest > 0.0 ? largest : 1.0;
}

/* Fischer's gradient, its steepest descent as long as Newton's might be. */
static double steepest(perp_ncp_solver *h)
{
    double size = perp_norm(h->gradient, h->ncp.n);
    double scale = size > 0.0 ? fmin(1.0, (1.0 + perp_norm(h->z, h->ncp.n)) / size) : 0.0;
    for (int i = 0; i < h->ncp.n; i++)
        h->step[i] = -scale * h->gradient[i];
    return -scale * size * size;
}

/* The next iterate into trial; PERP_STALLED: none is found. */
static perp_status next(perp_ncp_solver *h, const search *s)
{
    int josephy = h->settings.method == PERP_NCP_JOSEPHY;
    double mu = 0.0, largest = largest_entry(&h->J);
    perp_ncp_fischer(h->fischer, h->dz, h->dF, &h->blocks, h->z, h->F);
    perp_ncp_fischer_gradient(h);
    for (int k = 0; k <= SHIFTS; k++) {
        double more = k == 0 ? 0.0 : largest * pow(10.0, 2 * k - 9) - mu;
        mu += more;
        if (more > 0.0)
            shift_diagonal(h, more);
        for (int fischer = !josephy; fischer < 2; fischer++) {
            int solved, found = 0;
            perp_status status = fischer ? fischer_step(h, &solved) : josephy_step(h, &solved);
            if (status == PERP_SOLVED && solved)
                status = line_search(h, s, !fischer, 0.0, &found);
            if (status != PERP_SOLVED)
                return status;
            if (found) {
                h->info.regularised += k > 0;
                return PERP_SOLVED;
            }
        }
    }
    int found;
    perp_status status = line_search(h, s, 0, steepest(h), &found);
    h->info.gradients++;
    return status != PERP_SOLVED ? status : found ? PERP_SOLVED : PERP_STALLED;
}

static void keep_best(perp_ncp_solver *h, double error, double *least)
{
    if (!(error < *least))
        return;
    *least = error;
    memcpy(h->best, h->z, (size_t)h->ncp.n * sizeof(double));
    memcpy(h->best_F, h->F, (size_t)h->ncp.n * sizeof(double));
}

/* What can end the iteration besides its error. */
static perp_status limits(perp_ncp_solver *h, int iteration, double error, double least)
{
    const perp_ncp_settings *s = &h->settings;
    double seconds = s->time_limit > 0.0 || s->progress ? perp_clock_seconds() - h->start : 0.0;
    perp_progress progress = {sizeof progress, "ncp", "ncp", iteration, error, least, seconds};
    if (s->progress && s->progress(s->progress_ctx, &progress))
        return PERP_INTERRUPTED;
    if (s->time_limit > 0.0 && seconds >= s->time_limit)
        return PERP_TIME_LIMIT;
    return iteration >= s->max_iter ? PERP_ITERATION_LIMIT : PERP_SOLVED;
}

/* From z and F; the answer is best and best_F. */
static perp_status iterate(perp_ncp_solver *h)
{
    size_t bytes = (size_t)h->ncp.n * sizeof(double);
    double least = INFINITY;
    search s = {.count = 0};
    for (int iteration = 0;; iteration++) {
        h->info.iterations = iteration;
        perp_status status = linearise(h);
        if (status != PERP_SOLVED)
            return iteration == 0 ? status : status == PERP_INTERRUPTED ? status : PERP_STALLED;
        double error = error_of(h);
        keep_best(h, error, &least);
        h->info.error = least;
        if (error <= h->settings.tol)
            return PERP_SOLVED;
        status = limits(h, iteration, error, least);
        if (status != PERP_SOLVED)
            return status;
        for (int k = 0; k < 2; k++)
            s.recent[k][iteration % RECENT] = merit(h, k, h->z, h->F);
        s.count = s.count < RECENT ? s.count + 1 : RECENT;
        status = next(h, &s);
        if (status != PERP_SOLVED)
            return status;
        memcpy(h->z, h->trial, bytes);
        memcpy(h->F, h->trial_F, bytes);
    }
}

perp_status perp_ncp_solver_solve(perp_ncp_solver *h, double *z, double *F, perp_ncp_info *info)
{
    PERP_HOLD_ENVIRONMENT();
    if (!h || !z || !F)
        return PERP_ERR_ARGUMENT;
    int n = h->ncp.n;
    perp_status status = PERP_SOLVED;
    h->info = (perp_ncp_info){.size = sizeof h->info, .where = {NULL, -1, -1}, .error = NAN};
    if (info && !perp_sized_claim(info))
        return PERP_ERR_ARGUMENT;
    h->start = perp_clock_seconds();
    for (int i = 0; i < n && status == PERP_SOLVED; i++) {
        if (!isfinite(z[i])) {
            h->info.where = (perp_where){"z", -1, i};
            status = PERP_ERR_NONFINITE;
        }
    }
    if (status == PERP_SOLVED) {
        perp_blocks_project(h->z, &h->blocks, z);
        memcpy(h->best, h->z, (size_t)n * sizeof(double));
        status = evaluate(h, h->F, h->z);
        if (status == PERP_ERR_NUMERICAL)
            h->info.where.what = "F";
        memcpy(h->best_F, h->F, (size_t)n * sizeof(double));
    }
    if (status == PERP_SOLVED)
        status = iterate(h);
    if (status >= 0) {
        memcpy(z, h->best, (size_t)n * sizeof(double));
        memcpy(F, h->best_F, (size_t)n * sizeof(double));
    }
    h->info.status = status;
    perp_explain(h->info.detail, status, &h->info.where, NULL, NULL, "ncp");
    if (info)
        perp_sized_write(info, &h->info, sizeof h->info);
    return status;
}

perp_status perp_ncp_solve(const perp_ncp *ncp, const perp_ncp_settings *settings, double *z,
                           double *F, perp_ncp_info *info)
{
    PERP_HOLD_ENVIRONMENT();
    perp_ncp_solver *handle;
    perp_where where = {NULL, -1, -1};
    if (info && !perp_sized_claim(info))
        return PERP_ERR_ARGUMENT;
    perp_status status = perp_ncp_solver_create(&handle, ncp, settings, NULL, &where);
    if (status != PERP_SOLVED) {
        perp_ncp_info own = {.status = status, .where = where, .error = NAN};
        perp_explain(own.detail, status, &where, NULL, NULL, "ncp");
        if (info)
            perp_sized_write(info, &own, sizeof own);
        return status;
    }
    status = perp_ncp_solver_solve(handle, z, F, info);
    perp_ncp_solver_destroy(handle);
    return status;
}
