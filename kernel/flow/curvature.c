/* SPDX-License-Identifier: BSD-3-Clause */
/* u_t, the rate of u = H v + h_t at fixed v, by the cubic through four points along the motion.
 * Five points tell where u has a corner (the curvature of a cam's profile jumps): all are then
 * taken on one side of it, and its time is left for the scheme, which ends a step there. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/flow/mechanics.h"

/* Points that a corner is looked for with; times that dt is shortened. */
enum { POINTS = 5, REFINEMENTS = 8 };
/* Fourth differences against first ones: of a smooth u, and of one that may have a corner. */
static const double smooth = 1e-8, sharp = 1e-2;
/* Of slopes at a corner, against their size. */
static const double least_jump = 1e-3;

typedef struct sampler {
    perp_mechanics *m;
    perp_link *link;
    double t, dt;
    double from, until; /* no corner in between that is known */
    double *x, *u;      /* N and rows */
} sampler;

/* Positions of the link's systems at NOW moved by their velocities for a time dt, gathered. */
static void gather_moved(double *x, const perp_link *link, double dt)
{
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        perp_system_move(x, s, s->q[PERP_NOW], s->v[PERP_NOW], dt);
        x += s->nq;
    }
}

/* u at time t + dt where the systems are carried on by their velocities. */
static int moved_rate(double *u, double *x, perp_link *link, double t, double dt)
{
    double *drift = NULL;
    gather_moved(x, link, dt);
    if (perp_link_jacobian(link->H, link, t + dt, x, link->lambda))
        return 1;
    if (perp_link_has_drift(link)) {
        drift = link->spare;
        if (perp_link_drift(drift, link, t + dt, x, link->lambda))
            return 1;
    }
    perp_link_rate(u, link, link->H, link->V, drift);
    return 0;
}

/* How far to look: a thousandth of the time in which coordinates change by their own size, at
 * most a hundredth of the step. */
static double look(const perp_mechanics *m, const perp_link *link)
{
    double largest = 1.0, fastest = 0.0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        for (int i = 0; i < s->nq; i++)
            largest = fmax(largest, fabs(s->q[PERP_NOW][i]));
        for (int i = 0; i < s->nv; i++)
            fastest = fmax(fastest, fabs(s->v[PERP_NOW][i]));
    }
    double dt = 0.01 * m->step->h;
    return fmin(dt, 1e-3 * largest / fmax(fastest, 1e-300));
}

/* The cubic through (a_k, f_k) and its slope, at 0. */
typedef struct cubic {
    double value, slope;
} cubic;

static cubic fit(const double *a, const double *f, int stride)
{
    cubic c = {0.0, 0.0};
    for (int k = 0; k < 4; k++) {
        double value = 1.0, slope = 0.0;
        for (int j = 0; j < 4; j++) {
            if (j == k)
                continue;
            double factor = 1.0 / (a[k] - a[j]);
            slope = slope * -a[j] * factor + value * factor;
            value *= -a[j] * factor;
        }
        c.value += value * f[k * stride];
        c.slope += slope * f[k * stride];
    }
    return c;
}

/* Row i at four points from `first` on, a dt apart, seen from the point `at`. */
static int fit_row(cubic *c, sampler *s, int i, double first, double at, double dt)
{
    double a[4], f[4];
    for (int k = 0; k < 4; k++) {
        a[k] = first + k - at;
        if (moved_rate(s->u, s->x, s->link, s->t, (first + k) * dt))
            return 1;
        f[k] = s->u[i];
    }
    *c = fit(a, f, 1);
    return 0;
}

/* Where two smooth pieces meet: in units of dt, and slopes by time on both sides. */
typedef struct corner {
    double at, jump, size;
} corner;

/* Where the cubics left and right of a corner within 2 dt of c->at meet; jump 0: nowhere near. */
static int meet(corner *c, sampler *s, int i, double dt)
{
    cubic left, right;
    double centre = c->at;
    for (int k = 0; k < 3; k++) {
        if (fit_row(&left, s, i, centre - 5.0, c->at, dt) ||
            fit_row(&right, s, i, centre + 2.0, c->at, dt))
            return 1;
        double gone = (left.value - right.value) / (right.slope - left.slope);
        c->jump = c->size = 0.0;
        if (!(fabs(c->at + gone - centre) <= 2.5))
            return 0;
        c->at += gone;
    }
    c->jump = fabs(right.slope - left.slope) / dt;
    c->size = (fabs(left.slope) + fabs(right.slope)) / dt;
    return 0;
}

/* Time of a corner of row i from s->t on, near the middle of the points; HUGE_VAL where it is none:
 * u may only change fast. */
static int find_corner(double *time, sampler *s, int i, double middle)
{
    corner coarse = {.at = middle}, fine;
    double finer = 1e-3;
    *time = HUGE_VAL;
    if (meet(&coarse, s, i, s->dt))
        return 1;
    if (!(coarse.jump > least_jump * coarse.size))
        return 0;
    fine.at = coarse.at / finer;
    if (meet(&fine, s, i, finer * s->dt))
        return 1;
    if (fine.jump > least_jump * fmax(fine.size, coarse.size))
        *time = fine.at * finer * s->dt;
    return 0;
}

/* What the terms of u_i may be as large as: they can cancel, and entries of H are sums too. */
static double size_of_terms(const perp_link *link, int i)
{
    double entry = 0.0, speeds = 0.0;
    for (int j = 0; j < link->nv; j++) {
        entry = fmax(entry, fabs(link->H[(size_t)j * (size_t)link->rows + (size_t)i]));
        speeds += fabs(link->V[j]);
    }
    return entry * speeds;
}

/* The fourth difference against the largest first one, of the row where this is largest; 0 where
 * it is rounding. */
static double unevenness(int *row, const double *f, const sampler *s)
{
    int rows = s->link->rows;
    static const double fourth[POINTS] = {1.0, -4.0, 6.0, -4.0, 1.0};
    double worst = 0.0;
    *row = -1;
    for (int i = 0; i < rows; i++) {
        double sum = 0.0, largest = size_of_terms(s->link, i), change = 0.0;
        for (int k = 0; k < POINTS; k++) {
            double value = f[k * rows + i];
            sum += fourth[k] * value;
            largest = fmax(largest, fabs(value));
            change = fmax(change, k > 0 ? fabs(value - f[(k - 1) * rows + i]) : 0.0);
        }
        double rounding = 512.0 * DBL_EPSILON * (largest + fabs(s->t) / s->dt * change);
        if (fabs(sum) > worst * change + rounding) {
            worst = fabs(sum) / change;
            *row = i;
        }
    }
    return worst;
}

/* All rows at points from `first` on. */
static int sample(double *f, sampler *s, double first)
{
    for (int k = 0; k < POINTS; k++)
        if (moved_rate(f + k * s->link->rows, s->x, s->link, s->t, (first + k) * s->dt))
            return 1;
    return 0;
}

/* Where the five points begin so that they lie between the corners that are known. */
static double begin(const sampler *s)
{
    double first = -2.0;
    if (s->t + 2.0 * s->dt > s->until)
        first = (s->until - s->t) / s->dt - 4.0;
    if (s->t - 2.0 * s->dt < s->from)
        first = (s->from - s->t) / s->dt;
    return first;
}

/* Looks for a corner that the points have shown; 1 in *found where they keep off it from now on. */
static int keep_off(int *found, sampler *s, int row, double first)
{
    perp_mechanics *m = s->m;
    double time;
    if (find_corner(&time, s, row, first + 2.0))
        return 1;
    *found = time < HUGE_VAL;
    if (*found && time > 0.0) {
        s->until = fmin(s->until, s->t + time);
        m->corner = fmin(m->corner, s->until);
    } else if (*found) {
        s->from = fmax(s->from, s->t + time);
    }
    return 0;
}

/* All rows at points, *first the first of them, so near to each other or on such a side of a corner
 * that u is smooth there. */
static int sample_smooth(double *f, double *first, sampler *s)
{
    for (int k = 0;; k++) {
        int row, found = 0;
        *first = begin(s);
        if (sample(f, s, *first))
            return 1;
        double uneven = unevenness(&row, f, s);
        if (uneven <= smooth || k == REFINEMENTS)
            return 0;
        if (uneven > sharp && keep_off(&found, s, row, *first))
            return 1;
        if (!found)
            s->dt *= 0.125;
    }
}

perp_status perp_mechanics_curvature(double *u_t, perp_mechanics *m, perp_link *link, double t)
{
    int rows = link->rows;
    memset(u_t, 0, sizeof(double) * (size_t)rows);
    if (perp_link_is_constant(link))
        return PERP_SOLVED;
    double *f = m->curve, first;
    sampler s = {.m = m,
                 .link = link,
                 .t = t,
                 .dt = look(m, link),
                 .from = m->from,
                 .until = m->until,
                 .x = f + (POINTS + 1) * rows,
                 .u = f + POINTS * rows};
    perp_link_gather_v(link, PERP_NOW);
    if (sample_smooth(f, &first, &s))
        return PERP_INTERRUPTED;
    const double a[4] = {first, first + 1.0, first + 3.0, first + 4.0};
    for (int k = 2; k < 4; k++)
        memcpy(f + k * rows, f + (k + 1) * rows, sizeof(double) * (size_t)rows);
    for (int i = 0; i < rows; i++)
        u_t[i] = fit(a, f + i, rows).slope / s.dt;
    return PERP_SOLVED;
}
