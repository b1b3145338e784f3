/* SPDX-License-Identifier: BSD-3-Clause */
/* The event-driven scheme with CVODE between events; in builds without it, what is said. */
#include "config.h"

#include "tests/fixtures/event_run.h"

static const char *const methods[] = {"adams", "bdf"};
static void open_with(scheme_run *run, const char *method)
{
    run_open(run, "event-driven");
    ck_assert_int_eq(perp_scheme_set(&run->scheme, "smooth", method), PERP_SOLVED);
}

#if !HAVE_CVODE
START_TEST(absent)
{
    const double q0 = 1.0, F = -2.0;
    scheme_run run;
    open_with(&run, methods[_i]);
    perp_system_id ball = add_point(&run, 1, &q0, NULL, &F);
    add_floor(&run, ball, 0.5);
    run_start(&run, 0.5);
    ck_assert_int_eq(perp_sim_step(run.sim), PERP_ERR_UNSUPPORTED);
    ck_assert_ptr_nonnull(strstr(perp_sim_info(run.sim)->detail, "CVODE"));
    perp_scheme_set(&run.scheme, "smooth", "runge-kutta");
    ck_assert_int_eq(perp_sim_set_scheme(run.sim, (perp_system_id){0, 0}, &run.scheme),
                     PERP_SOLVED);
    run_until(&run, 2.0);
    run_close(&run);
}
END_TEST
#else
START_TEST(accumulation)
{
    const double q0 = 1.0, F = -2.0;
    scheme_run run;
    open_with(&run, methods[_i]);
    sharp(&run);
    perp_system_id ball = add_point(&run, 1, &q0, NULL, &F);
    perp_interaction_id floor = add_floor(&run, ball, 0.5);
    run_start(&run, 0.25);
    run_until(&run, 1.5);
    ck_assert_double_eq_tol(*run_x(&run, ball), 0.25, 1e-8);
    run_until(&run, 4.0);
    ck_assert_double_eq_tol(*run_x(&run, ball), 0.0, 1e-9);
    ck_assert_double_eq_tol(*run_lambda(&run, floor), 2.0, 1e-9);
    run_close(&run);
}
END_TEST

START_TEST(pendulum)
{
    const double q0[] = {1.0, 0.0}, F[] = {0.0, -g};
    scheme_run run;
    open_with(&run, methods[_i]);
    sharp(&run);
    perp_system_id bob = add_point(&run, 2, q0, NULL, F);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = circle,
                              .h_x = circle_q};
    run_link(&run, &bob, 1, &relation, perp_law_equality());
    run_start(&run, 0.5);
    for (int k = 0; k < 10; k++) {
        run_step(&run);
        double *q = run_x(&run, bob), *v = run_v(&run, bob);
        ck_assert_double_eq_tol(hypot(q[0], q[1]), 1.0, 1e-8);
        ck_assert_double_eq_tol(0.5 * (v[0] * v[0] + v[1] * v[1]) + g * q[1], 0.0, 1e-6);
    }
    run_close(&run);
}
END_TEST

/* A force that is not a number after t = 1: CVODE gives up, the step is not made, the run goes
 * on once the force is well again. */
static int ill = 1;

static int force(double *F, double t, const double *q, const double *v, const double *z, void *u)
{
    (void)q, (void)v, (void)z, (void)u;
    F[0] = ill == 1 && t > 1.0 ? NAN : -1.0;
    return ill == 2 && t > 1.0;
}

START_TEST(failure)
{
    const double q0 = 10.0;
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id ball;
    open_with(&run, methods[_i]);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    def.F_ext = force;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &ball, NULL), PERP_SOLVED);
    run_start(&run, 0.3);
    ill = 1;
    run_until(&run, 0.9);
    double q = *run_x(&run, ball), v = *run_v(&run, ball);
    perp_status status = perp_sim_step(run.sim);
    ck_assert_msg(status == PERP_FLOW_FAILED || status == PERP_STEP_LIMIT, "%s",
                  perp_status_name(status));
    ck_assert(perp_sim_info(run.sim)->detail[0] != '\0');
    ck_assert_double_eq(*run_x(&run, ball), q);
    ck_assert_double_eq(*run_v(&run, ball), v);
    /* One that refuses. */
    ill = 2;
    status = perp_sim_step(run.sim);
    ck_assert_msg(status == PERP_INTERRUPTED, "%s: %s", perp_status_name(status),
                  perp_sim_info(run.sim)->detail);
    ck_assert_double_eq(*run_x(&run, ball), q);
    ck_assert_double_eq(*run_v(&run, ball), v);
    ill = 0;
    run_until(&run, 2.1);
    ck_assert_double_eq_tol(*run_x(&run, ball), 10.0 - 0.5 * 2.1 * 2.1, 1e-5);
    run_close(&run);
}
END_TEST

/* Each step by another method, with one ball and then with two: the closed form. */
START_TEST(methods_that_change)
{
    static const char *const each[] = {"adams",       "bdf", "runge-kutta",
                                       "runge-kutta", "bdf", "adams"};
    const double q0 = 10.0, F = -2.0;
    scheme_run run;
    perp_system_id second = {0, 0};
    open_with(&run, each[_i % 6]);
    sharp(&run);
    perp_system_id ball = add_point(&run, 1, &q0, NULL, &F);
    run_start(&run, 0.1);
    for (int k = 0; k < 12; k++) {
        perp_scheme_set(&run.scheme, "smooth", each[(_i + k) % 6]);
        ck_assert_int_eq(perp_sim_set_scheme(run.sim, (perp_system_id){0, 0}, &run.scheme),
                         PERP_SOLVED);
        if (k == 7)
            second = add_point(&run, 1, &q0, NULL, &F);
        run_step(&run);
        double t = 0.1 * (k + 1), late = t - 0.7;
        ck_assert_double_eq_tol(*run_x(&run, ball), 10.0 - t * t, 1e-7);
        if (k >= 7)
            ck_assert_double_eq_tol(*run_x(&run, second), 10.0 - late * late, 1e-7);
    }
    run_close(&run);
}
END_TEST

/* What no step can meet is said, and the step is not made. */
START_TEST(too_tight)
{
    const double q0[] = {1.0, 0.0}, F[] = {0.0, -g};
    scheme_run run;
    open_with(&run, methods[_i]);
    run.scheme.atol = run.scheme.rtol = 1e-18;
    perp_system_id bob = add_point(&run, 2, q0, NULL, F);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = circle,
                              .h_x = circle_q};
    run_link(&run, &bob, 1, &relation, perp_law_equality());
    run_start(&run, 0.5);
    perp_status status = perp_sim_step(run.sim);
    ck_assert_msg(status == PERP_FLOW_FAILED || status == PERP_STEP_LIMIT, "%s",
                  perp_status_name(status));
    ck_assert_msg(strstr(perp_sim_info(run.sim)->detail, "CVODE") != NULL, "%s",
                  perp_sim_info(run.sim)->detail);
    ck_assert_double_eq(run_x(&run, bob)[0], 1.0);
    run_close(&run);
}
END_TEST
#endif

int main(void)
{
    Suite *suite = suite_create("event driven by cvode");
    TCase *tcase = tcase_create("cvode");
    int count = (int)(sizeof methods / sizeof methods[0]);
#if HAVE_CVODE
    tcase_add_loop_test(tcase, accumulation, 0, count);
    tcase_add_loop_test(tcase, pendulum, 0, count);
    tcase_add_loop_test(tcase, failure, 0, count);
    tcase_add_loop_test(tcase, methods_that_change, 0, 6);
    tcase_add_loop_test(tcase, too_tight, 0, count);
#else
    tcase_add_loop_test(tcase, absent, 0, count);
#endif
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
