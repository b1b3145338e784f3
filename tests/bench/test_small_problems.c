/* SPDX-License-Identifier: BSD-3-Clause */
/* The small problems of bench/small_problems: what was planted solves them, and no solver claims
 * what the residual recomputed does not bear out. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/small_check.h"

enum { SEED = 20 };

static double *zeros(int n)
{
    double *x = calloc((size_t)n + 1, sizeof *x);
    ck_assert_ptr_nonnull(x);
    return x;
}

START_TEST(planted_solutions_solve)
{
    small_class cls = (small_class)_i;
    for (long k = 0; k < 40L * SMALL_LINEAR; k++) {
        small_problem p;
        double away;
        ck_assert_int_eq(small_make(&p, cls, SEED, k), 0);
        ck_assert_int_eq(perp_problem_check(&p.problem, NULL, NULL), PERP_SOLVED);
        if (p.planted) {
            perp_residuals residual = {.size = sizeof residual};
            double *w = zeros(p.problem.M.rows);
            ck_assert_int_eq(perp_residual(&p.problem, p.planted, NULL, w, &residual), PERP_SOLVED);
            double error = small_error(&p, p.planted, w, &away);
            ck_assert_msg(error < 1e-13 && away < 1e-13, "%s %ld: %g", small_family_name(p.family),
                          k, error);
            ck_assert_double_lt(fabs(error - residual.natural), 1e-13);
            free(w);
        }
        small_free(&p);
    }
}
END_TEST

/* The two residuals agree away from solutions, for the forms of generated problems too. */
START_TEST(residuals_agree)
{
    perp_rng rng = {7};
    small_class cls = (small_class)_i;
    for (long k = 0; k < 10L * SMALL_LINEAR; k++) {
        small_problem p;
        perp_residuals residual = {.size = sizeof residual};
        double away;
        ck_assert_int_eq(small_make(&p, cls, SEED + 1, k), 0);
        int n = p.problem.M.rows;
        double *z = zeros(n), *w = zeros(n);
        for (int i = 0; i < n; i++)
            z[i] = small_between(&rng, -1.0, 1.0);
        ck_assert_int_eq(perp_residual(&p.problem, z, NULL, w, &residual), PERP_SOLVED);
        double error = small_error(&p, z, w, &away);
        ck_assert_double_lt(fabs(error - residual.natural), 1e-10 * (1.0 + error));
        ck_assert_double_lt(away, 1e-12);
        free(z);
        free(w);
        small_free(&p);
    }
}
END_TEST

START_TEST(same_number_same_bits)
{
    small_class cls = (small_class)_i;
    for (long k = 0; k < SMALL_LINEAR; k++) {
        small_problem a, b;
        ck_assert_int_eq(small_make(&a, cls, SEED, k), 0);
        ck_assert_int_eq(small_make(&b, cls, SEED, k), 0);
        size_t n = (size_t)a.problem.M.rows;
        ck_assert_int_eq(b.problem.M.rows, (int)n);
        ck_assert(memcmp(a.problem.q, b.problem.q, n * sizeof(double)) == 0);
        if (a.dense)
            ck_assert(memcmp(a.dense, b.dense, n * n * sizeof(double)) == 0);
        small_free(&a);
        small_free(&b);
    }
}
END_TEST

/* Returns 1 when solved. */
static int solve(const char *solver, const small_problem *p, const perp_settings *settings, long k)
{
    perp_info info = {.size = sizeof info};
    double away, *z = zeros(p->problem.M.rows), *w = zeros(p->problem.M.rows);
    perp_status status = perp_solve(solver, &p->problem, settings, z, w, &info);
    const char *who = solver ? solver : "default", *what = small_family_name(p->family);
    ck_assert_msg(status >= 0 || status == PERP_ERR_UNSUPPORTED, "%s, %s %ld: %s", who, what, k,
                  perp_status_text(status));
    if (status >= 0) {
        double error = small_error(p, z, w, &away);
        ck_assert_msg(away < 1e-10, "%s, %s %ld: w is %g away from M z + q", who, what, k, away);
        ck_assert_msg(status != PERP_SOLVED || error <= 1.001 * settings->tol,
                      "%s, %s %ld: says solved at %g", who, what, k, error);
    }
    free(z);
    free(w);
    return status == PERP_SOLVED;
}

static void run(const char *solver, small_class cls, long problems, int max_iter, int *solved)
{
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.max_iter = max_iter;
    settings.measure = PERP_MEASURE_NATURAL;
    for (long k = 0; k < problems; k++) {
        small_problem p;
        ck_assert_int_eq(small_make(&p, cls, SEED + 2, k), 0);
        solved[p.family] += solve(solver, &p, &settings, k);
        small_free(&p);
    }
}

START_TEST(no_solver_claims_too_much)
{
    const perp_solver_type *type = perp_solver_at(_i);
    int solved[SMALL_FAMILIES] = {0};
    run(perp_solver_name(type), SMALL_OF_CONTACTS, 4L * SMALL_LINEAR, 60, solved);
    run(perp_solver_name(type), SMALL_OF_LINEAR, 8L * SMALL_LINEAR_FAMILIES, 60, solved);
}
END_TEST

START_TEST(the_default_solves)
{
    static const small_family sure[] = {SMALL_RIGID_TWINS, SMALL_SPD,   SMALL_UNSYMMETRIC,
                                        SMALL_PLANE,       SMALL_MIXED, SMALL_TRIVIAL};
    int solved[SMALL_FAMILIES] = {0}, each = 12;
    run(NULL, SMALL_OF_CONTACTS, (long)each * SMALL_LINEAR, 300, solved);
    for (size_t k = 0; k < sizeof sure / sizeof *sure; k++)
        ck_assert_msg(solved[sure[k]] == each, "%s: %d of %d", small_family_name(sure[k]),
                      solved[sure[k]], each);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("small_problems");
    TCase *tcase = tcase_create("small_problems");
    int solvers = 0;
    while (perp_solver_at(solvers))
        solvers++;
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, planted_solutions_solve, 0, 2);
    tcase_add_loop_test(tcase, residuals_agree, 0, 2);
    tcase_add_loop_test(tcase, same_number_same_bits, 0, 2);
    tcase_add_loop_test(tcase, no_solver_claims_too_much, 0, solvers);
    tcase_add_test(tcase, the_default_solves);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
