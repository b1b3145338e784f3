/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems: forces, iteration matrices against differences of the forces, solves. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/system_check.h"

START_TEST(linear_first_order_systems)
{
    const int orders[] = {1, 2, 3, 5, 8, 9, 12, 40};
    perp_rng rng = {21};
    perp_model *model = new_model();
    for (int k = 0; k < 8; k++) {
        int n = orders[k];
        double *M = matrix(&rng, n, n, 2.0 * n), *A = matrix(&rng, n, n, -1.0);
        double *narrow = matrix(&rng, n, 1, 4.0), *x0 = ref_random(&rng, n, 1);
        perp_iteration_kind full = n == 1 ? PERP_ITERATION_DIAGONAL : PERP_ITERATION_DENSE;
        csc store_M, store_A;
        perp_first_order_def def;
        perp_first_order_def_init(&def, sizeof def);
        def.n = n;
        def.x0 = x0;
        check_system(model, add_first(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-9);
        def.A = dense(A, n, n);
        def.b = x0;
        check_system(model, add_first(model, &def), full, 1, 1e-8);
        def.M = dense(M, n, n);
        check_system(model, add_first(model, &def), full, 1, 1e-8);
        def.M = as_csc(&store_M, M, n, n);
        def.A = as_csc(&store_A, narrow, n, n);
        check_system(model, add_first(model, &def), n >= 32 ? PERP_ITERATION_SPARSE : full, 1,
                     1e-8);
        free_csc(&store_M);
        free_csc(&store_A);
        free(M);
        free(A);
        free(narrow);
        free(x0);
    }
    perp_model_destroy(model);
}
END_TEST

START_TEST(nonlinear_first_order_systems)
{
    perp_model *model = new_model();
    double x0[3] = {0.1, 0.2, 0.3}, M[9] = {3, 1, 0, 1, 4, 0, 0, 1, 5}, A[9] = {1, 2, 3, 4};
    for (int differences = 0; differences < 2; differences++) {
        double tolerance = differences ? 1e-6 : 1e-8;
        perp_first_order_def def;
        perp_first_order_def_init(&def, sizeof def);
        def.n = 3;
        def.x0 = x0;
        def.z = z_one;
        def.nz = 1;
        def.differences = differences;
        def.A_at = zoo_A_at;
        check_system(model, add_first(model, &def), PERP_ITERATION_DENSE, 1, 1e-8);
        def.b_at = zoo_b_at;
        def.M = dense(M, 3, 3);
        check_system(model, add_first(model, &def), PERP_ITERATION_DENSE, 1, 1e-8);
        def.f = zoo_f;
        def.f_x = differences ? NULL : zoo_f_x;
        check_system(model, add_first(model, &def), PERP_ITERATION_DENSE, 0, tolerance);
        def.A_at = NULL;
        def.A = dense(A, 3, 3);
        def.controls = 2;
        def.T = zoo_T;
        def.u = zoo_u;
        def.control_x = differences ? NULL : zoo_control_x;
        perp_system_id id = add_first(model, &def);
        check_system(model, id, PERP_ITERATION_DENSE, 0, tolerance);
        ck_assert_int_eq(perp_model_system(model, id)->differences, differences);
        def.f = NULL;
        check_system(model, add_first(model, &def), PERP_ITERATION_DENSE, 0, tolerance);
    }
    perp_model_destroy(model);
}
END_TEST

/* The right-hand side term by term at one state. */
START_TEST(forces_add_up)
{
    perp_model *model = new_model();
    double q[3] = {0.3, -0.2, 0.5}, v[3] = {1.0, 0.4, -0.8}, A[9], C[9], z[1] = {0.7};
    double u[2], T[6], f[3], at_t[9], b[3], got[3], t = 0.3;
    perp_rng rng = {22};
    for (int k = 0; k < 9; k++) {
        A[k] = perp_rng_signed(&rng);
        C[k] = perp_rng_signed(&rng);
    }
    perp_first_order_def first;
    perp_first_order_def_init(&first, sizeof first);
    first.n = 3;
    first.x0 = q;
    first.A_at = zoo_A_at;
    first.b_at = zoo_b_at;
    first.f = zoo_f;
    first.f_x = zoo_f_x;
    first.T = zoo_T;
    first.u = zoo_u;
    first.control_x = zoo_control_x;
    first.controls = 2;
    first.z = z;
    first.nz = 1;
    zoo_A_at(at_t, t, q, NULL, z, NULL);
    zoo_b_at(b, t, q, NULL, z, NULL);
    zoo_f(f, t, q, NULL, z, NULL);
    zoo_T(T, t, q, NULL, z, NULL);
    zoo_u(u, t, q, NULL, z, NULL);
    perp_system *s = perp_model_system(model, add_first(model, &first));
    ck_assert_int_eq(perp_system_force(got, s, t, q, NULL), 0);
    for (int i = 0; i < 3; i++) {
        double sum = b[i] + f[i] + T[i] * u[0] + T[i + 3] * u[1];
        for (int j = 0; j < 3; j++)
            sum += at_t[i + 3 * j] * q[j];
        ck_assert_double_eq_tol(got[i], sum, 1e-14);
    }
    perp_lagrangian_def second;
    perp_lagrangian_def_init(&second, sizeof second);
    second.n = 3;
    second.q0 = q;
    second.C = dense(C, 3, 3);
    second.K = dense(A, 3, 3);
    second.F = b;
    second.F_ext = zoo_b_at;
    second.N = zoo_f;
    second.T = zoo_T;
    second.u = zoo_u;
    second.controls = 2;
    second.differences = 1;
    second.z = z;
    second.nz = 1;
    second.F_int = zoo_f;
    zoo_f(f, t, q, v, z, NULL);
    zoo_u(u, t, q, v, z, NULL);
    s = perp_model_system(model, add_lagrangian(model, &second));
    ck_assert_int_eq(perp_system_force(got, s, t, q, v), 0);
    for (int i = 0; i < 3; i++) {
        double sum = 2.0 * b[i] - 2.0 * f[i] + T[i] * u[0] + T[i + 3] * u[1];
        for (int j = 0; j < 3; j++)
            sum -= A[i + 3 * j] * q[j] + C[i + 3 * j] * v[j];
        ck_assert_double_eq_tol(got[i], sum, 1e-14);
    }
    perp_model_destroy(model);
}
END_TEST

START_TEST(linear_lagrangian_systems)
{
    const int orders[] = {1, 2, 4, 6, 7, 10, 50};
    perp_rng rng = {23};
    perp_model *model = new_model();
    for (int k = 0; k < 7; k++) {
        int n = orders[k];
        double *M = matrix(&rng, n, 2, 8.0), *C = matrix(&rng, n, n, 1.0), *F = ref_zero(n, 1);
        double *K = matrix(&rng, n, 3, 50.0), *diagonal = matrix(&rng, n, 0, 4.0);
        perp_iteration_kind full = n == 1 ? PERP_ITERATION_DIAGONAL : PERP_ITERATION_DENSE;
        csc store_M, store_K, store_D;
        for (int i = 0; i < n * n; i++) /* a mass is symmetric */
            if (i % n < i / n)
                M[i] = M[i % n * n + i / n];
        perp_mat D = as_csc(&store_D, diagonal, n, n);
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = n;
        def.q0 = def.F = F;
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-9);
        def.M = D;
        def.C = dense(diagonal, n, n);
        def.K = D;
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DIAGONAL, 1, 1e-8);
        def.K = as_csc(&store_K, K, n, n);
        check_system(model, add_lagrangian(model, &def), full, 1, 1e-7);
        def.C = D;
        def.M = as_csc(&store_M, M, n, n);
        check_system(model, add_lagrangian(model, &def), n >= 32 ? PERP_ITERATION_SPARSE : full, 1,
                     1e-7);
        def.C = dense(C, n, n);
        check_system(model, add_lagrangian(model, &def), full, 1, 1e-7);
        free_csc(&store_M);
        free_csc(&store_K);
        free_csc(&store_D);
        free(M);
        free(C);
        free(K);
        free(F);
        free(diagonal);
    }
    perp_model_destroy(model);
}
END_TEST

START_TEST(nonlinear_lagrangian_systems)
{
    perp_model *model = new_model();
    double q0[3] = {0.1, 0.2, 0.3}, M[9] = {3, 1, 0, 1, 4, 0, 0, 0, 5}, K[9] = {1, 2, 3, 4};
    for (int differences = 0; differences < 2; differences++) {
        double tolerance = differences ? 1e-6 : 1e-8;
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 3;
        def.q0 = q0;
        def.z = z_one;
        def.nz = 1;
        def.differences = differences;
        def.mass = zoo_mass;
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DENSE, 0, 1e-8);
        def.mass_q = zoo_mass_q;
        def.F_ext = zoo_b_at;
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DENSE, 0, 1e-8);
        def.N = zoo_f;
        def.N_q = zoo_f_x;
        def.N_v = differences ? NULL : zoo_f_v;
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DENSE, 0, tolerance);
        def.F_int = zoo_f;
        def.F_int_q = differences ? NULL : zoo_f_x;
        def.F_int_v = zoo_f_v;
        def.K = dense(K, 3, 3);
        check_system(model, add_lagrangian(model, &def), PERP_ITERATION_DENSE, 0, tolerance);
        def.mass = def.mass_q = NULL;
        def.M = dense(M, 3, 3);
        def.C = dense(K, 3, 3);
        def.controls = 2;
        def.T = zoo_T;
        def.u = zoo_u;
        def.control_q = differences ? NULL : zoo_control_x;
        def.control_v = differences ? NULL : zoo_control_v;
        perp_system_id id = add_lagrangian(model, &def);
        check_system(model, id, PERP_ITERATION_DENSE, 0, tolerance);
        ck_assert_int_eq(perp_model_system(model, id)->differences, differences);
    }
    perp_model_destroy(model);
}
END_TEST

/* W of a body that tumbles, by weights in any order, with the gyroscopic term and without, where W
 * is its mass. */
START_TEST(masses_between_other_matrices)
{
    static const double weights[] = {0.0, 0.03, 0.0, 0.0, 0.03, 0.05, 0.0};
    perp_rng rng = {5};
    for (int turning = 0; turning < 2; turning++)
        for (int without = 0; without < 2; without++) {
            perp_model *model = new_model();
            perp_body_def def;
            perp_body_def_init(&def, sizeof def);
            def.mass = 2.0;
            def.inertia[0] = 1.0, def.inertia[4] = 1.5, def.inertia[8] = 2.0;
            def.inertia[1] = def.inertia[3] = 0.2;
            def.force[1] = 3.0;
            def.force_frame = turning ? PERP_BODY : PERP_INERTIAL;
            perp_system *s = perp_model_system(model, add_body(model, &def));
            for (int k = 0; k < 14; k++) {
                double a = weights[k % 7];
                at x = {0.0, a, a * a, 0.0, NULL, NULL, NULL, NULL};
                random_state(&x, s, &rng);
                s->without_gyroscopic = without && k % 3;
                int whole = k % 2;
                ck_assert_int_eq((whole ? perp_system_iteration : perp_system_matrix)(
                                     s, x.t, x.q_mass, x.q, x.v, x.a, x.b, NULL, 0.0),
                                 PERP_SOLVED);
                if (s->without_gyroscopic)
                    memset(x.v, 0, sizeof(double) * 6);
                double *W = dense_W(&s->W), *D = ref_zero(6, 6);
                for (int j = 0; j < 6; j++)
                    column_by_differences(D + 6 * j, s, &x, j);
                ck_assert_double_le(ref_distance(W, D, 36), 1e-8);
                double *b = ref_random(&rng, 6, 1), *X = ref_solve(W, b, 6, 1);
                if (whole) {
                    perp_system_solve(s, b, 1);
                    ck_assert_double_le(ref_distance(b, X, 6), 1e-11);
                }
                free(W), free(D), free(b), free(X);
                free_state(&x);
            }
            perp_model_destroy(model);
        }
}
END_TEST

START_TEST(refusing_callbacks_interrupt)
{
    perp_model *model = new_model();
    double x0[3] = {0.0}, f[6], q[7] = {0, 0, 0, 1, 0, 0, 0}, v[6] = {0.0};
    perp_first_order_def first;
    perp_first_order_def_init(&first, sizeof first);
    first.n = 3;
    first.x0 = x0;
    first.f = zoo_refuses;
    first.differences = 1;
    perp_system *s = perp_model_system(model, add_first(model, &first));
    ck_assert_int_ne(perp_system_force(f, s, 0.0, x0, NULL), 0);
    ck_assert_int_eq(perp_system_iteration(s, 0.0, x0, x0, NULL, 0.1, 0.1, NULL, 0.0),
                     PERP_INTERRUPTED);
    perp_lagrangian_def second;
    perp_lagrangian_def_init(&second, sizeof second);
    second.n = 3;
    second.q0 = x0;
    second.mass = zoo_refuses;
    perp_system_id id = add_lagrangian(model, &second);
    s = perp_model_system(model, id);
    ck_assert_int_ne(perp_system_mass_apply(f, s, x0, x0), 0);
    double energy;
    ck_assert_int_eq(perp_model_kinetic_energy(model, id, 0.0, &energy), PERP_INTERRUPTED);
    perp_body_def body;
    perp_body_def_init(&body, sizeof body);
    body.m = zoo_refuses;
    body.differences = 1;
    s = perp_model_system(model, add_body(model, &body));
    ck_assert_int_ne(perp_system_force(f, s, 0.0, q, v), 0);
    ck_assert_int_eq(perp_system_iteration(s, 0.0, q, q, v, 0.1, 0.1, NULL, 0.0), PERP_INTERRUPTED);
    perp_model_destroy(model);
}
END_TEST

/* W = M + b K with b such that it has no inverse, in each storage. */
START_TEST(singular_iterations_are_named)
{
    const int orders[] = {1, 3, 12, 40};
    for (int k = 0; k < 4; k++)
        for (int coupled = 0; coupled < 2; coupled++) {
            int n = orders[k];
            double *q0 = ref_zero(n, 1), *K = ref_zero(n, n);
            csc store;
            for (int i = 0; i < n; i++) {
                K[i + n * i] = i == n - 1 ? -1.0 : 1.0;
                if (coupled && i > 0)
                    K[i + n * (i - 1)] = 0.5;
            }
            perp_model *model = new_model();
            perp_lagrangian_def def;
            perp_lagrangian_def_init(&def, sizeof def);
            def.n = n;
            def.q0 = q0;
            def.K = as_csc(&store, K, n, n);
            perp_system *s = perp_model_system(model, add_lagrangian(model, &def));
            ck_assert_int_eq(perp_system_iteration(s, 0, q0, q0, q0, 0.0, 1.0, NULL, 0.0),
                             PERP_ERR_SINGULAR);
            ck_assert_int_eq(perp_system_iteration(s, 0, q0, q0, q0, 0.0, 0.5, NULL, 0.0),
                             PERP_SOLVED);
            ck_assert_int_eq(perp_system_iteration(s, 0, q0, q0, q0, 0.0, NAN, NULL, 0.0),
                             PERP_ERR_SINGULAR);
            free_csc(&store);
            free(q0);
            free(K);
            perp_model_destroy(model);
        }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("systems of the kernel");
    TCase *tests = tcase_create("systems");
    tcase_add_test(tests, linear_first_order_systems);
    tcase_add_test(tests, nonlinear_first_order_systems);
    tcase_add_test(tests, forces_add_up);
    tcase_add_test(tests, linear_lagrangian_systems);
    tcase_add_test(tests, nonlinear_lagrangian_systems);
    tcase_add_test(tests, masses_between_other_matrices);
    tcase_add_test(tests, refusing_callbacks_interrupt);
    tcase_add_test(tests, singular_iterations_are_named);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
