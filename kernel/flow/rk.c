/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/flow/rk_inside.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static void copy(double *to, const double *from, int n)
{
    memmove(to, from, sizeof(double) * (size_t)n);
}

static void release(perp_rk *rk, perp_pool *pool)
{
    double **arrays[] = {&rk->k,    &rk->x0,   &rk->x1,    &rk->error,  &rk->first, &rk->last,
                         &rk->work, &rk->keep, &rk->stage, &rk->matrix, &rk->J};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        perp_pool_give(pool, *arrays[i]);
        *arrays[i] = NULL;
    }
    perp_pool_give(pool, rk->pivots);
    rk->pivots = NULL;
    rk->capacity_n = rk->capacity_stages = rk->capacity_implicit = 0;
}

/* rows x cols doubles; cols >= 1. */
static double *take(perp_pool *pool, size_t rows, size_t cols)
{
    return perp_pool_take_array(pool, rows, cols * sizeof(double));
}

static int take_all(perp_rk *rk, size_t n, size_t stages, int implicit, perp_pool *pool)
{
    double **vectors[] = {&rk->x0, &rk->x1, &rk->error, &rk->first, &rk->last, &rk->work};
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (!(*vectors[i] = take(pool, n, 1)))
            return 0;
    if (!(rk->k = take(pool, n, stages)) || !(rk->keep = take(pool, n, 4)))
        return 0;
    if (!implicit)
        return 1;
    size_t all = n * stages;
    return (rk->stage = take(pool, n, stages)) && (rk->matrix = take(pool, all, all)) &&
           (rk->J = take(pool, n, n)) && (rk->pivots = PERP_POOL_ARRAY(pool, int, all));
}

perp_status perp_rk_prepare(perp_rk *rk, const perp_tableau *tableau, int n, perp_pool *pool)
{
    if (!tableau || n < 0)
        return PERP_ERR_ARGUMENT;
    if (n > INT_MAX / (8 * tableau->stages))
        return PERP_ERR_OVERFLOW;
    rk->tableau = tableau;
    rk->n = n;
    rk->inside = NULL;
    rk->has_first = rk->has_last = rk->done = rk->doubled = rk->has_J = 0;
    if (rk->newton_tol <= 0.0)
        rk->newton_tol = 1e-13;
    if (rk->newton_iter <= 0)
        rk->newton_iter = 20;
    if (rk->x0 && n <= rk->capacity_n && tableau->stages <= rk->capacity_stages &&
        (!tableau->implicit || rk->capacity_implicit))
        return PERP_SOLVED;
    int capacity = n > rk->capacity_n ? n : rk->capacity_n;
    int stages = tableau->stages > rk->capacity_stages ? tableau->stages : rk->capacity_stages;
    int implicit = tableau->implicit || rk->capacity_implicit;
    release(rk, pool);
    if (!take_all(rk, capacity > 0 ? (size_t)capacity : 1, (size_t)stages, implicit, pool)) {
        release(rk, pool);
        return PERP_ERR_MEMORY;
    }
    rk->capacity_n = capacity;
    rk->capacity_stages = stages;
    rk->capacity_implicit = implicit;
    return PERP_SOLVED;
}

void perp_rk_free(perp_rk *rk, perp_pool *pool)
{
    release(rk, pool);
    memset(rk, 0, sizeof *rk);
}

static int is_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return 0;
    return 1;
}

perp_status perp_rk_rate(double *rate, perp_rk *rk, double t, const double *x)
{
    rk->evaluations++;
    perp_status status = rk->f(rate, rk->ctx, t, x);
    if (status == PERP_SOLVED && !is_finite(rate, rk->n))
        return PERP_ERR_NUMERICAL;
    return status;
}

void perp_rk_combine(double *x, const perp_rk *rk, const double *w, int count, double total)
{
    int n = rk->n;
    memset(x, 0, sizeof(double) * (size_t)n);
    for (int j = 1; j < count; j++) {
        const double *k = rk->k + (size_t)j * (size_t)n;
        if (w[j] != 0.0)
            for (int i = 0; i < n; i++)
                x[i] += w[j] * (k[i] - rk->k[i]);
    }
    for (int i = 0; i < n; i++)
        x[i] = rk->x0[i] + rk->h * (total * rk->k[i] + x[i]);
}

perp_status perp_rk_first_rate(perp_rk *rk)
{
    perp_status status = PERP_SOLVED;
    if (!rk->has_first)
        status = perp_rk_rate(rk->first, rk, rk->t, rk->x0);
    rk->has_first = status == PERP_SOLVED;
    return status;
}

static perp_status last_rate(perp_rk *rk)
{
    perp_status status = PERP_SOLVED;
    if (!rk->has_last)
        status = perp_rk_rate(rk->last, rk, rk->t + rk->h, rk->x1);
    rk->has_last = status == PERP_SOLVED;
    return status;
}

static perp_status explicit_stages(perp_rk *rk)
{
    const perp_tableau *tab = rk->tableau;
    perp_status status = perp_rk_first_rate(rk);
    copy(rk->k, rk->first, rk->n);
    for (int s = 1; s < tab->stages && status == PERP_SOLVED; s++) {
        perp_rk_combine(rk->work, rk, tab->a + s * tab->stages, s, tab->c[s]);
        status = perp_rk_rate(rk->k + (size_t)s * (size_t)rk->n, rk, rk->t + tab->c[s] * rk->h,
                              rk->work);
    }
    return status;
}

static void estimate(perp_rk *rk)
{
    const perp_tableau *tab = rk->tableau;
    memset(rk->error, 0, sizeof(double) * (size_t)rk->n);
    for (int s = 0; s < tab->stages && tab->b_embedded; s++) {
        double w = rk->h * (tab->b[s] - tab->b_embedded[s]);
        const double *k = rk->k + (size_t)s * (size_t)rk->n;
        for (int i = 0; i < rk->n; i++)
            rk->error[i] += w * k[i];
    }
}

/* Start of a step: x0, t, h and what is known of the first rate. */
static void begin(perp_rk *rk, double t, double h, const double *x, perp_rk_from from)
{
    if (from == PERP_RK_NEXT && rk->done && rk->has_last) {
        copy(rk->first, rk->last, rk->n);
        rk->has_first = 1;
    } else if (from != PERP_RK_SAME) {
        rk->has_first = 0;
    }
    if (from == PERP_RK_ANEW)
        rk->has_J = 0;
    copy(rk->x0, x, rk->n);
    rk->t = t;
    rk->h = h;
    rk->has_last = rk->done = rk->doubled = 0;
}

perp_status perp_rk_step(perp_rk *rk, perp_rate_fn f, void *ctx, double t, double h,
                         const double *x, perp_rk_from from)
{
    const perp_tableau *tab = rk->tableau;
    rk->f = f;
    rk->ctx = ctx;
    begin(rk, t, h, x, from);
    perp_status status = tab->implicit ? perp_rk_implicit_stages(rk) : explicit_stages(rk);
    if (status != PERP_SOLVED)
        return status;
    perp_rk_combine(rk->x1, rk, tab->b, tab->stages, 1.0);
    if (!is_finite(rk->x1, rk->n))
        return PERP_ERR_NUMERICAL;
    estimate(rk);
    if (tab->last_is_end)
        copy(rk->last, rk->k + (size_t)(tab->stages - 1) * (size_t)rk->n, rk->n);
    rk->has_last = tab->last_is_end;
    rk->done = 1;
    return PERP_SOLVED;
}

perp_status perp_rk_step_doubled(perp_rk *rk, perp_rate_fn f, void *ctx, double t, double h,
                                 const double *x, perp_rk_from from)
{
    int n = rk->n;
    double *start = rk->keep, *first = start + n, *whole = first + n;
    copy(start, x, n);
    perp_status status = perp_rk_step(rk, f, ctx, t, h, start, from);
    int has_first = rk->has_first;
    copy(first, rk->first, n);
    copy(whole, rk->x1, n);
    if (status == PERP_SOLVED)
        status = perp_rk_step(rk, f, ctx, t, 0.5 * h, start, PERP_RK_SAME);
    if (status == PERP_SOLVED)
        status = perp_rk_step(rk, f, ctx, t + 0.5 * h, 0.5 * h, rk->x1, PERP_RK_NEXT);
    copy(rk->x0, start, n);
    copy(rk->first, first, n);
    rk->has_first = has_first;
    rk->t = t;
    rk->h = h;
    rk->doubled = 1;
    rk->done = status == PERP_SOLVED;
    if (status != PERP_SOLVED)
        return status;
    double scale = 1.0 / (double)((1L << rk->tableau->order) - 1);
    for (int i = 0; i < n; i++)
        rk->error[i] = scale * (rk->x1[i] - whole[i]);
    return PERP_SOLVED;
}

perp_status perp_rk_step_estimated(perp_rk *rk, perp_rate_fn f, void *ctx, double t, double h,
                                   const double *x, perp_rk_from from)
{
    return (rk->tableau->b_embedded ? perp_rk_step : perp_rk_step_doubled)(rk, f, ctx, t, h, x,
                                                                           from);
}

perp_status perp_rk_nudge(perp_rk *rk, double delta)
{
    if (!rk->done)
        return PERP_ERR_STATE;
    double *moved = rk->keep, *rate = rk->work;
    perp_status status = last_rate(rk);
    for (int i = 0; i < rk->n; i++)
        moved[i] = rk->x1[i] + delta * rk->last[i];
    if (status == PERP_SOLVED)
        status = perp_rk_rate(rate, rk, rk->t + rk->h + delta, moved);
    if (status != PERP_SOLVED)
        return status;
    for (int i = 0; i < rk->n; i++)
        rk->x1[i] += 0.5 * delta * (rk->last[i] + rate[i]);
    rk->h += delta;
    rk->has_last = 0;
    rk->doubled = 1;
    return PERP_SOLVED;
}

/* x = x0 + h (w0 (x1 - x0) / h + w1 first + w2 last). */
static perp_status hermite(double *x, perp_rk *rk, double sigma)
{
    perp_status status = perp_rk_first_rate(rk);
    if (status == PERP_SOLVED)
        status = last_rate(rk);
    if (status != PERP_SOLVED)
        return status;
    double s = sigma, w = s * s * (3.0 - 2.0 * s);
    double w0 = rk->h * s * (1.0 - s) * (1.0 - s), w1 = rk->h * s * s * (s - 1.0);
    for (int i = 0; i < rk->n; i++)
        x[i] = rk->x0[i] + w * (rk->x1[i] - rk->x0[i]) + w0 * rk->first[i] + w1 * rk->last[i];
    return PERP_SOLVED;
}

static perp_status hermite_rate(double *rate, perp_rk *rk, double sigma)
{
    perp_status status = perp_rk_first_rate(rk);
    if (status == PERP_SOLVED)
        status = last_rate(rk);
    if (status != PERP_SOLVED)
        return status;
    double s = sigma, w = 6.0 * s * (1.0 - s) / rk->h;
    double w0 = (1.0 - s) * (1.0 - 3.0 * s), w1 = s * (3.0 * s - 2.0);
    for (int i = 0; i < rk->n; i++)
        rate[i] = w * (rk->x1[i] - rk->x0[i]) + w0 * rk->first[i] + w1 * rk->last[i];
    return PERP_SOLVED;
}

enum { MAX_STAGES = 16 };

perp_status perp_rk_dense(double *x, perp_rk *rk, double sigma)
{
    const perp_tableau *tab = rk->tableau;
    if (!rk->done && !rk->inside)
        return PERP_ERR_STATE;
    if (sigma == 1.0 || sigma == 0.0) {
        copy(x, sigma == 1.0 ? rk->x1 : rk->x0, rk->n);
        return PERP_SOLVED;
    }
    if (rk->inside)
        return rk->inside(x, rk->inside_ctx, sigma);
    if (!tab->dense || rk->doubled)
        return hermite(x, rk, sigma);
    double w[MAX_STAGES];
    for (int s = 0; s < tab->stages; s++) {
        const double *d = tab->dense + s * tab->dense_degree;
        w[s] = 0.0;
        for (int j = tab->dense_degree; j-- > 0;)
            w[s] = (w[s] + d[j]) * sigma;
    }
    perp_rk_combine(x, rk, w, tab->stages, sigma);
    return PERP_SOLVED;
}

perp_status perp_rk_dense_rate(double *rate, perp_rk *rk, double sigma)
{
    const perp_tableau *tab = rk->tableau;
    if (!rk->done)
        return PERP_ERR_STATE;
    if (!tab->dense || rk->doubled)
        return hermite_rate(rate, rk, sigma);
    memset(rate, 0, sizeof(double) * (size_t)rk->n);
    for (int s = 0; s < tab->stages; s++) {
        const double *d = tab->dense + s * tab->dense_degree,
                     *k = rk->k + (size_t)s * (size_t)rk->n;
        double w = 0.0;
        for (int j = tab->dense_degree; j-- > 0;)
            w = w * sigma + (double)(j + 1) * d[j];
        for (int i = 0; i < rk->n; i++)
            rate[i] += w * k[i];
    }
    return PERP_SOLVED;
}

double perp_rk_error_norm(const double *error, const double *x0, const double *x1, double atol,
                          double rtol, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        double scale = atol + rtol * fmax(fabs(x0[i]), fabs(x1[i]));
        double e = fabs(error[i]);
        e = e == 0.0 ? 0.0 : e / scale;
        if (!(e <= worst))
            worst = e;
        if (isnan(worst))
            return worst;
    }
    return worst;
}

double perp_rk_next_h(const perp_rk_control *control, double h, double error, int p)
{
    double factor = control->alpha_min;
    if (error <= 0.0)
        factor = control->alpha_max;
    else if (isfinite(error))
        factor = control->alpha * pow(error, -1.0 / (double)(p + 1));
    return h * fmin(control->alpha_max, fmax(control->alpha_min, factor));
}
