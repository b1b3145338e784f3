/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/central/arclength.h"

#include <math.h>
#include <string.h>

#include "linalg/small.h"

enum { START_STEPS = 60, HALVINGS = 12, POLISH = 4, REFRESH = 3 };

static const double negligible = 1e-7; /* length of a correction */
/* What solutions of the linear system leave: corrections, whose errors the next ones see, and the
 * tangent. */
static const double correction_left = 1e-4, tangent_left = 1e-7;
/* tau from which on M dz of contacts that stick, of the size of tau, is lost in the rounding of
 * its terms. */
static const double exact_below = 1e-8;

perp_status perp_arclength_take(perp_arclength *arc, perp_central *central, perp_arena *arena)
{
    size_t n = (size_t)central->blocks->n;
    double **each[] = {&arc->now.z,   &arc->now.tz, &arc->now.tw, &arc->old.z,   &arc->old.tz,
                       &arc->old.tw,  &arc->w,      &arc->z,      &arc->a,       &arc->wa,
                       &arc->b,       &arc->wb,     &arc->old_z,  &arc->old_low, &arc->now.low,
                       &arc->old.low, &arc->low,    &arc->G};
    arc->central = central;
    for (size_t k = 0; k < sizeof each / sizeof each[0]; k++)
        *each[k] = PERP_TAKE(arena, double, n);
    perp_status status = perp_precise_take(&arc->precise, central, arena);
    return status == PERP_SOLVED ? perp_krylov_take(&arc->krylov, central->blocks->n, arena)
                                 : status;
}

/* x' M y / (size^2 blocks tau), with M y given. */
static double product(const perp_arclength *arc, const double *x, const double *My)
{
    const perp_smoothing *s = &arc->central->smoothing;
    double sum = perp_dot(x, My, arc->central->blocks->n);
    return sum / (s->size * s->size * s->tau * (double)arc->central->blocks->count);
}

/* w and G at the trial; |G| / (2 sqrt(blocks)). */
static double value(perp_arclength *arc, perp_work *work, double sigma)
{
    arc->central->smoothing.tau = exp(sigma);
    return perp_precise_residual(arc->G, arc->w, &arc->precise, arc->central, work->problem->q,
                                 arc->z, arc->low);
}

/* The trial is `from` (NULL: itself) + step d. */
static void move(perp_arclength *arc, const perp_arclength_point *from, double step,
                 const double *d)
{
    const double *z = from ? from->z : arc->z, *low = from ? from->low : arc->low;
    for (int i = 0; i < arc->central->blocks->n; i++) {
        perp_twofold sum =
            perp_twofold_add((perp_twofold){z[i], low[i]}, (perp_twofold){step * d[i], 0.0});
        arc->z[i] = sum.high;
        arc->low[i] = sum.low;
    }
}

/* x = -J^-1 r, wx = M x. */
static void solve(perp_arclength *arc, const perp_work *work, double *x, double *wx,
                  const double *r, double share)
{
    perp_krylov_solve(x, wx, &arc->krylov, arc->central, work, r, share);
    for (int i = 0; i < arc->central->blocks->n; i++) {
        x[i] = -x[i];
        wx[i] = -wx[i];
    }
}

/* Newton step a = -J^-1 G and b = -J^-1 G_sigma at the trial and sigma, where w and G are known. */
static perp_status linearise(perp_arclength *arc, perp_work *work, double sigma)
{
    perp_central *central = arc->central;
    int n = work->blocks.n;
    central->smoothing.tau = exp(sigma);
    perp_status status = perp_central_factorise(central, arc->w, arc->z);
    arc->factorisations++;
    if (status != PERP_SOLVED)
        return status;
    arc->krylov.precise = central->smoothing.tau < exact_below ? &arc->precise : NULL;
    solve(arc, work, arc->a, arc->wa, arc->G, correction_left);
    solve(arc, work, arc->b, arc->wb, central->Gt, tangent_left);
    for (int i = 0; i < n; i++)
        if (!isfinite(arc->a[i]) || !isfinite(arc->b[i]))
            return PERP_ERR_NUMERICAL;
    return PERP_SOLVED;
}

/* The unit tangent (b, 1) / length of the last linearisation, oriented, into `point`.
 * Returns its cosine with the one before. */
static double tangent(perp_arclength *arc, perp_arclength_point *point,
                      const perp_arclength_point *before)
{
    int n = arc->central->blocks->n;
    double length = sqrt(fmax(product(arc, arc->b, arc->wb), 0.0) + 1.0);
    double along = before ? product(arc, arc->b, before->tw) + before->ts : -1.0;
    int sign = perp_central_sign(arc->central) * arc->orientation;
    if (sign == 0)
        sign = along < 0.0 ? -1 : 1;
    double scale = sign / length;
    for (int i = 0; i < n; i++) {
        point->tz[i] = scale * arc->b[i];
        point->tw[i] = scale * arc->wb[i];
    }
    point->ts = scale;
    if (!before)
        return 1.0;
    double own = sqrt(fmax(product(arc, before->tz, before->tw), 0.0) + before->ts * before->ts);
    return scale * along / fmax(own, 1e-300);
}

static void keep(perp_arclength_point *point, const perp_arclength *arc)
{
    size_t bytes = (size_t)arc->central->blocks->n * sizeof(double);
    memcpy(point->z, arc->z, bytes);
    memcpy(point->low, arc->low, bytes);
}

/* x = y = sqrt(tau) e in the scaled variables; bounded rows start inside their bounds. */
static void inside(double *z, const perp_central *central, double tau)
{
    double length = central->smoothing.size * sqrt(tau);
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        int cone = block->set == PERP_COULOMB || block->set == PERP_SOC;
        double *out = z + block->row, x = length / central->d[k];
        double lo = block->par[0], hi = block->par[1];
        memset(out, 0, (size_t)block->dim * sizeof *out);
        if (cone)
            out[0] = block->par[0] > 0.0 ? x / block->par[0] : x;
        else if (block->set == PERP_NONNEG)
            out[0] = x;
        else if (block->set == PERP_BOX && isfinite(lo) && isfinite(hi))
            out[0] = lo + 0.5 * (hi - lo);
        else if (block->set == PERP_BOX && (isfinite(lo) || isfinite(hi)))
            out[0] = isfinite(lo) ? lo + x : hi - x;
    }
}

perp_status perp_arclength_start(perp_arclength *arc, perp_work *work, double tau)
{
    perp_central *central = arc->central;
    int n = work->blocks.n, near = 0;
    double sigma = log(tau), error;
    inside(arc->z, central, tau);
    memset(arc->low, 0, (size_t)n * sizeof *arc->low);
    error = value(arc, work, sigma);
    for (int k = 0; k < START_STEPS && near < 2; k++) {
        perp_status status = linearise(arc, work, sigma);
        if (status != PERP_SOLVED)
            return status == PERP_ERR_SINGULAR || status == PERP_ERR_NUMERICAL ? PERP_STALLED
                                                                               : status;
        double step = 1.0, next = INFINITY;
        keep(&arc->now, arc);
        for (int half = 0; half < HALVINGS && !(next < (1.0 - 0.1 * step) * error); half++) {
            step = half == 0 ? 1.0 : 0.5 * step;
            move(arc, &arc->now, step, arc->a);
            next = value(arc, work, sigma);
        }
        error = next;
        near = error <= 1e-8 * sqrt(tau) ? near + 1 : 0;
        if (!isfinite(error))
            return PERP_STALLED;
    }
    if (near < 2)
        return PERP_STALLED;
    keep(&arc->now, arc);
    arc->now.sigma = sigma;
    arc->orientation = -perp_central_sign(central);
    tangent(arc, &arc->now, NULL);
    arc->step = 0.1;
    arc->last_step = 0.0;
    arc->folds = 0;
    return PERP_SOLVED;
}

/* Entry i of old - now. */
static double apart(const perp_arclength *arc, int i)
{
    return (arc->old.z[i] - arc->now.z[i]) + (arc->old.low[i] - arc->now.low[i]);
}

/* now + h tangent, and where there is an older point the cubic through both: coefficients
 * h^2 (3 D + E) + h^3 (2 D + E) / p with p the last step, D = (old - now + p t) / p^2,
 * E = (t_old - t) / p. */
static void predict(perp_arclength *arc, double h, double *sigma)
{
    const perp_arclength_point *now = &arc->now, *old = &arc->old;
    double p = arc->last_step;
    move(arc, now, h, now->tz);
    *sigma = now->sigma + h * now->ts;
    if (!(p > 0.0) || h > 3.0 * p)
        return;
    double c2 = h * h, c3 = h * h * h / p;
    for (int i = 0; i < arc->central->blocks->n; i++) {
        double D = (apart(arc, i) + p * now->tz[i]) / (p * p);
        double E = (old->tz[i] - now->tz[i]) / p;
        arc->a[i] = c2 * (3.0 * D + E) + c3 * (2.0 * D + E);
    }
    move(arc, NULL, 1.0, arc->a);
    double D = (old->sigma - now->sigma + p * now->ts) / (p * p), E = (old->ts - now->ts) / p;
    *sigma += c2 * (3.0 * D + E) + c3 * (2.0 * D + E);
}

/* One Newton step in the plane across the tangent; its length. */
static double correct(perp_arclength *arc, double *sigma)
{
    const perp_arclength_point *now = &arc->now;
    double ds = -product(arc, arc->a, now->tw) / (product(arc, arc->b, now->tw) + now->ts);
    int n = arc->central->blocks->n;
    for (int i = 0; i < n; i++) {
        arc->a[i] += ds * arc->b[i];
        arc->wa[i] += ds * arc->wb[i];
    }
    move(arc, NULL, 1.0, arc->a);
    *sigma += ds;
    return sqrt(fmax(product(arc, arc->a, arc->wa), 0.0) + ds * ds);
}

/* What |G| is driven to.  Where contacts stick z is known to G / tau only. */
static double noise_at(const perp_arclength *arc, double sigma)
{
    double unit = exp(0.5 * sigma);
    return arc->limits->noise * unit * fmin(1.0, 100.0 * unit);
}

/* Corrections with the last factors while each takes most of the error away.  The error left. */
static double polish(perp_arclength *arc, perp_work *work, double *sigma, double error)
{
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    for (int k = 0; k < POLISH && error > noise_at(arc, *sigma); k++) {
        double before = *sigma;
        memcpy(arc->old_z, arc->z, bytes);
        memcpy(arc->old_low, arc->low, bytes);
        solve(arc, work, arc->a, arc->wa, arc->G, correction_left);
        correct(arc, sigma);
        double next = value(arc, work, *sigma);
        if (!(next < 0.3 * error)) {
            memcpy(arc->z, arc->old_z, bytes);
            memcpy(arc->low, arc->old_low, bytes);
            *sigma = before;
            return value(arc, work, *sigma);
        }
        error = next;
    }
    return error;
}

/* Corrections from the predicted point.  1: accepted, the demand (1: as much as the limits
 * allow) in *demand. */
static int corrected(perp_arclength *arc, perp_work *work, double h, double *sigma, double *demand,
                     perp_status *status)
{
    const perp_arclength_limits *limits = arc->limits;
    double before = INFINITY, last = INFINITY;
    value(arc, work, *sigma);
    *demand = 0.0;
    for (int k = 0; k < limits->corrections; k++) {
        *status = linearise(arc, work, *sigma);
        if (*status != PERP_SOLVED)
            return 0;
        double length = correct(arc, sigma);
        double share =
            k == 0 ? length / (h * limits->distance) : length / (before * limits->contraction);
        if (length > negligible && (k == 0 || length > 1e-6 * h))
            *demand = fmax(*demand, share);
        if (!(*demand <= 1.0) || !(fabs(*sigma - arc->now.sigma) < 2.0 * h + 1.0))
            return 0;
        before = length;
        double error = value(arc, work, *sigma);
        double unit = exp(0.5 * *sigma);
        if (error <= limits->residual * unit)
            error = polish(arc, work, sigma, error);
        /* At the noise asked for, or where another factorisation did not help. */
        if (error <= noise_at(arc, *sigma) ||
            (error <= limits->residual * unit && error > 0.5 * last))
            return 1;
        last = error;
    }
    *demand = INFINITY;
    return 0;
}

static int fatal(perp_status status)
{
    return status != PERP_SOLVED && status != PERP_ERR_SINGULAR && status != PERP_ERR_NUMERICAL;
}

/* From old to now along the tangent of old. */
static double advance(const perp_arclength *arc)
{
    const perp_arclength_point *now = &arc->now, *old = &arc->old;
    for (int i = 0; i < arc->central->blocks->n; i++)
        arc->a[i] = -apart(arc, i);
    return product(arc, arc->a, old->tw) + (now->sigma - old->sigma) * old->ts;
}

/* The point itself corrected down to the noise, and its own tangent: where that of the last
 * linearisation failed, or corrections before it ended early. */
static perp_status refresh(perp_arclength *arc, perp_work *work)
{
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    double sigma = arc->now.sigma, error = INFINITY;
    memcpy(arc->z, arc->now.z, bytes);
    memcpy(arc->low, arc->now.low, bytes);
    for (int k = 0; k < REFRESH; k++) {
        double next = value(arc, work, sigma);
        if (!(next < error))
            break;
        perp_status status = linearise(arc, work, sigma);
        if (status != PERP_SOLVED)
            return status;
        error = next;
        keep(&arc->now, arc);
        arc->now.sigma = sigma;
        tangent(arc, &arc->now, &arc->now);
        if (error <= noise_at(arc, sigma))
            break;
        correct(arc, &sigma);
    }
    arc->last_step = 0.0;
    return PERP_SOLVED;
}

perp_status perp_arclength_step(perp_arclength *arc, perp_work *work)
{
    double h = arc->step, sigma, demand;
    int rejected = 0;
    for (; h >= arc->limits->shortest; h *= 0.4) {
        perp_status status = PERP_SOLVED;
        predict(arc, h, &sigma);
        int good = corrected(arc, work, h, &sigma, &demand, &status);
        if (fatal(status))
            return status;
        if (!good) {
            if (++rejected == REFRESH && refresh(arc, work) == PERP_SOLVED)
                h *= 2.5;
            continue;
        }
        /* The tangent of the last linearisation goes where the old point was. */
        double cosine = tangent(arc, &arc->old, &arc->now);
        if (!(cosine >= arc->limits->cosine)) {
            arc->last_step = 0.0;
            continue;
        }
        keep(&arc->old, arc);
        arc->old.sigma = sigma;
        perp_arclength_point next = arc->old;
        arc->old = arc->now;
        arc->now = next;
        arc->folds += arc->now.ts * arc->old.ts < 0.0;
        arc->last_step = advance(arc);
        double turn = (1.0 - cosine) / fmax(1.0 - arc->limits->cosine, 1e-3);
        demand = fmax(fmax(demand, turn), 1e-3);
        double grow = fmin(fmax(0.7 / sqrt(demand), 0.5), 2.0);
        arc->step = fmin(h * grow, arc->limits->longest);
        return PERP_SOLVED;
    }
    return PERP_STALLED;
}
