/* SPDX-License-Identifier: BSD-3-Clause */
/* Orders of convergence in h, in the L1 norm h sum |f_i - f(t_i)| of [ACA10] (48). */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/fixtures/exact_impacts.h"
#include "tests/fixtures/kernel_rig.h"

typedef enum example { BALL, OSCILLATOR } example;

static const double one = 1.0, restitution[] = {0.5, 0.8};

/* |v - exact|, of the nearer side where the instant is that of an impact but for rounding. */
static double error_of_v(example which, double t, double v)
{
    double error = HUGE_VAL;
    for (int side = -1; side <= 1; side++) {
        double q, exact;
        if (which == BALL)
            exact_ball(&q, &exact, t + 1e-10 * side);
        else
            exact_oscillator(&q, &exact, t + 1e-10 * side, restitution[which]);
        error = fmin(error, fabs(v - exact));
    }
    return error;
}

/* Adds the errors of q and v over [0, 5]. */
static void add_errors(double error[2], example which, const perp_scheme *scheme, int steps)
{
    rig r;
    const double end = 5.0, weight = which == BALL ? -2.0 : 0.0, h = end / steps;
    rig_init(&r, h);
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    def.F = &weight;
    if (which == OSCILLATOR)
        def.K = rig_dense(&one, 1, 1);
    perp_system_id mass = rig_add_lagrangian(&r, &def);
    rig_linear(&r, mass, 1, &one, NULL, perp_law_impact(restitution[which]));
    rig_start(&r, scheme);
    for (int k = 1; k <= steps; k++) {
        double q, v;
        rig_step(&r);
        if (which == BALL)
            exact_ball(&q, &v, perp_sim_time(r.sim));
        else
            exact_oscillator(&q, &v, perp_sim_time(r.sim), restitution[which]);
        error[0] += h * fabs(*rig_q(&r, mass) - q);
        error[1] += h * error_of_v(which, perp_sim_time(r.sim), *rig_v(&r, mass));
    }
    rig_free(&r);
}

/* The error depends on where in a step the few impacts fall: means over PHASES steps. */
enum { LEVELS = 6, PHASES = 12 };

/* Slope of log error over log h by least squares. */
static double slope_of(const double *h, const double *error)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int k = 0; k < LEVELS; k++) {
        x += log(h[k]) / LEVELS;
        y += log(error[k]) / LEVELS;
    }
    for (int k = 0; k < LEVELS; k++) {
        xx += (log(h[k]) - x) * (log(h[k]) - x);
        xy += (log(h[k]) - x) * (log(error[k]) - y);
    }
    return xy / xx;
}

/* Orders in q and v must be from least to most. */
static void assert_impact_order(const char *name, double least, double most)
{
    static const char *const examples[] = {"bouncing ball", "impacting oscillator"};
    perp_scheme scheme = rig_scheme(name, "theta=0.5");
    for (example which = BALL; which <= OSCILLATOR; which++) {
        double h[LEVELS], q[LEVELS], v[LEVELS];
        for (int k = 0; k < LEVELS; k++) {
            double error[2] = {0.0, 0.0};
            int steps = 160 << k;
            for (int phase = 0; phase < PHASES; phase++)
                add_errors(error, which, &scheme, steps + phase * steps / 43);
            h[k] = 1.0 / steps;
            q[k] = error[0] / PHASES;
            v[k] = error[1] / PHASES;
        }
        double in_q = slope_of(h, q), in_v = slope_of(h, v);
        if (getenv("PERP_TEST_ALL"))
            fprintf(stderr, "%s, %s: order %.2f in q, %.2f in v\n", name, examples[which], in_q,
                    in_v);
        ck_assert_msg(in_q > least && in_q < most, "%s, %s: order %g in q", name, examples[which],
                      in_q);
        ck_assert_msg(in_v > least && in_v < most, "%s, %s: order %g in v", name, examples[which],
                      in_v);
    }
}

START_TEST(moreau_jean)
{
    assert_impact_order("moreau-jean", 0.85, 1.15);
}
END_TEST

START_TEST(schatzman_paoli)
{
    assert_impact_order("schatzman-paoli", 0.85, 1.15);
}
END_TEST

/* Impacts at their times in the step: the order of smooth motion. */
START_TEST(discrete_gradient)
{
    assert_impact_order("discrete-gradient", 1.85, 3.2);
}
END_TEST

/* x' = -t x^2 from 1: x = 1/(1 + t^2/2). */
static int decay(double *out, double t, const double *x, const double *v, const double *z,
                 void *user)
{
    (void)v, (void)z, (void)user;
    *out = -t * x[0] * x[0];
    return 0;
}

static int decay_x(double *out, double t, const double *x, const double *v, const double *z,
                   void *user)
{
    (void)v, (void)z, (void)user;
    *out = -2.0 * t * x[0];
    return 0;
}

static double decay_error(const char *parameters, int steps)
{
    rig r;
    double h = 2.0 / steps, error = 0.0;
    rig_init(&r, h);
    r.options.newton_tol = 1e-13;
    perp_first_order_def def;
    perp_first_order_def_init(&def, sizeof def);
    def.n = 1;
    def.x0 = &one;
    def.f = decay;
    def.f_x = decay_x;
    perp_system_id system = rig_add_first_order(&r, &def);
    perp_scheme scheme = rig_scheme("euler-moreau", parameters);
    rig_start(&r, &scheme);
    for (int k = 1; k <= steps; k++) {
        rig_step(&r);
        error += h * fabs(*rig_q(&r, system) - 1.0 / (1.0 + 0.5 * h * k * h * k));
    }
    rig_free(&r);
    return error;
}

/* q'' = -sin q: the energy and a fine run of the classical method of Runge and Kutta. */
static int pendulum(double *out, double t, const double *q, const double *v, const double *z,
                    void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    *out = sin(q[0]);
    return 0;
}

static int pendulum_q(double *out, double t, const double *q, const double *v, const double *z,
                      void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    *out = cos(q[0]);
    return 0;
}

static int no_damping(double *out, double t, const double *q, const double *v, const double *z,
                      void *user)
{
    (void)t, (void)q, (void)v, (void)z, (void)user;
    *out = 0.0;
    return 0;
}

static void pendulum_exactly(double *q, double t)
{
    enum { STEPS = 4000 };
    double x = 1.0, v = 0.0, h = t / STEPS;
    for (int k = 0; k < STEPS; k++) {
        double a1 = -sin(x), v2 = v + 0.5 * h * a1, a2 = -sin(x + 0.5 * h * v);
        double v3 = v + 0.5 * h * a2, a3 = -sin(x + 0.5 * h * v2);
        double v4 = v + h * a3, a4 = -sin(x + h * v3);
        x += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    *q = x;
}

static double pendulum_error(const char *scheme_name, const char *parameters, int steps)
{
    rig r;
    const double end = 4.0;
    double exact;
    rig_init(&r, end / steps);
    r.options.newton_tol = 1e-13;
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    def.F_int = pendulum;
    def.F_int_q = pendulum_q;
    def.F_int_v = no_damping;
    perp_system_id system = rig_add_lagrangian(&r, &def);
    perp_scheme scheme = rig_scheme(scheme_name, parameters);
    rig_start(&r, &scheme);
    for (int k = 1; k <= steps; k++)
        rig_step(&r);
    pendulum_exactly(&exact, end);
    double error = fabs(*rig_q(&r, system) - exact);
    rig_free(&r);
    return error;
}

static void assert_order(double coarse, double fine, double order, const char *what)
{
    double found = log2(coarse / fine);
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "%s: order %.2f\n", what, found);
    ck_assert_msg(fabs(found - order) < 0.15, "%s: order %g", what, found);
}

START_TEST(smooth_systems)
{
    assert_order(decay_error("theta=1", 100), decay_error("theta=1", 200), 1.0,
                 "euler-moreau, theta = 1");
    assert_order(decay_error("theta=0.5", 100), decay_error("theta=0.5", 200), 2.0,
                 "euler-moreau, theta = 1/2");
    assert_order(decay_error("theta=0.5 variant=midpoint", 100),
                 decay_error("theta=0.5 variant=midpoint", 200), 2.0,
                 "euler-moreau, mid-point, theta = 1/2");
    assert_order(pendulum_error("moreau-jean", "theta=1", 200),
                 pendulum_error("moreau-jean", "theta=1", 400), 1.0, "moreau-jean, theta = 1");
    assert_order(pendulum_error("moreau-jean", "theta=0.5", 200),
                 pendulum_error("moreau-jean", "theta=0.5", 400), 2.0, "moreau-jean, theta = 1/2");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("orders");
    TCase *tcase = tcase_create("orders");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, moreau_jean);
    tcase_add_test(tcase, schatzman_paoli);
    tcase_add_test(tcase, discrete_gradient);
    tcase_add_test(tcase, smooth_systems);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
