/* SPDX-License-Identifier: BSD-3-Clause */
/* First zeros of event functions along a step, against closed forms. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "kernel/flow/root.h"

static perp_pool pool;
static perp_rk rk;
static perp_root root;

static void setup(void)
{
    perp_pool_init(&pool, NULL);
    memset(&rk, 0, sizeof rk);
    memset(&root, 0, sizeof root);
}

static void teardown(void)
{
    perp_rk_free(&rk, &pool);
    perp_root_free(&root, &pool);
    perp_pool_free(&pool);
}

/* x[0] = t, so that any function of time is an event function; the dense output is exact. */
static perp_status clock_rate(double *rate, void *ctx, double t, const double *x)
{
    (void)ctx;
    (void)t;
    (void)x;
    rate[0] = 1.0;
    return PERP_SOLVED;
}

/* c0 + c1 t + c2 t^2 + c3 t^3 of each function. */
typedef struct polynomials {
    int count;
    double c[4][4];
    int refuse_after;
} polynomials;

static perp_status evaluate(double *g, void *ctx, double t, const double *x)
{
    polynomials *p = ctx;
    (void)t;
    if (p->refuse_after > 0 && --p->refuse_after == 0)
        return PERP_INTERRUPTED;
    for (int i = 0; i < p->count; i++)
        g[i] = p->c[i][0] + x[0] * (p->c[i][1] + x[0] * (p->c[i][2] + x[0] * p->c[i][3]));
    return PERP_SOLVED;
}

static perp_status find(polynomials *p, const int *direction, double h, double tolerance)
{
    double x[1] = {0.0}, tol[4] = {tolerance, tolerance, tolerance, tolerance};
    ck_assert_int_eq(perp_rk_prepare(&rk, perp_tableau_at(3), 1, &pool), PERP_SOLVED);
    ck_assert_int_eq(perp_root_prepare(&root, p->count, 1, &pool), PERP_SOLVED);
    ck_assert_int_eq(perp_rk_step(&rk, clock_rate, NULL, 0.0, h, x, PERP_RK_ANEW), PERP_SOLVED);
    return perp_root_first(&root, &rk, evaluate, p, direction, tol, 1e-13);
}

static void check_one(double c0, double c1, double c2, double c3, int direction, double expected)
{
    polynomials p = {1, {{c0, c1, c2, c3}}, 0};
    for (int turn = 0; turn < 2; turn++) {
        ck_assert_int_eq(find(&p, &direction, 2.0, 1e-10), PERP_SOLVED);
        if (expected < 0.0) {
            ck_assert_msg(root.which == -1, "event at %g", root.sigma);
        } else {
            ck_assert_int_eq(root.which, 0);
            ck_assert_double_eq_tol(2.0 * root.sigma, expected, 1e-9);
            ck_assert(root.after >= root.sigma && root.after - root.sigma <= 1.0001e-13);
        }
        /* The same from the other side. */
        for (int k = 0; k < 4; k++)
            p.c[0][k] = -p.c[0][k];
        direction = -direction;
    }
}

START_TEST(test_single)
{
    check_one(1.0, -1.0, 0.0, 0.0, -1, 1.0);
    check_one(1.0, -1.0, 0.0, 0.0, 0, 1.0);
    check_one(1.0, -1.0, 0.0, 0.0, +1, -1.0);
    check_one(2.0, 0.0, -1.0, 0.0, -1, sqrt(2.0));
    check_one(1.0, -1.0 / 1.9, 0.0, 0.0, -1, 1.9);
    check_one(1.0, -0.5000001, 0.0, 0.0, -1, 1.0 / 0.5000001);
    check_one(1.0, -0.49, 0.0, 0.0, -1, -1.0);
    check_one(1e-6, -1.0, 0.0, 0.0, -1, 1e-6);
    check_one(1.0, 0.0, 0.0, -1.0, 0, 1.0);
}
END_TEST

/* Two zeros between samples at 0, 1/2, 1, 3/2, 2: (t - m)^2 - d^2. */
START_TEST(test_double)
{
    const double middles[] = {0.2, 0.75, 0.9, 1.26, 1.99 - 0.05}, halves[] = {0.04, 1e-3, 1e-4};
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++) {
            double m = middles[i], d = halves[j];
            check_one(m * m - d * d, -2.0 * m, 1.0, 0.0, -1, m - d);
            check_one(m * m - d * d, -2.0 * m, 1.0, 0.0, 0, m - d);
            check_one(m * m - d * d, -2.0 * m, 1.0, 0.0, +1, m + d);
            check_one(m * m + d * d, -2.0 * m, 1.0, 0.0, -1, -1.0);
        }
}
END_TEST

START_TEST(test_from_zero)
{
    check_one(0.0, 1.0, 0.0, 0.0, -1, -1.0);      /* leaves upwards and stays */
    check_one(0.0, 1.0, -1.0, 0.0, -1, 1.0);      /* and comes back */
    check_one(0.0, 1.0, -20.0, 0.0, -1, 0.05);    /* before the first sample */
    check_one(5e-11, 1.0, -20.0, 0.0, -1, 0.05);  /* within the tolerance */
    check_one(-5e-11, 1.0, -20.0, 0.0, -1, 0.05); /* on its other side */
    check_one(0.0, -1.0, 0.0, 0.0, -1, 0.0);      /* goes on at once */
    check_one(0.0, 1e-11, -1.0, 0.0, -1, 0.0);    /* a hop within the tolerance */
    check_one(0.0, 0.0, 0.0, 0.0, -1, -1.0);      /* rests */
    check_one(0.0, 0.0, 1.0, 0.0, -1, -1.0);      /* lifts off */
    check_one(0.0, 0.0, -1.0, 0.0, -1, 0.0);      /* is pulled through */
    check_one(-1.0, 1.0, 0.0, 0.0, -1, -1.0);     /* has crossed before and comes back */
    check_one(-1.0, 3.0, -1.5, 0.0, -1, 1.0 + 1.0 / sqrt(3.0)); /* and crosses once more */
    check_one(0.0, 1.0, 0.0, 0.0, 0, -1.0); /* either direction: leaving is none */
    check_one(0.0, -1.0, 1.0, 0.0, 0, 1.0);
    check_one(0.0, -1.0, 20.0, 0.0, 0, 0.05);
}
END_TEST

START_TEST(test_first_of_many)
{
    polynomials p = {4,
                     {{1.0, -1.0, 0.0, 0.0},
                      {-0.8, 1.0, 0.0, 0.0},
                      {1.0, -2.5, 1.57, 0.0},
                      {-0.7, 1.0, 0.0, 0.0}},
                     0};
    int direction[4] = {-1, +1, -1, -1};
    ck_assert_int_eq(find(&p, direction, 2.0, 1e-10), PERP_SOLVED);
    ck_assert_int_eq(root.which, 1);
    ck_assert_double_eq_tol(root.sigma, 0.4, 1e-13);
    p.c[2][2] = 1.56; /* now it dips below zero between 0.5 and 1 */
    ck_assert_int_eq(find(&p, direction, 2.0, 1e-10), PERP_SOLVED);
    ck_assert_int_eq(root.which, 2);
    ck_assert_double_eq_tol(2.0 * root.sigma, (2.5 - sqrt(6.25 - 6.24)) / 3.12, 1e-9);
    direction[3] = 0;
    ck_assert_int_eq(find(&p, direction, 2.0, 1e-10), PERP_SOLVED);
    ck_assert_int_eq(root.which, 3);
}
END_TEST

START_TEST(test_refused_and_memory)
{
    polynomials p = {1, {{0.3, -0.7, 0.0, 0.0}}, 0};
    int direction = -1;
    ck_assert_int_eq(find(&p, &direction, 1.0, 1e-10), PERP_SOLVED);
    long taken = pool.allocations, needed = root.evaluations;
    for (int k = 1; k <= needed; k++) {
        p.refuse_after = k;
        ck_assert_int_eq(find(&p, &direction, 1.0, 1e-10), PERP_INTERRUPTED);
    }
    ck_assert_int_eq(find(&p, &direction, 1.0, 1e-10), PERP_SOLVED);
    ck_assert_double_eq_tol(root.sigma, 3.0 / 7.0, 1e-12);
    ck_assert_int_eq(pool.allocations, taken);
    p.count = 0;
    ck_assert_int_eq(find(&p, &direction, 1.0, 1e-10), PERP_SOLVED);
    ck_assert_int_eq(root.which, -1);
}
END_TEST

/* A ball under constant force, by any tableau: the time at which it falls. */
static perp_status ball(double *rate, void *ctx, double t, const double *x)
{
    (void)ctx;
    (void)t;
    rate[0] = x[1];
    rate[1] = -2.0;
    return PERP_SOLVED;
}

static perp_status height(double *g, void *ctx, double t, const double *x)
{
    (void)ctx;
    (void)t;
    g[0] = x[0];
    return PERP_SOLVED;
}

START_TEST(test_ball)
{
    const double x[2] = {1.0, 0.5}, tol[1] = {1e-12};
    const int direction[1] = {-1};
    ck_assert_int_eq(perp_rk_prepare(&rk, perp_tableau_at(_i), 2, &pool), PERP_SOLVED);
    ck_assert_int_eq(perp_root_prepare(&root, 1, 2, &pool), PERP_SOLVED);
    ck_assert_int_eq(perp_rk_step(&rk, ball, NULL, 3.0, 2.0, x, PERP_RK_ANEW), PERP_SOLVED);
    ck_assert_int_eq(perp_root_first(&root, &rk, height, NULL, direction, tol, 0.0), PERP_SOLVED);
    ck_assert_int_eq(root.which, 0);
    ck_assert_double_eq_tol(2.0 * root.sigma, 0.25 + sqrt(0.0625 + 1.0), 1e-13);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("flow_root");
    TCase *tcase = tcase_create("root");
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, test_single);
    tcase_add_test(tcase, test_double);
    tcase_add_test(tcase, test_from_zero);
    tcase_add_test(tcase, test_first_of_many);
    tcase_add_test(tcase, test_refused_and_memory);
    tcase_add_loop_test(tcase, test_ball, 0, PERP_TABLEAUX);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
