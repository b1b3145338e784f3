/* SPDX-License-Identifier: BSD-3-Clause */
/* Principal pivoting under each rule: P and positive semidefinite matrices, examples on which rules
 * without care cycle or take 2^n pivots, boxes, FREE rows, verdicts in whole numbers. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/boxed_bounds.h"
#include "core/rng.h"
#include "tests/fixtures/exact_lcp.h"

static const char *const rules[] = {"block", "murty", "bard", "keller"};
enum { RULES = 4 };

static perp_status ppm(const boxed *b, int rule, double *z, perp_info *info,
                       perp_certificate_kind *kind, double *y)
{
    perp_segment seg[BOXED_MAX];
    perp_settings settings;
    perp_solver *solver;
    double w[BOXED_MAX];
    perp_problem problem = {.q = b->q, .seg = seg, .nseg = b->n};
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-10;
    ck_assert_int_eq(perp_settings_set(&settings, "pivot_rule", rules[rule]), 0);
    for (int i = 0; i < b->n; i++)
        seg[i] = (perp_segment){PERP_BOX, 1, 1, {&b->lo[i], &b->hi[i]}, {0, 0}};
    ck_assert_int_eq(perp_mat_init_dense(&problem.M, b->n, b->n, b->M, b->n), 0);
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("ppm"), &settings, NULL, NULL),
                     0);
    ck_assert_int_eq(perp_solver_setup(solver, &problem), 0);
    perp_status status = perp_solver_solve(solver, z, w, info);
    perp_certificate_figures seen = {.size = sizeof seen};
    perp_solver_certificate(solver, b->n, kind, y);
    if (boxed_refuted(status)) {
        ck_assert_int_eq(perp_certificate_check(&problem, *kind, y, NULL, &seen), 0);
        ck_assert_int_eq(seen.holds, status == PERP_INFEASIBLE);
        ck_assert_msg(seen.reach > 1e6, "value %g columns %g", seen.value, seen.column);
    }
    perp_solver_destroy(solver);
    return status;
}

/* P matrices: one solution, found by every rule. */
START_TEST(random_p)
{
    perp_rng rng = {51};
    for (int trial = 0; trial < 300; trial++) {
        boxed b;
        double z[BOXED_MAX], y[BOXED_MAX], reference[BOXED_MAX];
        perp_certificate_kind kind;
        int n = 1 + perp_rng_below(&rng, 7);
        boxed_random_p(&b, n, 3.0, &rng);
        ck_assert_int_ge(boxed_enumerate(&b, reference), 1);
        for (int rule = 0; rule < RULES; rule++) {
            ck_assert_int_eq(ppm(&b, rule, z, NULL, &kind, y), PERP_SOLVED);
            for (int i = 0; i < n; i++)
                ck_assert_double_eq_tol(z[i], reference[i], 1e-7 * (1.0 + fabs(reference[i])));
        }
    }
}
END_TEST

/* Positive semidefinite, skew parts too, FREE rows and boxes among them: solved, or a proof. */
START_TEST(semidefinite)
{
    perp_rng rng = {(uint64_t)_i + 61};
    int infeasible = 0;
    for (int trial = 0; trial < 400; trial++) {
        boxed b;
        double z[BOXED_MAX], w[BOXED_MAX], y[BOXED_MAX], A[BOXED_MAX * BOXED_MAX];
        perp_certificate_kind kind;
        int n = 2 + perp_rng_below(&rng, 6), rank = 1 + perp_rng_below(&rng, n);
        boxed_nonneg(&b, n);
        for (int k = 0; k < n * rank; k++)
            A[k] = perp_rng_signed(&rng);
        for (int i = 0; i < n; i++) {
            int bounds = _i == 0 ? 3 : perp_rng_below(&rng, 5);
            b.q[i] = perp_rng_signed(&rng);
            b.lo[i] = bounds == 0 ? -INFINITY : bounds == 1 ? perp_rng_signed(&rng) : 0.0;
            b.hi[i] = bounds == 1 ? b.lo[i] + perp_rng_uniform(&rng) : INFINITY;
            for (int j = 0; j < n; j++) {
                b.M[i + j * n] = 0.0;
                for (int k = 0; k < rank; k++)
                    b.M[i + j * n] += A[i + k * n] * A[j + k * n];
            }
        }
        for (int i = 0; trial % 2 && i < n; i++)
            for (int j = 0; j < i; j++) {
                double s = perp_rng_signed(&rng);
                b.M[i + j * n] += s;
                b.M[j + i * n] -= s;
            }
        perp_status reference = boxed_solve("enumerative", &b, 1e-10, z, w, NULL, NULL, NULL);
        for (int rule = 0; rule < RULES; rule++) {
            perp_status status = ppm(&b, rule, z, NULL, &kind, y);
            int agree = boxed_refuted(reference) ? boxed_refuted(status) : status == reference;
            ck_assert_msg(agree, "trial %d, %s: %s, enum %s", trial, rules[rule],
                          perp_status_name(status), perp_status_name(reference));
        }
        infeasible += boxed_refuted(reference);
    }
    ck_assert_int_gt(infeasible, 10);
}
END_TEST

/* Murty's and Fathi's families, on which the pivots of some rules are 2^n, and Kostreva's example,
 * on which Bard's rule cycles. */
START_TEST(classics)
{
    boxed b;
    double z[BOXED_MAX], y[BOXED_MAX];
    perp_certificate_kind kind;
    perp_info info = {.size = sizeof info};
    for (int family = 0; family < 2; family++) {
        boxed_nonneg(&b, 8);
        for (int j = 0; j < 8; j++) {
            b.q[j] = -1.0;
            for (int i = 0; i < 8; i++) {
                int least = i < j ? i : j;
                b.M[i + 8 * j] = family == 0 ? (i == j  ? 1.0
                                                : i < j ? 2.0
                                                        : 0.0)
                                 : i == j    ? 1.0 + 4.0 * least
                                             : 2.0 + 4.0 * least;
            }
        }
        for (int rule = 0; rule < RULES; rule++) {
            ck_assert_int_eq(ppm(&b, rule, z, &info, &kind, y), PERP_SOLVED);
            ck_assert_int_le(info.iterations, 300);
            for (int i = 0; family == 0 && i < 8; i++)
                ck_assert_double_eq_tol(z[i], i == 7 ? 1.0 : 0.0, 1e-12);
        }
    }
    boxed_nonneg(&b, 3);
    memcpy(b.M, (double[]){1, 0, 2, 2, 1, 0, 0, 2, 1}, sizeof(double) * 9);
    for (int i = 0; i < 3; i++)
        b.q[i] = -1.0;
    for (int rule = 0; rule < RULES; rule++) {
        ck_assert_int_eq(ppm(&b, rule, z, &info, &kind, y), PERP_SOLVED);
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(z[i], 1.0 / 3.0, 1e-12);
    }
}
END_TEST

/* Never a false verdict on integers; semidefinite ones are decided. */
START_TEST(integers)
{
    int decided = 0;
    for (int kind = 0; kind < 6; kind++) {
        perp_rng rng = {(uint64_t)kind + 201};
        for (int trial = 0; trial < 1000; trial++) {
            exact_lcp p = {.n = 1 + perp_rng_below(&rng, 5)};
            boxed b;
            double z[BOXED_MAX], y[BOXED_MAX];
            perp_certificate_kind certificate;
            exact_lcp_draw(&p, kind, &rng);
            exact_lcp_solve(&p);
            boxed_nonneg(&b, p.n);
            memcpy(b.M, p.M, sizeof p.M);
            memcpy(b.q, p.q, sizeof p.q);
            for (int rule = 0; rule < RULES; rule++) {
                perp_status status = ppm(&b, rule, z, NULL, &certificate, y);
                ck_assert(status != PERP_SOLVED || p.count > 0);
                ck_assert(status != PERP_INFEASIBLE || p.count == 0);
                int sure = status == PERP_SOLVED || status == PERP_INFEASIBLE;
                if (kind == 2 || kind == 3)
                    ck_assert_msg(sure, "kind %d trial %d, %s: %s", kind, trial, rules[rule],
                                  perp_status_name(status));
                decided += sure;
            }
        }
    }
    ck_assert_int_gt(decided, 12000);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ppm");
    TCase *tcase = tcase_create("ppm");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, random_p);
    tcase_add_loop_test(tcase, semidefinite, 0, 2);
    tcase_add_test(tcase, classics);
    tcase_add_test(tcase, integers);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
