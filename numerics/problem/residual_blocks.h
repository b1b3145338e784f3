/* SPDX-License-Identifier: BSD-3-Clause */
/* What one block adds to the sums of residual.c: every set in both measures, on the two lanes of a
 * pair.  Besides that file only distributed/certificate.c includes this. */
#ifndef PERP_PROBLEM_RESIDUAL_BLOCKS_H
#define PERP_PROBLEM_RESIDUAL_BLOCKS_H

#include <float.h>
#include <math.h>

#include "problem/blocks.h"
#include "sets/cone.h"
#include "sets/rolling.h"
#include "sets/set.h"

/* Above this mu^2 is not formed. */
#define WIDEST_CONE 1e100

#define INLINE static inline __attribute__((always_inline))

/* Lane 0 natural, lane 1 scaled: z and d z, w and w / d. */
typedef double pair __attribute__((vector_size(16)));
typedef long long mask __attribute__((vector_size(16)));

/* Sums of squares: the two maps and the norms; distances to K and K*; |z.y|. */
typedef struct sums {
    pair map, z, w, q;
    double primal, dual, gap;
} sums;

static const sums nothing;

/* Factors of one block: z and bounds take up, w and q take down. */
typedef struct units {
    pair up, down;
} units;

INLINE pair choose(mask yes, pair a, pair b)
{
    return (pair)(((mask)a & yes) | ((mask)b & ~yes));
}

INLINE pair root(pair x)
{
    return (pair){sqrt(x[0]), sqrt(x[1])};
}

INLINE pair square(pair x)
{
    return x * x;
}

/* |z - P(z - y)|^2 for the cone |z_T| <= mu z_N in three rows, narrow = 1 / (1 + mu^2).
 * Without branches: which case holds cannot be predicted. */
INLINE pair cone_map(const pair z[3], const pair y[3], double mu, double narrow)
{
    const pair zero = {0.0, 0.0};
    pair x0 = z[0] - y[0], x1 = z[1] - y[1], x2 = z[2] - y[2];
    pair tangent = root(x1 * x1 + x2 * x2), a = x0 + mu * tangent;
    mask inside = (x0 >= zero) & (tangent <= mu * x0), between = a > zero;
    a = choose(between, a * narrow, zero);
    pair f = choose(between, mu * a / tangent, zero);
    return square(choose(inside, y[0], z[0] - a)) + square(choose(inside, y[1], z[1] - f * x1)) +
           square(choose(inside, y[2], z[2] - f * x2));
}

/* The same in two rows. */
INLINE pair flat_cone_map(const pair z[2], const pair y[2], double mu, double narrow)
{
    const pair zero = {0.0, 0.0};
    pair x0 = z[0] - y[0], x1 = z[1] - y[1];
    pair tangent = choose(x1 < zero, -x1, x1), a = x0 + mu * tangent;
    mask inside = (x0 >= zero) & (tangent <= mu * x0);
    a = choose(a > zero, a * narrow, zero);
    pair t = choose(x1 < zero, -mu * a, mu * a);
    return square(choose(inside, y[0], z[0] - a)) + square(choose(inside, y[1], z[1] - t));
}

/* The same, and any mu, by the careful projection. */
static pair wide_cone_map(const pair z[3], const pair y[3], double mu)
{
    pair sum = {0.0, 0.0};
    for (int lane = 0; lane < 2; lane++) {
        double p[3];
        for (int i = 0; i < 3; i++)
            p[i] = z[i][lane] - y[i][lane];
        perp_cone_project(p, p, &mu, 3);
        for (int i = 0; i < 3; i++)
            sum[lane] += (z[i][lane] - p[i]) * (z[i][lane] - p[i]);
    }
    return sum;
}

/* dist(z, K)^2 for the cone, given z_N and |z_T|^2. */
INLINE double cone_distance(double z0, double tangent2, double mu, double narrow)
{
    double limit = mu * z0;
    if (z0 >= 0.0 && tangent2 <= limit * limit)
        return 0.0;
    double tangent = sqrt(tangent2), t = tangent - limit;
    return z0 + mu * tangent <= 0.0 ? z0 * z0 + tangent2 : t * t * narrow;
}

/* dist(y, K*)^2, given excess = y_N - mu |y_T| (exact where y_N = w_N + mu |w_T|). */
INLINE double cone_dual(double y0, double tangent, double excess, double mu, double narrow)
{
    double t = excess < 0.0 ? excess : 0.0;
    return tangent <= -mu * y0 ? y0 * y0 + tangent * tangent : t * t * narrow;
}

/* 1: an open contact, z = 0 and w_N >= 0, of which nothing but the norms is left. */
INLINE int is_open(const perp_block *block, const double *z, const double *w)
{
    return block->set == PERP_COULOMB && w[0] >= 0.0 && z[0] == 0.0 && z[1] == 0.0 &&
           (block->dim == 2 || z[2] == 0.0);
}

INLINE void add_open(sums *t, const double *w, const double *q, int dim, units u)
{
    for (int i = 0; i < dim; i++) {
        t->w += square(u.down * w[i]);
        t->q += square(u.down * q[i]);
    }
}

/* A cone of two or three rows; shifted: with the De Saxce term. */
INLINE void add_cone(sums *t, const pair z[3], const pair w[3], double mu, int shifted, int flat,
                     units u)
{
    double tangent = flat ? fabs(w[1][0]) : sqrt(w[1][0] * w[1][0] + w[2][0] * w[2][0]);
    double y0 = shifted ? w[0][0] + mu * tangent : w[0][0];
    double excess = shifted ? w[0][0] : y0 - mu * tangent;
    pair y[3] = {(pair){y0, y0 * (u.down[1] / u.down[0])}, w[1], w[2]};
    t->gap += fabs(z[0][0] * y0 + z[1][0] * w[1][0] + z[2][0] * w[2][0]);
    if (mu > WIDEST_CONE) {
        const pair none[3] = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
        double far = excess < 0.0 ? excess / mu : 0.0;
        t->map += wide_cone_map(z, y, mu);
        t->primal += wide_cone_map(z, none, mu)[0];
        t->dual += far * far;
        return;
    }
    double narrow = 1.0 / (1.0 + mu * mu);
    t->map += flat ? flat_cone_map(z, y, mu, narrow) : cone_map(z, y, mu, narrow);
    t->primal += cone_distance(z[0][0], z[1][0] * z[1][0] + z[2][0] * z[2][0], mu, narrow);
    t->dual += cone_dual(y0, tangent, excess, mu, narrow);
}

/* |z - P(z - w)|^2 in one lane of a cone of any size. */
static double long_cone_map(const double *z, const double *w, double up, double down, double mu,
                            int dim)
{
    double x0 = up * z[0] - down * w[0], tangent2 = 0.0, sum = 0.0;
    for (int i = 1; i < dim; i++) {
        double x = up * z[i] - down * w[i];
        tangent2 += x * x;
    }
    double tangent = sqrt(tangent2), f = 1.0, e0 = down * w[0];
    if (x0 < 0.0 || tangent > mu * x0) {
        double h = perp_length2(1.0, mu), c = 1.0 / h, s = mu / h, a = c * x0 + s * tangent;
        a = mu * tangent <= -x0 ? 0.0 : a;
        f = a > 0.0 ? s * a / tangent : 0.0;
        e0 = up * z[0] - c * a;
    }
    for (int i = 1; i < dim; i++) {
        double x = up * z[i] - down * w[i];
        double e = f == 1.0 ? down * w[i] : up * z[i] - f * x;
        sum += e * e;
    }
    return e0 * e0 + sum;
}

static void add_long_cone(sums *t, const double *z, const double *w, double mu, int dim, units u)
{
    double a = u.up[0], b = u.down[0], dot = 0.0, z2 = 0.0, w2 = 0.0;
    mu = mu < WIDEST_CONE ? mu : WIDEST_CONE; /* without a shift the same to rounding */
    for (int i = 1; i < dim; i++) {
        double zi = a * z[i], wi = b * w[i];
        dot += zi * wi;
        z2 += zi * zi;
        w2 += wi * wi;
    }
    double z0 = a * z[0], w0 = b * w[0], tangent = sqrt(w2), narrow = 1.0 / (1.0 + mu * mu);
    for (int lane = 0; lane < 2; lane++)
        t->map[lane] += long_cone_map(z, w, u.up[lane], u.down[lane], mu, dim);
    t->primal += cone_distance(z0, z2, mu, narrow);
    t->dual += cone_dual(w0, tangent, w0 - mu * tangent, mu, narrow);
    t->gap += fabs(z0 * w0 + dot);
}

/* The bound that w presses on; where that one is infinite the other one; where both are, 0. */
INLINE double pressed_bound(double w, double lo, double hi)
{
    double near = w > 0.0 ? lo : hi, far = w > 0.0 ? hi : lo;
    far = fabs(far) <= DBL_MAX ? far : 0.0;
    return fabs(near) <= DBL_MAX ? near : far;
}

/* lo <= z <= hi. */
INLINE void add_interval(sums *t, pair z, pair w, const double *par, units u)
{
    pair low = u.up * par[0], high = u.up * par[1], x = z - w;
    double z0 = z[0], w0 = w[0], below = low[0] - z0, above = z0 - high[0];
    double out = below > above ? below : above;
    t->map += square(choose(x < low, z - low, choose(x > high, z - high, w)));
    t->primal += out > 0.0 ? out * out : 0.0;
    t->dual += (w0 > 0.0 ? low[0] < -DBL_MAX : high[0] > DBL_MAX) ? w0 * w0 : 0.0;
    t->gap += fabs((z0 - pressed_bound(w0, low[0], high[0])) * w0);
}

INLINE void add_half_line(sums *t, pair z, pair w)
{
    const pair zero = {0.0, 0.0};
    t->map += square(choose(z - w < zero, z, w));
    t->primal += z[0] < 0.0 ? z[0] * z[0] : 0.0;
    t->dual += w[0] < 0.0 ? w[0] * w[0] : 0.0;
    t->gap += fabs(z[0] * w[0]);
}

/* |z - P(z - w)|^2 for the disk of radius r. */
INLINE pair disk_map(pair z1, pair z2, pair w1, pair w2, pair r)
{
    pair x1 = z1 - w1, x2 = z2 - w2, length = root(x1 * x1 + x2 * x2), f = r / length;
    mask inside = length <= r;
    return square(choose(inside, w1, z1 - f * x1)) + square(choose(inside, w2, z2 - f * x2));
}

static void add_tresca(sums *t, const pair z[3], const pair w[3], double radius, units u)
{
    const pair zero = {0.0, 0.0};
    pair r = u.up * radius;
    double slide = sqrt(w[1][0] * w[1][0] + w[2][0] * w[2][0]);
    double work = z[1][0] * w[1][0] + z[2][0] * w[2][0] + r[0] * slide;
    t->map += square(choose(z[0] - w[0] < zero, z[0], w[0])) + disk_map(z[1], z[2], w[1], w[2], r);
    t->primal += z[0][0] < 0.0 ? z[0][0] * z[0][0] : 0.0;
    t->primal += disk_map(z[1], z[2], zero, zero, r)[0];
    t->dual += w[0][0] < 0.0 ? w[0][0] * w[0][0] : 0.0;
    t->gap += fabs(z[0][0] * w[0][0] + work);
}

/* |z - P(z - y)|^2 in one lane; where the projection leaves a row, its part is y. */
static double rolling_map(const double *z, const double *y, const double *par, int dim)
{
    double x[PERP_ROLLING_ROWS], p[PERP_ROLLING_ROWS], sum = 0.0;
    for (int i = 0; i < dim; i++)
        x[i] = z[i] - y[i];
    perp_set_rolling.project(p, x, par, dim);
    for (int i = 0; i < dim; i++) {
        double e = p[i] == x[i] ? y[i] : z[i] - p[i];
        sum += e * e;
    }
    return sum;
}

/* Row i of z, w and q in both lanes; their norms are added. */
INLINE void load(sums *t, pair *z, pair *w, double zi, double wi, double qi, units u)
{
    *z = u.up * zi;
    *w = u.down * wi;
    t->z += square(*z);
    t->w += square(*w);
    t->q += square(u.down * qi);
}

/* Moments have units of their own in lane 1. */
static void add_rolling(sums *t, const perp_block *block, const double *z, const double *w,
                        const double *q, units u)
{
    const int dim = block->dim, n = perp_rolling_rows(dim);
    double l = block->length, par[2][PERP_ROLLING_DISKS], a[2][PERP_ROLLING_DISKS];
    double x[2][PERP_ROLLING_ROWS], y[2][PERP_ROLLING_ROWS], of_z[PERP_ROLLING_DISKS];
    for (int i = 0; i < dim; i++) {
        double f = i > n ? l : 1.0;
        units own = {{u.up[0], u.up[1] / f}, {u.down[0], u.down[1] * f}};
        pair zi, wi;
        load(t, &zi, &wi, z[i], w[i], q[i], own);
        for (int lane = 0; lane < 2; lane++) {
            x[lane][i] = zi[lane];
            y[lane][i] = wi[lane];
        }
    }
    double excess = y[0][0];
    for (int lane = 0; lane < 2; lane++) {
        for (int k = 0; k < PERP_ROLLING_DISKS; k++)
            par[lane][k] = lane && k ? block->par[k] / l : block->par[k];
        perp_rolling_lengths(a[lane], y[lane], dim);
        y[lane][0] += perp_rolling_lever(a[lane], par[lane], dim);
        t->map[lane] += rolling_map(x[lane], y[lane], par[lane], dim);
    }
    perp_rolling_lengths(of_z, x[0], dim);
    double out = perp_rolling_distance(x[0][0], of_z, block->par, dim);
    double dual = perp_rolling_dual(excess, a[0], block->par, dim);
    t->primal += out * out;
    t->dual += dual * dual;
    t->gap += perp_set_rolling.gap(x[0], y[0], block->par, dim);
}

INLINE void add_block(sums *t, const perp_block *block, const double *z, const double *w,
                      const double *q, units u)
{
    pair x[3], y[3], skipped[2];
    int dim = block->dim;
    if (is_open(block, z, w)) {
        add_open(t, w, q, dim, u);
        return;
    }
    if (block->set == PERP_ROLLING) {
        add_rolling(t, block, z, w, q, u);
        return;
    }
    load(t, &x[0], &y[0], z[0], w[0], q[0], u);
    if (dim == 1) {
        if (block->set == PERP_NONNEG) {
            add_half_line(t, x[0], y[0]);
        } else if (block->set == PERP_BOX) {
            add_interval(t, x[0], y[0], block->par, u);
        } else {
            t->map += square(y[0]);
            t->dual += y[0][0] * y[0][0];
            t->gap += fabs(x[0][0] * y[0][0]);
        }
        return;
    }
    load(t, &x[1], &y[1], z[1], w[1], q[1], u);
    x[2] = y[2] = (pair){0.0, 0.0};
    if (dim == 2 && block->set != PERP_TRESCA) {
        add_cone(t, x, y, block->par[0], block->set == PERP_COULOMB, 1, u);
        return;
    }
    if (dim == 3)
        load(t, &x[2], &y[2], z[2], w[2], q[2], u);
    if (dim > 3) {
        for (int i = 2; i < dim; i++)
            load(t, &skipped[0], &skipped[1], z[i], w[i], q[i], u);
        add_long_cone(t, z, w, block->par[0], dim, u);
    } else if (block->set == PERP_TRESCA) {
        add_tresca(t, x, y, block->par[0], u);
    } else {
        add_cone(t, x, y, block->par[0], block->set == PERP_COULOMB, 0, u);
    }
}

#endif
