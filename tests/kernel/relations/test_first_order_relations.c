/* SPDX-License-Identifier: BSD-3-Clause */
/* Each kind of relation between first-order systems, in problems that can be solved by hand; all
 * terms of such a system; Jacobians by differences. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/callbacks.h"
#include "tests/fixtures/kernel_rig.h"

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

SYSTEM(radial)
{
    (void)t, (void)x, (void)v, (void)z, (void)user;
    out[0] = 1.0;
    out[1] = 0.0;
    return 0;
}

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
    perp_first_order_def_init(&def, sizeof def);
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
    Suite *suite = suite_create("first-order kinds");
    TCase *tcase = tcase_create("first-order kinds");
    tcase_add_test(tcase, type1);
    tcase_add_test(tcase, type2);
    tcase_add_test(tcase, nonlinear_first_order);
    tcase_add_test(tcase, linear_at_t);
    tcase_add_test(tcase, all_terms_of_first_order);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
