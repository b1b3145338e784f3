/* SPDX-License-Identifier: BSD-3-Clause */
/* Projections by their optimality conditions and against sampled points,
 * Jacobians and shift gradients against differences, distances and gaps
 * against maxima over sampled generators. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "sets/rolling.h"
#include "sets/set.h"
#include "tests/fixtures/rolling_layout.h"

enum { MAX_DIM = 9, SAMPLES = 4000 };

typedef struct sample {
    int set, dim;
    double par[3];
} sample;

/* A random set, dimension and parameters. */
static sample random_set(perp_rng *rng)
{
    static const double mus[] = {0.0, 1e-3, 0.3, 1.0, 10.0};
    sample s = {perp_rng_below(rng, PERP_SET_COUNT), 1, {0.0, 0.0, 0.0}};
    if (s.set == PERP_TRESCA || s.set == PERP_COULOMB)
        s.dim = 2 + perp_rng_below(rng, 2);
    if (s.set == PERP_SOC)
        s.dim = 2 + perp_rng_below(rng, MAX_DIM - 1);
    if (s.set == PERP_ROLLING) {
        s.dim = 3 + perp_rng_below(rng, 4);
        s.par[1] = mus[perp_rng_below(rng, 5)];
        s.par[2] = s.dim == 6 ? mus[perp_rng_below(rng, 5)] : 0.0;
    }
    if (s.set == PERP_BOX) {
        s.par[0] = perp_rng_below(rng, 4) ? perp_rng_signed(rng) : -INFINITY;
        s.par[1] = perp_rng_below(rng, 4) ? fmax(s.par[0], -1.0) + perp_rng_uniform(rng) : INFINITY;
    } else if (s.set >= PERP_TRESCA) {
        s.par[0] = mus[perp_rng_below(rng, 5)];
    }
    return s;
}

static double length(const double *x, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sqrt(sum);
}

/* Length of part k of a block of ROLLING. */
static double part_length(const double *x, int dim, int k)
{
    layout_part part = rolling_part(dim, k);
    return length(x + part.first, part.rows);
}

static double dot(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* How far p is outside K, by the inequalities that define it. */
static double violation(const sample *s, const double *p)
{
    double tangent = length(p + 1, s->dim - 1), outside = fmax(0.0, -p[0]);
    switch (s->set) {
    case PERP_FREE:
        return 0.0;
    case PERP_NONNEG:
        return fmax(0.0, -p[0]);
    case PERP_BOX:
        return fmax(0.0, fmax(s->par[0] - p[0], p[0] - s->par[1]));
    case PERP_TRESCA:
        return fmax(fmax(0.0, -p[0]), tangent - s->par[0]);
    case PERP_ROLLING:
        for (int k = 0; k < LAYOUT_PARTS; k++)
            outside = fmax(outside, part_length(p, s->dim, k) - s->par[k] * fmax(p[0], 0.0));
        return outside;
    default:
        return fmax(fmax(0.0, -p[0]), tangent - s->par[0] * p[0]);
    }
}

/* A random point of K. */
static void random_member(double *k, const sample *s, perp_rng *rng)
{
    for (int i = 0; i < s->dim; i++)
        k[i] = 3.0 * perp_rng_signed(rng);
    if (s->set == PERP_BOX) {
        double lo = fmax(s->par[0], -5.0), hi = fmin(s->par[1], 5.0);
        k[0] = lo + (hi - lo) * perp_rng_uniform(rng);
    }
    if (s->set == PERP_NONNEG || s->set >= PERP_TRESCA)
        k[0] = fabs(k[0]);
    int parts = s->set == PERP_ROLLING ? LAYOUT_PARTS : 1;
    for (int part = 0; part < parts && s->set >= PERP_TRESCA; part++) {
        layout_part at = parts == 1 ? (layout_part){1, s->dim - 1} : rolling_part(s->dim, part);
        double *x = k + at.first, tangent = length(x, at.rows);
        double radius = s->set == PERP_TRESCA ? s->par[0] : s->par[part] * k[0];
        double f = radius * (perp_rng_below(rng, 2) ? 1.0 : perp_rng_uniform(rng));
        for (int i = 0; i < at.rows; i++)
            x[i] *= f / tangent;
    }
}

START_TEST(projections_are_nearest_points)
{
    perp_rng rng = {11};
    for (int n = 0; n < SAMPLES; n++) {
        sample s = random_set(&rng);
        const perp_set_type *type = perp_set_type_of(s.set);
        double x[MAX_DIM], p[MAX_DIM], k[MAX_DIM], gap[MAX_DIM], member[MAX_DIM];
        for (int i = 0; i < s.dim; i++)
            x[i] = 3.0 * perp_rng_signed(&rng);
        type->project(p, x, s.par, s.dim);
        ck_assert_double_le(violation(&s, p), 1e-14);
        for (int i = 0; i < s.dim; i++)
            gap[i] = x[i] - p[i];
        for (int trial = 0; trial < 60; trial++) {
            random_member(k, &s, &rng);
            ck_assert_double_le(violation(&s, k), 1e-13);
            for (int i = 0; i < s.dim; i++)
                member[i] = k[i] - p[i];
            ck_assert_double_le(dot(gap, member, s.dim), 1e-12);
        }
    }
}
END_TEST

START_TEST(projections_repeat_and_do_not_expand)
{
    perp_rng rng = {12};
    for (int n = 0; n < SAMPLES; n++) {
        sample s = random_set(&rng);
        const perp_set_type *type = perp_set_type_of(s.set);
        double x[MAX_DIM], y[MAX_DIM], px[MAX_DIM], py[MAX_DIM], again[MAX_DIM];
        for (int i = 0; i < s.dim; i++) {
            x[i] = 3.0 * perp_rng_signed(&rng);
            y[i] = x[i] + (perp_rng_below(&rng, 2) ? 1.0 : 1e-6) * perp_rng_signed(&rng);
        }
        type->project(px, x, s.par, s.dim);
        type->project(again, px, s.par, s.dim);
        memcpy(py, y, sizeof y);
        type->project(py, py, s.par, s.dim);
        for (int i = 0; i < s.dim; i++) {
            ck_assert_double_eq_tol(again[i], px[i], 1e-14);
            py[i] -= px[i];
            y[i] -= x[i];
        }
        ck_assert_double_le(length(py, s.dim), length(y, s.dim) + 1e-14);
    }
}
END_TEST

/* Cones: P(t x) = t P(x) bit for bit for a power of two, also near the ends of the
 * range, and finite members of the cone for every mix of magnitudes. */
START_TEST(cones_survive_extreme_ranges)
{
    static const double sizes[] = {0.0, 1e-300, 1e-200, 1e-8, 1.0, 1e8, 1e200};
    static const double mus[] = {0.0, 1e-200, 1e-8, 0.3, 1.0, 10.0, 1e8, 1e200};
    const perp_set_type *type = perp_set_type_of(PERP_COULOMB);
    for (int a = 0; a < 7 * 7 * 7 * 8; a++) {
        double mu = mus[a % 8], x[3], p[3], J[9], g[3];
        x[0] = sizes[a / 8 % 7] * (a % 3 ? 1.0 : -1.0);
        x[1] = sizes[a / 56 % 7];
        x[2] = -sizes[a / 392 % 7];
        type->project(p, x, &mu, 3);
        type->jacobian(J, x, &mu, 3);
        type->shift_gradient(g, x, &mu, 3);
        double tangent = hypot(p[1], p[2]);
        for (int i = 0; i < 3; i++) {
            ck_assert(isfinite(p[i]));
            ck_assert(isfinite(g[i]));
        }
        for (int i = 0; i < 9; i++)
            ck_assert_double_le(fabs(J[i]), 1.0 + 1e-14);
        ck_assert(p[0] >= 0.0);
        if (mu > 1e-10 && tangent > 1e-290)
            ck_assert_double_le(tangent / mu, p[0] * (1.0 + 1e-14) + 1e-300);
        ck_assert_double_le(hypot(p[0], tangent),
                            hypot(x[0], hypot(x[1], x[2])) * (1.0 + 1e-14) + 1e-300);
        ck_assert(isfinite(type->dual_distance(x, &mu, 3)));
    }
    perp_rng rng = {13};
    for (int n = 0; n < SAMPLES; n++) {
        double mu = mus[3 + n % 3], x[3], p[3], big[3], pb[3];
        double t = ldexp(1.0, n % 2 ? 650 : -650);
        for (int i = 0; i < 3; i++) {
            x[i] = perp_rng_signed(&rng);
            big[i] = t * x[i];
        }
        type->project(p, x, &mu, 3);
        type->project(pb, big, &mu, 3);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(pb[i] / t, p[i], 1e-15);
    }
}
END_TEST

START_TEST(cone_edges)
{
    double zero[3] = {0.0, 0.0, 0.0}, edge[3] = {2.0, 1.2, 1.6}, polar[3] = {-2.0, 1.2, 1.6}, p[3];
    double mu = 1.0, flat = 0.0;
    const perp_set_type *type = perp_set_type_of(PERP_SOC);
    type->project(p, zero, &mu, 3);
    ck_assert(p[0] == 0.0 && p[1] == 0.0 && p[2] == 0.0);
    type->project(p, edge, &mu, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(p[i], edge[i], 1e-15);
    type->project(p, polar, &mu, 3);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(p[i], 0.0, 1e-15);
    type->project(p, edge, &flat, 3);
    ck_assert(p[0] == 2.0 && p[1] == 0.0 && p[2] == 0.0);
    ck_assert_double_eq(perp_set_type_of(PERP_COULOMB)->shift(edge, &flat, 3), 0.0);
}
END_TEST

/* The same for ROLLING: P is smooth where the distances to the cones and the
 * length of P change little. */
static int near_rolling_kink(const sample *s, const double *x, double margin)
{
    double p[6], lever = 0.0, width = margin * (1.0 + s->par[0] + s->par[1] + s->par[2]);
    perp_set_type_of(s->set)->project(p, x, s->par, s->dim);
    for (int k = 0; k < LAYOUT_PARTS && rolling_part(s->dim, k).rows; k++) {
        double a = part_length(x, s->dim, k);
        lever += s->par[k] * a;
        if (a < margin || (p[0] > 0.0 && fabs(a - s->par[k] * p[0]) < width))
            return 1;
    }
    return fabs(x[0] + lever) < width;
}

/* 1 when x is nearer than `margin` to a kink of P. */
static int near_kink(const sample *s, const double *x, double margin)
{
    double tangent = length(x + 1, s->dim - 1), mu = s->par[0];
    switch (s->set) {
    case PERP_ROLLING:
        return near_rolling_kink(s, x, margin);
    case PERP_FREE:
        return 0;
    case PERP_NONNEG:
        return fabs(x[0]) < margin;
    case PERP_BOX:
        return fabs(x[0] - s->par[0]) < margin || fabs(x[0] - s->par[1]) < margin;
    case PERP_TRESCA:
        return fabs(x[0]) < margin || fabs(tangent - mu) < margin || tangent < margin;
    default:
        return fabs(tangent - mu * x[0]) < margin || fabs(mu * tangent + x[0]) < margin ||
               tangent < margin;
    }
}

START_TEST(jacobians_match_differences)
{
    perp_rng rng = {14};
    int tried = 0;
    for (int n = 0; n < SAMPLES; n++) {
        sample s = random_set(&rng);
        const perp_set_type *type = perp_set_type_of(s.set);
        double x[MAX_DIM], J[MAX_DIM * MAX_DIM], hi[MAX_DIM], lo[MAX_DIM], h = 1e-5;
        for (int i = 0; i < s.dim; i++)
            x[i] = 2.0 * perp_rng_signed(&rng);
        if (near_kink(&s, x, 0.05))
            continue;
        tried++;
        type->jacobian(J, x, s.par, s.dim);
        for (int j = 0; j < s.dim; j++) {
            double save = x[j];
            x[j] = save + h;
            type->project(hi, x, s.par, s.dim);
            x[j] = save - h;
            type->project(lo, x, s.par, s.dim);
            x[j] = save;
            for (int i = 0; i < s.dim; i++) {
                ck_assert_double_eq_tol(J[i + j * s.dim], (hi[i] - lo[i]) / (2.0 * h), 1e-6);
                ck_assert_double_eq_tol(J[i + j * s.dim], J[j + i * s.dim], 1e-14);
            }
        }
    }
    ck_assert_int_gt(tried, SAMPLES / 2);
}
END_TEST

START_TEST(shift_gradients_match_differences)
{
    perp_rng rng = {15};
    for (int set = 0; set < PERP_SET_COUNT; set++)
        ck_assert((perp_set_type_of(set)->shift != NULL) ==
                  (set == PERP_COULOMB || set == PERP_ROLLING));
    for (int n = 0; n < SAMPLES; n++) {
        int rolls = n / 2 % 2, dim = rolls ? 3 + n / 4 % 4 : 2 + n % 2, small = 0;
        const perp_set_type *type = perp_set_type_of(rolls ? PERP_ROLLING : PERP_COULOMB);
        double mu[3] = {0.7, 0.3, 0.2}, w[6], g[6], h = 1e-5, expected = 0.0;
        for (int i = 0; i < dim; i++)
            w[i] = perp_rng_signed(&rng);
        for (int k = 0; k < LAYOUT_PARTS; k++) {
            layout_part part = rolls ? rolling_part(dim, k) : (layout_part){1, k ? 0 : dim - 1};
            expected += mu[k] * length(w + part.first, part.rows);
            small |= part.rows && length(w + part.first, part.rows) < 0.05;
        }
        if (small)
            continue;
        ck_assert_double_eq_tol(type->shift(w, mu, dim), expected, 1e-15);
        type->shift_gradient(g, w, mu, dim);
        for (int j = 0; j < dim; j++) {
            double save = w[j];
            w[j] = save + h;
            double hi = type->shift(w, mu, dim);
            w[j] = save - h;
            double lo = type->shift(w, mu, dim);
            w[j] = save;
            ck_assert_double_eq_tol(g[j], (hi - lo) / (2.0 * h), 1e-6);
        }
    }
}
END_TEST

/* max over the unit vectors k of the recession cone of -y.k, by sampling the
 * half-plane that holds the axis and -y_T, and 0. */
static double sampled_dual_distance(const sample *s, const double *y)
{
    double worst = 0.0, tangent = length(y + 1, s->dim - 1);
    if (s->set == PERP_FREE || (s->set == PERP_BOX && isinf(s->par[0])))
        worst = fmax(worst, y[0]);
    if (s->set != PERP_BOX || isinf(s->par[1]))
        worst = fmax(worst, -y[0]);
    if (s->set == PERP_ROLLING) {
        /* Generators (1, t mu c, r mu_r d, f mu_s e) over the cube of t, r, f, against the
         * parts of y. */
        int fine = s->dim == 6 ? 60 : 300, at[3];
        for (at[0] = 0; at[0] <= fine; at[0]++)
            for (at[1] = 0; at[1] <= fine; at[1]++)
                for (at[2] = s->dim == 6 ? 0 : fine; at[2] <= fine; at[2]++) {
                    double work = -y[0], size = 1.0;
                    for (int k = 0; k < LAYOUT_PARTS; k++) {
                        double m = s->par[k] * at[k] / fine;
                        work += m * part_length(y, s->dim, k);
                        size = hypot(size, m);
                    }
                    worst = fmax(worst, work / size);
                }
    }
    if (s->set == PERP_COULOMB || s->set == PERP_SOC) {
        double opening = atan(s->par[0]);
        for (int k = 0; k <= 20000; k++) {
            double angle = opening * k / 20000.0;
            worst = fmax(worst, -y[0] * cos(angle) + tangent * sin(angle));
        }
    }
    return worst;
}

START_TEST(dual_distances_match_sampling)
{
    perp_rng rng = {16};
    for (int n = 0; n < SAMPLES / 10; n++) {
        sample s = random_set(&rng);
        double y[MAX_DIM];
        for (int i = 0; i < s.dim; i++)
            y[i] = 2.0 * perp_rng_signed(&rng);
        double distance = perp_set_type_of(s.set)->dual_distance(y, s.par, s.dim);
        ck_assert_double_eq_tol(distance, sampled_dual_distance(&s, y),
                                s.dim == 6 && s.set == PERP_ROLLING ? 2e-2
                                : s.set == PERP_ROLLING             ? 1e-3
                                                                    : 1e-7);
    }
}
END_TEST

/* At z = P(x), y = z - x: -y is normal to K at z.  Elsewhere in K the gap is
 * positive for bounded directions: z.y exceeds its minimum over K. */
START_TEST(gaps_vanish_at_solutions_only)
{
    perp_rng rng = {17};
    for (int n = 0; n < SAMPLES; n++) {
        sample s = random_set(&rng);
        const perp_set_type *type = perp_set_type_of(s.set);
        double x[MAX_DIM], z[MAX_DIM], y[MAX_DIM], other[MAX_DIM];
        for (int i = 0; i < s.dim; i++)
            x[i] = 2.0 * perp_rng_signed(&rng);
        type->project(z, x, s.par, s.dim);
        for (int i = 0; i < s.dim; i++)
            y[i] = z[i] - x[i];
        ck_assert_double_le(type->gap(z, y, s.par, s.dim), 1e-13);
        ck_assert_double_le(type->dual_distance(y, s.par, s.dim), 1e-14);
        random_member(other, &s, &rng);
        double more = dot(other, y, s.dim) - dot(z, y, s.dim);
        ck_assert_double_eq_tol(type->gap(other, y, s.par, s.dim), more, 1e-12);
    }
}
END_TEST

/* n of the nearest point by bisection on the derivative of the squared distance. */
static long double nearest_normal(const double *x, const double *a, const double *par)
{
    long double lo = 0.0L, hi = fabsl((long double)x[0]) + a[0] + a[1] + a[2];
    for (int k = 0; k < 200; k++) {
        long double n = 0.5L * (lo + hi), slope = n - x[0];
        for (int part = 0; part < LAYOUT_PARTS; part++)
            slope -= par[part] * fmaxl(a[part] - par[part] * n, 0.0L);
        if (slope > 0.0L)
            hi = n;
        else
            lo = n;
    }
    return lo;
}

START_TEST(rolling_projections_by_bisection)
{
    static const double sizes[] = {1e-8, 1e-3, 1.0, 1e3, 1e8};
    perp_rng rng = {18};
    const perp_set_type *type = perp_set_type_of(PERP_ROLLING);
    for (int n = 0; n < 10 * SAMPLES; n++) {
        int dim = 3 + n % 4;
        double par[3] = {0.0}, x[6], p[6], gap[6], a[3], y0, size;
        for (int k = 0; k < LAYOUT_PARTS && rolling_part(dim, k).rows; k++)
            par[k] = sizes[perp_rng_below(&rng, 5)] * (perp_rng_below(&rng, 5) ? 1.0 : 0.0);
        for (int i = 0; i < dim; i++)
            x[i] = perp_rng_below(&rng, 6) ? sizes[perp_rng_below(&rng, 5)] * perp_rng_signed(&rng)
                                           : 0.0;
        for (int k = 0; k < LAYOUT_PARTS; k++)
            a[k] = part_length(x, dim, k);
        long double normal = nearest_normal(x, a, par);
        type->project(p, x, par, dim);
        size = length(x, dim) + 1e-300;
        y0 = x[0];
        ck_assert_double_eq_tol(p[0], (double)normal, 4e-15 * size);
        for (int k = 0; k < LAYOUT_PARTS; k++) {
            layout_part part = rolling_part(dim, k);
            double t = fmin(a[k], par[k] * (double)normal);
            for (int i = part.first; i < part.first + part.rows; i++)
                ck_assert_double_eq_tol(p[i], a[k] > 0.0 ? t * x[i] / a[k] : 0.0, 1e-14 * size);
            y0 += par[k] * a[k];
        }
        ck_assert_double_eq_tol(perp_rolling_length(x[0], a, par, dim), length(p, dim),
                                1e-14 * size);
        for (int i = 0; i < dim; i++)
            gap[i] = x[i] - p[i];
        ck_assert_double_eq_tol(perp_rolling_distance(x[0], a, par, dim), length(gap, dim),
                                1e-14 * size);
        ck_assert_double_eq_tol(perp_rolling_dual(x[0], a, par, dim),
                                perp_rolling_length(-y0, a, par, dim), 1e-15 * (fabs(y0) + size));
    }
}
END_TEST

/* Six rows with one part out of play are the block without it, to the bit. */
START_TEST(parts_that_say_nothing)
{
    perp_rng rng = {19};
    const perp_set_type *type = perp_set_type_of(PERP_ROLLING);
    for (int n = 0; n < SAMPLES; n++) {
        static const int kept[2][5] = {{0, 1, 2, 4, 5}, {0, 1, 2, 3, 0}};
        int out = n % 2, dim = out ? 4 : 5;
        double par[3] = {perp_rng_uniform(&rng), perp_rng_uniform(&rng), perp_rng_uniform(&rng)};
        double x[6], p[6], small[5], few[2] = {par[0], out ? par[2] : par[1]};
        for (int i = 0; i < 6; i++)
            x[i] = 2.0 * perp_rng_signed(&rng);
        for (int i = out ? 4 : 3; i < (out ? 6 : 4); i++)
            x[i] = 0.0;
        for (int i = 0; i < dim; i++)
            small[i] = x[kept[out][i]];
        type->project(p, x, par, 6);
        type->project(small, small, few, dim);
        for (int i = 0; i < dim; i++)
            ck_assert(p[kept[out][i]] == small[i]);
        for (int i = out ? 4 : 3; i < (out ? 6 : 4); i++)
            ck_assert(p[i] == 0.0);
    }
}
END_TEST

START_TEST(parameters_are_judged)
{
    static const struct {
        int set;
        double par[3];
        int good;
    } cases[] = {
        {PERP_FREE, {NAN, NAN}, 1},
        {PERP_NONNEG, {NAN, NAN}, 1},
        {PERP_BOX, {0, 1}, 1},
        {PERP_BOX, {1, 1}, 1},
        {PERP_BOX, {-INFINITY, INFINITY}, 1},
        {PERP_BOX, {1, 0}, 0},
        {PERP_BOX, {NAN, 1}, 0},
        {PERP_BOX, {0, NAN}, 0},
        {PERP_BOX, {INFINITY, INFINITY}, 0},
        {PERP_BOX, {-INFINITY, -INFINITY}, 0},
        {PERP_TRESCA, {0}, 1},
        {PERP_TRESCA, {-1}, 0},
        {PERP_TRESCA, {NAN}, 0},
        {PERP_COULOMB, {0}, 1},
        {PERP_COULOMB, {-1e-300}, 0},
        {PERP_COULOMB, {INFINITY}, 0},
        {PERP_COULOMB, {NAN}, 0},
        {PERP_SOC, {2}, 1},
        {PERP_SOC, {-2}, 0},
        {PERP_SOC, {NAN}, 0},
        {PERP_ROLLING, {0, 0}, 1},
        {PERP_ROLLING, {0.5, 1e-3}, 1},
        {PERP_ROLLING, {-1, 1}, 0},
        {PERP_ROLLING, {1, -1}, 0},
        {PERP_ROLLING, {1, INFINITY}, 0},
        {PERP_ROLLING, {NAN, 1}, 0},
        {PERP_ROLLING, {1, 1, 0.5}, 1},
        {PERP_ROLLING, {1, 1, -1}, 0},
        {PERP_ROLLING, {1, 1, INFINITY}, 0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        ck_assert_int_eq(perp_set_type_of(cases[k].set)->admissible(cases[k].par), cases[k].good);
    ck_assert_str_eq(perp_set_name(PERP_COULOMB), "COULOMB");
    ck_assert_ptr_null(perp_set_name((perp_set)PERP_SET_COUNT));
    ck_assert_ptr_null(perp_set_name((perp_set)-1));
    ck_assert_int_eq(perp_set_parameters(PERP_BOX, 1), 2);
    ck_assert_int_eq(perp_set_parameters(PERP_FREE, 1), 0);
    for (int dim = 3; dim <= 6; dim++)
        ck_assert_int_eq(perp_set_parameters(PERP_ROLLING, dim), dim == 6 ? 3 : 2);
    ck_assert_str_eq(perp_set_parameter(PERP_ROLLING, 2), "mu_s");
    ck_assert_ptr_null(perp_set_parameter(PERP_ROLLING, 3));
    ck_assert_ptr_null(perp_set_parameter(PERP_BOX, 2));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sets");
    TCase *tcase = tcase_create("sets");
    tcase_add_test(tcase, projections_are_nearest_points);
    tcase_add_test(tcase, projections_repeat_and_do_not_expand);
    tcase_add_test(tcase, cones_survive_extreme_ranges);
    tcase_add_test(tcase, cone_edges);
    tcase_add_test(tcase, rolling_projections_by_bisection);
    tcase_add_test(tcase, parts_that_say_nothing);
    tcase_add_test(tcase, jacobians_match_differences);
    tcase_add_test(tcase, shift_gradients_match_differences);
    tcase_add_test(tcase, dual_distances_match_sampling);
    tcase_add_test(tcase, gaps_vanish_at_solutions_only);
    tcase_add_test(tcase, parameters_are_judged);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
