/* SPDX-License-Identifier: BSD-3-Clause */
/* Runge-Kutta tableaux by their order conditions, steps by observed orders. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "kernel/flow/rk.h"

enum { MOST_STAGES = 14, MOST_NODES = 9 };

static perp_pool pool;
static perp_rk rk;

static void setup(void)
{
    perp_pool_init(&pool, NULL);
    memset(&rk, 0, sizeof rk);
}

static void teardown(void)
{
    perp_rk_free(&rk, &pool);
    perp_pool_free(&pool);
}

/* Largest defect of sum_i w_i phi_i(tree) = sigma^n / gamma(tree) over all rooted trees with n
 * nodes, each given by the parents of nodes 1..n-1, parent[k] < k. */
static double tree_defect(const perp_tableau *tab, const double *w, double sigma, int n)
{
    int parent[MOST_NODES] = {0};
    double worst = 0.0;
    for (;;) {
        double phi[MOST_NODES][MOST_STAGES], gamma = 1.0;
        int size[MOST_NODES];
        for (int k = 0; k < n; k++) {
            size[k] = 1;
            for (int i = 0; i < tab->stages; i++)
                phi[k][i] = 1.0;
        }
        for (int k = n - 1; k > 0; k--) {
            gamma *= size[k];
            size[parent[k]] += size[k];
            for (int i = 0; i < tab->stages; i++) {
                double sum = 0.0;
                for (int j = 0; j < tab->stages; j++)
                    sum += tab->a[i * tab->stages + j] * phi[k][j];
                phi[parent[k]][i] *= sum;
            }
        }
        gamma *= size[0];
        double sum = 0.0;
        for (int i = 0; i < tab->stages; i++)
            sum += w[i] * phi[0][i];
        worst = fmax(worst, fabs(sum - pow(sigma, n) / gamma));
        int k = n - 1;
        while (k > 0 && parent[k] == k - 1)
            parent[k--] = 0;
        if (k <= 0)
            return worst;
        parent[k]++;
    }
}

static void dense_weights(double *w, const perp_tableau *tab, double sigma)
{
    for (int i = 0; i < tab->stages; i++) {
        w[i] = 0.0;
        for (int j = 0; j < tab->dense_degree; j++)
            w[i] += tab->dense[i * tab->dense_degree + j] * pow(sigma, j + 1);
    }
}

START_TEST(test_order_conditions)
{
    const perp_tableau *tab = perp_tableau_at(_i);
    ck_assert_int_le(tab->stages, MOST_STAGES);
    for (int i = 0; i < tab->stages; i++) {
        double sum = 0.0;
        for (int j = 0; j < tab->stages; j++) {
            sum += tab->a[i * tab->stages + j];
            if (j >= i && !tab->implicit)
                ck_assert(tab->a[i * tab->stages + j] == 0.0);
        }
        ck_assert_double_eq_tol(sum, tab->c[i], 1e-14);
    }
    for (int n = 1; n <= tab->order; n++)
        ck_assert_msg(tree_defect(tab, tab->b, 1.0, n) < 1e-14, "%s, order %d", tab->name, n);
    ck_assert_double_gt(tree_defect(tab, tab->b, 1.0, tab->order + 1), 1e-6);
    ck_assert_int_eq(tab->b_embedded != NULL, tab->embedded > 0);
    for (int n = 1; n <= tab->embedded; n++)
        ck_assert_msg(tree_defect(tab, tab->b_embedded, 1.0, n) < 1e-14, "%s, embedded %d",
                      tab->name, n);
    if (tab->embedded)
        ck_assert_double_gt(tree_defect(tab, tab->b_embedded, 1.0, tab->embedded + 1), 1e-6);
    if (tab->last_is_end)
        for (int j = 0; j < tab->stages; j++)
            ck_assert_double_eq_tol(tab->a[(tab->stages - 1) * tab->stages + j], tab->b[j], 1e-15);
}
END_TEST

START_TEST(test_dense_conditions)
{
    const perp_tableau *tab = perp_tableau_at(_i);
    if (!tab->dense)
        return;
    double w[MOST_STAGES];
    for (double sigma = 0.1; sigma < 1.05; sigma += 0.3) {
        dense_weights(w, tab, sigma);
        for (int n = 1; n <= tab->dense_order; n++)
            ck_assert_double_lt(tree_defect(tab, w, sigma, n), 1e-14);
    }
    dense_weights(w, tab, 0.3);
    ck_assert_double_gt(tree_defect(tab, w, 0.3, tab->dense_order + 1), 1e-6);
    dense_weights(w, tab, 1.0);
    for (int i = 0; i < tab->stages; i++)
        ck_assert_double_eq_tol(w[i], tab->b[i], 1e-14);
}
END_TEST

/* A pendulum with x[0]'' = -sin x[0], and x[2]' = x[2] cos t beside it. */
static perp_status pendulum(double *rate, void *ctx, double t, const double *x)
{
    (void)ctx;
    rate[0] = x[1];
    rate[1] = -sin(x[0]);
    rate[2] = x[2] * cos(t);
    return PERP_SOLVED;
}

static perp_status pendulum_jacobian(double *J, void *ctx, double t, const double *x)
{
    (void)ctx;
    memset(J, 0, sizeof(double) * 9);
    J[1] = -cos(x[0]);
    J[3] = 1.0;
    J[8] = cos(t);
    return PERP_SOLVED;
}

static void advance(double *x, double t_end, int steps, int doubled)
{
    double h = t_end / steps;
    for (int k = 0; k < steps; k++) {
        perp_rk_from from = k > 0 ? PERP_RK_NEXT : PERP_RK_ANEW;
        perp_status status = doubled ? perp_rk_step_doubled(&rk, pendulum, NULL, k * h, h, x, from)
                                     : perp_rk_step(&rk, pendulum, NULL, k * h, h, x, from);
        ck_assert_int_eq(status, PERP_SOLVED);
        memcpy(x, rk.x1, sizeof(double) * 3);
    }
}

static void reference(double *x, double t_end)
{
    double start[3] = {1.2, 0.3, 1.0};
    memcpy(x, start, sizeof start);
    ck_assert_int_eq(perp_rk_prepare(&rk, perp_tableau_at(3), 3, &pool), PERP_SOLVED);
    advance(x, t_end, 4000, 0);
    ck_assert_double_eq_tol(x[2], exp(sin(t_end)), 1e-12);
}

static double distance(const double *a, const double *b)
{
    return fmax(fabs(a[0] - b[0]), fmax(fabs(a[1] - b[1]), fabs(a[2] - b[2])));
}

START_TEST(test_observed_orders)
{
    const perp_tableau *tab = perp_tableau_at(_i);
    double exact[3], error[3];
    reference(exact, 2.0);
    for (int doubled = 0; doubled < 2; doubled++) {
        for (int k = 0; k < 3; k++) {
            double x[3] = {1.2, 0.3, 1.0};
            ck_assert_int_eq(perp_rk_prepare(&rk, tab, 3, &pool), PERP_SOLVED);
            advance(x, 2.0, (tab->order < 8 ? 20 : 2) << k, doubled);
            error[k] = distance(x, exact);
        }
        for (int k = 0; k < 2 && error[k + 1] > 2e-13; k++) {
            double order = log2(error[k] / error[k + 1]);
            ck_assert_msg(order > tab->order - 0.3 && order < tab->order + 1.2,
                          "%s: order %g, errors %g %g", tab->name, order, error[k], error[k + 1]);
        }
    }
}
END_TEST

/* The estimate is wrong by less than itself, and falls with its order. */
START_TEST(test_estimates)
{
    const perp_tableau *tab = perp_tableau_at(_i);
    double size[2], exact[3];
    int p = tab->embedded ? tab->embedded : tab->order;
    for (int k = 0; k < 2; k++) {
        double x[3] = {1.2, 0.3, 1.0}, h = (tab->order < 8 ? 0.2 : 0.5) / (1 << k);
        reference(exact, h);
        ck_assert_int_eq(perp_rk_prepare(&rk, tab, 3, &pool), PERP_SOLVED);
        if (tab->embedded)
            ck_assert_int_eq(perp_rk_step(&rk, pendulum, NULL, 0.0, h, x, PERP_RK_ANEW),
                             PERP_SOLVED);
        else
            ck_assert_int_eq(perp_rk_step_doubled(&rk, pendulum, NULL, 0.0, h, x, PERP_RK_ANEW),
                             PERP_SOLVED);
        size[k] = fmax(fabs(rk.error[0]), fmax(fabs(rk.error[1]), fabs(rk.error[2])));
        double left = 0.0; /* error of the solution that was estimated */
        for (int i = 0; i < 3; i++)
            left = fmax(left, fabs(exact[i] - rk.x1[i] + (tab->embedded ? rk.error[i] : 0.0)));
        ck_assert_msg(left < 1.6 * size[k] && left > 0.4 * size[k], "%s: %g against %g", tab->name,
                      size[k], left);
    }
    double order = log2(size[0] / size[1]);
    ck_assert_msg(fabs(order - (p + 1)) < (p < 7 ? 0.4 : 0.7), "%s: estimate of order %g",
                  tab->name, order);
}
END_TEST

START_TEST(test_dense_orders)
{
    const perp_tableau *tab = perp_tableau_at(_i);
    for (int doubled = 0; doubled < 2; doubled++) {
        double worst[2] = {0.0, 0.0}, rates[2] = {0.0, 0.0};
        int p = doubled ? (tab->order < 3 ? tab->order : 3) : tab->dense_order;
        for (int k = 0; k < 2; k++)
            for (double sigma = 0.0; sigma <= 1.0; sigma += 0.125) {
                double x[3] = {1.2, 0.3, 1.0}, y[3], exact[3], slope[3];
                double h = (tab->order < 8 ? 0.2 : 0.8) / (1 << k);
                reference(exact, fmax(sigma * h, 1e-9));
                perp_rk_prepare(&rk, tab, 3, &pool);
                perp_status status =
                    doubled ? perp_rk_step_doubled(&rk, pendulum, NULL, 0.0, h, x, PERP_RK_ANEW)
                            : perp_rk_step(&rk, pendulum, NULL, 0.0, h, x, PERP_RK_ANEW);
                ck_assert_int_eq(status, PERP_SOLVED);
                ck_assert_int_eq(perp_rk_dense(y, &rk, sigma), PERP_SOLVED);
                ck_assert_int_eq(perp_rk_dense_rate(x, &rk, sigma), PERP_SOLVED);
                pendulum(slope, NULL, sigma * h, exact);
                worst[k] = fmax(worst[k], distance(y, exact));
                rates[k] = fmax(rates[k], distance(x, slope));
            }
        ck_assert_msg(log2(worst[0] / worst[1]) > p + 0.6, "%s: state %g %g", tab->name, worst[0],
                      worst[1]);
        ck_assert_msg(log2(rates[0] / rates[1]) > p - 0.4, "%s: rate %g %g", tab->name, rates[0],
                      rates[1]);
    }
}
END_TEST

START_TEST(test_reuse)
{
    const perp_tableau *tab = perp_tableau_at(_i);
    double x[3] = {1.2, 0.3, 1.0}, y[3] = {1.2, 0.3, 1.0}, z[3];
    ck_assert_int_eq(perp_rk_prepare(&rk, tab, 3, &pool), PERP_SOLVED);
    rk.jacobian = pendulum_jacobian;
    advance(x, 1.0, 8, 0);
    long reused = rk.evaluations;
    ck_assert_int_eq(perp_rk_prepare(&rk, tab, 3, &pool), PERP_SOLVED);
    long taken = pool.allocations;
    for (int k = 0; k < 8; k++) {
        /* A step that is refused, and the same with half of it and again. */
        ck_assert_int_eq(perp_rk_step(&rk, pendulum, NULL, k / 8.0, 0.25, y, PERP_RK_ANEW),
                         PERP_SOLVED);
        ck_assert_int_eq(perp_rk_step(&rk, pendulum, NULL, k / 8.0, 0.125, y, PERP_RK_SAME),
                         PERP_SOLVED);
        memcpy(y, rk.x1, sizeof y);
        ck_assert_int_eq(perp_rk_dense(z, &rk, 0.5), PERP_SOLVED);
        ck_assert_int_eq(perp_rk_prepare(&rk, tab, 3, &pool), PERP_SOLVED);
    }
    ck_assert_double_lt(distance(x, y), tab->implicit ? 1e-12 : 1e-15);
    ck_assert_int_eq(pool.allocations, taken);
    if (tab->last_is_end && !tab->implicit)
        ck_assert_int_eq(reused, 1 + 8 * (tab->stages - 1));
    else if (!tab->implicit)
        ck_assert_int_eq(reused, 8 * tab->stages);
    rk.jacobian = NULL;
}
END_TEST

/* The end of a step moved a little is that of a step which is a little longer or shorter. */
START_TEST(test_nudge)
{
    const perp_tableau *tab = perp_tableau_at(_i);
    for (int sign = -1; sign <= 1; sign += 2) {
        double x[3] = {1.2, 0.3, 1.0}, h = 0.05, delta = sign * 1e-6, y[3], half[3];
        ck_assert_int_eq(perp_rk_prepare(&rk, tab, 3, &pool), PERP_SOLVED);
        ck_assert_int_eq(perp_rk_nudge(&rk, delta), PERP_ERR_STATE);
        ck_assert_int_eq(perp_rk_step(&rk, pendulum, NULL, 0.0, h + delta, x, PERP_RK_ANEW),
                         PERP_SOLVED);
        memcpy(y, rk.x1, sizeof y);
        ck_assert_int_eq(perp_rk_step(&rk, pendulum, NULL, 0.0, h, x, PERP_RK_SAME), PERP_SOLVED);
        ck_assert_int_eq(perp_rk_dense(half, &rk, 0.5), PERP_SOLVED);
        long before = rk.evaluations;
        ck_assert_int_eq(perp_rk_nudge(&rk, delta), PERP_SOLVED);
        ck_assert_int_le(rk.evaluations - before, 2);
        /* The error of the method itself in a step of this length counts, too, at order 2. */
        ck_assert_double_lt(distance(y, rk.x1), tab->order == 2 ? 1e-9 : 1e-11);
        if (tab->order > 3)
            ck_assert_double_lt(distance(y, rk.x1), tab->order > 4 ? 1e-13 : 1e-12);
        ck_assert(rk.h == h + delta);
        ck_assert_int_eq(perp_rk_dense(y, &rk, 0.5), PERP_SOLVED);
        ck_assert_double_lt(distance(y, half), 2e-6);
    }
}
END_TEST

/* Refuses beyond |x| = ctx, and gives no number beyond twice that. */
static perp_status refusing(double *rate, void *ctx, double t, const double *x)
{
    const double *limit = ctx;
    (void)t;
    rate[0] = fabs(x[0]) > 2.0 * *limit ? NAN : 1.0;
    return fabs(x[0]) > *limit && fabs(x[0]) <= 2.0 * *limit ? PERP_INTERRUPTED : PERP_SOLVED;
}

START_TEST(test_failures)
{
    const perp_tableau *tab = perp_tableau_at(_i);
    double x[1] = {0.0}, limit = 0.1, y[1];
    ck_assert_int_eq(perp_rk_prepare(&rk, NULL, 1, &pool), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_rk_prepare(&rk, tab, 0x7fffffff, &pool), PERP_ERR_OVERFLOW);
    ck_assert_int_eq(perp_rk_prepare(&rk, tab, 1, &pool), PERP_SOLVED);
    ck_assert_int_eq(perp_rk_dense(y, &rk, 0.5), PERP_ERR_STATE);
    ck_assert_int_eq(perp_rk_step(&rk, refusing, &limit, 0.0, 0.2, x, PERP_RK_ANEW),
                     tab->order == 2 ? PERP_SOLVED : PERP_INTERRUPTED);
    ck_assert_int_eq(perp_rk_step(&rk, refusing, &limit, 0.0, 100.0, x, PERP_RK_SAME),
                     PERP_ERR_NUMERICAL);
    ck_assert_int_eq(perp_rk_dense(y, &rk, 0.5), PERP_ERR_STATE);
    ck_assert_int_eq(perp_rk_step(&rk, refusing, &limit, 0.0, 0.05, x, PERP_RK_SAME), PERP_SOLVED);
    ck_assert_double_eq_tol(rk.x1[0], 0.05, 1e-15);
}
END_TEST

START_TEST(test_controller)
{
    const perp_rk_control control = {0.9, 0.2, 5.0};
    const double error[2] = {3e-6, -1e-3}, x0[2] = {0.0, -10.0}, x1[2] = {1.0, 3.0};
    ck_assert_double_eq_tol(perp_rk_error_norm(error, x0, x1, 1e-6, 1e-4, 2), 1e-3 / (1e-6 + 1e-3),
                            1e-12);
    ck_assert_double_eq_tol(perp_rk_error_norm(error, x0, x1, 1e-6, 0.0, 2), 1e3, 1e-9);
    const double bad[2] = {NAN, 0.0}, none[2] = {0.0, 0.0};
    ck_assert(isnan(perp_rk_error_norm(bad, x0, x1, 1e-6, 0.0, 2)));
    ck_assert(perp_rk_error_norm(none, none, none, 0.0, 0.0, 2) == 0.0);
    ck_assert_double_eq_tol(perp_rk_next_h(&control, 0.1, 16.0, 3), 0.045, 1e-15);
    ck_assert_double_eq_tol(perp_rk_next_h(&control, 0.1, 0.0, 3), 0.5, 1e-15);
    ck_assert_double_eq_tol(perp_rk_next_h(&control, 0.1, NAN, 3), 0.02, 1e-15);
    ck_assert_double_eq_tol(perp_rk_next_h(&control, 0.1, INFINITY, 3), 0.02, 1e-15);
    ck_assert_double_eq_tol(perp_rk_next_h(&control, 0.1, 1e9, 3), 0.02, 1e-15);
}
END_TEST

/* Stiff, and with a rate that is smooth only by pieces: d = x - cos t, x' = -1000 d + 100 |d| - sin
 * t. */
static perp_status stiff(double *rate, void *ctx, double t, const double *x)
{
    (void)ctx;
    double d = x[0] - cos(t);
    rate[0] = -1000.0 * d - sin(t) + 100.0 * fabs(d);
    return PERP_SOLVED;
}

START_TEST(test_stiff)
{
    for (int k = 5; k < 7; k++) {
        double x[1] = {1.5};
        ck_assert_int_eq(perp_rk_prepare(&rk, perp_tableau_at(k), 1, &pool), PERP_SOLVED);
        rk.evaluations = 0;
        for (int i = 0; i < 20; i++) {
            ck_assert_int_eq(
                perp_rk_step(&rk, stiff, NULL, 0.1 * i, 0.1, x, i ? PERP_RK_NEXT : PERP_RK_ANEW),
                PERP_SOLVED);
            x[0] = rk.x1[0];
        }
        ck_assert_double_eq_tol(x[0], cos(2.0), k == 5 ? 1e-5 : 1e-8);
        ck_assert_int_lt(rk.evaluations, 20 * 60);
    }
}
END_TEST

/* x' = 1 + x^2 with no solution at the stages for a step that is too long. */
static perp_status blowing(double *rate, void *ctx, double t, const double *x)
{
    (void)ctx;
    (void)t;
    rate[0] = 1.0 + x[0] * x[0];
    return PERP_SOLVED;
}

START_TEST(test_newton_fails)
{
    double x[1] = {0.0};
    ck_assert_int_eq(perp_rk_prepare(&rk, perp_tableau_at(6), 1, &pool), PERP_SOLVED);
    perp_status status = perp_rk_step(&rk, blowing, NULL, 0.0, 20.0, x, PERP_RK_ANEW);
    ck_assert(status == PERP_STALLED || status == PERP_ERR_NUMERICAL);
    ck_assert_int_eq(perp_rk_step(&rk, blowing, NULL, 0.0, 0.1, x, PERP_RK_SAME), PERP_SOLVED);
    ck_assert_double_eq_tol(rk.x1[0], tan(0.1), 1e-7);
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("flow");
    TCase *tc = tcase_create("runge-kutta");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, test_order_conditions, 0, PERP_TABLEAUX);
    tcase_add_loop_test(tc, test_dense_conditions, 0, PERP_TABLEAUX);
    tcase_add_loop_test(tc, test_observed_orders, 0, PERP_TABLEAUX);
    tcase_add_loop_test(tc, test_estimates, 0, PERP_TABLEAUX);
    tcase_add_loop_test(tc, test_dense_orders, 0, PERP_TABLEAUX);
    tcase_add_loop_test(tc, test_reuse, 0, PERP_TABLEAUX);
    tcase_add_loop_test(tc, test_nudge, 0, PERP_TABLEAUX);
    tcase_add_loop_test(tc, test_failures, 0, PERP_TABLEAUX);
    tcase_add_test(tc, test_controller);
    tcase_add_test(tc, test_stiff);
    tcase_add_test(tc, test_newton_fails);
    suite_add_tcase(s, tc);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
