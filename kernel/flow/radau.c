/* SPDX-License-Identifier: BSD-3-Clause */
/* Stages of an implicit tableau by Newton's method in the rates k_i,
 *
 *     k_i = f(t + c_i h, x + h sum_j a_ij k_j),
 *
 * in up to four ways, each from k_i = f(t, x): with the Jacobian of a step before, with that at
 * (t, x) kept throughout (simplified Newton, [HairerWanner1996] IV.8), with those of all stages
 * made again each time, which also serves rates that are smooth by pieces, and without any. */
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "kernel/flow/rk_inside.h"

enum { KEPT_JACOBIAN, ONE_JACOBIAN, ALL_JACOBIANS, NO_JACOBIAN, WAYS };

static double *stage_rate(perp_rk *rk, int s)
{
    return rk->k + (size_t)s * (size_t)rk->n;
}

/* rk->J = df/dx at (t, x); rate (n) is f there. */
static perp_status jacobian(perp_rk *rk, double t, const double *x, const double *rate)
{
    int n = rk->n;
    if (rk->jacobian)
        return rk->jacobian(rk->J, rk->ctx, t, x);
    double *shifted = rk->keep + 3 * (size_t)n;
    memcpy(shifted, x, sizeof(double) * (size_t)n);
    for (int j = 0; j < n; j++) {
        double *column = rk->J + (size_t)j * (size_t)n;
        double step = sqrt(DBL_EPSILON) * fmax(1.0, fabs(x[j]));
        shifted[j] = x[j] + step;
        step = shifted[j] - x[j];
        perp_status status = perp_rk_rate(column, rk, t, shifted);
        shifted[j] = x[j];
        if (status != PERP_SOLVED)
            return status;
        for (int i = 0; i < n; i++)
            column[i] = (column[i] - rate[i]) / step;
    }
    return PERP_SOLVED;
}

/* Columns of stage j of I - h A (x) J. */
static void put_stage(perp_rk *rk, int j)
{
    const perp_tableau *tab = rk->tableau;
    size_t n = (size_t)rk->n, all = n * (size_t)tab->stages;
    for (size_t c = 0; c < n; c++) {
        double *column = rk->matrix + ((size_t)j * n + c) * all;
        for (int i = 0; i < tab->stages; i++) {
            double w = -rk->h * tab->a[i * tab->stages + j];
            for (size_t r = 0; r < n; r++)
                column[(size_t)i * n + r] = w * rk->J[c * n + r];
        }
        column[(size_t)j * n + c] += 1.0;
    }
}

static perp_status factor(perp_rk *rk)
{
    int all = rk->n * rk->tableau->stages;
    int bad = LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, all, all, rk->matrix, all, rk->pivots);
    return bad == 0 ? PERP_SOLVED : PERP_ERR_SINGULAR;
}

static perp_status one_jacobian(perp_rk *rk, int kept)
{
    perp_status status = PERP_SOLVED;
    if (!kept)
        status = jacobian(rk, rk->t, rk->x0, rk->first);
    rk->has_J = status == PERP_SOLVED;
    for (int j = 0; j < rk->tableau->stages && status == PERP_SOLVED; j++)
        put_stage(rk, j);
    return status == PERP_SOLVED ? factor(rk) : status;
}

/* The rates at the stages of the current k into the first half of rk->stage; with_jacobians: the
 * matrix too. */
static perp_status stage_rates(perp_rk *rk, int with_jacobians)
{
    const perp_tableau *tab = rk->tableau;
    for (int s = 0; s < tab->stages; s++) {
        double t = rk->t + tab->c[s] * rk->h, *rate = rk->stage + (size_t)s * (size_t)rk->n;
        perp_rk_combine(rk->work, rk, tab->a + s * tab->stages, tab->stages, tab->c[s]);
        perp_status status = perp_rk_rate(rate, rk, t, rk->work);
        if (status == PERP_SOLVED && with_jacobians) {
            rk->has_J = 0;
            status = jacobian(rk, t, rk->work, rate);
            put_stage(rk, s);
        }
        if (status != PERP_SOLVED)
            return status;
    }
    return with_jacobians ? factor(rk) : PERP_SOLVED;
}

/* One correction of all stages; its largest entry, and that of the rates. */
static perp_status correct(perp_rk *rk, int way, double *size, double *rates)
{
    size_t all = (size_t)rk->n * (size_t)rk->tableau->stages;
    double *delta = rk->stage;
    perp_status status = stage_rates(rk, way == ALL_JACOBIANS);
    if (status != PERP_SOLVED)
        return status;
    rk->newton++;
    for (size_t i = 0; i < all; i++)
        delta[i] -= rk->k[i];
    if (way != NO_JACOBIAN)
        LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'N', (int)all, 1, rk->matrix, (int)all, rk->pivots,
                            delta, (int)all);
    *size = *rates = 0.0;
    for (size_t i = 0; i < all; i++) {
        rk->k[i] += delta[i];
        *size = fmax(*size, fabs(delta[i]));
        *rates = fmax(*rates, fabs(rk->k[i]));
        if (!isfinite(delta[i]))
            return PERP_ERR_NUMERICAL;
    }
    return PERP_SOLVED;
}

/* Corrections until they are small, or as small as rounding lets them be. */
static perp_status iterate(perp_rk *rk, int way, double state)
{
    double before = INFINITY;
    int limit = way == NO_JACOBIAN ? 4 * rk->newton_iter : rk->newton_iter;
    for (int s = 0; s < rk->tableau->stages; s++)
        memcpy(stage_rate(rk, s), rk->first, sizeof(double) * (size_t)rk->n);
    for (int k = 0; k < limit; k++) {
        double size, rates;
        perp_status status = correct(rk, way, &size, &rates);
        if (status != PERP_SOLVED)
            return status;
        double h = fabs(rk->h), scale = fmax(state, h * rates);
        if (h * size <= rk->newton_tol * scale)
            return PERP_SOLVED;
        if (k > 0 && size >= 0.5 * before && h * size <= 1e3 * DBL_EPSILON * scale)
            return PERP_SOLVED;
        if (k > 2 && size >= 2.0 * before && way != ALL_JACOBIANS)
            return PERP_STALLED;
        before = size;
    }
    return PERP_STALLED;
}

perp_status perp_rk_implicit_stages(perp_rk *rk)
{
    double state = 0.0;
    perp_status status = perp_rk_first_rate(rk);
    if (status != PERP_SOLVED || rk->n == 0)
        return status;
    for (int i = 0; i < rk->n; i++)
        state = fmax(state, fabs(rk->x0[i]));
    int way = rk->has_J ? KEPT_JACOBIAN : ONE_JACOBIAN;
    for (; way < WAYS; way++) {
        status = PERP_SOLVED;
        if (way == KEPT_JACOBIAN || way == ONE_JACOBIAN)
            status = one_jacobian(rk, way == KEPT_JACOBIAN);
        if (status == PERP_SOLVED)
            status = iterate(rk, way, state);
        if (status == PERP_SOLVED || status == PERP_INTERRUPTED)
            return status;
    }
    return status;
}
