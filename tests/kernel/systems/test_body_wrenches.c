/* SPDX-License-Identifier: BSD-3-Clause */
/* Rigid bodies: wrenches in both frames, their Jacobians, rates. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/rotation.h>

#include "tests/fixtures/system_check.h"

/* d(force)/dq over all 7 coordinates, which check_system sees along the sphere only. */
static void check_coordinates(perp_model *model, perp_system_id id, double tolerance)
{
    perp_rng rng = {78};
    perp_system *s = perp_model_system(model, id);
    at x = {0.0, 0.0, 0.0, 0.0, NULL, NULL, NULL, NULL};
    random_state(&x, s, &rng);
    double D[42], up[6], down[6], eps = 1e-5;
    for (int j = 0; j < 7; j++) {
        double keep = x.q[j];
        x.q[j] = keep + eps;
        ck_assert_int_eq(perp_body_force(up, s, x.t, x.q, x.v), 0);
        x.q[j] = keep - eps;
        ck_assert_int_eq(perp_body_force(down, s, x.t, x.q, x.v), 0);
        x.q[j] = keep;
        for (int i = 0; i < 6; i++)
            D[i + 6 * j] = (up[i] - down[i]) / (2.0 * eps);
    }
    ck_assert_int_eq(perp_body_jacobian(s, x.t, x.q, x.v), 0);
    ck_assert_double_le(ref_distance(s->jacobian_q, D, 42), tolerance);
    free_state(&x);
}

static const double inertia[9] = {2.0, 0.3, -0.1, 0.3, 1.5, 0.2, -0.1, 0.2, 1.1};

/* Gyroscopic moment (11.96), and what C and K do (11.98). */
START_TEST(bodies_with_linear_wrenches)
{
    perp_model *model = new_model();
    perp_rng rng = {24};
    double *C = ref_random(&rng, 6, 6), *K = ref_random(&rng, 6, 7), *shift = ref_zero(6, 7);
    memcpy(shift, K, 18 * sizeof(double));
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.mass = 3.0;
    def.force[2] = -9.81;
    check_system(model, add_body(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-9);
    def.moment[1] = 0.4;
    check_system(model, add_body(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-9);
    def.inertia[4] = 2.0;
    check_system(model, add_body(model, &def), PERP_ITERATION_DENSE, 0, 1e-8);
    def.no_gyroscopic = 1;
    check_system(model, add_body(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-9);
    memcpy(def.inertia, inertia, sizeof inertia);
    check_system(model, add_body(model, &def), PERP_ITERATION_DENSE, 1, 1e-9);
    def.C = dense(C, 6, 6);
    check_system(model, add_body(model, &def), PERP_ITERATION_DENSE, 1, 1e-8);
    def.K = dense(shift, 6, 7);
    check_system(model, add_body(model, &def), PERP_ITERATION_DENSE, 1, 1e-8);
    def.K = dense(K, 6, 7);
    perp_system_id id = add_body(model, &def);
    check_system(model, id, PERP_ITERATION_DENSE, 0, 1e-8);
    check_coordinates(model, id, 1e-8);
    def.no_gyroscopic = 0;
    check_system(model, add_body(model, &def), PERP_ITERATION_DENSE, 0, 1e-8);
    free(C);
    free(K);
    free(shift);
    perp_model_destroy(model);
}
END_TEST

START_TEST(bodies_with_wrenches_in_either_frame)
{
    perp_model *model = new_model();
    for (int k = 0; k < 16; k++) {
        int differences = k & 1, callbacks = k & 2;
        double tolerance = differences && callbacks ? 2e-6 : 1e-8;
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        memcpy(def.inertia, inertia, sizeof inertia);
        for (int i = 0; i < 3; i++) {
            def.force[i] = 1.0 + i;
            def.moment[i] = 2.0 - 1.5 * i;
        }
        def.force_frame = k & 4 ? PERP_BODY : PERP_INERTIAL;
        def.moment_frame = k & 8 ? PERP_BODY : PERP_INERTIAL;
        def.z = z_one;
        def.nz = 1;
        def.differences = differences;
        if (callbacks) {
            def.f = def.m = zoo_wrench;
            def.f_q = def.m_q = differences ? NULL : zoo_wrench_q;
            def.f_v = def.m_v = differences ? NULL : zoo_wrench_v;
        }
        perp_system_id id = add_body(model, &def);
        check_system(model, id, PERP_ITERATION_DENSE, 0, tolerance);
        check_coordinates(model, id, tolerance);
    }
    perp_model_destroy(model);
}
END_TEST

/* Frames against matrices: inertial forces R f, body moments R' m, power of the gyroscopic
 * moment 0. */
START_TEST(wrenches_turn_with_the_body)
{
    perp_model *model = new_model();
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    double q[7] = {1, 2, 3, 0.5, -0.1, 0.8, 0.2}, v[6] = {0, 0, 0, 0.3, -2.0, 1.1}, R[9], F[6];
    memcpy(def.inertia, inertia, sizeof inertia);
    perp_quaternion_normalise(q + 3);
    perp_quaternion_matrix(q + 3, R);
    def.force[0] = 2.0;
    def.moment[2] = 3.0;
    def.force_frame = PERP_BODY;
    def.moment_frame = PERP_INERTIAL;
    perp_system *s = perp_model_system(model, add_body(model, &def));
    double rest[6] = {0.0};
    ck_assert_int_eq(perp_system_force(F, s, 0.0, q, rest), 0);
    for (int i = 0; i < 3; i++) {
        ck_assert_double_eq_tol(F[i], 2.0 * R[i], 1e-14);
        ck_assert_double_eq_tol(F[3 + i], 3.0 * R[2 + 3 * i], 1e-14);
    }
    def.moment[2] = 0.0;
    s = perp_model_system(model, add_body(model, &def));
    ck_assert_int_eq(perp_system_force(F, s, 0.0, q, v), 0);
    ck_assert_double_eq_tol(F[3] * v[3] + F[4] * v[4] + F[5] * v[5], 0.0, 1e-13);
    /* -omega x I omega of principal axes: (I_2 - I_3) w_2 w_3, ... */
    perp_body_def_init(&def, sizeof def);
    def.inertia[0] = 2.0;
    def.inertia[4] = 3.0;
    s = perp_model_system(model, add_body(model, &def));
    ck_assert_int_eq(perp_system_force(F, s, 0.0, q, v), 0);
    ck_assert_double_eq_tol(F[3], (3.0 - 1.0) * v[4] * v[5], 1e-14);
    ck_assert_double_eq_tol(F[4], (1.0 - 2.0) * v[5] * v[3], 1e-14);
    ck_assert_double_eq_tol(F[5], (2.0 - 3.0) * v[3] * v[4], 1e-14);
    perp_model_destroy(model);
}
END_TEST

START_TEST(rates_multiply_by_T)
{
    perp_model *model = new_model();
    perp_rng rng = {25};
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    perp_system *s = perp_model_system(model, add_body(model, &def));
    double *in = ref_random(&rng, 5, 7), q[7], T[42], out[30];
    for (int i = 0; i < 7; i++)
        q[i] = perp_rng_signed(&rng);
    perp_body_rates(q, T);
    double *wanted = ref_multiply(in, T, 5, 7, 6);
    perp_system_to_rates(out, s, in, q, 5);
    ck_assert_double_le(ref_distance(out, wanted, 30), 1e-14);
    free(in);
    free(wanted);
    perp_model_destroy(model);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rigid bodies");
    TCase *tests = tcase_create("bodies");
    tcase_add_test(tests, bodies_with_linear_wrenches);
    tcase_add_test(tests, bodies_with_wrenches_in_either_frame);
    tcase_add_test(tests, wrenches_turn_with_the_body);
    tcase_add_test(tests, rates_multiply_by_T);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
