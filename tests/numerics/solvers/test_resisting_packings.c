/* SPDX-License-Identifier: BSD-3-Clause */
/* A packing that resists the sweeps of `auto` from a warm start: solved, with the same bits again;
 * a limit or a callback in any stage leaves the best iterate.  Packings with rolling and torsional
 * friction. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "generators/friction_problems.h"
#include "tests/fixtures/generated.h"

enum { SIZE = 1200 };

typedef struct run {
    perp_status status;
    double *z, *w;
    perp_info info;
} run;

static void solve(run *r, const perp_problem *problem, double tol, int warm, int max_iter,
                  const perp_allocator *allocator)
{
    perp_settings s;
    perp_solver *solver;
    perp_settings_init(&s, sizeof s);
    s.tol = tol;
    s.warm_start = warm;
    s.max_iter = max_iter;
    *r = (run){.info = {.size = sizeof r->info}};
    r->z = calloc((size_t)problem->M.rows, sizeof(double));
    r->w = calloc((size_t)problem->M.rows, sizeof(double));
    r->status = perp_solver_create(&solver, perp_solver_find("auto"), &s, allocator, NULL);
    if (r->status != PERP_SOLVED)
        return;
    r->status = perp_solver_setup(solver, problem);
    if (r->status == PERP_SOLVED)
        r->status = perp_solver_solve(solver, r->z, r->w, &r->info);
    perp_solver_destroy(solver);
}

static void drop(run *r)
{
    free(r->z);
    free(r->w);
}

static double error_of(const perp_problem *problem, const double *z)
{
    perp_residuals e = {.size = sizeof e};
    ck_assert_int_eq(perp_residual(problem, z, NULL, NULL, &e), PERP_SOLVED);
    return e.natural > e.scaled ? e.natural : e.scaled;
}

START_TEST(a_packing_that_resists_is_solved_with_the_same_bits)
{
    perp_problem_file *file;
    perp_problem problem;
    run one, again;
    generated_make(&file, &problem, "spheres", SIZE);
    solve(&one, &problem, 1e-6, 1, 0, NULL);
    solve(&again, &problem, 1e-6, 1, 0, NULL);
    ck_assert_int_gt(one.info.nstages, 1);
    ck_assert_int_eq(one.status, PERP_SOLVED);
    ck_assert(error_of(&problem, one.z) <= 1e-6);
    ck_assert_mem_eq(one.z, again.z, sizeof(double) * (size_t)problem.M.rows);
    drop(&one);
    drop(&again);
    perp_problem_file_destroy(file);
}
END_TEST

/* What is returned in the end is never worse than what the stage began with. */
START_TEST(limits_in_any_stage_keep_the_best)
{
    perp_problem_file *file;
    perp_problem problem;
    run whole;
    generated_make(&file, &problem, "spheres", SIZE);
    solve(&whole, &problem, 1e-6, 1, 0, NULL);
    int sweeps = whole.info.stages[0].iterations;
    for (int more = 1; more < 600; more += 290) {
        run part;
        solve(&part, &problem, 1e-6, 1, sweeps + more, NULL);
        ck_assert(part.status == PERP_SOLVED || part.status == PERP_ITERATION_LIMIT);
        ck_assert(error_of(&problem, part.z) <= whole.info.stages[0].best * (1.0 + 1e-12));
        drop(&part);
    }
    drop(&whole);
    perp_problem_file_destroy(file);
}
END_TEST

typedef struct stopper {
    int calls, last, at;
} stopper;

static int stop(void *ctx, const perp_progress *progress)
{
    stopper *s = ctx;
    s->calls++;
    ck_assert(progress->iteration >= s->last);
    s->last = progress->iteration;
    return progress->iteration >= s->at;
}

/* A callback hears of iterations that only grow from stage to stage, and ends the solve. */
START_TEST(a_callback_ends_any_stage)
{
    perp_problem_file *file;
    perp_problem problem;
    run whole;
    generated_make(&file, &problem, "spheres", SIZE);
    solve(&whole, &problem, 1e-6, 1, 0, NULL);
    stopper s = {.at = whole.info.stages[0].iterations + 100};
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-6;
    settings.warm_start = 1;
    settings.progress = stop;
    settings.progress_ctx = &s;
    perp_solver *solver;
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("auto"), &settings, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, &problem), PERP_SOLVED);
    memset(whole.z, 0, sizeof(double) * (size_t)problem.M.rows);
    ck_assert_int_eq(perp_solver_solve(solver, whole.z, whole.w, NULL), PERP_INTERRUPTED);
    ck_assert_int_gt(s.calls, 1);
    ck_assert(error_of(&problem, whole.z) <= whole.info.stages[0].best * (1.0 + 1e-12));
    perp_solver_destroy(solver);
    drop(&whole);
    perp_problem_file_destroy(file);
}
END_TEST

/* That of 400 contacts with torsion is ended by the interior method alone. */
START_TEST(rolling_and_torsion)
{
    static const struct {
        int size;
        double mu_r, mu_s;
    } cases[] = {{60, 0.005, -1.0}, {400, -1.0, 0.005}, {100, 0.005, 0.005}};
    const perp_generator *spheres = perp_generator_find("spheres");
    perp_generate_options options;
    perp_problem_file *file;
    perp_problem problem;
    run one;
    perp_generate_options_init(&options, spheres);
    options.mu = 0.5;
    options.size = cases[_i].size;
    options.mu_r = cases[_i].mu_r;
    options.mu_s = cases[_i].mu_s;
    ck_assert_int_eq(perp_generate(&file, spheres, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_problem_file_get(file, &problem, NULL), PERP_SOLVED);
    solve(&one, &problem, 1e-8, 0, 0, NULL);
    ck_assert_int_eq(one.status, PERP_SOLVED);
    ck_assert(error_of(&problem, one.z) <= 1e-8);
    drop(&one);
    perp_problem_file_destroy(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("resisting");
    TCase *tcase = tcase_create("resisting");
    tcase_set_timeout(tcase, 600); /* at -O0 */
    tcase_add_test(tcase, a_packing_that_resists_is_solved_with_the_same_bits);
    tcase_add_test(tcase, limits_in_any_stage_keep_the_best);
    tcase_add_test(tcase, a_callback_ends_any_stage);
    tcase_add_loop_test(tcase, rolling_and_torsion, 0, 3);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
