/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalised-alpha between impacts: order 2 with and without constraints. */
#include <stdio.h>

#include "tests/fixtures/circle.h"

/* Classical Runge-Kutta with many steps, independent of the library. */
typedef void (*rate_fn)(double *out, double t, const double *x, void *ctx);
enum { STATES = 8 };

static void reference(double *x, int n, double t_end, int steps, rate_fn rate, void *ctx)
{
    double k[4][STATES], at[STATES], h = t_end / steps;
    static const double shift[] = {0.0, 0.5, 0.5, 1.0}, weight[] = {1.0, 2.0, 2.0, 1.0};
    for (int step = 0; step < steps; step++) {
        for (int stage = 0; stage < 4; stage++) {
            for (int i = 0; i < n; i++)
                at[i] = x[i] + (stage ? shift[stage] * h * k[stage - 1][i] : 0.0);
            rate(k[stage], (step + shift[stage]) * h, at, ctx);
        }
        for (int stage = 0; stage < 4; stage++)
            for (int i = 0; i < n; i++)
                x[i] += h / 6.0 * weight[stage] * k[stage][i];
    }
}

static double distance(const double *a, const double *b, int n)
{
    double largest = 0.0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}

/* Errors of q and v at the end of a run of `steps` steps. */
typedef void (*case_fn)(double *error, int steps, void *ctx);

static void assert_order(case_fn run, void *ctx, int steps, double lowest, double highest)
{
    double coarse[2], fine[2];
    run(coarse, steps, ctx);
    run(fine, 2 * steps, ctx);
    for (int i = 0; i < 2; i++) {
        double order = log2(coarse[i] / fine[i]);
        ck_assert_msg(order > lowest && order < highest, "%s: order %g, errors %g, %g",
                      i ? "v" : "q", order, coarse[i], fine[i]);
    }
}

static void pendulum_rate(double *out, double t, const double *x, void *ctx)
{
    (void)t, (void)ctx;
    out[0] = x[1];
    out[1] = -gravity * sin(x[0]);
}

typedef struct circle_case {
    perp_law law;
    double rho; /* 0: the default */
    int smooth_contacts;
    perp_form form;
    double worst; /* |y| at the end of a step */
    double force; /* error of lambda / h at the end */
} circle_case;

static void run_circle(double *error, int steps, void *ctx)
{
    circle_case *c = ctx;
    const double t_end = 1.0, h = t_end / steps;
    double x[] = {0.8, 0.0};
    scheme_run run;
    run_open(&run, "generalized-alpha");
    run.scheme.smooth_contacts = c->smooth_contacts;
    run.scheme.rho_infinity = c->rho > 0.0 ? c->rho : run.scheme.rho_infinity;
    run.form = c->form;
    perp_system_id point = add_point(&run, x[0]);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = circle,
                              .h_x = circle_x};
    perp_interaction_id link = run_link(&run, &point, 1, &relation, c->law);
    run_start(&run, h);
    c->worst = 0.0;
    for (int k = 0; k < steps; k++) {
        run_step(&run);
        c->worst = fmax(c->worst, fabs(run_y(&run, link)[0]));
    }
    reference(x, 2, t_end, 20000, pendulum_rate, NULL);
    const double q[] = {sin(x[0]), -cos(x[0])};
    const double v[] = {x[1] * cos(x[0]), x[1] * sin(x[0])};
    error[0] = distance(run_x(&run, point), q, 2);
    error[1] = distance(run_v(&run, point), v, 2);
    c->force = fabs(run_lambda(&run, link)[0] / h - (x[1] * x[1] + gravity * cos(x[0])));
    run_close(&run);
}

START_TEST(constrained_motion_is_of_order_2)
{
    circle_case c = {.law = _i % 2 ? perp_law_impact(0.5) : perp_law_equality(),
                     .smooth_contacts = 1,
                     .form = _i / 2 ? PERP_FORM_DELASSUS : PERP_FORM_AUTO};
    assert_order(run_circle, &c, 100, 1.9, 2.4);
    ck_assert_double_le(c.worst, 1e-12);
    ck_assert_double_le(c.force, 1e-3);
}
END_TEST

START_TEST(constrained_motion_at_any_rho)
{
    static const double rho[] = {1e-3, 0.3, 0.95};
    circle_case c = {.law = perp_law_impact(0.5), .smooth_contacts = 1, .rho = rho[_i]};
    assert_order(run_circle, &c, 200, 1.8, 2.6);
    ck_assert_double_le(c.worst, 1e-12);
}
END_TEST

/* As published: the contact acts by impulses alone, at the end of each step. */
START_TEST(contact_by_impulses_alone_is_of_order_1)
{
    circle_case c = {.law = perp_law_impact(0.5)};
    assert_order(run_circle, &c, 200, 0.8, 1.2);
    ck_assert_double_le(c.worst, 1e-12);
}
END_TEST

/* The same in a rough hoop, sliding down: friction follows the normal force at order 2. */
static const double rough = 0.2;

RELATION(rough_circle)
{
    circle(out, t, x, lambda, z, user);
    out[1] = atan2(x[0], -x[1]);
    return 0;
}
RELATION(rough_circle_x)
{
    double r = x[0] * x[0] + x[1] * x[1];
    (void)t, (void)lambda, (void)z, (void)user;
    out[0] = -x[0];
    out[2] = -x[1];
    out[1] = -x[1] / r;
    out[3] = x[0] / r;
    return 0;
}
static void rough_rate(double *out, double t, const double *x, void *ctx)
{
    (void)t, (void)ctx;
    out[0] = x[1];
    out[1] = -gravity * sin(x[0]) + rough * (x[1] * x[1] + gravity * cos(x[0]));
}

static void run_rough_circle(double *error, int steps, void *ctx)
{
    double x[] = {0.8, 0.0};
    scheme_run run;
    (void)ctx;
    run_open(&run, "generalized-alpha");
    perp_system_id point = add_point(&run, x[0]);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 2,
                              .h = rough_circle,
                              .h_x = rough_circle_x};
    run_link(&run, &point, 1, &relation, perp_law_friction(2, 0.0, rough));
    run_start(&run, 0.6 / steps);
    for (int k = 0; k < steps; k++)
        run_step(&run);
    reference(x, 2, 0.6, 20000, rough_rate, NULL);
    const double q[] = {sin(x[0]), -cos(x[0])};
    const double v[] = {x[1] * cos(x[0]), x[1] * sin(x[0])};
    error[0] = distance(run_x(&run, point), q, 2);
    error[1] = distance(run_v(&run, point), v, 2);
    run_close(&run);
}

START_TEST(sliding_is_of_order_2)
{
    assert_order(run_rough_circle, NULL, 100, 1.85, 2.4);
}
END_TEST

/* q'' + 0.2 q' + 4 q = sin 3t in two coupled coordinates. */
SYSTEM(push)
{
    (void)x, (void)v, (void)z, (void)user;
    out[0] = sin(3.0 * t);
    out[1] = 0.0;
    return 0;
}

static const double stiffness[] = {5.0, -1.0, -1.0, 3.0}, damping[] = {0.2, 0.0, 0.0, 0.1};

static void oscillator_rate(double *out, double t, const double *x, void *ctx)
{
    (void)ctx;
    out[0] = x[2];
    out[1] = x[3];
    out[2] = sin(3.0 * t) - 0.2 * x[2] - 5.0 * x[0] + x[1];
    out[3] = -0.1 * x[3] + x[0] - 3.0 * x[1];
}

static void run_oscillator(double *error, int steps, void *ctx)
{
    double x[] = {1.0, -0.5, 0.3, 0.7};
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id id;
    run_open(&run, "generalized-alpha");
    run.scheme.rho_infinity = *(const double *)ctx;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = x;
    def.v0 = x + 2;
    def.F_ext = push;
    perp_mat_init_dense(&def.K, 2, 2, stiffness, 2);
    perp_mat_init_dense(&def.C, 2, 2, damping, 2);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    run_start(&run, 3.0 / steps);
    for (int k = 0; k < steps; k++)
        run_step(&run);
    reference(x, 4, 3.0, 20000, oscillator_rate, NULL);
    error[0] = distance(run_x(&run, id), x, 2);
    error[1] = distance(run_v(&run, id), x + 2, 2);
    run_close(&run);
}

START_TEST(free_motion_is_of_order_2)
{
    static double rho[] = {0.0, 0.5, 0.8, 1.0};
    assert_order(run_oscillator, &rho[_i], 200, 1.85, 2.3);
}
END_TEST

/* (1 + q^2/4) q'' + q q'^2/4 + sin q + q'^3/5 = 0. */
SYSTEM(mass)
{
    (void)t, (void)v, (void)z, (void)user;
    out[0] = 1.0 + 0.25 * x[0] * x[0];
    return 0;
}
SYSTEM(mass_q)
{
    (void)t, (void)z, (void)user;
    out[0] = 0.5 * x[0] * v[0];
    return 0;
}
SYSTEM(inner)
{
    (void)t, (void)z, (void)user;
    out[0] = 0.25 * x[0] * v[0] * v[0] + sin(x[0]) + 0.2 * v[0] * v[0] * v[0];
    return 0;
}
SYSTEM(inner_q)
{
    (void)t, (void)z, (void)user;
    out[0] = 0.25 * v[0] * v[0] + cos(x[0]);
    return 0;
}
SYSTEM(inner_v)
{
    (void)t, (void)z, (void)user;
    out[0] = 0.5 * x[0] * v[0] + 0.6 * v[0] * v[0];
    return 0;
}
static void nonlinear_rate(double *out, double t, const double *x, void *ctx)
{
    double M, N;
    (void)ctx;
    mass(&M, t, x, x + 1, NULL, NULL);
    inner(&N, t, x, x + 1, NULL, NULL);
    out[0] = x[1];
    out[1] = -N / M;
}

static void run_nonlinear(double *error, int steps, void *ctx)
{
    double x[] = {1.2, 0.9};
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id id;
    run_open(&run, "generalized-alpha");
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = x;
    def.v0 = x + 1;
    def.mass = mass;
    def.mass_q = ctx ? mass_q : NULL;
    def.N = inner;
    def.N_q = inner_q;
    def.N_v = inner_v;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    run_start(&run, 2.0 / steps);
    for (int k = 0; k < steps; k++) {
        run_step(&run);
        ck_assert_int_le(perp_sim_info(run.sim)->newton, ctx ? 6 : 8);
    }
    reference(x, 2, 2.0, 20000, nonlinear_rate, NULL);
    error[0] = distance(run_x(&run, id), x, 1);
    error[1] = distance(run_v(&run, id), x + 1, 1);
    run_close(&run);
}

START_TEST(mass_that_depends_on_q)
{
    static int with_derivative = 1;
    assert_order(run_nonlinear, _i ? &with_derivative : NULL, 200, 1.8, 2.4);
}
END_TEST

/* Free rotation of a body with three moments of inertia: Euler's equations, and the momentum in
 * the inertial frame. */
static const double moments[] = {1.0, 2.0, 3.5};

static void euler_rate(double *out, double t, const double *w, void *ctx)
{
    (void)t, (void)ctx;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = (moments[j] - moments[k]) * w[j] * w[k] / moments[i];
    }
}

static void run_top(double *error, int steps, void *ctx)
{
    double w[] = {0.3, 2.0, 0.2}, L0[3], L[3];
    scheme_run run;
    perp_body_def def;
    perp_system_id id;
    (void)ctx;
    run_open(&run, "generalized-alpha");
    perp_body_def_init(&def, sizeof def);
    for (int i = 0; i < 3; i++) {
        def.inertia[4 * i] = moments[i];
        def.angular[i] = w[i];
        L0[i] = moments[i] * w[i];
    }
    ck_assert_int_eq(perp_model_add_body(run.model, &def, &id, NULL), PERP_SOLVED);
    run_start(&run, 2.0 / steps);
    for (int k = 0; k < steps; k++)
        run_step(&run);
    reference(w, 3, 2.0, 20000, euler_rate, NULL);
    const double *v = run_v(&run, id) + 3;
    for (int i = 0; i < 3; i++)
        L[i] = moments[i] * v[i];
    perp_quaternion_rotate(run_x(&run, id) + 3, L, L);
    error[0] = distance(L, L0, 3);
    error[1] = distance(v, w, 3);
    run_close(&run);
}

START_TEST(free_body_is_of_order_2)
{
    assert_order(run_top, NULL, 200, 1.85, 2.3);
}
END_TEST

/* A rod on a pivot, (I + m l^2) th'' = - m g l sin th; its joint stays to newton_tol. */
static void rod_rate(double *out, double t, const double *x, void *ctx)
{
    (void)t, (void)ctx;
    out[0] = x[1];
    out[1] = -gravity * sin(x[0]) / 1.5;
}

static double joint_worst;

static void run_rod(double *error, int steps, void *ctx)
{
    double x[] = {0.5 * acos(-1.0), 0.0}, worst = 0.0;
    scheme_run run;
    perp_body_def def;
    perp_system_id id;
    (void)ctx;
    run_open(&run, "generalized-alpha");
    perp_body_def_init(&def, sizeof def);
    def.inertia[0] = 0.2;
    def.inertia[4] = 0.5;
    def.position[0] = 1.0;
    def.force[2] = -gravity;
    ck_assert_int_eq(perp_model_add_body(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_JOINT,
                              .rows = 5,
                              .joint = PERP_JOINT_PIVOT,
                              .axis = {0.0, 1.0}};
    perp_interaction_id link = run_link(&run, &id, 1, &relation, perp_law_equality());
    run_start(&run, 1.5 / steps);
    for (int k = 0; k < steps; k++) {
        run_step(&run);
        for (int i = 0; i < 5; i++)
            worst = fmax(worst, fabs(run_y(&run, link)[i]));
    }
    joint_worst = worst;
    reference(x, 2, 1.5, 20000, rod_rate, NULL);
    const double q[] = {sin(x[0]), 0.0, -cos(x[0])};
    const double v[] = {x[1] * cos(x[0]), 0.0, x[1] * sin(x[0]), 0.0, -x[1], 0.0};
    error[0] = distance(run_x(&run, id), q, 3);
    error[1] = distance(run_v(&run, id), v, 6);
    run_close(&run);
}

START_TEST(body_on_a_pivot_is_of_order_2)
{
    assert_order(run_rod, NULL, 150, 1.85, 2.4);
    ck_assert_double_le(joint_worst, 1e-12);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("order of generalized-alpha");
    TCase *tc = tcase_create("between impacts");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, constrained_motion_is_of_order_2, 0, 4);
    tcase_add_loop_test(tc, constrained_motion_at_any_rho, 0, 3);
    tcase_add_test(tc, contact_by_impulses_alone_is_of_order_1);
    tcase_add_test(tc, sliding_is_of_order_2);
    tcase_add_loop_test(tc, free_motion_is_of_order_2, 0, 4);
    tcase_add_loop_test(tc, mass_that_depends_on_q, 0, 2);
    tcase_add_test(tc, free_body_is_of_order_2);
    tcase_add_test(tc, body_on_a_pivot_is_of_order_2);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
