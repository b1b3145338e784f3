/* SPDX-License-Identifier: BSD-3-Clause */
/* Each kind of relation between Lagrangian systems, in problems that can be solved by hand;
 * nonlinear systems; Jacobians by differences. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/callbacks.h"
#include "tests/fixtures/kernel_rig.h"

static const double one = 1.0;

RELATION(plus)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    *out = 1.0;
    return 0;
}

/* A unilateral spring, y = q + K lambda: half a period of contact, elastic. */
RELATION(spring)
{
    (void)t, (void)user;
    *out = x[0] + z[0] * lambda[0];
    return 0;
}

RELATION(spring_lambda)
{
    (void)t, (void)x, (void)lambda, (void)user;
    *out = z[0];
    return 0;
}

START_TEST(compliant)
{
    for (int linear = 0; linear < 2; linear++) {
        rig r;
        const double h = 1e-4, compliance = 0.01, m = 2.0, q0 = 0.1, v0 = -1.0;
        rig_init(&r, h);
        perp_system_id mass = rig_lagrangian(&r, 1, &q0, &v0, &m, NULL);
        perp_relation relation =
            rig_relation(linear ? PERP_RELATION_LINEAR : PERP_RELATION_COMPLIANT, 1);
        relation.C = &one;
        relation.D = &compliance;
        if (!linear) {
            relation.C = relation.D = NULL;
            relation.h = spring;
            relation.h_x = plus;
            relation.h_lambda = spring_lambda;
            relation.z = &compliance;
            relation.nz = 1;
        }
        perp_interaction_id link =
            rig_interact(&r, &mass, 1, &relation, perp_law_complementarity());
        rig_start_moreau_jean(&r);
        double omega = sqrt(1.0 / (compliance * m)), end = 0.1 + acos(-1.0) / omega;
        for (int k = 1; k <= 8000; k++) {
            rig_step(&r);
            double t = k * h, q, force = 0.0;
            if (t < 0.1) {
                q = q0 - t;
            } else if (t < end) {
                q = -sin(omega * (t - 0.1)) / omega;
                force = -q / compliance;
            } else {
                q = t - end;
            }
            ck_assert_double_eq_tol(*rig_q(&r, mass), q, 3.0 * h);
            ck_assert_double_eq_tol(*rig_lambda(&r, link), force, 0.02);
            ck_assert_double_ge(*rig_y(&r, link), -1e-9);
        }
        ck_assert_double_eq_tol(*rig_v(&r, mass), 1.0, 1e-3);
        rig_free(&r);
    }
}
END_TEST

/* NONLINEAR between second-order systems: y = q + K (lambda + lambda^3) + a sin t,
 * p = (1 + q^2) lambda, complementarity; against the equation of motion. */
static const double softness = 0.05, shake = 0.02;

RELATION(stiffening)
{
    (void)z, (void)user;
    *out = x[0] + softness * (lambda[0] + lambda[0] * lambda[0] * lambda[0]) + shake * sin(t);
    return 0;
}

RELATION(stiffening_t)
{
    (void)x, (void)lambda, (void)z, (void)user;
    *out = shake * cos(t);
    return 0;
}

RELATION(stiffening_lambda)
{
    (void)t, (void)x, (void)z, (void)user;
    *out = softness * (1.0 + 3.0 * lambda[0] * lambda[0]);
    return 0;
}

RELATION(lever)
{
    (void)t, (void)z, (void)user;
    *out = (1.0 + x[0] * x[0]) * lambda[0];
    return 0;
}

RELATION(lever_x)
{
    (void)t, (void)z, (void)user;
    *out = 2.0 * x[0] * lambda[0];
    return 0;
}

RELATION(lever_lambda)
{
    (void)t, (void)lambda, (void)z, (void)user;
    *out = 1.0 + x[0] * x[0];
    return 0;
}

/* The force at (t, q). */
static double lever_force(double t, double q)
{
    double load = -(q + shake * sin(t)) / softness, lambda = 0.0;
    for (int k = 0; load > 0.0 && k < 50; k++)
        lambda -= (lambda + lambda * lambda * lambda - load) / (1.0 + 3.0 * lambda * lambda);
    return (1.0 + q * q) * lambda - 1.0;
}

/* Falls from 0.2 at unit weight. */
static double exact_lever(double end)
{
    enum { STEPS = 20000 };
    double q = 0.2, v = 0.0, h = end / STEPS;
    for (int k = 0; k < STEPS; k++) {
        double t = k * h, a1 = lever_force(t, q), v2 = v + 0.5 * h * a1;
        double a2 = lever_force(t + 0.5 * h, q + 0.5 * h * v), v3 = v + 0.5 * h * a2;
        double a3 = lever_force(t + 0.5 * h, q + 0.5 * h * v2), v4 = v + h * a3;
        double a4 = lever_force(t + h, q + h * v3);
        q += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return q;
}

static double lever_error(double h, int differences)
{
    rig r;
    const double q0 = 0.2, F = -1.0;
    rig_init(&r, h);
    perp_system_id mass = rig_lagrangian(&r, 1, &q0, NULL, NULL, &F);
    perp_relation relation = rig_relation(PERP_RELATION_NONLINEAR, 1);
    relation.h = stiffening;
    relation.h_t = stiffening_t;
    relation.g = lever;
    relation.differences = differences;
    if (!differences) {
        relation.h_x = plus;
        relation.h_lambda = stiffening_lambda;
        relation.g_x = lever_x;
        relation.g_lambda = lever_lambda;
    }
    perp_interaction_id link = rig_interact(&r, &mass, 1, &relation, perp_law_complementarity());
    rig_start_moreau_jean(&r);
    while (perp_sim_time(r.sim) < 2.0 - 0.5 * h) {
        rig_step(&r);
        ck_assert_double_ge(*rig_lambda(&r, link), 0.0);
        ck_assert_double_ge(*rig_y(&r, link), -1e-9);
        ck_assert_double_le(*rig_y(&r, link) * *rig_lambda(&r, link), 1e-9);
    }
    double error = fabs(*rig_q(&r, mass) - exact_lever(2.0));
    rig_free(&r);
    return error;
}

START_TEST(nonlinear_second_order)
{
    double coarse = lever_error(4e-3, 0), fine = lever_error(2e-3, 0);
    ck_assert_double_lt(fine, 5e-3);
    ck_assert_double_lt(fine, 0.7 * coarse);
    ck_assert_double_eq_tol(lever_error(4e-3, 1), coarse, 1e-6);
}
END_TEST

/* SCLERONOMOUS, bilateral: a point on a circle is a pendulum. */
RELATION(circle)
{
    (void)t, (void)lambda, (void)z, (void)user;
    *out = 0.5 * (x[0] * x[0] + x[1] * x[1] - 1.0);
    return 0;
}

RELATION(circle_x)
{
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = x[0];
    out[1] = x[1];
    return 0;
}

static double circle_error(double h, int differences)
{
    rig r;
    const double q0[] = {1.0, 0.0}, F[] = {0.0, -1.0};
    rig_init(&r, h);
    perp_system_id point = rig_lagrangian(&r, 2, q0, NULL, NULL, F);
    perp_relation relation = rig_relation(PERP_RELATION_SCLERONOMOUS, 1);
    relation.h = circle;
    relation.h_x = differences ? NULL : circle_x;
    relation.differences = differences;
    rig_interact(&r, &point, 1, &relation, perp_law_equality());
    rig_start_moreau_jean(&r);
    double error = 0.0;
    while (perp_sim_time(r.sim) < 3.0 - 0.5 * h) {
        rig_step(&r);
        const double *q = rig_q(&r, point), *v = rig_v(&r, point);
        error = fmax(error, fabs(0.5 * (v[0] * v[0] + v[1] * v[1]) + q[1]));
        error = fmax(error, fabs(q[0] * q[0] + q[1] * q[1] - 1.0));
        ck_assert_double_eq_tol(q[0] * v[0] + q[1] * v[1], 0.0, h * h);
    }
    rig_free(&r);
    return error;
}

START_TEST(scleronomous)
{
    double coarse = circle_error(4e-3, 0), fine = circle_error(2e-3, 0);
    ck_assert_double_lt(fine, 1e-2);
    ck_assert_double_lt(fine, 0.6 * coarse);
    ck_assert_double_eq_tol(circle_error(4e-3, 1), coarse, 1e-6);
}
END_TEST

/* RHEONOMOUS: thrown by a racket that comes at a steady speed; e acts on the relative rate. */
RELATION(racket)
{
    (void)lambda, (void)user;
    *out = x[0] - z[0] * t;
    return 0;
}

RELATION(racket_t)
{
    (void)t, (void)x, (void)lambda, (void)user;
    *out = -z[0];
    return 0;
}

START_TEST(rheonomous)
{
    static const char *const schemes[] = {"moreau-jean", "schatzman-paoli"};
    for (int k = 0; k < 2; k++) {
        rig r;
        const double h = 1e-3, speed = 0.5, e = 0.8, q0 = 1.0, v0 = -2.0;
        rig_init(&r, h);
        perp_system_id ball = rig_lagrangian(&r, 1, &q0, &v0, NULL, NULL);
        perp_relation relation = rig_relation(PERP_RELATION_RHEONOMOUS, 1);
        relation.h = racket;
        relation.h_x = plus;
        relation.h_t = racket_t;
        relation.z = &speed;
        relation.nz = 1;
        perp_interaction_id contact = rig_interact(&r, &ball, 1, &relation, perp_law_impact(e));
        perp_scheme scheme = rig_scheme(schemes[k], "");
        rig_start(&r, &scheme);
        rig_run(&r, 0.3);
        ck_assert_double_eq_tol(*rig_u(&r, contact), v0 - speed, 1e-12);
        rig_run(&r, 1.0);
        double after = speed - e * (v0 - speed);
        ck_assert_double_eq_tol(*rig_v(&r, ball), after, 1e-9);
        ck_assert_double_eq_tol(*rig_q(&r, ball), 0.2 + after * 0.6, 6.0 * h);
        rig_free(&r);
    }
}
END_TEST

/* Control: T(q) u is a spring and a damper; M(q), N and F_int make it a polar motion.
 * q = (radius, angle): radius'' = radius angle'^2 - k (radius - 1), radius^2 angle' kept. */
SYSTEM(polar_mass)
{
    (void)t, (void)v, (void)z, (void)user;
    const double M[] = {1.0, 0.0, 0.0, x[0] * x[0]};
    memcpy(out, M, sizeof M);
    return 0;
}

SYSTEM(polar_mass_q)
{
    (void)t, (void)z, (void)user;
    const double M[] = {0.0, 2.0 * x[0] * v[1], 0.0, 0.0};
    memcpy(out, M, sizeof M);
    return 0;
}

SYSTEM(polar)
{
    (void)t, (void)z, (void)user;
    out[0] = -x[0] * v[1] * v[1];
    out[1] = 2.0 * x[0] * v[0] * v[1];
    return 0;
}

SYSTEM(polar_q)
{
    (void)t, (void)x, (void)z, (void)user;
    const double N[] = {-v[1] * v[1], 2.0 * v[0] * v[1], 0.0, 0.0};
    memcpy(out, N, sizeof N);
    return 0;
}

SYSTEM(polar_v)
{
    (void)t, (void)z, (void)user;
    const double N[] = {0.0, 2.0 * x[0] * v[1], -2.0 * x[0] * v[1], 2.0 * x[0] * v[0]};
    memcpy(out, N, sizeof N);
    return 0;
}

SYSTEM(radial)
{
    (void)t, (void)x, (void)v, (void)z, (void)user;
    out[0] = 1.0;
    out[1] = 0.0;
    return 0;
}

SYSTEM(pull)
{
    (void)t, (void)v, (void)user;
    *out = -z[0] * (x[0] - 1.0);
    return 0;
}

SYSTEM(pull_q)
{
    (void)t, (void)x, (void)v, (void)user;
    const double d[] = {-z[0], 0.0, 0.0, 0.0};
    memcpy(out, d, sizeof d);
    return 0;
}

SYSTEM(four_zeros)
{
    (void)t, (void)x, (void)v, (void)z, (void)user;
    memset(out, 0, 4 * sizeof *out);
    return 0;
}

static double polar_error(double h, int differences, int with_mass_q)
{
    rig r;
    const double q0[] = {1.5, 0.0}, v0[] = {0.0, 1.3}, k = 3.0;
    double error = 0.0, start = 0.5 * 1.5 * 1.5 * 1.69 + 0.5 * k * 0.25;
    rig_init(&r, h);
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q0;
    def.v0 = v0;
    def.mass = polar_mass;
    def.mass_q = with_mass_q ? polar_mass_q : NULL;
    def.N = polar;
    def.controls = 1;
    def.T = radial;
    def.u = pull;
    def.z = &k;
    def.nz = 1;
    def.differences = differences;
    if (!differences) {
        def.N_q = polar_q;
        def.N_v = polar_v;
        def.control_q = pull_q;
        def.control_v = four_zeros;
    }
    perp_system_id system = rig_add_lagrangian(&r, &def);
    rig_start_moreau_jean(&r);
    while (perp_sim_time(r.sim) < 4.0 - 0.5 * h) {
        double kinetic;
        rig_step(&r);
        const double *q = rig_q(&r, system), *v = rig_v(&r, system);
        perp_model_kinetic_energy(r.model, system, 0.0, &kinetic);
        double energy = kinetic + 0.5 * k * (q[0] - 1.0) * (q[0] - 1.0);
        error = fmax(error, fabs(energy - start));
        error = fmax(error, fabs(q[0] * q[0] * v[1] - 2.25 * 1.3));
    }
    rig_free(&r);
    return error;
}

START_TEST(nonlinear_lagrangian)
{
    double coarse = polar_error(4e-3, 0, 0), fine = polar_error(2e-3, 0, 0);
    ck_assert_double_lt(fine, 2e-2);
    ck_assert_double_lt(fine, 0.6 * coarse);
    ck_assert_double_eq_tol(polar_error(4e-3, 1, 0), coarse, 1e-7);
    ck_assert_double_eq_tol(polar_error(4e-3, 0, 1), coarse, 1e-7);
}
END_TEST

/* The law of motion in each step, put together here from the numbers of the step:
 * M(m) (v - v_k) = h theta F(q, v) + h (1 - theta) F(q_k, v_k) + H' lambda,
 * q = q_k + h (theta v + (1 - theta) v_k), m as `configuration` says. */
typedef struct scheme_case {
    const char *parameters;
    double theta, prediction;
    int configuration; /* iterated, start, predicted */
} scheme_case;

static const scheme_case scheme_cases[] = {
    {"theta=0.5", 0.5, 1.0, 0},
    {"theta=1", 1.0, 1.0, 0},
    {"theta=0.7 prediction=0.5", 0.7, 0.5, 0},
    {"theta=0.5 configuration=start", 0.5, 1.0, 1},
    {"theta=0.6 configuration=predicted prediction=0.5", 0.6, 0.5, 2},
    {"theta=0.5 configuration=predicted", 0.5, 1.0, 2},
    {"theta=0.7 prediction=0.5 configuration=converged", 0.7, 0.5, 0},
};
enum { SCHEME_CASES = sizeof scheme_cases / sizeof scheme_cases[0] };

static void polar_force(double F[2], const double *q, const double *v, double k)
{
    F[0] = q[0] * v[1] * v[1] - k * (q[0] - 1.0);
    F[1] = -2.0 * q[0] * v[0] * v[1];
}

/* y = q0 - 1.4 - sin(q1)/10: it bounces, then slides along. */
RELATION(wave)
{
    (void)t, (void)lambda, (void)z, (void)user;
    *out = x[0] - 1.4 - 0.1 * sin(x[1]);
    return 0;
}

RELATION(wave_x)
{
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = 1.0;
    out[1] = -0.1 * cos(x[1]);
    return 0;
}

static double step_error(const scheme_case *c, double h, const double *q_k, const double *v_k,
                         const double *q, const double *v, double lambda, double k)
{
    double m[2], F[2], F_k[2], H[2], error = 0.0;
    for (int i = 0; i < 2; i++) {
        double mean = c->theta * v[i] + (1.0 - c->theta) * v_k[i];
        double rate = c->configuration == 0 ? mean : c->configuration == 1 ? 0.0 : v_k[i];
        m[i] = q_k[i] + c->prediction * h * rate;
        error = fmax(error, fabs(q[i] - q_k[i] - h * mean));
    }
    const double M[] = {1.0, m[0] * m[0]};
    polar_force(F, q, v, k);
    polar_force(F_k, q_k, v_k, k);
    wave_x(H, 0.0, m, NULL, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        double force = h * (c->theta * F[i] + (1.0 - c->theta) * F_k[i]);
        error = fmax(error, fabs(M[i] * (v[i] - v_k[i]) - force - H[i] * lambda));
    }
    /* e = 1/2; the rate at the start of the step has its own gradient. */
    if (lambda > 0.0) {
        double u = H[0] * v[0] + H[1] * v[1];
        wave_x(H, 0.0, q_k, NULL, NULL, NULL);
        error = fmax(error, fabs(u + 0.5 * (H[0] * v_k[0] + H[1] * v_k[1])));
    }
    return error;
}

START_TEST(steps_are_what_they_say)
{
    const scheme_case *c = &scheme_cases[_i];
    const double q0[] = {1.5, 0.4}, v0[] = {-1.0, 0.7}, k = 3.0, h = 1e-2;
    rig r;
    rig_init(&r, h);
    r.options.newton_tol = 1e-13;
    r.options.newton_iter = 50;
    perp_lagrangian_def def;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q0;
    def.v0 = v0;
    def.mass = polar_mass;
    def.N = polar;
    def.N_q = polar_q;
    def.N_v = polar_v;
    def.controls = 1;
    def.T = radial;
    def.u = pull;
    def.control_q = pull_q;
    def.control_v = four_zeros;
    def.z = &k;
    def.nz = 1;
    perp_system_id system = rig_add_lagrangian(&r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_SCLERONOMOUS, 1);
    relation.h = wave;
    relation.h_x = wave_x;
    perp_interaction_id wall = rig_interact(&r, &system, 1, &relation, perp_law_impact(0.5));
    perp_scheme scheme = rig_scheme("moreau-jean", c->parameters);
    rig_start(&r, &scheme);
    int closed = 0;
    for (int step = 0; step < 1500; step++) {
        double q_k[2], v_k[2], y_k, u_k, H[2];
        memcpy(q_k, rig_q(&r, system), sizeof q_k);
        memcpy(v_k, rig_v(&r, system), sizeof v_k);
        wave(&y_k, 0.0, q_k, NULL, NULL, NULL);
        wave_x(H, 0.0, q_k, NULL, NULL, NULL);
        u_k = H[0] * v_k[0] + H[1] * v_k[1];
        rig_step(&r);
        double lambda = *rig_lambda(&r, wall);
        double error = step_error(c, h, q_k, v_k, rig_q(&r, system), rig_v(&r, system), lambda, k);
        ck_assert_msg(error < 1e-8, "%s: step %d, error %g, lambda %g", c->parameters, step, error,
                      lambda);
        ck_assert(lambda >= 0.0 && (lambda == 0.0 || y_k + 0.5 * h * u_k <= 0.0));
        closed += lambda > 0.0;
    }
    ck_assert_int_gt(closed, 3);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("second-order kinds");
    TCase *tcase = tcase_create("second-order kinds");
    tcase_add_test(tcase, compliant);
    tcase_add_test(tcase, nonlinear_second_order);
    tcase_add_test(tcase, scleronomous);
    tcase_add_test(tcase, rheonomous);
    tcase_add_test(tcase, nonlinear_lagrangian);
    tcase_add_loop_test(tcase, steps_are_what_they_say, 0, SCHEME_CASES);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
