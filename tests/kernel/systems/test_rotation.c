/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit quaternions against matrices and against the exponential series. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include <perp/rotation.h>

#include "tests/fixtures/dense_reference.h"

static const double PI = 3.14159265358979323846;

static void random_quaternion(double *p, perp_rng *rng)
{
    for (int i = 0; i < 4; i++)
        p[i] = perp_rng_signed(rng);
    ck_assert_int_eq(perp_quaternion_normalise(p), PERP_SOLVED);
}

static void random_vector(double *x, perp_rng *rng, double length)
{
    for (int i = 0; i < 3; i++)
        x[i] = length * perp_rng_signed(rng);
}

/* exp of the skew matrix of r by scaling, the series, and squaring. */
static void matrix_exp(double *R, const double *r)
{
    double S[9] = {0.0, r[2], -r[1], -r[2], 0.0, r[0], r[1], -r[0], 0.0};
    double term[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    memcpy(R, term, sizeof term);
    for (int i = 0; i < 9; i++)
        S[i] /= 256.0;
    for (int k = 1; k < 20; k++) {
        double *next = ref_multiply(term, S, 3, 3, 3);
        for (int i = 0; i < 9; i++) {
            term[i] = next[i] / k;
            R[i] += term[i];
        }
        free(next);
    }
    for (int k = 0; k < 8; k++) {
        double *next = ref_multiply(R, R, 3, 3, 3);
        memcpy(R, next, 9 * sizeof(double));
        free(next);
    }
}

START_TEST(matrices_are_orthogonal)
{
    perp_rng rng = {11};
    for (int trial = 0; trial < 200; trial++) {
        double p[4], R[9], x[3], y[3], back[3];
        random_quaternion(p, &rng);
        perp_quaternion_matrix(p, R);
        double det = R[0] * (R[4] * R[8] - R[7] * R[5]) - R[3] * (R[1] * R[8] - R[7] * R[2]) +
                     R[6] * (R[1] * R[5] - R[4] * R[2]);
        ck_assert_double_eq_tol(det, 1.0, 1e-14);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++) {
                double dot = 0.0;
                for (int k = 0; k < 3; k++)
                    dot += R[k + 3 * i] * R[k + 3 * j];
                ck_assert_double_eq_tol(dot, i == j, 1e-14);
            }
        random_vector(x, &rng, 10.0);
        perp_quaternion_rotate(p, x, y);
        perp_quaternion_rotate_back(p, x, back);
        for (int i = 0; i < 3; i++) {
            double row = 0.0, column = 0.0;
            for (int k = 0; k < 3; k++) {
                row += R[i + 3 * k] * x[k];
                column += R[k + 3 * i] * x[k];
            }
            ck_assert_double_eq_tol(y[i], row, 1e-13);
            ck_assert_double_eq_tol(back[i], column, 1e-13);
        }
        perp_quaternion_rotate_back(p, y, y);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(y[i], x[i], 1e-13);
    }
}
END_TEST

START_TEST(products_compose_rotations)
{
    perp_rng rng = {12};
    for (int trial = 0; trial < 200; trial++) {
        double a[4], b[4], c[4], A[9], B[9], C[9];
        random_quaternion(a, &rng);
        random_quaternion(b, &rng);
        perp_quaternion_product(a, b, c);
        perp_quaternion_matrix(a, A);
        perp_quaternion_matrix(b, B);
        perp_quaternion_matrix(c, C);
        double *AB = ref_multiply(A, B, 3, 3, 3);
        ck_assert_double_le(ref_distance(C, AB, 9), 1e-14);
        free(AB);
        /* Outputs may be inputs. */
        double in_place[4] = {a[0], a[1], a[2], a[3]};
        perp_quaternion_product(in_place, b, in_place);
        ck_assert_mem_eq(in_place, c, sizeof c);
        perp_quaternion_product(a, b, b);
        ck_assert_mem_eq(b, c, sizeof c);
    }
}
END_TEST

START_TEST(exp_is_the_series_of_matrices)
{
    perp_rng rng = {13};
    const double lengths[] = {0.0, 1e-200, 1e-9, 1e-4, 0.1, 0.19, 0.21, 1.0, 3.0, 8.0};
    for (int trial = 0; trial < 20; trial++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            double r[3], p[4], R[9], E[9];
            random_vector(r, &rng, lengths[k]);
            perp_quaternion_exp(r, p);
            perp_quaternion_matrix(p, R);
            matrix_exp(E, r);
            ck_assert_double_le(ref_distance(R, E, 9), 1e-13);
            double norm = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
            ck_assert_double_eq_tol(norm, 1.0, 1e-15 * 4);
        }
}
END_TEST

START_TEST(log_inverts_exp)
{
    perp_rng rng = {14};
    const double lengths[] = {1e-300, 1e-160, 1e-12, 1e-3, 0.5, 2.0, 3.1415, PI - 1e-12};
    for (int trial = 0; trial < 50; trial++)
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
            double r[3], p[4], back[3];
            random_vector(r, &rng, 1.0);
            double norm = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
            for (int i = 0; i < 3; i++)
                r[i] *= lengths[k] / norm;
            perp_quaternion_exp(r, p);
            perp_quaternion_log(p, back);
            for (int i = 0; i < 3; i++)
                ck_assert_double_eq_tol(back[i], r[i], 4e-15 * lengths[k]);
            /* -p is the same rotation. */
            for (int i = 0; i < 4; i++)
                p[i] = -p[i];
            perp_quaternion_log(p, back);
            for (int i = 0; i < 3; i++)
                ck_assert_double_eq_tol(back[i], r[i], 4e-15 * lengths[k]);
        }
    double half_turn[4] = {0.0, 0.0, 1.0, 0.0}, r[3];
    perp_quaternion_log(half_turn, r);
    ck_assert_double_eq_tol(fabs(r[1]), PI, 1e-15);
    double one[4] = {1.0, 0.0, 0.0, 0.0};
    perp_quaternion_log(one, r);
    ck_assert(r[0] == 0.0 && r[1] == 0.0 && r[2] == 0.0);
}
END_TEST

START_TEST(norms_become_one_or_are_refused)
{
    const double scales[] = {1e-300, 1e-160, 1.0, 1e160, 1e300};
    for (int k = 0; k < 5; k++) {
        double p[4] = {scales[k], -2.0 * scales[k], 3.0 * scales[k], 0.5 * scales[k]};
        ck_assert_int_eq(perp_quaternion_normalise(p), PERP_SOLVED);
        double norm = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3];
        ck_assert_double_eq_tol(norm, 1.0, 1e-15);
        ck_assert_double_eq_tol(p[1], -2.0 * p[0], 1e-15);
    }
    double zero[4] = {0.0}, nan[4] = {1.0, NAN, 0.0, 0.0}, infinite[4] = {INFINITY, 0.0, 0.0, 0.0};
    ck_assert_int_eq(perp_quaternion_normalise(zero), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_quaternion_normalise(nan), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_quaternion_normalise(infinite), PERP_ERR_ARGUMENT);
}
END_TEST

START_TEST(rates_have_the_published_metric)
{
    perp_rng rng = {15};
    for (int trial = 0; trial < 100; trial++) {
        double q[7] = {1.0, 2.0, 3.0}, T[42];
        random_quaternion(q + 3, &rng);
        perp_body_rates(q, T);
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 6; j++) {
                double dot = 0.0, wanted = i == j ? (i < 3 ? 1.0 : 0.25) : 0.0;
                for (int k = 0; k < 7; k++)
                    dot += T[k + 7 * i] * T[k + 7 * j];
                ck_assert_double_eq_tol(dot, wanted, 1e-15);
            }
        /* q . T v = 0 on the quaternion. */
        for (int j = 3; j < 6; j++) {
            double dot = 0.0;
            for (int k = 3; k < 7; k++)
                dot += q[k] * T[k + 7 * j];
            ck_assert_double_eq_tol(dot, 0.0, 1e-15);
        }
    }
}
END_TEST

START_TEST(rates_are_the_derivative_of_the_move)
{
    perp_rng rng = {16};
    for (int trial = 0; trial < 50; trial++) {
        double q[7], v[6], T[42], ahead[7], behind[7], h = 1e-5;
        for (int i = 0; i < 3; i++)
            q[i] = perp_rng_signed(&rng);
        random_quaternion(q + 3, &rng);
        for (int i = 0; i < 6; i++)
            v[i] = 3.0 * perp_rng_signed(&rng);
        perp_body_rates(q, T);
        perp_body_move(q, v, h, ahead);
        perp_body_move(q, v, -h, behind);
        for (int i = 0; i < 7; i++) {
            double rate = 0.0;
            for (int j = 0; j < 6; j++)
                rate += T[i + 7 * j] * v[j];
            ck_assert_double_eq_tol((ahead[i] - behind[i]) / (2.0 * h), rate, 1e-8);
        }
    }
}
END_TEST

/* A constant angular velocity turns by exp(t omega), exactly up to rounding, and the norm
 * stays 1 over many steps. */
START_TEST(moves_stay_on_the_group)
{
    double q[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0}, v[6] = {1.0, -2.0, 0.5, 0.3, -1.1, 2.3};
    const int steps = 100000;
    const double h = 1e-3;
    double largest = 0.0;
    for (int k = 0; k < steps; k++) {
        perp_body_move(q, v, h, q);
        double norm = sqrt(q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6]);
        largest = fmax(largest, fabs(norm - 1.0));
    }
    ck_assert_double_le(largest, 4e-16);
    double r[3], p[4], t = steps * h;
    for (int i = 0; i < 3; i++) {
        r[i] = t * v[3 + i];
        ck_assert_double_eq_tol(q[i], t * v[i], 1e-9);
    }
    perp_quaternion_exp(r, p);
    for (int i = 0; i < 4; i++)
        ck_assert_double_eq_tol(q[3 + i], p[i], 1e-10);
    double rest[6] = {0.0}, out[7];
    double turned[7] = {1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0};
    perp_body_move(turned, rest, 0.1, out);
    ck_assert_mem_eq(out, turned, sizeof out);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("rotation");
    TCase *tests = tcase_create("quaternions");
    tcase_add_test(tests, matrices_are_orthogonal);
    tcase_add_test(tests, products_compose_rotations);
    tcase_add_test(tests, exp_is_the_series_of_matrices);
    tcase_add_test(tests, log_inverts_exp);
    tcase_add_test(tests, norms_become_one_or_are_refused);
    tcase_add_test(tests, rates_have_the_published_metric);
    tcase_add_test(tests, rates_are_the_derivative_of_the_move);
    tcase_add_test(tests, moves_stay_on_the_group);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
