/* SPDX-License-Identifier: BSD-3-Clause */
/* `prox` with single steps: the weight stays as the settings say for `prox_steps` steps, other
 * equations and weights come after those; a light weight that is kept ends at a solution. */
#include <check.h>
#include <stdlib.h>

#include <perp/numerics.h>

#include "tests/fixtures/generated.h"

enum { LATEST = 40 };

typedef struct errors {
    double of[LATEST];
    int count;
} errors;

static int listen(void *ctx, const perp_progress *progress)
{
    errors *e = ctx;
    if (e->count < LATEST)
        e->of[e->count++] = progress->error;
    return 0;
}

static perp_status solve(const perp_problem *problem, int prox_steps, int max_iter, double *z,
                         errors *heard)
{
    perp_settings s;
    perp_solver *solver;
    perp_settings_init(&s, sizeof s);
    s.prox_newton = PERP_PROX_NEWTON_SINGLE;
    s.prox_weight = 0.1;
    s.prox_power = 0.5;
    s.prox_steps = prox_steps;
    s.warm_start = 1;
    s.max_iter = max_iter;
    if (heard) {
        s.progress = listen;
        s.progress_ctx = heard;
    }
    double *w = calloc((size_t)problem->M.rows, sizeof *w);
    ck_assert_int_eq(perp_solver_create(&solver, perp_solver_find("prox"), &s, NULL, NULL),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, problem), PERP_SOLVED);
    perp_status status = perp_solver_solve(solver, z, w, NULL);
    perp_solver_destroy(solver);
    free(w);
    return status;
}

START_TEST(the_weight_stays_for_so_many_steps)
{
    enum { FEW = 5, ALL = 20 };
    perp_problem_file *file;
    perp_problem problem;
    errors few = {.count = 0}, many = {.count = 0};
    generated_make(&file, &problem, "spheres", 400);
    double *z = calloc((size_t)problem.M.rows, sizeof *z);
    solve(&problem, FEW, ALL, z, &few);
    for (int i = 0; i < problem.M.rows; i++)
        z[i] = 0.0;
    solve(&problem, ALL, ALL, z, &many);
    ck_assert_int_gt(few.count, FEW + 2);
    ck_assert_int_gt(many.count, FEW + 2);
    /* The error at the start, then one after each step. */
    for (int k = 0; k <= FEW; k++)
        ck_assert_double_eq(few.of[k], many.of[k]);
    ck_assert_double_ne(few.of[FEW + 1], many.of[FEW + 1]);
    free(z);
    perp_problem_file_destroy(file);
}
END_TEST

START_TEST(steps_of_a_light_weight_end_at_a_solution)
{
    static const char *const kinds[] = {"spheres", "boxes", "arch"};
    for (int k = 0; k < 3; k++) {
        perp_problem_file *file;
        perp_problem problem;
        perp_residuals e = {.size = sizeof e};
        generated_make(&file, &problem, kinds[k], 100);
        double *z = calloc((size_t)problem.M.rows, sizeof *z);
        ck_assert_int_eq(solve(&problem, 2000, 2000, z, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_residual(&problem, z, NULL, NULL, &e), PERP_SOLVED);
        ck_assert(e.natural <= 1e-8 && e.scaled <= 1e-8);
        free(z);
        perp_problem_file_destroy(file);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("prox_steps");
    TCase *tcase = tcase_create("prox_steps");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, the_weight_stays_for_so_many_steps);
    tcase_add_test(tcase, steps_of_a_light_weight_end_at_a_solution);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
