/* SPDX-License-Identifier: BSD-3-Clause */
/* Time limits: nothing is begun that cannot end in time, the best iterate comes back, and a limit
 * that is never reached changes no bit.  A callback that sleeps makes the machine slow. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <perp/numerics.h>

#include "tests/fixtures/generated.h"

typedef struct slow {
    int calls, others; /* others: calls of a stage that is not gs */
    long nanoseconds;  /* of each */
    double first, best;
} slow;

static int sleep_a_while(void *ctx, const perp_progress *progress)
{
    slow *s = ctx;
    const struct timespec pause = {0, s->nanoseconds};
    s->first = s->calls == 0 ? progress->error : s->first;
    s->calls++;
    s->others += strcmp(progress->stage, "gs") != 0;
    s->best = progress->best;
    nanosleep(&pause, NULL);
    return 0;
}

typedef struct packing {
    perp_problem_file *file;
    perp_problem problem;
    double *z, *w;
    size_t bytes;
} packing;

static void make(packing *p, int size)
{
    generated_make(&p->file, &p->problem, "spheres", size);
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

static perp_info solve(packing *p, const char *solver, const perp_settings *settings)
{
    perp_info info = {.size = sizeof info};
    ck_assert_int_ge(perp_solve(solver, &p->problem, settings, p->z, p->w, &info), 0);
    return info;
}

static perp_settings settings_of(double tol, double limit)
{
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = tol;
    settings.time_limit = limit;
    return settings;
}

static void check_answer(packing *p, const perp_info *info)
{
    perp_residuals r = {.size = sizeof r};
    ck_assert_int_eq(perp_residual(&p->problem, p->z, NULL, p->w, &r), PERP_SOLVED);
    ck_assert_mem_eq(&r, &info->residual, sizeof r);
}

/* Each step lasts 30 ms at least: the fourth cannot end before 100 ms have passed. */
START_TEST(no_step_is_begun_too_late)
{
    static const char *const solvers[] = {"gs", "auto", "nsn", "ipm", "projection"};
    packing p;
    slow s = {0, 0, 30000000, 0.0, 0.0};
    perp_settings settings = settings_of(1e-12, 0.1);
    make(&p, 200);
    settings.progress = sleep_a_while;
    settings.progress_ctx = &s;
    perp_info info = solve(&p, solvers[_i], &settings);
    ck_assert_int_eq(info.status, PERP_TIME_LIMIT);
    ck_assert_int_le(s.calls, 4);
    check_answer(&p, &info);
    drop(&p);
}
END_TEST

/* What the sweeps would hand over to does not end in time, so they go on. */
START_TEST(no_stage_is_begun_too_late)
{
    packing p;
    slow s = {0, 0, 4000000, 0.0, 0.0};
    perp_settings settings = settings_of(1e-12, 0.0);
    make(&p, 200);
    perp_info info = solve(&p, "auto", &settings);
    ck_assert_int_gt(info.nstages, 1);
    ck_assert_int_gt(info.factorisations, 0);
    settings.time_limit = 0.5;
    settings.progress = sleep_a_while;
    settings.progress_ctx = &s;
    info = solve(&p, "auto", &settings);
    ck_assert_int_eq(info.status, PERP_TIME_LIMIT);
    for (int k = 0; k < info.nstages; k++)
        ck_assert_str_eq(info.stages[k].solver, "gs");
    ck_assert_int_eq(s.others, 0);
    ck_assert_int_eq(info.factorisations, 0);
    ck_assert_double_lt(info.error, 0.1 * s.first);
    ck_assert_double_le(info.error, s.best * (1.0 + 1e-12));
    check_answer(&p, &info);
    drop(&p);
}
END_TEST

START_TEST(a_far_limit_changes_no_bit)
{
    packing p;
    perp_settings settings = settings_of(1e-9, 0.0);
    make(&p, 150);
    perp_info one = solve(&p, "auto", &settings);
    double *z = malloc(p.bytes);
    memcpy(z, p.z, p.bytes);
    settings.time_limit = 1e6;
    perp_info two = solve(&p, "auto", &settings);
    ck_assert_int_eq(one.status, two.status);
    ck_assert_int_eq(one.iterations, two.iterations);
    ck_assert_int_eq(one.nstages, two.nstages);
    ck_assert_mem_eq(z, p.z, p.bytes);
    free(z);
    drop(&p);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("deadline");
    TCase *tcase = tcase_create("deadline");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, no_step_is_begun_too_late, 0, 5);
    tcase_add_test(tcase, no_stage_is_begun_too_late);
    tcase_add_test(tcase, a_far_limit_changes_no_bit);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
