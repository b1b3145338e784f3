/* SPDX-License-Identifier: BSD-3-Clause */
/* libperp-lp on programs with known answers; the solver lp against the enumeration of all
 * complementary cases: each verdict, each proof. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "lp/library.h"
#include "tests/fixtures/small_boxed.h"

static const perp_lp_table *table;
static perp_lp_library library;

static void open_library(void)
{
    perp_info info = {.size = sizeof info};
    if (perp_lp_library_open(&library, &info) == PERP_SOLVED)
        table = library.table;
}

static void close_library(void)
{
    perp_lp_library_close(&library);
    table = NULL;
}

/* max 3 x + 2 y, x + y <= 4, x + 3 y <= 6, x <= 3: (3, 1). */
START_TEST(a_program)
{
    const int colptr[] = {0, 2, 4}, row[] = {0, 1, 0, 1};
    const double x[] = {1, 1, 1, 3}, cost[] = {-3, -2}, right[] = {4, 6}, lo[] = {0, 0};
    const double hi[] = {3, INFINITY};
    const perp_lp_program p = {2, 2, colptr, row, x, cost, "<<", right, lo, hi, NULL};
    const perp_lp_control control = {.iterations = 1000};
    double found[2];
    int basic[2];
    perp_lp_answer answer = {.x = found, .basic = basic};
    if (!table)
        return;
    ck_assert_int_eq(table->solve(&p, &control, &answer), PERP_LP_OPTIMAL);
    ck_assert_double_eq_tol(found[0], 3.0, 1e-12);
    ck_assert_double_eq_tol(found[1], 1.0, 1e-12);
    ck_assert_double_eq_tol(answer.objective, -11.0, 1e-12);
    /* y is basic, and the slack of one of the rows, which both hold there. */
    ck_assert(basic[0] + basic[1] == 1 + 2 || basic[0] + basic[1] == 1 + 3);
    ck_assert(basic[0] == 1 || basic[1] == 1);
}
END_TEST

/* x + y = 1 and x + y >= 2; then x free below and cost 1. */
START_TEST(programs_without_answer)
{
    const int colptr[] = {0, 2, 4}, row[] = {0, 1, 0, 1};
    const double x[] = {1, 1, 1, 1}, cost[] = {1, 0}, right[] = {1, 2};
    const double lo[] = {-INFINITY, -INFINITY}, hi[] = {INFINITY, INFINITY};
    perp_lp_program p = {2, 2, colptr, row, x, cost, "=>", right, lo, hi, NULL};
    const perp_lp_control control = {.iterations = 1000};
    double found[2];
    perp_lp_answer answer = {.x = found};
    if (!table)
        return;
    ck_assert_int_eq(table->solve(&p, &control, &answer), PERP_LP_INFEASIBLE);
    p.sense = "==";
    p.right = (const double[]){1, 1};
    ck_assert_int_eq(table->solve(&p, &control, &answer), PERP_LP_UNBOUNDED);
}
END_TEST

/* A knapsack, by trying all subsets. */
START_TEST(whole_numbers)
{
    enum { K = 12 };
    perp_rng rng = {3};
    if (!table)
        return;
    for (int round = 0; round < 20; round++) {
        int colptr[K + 1], row[K];
        double x[K], cost[K], lo[K], hi[K], found[K], right = 20.0, best = 0.0;
        unsigned char integer[K];
        for (int j = 0; j < K; j++) {
            colptr[j] = j;
            row[j] = 0;
            x[j] = 1.0 + perp_rng_below(&rng, 12);
            cost[j] = -1.0 - perp_rng_below(&rng, 30);
            lo[j] = 0.0;
            hi[j] = integer[j] = 1;
        }
        colptr[K] = K;
        for (int subset = 0; subset < 1 << K; subset++) {
            double weight = 0.0, value = 0.0;
            for (int j = 0; j < K; j++) {
                weight += subset >> j & 1 ? x[j] : 0.0;
                value += subset >> j & 1 ? cost[j] : 0.0;
            }
            best = weight <= right ? fmin(best, value) : best;
        }
        const perp_lp_program p = {1, K, colptr, row, x, cost, "<", &right, lo, hi, integer};
        const perp_lp_control control = {.iterations = 100000};
        perp_lp_answer answer = {.x = found};
        ck_assert_int_eq(table->solve(&p, &control, &answer), PERP_LP_OPTIMAL);
        ck_assert_double_eq_tol(answer.objective, best, 1e-9);
    }
}
END_TEST

static int never(void *ctx)
{
    ++*(int *)ctx;
    return 1;
}

START_TEST(programs_can_be_stopped)
{
    enum { K = 20 };
    perp_rng rng = {4};
    int colptr[K + 1], row[K * K], asked = 0;
    double x[K * K], cost[K], right[K], lo[K], hi[K], found[K];
    char sense[K];
    if (!table)
        return;
    for (int j = 0; j < K; j++) {
        colptr[j] = j * K;
        cost[j] = 1.0 + perp_rng_uniform(&rng);
        right[j] = 1.0;
        sense[j] = '>';
        lo[j] = 0.0;
        hi[j] = INFINITY;
        for (int i = 0; i < K; i++) {
            row[i + j * K] = i;
            x[i + j * K] = perp_rng_uniform(&rng);
        }
    }
    colptr[K] = K * K;
    const perp_lp_program p = {K, K, colptr, row, x, cost, sense, right, lo, hi, NULL};
    const perp_lp_control impatient = {never, &asked, 1000}, brief = {NULL, NULL, 0};
    perp_lp_answer answer = {.x = found};
    ck_assert_int_eq(table->solve(&p, &impatient, &answer), PERP_LP_STOPPED);
    ck_assert_int_gt(asked, 0);
    ck_assert_int_eq(table->solve(&p, &brief, &answer), PERP_LP_LIMIT);
}
END_TEST

typedef struct verdicts {
    int solved, infeasible, exhausted, other;
} verdicts;

static void compare(const small_boxed *p, verdicts *seen)
{
    double z[SMALL_BOXED], w[SMALL_BOXED], y[SMALL_BOXED];
    perp_solver *solver;
    perp_settings s;
    perp_certificate_kind kind;
    perp_certificate_figures f = {.size = sizeof f};
    perp_settings_init(&s, sizeof s);
    s.tol = 1e-12;
    perp_solver_create(&solver, perp_solver_find("lp"), &s, NULL, NULL);
    ck_assert_int_eq(perp_solver_setup(solver, &p->problem), PERP_SOLVED);
    perp_status status = perp_solver_solve(solver, z, w, NULL);
    ck_assert_int_eq(perp_solver_certificate(solver, p->n, &kind, y), PERP_SOLVED);
    perp_solver_destroy(solver);
    int truth = small_boxed_enumerate(p);
    seen->solved += status == PERP_SOLVED;
    seen->exhausted += status == PERP_INFEASIBLE && kind == PERP_CERTIFICATE_EXHAUSTED;
    seen->infeasible += status == PERP_INFEASIBLE && kind == PERP_CERTIFICATE_INFEASIBLE;
    seen->other += status != PERP_SOLVED && status != PERP_INFEASIBLE;
    if (status == PERP_SOLVED)
        ck_assert_int_ne(truth, 0);
    if (status == PERP_INFEASIBLE) {
        ck_assert_int_ne(truth, 1);
        ck_assert_int_eq(perp_certificate_check(&p->problem, kind, y, NULL, &f), PERP_SOLVED);
        ck_assert(f.holds);
    }
}

START_TEST(every_verdict_is_true)
{
    perp_rng rng = {11};
    verdicts seen = {0};
    if (!table)
        return;
    for (int k = 0; k < 1200; k++) {
        small_boxed p;
        small_boxed_random(&p, 1 + k % 6, k % 2, &rng);
        compare(&p, &seen);
    }
    ck_assert_msg(seen.other == 0, "%d solved, %d infeasible, %d exhausted, %d other", seen.solved,
                  seen.infeasible, seen.exhausted, seen.other);
    ck_assert_int_gt(seen.solved, 300);
    ck_assert_int_gt(seen.infeasible, 100);
    ck_assert_int_gt(seen.exhausted, 30);
}
END_TEST

/* No solution, and M z + q >= 0 with z >= 0 has one: block by block w = 1 - z, q = -1 - ... */
START_TEST(exhausted)
{
    small_boxed p = {.n = 2 * (SMALL_BOXED / 2)};
    perp_info info = {.size = sizeof info};
    double z[SMALL_BOXED], w[SMALL_BOXED];
    if (!table)
        return;
    /* Each pair: w1 = -z1 + z2 - 1, w2 = -z1 + z2 - ... has z2 > 0, so w2 = 0 and w1 < 0. */
    for (int k = 0; k < p.n; k += 2) {
        p.M[k + k * p.n] = -1.0;
        p.M[k + (k + 1) * p.n] = 1.0;
        p.M[k + 1 + k * p.n] = -1.0;
        p.M[k + 1 + (k + 1) * p.n] = 1.0;
        p.q[k] = -1.0;
        p.q[k + 1] = -0.5;
        small_boxed_row(&p, k, 1, 0, 0);
        small_boxed_row(&p, k + 1, 1, 0, 0);
    }
    small_boxed_finish(&p);
    ck_assert_int_eq(perp_solve("lp", &p.problem, NULL, z, w, &info), PERP_INFEASIBLE);
    ck_assert_int_eq(small_boxed_enumerate(&p) == 1, 0);
}
END_TEST

/* A bimatrix game of 20 x 20, which has a solution. */
START_TEST(a_game)
{
    enum { K = 10, D = 2 * K };
    static double M[D * D];
    double q[D], z[D], w[D];
    perp_rng rng = {21};
    perp_segment seg = {PERP_NONNEG, 1, D, {NULL, NULL}, {0, 0}};
    perp_problem p = {.q = q, .seg = &seg, .nseg = 1};
    perp_settings s;
    if (!table)
        return;
    for (int i = 0; i < K; i++)
        for (int j = 0; j < K; j++) {
            M[i + (K + j) * D] = 1.0 + perp_rng_uniform(&rng);
            M[K + j + i * D] = 1.0 + perp_rng_uniform(&rng);
        }
    for (int i = 0; i < D; i++)
        q[i] = -1.0;
    perp_mat_init_dense(&p.M, D, D, M, D);
    perp_settings_init(&s, sizeof s);
    s.tol = 1e-12;
    ck_assert_int_eq(perp_solve("lp", &p, &s, z, w, NULL), PERP_SOLVED);
}
END_TEST

START_TEST(its_absence_is_said)
{
    small_boxed p = {.n = 1, .M = {1.0}, .q = {-1.0}};
    double z[1], w[1];
    perp_info info = {.size = sizeof info};
    small_boxed_row(&p, 0, 1, 0, 0);
    small_boxed_finish(&p);
    perp_status status = perp_solve("lp", &p.problem, NULL, z, w, &info);
    ck_assert_int_eq(status, table ? PERP_SOLVED : PERP_ERR_UNSUPPORTED);
    if (!table) {
        ck_assert_str_eq(info.where.what, "libperp-lp");
        ck_assert(strstr(info.detail, "--with-lpsolve"));
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {a_program,
                            programs_without_answer,
                            whole_numbers,
                            programs_can_be_stopped,
                            every_verdict_is_true,
                            exhausted,
                            a_game,
                            its_absence_is_said};
    Suite *suite = suite_create("lp");
    TCase *tcase = tcase_create("lp");
    tcase_add_checked_fixture(tcase, open_library, close_library);
    for (size_t k = 0; k < sizeof tests / sizeof tests[0]; k++)
        tcase_add_test(tcase, tests[k]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
