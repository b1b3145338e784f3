/* SPDX-License-Identifier: BSD-3-Clause */
/* moreau-jean, `configuration`: the law of motion of each step put together from its numbers, with
 * H at the configuration of the new iterate. */
#include <stdlib.h>

#include "tests/fixtures/scheme_run.h"

/* A point on the unit circle. */
static int circle(double *y, double t, const double *q, const double *lambda, const double *z,
                  void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    y[0] = 0.5 * (q[0] * q[0] + q[1] * q[1] - 1.0);
    return 0;
}
static int circle_q(double *H, double t, const double *q, const double *lambda, const double *z,
                    void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    H[0] = q[0];
    H[1] = q[1];
    return 0;
}

typedef struct outcome {
    double q[2], defect, violation; /* at the end; largest of M dv - h F - H' lambda; of y */
    int newton;                     /* largest of a step */
} outcome;

static outcome swing(const char *configuration, double h, int steps)
{
    const double q0[] = {1.0, 0.0}, F[] = {0.0, -9.81};
    scheme_run run;
    perp_system_id id;
    perp_lagrangian_def def;
    outcome out = {.newton = 0};
    run_open(&run, "moreau-jean");
    ck_assert_int_eq(perp_scheme_set(&run.scheme, "configuration", configuration), PERP_SOLVED);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q0;
    def.F = F;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation rod = {.size = sizeof rod,
                         .kind = PERP_RELATION_SCLERONOMOUS,
                         .rows = 1,
                         .h = circle,
                         .h_x = circle_q};
    perp_interaction_id joint = run_link(&run, &id, 1, &rod, perp_law_equality());
    run_start(&run, h);
    double v[2] = {0.0, 0.0};
    for (int k = 0; k < steps; k++) {
        run_step(&run);
        for (int i = 0; i < 2; i++) {
            /* theta = 1/2 and prediction = 1: the configuration is the end of the step */
            double H = run_x(&run, id)[i], dv = run_v(&run, id)[i] - v[i];
            out.defect = fmax(out.defect, fabs(dv - h * F[i] - H * run_lambda(&run, joint)[0]));
            v[i] = run_v(&run, id)[i];
        }
        out.violation = fmax(out.violation, fabs(run_y(&run, joint)[0]));
        int newton = perp_sim_info(run.sim)->newton;
        out.newton = newton > out.newton ? newton : out.newton;
    }
    memcpy(out.q, run_x(&run, id), sizeof out.q);
    run_close(&run);
    return out;
}

START_TEST(law_of_motion_with_the_new_jacobian)
{
    outcome converged = swing("converged", 0.01, 200), iterated = swing("iterated", 0.01, 200);
    ck_assert_double_le(converged.defect, 1e-11);
    ck_assert_int_gt(converged.newton, 1);
    ck_assert_double_lt(converged.violation, iterated.violation);
    /* What the default does, and goes on doing. */
    outcome predicted = swing("predicted", 0.01, 200);
    ck_assert_int_eq(iterated.newton, 1);
    ck_assert_double_gt(iterated.defect, 1e-6);
    ck_assert_int_eq(memcmp(iterated.q, predicted.q, sizeof iterated.q), 0);
}
END_TEST

/* A law on velocities all the same: joints drift, of order 1. */
START_TEST(drift_goes_with_the_step)
{
    outcome coarse = swing("converged", 0.01, 100), fine = swing("converged", 0.005, 200);
    ck_assert_double_lt(fine.violation, 0.7 * coarse.violation);
}
END_TEST

static void cross(double *out, const double *a, const double *b)
{
    for (int i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* A ball on an arm: m dv = h f + lambda and J dw = r x (R' lambda), R at the end of the step. */
START_TEST(body_on_a_joint)
{
    const double h = 0.01, J = 0.3, r[] = {-0.5, 0.2, 0.1}, f[] = {0.0, 0.0, -9.81};
    scheme_run run;
    perp_system_id id;
    perp_body_def body;
    run_open(&run, "moreau-jean");
    run.scheme.configuration = PERP_CONFIGURATION_CONVERGED;
    perp_body_def_init(&body, sizeof body);
    for (int i = 0; i < 3; i++) {
        body.inertia[4 * i] = J;
        body.force[i] = f[i];
    }
    ck_assert_int_eq(perp_model_add_body(run.model, &body, &id, NULL), PERP_SOLVED);
    perp_relation point = {.size = sizeof(perp_relation),
                           .kind = PERP_RELATION_JOINT,
                           .rows = 3,
                           .joint = PERP_JOINT_POINT,
                           .anchor = {r[0], r[1], r[2]}};
    perp_interaction_id joint = run_link(&run, &id, 1, &point, perp_law_equality());
    run_start(&run, h);
    double before[6] = {0.0};
    for (int k = 0; k < 200; k++) {
        run_step(&run);
        const double *q = run_x(&run, id), *v = run_v(&run, id), *lambda = run_lambda(&run, joint);
        const double back[] = {q[3], -q[4], -q[5], -q[6]};
        double own[3], moment[3];
        perp_quaternion_rotate(back, lambda, own);
        cross(moment, r, own);
        for (int i = 0; i < 3; i++) {
            ck_assert_double_eq_tol(v[i] - before[i], h * f[i] + lambda[i], 1e-11);
            ck_assert_double_eq_tol(J * (v[i + 3] - before[i + 3]), moment[i], 1e-11);
        }
        memcpy(before, v, sizeof before);
    }
    ck_assert_int_gt(perp_sim_info(run.sim)->newton, 1);
    run_close(&run);
}
END_TEST

static int growing_mass(double *M, double t, const double *q, const double *v, const double *z,
                        void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    M[0] = 1.0 + q[0] * q[0];
    return 0;
}

static int height(double *y, double t, const double *q, const double *lambda, const double *z,
                  void *user)
{
    (void)t, (void)lambda, (void)z, (void)user;
    y[0] = q[0];
    return 0;
}

static int height_q(double *H, double t, const double *q, const double *lambda, const double *z,
                    void *user)
{
    (void)t, (void)q, (void)lambda, (void)z, (void)user;
    H[0] = 1.0;
    return 0;
}

/* M = 1 + q^2 alone makes the default iterate until M (v - v_k) = h F + p holds with M at the end
 * of the step: pulled by F = 4, and struck by a floor, which turns -10 into 5 on the way from 0.2
 * to 0.075. */
START_TEST(mass_at_the_new_iterate)
{
    const double q0 = 0.2, v0 = _i ? -10.0 : 0.0, F = _i ? 0.0 : 4.0, h = 0.05;
    static const char *const schemes[] = {"moreau-jean", "moreau-jean",
                                          "moreau-jean-direct-projection"};
    scheme_run run;
    perp_system_id id;
    perp_lagrangian_def def;
    run_open(&run, schemes[_i]);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = &q0;
    def.v0 = &v0;
    def.F = &F;
    def.mass = growing_mass;
    ck_assert_int_eq(perp_model_add_lagrangian(run.model, &def, &id, NULL), PERP_SOLVED);
    perp_relation floor = {.size = sizeof floor,
                           .kind = PERP_RELATION_SCLERONOMOUS,
                           .rows = 1,
                           .h = height,
                           .h_x = height_q};
    perp_interaction_id contact = run_link(&run, &id, 1, &floor, perp_law_impact(0.5));
    run_start(&run, h);
    double v = v0;
    for (int k = 0; k < (_i ? 1 : 20); k++) {
        run_step(&run);
        double q = run_x(&run, id)[0], p = run_lambda(&run, contact)[0];
        ck_assert_double_eq_tol((1.0 + q * q) * (run_v(&run, id)[0] - v), h * F + p, 1e-9);
        ck_assert_int_gt(perp_sim_info(run.sim)->newton, 1);
        v = run_v(&run, id)[0];
    }
    if (_i) {
        ck_assert_double_eq_tol(v, 5.0, 1e-9);
        ck_assert_double_eq_tol(run_lambda(&run, contact)[0], 15.0 * (1.0 + 0.075 * 0.075), 1e-8);
    }
    run_close(&run);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("converged configuration");
    TCase *tc = tcase_create("moreau-jean");
    tcase_add_test(tc, law_of_motion_with_the_new_jacobian);
    tcase_add_test(tc, drift_goes_with_the_step);
    tcase_add_test(tc, body_on_a_joint);
    tcase_add_loop_test(tc, mass_at_the_new_iterate, 0, 3);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
