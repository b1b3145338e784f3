/* SPDX-License-Identifier: BSD-3-Clause */
/* One pass over the blocks adds up squares; a second kind of pass, on rescaled
 * data, is made only where a square left the range of doubles.
 *
 * Every set is a cone or has bounds with the unit of z, so that
 * d (z - P_K(z - y / d^2)) = d z - P_dK(d z - y / d):
 * one function per set serves both measures.
 */
#include "problem/residual.h"

#include <float.h>
#include <math.h>

#include "linalg/mat.h"
#include "sets/cone.h"
#include "sets/set.h"

/* Above this mu^2 is not formed. */
#define WIDEST_CONE 1e100

/* Sums of squares: the two maps, distances to K and K*, and the norms. */
typedef struct sums {
    double natural, scaled, primal, dual, gap;
    double z, w, q, y; /* y = w + s(w) */
    double zd, wd, qd; /* d z, w / d, q / d */
} sums;

static const sums nothing;

static inline double square3(double a, double b, double c)
{
    return a * a + b * b + c * c;
}

/* |z - P(z - y)|^2 for the wide cones, where hypot() is needed. */
static double wide_cone_map(double z0, double z1, double z2, double y0, double y1, double y2,
                            double mu)
{
    double p[3] = {z0 - y0, z1 - y1, z2 - y2};
    perp_cone_project(p, p, mu, 3);
    return square3(z0 - p[0], z1 - p[1], z2 - p[2]);
}

/* |z - P(z - y)|^2 for the cone |z_T| <= mu z_N in three rows. */
static inline double cone_map(double z0, double z1, double z2, double y0, double y1, double y2,
                              double mu)
{
    double x0 = z0 - y0, x1 = z1 - y1, x2 = z2 - y2;
    double limit = mu * x0, tangent2 = x1 * x1 + x2 * x2;
    if (x0 >= 0.0 && tangent2 <= limit * limit)
        return square3(y0, y1, y2);
    if (mu > WIDEST_CONE)
        return wide_cone_map(z0, z1, z2, y0, y1, y2, mu);
    double tangent = sqrt(tangent2), a = x0 + mu * tangent;
    if (a <= 0.0)
        return square3(z0, z1, z2);
    a /= 1.0 + mu * mu;
    double f = mu * a / tangent;
    return square3(z0 - a, z1 - f * x1, z2 - f * x2);
}

/* dist(z, K)^2 for the same cone. */
static inline double cone_distance(double z0, double z1, double z2, double mu)
{
    double limit = mu * z0, tangent2 = z1 * z1 + z2 * z2;
    if (z0 >= 0.0 && tangent2 <= limit * limit)
        return 0.0;
    if (mu > WIDEST_CONE)
        return wide_cone_map(z0, z1, z2, 0.0, 0.0, 0.0, mu);
    double tangent = sqrt(tangent2);
    if (z0 + mu * tangent <= 0.0)
        return square3(z0, z1, z2);
    double t = tangent - limit;
    return t * t / (1.0 + mu * mu);
}

/* dist(y, K*)^2, given excess = y_N - mu |y_T| (exact where y_N = w_N + mu |w_T|). */
static inline double cone_dual(double y0, double y1, double y2, double excess, double mu)
{
    if (excess >= 0.0)
        return 0.0;
    double limit = -mu * y0, tangent2 = y1 * y1 + y2 * y2;
    if (y0 <= 0.0 && tangent2 <= limit * limit)
        return y0 * y0 + tangent2;
    double t = mu > WIDEST_CONE ? excess / mu : excess / sqrt(1.0 + mu * mu);
    return t * t;
}

/* A cone of two or three rows; shifted: with the De Saxce term.  di = 1 / d. */
static inline void add_cone(sums *t, double z0, double z1, double z2, double w0, double w1,
                            double w2, double mu, int shifted, double d, double di)
{
    double tangent = sqrt(w1 * w1 + w2 * w2);
    double y0 = shifted ? w0 + mu * tangent : w0;
    double excess = shifted ? w0 : w0 - mu * tangent;
    t->natural += cone_map(z0, z1, z2, y0, w1, w2, mu);
    t->scaled += cone_map(d * z0, d * z1, d * z2, y0 * di, w1 * di, w2 * di, mu);
    t->primal += cone_distance(z0, z1, z2, mu);
    t->dual += cone_dual(y0, w1, w2, excess, mu);
    t->gap += fabs(z0 * y0 + z1 * w1 + z2 * w2);
}

/* |z - P(z - y)|^2 for y = b w, z = a z in a cone of any size. */
static double long_cone_map(const double *z, const double *w, double a, double b, double mu,
                            int dim)
{
    double x0 = a * z[0] - b * w[0], tangent2 = 0.0, sum = 0.0;
    for (int i = 1; i < dim; i++) {
        double x = a * z[i] - b * w[i];
        tangent2 += x * x;
    }
    double tangent = sqrt(tangent2);
    if (x0 >= 0.0 && tangent <= mu * x0) {
        for (int i = 0; i < dim; i++)
            sum += b * w[i] * (b * w[i]);
        return sum;
    }
    if (mu * tangent <= -x0) {
        for (int i = 0; i < dim; i++)
            sum += a * z[i] * (a * z[i]);
        return sum;
    }
    double h = perp_length2(1.0, mu), c = 1.0 / h, s = mu / h;
    double p = c * x0 + s * tangent, f = s * p / tangent, e0 = a * z[0] - c * p;
    sum = e0 * e0;
    for (int i = 1; i < dim; i++) {
        double e = a * z[i] - f * (a * z[i] - b * w[i]);
        sum += e * e;
    }
    return sum;
}

static void add_long_cone(sums *t, const double *z, const double *w, double mu, int dim, double d,
                          double di, double a, double b)
{
    double dot = 0.0, z2 = 0.0, w2 = 0.0;
    for (int i = 1; i < dim; i++) {
        double zi = a * z[i], wi = b * w[i];
        dot += zi * wi;
        z2 += zi * zi;
        w2 += wi * wi;
    }
    double z0 = a * z[0], w0 = b * w[0], wt = sqrt(w2);
    t->natural += long_cone_map(z, w, a, b, mu, dim);
    t->scaled += long_cone_map(z, w, d * a, di * b, mu, dim);
    t->primal += cone_distance(z0, sqrt(z2), 0.0, mu);
    t->dual += cone_dual(w0, wt, 0.0, w0 - mu * wt, mu);
    t->gap += fabs(z0 * w0 + dot);
}

/* |z - P(z - y)|^2 for lo <= z <= hi.  A NaN falls through to y. */
static inline double interval_map(double z, double y, double lo, double hi)
{
    double x = z - y;
    double e = x < lo ? z - lo : x > hi ? z - hi : y;
    return e * e;
}

static inline void add_interval(sums *t, double z, double w, double lo, double hi, double d,
                                double di)
{
    double bounds[2] = {lo, hi};
    double dual = perp_set_box.dual_distance(&w, bounds, 1);
    t->natural += interval_map(z, w, lo, hi);
    t->scaled += interval_map(d * z, w * di, d * lo, d * hi);
    t->primal += interval_map(z, 0.0, lo, hi);
    t->dual += dual * dual;
    t->gap += perp_set_box.gap(&z, &w, bounds, 1);
}

static inline void add_half_line(sums *t, double z, double w, double d, double di)
{
    double e = z - w < 0.0 ? z : w, x = d * z - w * di, ed = x < 0.0 ? d * z : w * di;
    t->natural += e * e;
    t->scaled += ed * ed;
    t->primal += z < 0.0 ? z * z : 0.0;
    t->dual += w < 0.0 ? w * w : 0.0;
    t->gap += fabs(z * w);
}

static inline void add_line(sums *t, double z, double w, double di)
{
    t->natural += w * w;
    t->scaled += w * di * (w * di);
    t->dual += w * w;
    t->gap += fabs(z * w);
}

/* |z - P(z - y)|^2 for the disk of radius r. */
static inline double disk_map(double z1, double z2, double y1, double y2, double r)
{
    double x1 = z1 - y1, x2 = z2 - y2, length2 = x1 * x1 + x2 * x2;
    if (length2 <= r * r)
        return y1 * y1 + y2 * y2;
    double f = r / sqrt(length2), e1 = z1 - f * x1, e2 = z2 - f * x2;
    return e1 * e1 + e2 * e2;
}

static inline void add_tresca(sums *t, const double z[3], const double w[3], double r, double d,
                              double di)
{
    double e = z[0] - w[0] < 0.0 ? z[0] : w[0];
    double ed = d * z[0] - w[0] * di < 0.0 ? d * z[0] : w[0] * di;
    double slide = z[1] * w[1] + z[2] * w[2] + r * sqrt(w[1] * w[1] + w[2] * w[2]);
    t->natural += e * e + disk_map(z[1], z[2], w[1], w[2], r);
    t->scaled += ed * ed + disk_map(d * z[1], d * z[2], w[1] * di, w[2] * di, d * r);
    t->primal += (z[0] < 0.0 ? z[0] * z[0] : 0.0) + disk_map(z[1], z[2], 0.0, 0.0, r);
    t->dual += w[0] < 0.0 ? w[0] * w[0] : 0.0;
    t->gap += fabs(z[0] * w[0] + slide);
}

/* Blocks of two or three rows; a missing third row is 0. */
static inline void add_contact(sums *t, const perp_block *block, const double *z, const double *w,
                               double d, double di, double a, double b)
{
    int third = block->dim == 3;
    double x[3] = {a * z[0], a * z[1], third ? a * z[2] : 0.0};
    double y[3] = {b * w[0], b * w[1], third ? b * w[2] : 0.0};
    if (block->set == PERP_TRESCA)
        add_tresca(t, x, y, a * block->par[0], d, di);
    else
        add_cone(t, x[0], x[1], x[2], y[0], y[1], y[2], block->par[0], block->set == PERP_COULOMB,
                 d, di);
}

static inline void add_norms(sums *t, const double *z, const double *w, const double *q, int dim,
                             double d, double di, double a, double b)
{
    double z2 = 0.0, w2 = 0.0, q2 = 0.0;
    double d2 = 0.0, wd2 = 0.0, qd2 = 0.0;
    for (int i = 0; i < dim; i++) {
        double zi = a * z[i], wi = b * w[i], qi = b * q[i];
        z2 += zi * zi;
        w2 += wi * wi;
        q2 += qi * qi;
        d2 += d * zi * (d * zi);
        wd2 += wi * di * (wi * di);
        qd2 += qi * di * (qi * di);
    }
    t->z += z2;
    t->w += w2;
    t->q += q2;
    t->zd += d2;
    t->wd += wd2;
    t->qd += qd2;
}

/* The pass, with z and bounds multiplied by a, w and q by b. */
static inline __attribute__((always_inline)) void add_blocks(sums *t, const perp_blocks *blocks,
                                                             const double *scale, const double *z,
                                                             const double *w, const double *q,
                                                             double a, double b)
{
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        int row = block->row;
        double d = scale ? scale[k] : 1.0, di = 1.0 / d;
        switch (block->set) {
        case PERP_FREE:
            add_line(t, a * z[row], b * w[row], di);
            break;
        case PERP_NONNEG:
            add_half_line(t, a * z[row], b * w[row], d, di);
            break;
        case PERP_BOX:
            add_interval(t, a * z[row], b * w[row], a * block->par[0], a * block->par[1], d, di);
            break;
        default:
            if (block->dim <= 3)
                add_contact(t, block, z + row, w + row, d, di, a, b);
            else
                add_long_cone(t, z + row, w + row, block->par[0], block->dim, d, di, a, b);
        }
        if (block->dim == 3)
            add_norms(t, z + row, w + row, q + row, 3, d, di, a, b);
        else
            add_norms(t, z + row, w + row, q + row, block->dim, d, di, a, b);
    }
}

static double max3(double a, double b, double c)
{
    return fmax(a, fmax(b, c));
}

static double ratio(double square, double base)
{
    return base > 0.0 ? sqrt(square) / sqrt(base) : sqrt(square);
}

static double gap_ratio(const sums *t)
{
    double base = sqrt(t->z) * sqrt(fmax(t->q, t->w));
    return base > 0.0 ? t->gap / base : t->gap;
}

static void fill(perp_residuals *r, const sums *t)
{
    r->natural = ratio(t->natural, max3(t->q, t->z, t->w));
    r->scaled = ratio(t->scaled, max3(t->qd, t->zd, t->wd));
    r->primal = ratio(t->primal, t->z);
    r->dual = ratio(t->dual, fmax(t->q, t->w));
    r->gap = gap_ratio(t);
}

/* Largest |x_i|, or infinity where an entry is not finite. */
static double largest(const double *x, int n, double multiplier)
{
    double max = 0.0;
    for (int i = 0; i < n; i++) {
        double a = fabs(multiplier * x[i]);
        if (!(a <= DBL_MAX))
            return INFINITY;
        max = a > max ? a : max;
    }
    return max;
}

/* A power of two that brings x near to 1. */
static double unit(double x)
{
    if (x == 0.0)
        return 1.0;
    int e = ilogb(x);
    return ldexp(1.0, e > 1000 ? -1000 : e < -1000 ? 1000 : -e);
}

/* The pass again, for each measure in a unit in which its squares exist. */
static void fill_rescaled(perp_residuals *r, const perp_blocks *blocks, const double *scale,
                          const double *z, const double *w, const double *q)
{
    int n = blocks->n;
    double zmax = largest(z, n, 1.0), wqmax = fmax(largest(w, n, 1.0), largest(q, n, 1.0));
    double scaled = 0.0;
    for (int k = 0; scale && k < blocks->count; k++) {
        int row = blocks->at[k].row, dim = blocks->at[k].dim;
        scaled = fmax(scaled, largest(z + row, dim, scale[k]));
        scaled = fmax(scaled, largest(w + row, dim, 1.0 / scale[k]));
        scaled = fmax(scaled, largest(q + row, dim, 1.0 / scale[k]));
    }
    if (isinf(zmax) || isinf(wqmax) || isinf(scaled)) {
        *r = (perp_residuals){INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
        return;
    }
    sums t[3] = {nothing, nothing, nothing};
    double a = unit(fmax(zmax, wqmax)), b = unit(scaled);
    add_blocks(&t[0], blocks, scale, z, w, q, a, a);
    add_blocks(&t[1], blocks, scale, z, w, q, b, b);
    add_blocks(&t[2], blocks, scale, z, w, q, unit(zmax), unit(wqmax));
    r->natural = ratio(t[0].natural, max3(t[0].q, t[0].z, t[0].w));
    r->scaled = ratio(t[1].scaled, max3(t[1].qd, t[1].zd, t[1].wd));
    r->primal = ratio(t[2].primal, t[2].z);
    r->dual = ratio(t[2].dual, fmax(t[2].q, t[2].w));
    r->gap = gap_ratio(&t[2]);
}

/* 1 when no square that decides a measure has left the range. */
static int in_range(const sums *t)
{
    const double low = 1e-260, high = 1e280;
    double total = t->natural + t->scaled + t->z + t->w + t->q + t->zd + t->wd + t->qd;
    return total + fabs(t->gap) < high && (t->z > low || t->z == 0.0) && fmax(t->w, t->q) > low &&
           max3(t->zd, t->wd, t->qd) > low;
}

void perp_residual_given_w(const perp_problem *problem, const perp_blocks *blocks,
                           const perp_scaling *scaling, const double *z, const double *w,
                           perp_residuals *residuals)
{
    const double *scale = scaling ? scaling->d : NULL;
    sums t = nothing;
    add_blocks(&t, blocks, scale, z, w, problem->q, 1.0, 1.0);
    if (in_range(&t))
        fill(residuals, &t);
    else
        fill_rescaled(residuals, blocks, scale, z, w, problem->q);
    if (!scale)
        residuals->scaled = NAN;
}

perp_status perp_residual_compute(const perp_problem *problem, const perp_blocks *blocks,
                                  const perp_scaling *scaling, const double *z, double *w,
                                  double *scratch, perp_residuals *residuals)
{
    perp_status status = perp_mat_apply(w, &problem->M, z, scratch);
    if (status != PERP_SOLVED)
        return status;
    for (int i = 0; i < blocks->n; i++)
        w[i] += problem->q[i];
    perp_residual_given_w(problem, blocks, scaling, z, w, residuals);
    return PERP_SOLVED;
}

/* w is filled only when everything went well. */
static perp_status residual_in(perp_arena *arena, const perp_problem *problem, const double *z,
                               double *w, perp_residuals *residuals)
{
    perp_blocks blocks;
    perp_scaling scaling = {NULL, 0};
    perp_status status = perp_blocks_build(&blocks, problem, arena);
    if (status == PERP_SOLVED)
        status = perp_scaling_build(&scaling, problem, &blocks, arena);
    if (status != PERP_SOLVED)
        return status;
    double *product = PERP_TAKE(arena, double, blocks.n);
    double *scratch = PERP_TAKE(arena, double, perp_mat_scratch(&problem->M));
    if (!product || !scratch)
        return PERP_ERR_MEMORY;
    status = perp_residual_compute(problem, &blocks, &scaling, z, product, scratch, residuals);
    for (int i = 0; status == PERP_SOLVED && w && i < blocks.n; i++)
        w[i] = product[i];
    return status;
}

perp_status perp_residual(const perp_problem *problem, const double *z, double *w,
                          perp_residuals *residuals, const perp_allocator *allocator)
{
    perp_status status = perp_problem_check(problem, allocator, NULL);
    if (status != PERP_SOLVED)
        return status;
    if (!residuals || (!z && problem->M.rows > 0))
        return PERP_ERR_ARGUMENT;
    for (int i = 0; i < problem->M.rows; i++)
        if (!isfinite(z[i]))
            return PERP_ERR_NONFINITE;
    perp_arena arena;
    perp_arena_init(&arena, allocator);
    status = residual_in(&arena, problem, z, w, residuals);
    perp_arena_free(&arena);
    return status;
}
