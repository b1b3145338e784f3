/* SPDX-License-Identifier: BSD-3-Clause */
/* What `auto` runs before its stages: Newton's method where an answer is to end at rounding,
 * proximal Newton steps where all rows are coupled; an error that is enough ends a solve that
 * cannot come to its tolerance. */
#include <check.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/rng.h"

enum { MOST = 240, DOFS = 14 };

typedef struct contacts {
    double M[MOST * MOST], q[MOST], mu[MOST], z[MOST], w[MOST];
    perp_segment seg;
    perp_problem problem;
    perp_info info;
} contacts;

/* Contacts of several mechanisms, each with all of its own coordinates: M = H H'.  The velocity
 * (1, 0, ...) of each opens its contacts, so that there is a solution; the free one closes most. */
static contacts *make(int mechanisms, int each, uint64_t seed)
{
    contacts *c = calloc(1, sizeof *c);
    perp_rng rng = {seed};
    int rows = 3 * each, n = mechanisms * rows;
    for (int m = 0; m < mechanisms; m++) {
        double H[MOST][DOFS], given[DOFS];
        for (int v = 0; v < DOFS; v++)
            given[v] = v == 0 ? -1.0 : perp_rng_signed(&rng);
        for (int i = 0; i < rows; i++) {
            for (int v = 0; v < DOFS; v++)
                H[i][v] = 0.4 * perp_rng_signed(&rng);
            H[i][0] = i % 3 == 0 ? 1.0 : H[i][0];
        }
        for (int i = 0; i < rows; i++) {
            for (int v = 0; v < DOFS; v++)
                c->q[m * rows + i] += H[i][v] * given[v];
            for (int j = 0; j < rows; j++)
                for (int v = 0; v < DOFS; v++)
                    c->M[m * rows + i + (m * rows + j) * n] += H[i][v] * H[j][v];
        }
    }
    for (int k = 0; k < n / 3; k++)
        c->mu[k] = 0.3;
    c->seg = (perp_segment){
        .set = PERP_COULOMB, .dim = 3, .count = n / 3, .par = {c->mu}, .stride = {1}};
    perp_mat_init_dense(&c->problem.M, n, n, c->M, n);
    c->problem.q = c->q;
    c->problem.seg = &c->seg;
    c->problem.nseg = 1;
    return c;
}

static perp_status solve(contacts *c, const perp_settings *settings)
{
    perp_solver *solver;
    c->info = (perp_info){.size = sizeof c->info};
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("auto"), settings, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, &c->problem), PERP_SOLVED);
    perp_status status = perp_solver_solve(solver, c->z, c->w, &c->info);
    perp_solver_destroy(solver);
    return status;
}

static double error_of(contacts *c)
{
    perp_residuals e = {.size = sizeof e};
    ck_assert_int_eq(perp_residual(&c->problem, c->z, NULL, NULL, &e), PERP_SOLVED);
    return fmax(e.natural, e.scaled);
}

START_TEST(coupled_rows_begin_with_proximal_steps)
{
    contacts *c = make(1 + _i % 2, 20, (uint64_t)(1 + _i));
    perp_settings s;
    perp_settings_init(&s, sizeof s);
    s.warm_start = 1;
    ck_assert_int_eq(solve(c, &s), PERP_SOLVED);
    ck_assert_str_eq(c->info.stages[0].solver, "prox");
    ck_assert(error_of(c) <= s.tol);
    /* Its own answer, q a little changed, is nearly an answer. */
    for (int i = 0; i < c->problem.M.rows; i++)
        c->q[i] *= 1.0 + 1e-6;
    s.warm_start = 2;
    ck_assert_int_eq(solve(c, &s), PERP_SOLVED);
    ck_assert(error_of(c) <= s.tol);
    free(c);
}
END_TEST

/* Sweeps come first from zero, within a budget that holds no Newton steps, and where what is
 * coupled is small. */
START_TEST(others_begin_with_sweeps)
{
    contacts *c = make(1, 20, 1);
    perp_settings s;
    perp_settings_init(&s, sizeof s);
    ck_assert_int_eq(solve(c, &s), PERP_SOLVED);
    ck_assert_str_ne(c->info.stages[0].solver, "prox");
    s.warm_start = 1;
    s.budget = 100.0;
    memset(c->z, 0, sizeof c->z);
    ck_assert_int_ge(solve(c, &s), PERP_SOLVED);
    ck_assert_str_eq(c->info.stages[0].solver, "gs");
    free(c);
    c = make(8, 4, 1);
    s.budget = 0.0;
    ck_assert_int_eq(solve(c, &s), PERP_SOLVED);
    ck_assert_str_eq(c->info.stages[0].solver, "gs");
    ck_assert(error_of(c) <= s.tol);
    free(c);
}
END_TEST

START_TEST(a_large_budget_changes_nothing)
{
    contacts *c = make(1, 20, 1);
    static double z[MOST];
    perp_settings s;
    perp_settings_init(&s, sizeof s);
    s.warm_start = 1;
    ck_assert_int_eq(solve(c, &s), PERP_SOLVED);
    memcpy(z, c->z, sizeof z);
    memset(c->z, 0, sizeof c->z);
    s.budget = 1e9;
    ck_assert_int_eq(solve(c, &s), PERP_SOLVED);
    ck_assert_mem_eq(z, c->z, sizeof z);
    free(c);
}
END_TEST

/* At a loose tolerance the last Newton step leaves next to nothing: the error falls by squares. */
START_TEST(an_answer_ends_at_rounding)
{
    static const int finish[] = {PERP_FINISH_CHEAP, PERP_FINISH_ROUNDING};
    for (int k = 0; k < 2; k++) {
        contacts *c = make(1, k ? 20 : 4, (uint64_t)(10 + _i));
        perp_settings s;
        perp_settings_init(&s, sizeof s);
        s.tol = 1e-4;
        s.finish = finish[k];
        ck_assert_int_eq(solve(c, &s), PERP_SOLVED);
        ck_assert_str_eq(c->info.stages[0].solver, "nsn");
        ck_assert_int_eq(c->info.nstages, 1);
        ck_assert(error_of(c) <= s.tol);
        /* Where it is cheap alone, more rows are left to what comes else. */
        s.finish = PERP_FINISH_CHEAP;
        ck_assert_int_eq(solve(c, &s), PERP_SOLVED);
        ck_assert_int_eq(strcmp(c->info.stages[0].solver, "nsn") == 0, k == 0);
        free(c);
    }
}
END_TEST

/* Zeros of a dense matrix come and go from problem to problem of a sequence. */
START_TEST(zeros_come_and_go)
{
    contacts *apart = make(4, 3, 5), *together = make(1, 12, 5);
    perp_settings s;
    perp_solver *solver;
    perp_settings_init(&s, sizeof s);
    s.warm_start = 1;
    s.finish = PERP_FINISH_CHEAP;
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("auto"), &s, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, &apart->problem), PERP_SOLVED);
    for (int k = 0; k < 4; k++) {
        contacts *c = k % 2 ? together : apart;
        memset(c->z, 0, sizeof c->z);
        ck_assert_int_eq(perp_solver_update(solver, &c->problem), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, c->z, c->w, NULL), PERP_SOLVED);
        ck_assert(error_of(c) <= s.tol);
    }
    perp_solver_destroy(solver);
    free(apart), free(together);
}
END_TEST

/* Two equations of the same row, whose right-hand sides differ by a little: the error of any z is
 * at least a part of that. */
static contacts *contradict(double by)
{
    contacts *c = make(1, 5, 3);
    int n = c->problem.M.rows, own = 12;
    static perp_segment seg[2];
    for (int j = 0; j < n; j++)
        c->M[n - 1 + j * n] = c->M[n - 2 + j * n];
    for (int i = 0; i < n; i++)
        c->M[i + (n - 1) * n] = c->M[i + (n - 2) * n];
    c->q[n - 1] = c->q[n - 2] + by;
    seg[0] = (perp_segment){
        .set = PERP_COULOMB, .dim = 3, .count = own / 3, .par = {c->mu}, .stride = {1}};
    seg[1] = (perp_segment){.set = PERP_FREE, .dim = 1, .count = n - own};
    c->problem.seg = seg;
    c->problem.nseg = 2;
    return c;
}

START_TEST(what_is_enough_ends_a_solve)
{
    contacts *c = contradict(1e-9);
    perp_settings s;
    perp_settings_init(&s, sizeof s);
    s.tol = 1e-13;
    s.finish = PERP_FINISH_CHEAP;
    perp_status without = solve(c, &s);
    int stages = c->info.nstages;
    double work = c->info.work;
    ck_assert_int_ne(without, PERP_SOLVED);
    memset(c->z, 0, sizeof c->z);
    s.enough = 1e-7;
    perp_status status = solve(c, &s);
    ck_assert_int_gt(status, PERP_SOLVED); /* never called solved */
    ck_assert(c->info.error > s.tol && c->info.error <= s.enough);
    ck_assert(error_of(c) <= s.enough);
    ck_assert_int_lt(c->info.nstages, stages);
    ck_assert_double_lt(c->info.work, work);
    free(c);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("auto_lead");
    TCase *tcase = tcase_create("auto_lead");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, coupled_rows_begin_with_proximal_steps, 0, 6);
    tcase_add_test(tcase, others_begin_with_sweeps);
    tcase_add_test(tcase, a_large_budget_changes_nothing);
    tcase_add_loop_test(tcase, an_answer_ends_at_rounding, 0, 4);
    tcase_add_test(tcase, zeros_come_and_go);
    tcase_add_test(tcase, what_is_enough_ends_a_solve);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
