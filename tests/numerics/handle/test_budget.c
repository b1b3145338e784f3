/* SPDX-License-Identifier: BSD-3-Clause */
/* Budgets of counted work: what a solve may spend, the best iterate within it, the same bits with
 * any number of threads; a budget that is never reached changes no bit. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "generators/friction_problems.h"
#include "tests/fixtures/generated.h"

typedef struct packing {
    perp_problem_file *file;
    perp_problem problem;
    double *z, *w;
    size_t bytes;
} packing;

static void make(packing *p, const char *kind, int size)
{
    generated_make(&p->file, &p->problem, kind, size);
    p->bytes = (size_t)p->problem.M.rows * sizeof(double);
    p->z = malloc(p->bytes);
    p->w = malloc(p->bytes);
}

static void drop(packing *p)
{
    free(p->z);
    free(p->w);
    perp_problem_file_destroy(p->file);
}

static perp_info solve(packing *p, const char *solver, double tol, double budget, int threads)
{
    perp_info info = {.size = sizeof info};
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    settings.budget = budget;
    settings.threads = threads;
    ck_assert_int_ge(perp_solve(solver, &p->problem, &settings, p->z, p->w, &info), 0);
    return info;
}

/* The residual of what came back is the one that was told. */
static void check_answer(packing *p, const perp_info *info)
{
    perp_residuals r = {.size = sizeof r};
    ck_assert_int_eq(perp_residual(&p->problem, p->z, NULL, p->w, &r), PERP_SOLVED);
    ck_assert_double_eq_tol(r.natural, info->residual.natural, 1e-10 * r.natural + 1e-16);
    ck_assert_double_eq_tol(r.scaled, info->residual.scaled, 1e-10 * r.scaled + 1e-16);
}

static const char *const solvers[] = {"auto", "gs", "apgd", "nsn", "ipm", "prox", "admm", "lagged"};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

/* Nothing is begun that the budget does not hold: only a first iteration, or the first of an inner
 * solve, may take more.  More work is never worse for methods that go one way. */
START_TEST(best_within_the_budget)
{
    static const double budgets[] = {1.0, 10.0, 50.0, 300.0};
    packing p;
    double before = INFINITY;
    int nested = strcmp(solvers[_i], "lagged") == 0;
    make(&p, "spheres", 200);
    for (int k = 0; k < 4; k++) {
        perp_info info = solve(&p, solvers[_i], 1e-13, budgets[k], 1);
        check_answer(&p, &info);
        double each = fmax(info.iterations, 1.0), steps = info.factorisations;
        each = info.work / each + (steps > 0.0 ? (info.work - info.iterations) / steps : 0.0);
        ck_assert_msg(info.status == PERP_WORK_LIMIT || info.status == PERP_STALLED ||
                          info.status == PERP_SOLVED || info.status == PERP_ITERATION_LIMIT,
                      "%s: %s", solvers[_i], perp_status_name(info.status));
        ck_assert_msg(info.work <= fmax(budgets[k], 1.0) * (nested ? 1.2 : 1.0) + each + 1.0,
                      "%s: %g of %g", solvers[_i], info.work, budgets[k]);
        if (_i == 1) {
            ck_assert_double_le(info.error, before);
            before = info.error;
        }
    }
    drop(&p);
}
END_TEST

/* A budget that is not reached changes no bit, and the work is told without one, too. */
START_TEST(no_bit)
{
    packing p;
    make(&p, "spheres", 120);
    perp_info free_run = solve(&p, solvers[_i], 1e-6, 0.0, 1);
    double *z = malloc(p.bytes);
    memcpy(z, p.z, p.bytes);
    ck_assert_double_gt(free_run.work, 0.0);
    perp_info held = solve(&p, solvers[_i], 1e-6, 1e12, 1);
    ck_assert_int_eq(free_run.status, held.status);
    ck_assert_double_eq(free_run.work, held.work);
    ck_assert_mem_eq(z, p.z, p.bytes);
    free(z);
    drop(&p);
}
END_TEST

/* A handle counts each solve from zero. */
START_TEST(solves_of_one_handle)
{
    packing p;
    perp_solver *solver;
    perp_settings settings;
    perp_info first = {.size = sizeof first}, second = {.size = sizeof second};
    make(&p, "spheres", 100);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-6;
    ck_assert_int_eq(
        perp_solver_create(&solver, perp_solver_find(solvers[_i]), &settings, NULL, NULL), 0);
    ck_assert_int_eq(perp_solver_setup(solver, &p.problem), PERP_SOLVED);
    ck_assert_int_ge(perp_solver_solve(solver, p.z, p.w, &first), 0);
    ck_assert_int_eq(perp_solver_update_q(solver, p.problem.q), PERP_SOLVED);
    ck_assert_int_ge(perp_solver_solve(solver, p.z, p.w, &second), 0);
    if (first.iterations == second.iterations && first.factorisations == second.factorisations)
        ck_assert_double_eq(first.work, second.work);
    ck_assert_double_le(second.work, 1.5 * first.work);
    perp_solver_destroy(solver);
    drop(&p);
}
END_TEST

/* Counts know nothing of threads. */
START_TEST(threads)
{
    packing p;
    make(&p, "spheres", 1000);
    perp_info one = solve(&p, "auto", 1e-13, 40.0, 1);
    double *z = malloc(p.bytes);
    memcpy(z, p.z, p.bytes);
    perp_info two = solve(&p, "auto", 1e-13, 40.0, 2);
    ck_assert_int_eq(one.status, PERP_WORK_LIMIT);
    ck_assert_double_eq(one.work, two.work);
    ck_assert_mem_eq(z, p.z, p.bytes);
    free(z);
    drop(&p);
}
END_TEST

/* The work of a solve is that of its stages by the same count, and a hundred times the cheapest of
 * them is said. */
START_TEST(dear_is_said)
{
    packing p;
    int said = 0;
    for (int size = 60; size <= 240; size += 60) {
        make(&p, "spheres", size);
        perp_info info = solve(&p, "auto", 1e-15, 0.0, 1);
        double least = INFINITY, each;
        for (int k = 0; k < info.nstages; k++) { /* sweeps that go on are one stage */
            each = info.stages[k].iterations;
            while (k + 1 < info.nstages && strcmp(info.stages[k].solver, "gs") == 0 &&
                   strcmp(info.stages[k + 1].solver, "gs") == 0)
                each += info.stages[++k].iterations;
            if (info.stages[k].factorisations == 0 && each > 0.0)
                least = fmin(least, each);
        }
        if (info.nstages < PERP_STAGES && info.work > 100.0 * least)
            ck_assert_msg(info.notes & PERP_NOTE_DEAR, "%g, cheapest %g", info.work, least);
        said += (info.notes & PERP_NOTE_DEAR) != 0;
        drop(&p);
    }
    ck_assert_int_gt(said, 0);
}
END_TEST

/* Gradient steps, which follow the sweeps there, are as cheap: they take what is left of it. */
START_TEST(rolling_friction_takes_the_whole_budget)
{
    const perp_generator *spheres = perp_generator_find("spheres");
    perp_generate_options options;
    packing p;
    perp_generate_options_init(&options, spheres);
    options.size = 300;
    options.mu_r = 0.1;
    ck_assert_int_eq(perp_generate(&p.file, spheres, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_problem_file_get(p.file, &p.problem, NULL), PERP_SOLVED);
    p.bytes = (size_t)p.problem.M.rows * sizeof(double);
    p.z = malloc(p.bytes);
    p.w = malloc(p.bytes);
    perp_info info = solve(&p, "auto", 1e-10, 180.0, 1);
    check_answer(&p, &info);
    ck_assert_int_eq(info.status, PERP_WORK_LIMIT);
    ck_assert_double_ge(info.work, 170.0);
    ck_assert_double_le(info.work, 180.0);
    drop(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("budget");
    TCase *cases = tcase_create("core");
    tcase_set_timeout(cases, 300.0); /* at -O0 */
    tcase_add_loop_test(cases, best_within_the_budget, 0, SOLVERS);
    tcase_add_loop_test(cases, no_bit, 0, SOLVERS);
    tcase_add_loop_test(cases, solves_of_one_handle, 0, SOLVERS);
    tcase_add_test(cases, threads);
    tcase_add_test(cases, dear_is_said);
    tcase_add_test(cases, rolling_friction_takes_the_whole_budget);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed > 0;
}
