/* SPDX-License-Identifier: BSD-3-Clause */
/* Each kind of relation at least once, in problems that can be solved by hand; nonlinear and
 * time-varying systems; Jacobians by differences. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_rig.h"

#define RELATION(name)                                                                             \
    static int name(double *out, double t, const double *x, const double *lambda, const double *z, \
                    void *user)
#define SYSTEM(name)                                                                               \
    static int name(double *out, double t, const double *x, const double *v, const double *z,      \
                    void *user)

static const double one = 1.0;

/* TYPE1, relay: y = x + x^3, r = lambda + lambda^3, so x' = -2 Sign(x). */
RELATION(cubic)
{
    (void)t, (void)lambda, (void)z, (void)user;
    *out = x[0] + x[0] * x[0] * x[0];
    return 0;
}

RELATION(cubic_x)
{
    (void)t, (void)lambda, (void)z, (void)user;
    *out = 1.0 + 3.0 * x[0] * x[0];
    return 0;
}

RELATION(cubic_input)
{
    (void)t, (void)x, (void)z, (void)user;
    *out = lambda[0] + lambda[0] * lambda[0] * lambda[0];
    return 0;
}

RELATION(cubic_input_lambda)
{
    (void)t, (void)x, (void)z, (void)user;
    *out = 1.0 + 3.0 * lambda[0] * lambda[0];
    return 0;
}

START_TEST(type1)
{
    for (int differences = 0; differences < 2; differences++) {
        rig r;
        const double h = 1e-2;
        rig_init(&r, h);
        perp_system_id system = rig_first_order(&r, 1, &one, NULL);
        perp_relation relation = rig_relation(PERP_RELATION_TYPE1, 1);
        relation.h = cubic;
        relation.g = cubic_input;
        relation.differences = differences;
        if (!differences) {
            relation.h_x = cubic_x;
            relation.g_lambda = cubic_input_lambda;
        }
        rig_interact(&r, &system, 1, &relation, perp_law_relay(-1.0, 1.0));
        perp_scheme scheme = rig_scheme("euler-moreau", "theta=1");
        rig_start(&r, &scheme);
        for (int k = 1; k <= 80; k++) {
            rig_step(&r);
            double exact = fmax(0.0, 1.0 - 2.0 * k * h);
            ck_assert_double_eq_tol(*rig_q(&r, system), exact, 1e-9);
            ck_assert_int_eq(perp_sim_info(r.sim)->differences, differences);
        }
        rig_free(&r);
    }
}
END_TEST

/* TYPE2, complementarity: 0 <= -x + lambda + lambda^3 perp lambda >= 0, x' = -lambda.  From
 * lambda = 1 on ln lambda + 3/2 (lambda^2 - 1) = -t. */
RELATION(diode)
{
    (void)t, (void)z, (void)user;
    *out = -x[0] + lambda[0] + lambda[0] * lambda[0] * lambda[0];
    return 0;
}

RELATION(diode_x)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    *out = -1.0;
    return 0;
}

RELATION(drain)
{
    (void)t, (void)x, (void)z, (void)user;
    *out = -lambda[0];
    return 0;
}

RELATION(drain_lambda)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    *out = -1.0;
    return 0;
}

static double exact_diode(double t)
{
    double lambda = 1.0;
    for (int k = 0; k < 100; k++)
        lambda -= (log(lambda) + 1.5 * (lambda * lambda - 1.0) + t) / (1.0 / lambda + 3.0 * lambda);
    return lambda;
}

static double diode_error(double h, const char *parameters)
{
    rig r;
    const double start = 2.0;
    double error = 0.0;
    rig_init(&r, h);
    perp_system_id system = rig_first_order(&r, 1, &start, NULL);
    perp_relation relation = rig_relation(PERP_RELATION_TYPE2, 1);
    relation.h = diode;
    relation.h_x = diode_x;
    relation.h_lambda = cubic_input_lambda;
    relation.g = drain;
    relation.g_lambda = drain_lambda;
    perp_interaction_id link = rig_interact(&r, &system, 1, &relation, perp_law_complementarity());
    perp_scheme scheme = rig_scheme("euler-moreau", parameters);
    rig_start(&r, &scheme);
    while (perp_sim_time(r.sim) < 2.0 - 0.5 * h) {
        rig_step(&r);
        double lambda = exact_diode(perp_sim_time(r.sim));
        error = fmax(error, fabs(*rig_q(&r, system) - lambda - lambda * lambda * lambda));
        ck_assert_double_eq_tol(*rig_y(&r, link), 0.0, strstr(parameters, "full") ? 1.0 : 1e-9);
    }
    rig_free(&r);
    return error;
}

START_TEST(type2)
{
    double coarse = diode_error(2e-2, "theta=1"), fine = diode_error(1e-2, "theta=1");
    ck_assert_double_lt(fine, 1e-2);
    ck_assert_double_eq_tol(log2(coarse / fine), 1.0, 0.1);
    coarse = diode_error(2e-2, "theta=0.5 gamma=0.5 variant=full");
    fine = diode_error(1e-2, "theta=0.5 gamma=0.5 variant=full");
    ck_assert_double_lt(fine, 1e-4);
    ck_assert_double_eq_tol(log2(coarse / fine), 2.0, 0.1);
}
END_TEST

/* NONLINEAR with K = dg/dx: 0 <= lambda - x perp lambda >= 0, x' = -x lambda + t x, so
 * lambda = x and x' = -x^2 + t x; with (1/x)' = 1 - t (1/x). */
RELATION(follow)
{
    (void)t, (void)z, (void)user;
    *out = lambda[0] - x[0];
    return 0;
}

RELATION(minus)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    *out = -1.0;
    return 0;
}

RELATION(plus)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    *out = 1.0;
    return 0;
}

RELATION(logistic)
{
    (void)z, (void)user;
    *out = -x[0] * lambda[0] + t * x[0];
    return 0;
}

RELATION(logistic_x)
{
    (void)x, (void)z, (void)user;
    *out = -lambda[0] + t;
    return 0;
}

RELATION(logistic_lambda)
{
    (void)t, (void)lambda, (void)z, (void)user;
    *out = -x[0];
    return 0;
}

/* s = 1/x: s' = 1 - t s by the method of Runge and Kutta. */
static double exact_logistic(double t)
{
    enum { STEPS = 2000 };
    double s = 1.0, h = t / STEPS;
    for (int k = 0; k < STEPS; k++) {
        double at = k * h, a = 1.0 - at * s, b = 1.0 - (at + 0.5 * h) * (s + 0.5 * h * a);
        double c = 1.0 - (at + 0.5 * h) * (s + 0.5 * h * b), d = 1.0 - (at + h) * (s + h * c);
        s += h / 6.0 * (a + 2.0 * b + 2.0 * c + d);
    }
    return 1.0 / s;
}

static double logistic_error(double h)
{
    rig r;
    rig_init(&r, h);
    perp_system_id system = rig_first_order(&r, 1, &one, NULL);
    perp_relation relation = rig_relation(PERP_RELATION_NONLINEAR, 1);
    relation.h = follow;
    relation.h_x = minus;
    relation.h_lambda = plus;
    relation.g = logistic;
    relation.g_x = logistic_x;
    relation.g_lambda = logistic_lambda;
    perp_interaction_id link = rig_interact(&r, &system, 1, &relation, perp_law_complementarity());
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=1");
    rig_start(&r, &scheme);
    while (perp_sim_time(r.sim) < 1.0 - 0.5 * h) {
        rig_step(&r);
        ck_assert_double_eq_tol(*rig_lambda(&r, link), *rig_q(&r, system), 1e-9);
    }
    double error = fabs(*rig_q(&r, system) - exact_logistic(1.0));
    rig_free(&r);
    return error;
}

START_TEST(nonlinear_first_order)
{
    double coarse = logistic_error(1e-2), fine = logistic_error(5e-3);
    ck_assert_double_lt(fine, 5e-3);
    ck_assert_double_eq_tol(log2(coarse / fine), 1.0, 0.1);
}
END_TEST

/* LINEAR at t: y = c(t) x + F(t) z + e(t), r = b(t) lambda, with y = 0. */
RELATION(gain)
{
    (void)x, (void)lambda, (void)z, (void)user;
    *out = 2.0 + cos(t);
    return 0;
}

RELATION(weight)
{
    (void)x, (void)lambda, (void)z, (void)user;
    *out = sin(2.0 * t);
    return 0;
}

RELATION(offset)
{
    (void)x, (void)lambda, (void)z, (void)user;
    *out = -exp(-t);
    return 0;
}

START_TEST(linear_at_t)
{
    rig r;
    const double h = 1e-2, z = 0.7, x0 = 1.0 / 3.0;
    rig_init(&r, h);
    perp_system_id system = rig_first_order(&r, 1, &x0, NULL);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.C_at = relation.B_at = gain;
    relation.F_at = weight;
    relation.e_at = offset;
    relation.z = &z;
    relation.nz = 1;
    perp_interaction_id link = rig_interact(&r, &system, 1, &relation, perp_law_equality());
    perp_scheme scheme = rig_scheme("euler-moreau", "theta=1");
    rig_start(&r, &scheme);
    double before = x0;
    for (int k = 1; k <= 300; k++) {
        rig_step(&r);
        double t = k * h, exact = (exp(-t) - z * sin(2.0 * t)) / (2.0 + cos(t));
        ck_assert_double_eq_tol(*rig_q(&r, system), exact, 1e-11);
        ck_assert_double_eq_tol(*rig_lambda(&r, link), (exact - before) / h / (2.0 + cos(t)), 1e-8);
        before = exact;
    }
    rig_free(&r);
}
END_TEST

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
        rig_start(&r, NULL);
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
    rig_start(&r, NULL);
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
    rig_start(&r, NULL);
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
    perp_lagrangian_def_init(&def);
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
    rig_start(&r, NULL);
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

/* M x' = A(t) x + b(t) + f + T u, all at once: x = (sin t, cos t) by construction of b. */
SYSTEM(A_at)
{
    (void)x, (void)v, (void)z, (void)user;
    const double A[] = {0.0, -1.0 - t, 1.0, 0.5};
    memcpy(out, A, sizeof A);
    return 0;
}

SYSTEM(b_at)
{
    (void)x, (void)v, (void)user;
    double s = sin(t), c = cos(t);
    out[0] = 2.0 * c - c - s * s * s - z[0] * t * s;
    out[1] = -3.0 * s + (1.0 + t) * s - 0.5 * c - c * s;
    return 0;
}

SYSTEM(smooth)
{
    (void)t, (void)v, (void)z, (void)user;
    out[0] = x[0] * x[0] * x[0];
    out[1] = x[0] * x[1];
    return 0;
}

SYSTEM(smooth_x)
{
    (void)t, (void)v, (void)z, (void)user;
    const double J[] = {3.0 * x[0] * x[0], x[1], 0.0, x[0]};
    memcpy(out, J, sizeof J);
    return 0;
}

SYSTEM(steer)
{
    (void)v, (void)user;
    *out = z[0] * t * x[0];
    return 0;
}

SYSTEM(steer_x)
{
    (void)x, (void)v, (void)user;
    const double J[] = {z[0] * t, 0.0, 0.0, 0.0};
    memcpy(out, J, sizeof J);
    return 0;
}

static double all_terms_error(double h, int differences, const char *parameters)
{
    rig r;
    const double x0[] = {0.0, 1.0}, M[] = {2.0, 0.0, 0.0, 3.0}, z = 0.3;
    double error = 0.0;
    rig_init(&r, h);
    perp_first_order_def def;
    perp_first_order_def_init(&def);
    def.n = 2;
    def.x0 = x0;
    def.M = rig_dense(M, 2, 2);
    def.A_at = A_at;
    def.b_at = b_at;
    def.f = smooth;
    def.controls = 1;
    def.T = radial;
    def.u = steer;
    def.z = &z;
    def.nz = 1;
    def.differences = differences;
    if (!differences) {
        def.f_x = smooth_x;
        def.control_x = steer_x;
    }
    perp_system_id system = rig_add_first_order(&r, &def);
    perp_scheme scheme = rig_scheme("euler-moreau", parameters);
    rig_start(&r, &scheme);
    while (perp_sim_time(r.sim) < 2.0 - 0.5 * h) {
        rig_step(&r);
        double t = perp_sim_time(r.sim);
        error = fmax(error, fabs(rig_q(&r, system)[0] - sin(t)));
        error = fmax(error, fabs(rig_q(&r, system)[1] - cos(t)));
    }
    rig_free(&r);
    return error;
}

START_TEST(all_terms_of_first_order)
{
    double coarse = all_terms_error(2e-2, 0, "theta=0.5");
    double fine = all_terms_error(1e-2, 0, "theta=0.5");
    ck_assert_double_lt(fine, 1e-4);
    ck_assert_double_eq_tol(log2(coarse / fine), 2.0, 0.1);
    ck_assert_double_eq_tol(all_terms_error(2e-2, 1, "theta=0.5"), coarse, 1e-8);
    ck_assert_double_lt(all_terms_error(1e-2, 0, "theta=0.5 variant=midpoint"), 1e-4);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("relation kinds");
    TCase *tcase = tcase_create("relation kinds");
    tcase_add_test(tcase, type1);
    tcase_add_test(tcase, type2);
    tcase_add_test(tcase, nonlinear_first_order);
    tcase_add_test(tcase, linear_at_t);
    tcase_add_test(tcase, compliant);
    tcase_add_test(tcase, nonlinear_second_order);
    tcase_add_test(tcase, scleronomous);
    tcase_add_test(tcase, rheonomous);
    tcase_add_test(tcase, nonlinear_lagrangian);
    tcase_add_test(tcase, all_terms_of_first_order);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
