/* SPDX-License-Identifier: BSD-3-Clause */
/* discrete-gradient in smooth motion with joints is of order 2: against the equations of the same
 * motion in its own coordinates, by the classical method of Runge and Kutta. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/mechanism.h"

enum { LEVELS = 4 };

typedef void (*rate_fn)(double *out, const double *x);

static void runge_kutta(double *x, int n, double t, int steps, rate_fn rate)
{
    double k[4][8], at[8], h = t / steps;
    static const double part[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    for (int step = 0; step < steps; step++) {
        for (int s = 0; s < 4; s++) {
            for (int i = 0; i < n; i++)
                at[i] = x[i] + (s ? part[s] * h * k[s - 1][i] : 0.0);
            rate(k[s], at);
        }
        for (int i = 0; i < n; i++)
            for (int s = 0; s < 4; s++)
                x[i] += h / 6.0 * weight[s] * k[s][i];
    }
}

/* Slope of log error over log h by least squares, h halved from level to level. */
static double slope_of(const double error[LEVELS])
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int k = 0; k < LEVELS; k++) {
        x -= k * log(2.0) / LEVELS;
        y += log(error[k]) / LEVELS;
    }
    for (int k = 0; k < LEVELS; k++) {
        double at = -k * log(2.0) - x;
        xx += at * at;
        xy += at * (log(error[k]) - y);
    }
    return xy / xx;
}

static void assert_second_order(const char *what, const double error[LEVELS])
{
    double order = slope_of(error);
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "%s: order %.3f, %.2g at the finest\n", what, order, error[LEVELS - 1]);
    ck_assert_msg(order > 1.85 && order < 2.25, "%s: order %g", what, order);
}

/* A rod of length 1 from the origin, 1 kg, about y: (angle below x, its rate). */
static void rod_rate(double *out, const double *x)
{
    out[0] = x[1];
    out[1] = 1.5 * 9.81 * cos(x[0]);
}

static const double rod[] = {1e-3, 1.0 / 12.0, 1.0 / 12.0};

START_TEST(pendulum_on_a_joint)
{
    static const perp_joint kinds[] = {PERP_JOINT_POINT, PERP_JOINT_PIVOT};
    static const double origin[] = {0.0, 0.0, 0.0}, axis[] = {0.0, 1.0, 0.0}, mid[] = {0.5, 0.0, 0.0};
    double in_q[LEVELS], in_v[LEVELS], exact[] = {0.0, 0.0};
    runge_kutta(exact, 2, 1.0, 20000, rod_rate);
    for (int level = 0; level < LEVELS; level++) {
        mechanism m;
        int steps = 100 << level;
        mechanism_open(&m, "");
        mechanism_body(&m, 1.0, rod, mid, NULL);
        mechanism_join(&m, kinds[_i], 0, MECHANISM_WORLD, origin, axis);
        mechanism_start(&m, 1.0 / steps);
        for (int k = 0; k < steps; k++)
            mechanism_step(&m);
        const double *x = mechanism_x(&m, 0), *v = mechanism_v(&m, 0);
        in_q[level] = hypot(x[0] - 0.5 * cos(exact[0]), x[2] + 0.5 * sin(exact[0]));
        in_v[level] = fabs(v[4] - exact[1]);
        mechanism_close(&m);
    }
    assert_second_order("pendulum, q", in_q);
    assert_second_order("pendulum, v", in_v);
}
END_TEST

/* A mass on a rod without weight, an equality of a Lagrangian system. */
static void mass_rate(double *out, const double *x)
{
    out[0] = x[1];
    out[1] = 9.81 * cos(x[0]);
}
static int circle(double *y, double t, const double *q, const double *lambda, const double *z,
                  void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    y[0] = sqrt(q[0] * q[0] + q[1] * q[1]) - 1.0;
    return 0;
}

START_TEST(mass_on_a_circle)
{
    double in_q[LEVELS], in_v[LEVELS], exact[] = {0.0, 0.0};
    const double q0[] = {1.0, 0.0}, F[] = {0.0, -9.81};
    runge_kutta(exact, 2, 1.0, 20000, mass_rate);
    for (int level = 0; level < LEVELS; level++) {
        int steps = 100 << level;
        scheme_run run;
        perp_system_id id;
        perp_lagrangian_def def;
        run_open(&run, "discrete-gradient");
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 2;
        def.q0 = q0;
        def.F = F;
        ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
        perp_relation rope = {.size = sizeof rope,
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = circle,
                              .differences = 1};
        run_link(&run, &id, 1, &rope, perp_law_equality());
        run_start(&run, 1.0 / steps);
        for (int k = 0; k < steps; k++)
            run_step(&run);
        in_q[level] = hypot(run_x(&run, id)[0] - cos(exact[0]), run_x(&run, id)[1] + sin(exact[0]));
        in_v[level] = hypot(run_v(&run, id)[0] + exact[1] * sin(exact[0]),
                            run_v(&run, id)[1] + exact[1] * cos(exact[0]));
        run_close(&run);
    }
    assert_second_order("mass on a circle, q", in_q);
    assert_second_order("mass on a circle, v", in_v);
}
END_TEST

/* A heavy top, tip at the origin, centre at 0.5 along its z: (quaternion, angular velocity). */
static const double top[] = {0.05, 0.05, 0.02}, arm = 0.5;

static void top_rate(double *out, const double *x)
{
    const double J = top[0] + arm * arm, J3 = top[2], down[] = {0.0, 0.0, -9.81};
    const double spin[] = {0.0, 0.5 * x[4], 0.5 * x[5], 0.5 * x[6]};
    double g[3];
    perp_quaternion_product(x, spin, out);
    perp_quaternion_rotate_back(x, down, g);
    /* e3 arm x g - omega x J omega */
    out[4] = (-arm * g[1] - (J3 - J) * x[5] * x[6]) / J;
    out[5] = (arm * g[0] - (J - J3) * x[4] * x[6]) / J;
    out[6] = 0.0;
}

START_TEST(heavy_top)
{
    double in_q[LEVELS], in_v[LEVELS], exact[7] = {cos(0.3), 0.0, sin(0.3), 0.0, 0.0, 0.0, 30.0};
    const double turned[] = {exact[0], 0.0, exact[2], 0.0}, origin[] = {0.0, 0.0, 0.0};
    runge_kutta(exact, 7, 0.8, 40000, top_rate);
    double up[] = {0.0, 0.0, arm}, tip[3];
    perp_quaternion_rotate(exact, up, tip);
    for (int level = 0; level < LEVELS; level++) {
        mechanism m;
        int steps = 200 << level;
        double place[3], twist[] = {0.0, 0.0, 0.0, 0.0, 0.0, 30.0};
        mechanism_open(&m, "");
        perp_quaternion_rotate(turned, up, place);
        mechanism_moving(&m, 1.0, top, place, turned, twist);
        mechanism_join(&m, PERP_JOINT_POINT, 0, MECHANISM_WORLD, origin, NULL);
        mechanism_start(&m, 0.8 / steps);
        for (int k = 0; k < steps; k++)
            mechanism_step(&m);
        const double *x = mechanism_x(&m, 0), *v = mechanism_v(&m, 0);
        in_q[level] = hypot(hypot(x[0] - tip[0], x[1] - tip[1]), x[2] - tip[2]);
        in_v[level] = hypot(v[3], v[4]) - hypot(exact[4], exact[5]);
        in_v[level] = fabs(in_v[level]);
        mechanism_close(&m);
    }
    assert_second_order("heavy top, q", in_q);
    assert_second_order("heavy top, v", in_v);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("discrete-gradient, orders");
    TCase *tcase = tcase_create("orders");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, pendulum_on_a_joint, 0, 2);
    tcase_add_test(tcase, mass_on_a_circle);
    tcase_add_test(tcase, heavy_top);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
