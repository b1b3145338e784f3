/* SPDX-License-Identifier: BSD-3-Clause */
/* Norms of errors: cases by hand, dense sampling, and what a metric has to obey. */
#include <check.h>
#include <math.h>
#include <perp/kernel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "numerics/core/rng.h"

static perp_graph graph_of(const double *t, const double *x, int points)
{
    return (perp_graph){.t = t, .x = x, .points = points};
}

static double distance(const perp_graph *a, const perp_graph *b, int n, perp_vector_norm norm)
{
    double d = NAN;
    ck_assert_int_eq(perp_hausdorff(a, b, n, norm, NULL, &d, NULL), PERP_SOLVED);
    return d;
}

static double excess(const perp_graph *a, const perp_graph *b, int n, perp_vector_norm norm)
{
    double d = NAN;
    ck_assert_int_eq(perp_excess(a, b, n, norm, NULL, &d, NULL), PERP_SOLVED);
    return d;
}

static void assert_near(double found, double expected)
{
    ck_assert_msg(fabs(found - expected) <= 2e-14 * (1.0 + fabs(expected)), "%.17g, not %.17g",
                  found, expected);
}

START_TEST(grid_sums)
{
    const double value[] = {1, 2, -3, 4, 0, 0}, exact[] = {0, 2, 0, 0, 0, 0}, h = 0.5;
    double e, each[] = {1, 2, 3};
    ck_assert_int_eq(perp_error_l1(PERP_NORM_MAX, &h, 0, value, exact, 1, 6, &e), PERP_SOLVED);
    assert_near(e, 0.5 * (1 + 3 + 4));
    ck_assert_int_eq(perp_error_lp(2.0, PERP_NORM_MAX, &h, 0, value, exact, 1, 6, &e), PERP_SOLVED);
    assert_near(e, sqrt(0.5 * (1 + 9 + 16)));
    ck_assert_int_eq(perp_error_l1(PERP_NORM_MAX, each, 1, value, exact, 2, 3, &e), PERP_SOLVED);
    assert_near(e, 1 * 1 + 2 * 4 + 3 * 0);
    ck_assert_int_eq(perp_error_l1(PERP_NORM_EUCLIDEAN, each, 1, value, exact, 2, 3, &e),
                     PERP_SOLVED);
    assert_near(e, 1 * 1 + 2 * 5 + 3 * 0);
    ck_assert_int_eq(perp_error_lp(INFINITY, PERP_NORM_MAX, each, 1, value, exact, 2, 3, &e),
                     PERP_SOLVED);
    assert_near(e, 4);
    /* Powers that would overflow or vanish. */
    const double big[] = {3e200, 4e-200}, none[] = {0, 0}, unit = 1.0;
    ck_assert_int_eq(perp_error_lp(4.0, PERP_NORM_MAX, &unit, 0, big, none, 1, 1, &e), PERP_SOLVED);
    assert_near(e / 3e200, 1.0);
    ck_assert_int_eq(perp_error_lp(4.0, PERP_NORM_MAX, &unit, 0, big + 1, none, 1, 1, &e),
                     PERP_SOLVED);
    assert_near(e / 4e-200, 1.0);
    ck_assert_int_eq(perp_error_l1(PERP_NORM_MAX, &unit, 0, none, none, 2, 1, &e), PERP_SOLVED);
    ck_assert(e == 0.0);
}
END_TEST

START_TEST(grid_weights)
{
    const double t[] = {0, 1, 1, 4, 5}, expected[] = {0.5, 0.5, 1.5, 2, 0.5};
    double h[5];
    ck_assert_int_eq(perp_grid_weights(t, 5, h), PERP_SOLVED);
    for (int k = 0; k < 5; k++)
        assert_near(h[k], expected[k]);
    ck_assert_int_eq(perp_grid_weights(t, 1, h), PERP_SOLVED);
    ck_assert(h[0] == 0.0);
    /* Smooth errors on a grid that is not uniform: the integral, to second order. */
    double before = 0.0;
    for (int points = 101; points <= 801; points = 2 * points - 1) {
        double times[801], weight[801], value[801], exact[801], e;
        for (int k = 0; k < points; k++) {
            double s = k / (points - 1.0);
            times[k] = s * s;
            value[k] = exp(times[k]);
            exact[k] = 0.0;
        }
        ck_assert_int_eq(perp_grid_weights(times, points, weight), PERP_SOLVED);
        ck_assert_int_eq(perp_error_l1(PERP_NORM_MAX, weight, 1, value, exact, 1, points, &e),
                         PERP_SOLVED);
        double off = fabs(e - (exp(1.0) - 1.0));
        if (before > 0.0)
            ck_assert_msg(fabs(before / off - 4.0) < 0.1, "factor %g", before / off);
        before = off;
    }
}
END_TEST

START_TEST(by_hand)
{
    /* A jump of 1 at 1 and at 1.3: the vertical parts are 0.3 apart. */
    const double t[] = {0, 1, 1, 4}, late[] = {0, 1.3, 1.3, 4}, x[] = {0, 0, 1, 1};
    perp_graph a = graph_of(t, x, 4), b = graph_of(late, x, 4);
    assert_near(distance(&a, &b, 1, PERP_NORM_MAX), 0.3);
    /* Shifted by more than its height, the jump's horizontal part at height 1 is 1 away. */
    const double later[] = {0, 3.5, 3.5, 4};
    b = graph_of(later, x, 4);
    assert_near(distance(&a, &b, 1, PERP_NORM_MAX), 1.0);
    /* A jump felt as a slope over a step: its point (1 + r/2, r) is r from the line before the jump
     * and 1/4 - r/2 from the jump. */
    const double slope_t[] = {0, 1, 1.5, 4}, half[] = {0, 1.25, 1.25, 4};
    a = graph_of(slope_t, x, 4);
    b = graph_of(half, x, 4);
    assert_near(excess(&a, &b, 1, PERP_NORM_MAX), 1.0 / 6.0);
    /* A constant beside a constant, and a tooth over a line. */
    const double two[] = {0, 1}, low[] = {0, 0}, high[] = {0.25, 0.25};
    a = graph_of(two, low, 2);
    b = graph_of(two, high, 2);
    assert_near(distance(&a, &b, 1, PERP_NORM_MAX), 0.25);
    const double tooth_t[] = {0, 0.5, 0.5, 0.5, 1}, tooth[] = {0, 0, 0.7, 0, 0};
    b = graph_of(tooth_t, tooth, 5);
    assert_near(excess(&a, &b, 1, PERP_NORM_MAX), 0.0);
    assert_near(excess(&b, &a, 1, PERP_NORM_MAX), 0.7);
    /* The farthest point need not be one of those given: (1/2, 0) is r from the roof, 2 (1/2 - r) =
     * r. */
    const double roof_t[] = {0, 0.5, 1}, roof[] = {0, 1, 0};
    b = graph_of(roof_t, roof, 3);
    assert_near(excess(&a, &b, 1, PERP_NORM_MAX), 1.0 / 3.0);
    /* Single points, and two entries in both norms. */
    const double p[] = {0, 0}, q[] = {3, 4}, zero = 0.0;
    a = graph_of(&zero, p, 1);
    b = graph_of(&zero, q, 1);
    assert_near(distance(&a, &b, 2, PERP_NORM_MAX), 4.0);
    assert_near(distance(&a, &b, 2, PERP_NORM_EUCLIDEAN), 5.0);
}
END_TEST

/* Jumps that are a little apart or a little slanted: to rounding of the coordinates, not to its
 * root. From the jump at 1 to a slope over w the distance is w/(1 + w) at most, at its upper end.
 */
START_TEST(nearly_vertical)
{
    for (int exponent = -2; exponent >= -14; exponent -= 3) {
        double w = pow(10.0, exponent), edge = 1.0 + w, wide = edge - 1.0;
        const double t[] = {0, 1, 1, 2}, late[] = {0, edge, edge, 2}, slanted[] = {0, 1, edge, 2};
        const double x[] = {0, 0, 1, 1}, y[] = {0, 0, 0, 0, 0.6, 0.8, 0.6, 0.8};
        perp_graph a = graph_of(t, x, 4), b = graph_of(late, x, 4), c = graph_of(slanted, x, 4);
        for (perp_vector_norm norm = PERP_NORM_MAX; norm <= PERP_NORM_EUCLIDEAN; norm++) {
            ck_assert_double_le(fabs(distance(&a, &b, 1, norm) - wide), 2e-15);
            ck_assert_double_le(fabs(excess(&a, &c, 1, norm) - wide / (1.0 + wide)), 2e-15);
        }
        a.x = b.x = c.x = y;
        ck_assert_double_le(fabs(distance(&a, &b, 2, PERP_NORM_EUCLIDEAN) - wide), 2e-15);
        ck_assert_double_le(fabs(excess(&a, &c, 2, PERP_NORM_EUCLIDEAN) - wide / (1.0 + wide)),
                            2e-15);
        ck_assert_double_le(fabs(excess(&a, &c, 2, PERP_NORM_MAX) - 0.8 * wide / (0.8 + wide)),
                            2e-15);
    }
}
END_TEST

/* Random chains with jumps: n entries a point. */
enum { MOST = 40, ENTRIES = 3 };

typedef struct chain {
    double t[MOST], x[MOST * ENTRIES];
    perp_graph graph;
} chain;

static void random_chain(chain *c, perp_rng *rng, int n, int points)
{
    double t = 0.0;
    for (int i = 0; i < points; i++) {
        t += perp_rng_uniform(rng) < 0.3 ? 0.0 : 0.2 * perp_rng_uniform(rng);
        c->t[i] = t;
        for (int k = 0; k < n; k++)
            c->x[i * n + k] = 2.0 * perp_rng_uniform(rng) - 1.0;
    }
    c->graph = graph_of(c->t, c->x, points);
}

static double norm_of(const double *e, int n, perp_vector_norm norm)
{
    double most = 0.0, sum = 0.0;
    for (int k = 0; k < n; k++) {
        most = fmax(most, fabs(e[k]));
        sum += e[k] * e[k];
    }
    return norm == PERP_NORM_MAX ? most : sqrt(sum);
}

static double to_point_of(const perp_graph *g, int segment, double mu, const double *p, int n,
                          perp_vector_norm norm)
{
    double e[ENTRIES], dt = p[0] - g->t[segment] - mu * (g->t[segment + 1] - g->t[segment]);
    for (int k = 0; k < n; k++) {
        double from = g->x[segment * n + k], to = g->x[(segment + 1) * n + k];
        e[k] = p[k + 1] - from - mu * (to - from);
    }
    return fmax(fabs(dt), norm_of(e, n, norm));
}

/* By golden section, the distance being convex along a segment. */
static double to_segment(const perp_graph *g, int segment, const double *p, int n,
                         perp_vector_norm norm)
{
    const double ratio = 0.5 * (sqrt(5.0) - 1.0);
    double low = 0.0, high = 1.0;
    for (int pass = 0; pass < 80; pass++) {
        double m = high - ratio * (high - low), M = low + ratio * (high - low);
        if (to_point_of(g, segment, m, p, n, norm) < to_point_of(g, segment, M, p, n, norm))
            high = M;
        else
            low = m;
    }
    return to_point_of(g, segment, 0.5 * (low + high), p, n, norm);
}

static double sampled_excess(const perp_graph *a, const perp_graph *b, int n, perp_vector_norm norm,
                             int samples)
{
    double largest = 0.0;
    for (int i = 0; i + 1 < a->points; i++)
        for (int s = 0; s <= samples; s++) {
            double p[ENTRIES + 1], l = (double)s / samples, least = INFINITY;
            p[0] = a->t[i] + l * (a->t[i + 1] - a->t[i]);
            for (int k = 0; k < n; k++)
                p[k + 1] = a->x[i * n + k] + l * (a->x[(i + 1) * n + k] - a->x[i * n + k]);
            for (int j = 0; j + 1 < b->points; j++)
                least = fmin(least, to_segment(b, j, p, n, norm));
            largest = fmax(largest, least);
        }
    return largest;
}

/* Sampled at steps s, the excess is at most the true one and less than s below it. */
START_TEST(dense_sampling)
{
    perp_rng rng;
    rng.state = 11;
    for (int trial = 0; trial < 24; trial++) {
        chain a, b;
        int n = trial % ENTRIES + 1;
        perp_vector_norm norm = trial % 2 ? PERP_NORM_EUCLIDEAN : PERP_NORM_MAX;
        random_chain(&a, &rng, n, 3 + trial % 9);
        random_chain(&b, &rng, n, 2 + trial % 11);
        double e = excess(&a.graph, &b.graph, n, norm);
        double sampled = sampled_excess(&a.graph, &b.graph, n, norm, 60);
        ck_assert_msg(sampled <= e + 1e-9 && e <= sampled + 2.0 * 1.8 / 60,
                      "trial %d: %.12g, sampled %.12g", trial, e, sampled);
    }
}
END_TEST

START_TEST(metric)
{
    perp_rng rng;
    rng.state = 5;
    for (int trial = 0; trial < 300; trial++) {
        chain a, b, c;
        int n = trial % ENTRIES + 1;
        perp_vector_norm norm = trial % 2 ? PERP_NORM_EUCLIDEAN : PERP_NORM_MAX;
        random_chain(&a, &rng, n, 2 + trial % (MOST - 2));
        random_chain(&b, &rng, n, 2 + (3 * trial) % (MOST - 2));
        random_chain(&c, &rng, n, 2 + (7 * trial) % (MOST - 2));
        double ab = distance(&a.graph, &b.graph, n, norm), bc, ac;
        bc = distance(&b.graph, &c.graph, n, norm);
        ac = distance(&a.graph, &c.graph, n, norm);
        ck_assert(distance(&a.graph, &a.graph, n, norm) <= 1e-15);
        ck_assert(distance(&b.graph, &a.graph, n, norm) == ab);
        ck_assert(fmax(excess(&a.graph, &b.graph, n, norm), excess(&b.graph, &a.graph, n, norm)) ==
                  ab);
        ck_assert_msg(ac <= ab + bc + 1e-14, "trial %d: %g > %g + %g", trial, ac, ab, bc);
    }
}
END_TEST

/* The set counts, not its points: a chain with more points on the same segments; other units. */
START_TEST(points_and_units)
{
    perp_rng rng;
    rng.state = 8;
    for (int trial = 0; trial < 60; trial++) {
        chain a, b, fine;
        int n = trial % ENTRIES + 1;
        perp_vector_norm norm = trial % 2 ? PERP_NORM_EUCLIDEAN : PERP_NORM_MAX;
        random_chain(&a, &rng, n, 12);
        random_chain(&b, &rng, n, 15);
        for (int i = 0; i < 23; i++) {
            int from = i / 2, to = (i + 1) / 2;
            fine.t[i] = 0.5 * (a.t[from] + a.t[to]);
            for (int k = 0; k < n; k++)
                fine.x[i * n + k] = 0.5 * (a.x[from * n + k] + a.x[to * n + k]);
        }
        fine.graph = graph_of(fine.t, fine.x, 23);
        double ab = distance(&a.graph, &b.graph, n, norm);
        assert_near(distance(&fine.graph, &b.graph, n, norm), ab);
        assert_near(distance(&fine.graph, &a.graph, n, norm), 0.0);
        const double units[] = {0x1p-600, 0x1p600, 0x1p-1000, 0x1p1000};
        for (int u = 0; u < 4; u++) {
            chain x = a, y = b;
            for (int i = 0; i < MOST; i++) {
                x.t[i] *= units[u];
                y.t[i] *= units[u];
            }
            for (int i = 0; i < MOST * ENTRIES; i++) {
                x.x[i] *= units[u];
                y.x[i] *= units[u];
            }
            x.graph = graph_of(x.t, x.x, 12);
            y.graph = graph_of(y.t, y.x, 15);
            assert_near(distance(&x.graph, &y.graph, n, norm) / units[u], ab);
        }
    }
}
END_TEST

START_TEST(strides)
{
    perp_rng rng;
    chain a, b;
    double rows[15 * 5];
    rng.state = 4;
    random_chain(&a, &rng, 2, 12);
    random_chain(&b, &rng, 2, 15);
    for (int i = 0; i < 15; i++) {
        rows[5 * i] = b.t[i];
        rows[5 * i + 1] = rows[5 * i + 4] = NAN;
        rows[5 * i + 2] = b.x[2 * i];
        rows[5 * i + 3] = b.x[2 * i + 1];
    }
    perp_graph strided = {.t = rows, .x = rows + 2, .points = 15, .t_stride = 5, .x_stride = 5};
    ck_assert(distance(&a.graph, &strided, 2, PERP_NORM_MAX) ==
              distance(&a.graph, &b.graph, 2, PERP_NORM_MAX));
}
END_TEST

/* A saw with many jumps, moved by dt: dt, however many points there are. */
START_TEST(long_graphs)
{
    enum { POINTS = 100000 };
    double *t = malloc(3 * POINTS * sizeof *t), *x = t + POINTS, *moved = x + POINTS;
    ck_assert_ptr_nonnull(t);
    for (int i = 0; i < POINTS; i++) {
        t[i] = 5.0 * (i / 2) / (POINTS / 2);
        x[i] = cos(7.0 * t[i]) + (i % 2) * (i / 2 % 50 == 0);
        moved[i] = t[i] + 0.01;
    }
    perp_graph a = graph_of(t, x, POINTS), b = graph_of(moved, x, POINTS);
    double d = distance(&a, &b, 1, PERP_NORM_MAX);
    ck_assert_msg(d <= 0.01 + 1e-14 && d > 0.005, "%g", d);
    /* Far apart: one line, and one that is 1.5 above the highest tooth. */
    for (int i = 0; i < POINTS; i++)
        moved[i] = 2.0 + 0.1 * sin(1e3 * t[i]);
    b = graph_of(t, moved, POINTS);
    d = distance(&a, &b, 1, PERP_NORM_EUCLIDEAN);
    ck_assert_msg(d > 1.0 && d < 3.2, "%g", d);
    free(t);
}
END_TEST

START_TEST(refused)
{
    const double t[] = {0, 1, 2}, back[] = {0, 1, 0.5}, x[] = {0, 1, 2}, hole[] = {0, NAN, 1};
    perp_graph good = graph_of(t, x, 3), bad;
    perp_where where = {NULL, -1, -1};
    double d = 17.0, h = 1.0;
    bad = graph_of(t, x, 0);
    ck_assert_int_eq(perp_hausdorff(&good, &bad, 1, PERP_NORM_MAX, NULL, &d, &where),
                     PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "b");
    bad = graph_of(back, x, 3);
    ck_assert_int_eq(perp_hausdorff(&bad, &good, 1, PERP_NORM_MAX, NULL, &d, &where),
                     PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "a.t");
    ck_assert_int_eq(where.index, 2);
    bad = graph_of(t, hole, 3);
    ck_assert_int_eq(perp_excess(&good, &bad, 1, PERP_NORM_MAX, NULL, &d, &where),
                     PERP_ERR_NONFINITE);
    ck_assert_str_eq(where.what, "b.x");
    ck_assert_int_eq(where.index, 1);
    bad = graph_of(hole, x, 3);
    ck_assert_int_eq(perp_excess(&bad, &good, 1, PERP_NORM_MAX, NULL, &d, NULL),
                     PERP_ERR_NONFINITE);
    bad = graph_of(NULL, x, 3);
    ck_assert_int_eq(perp_excess(&bad, &good, 1, PERP_NORM_MAX, NULL, &d, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_excess(NULL, &good, 1, PERP_NORM_MAX, NULL, &d, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_excess(&good, &good, 1, PERP_NORM_MAX, NULL, NULL, NULL),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_excess(&good, &good, 0, PERP_NORM_MAX, NULL, &d, NULL),
                     PERP_ERR_ARGUMENT);
    bad = good;
    bad.x_stride = -1;
    ck_assert_int_eq(perp_excess(&good, &bad, 1, PERP_NORM_MAX, NULL, &d, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_error_l1(PERP_NORM_MAX, &h, 0, hole, x, 1, 3, &d), PERP_ERR_NONFINITE);
    ck_assert_int_eq(perp_error_l1(PERP_NORM_MAX, &h, 0, x, x, 1, 0, &d), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_error_lp(0.5, PERP_NORM_MAX, &h, 0, x, x, 1, 3, &d), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_error_lp(NAN, PERP_NORM_MAX, &h, 0, x, x, 1, 3, &d), PERP_ERR_ARGUMENT);
    h = -1.0;
    ck_assert_int_eq(perp_error_l1(PERP_NORM_MAX, &h, 0, x, x, 1, 3, &d), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_grid_weights(back, 3, &h), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_grid_weights(hole, 3, &h), PERP_ERR_NONFINITE);
    ck_assert(d == 17.0);
}
END_TEST

typedef struct memory {
    long calls, fail_at, held;
} memory;

static void *take(void *ctx, size_t bytes)
{
    memory *m = ctx;
    if (m->calls++ == m->fail_at)
        return NULL;
    m->held++;
    return malloc(bytes);
}

static void give(void *ctx, void *block)
{
    memory *m = ctx;
    m->held -= block != NULL;
    free(block);
}

START_TEST(failing_memory)
{
    const double t[] = {0, 1, 1, 2}, x[] = {0, 1, 2, 2}, y[] = {0, 1, 1, 2};
    perp_graph a = graph_of(t, x, 4), b = graph_of(t, y, 4);
    perp_status status = PERP_ERR_MEMORY;
    for (long k = 0; status == PERP_ERR_MEMORY; k++) {
        memory m = {0, k, 0};
        perp_allocator allocator = {take, give, &m};
        double d = 17.0;
        status = perp_hausdorff(&a, &b, 1, PERP_NORM_MAX, &allocator, &d, NULL);
        ck_assert_int_eq(m.held, 0);
        ck_assert(status == PERP_SOLVED || (status == PERP_ERR_MEMORY && d == 17.0));
        ck_assert_int_lt(k, 20);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("norms");
    TCase *tcase = tcase_create("norms");
    tcase_add_test(tcase, grid_sums);
    tcase_add_test(tcase, grid_weights);
    tcase_add_test(tcase, by_hand);
    tcase_add_test(tcase, nearly_vertical);
    tcase_add_test(tcase, dense_sampling);
    tcase_add_test(tcase, metric);
    tcase_add_test(tcase, points_and_units);
    tcase_add_test(tcase, strides);
    tcase_add_test(tcase, long_graphs);
    tcase_add_test(tcase, refused);
    tcase_add_test(tcase, failing_memory);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
