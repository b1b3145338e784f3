/* SPDX-License-Identifier: BSD-3-Clause */
/* moreau-jean-extrapolated: its order in each kind of smooth motion, across impacts, and what it
 * does with the tolerance. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/exact_impacts.h"
#include "tests/fixtures/kernel_rig.h"

static const double one = 1.0, none = 0.0, pi = 3.14159265358979323846;

/* Steps of one length: every error is within the tolerance. */
static perp_scheme plain(const char *more)
{
    char text[160];
    snprintf(text, sizeof text, "atol=1e300 crossing=h_min %s", more);
    return rig_scheme("moreau-jean-extrapolated", text);
}

typedef double (*error_fn)(int steps, const char *parameters);

static void assert_order(error_fn error, int steps, const char *parameters, double order)
{
    double coarse = error(steps, parameters), fine = error(2 * steps, parameters);
    double found = log2(coarse / fine);
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "%s: %g, %g, order %.2f\n", parameters, coarse, fine, found);
    ck_assert_msg(found > order - 0.3 && found < order + 0.6, "%s: order %g, not %g", parameters,
                  found, order);
}

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

static double pendulum_exactly(double t)
{
    enum { STEPS = 20000 };
    double x = 1.0, v = 0.0, h = t / STEPS;
    for (int k = 0; k < STEPS; k++) {
        double a1 = -sin(x), v2 = v + 0.5 * h * a1, a2 = -sin(x + 0.5 * h * v);
        double v3 = v + 0.5 * h * a2, a3 = -sin(x + 0.5 * h * v2);
        double v4 = v + h * a3, a4 = -sin(x + h * v3);
        x += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return x;
}

static double of_pendulum(int steps, const char *parameters)
{
    const double end = 4.0;
    rig r;
    rig_init(&r, end / steps);
    r.options.newton_tol = 1e-14;
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    def.F_int = pendulum;
    def.F_int_q = pendulum_q;
    def.F_int_v = no_damping;
    perp_system_id system = rig_add_lagrangian(&r, &def);
    perp_scheme scheme = plain(parameters);
    rig_start(&r, &scheme);
    for (int k = 0; k < steps; k++) {
        rig_step(&r);
        ck_assert_int_eq(perp_sim_info(r.sim)->inner, 1);
    }
    double error = fabs(*rig_q(&r, system) - pendulum_exactly(end));
    rig_free(&r);
    return error;
}

START_TEST(free_motion)
{
    assert_order(of_pendulum, 20, "levels=2", 4.0);
    assert_order(of_pendulum, 20, "levels=3", 6.0);
    assert_order(of_pendulum, 40, "levels=2 theta=1", 2.0);
    assert_order(of_pendulum, 40, "levels=3 theta=1", 3.0);
    assert_order(of_pendulum, 40, "levels=2 forces=explicit", 2.0);
}
END_TEST

static const double slow = 0.05, mu = 0.1;

/* A block that slides on a rough floor, pulled by a spring: q'' = -q - mu in its first swing. */
static double of_block(int steps, const char *parameters)
{
    const double end = 2.5, q0[] = {1.0, 0.0}, v0[] = {slow, 0.0};
    const double K[] = {1.0, 0.0, 0.0, 0.0}, F[] = {0.0, -1.0}, C[] = {0.0, 1.0, 1.0, 0.0};
    rig r;
    rig_init(&r, end / steps);
    r.options.solver = "enumerative";
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q0;
    def.v0 = v0;
    def.K = rig_dense(K, 2, 2);
    def.F = F;
    perp_system_id block = rig_add_lagrangian(&r, &def);
    rig_linear(&r, block, 2, C, NULL, perp_law_friction(2, 0.0, mu));
    perp_scheme scheme = plain(parameters);
    rig_start(&r, &scheme);
    /* The event of the first step, and the turning point, are crossed exactly. */
    for (int k = 0; k < steps; k++)
        rig_step(&r);
    double a = hypot(1.0 + mu, slow), phase = atan2(slow, 1.0 + mu);
    double turn = phase, x = a - mu; /* there; then q'' = -q + mu */
    double exact = mu + (x - mu) * cos(end - turn);
    double error = fabs(rig_q(&r, block)[0] - exact);
    rig_free(&r);
    return error;
}

/* The floor is left out of the closed form: the turn costs O(h_min). */
START_TEST(smooth_contact)
{
    double error = of_block(20, "levels=2 h_min=1e-7");
    ck_assert_msg(error < 1e-5, "%g", error);
    assert_order(of_block, 10, "levels=2 h_min=1e-9", 4.0);
}
END_TEST

/* A bead on a circle: Jacobians are taken at a forecast, so that steps do not start where the last
 * ones ended, and the first part of each walk has an error of its own: order 2 at most. */
static int circle(double *out, double t, const double *q, const double *lambda, const double *z,
                  void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    *out = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    return 0;
}

static int circle_q(double *out, double t, const double *q, const double *lambda, const double *z,
                    void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = q[0];
    out[1] = q[1];
    return 0;
}

static double of_bead(int steps, const char *parameters)
{
    const double end = 2.0, q0[] = {sin(1.0), -cos(1.0)}, F[] = {0.0, -1.0};
    rig r;
    rig_init(&r, end / steps);
    r.options.newton_tol = 1e-13;
    perp_system_id bead = rig_lagrangian(&r, 2, q0, NULL, NULL, F);
    perp_relation relation = rig_relation(PERP_RELATION_SCLERONOMOUS, 1);
    relation.h = circle;
    relation.h_x = circle_q;
    rig_interact(&r, &bead, 1, &relation, perp_law_equality());
    perp_scheme scheme = plain(parameters);
    rig_start(&r, &scheme);
    for (int k = 0; k < steps; k++)
        rig_step(&r);
    const double *q = rig_q(&r, bead);
    double error = fabs(atan2(q[0], -q[1]) - pendulum_exactly(end));
    rig_free(&r);
    return error;
}

START_TEST(curved_constraint)
{
    assert_order(of_bead, 40, "levels=2", 2.0);
    assert_order(of_bead, 40, "levels=3", 2.0);
}
END_TEST

/* A symmetric top: the axis of a free body, with its quaternion. */
static double of_top(int steps, const char *parameters)
{
    const double I[] = {1.0, 1.0, 2.0}, omega[] = {0.3, 0.0, 5.0}, end = 1.0;
    rig r;
    rig_init(&r, end / steps);
    r.options.newton_tol = 1e-14;
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    for (int i = 0; i < 3; i++) {
        def.inertia[4 * i] = I[i];
        def.angular[i] = omega[i];
    }
    perp_system_id top = rig_add_body(&r, &def);
    perp_scheme scheme = plain(parameters);
    rig_start(&r, &scheme);
    for (int k = 0; k < steps; k++)
        rig_step(&r);
    const double *q = rig_q(&r, top), *v = rig_v(&r, top);
    double rate = (I[2] - I[0]) / I[0] * omega[2], L[] = {0.3, 0.0, 10.0},
           length = hypot(0.3, 10.0);
    double axis[3], exact[3], e3[] = {0.0, 0.0, 1.0}, norm = 0.0, error;
    for (int i = 3; i < 7; i++)
        norm += q[i] * q[i];
    ck_assert_double_eq_tol(norm, 1.0, 1e-14);
    perp_quaternion_rotate(q + 3, e3, axis);
    /* e3 turned about L by |L| t / I_1. */
    double n[] = {L[0] / length, 0.0, L[2] / length}, angle = length * end, along = n[2];
    double across[] = {n[1] * e3[2], n[2] * e3[0] - n[0] * e3[2], 0.0};
    for (int i = 0; i < 3; i++)
        exact[i] = cos(angle) * e3[i] + sin(angle) * across[i] + along * n[i] * (1.0 - cos(angle));
    error = hypot(v[3] - omega[0] * cos(rate * end), v[4] - omega[0] * sin(rate * end));
    for (int i = 0; i < 3; i++)
        error = hypot(error, axis[i] - exact[i]);
    rig_free(&r);
    return error;
}

START_TEST(free_body)
{
    assert_order(of_top, 40, "levels=2", 4.0);
    assert_order(of_top, 40, "levels=2 theta=0.8", 2.0);
}
END_TEST

/* A circuit whose diode conducts all the time: a value, implicit in it, order `levels`. */
static double of_circuit(int steps, const char *parameters)
{
    const double x0[] = {1.0, 0.5}, A[] = {0.0, 1.0, -1.0, 0.0}, B[] = {0.0, 1.0};
    const double C[] = {0.0, 1.0}, D = 0.5, end = 1.0;
    rig r;
    rig_init(&r, end / steps);
    perp_system_id circuit = rig_first_order(&r, 2, x0, A);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
    const double minus[] = {-C[0], -C[1]};
    relation.C = minus;
    relation.B = B;
    relation.D = &D;
    rig_interact(&r, &circuit, 1, &relation, perp_law_complementarity());
    /* lambda = 2 x_2 > 0: x' = [[0, -1], [1, 2]] x, a double eigenvalue 1. */
    perp_scheme scheme = plain(parameters);
    rig_start(&r, &scheme);
    for (int k = 0; k < steps; k++)
        rig_step(&r);
    double slope = -x0[0] - x0[1], e = exp(end);
    double exact = e * (x0[0] + slope * end);
    double error = fabs(rig_q(&r, circuit)[0] - exact);
    rig_free(&r);
    return error;
}

START_TEST(circuit)
{
    assert_order(of_circuit, 20, "levels=2 h_min=1e-9", 2.0);
    assert_order(of_circuit, 20, "levels=3 h_min=1e-9", 3.0);
}
END_TEST

/* L1 error of q over impacts, means over some h. */
static double of_impacts(int steps, const char *parameters)
{
    enum { PHASES = 12 };
    double error = 0.0;
    for (int phase = 0; phase < PHASES; phase++) {
        rig r;
        double h = 5.0 / (steps + phase * steps / 43.0);
        rig_init(&r, h);
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 1;
        def.q0 = &one;
        def.K = rig_dense(&one, 1, 1);
        perp_system_id mass = rig_add_lagrangian(&r, &def);
        rig_linear(&r, mass, 1, &one, NULL, perp_law_impact(0.8));
        perp_scheme scheme = plain(parameters);
        rig_start(&r, &scheme);
        while (perp_sim_time(r.sim) < 5.0) {
            double q, v;
            rig_step(&r);
            exact_oscillator(&q, &v, perp_sim_time(r.sim), 0.8);
            error += h * fabs(*rig_q(&r, mass) - q) / PHASES;
        }
        rig_free(&r);
    }
    return error;
}

START_TEST(across_impacts)
{
    double slope = log2(of_impacts(160, "h_min=1e-2") / of_impacts(1280, "h_min=1e-2")) / 3.0;
    ck_assert_msg(slope > 0.8 && slope < 1.2, "order %g", slope);
    double small = of_impacts(160, "h_min=1e-4");
    ck_assert_double_lt(small, 0.1 * of_impacts(160, "h_min=1e-2"));
}
END_TEST

/* To rest through the accumulation, with the parameters of the scheme. */
START_TEST(ball_comes_to_rest)
{
    static const double restitution[] = {0.5, 0.9};
    for (int k = 0; k < 2; k++) {
        rig r;
        const double weight = -2.0;
        double worst = 0.0;
        long evaluations = 0;
        rig_init(&r, 0.037);
        perp_system_id ball = rig_lagrangian(&r, 1, &one, NULL, NULL, &weight);
        rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(restitution[k]));
        perp_scheme scheme = rig_scheme("moreau-jean-extrapolated", "");
        rig_start(&r, &scheme);
        while (perp_sim_time(r.sim) < 25.0) {
            double q, v;
            rig_step(&r);
            evaluations += perp_sim_info(r.sim)->evaluations;
            exact_ball(&q, &v, perp_sim_time(r.sim));
            if (k == 0)
                worst = fmax(worst, fabs(*rig_q(&r, ball) - q));
        }
        ck_assert_double_lt(worst, 1e-3);
        ck_assert_double_lt(fabs(*rig_v(&r, ball)), 1e-3);
        ck_assert_double_gt(*rig_q(&r, ball), -1e-3);
        ck_assert_int_lt((int)evaluations, 200000);
        rig_free(&r);
    }
}
END_TEST

/* The tolerance chooses the step in smooth motion; one that cannot be met ends the step. */
START_TEST(tolerance)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        rig r;
        rig_init(&r, 2.0);
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 1;
        def.q0 = &one;
        def.K = rig_dense(&one, 1, 1);
        perp_system_id mass = rig_add_lagrangian(&r, &def);
        perp_scheme scheme =
            rig_scheme("moreau-jean-extrapolated", k ? "atol=1e-9 rtol=0" : "atol=1e-5 rtol=0");
        rig_start(&r, &scheme);
        rig_step(&r);
        ck_assert_int_gt(perp_sim_info(r.sim)->inner, 2);
        error[k] = fabs(*rig_q(&r, mass) - cos(2.0));
        rig_free(&r);
    }
    ck_assert_double_lt(error[0], 1e-5);
    ck_assert_double_lt(error[1], 1e-9);
    rig r;
    rig_init(&r, 2.0 * pi);
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &one;
    def.v0 = &none;
    def.K = rig_dense(&one, 1, 1);
    perp_system_id mass = rig_add_lagrangian(&r, &def);
    perp_scheme scheme = rig_scheme("moreau-jean-extrapolated", "atol=1e-12 rtol=0 h_min=0.1");
    rig_start(&r, &scheme);
    ck_assert_int_eq(perp_sim_step(r.sim), PERP_STEP_LIMIT);
    ck_assert_double_eq(*rig_q(&r, mass), 1.0);
    ck_assert_double_eq(perp_sim_time(r.sim), 0.0);
    scheme = rig_scheme("moreau-jean-extrapolated", "atol=1e-12 rtol=0 h_min=0.1 at_h_min=accept");
    ck_assert_int_eq(perp_sim_set_scheme(r.sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
    rig_step(&r);
    ck_assert_int_gt(perp_sim_info(r.sim)->inner, 5);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("extrapolated");
    TCase *tcase = tcase_create("extrapolated");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, free_motion);
    tcase_add_test(tcase, smooth_contact);
    tcase_add_test(tcase, curved_constraint);
    tcase_add_test(tcase, free_body);
    tcase_add_test(tcase, circuit);
    tcase_add_test(tcase, across_impacts);
    tcase_add_test(tcase, ball_comes_to_rest);
    tcase_add_test(tcase, tolerance);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
