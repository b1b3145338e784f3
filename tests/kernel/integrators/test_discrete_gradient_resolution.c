/* SPDX-License-Identifier: BSD-3-Clause */
/* h omega of the verdict of discrete-gradient runs, against frequencies in closed form. */
#include <stdlib.h>

#include "tests/fixtures/kernel_rig.h"
#include "tests/fixtures/mechanism.h"

enum { STEPS = 12 };

static const double g = 9.81, pi = 3.14159265358979323846;

static perp_figure resolution_of(const perp_sim *sim)
{
    perp_figure figure;
    for (int k = 0; perp_sim_figure(sim, k, &figure, sizeof figure) == PERP_SOLVED; k++)
        if (strcmp(figure.name, "resolution") == 0)
            return figure;
    ck_abort_msg("no resolution");
    return figure;
}

static double h_omega(const perp_sim *sim)
{
    perp_figure figure = resolution_of(sim);
    ck_assert_int_eq(figure.known, 1);
    return figure.value;
}

static void run(mechanism *m, int steps)
{
    for (int k = 0; k < steps; k++)
        mechanism_step(m);
}

/* A body that hangs (or stands: then it is the rate by which it falls) at a distance from its
 * pivot: omega^2 = m g L/(J + m L^2), the larger of both axes. */
START_TEST(a_pendulum)
{
    static const double inertia[] = {0.3, 0.2, 0.1}, pivot[] = {0.0, 0.0, 0.0};
    double place[] = {0.0, 0.0, _i ? 0.7 : -0.7}, h = 1e-3;
    mechanism m;
    mechanism_open(&m, "");
    mechanism_body(&m, 2.0, inertia, place, NULL);
    mechanism_join(&m, PERP_JOINT_POINT, 0, MECHANISM_WORLD, pivot, NULL);
    mechanism_start(&m, h);
    run(&m, STEPS);
    double exact = h * sqrt(2.0 * g * 0.7 / (0.2 + 2.0 * 0.49));
    ck_assert_double_eq_tol(h_omega(m.run.sim), exact, 1e-8 * exact);
    mechanism_close(&m);
}
END_TEST

/* n masses on a rope whose tension is that of a heavy body at its end, nearly the same all along:
 * omega^2 = 4 T/(m l) sin^2(n pi/(2 (n + 1))). */
START_TEST(a_rope)
{
    int n = _i ? 20 : 4;
    double tip = 1e6, mass = 0.5, l = 0.2, h = 1e-4;
    static const double inertia[] = {0.01, 0.01, 0.01}, heavy[] = {1e5, 1e5, 1e5};
    mechanism m;
    mechanism_open(&m, "");
    for (int k = 0; k <= n; k++) {
        double place[] = {0.0, 0.0, -l * (k + 1)}, above[] = {0.0, 0.0, -l * k};
        mechanism_body(&m, k < n ? mass : tip, k < n ? inertia : heavy, place, NULL);
        mechanism_join(&m, PERP_JOINT_DISTANCE, k, k - 1, place, above);
    }
    mechanism_start(&m, h);
    run(&m, STEPS);
    double exact = 2.0 * sqrt(tip * g / (mass * l)) * sin(0.5 * n * pi / (n + 1)) * h;
    ck_assert_double_le(h_omega(m.run.sim), exact * (1.0 + 1e-4));
    ck_assert_double_ge(h_omega(m.run.sim), exact * (_i ? 0.95 : 1.0 - 1e-4));
    mechanism_close(&m);
}
END_TEST

/* Three masses between four springs: omega^2 = (2 + sqrt 2) k/m; beside them something that has
 * none. */
START_TEST(springs)
{
    static const double K[] = {8.0, -4.0, 0.0, -4.0, 8.0, -4.0, 0.0, -4.0, 8.0};
    static const double q0[] = {0.1, 0.0, -0.2}, zero[] = {0.0, 0.0, 0.0};
    static const double M[] = {0.5, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.5};
    rig r;
    perp_lagrangian_def def;
    perp_scheme scheme = rig_scheme("discrete-gradient", "");
    rig_init(&r, 0.5);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 3;
    def.q0 = q0;
    def.M = rig_dense(M, 3, 3);
    def.K = rig_dense(K, 3, 3);
    rig_add_lagrangian(&r, &def);
    rig_lagrangian(&r, 3, zero, zero, NULL, zero);
    rig_start(&r, &scheme);
    rig_run(&r, 0.5 * STEPS);
    double exact = 0.5 * sqrt((2.0 + sqrt(2.0)) * 8.0);
    ck_assert_double_eq_tol(h_omega(r.sim), exact, 1e-9 * exact);
    perp_figure figure = resolution_of(r.sim);
    ck_assert_int_eq(figure.kind, PERP_VERDICT_REMARKS);
    ck_assert_int_eq((int)figure.step, 2);
    rig_free(&r);
}
END_TEST

/* The restoring force of a pendulum, by callbacks. */
static int restoring(double *out, double t, const double *q, const double *v, const double *z,
                     void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    out[0] = 40.0 * sin(q[0]);
    return 0;
}

static int restoring_q(double *out, double t, const double *q, const double *v, const double *z,
                       void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    out[0] = 40.0 * cos(q[0]);
    return 0;
}

static int no_rate(double *out, double t, const double *q, const double *v, const double *z,
                   void *user)
{
    (void)t, (void)q, (void)v, (void)z, (void)user;
    out[0] = 0.0;
    return 0;
}

START_TEST(a_force_by_a_callback)
{
    static const double q0[] = {0.0};
    rig r;
    perp_lagrangian_def def;
    perp_scheme scheme = rig_scheme("discrete-gradient", "");
    rig_init(&r, 0.01);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = q0;
    def.F_int = restoring;
    def.F_int_q = restoring_q;
    def.F_int_v = no_rate;
    rig_add_lagrangian(&r, &def);
    rig_start(&r, &scheme);
    rig_run(&r, 0.01 * STEPS);
    ck_assert_double_eq_tol(h_omega(r.sim), 0.01 * sqrt(40.0), 1e-6);
    rig_free(&r);
}
END_TEST

/* y = q + lambda/k: a spring; a servo on the coordinate of a hinge. */
static int soft(double *out, double t, const double *x, const double *lambda, const double *z,
                void *user)
{
    (void)t, (void)z, (void)user;
    out[0] = x[0] + lambda[0] / 300.0;
    return 0;
}

static int soft_x(double *out, double t, const double *x, const double *lambda, const double *z,
                  void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    out[0] = 1.0;
    return 0;
}

static int soft_lambda(double *out, double t, const double *x, const double *lambda,
                       const double *z, void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    out[0] = 1.0 / 300.0;
    return 0;
}

START_TEST(a_soft_support)
{
    static const double q0[] = {-0.01}, M[] = {3.0}, weight[] = {-1.0}, zero[] = {0.0};
    rig r;
    perp_scheme scheme = rig_scheme("discrete-gradient", "theta=0.6");
    perp_relation relation = rig_relation(PERP_RELATION_COMPLIANT, 1);
    relation.h = soft;
    relation.h_x = soft_x;
    relation.h_lambda = soft_lambda;
    rig_init(&r, 0.002);
    perp_system_id id = rig_lagrangian(&r, 1, q0, zero, M, weight);
    rig_interact(&r, &id, 1, &relation, perp_law_complementarity());
    rig_start(&r, &scheme);
    rig_run(&r, 0.002 * STEPS);
    ck_assert_double_eq_tol(h_omega(r.sim), 0.002 * 10.0, 1e-9);
    rig_free(&r);
}
END_TEST

START_TEST(a_servo)
{
    static const double inertia[] = {0.3, 0.2, 0.1}, place[] = {0.0, 0.0, 0.0};
    static const double axis[] = {0.0, 0.0, 1.0};
    static const mechanism_coordinate angle = {.axis = {0.0, 0.0, 1.0}, .side = 1};
    mechanism m;
    mechanism_open(&m, "");
    mechanism_body(&m, 2.0, inertia, place, NULL);
    mechanism_join(&m, PERP_JOINT_PIVOT, 0, MECHANISM_WORLD, place, axis);
    mechanism_drive(&m, PERP_JOINT_ANGLE, 0, MECHANISM_WORLD, &angle,
                    perp_law_servo(250.0, 0.0, 0.1, 1e6));
    mechanism_start(&m, 1e-3);
    run(&m, STEPS);
    ck_assert_double_eq_tol(h_omega(m.run.sim), 1e-3 * 50.0, 1e-6);
    mechanism_close(&m);
}
END_TEST

/* Nothing is stiff: nothing to be measured, and the verdict lacks nothing. */
START_TEST(nothing_stiff)
{
    static const double inertia[] = {0.1, 0.1, 0.1}, place[] = {0.0, 0.0, 1.0};
    mechanism m;
    perp_verdict verdict;
    mechanism_open(&m, "");
    mechanism_body(&m, 1.0, inertia, place, NULL);
    mechanism_start(&m, 1e-3);
    run(&m, STEPS);
    ck_assert_int_eq(resolution_of(m.run.sim).known, 0);
    ck_assert_int_eq(perp_sim_verdict(m.run.sim, &verdict, sizeof verdict), PERP_SOLVED);
    ck_assert_int_eq(verdict.unknown, 0);
    ck_assert_int_eq(verdict.kind, PERP_VERDICT_VERIFIED);
    mechanism_close(&m);
}
END_TEST

/* A rod that swings from the horizontal into a stop without restitution: its pivot is tight, but
 * the impulse of the impact is no tension.  Eight lengths of the fall, so that the impact is in a
 * step with an estimate. */
START_TEST(impacts_are_no_tension)
{
    static const double inertia[] = {0.01, 0.01, 0.01}, pivot[] = {0.0, 0.0, 0.0};
    static const double axis[] = {0.0, 1.0, 0.0};
    static const mechanism_sphere sphere = {0.05, 0.0, -0.9, {0.0, 0.0, 0.0}};
    double angle = 0.6 + 0.01 * _i, h = 1.0 / 240.0;
    double place[] = {cos(angle), 0.0, -sin(angle)};
    mechanism m;
    mechanism_open(&m, "");
    mechanism_body(&m, 1.0, inertia, place, NULL);
    mechanism_join(&m, PERP_JOINT_PIVOT, 0, MECHANISM_WORLD, pivot, axis);
    mechanism_sphere_on_plane(&m, 0, &sphere, perp_law_impact(0.0));
    mechanism_start(&m, h);
    run(&m, 200);
    ck_assert_double_le(mechanism_v(&m, 0)[0], 1e-6); /* it hit and lies there */
    ck_assert_double_le(h_omega(m.run.sim), h * sqrt(3.0 * g));
    mechanism_close(&m);
}
END_TEST

/* A run that goes on from a checkpoint knows what the run in one go knows. */
START_TEST(from_a_checkpoint)
{
    mechanism whole, resumed;
    size_t bytes = 0;
    mechanism *m[2] = {&whole, &resumed};
    for (int k = 0; k < 2; k++) {
        mechanism_open(m[k], "");
        mechanism_chain(m[k], 5, PERP_JOINT_PIVOT, 100.0);
        mechanism_start(m[k], 1.0 / 240.0);
    }
    run(&whole, 13);
    ck_assert_int_eq(perp_sim_save(whole.run.sim, NULL, &bytes), PERP_SOLVED);
    void *buffer = malloc(bytes);
    ck_assert_int_eq(perp_sim_save(whole.run.sim, buffer, &bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_load(resumed.run.sim, buffer, bytes), PERP_SOLVED);
    free(buffer);
    run(&whole, 40);
    run(&resumed, 40);
    perp_figure a = resolution_of(whole.run.sim), b = resolution_of(resumed.run.sim);
    ck_assert_double_gt(a.value, 0.0);
    ck_assert_int_eq(memcmp(&a.value, &b.value, sizeof a.value), 0);
    ck_assert_int_eq(memcmp(&a.last, &b.last, sizeof a.last), 0);
    mechanism_close(&whole);
    mechanism_close(&resumed);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("discrete-gradient, resolution");
    TCase *tc = tcase_create("resolution");
    tcase_add_loop_test(tc, a_pendulum, 0, 2);
    tcase_add_loop_test(tc, a_rope, 0, 2);
    tcase_add_test(tc, springs);
    tcase_add_test(tc, a_force_by_a_callback);
    tcase_add_test(tc, a_soft_support);
    tcase_add_test(tc, a_servo);
    tcase_add_test(tc, nothing_stiff);
    tcase_add_loop_test(tc, impacts_are_no_tension, 0, 8);
    tcase_add_test(tc, from_a_checkpoint);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
