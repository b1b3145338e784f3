/* SPDX-License-Identifier: BSD-3-Clause */
/* Generalised-alpha between impacts: damping of the highest frequencies, no drift, interactions and
 * schemes that change. */
#include <stdio.h>

#include "tests/fixtures/circle.h"

/* h omega = 1e7: a mode that the step cannot resolve decays by rho in each step, up to the
 * polynomial of its triple eigenvalue. */
START_TEST(highest_frequencies_decay_by_rho)
{
    static const double rho[] = {0.3, 0.6, 0.9};
    const double q0 = 1.0, K = 1e14;
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id id;
    run_open(&run, "generalized-alpha");
    run.scheme.rho_infinity = rho[_i];
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    perp_mat_init_dense(&def.K, 1, 1, &K, 1);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    run_start(&run, 1.0);
    double at[4] = {0.0};
    const int from[] = {40, 41, 80, 81};
    for (int k = 1; k <= 81; k++) {
        run_step(&run);
        for (int i = 0; i < 4; i++)
            at[i] = k == from[i] ? fabs(run_v(&run, id)[0]) : at[i];
    }
    /* k^p rho^k for p <= 2: the part of k^p goes out of the ratio of ratios. */
    double first = at[1] / at[0], last = at[3] / at[2];
    double decay = 2.0 * last - first; /* both are rho (1 + p/k + ..) */
    ck_assert_msg(fabs(decay - rho[_i]) < 0.01 * rho[_i], "%g, %g: %g, not %g", first, last, decay,
                  rho[_i]);
    run_close(&run);
}
END_TEST

/* rho = 1 keeps the energy of a linear oscillator. */
START_TEST(rho_1_does_not_damp)
{
    const double q0 = 1.0, K = 4.0;
    scheme_run run;
    perp_lagrangian_def def;
    perp_system_id id;
    run_open(&run, "generalized-alpha");
    run.scheme.rho_infinity = 1.0;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    perp_mat_init_dense(&def.K, 1, 1, &K, 1);
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    run_start(&run, 0.05);
    double least = INFINITY, most = 0.0;
    for (int k = 0; k < 20000; k++) {
        run_step(&run);
        double q = run_x(&run, id)[0], v = run_v(&run, id)[0], E = 0.5 * (K * q * q + v * v);
        if (k == 0)
            continue;
        least = fmin(least, E);
        most = fmax(most, E);
    }
    ck_assert_double_le(most - least, 0.01 * most);
    run_close(&run);
}
END_TEST

/* Two points on rods, 50 000 steps: both levels hold all the time. */
RELATION(between)
{
    (void)t, (void)lambda, (void)z, (void)user;
    double a = x[2] - x[0], b = x[3] - x[1];
    out[0] = sqrt(a * a + b * b) - 1.0;
    return 0;
}
RELATION(between_x)
{
    (void)t, (void)lambda, (void)z, (void)user;
    double a = x[2] - x[0], b = x[3] - x[1], l = sqrt(a * a + b * b);
    out[0] = -a / l;
    out[1] = -b / l;
    out[2] = a / l;
    out[3] = b / l;
    return 0;
}

START_TEST(joints_do_not_drift)
{
    scheme_run run;
    run_open(&run, "generalized-alpha");
    perp_system_id points[] = {add_point(&run, 2.0), add_point(&run, 2.0)};
    run_x(&run, points[1])[0] *= 2.0;
    run_x(&run, points[1])[1] *= 2.0;
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = circle,
                              .h_x = circle_x};
    perp_interaction_id links[2];
    links[0] = run_link(&run, points, 1, &relation, perp_law_equality());
    relation.h = between;
    relation.h_x = between_x;
    links[1] = run_link(&run, points, 2, &relation, perp_law_equality());
    run_start(&run, 2e-3);
    double worst_y = 0.0, worst_u = 0.0;
    for (int k = 0; k < 50000; k++) {
        run_step(&run);
        for (int i = 0; i < 2; i++) {
            const double *y, *u;
            perp_model_output(run.model, links[i], &y, &u, NULL, NULL, NULL);
            worst_y = fmax(worst_y, fabs(y[0]));
            worst_u = fmax(worst_u, fabs(u[0]));
        }
    }
    ck_assert_double_le(worst_y, 1e-12);
    ck_assert_double_le(worst_u, 1e-12);
    run_close(&run);
}
END_TEST

/* The rod is cut, and a point that flies is caught by another: what the acceleration before was
 * does not come along. */
START_TEST(links_that_go_and_come)
{
    const double h = 1e-3;
    scheme_run run;
    run_open(&run, "generalized-alpha");
    perp_system_id point = add_point(&run, 1.2);
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = circle,
                              .h_x = circle_x};
    perp_interaction_id link = run_link(&run, &point, 1, &relation, perp_law_equality());
    run_start(&run, h);
    for (int k = 0; k < 300; k++)
        run_step(&run);
    const double *q = run_x(&run, point), *v = run_v(&run, point);
    double q0[] = {q[0], q[1]}, v0[] = {v[0], v[1]};
    ck_assert_int_eq(perp_model_remove_interaction(run.model, link), PERP_SOLVED);
    for (int k = 1; k <= 100; k++) {
        double t = k * h;
        run_step(&run);
        ck_assert_double_eq_tol(q[0], q0[0] + v0[0] * t, 1e-13);
        ck_assert_double_eq_tol(q[1], q0[1] + v0[1] * t - 0.5 * gravity * t * t, 1e-13);
        ck_assert_double_eq_tol(v[1], v0[1] - gravity * t, 1e-13);
    }
    run_close(&run);
}
END_TEST

/* Another scheme for some steps, and a state changed by hand: the method starts again. */
START_TEST(schemes_may_change)
{
    const double h = 1e-2;
    scheme_run run;
    perp_scheme other;
    run_open(&run, "generalized-alpha");
    perp_system_id points[] = {add_point(&run, 0.5), add_point(&run, 0.7)};
    perp_relation relation = {.size = sizeof(perp_relation),
                              .kind = PERP_RELATION_SCLERONOMOUS,
                              .rows = 1,
                              .h = circle,
                              .h_x = circle_x};
    perp_interaction_id links[2];
    for (int i = 0; i < 2; i++)
        links[i] = run_link(&run, &points[i], 1, &relation, perp_law_equality());
    ck_assert_int_eq(perp_scheme_init(&other, "moreau-jean", sizeof other), PERP_SOLVED);
    run_start(&run, h);
    for (int k = 0; k < 90; k++) {
        int own = k / 10 % 3;
        if (k % 10 == 0)
            for (int i = 0; i < 2; i++)
                ck_assert_int_eq(
                    perp_sim_set_scheme(run.sim, points[i], own == 1 - i ? &other : &run.scheme),
                    PERP_SOLVED);
        run_step(&run);
        for (int i = 0; i < 2; i++)
            if (own != 1 - i)
                ck_assert_double_le(fabs(run_y(&run, links[i])[0]), 1e-12);
    }
    double *q = run_x(&run, points[0]), *v = run_v(&run, points[0]);
    q[0] = 1.0;
    q[1] = v[0] = v[1] = 0.0;
    perp_model_changed(run.model);
    run_step(&run);
    ck_assert_double_eq_tol(v[1], -gravity * h, 1e-3);
    ck_assert_double_eq_tol(q[0], 1.0, 1e-3);
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("generalized-alpha");
    TCase *tc = tcase_create("between impacts");
    tcase_set_timeout(tc, 60);
    tcase_add_loop_test(tc, highest_frequencies_decay_by_rho, 0, 3);
    tcase_add_test(tc, rho_1_does_not_damp);
    tcase_add_test(tc, joints_do_not_drift);
    tcase_add_test(tc, links_that_go_and_come);
    tcase_add_test(tc, schemes_may_change);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
