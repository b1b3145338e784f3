/* SPDX-License-Identifier: BSD-3-Clause */
/* Lemke with FREE rows and boxes. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/boxed_bounds.h"
#include "core/rng.h"

/* min 1/2 x'Hx + c'x, Ax = a, x >= 0 as a mixed LCP: the free block is 0. */
START_TEST(free_rows_without_diagonal)
{
    perp_rng rng = {4};
    int infeasible = 0;
    for (int trial = 0; trial < 300; trial++) {
        boxed b;
        double z[BOXED_MAX], w[BOXED_MAX], y[BOXED_MAX], B[25], x0[5];
        perp_certificate_kind kind;
        int m = 1 + perp_rng_below(&rng, 2), n = 3 + perp_rng_below(&rng, 3), N = n + m;
        boxed_nonneg(&b, N);
        memset(b.M, 0, sizeof b.M);
        for (int k = 0; k < n * n; k++)
            B[k] = perp_rng_signed(&rng);
        for (int i = 0; i < n; i++) {
            x0[i] = perp_rng_below(&rng, 2) * perp_rng_uniform(&rng);
            b.q[i] = perp_rng_signed(&rng);
            for (int j = 0; j < n; j++)
                for (int k = 0; k < n; k++)
                    b.M[i + j * N] += B[i + k * n] * B[j + k * n];
        }
        for (int r = 0; r < m; r++) {
            b.lo[n + r] = -INFINITY;
            b.q[n + r] = trial % 3 == 0 ? 1.0 : 0.0;
            for (int j = 0; j < n; j++) {
                double a = trial % 3 == 0 ? perp_rng_uniform(&rng) : perp_rng_signed(&rng);
                b.M[n + r + j * N] = a;
                b.M[j + (n + r) * N] = -a;
                b.q[n + r] -= trial % 3 == 0 ? 0.0 : a * x0[j];
            }
        }
        perp_status status = boxed_solve("lemke", &b, 1e-11, z, w, NULL, &kind, y);
        /* trial % 3 == 0: A x = -1 with A > 0. */
        ck_assert(trial % 3 == 0 ? boxed_refuted(status) : status == PERP_SOLVED);
        boxed_check_end(&b, status, kind, y);
        infeasible += boxed_refuted(status);
    }
    ck_assert_int_gt(infeasible, 10);
}
END_TEST

/* Free rows, invertible or with a redundant or contradicting equation. */
START_TEST(free_rows)
{
    perp_rng rng = {5};
    for (int trial = 0; trial < 300; trial++) {
        boxed b;
        double z[BOXED_MAX], w[BOXED_MAX], y[BOXED_MAX], reference[BOXED_MAX];
        perp_certificate_kind kind;
        int n = 3 + perp_rng_below(&rng, 4), m = 1 + perp_rng_below(&rng, n);
        boxed_nonneg(&b, n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                b.M[i + j * n] = perp_rng_signed(&rng) + (i == j ? n : 0);
        for (int i = 0; i < n; i++)
            b.q[i] = perp_rng_signed(&rng);
        for (int i = 0; i < m; i++)
            b.lo[i] = -INFINITY;
        ck_assert_int_ge(boxed_enumerate(&b, reference), 1);
        ck_assert_int_eq(boxed_solve("lemke", &b, 1e-12, z, w, NULL, NULL, NULL), PERP_SOLVED);
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(z[i], reference[i], 1e-9);
        if (m < 2)
            continue;
        /* Rows and columns 0 and 1 the same: consistent, then not. */
        for (int j = 0; j < n; j++)
            b.M[1 + j * n] = b.M[j * n];
        for (int i = 0; i < n; i++)
            b.M[i + n] = b.M[i];
        b.q[1] = b.q[0];
        ck_assert_int_eq(boxed_solve("lemke", &b, 1e-11, z, w, NULL, NULL, NULL), PERP_SOLVED);
        b.q[1] = b.q[0] + 1.0;
        perp_status status = boxed_solve("lemke", &b, 1e-11, z, w, NULL, &kind, y);
        ck_assert_int_eq(status, PERP_INFEASIBLE);
        boxed_check_infeasible(&b, y);
    }
}
END_TEST

/* Boxes of all kinds; with finite bounds Lemke always arrives. */
START_TEST(boxes)
{
    perp_rng rng = {6};
    for (int trial = 0; trial < 600; trial++) {
        boxed b;
        double z[BOXED_MAX], w[BOXED_MAX], reference[BOXED_MAX];
        int n = 1 + perp_rng_below(&rng, 5), definite = trial % 2;
        b.n = n;
        for (int i = 0; i < n * n; i++)
            b.M[i] = perp_rng_signed(&rng) + (definite && i % (n + 1) == 0 ? n : 0);
        for (int i = 0; i < n; i++) {
            int kind = definite ? perp_rng_below(&rng, 6) : 0;
            double at = perp_rng_signed(&rng), width = perp_rng_uniform(&rng);
            b.q[i] = 3.0 * perp_rng_signed(&rng);
            b.lo[i] = kind == 1 || kind == 3 ? -INFINITY : kind == 5 ? 0.0 : at;
            b.hi[i] = kind == 2 || kind == 3 || kind == 5 ? INFINITY : kind == 4 ? at : at + width;
        }
        ck_assert_int_ge(boxed_enumerate(&b, reference), 1);
        ck_assert_int_eq(boxed_solve("lemke", &b, 1e-12, z, w, NULL, NULL, NULL), PERP_SOLVED);
        for (int i = 0; definite && i < n; i++)
            ck_assert_double_eq_tol(z[i], reference[i], 1e-9);
    }
}
END_TEST

/* Solutions with many zeros, where the elimination of FREE rows from a semidefinite
 * matrix leaves a value or a column of rounding, which looks like a ray.
 * All numbers are exact. */
START_TEST(free_rows_degenerate)
{
    perp_rng rng = {31};
    double z[BOXED_MAX], w[BOXED_MAX];
    for (int trial = 0; trial < 4000; trial++) {
        boxed b = {.n = 2 + perp_rng_below(&rng, 5)};
        int n = b.n, rank = 1 + perp_rng_below(&rng, n);
        double A[BOXED_MAX * BOXED_MAX], x[BOXED_MAX], weight[BOXED_MAX];
        for (int k = 0; k < n * rank; k++)
            A[k] = perp_rng_below(&rng, 3) - 1;
        for (int k = 0; k < rank; k++)
            weight[k] = ldexp(1.0, perp_rng_below(&rng, 25) - 12);
        for (int i = 0; i < n; i++) {
            int kind = perp_rng_below(&rng, 4);
            b.lo[i] = kind == 0 || kind == 2 ? -INFINITY
                      : kind == 1            ? 0.0
                                             : 0.5 * (perp_rng_below(&rng, 5) - 2);
            b.hi[i] = kind == 2 ? 0.5 * (perp_rng_below(&rng, 5) - 2) : INFINITY;
            for (int j = 0; j < n; j++) {
                b.M[i + j * n] = 0.0;
                for (int k = 0; k < rank; k++)
                    b.M[i + j * n] += weight[k] * A[i + k * n] * A[j + k * n];
            }
        }
        for (int i = 0; i < n; i++) {
            double at = perp_rng_below(&rng, 3) - 1;
            x[i] = fmin(fmax(at, b.lo[i]), b.hi[i]);
            b.q[i] = x[i] - at;
        }
        double Mx[BOXED_MAX];
        boxed_multiply(Mx, &b, x, 0);
        for (int i = 0; i < n; i++)
            b.q[i] -= Mx[i];
        ck_assert_msg(boxed_solve("lemke", &b, 1e-8, z, w, NULL, NULL, NULL) == PERP_SOLVED,
                      "trial %d", trial);
    }
}
END_TEST

/* Boxes without solution, the proof checked with the support function of the box. */
START_TEST(infeasible_boxes)
{
    perp_rng rng = {41};
    int infeasible = 0, solved = 0;
    for (int trial = 0; trial < 400; trial++) {
        boxed b = {.n = 2 + perp_rng_below(&rng, 5)};
        double z[BOXED_MAX], w[BOXED_MAX], y[BOXED_MAX], A[BOXED_MAX * BOXED_MAX];
        perp_certificate_kind kind;
        perp_certificate_figures seen = {.size = sizeof seen};
        int n = b.n, rank = 1 + perp_rng_below(&rng, n - 1);
        for (int k = 0; k < n * rank; k++)
            A[k] = perp_rng_signed(&rng);
        for (int i = 0; i < n; i++) {
            int which = perp_rng_below(&rng, 4);
            b.q[i] = perp_rng_signed(&rng);
            b.lo[i] = which == 1 ? -INFINITY : perp_rng_signed(&rng);
            b.hi[i] = which == 1 ? perp_rng_signed(&rng) : which == 2 ? b.lo[i] + 0.5 : INFINITY;
            for (int j = 0; j < n; j++) {
                b.M[i + j * n] = 0.0;
                for (int k = 0; k < rank; k++)
                    b.M[i + j * n] += A[i + k * n] * A[j + k * n];
            }
        }
        perp_status status = boxed_solve("lemke", &b, 1e-10, z, w, NULL, &kind, y);
        ck_assert(status == PERP_SOLVED || boxed_refuted(status));
        solved += status == PERP_SOLVED;
        if (status == PERP_SOLVED)
            continue;
        perp_segment seg = {PERP_BOX, 1, n, {b.lo, b.hi}, {1, 1}};
        perp_problem problem = {.q = b.q, .seg = &seg, .nseg = 1};
        ck_assert_int_eq(perp_mat_init_dense(&problem.M, n, n, b.M, n), PERP_SOLVED);
        ck_assert_int_eq(perp_certificate_check(&problem, kind, y, NULL, &seen), 0);
        ck_assert_int_eq(seen.holds, status == PERP_INFEASIBLE);
        ck_assert_msg(seen.reach > 1e6, "trial %d: value %g columns %g", trial, seen.value,
                      seen.column);
        ck_assert_int_ne(boxed_solve("enumerative", &b, 1e-10, z, w, NULL, NULL, NULL), PERP_SOLVED);
        infeasible++;
    }
    ck_assert_int_gt(infeasible, 20);
    ck_assert_int_gt(solved, 100);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("lemke-boxes");
    TCase *tcase = tcase_create("lemke-boxes");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, free_rows_without_diagonal);
    tcase_add_test(tcase, free_rows);
    tcase_add_test(tcase, boxes);
    tcase_add_test(tcase, free_rows_degenerate);
    tcase_add_test(tcase, infeasible_boxes);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
