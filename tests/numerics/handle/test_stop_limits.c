/* SPDX-License-Identifier: BSD-3-Clause */
/* The stop rule at its edges: what holds with equality, limits of time and work that are far or
 * near, what the callback is told, rest in sequences, and the projection of an answer. */
#include <check.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/clock.h"
#include "handle/solver_type.h"
#include "linalg/mat.h"
#include "problem/rounding.h"

enum { N = 5 };

/* A work that the stop rule can be asked about, of the identity on NONNEG rows or on what is given.
 */
typedef struct rig {
    double M[N * N], q[N + 1], z[N], w[N], best[N], trial[N], scratch[64];
    double mu;
    perp_segment seg[2];
    perp_problem problem;
    perp_settings settings;
    perp_info info;
    perp_arena arena;
    perp_work work;
} rig;

static void begin(rig *r, int contacts)
{
    static const perp_solver_type type = {.name = "none", .max_iter = 1000};
    memset(r, 0, sizeof *r);
    for (int i = 0; i < N; i++)
        r->M[i * (N + 1)] = 1.0;
    r->mu = 0.1;
    r->seg[0] =
        (perp_segment){.set = PERP_COULOMB, .dim = 2, .count = contacts, .par = {&r->mu, NULL}};
    r->seg[1] = (perp_segment){.set = PERP_NONNEG, .dim = 1, .count = N - 2 * contacts};
    r->problem.q = r->q;
    r->problem.seg = r->seg;
    r->problem.nseg = 2;
    ck_assert_int_eq(perp_mat_init_dense(&r->problem.M, N, N, r->M, N), PERP_SOLVED);
    perp_settings_init(&r->settings, sizeof r->settings);
    perp_arena_init(&r->arena, NULL);
    perp_work *work = &r->work;
    work->problem = &r->problem;
    work->settings = &r->settings;
    work->info = &r->info;
    work->z = r->z;
    work->w = r->w;
    work->best = r->best;
    work->scratch = r->scratch;
    ck_assert_int_eq(perp_blocks_build(&work->blocks, &r->problem, &r->arena), PERP_SOLVED);
    ck_assert_int_eq(perp_scaling_build(&work->scaling, &r->problem, &work->blocks, &r->arena),
                     PERP_SOLVED);
    work->monitor.best = INFINITY;
    perp_monitor_begin(&work->monitor, &r->settings, &type, 0);
}

static void begin_again(rig *r)
{
    static const perp_solver_type type = {.name = "none", .max_iter = 1000};
    perp_monitor_begin(&r->work.monitor, &r->settings, &type, 0);
    r->work.monitor.best = INFINITY;
}

static void end(rig *r)
{
    perp_arena_free(&r->arena);
}

START_TEST(an_error_of_the_tolerance)
{
    rig r;
    begin(&r, 1);
    ck_assert_int_eq(perp_stop(&r.work, 0, nextafter(r.settings.tol, 1.0)), 0);
    ck_assert_int_eq(perp_stop(&r.work, 1, r.settings.tol), 1);
    ck_assert_int_eq(r.work.monitor.verdict, PERP_SOLVED);
    end(&r);
}
END_TEST

/* Limits of ten minutes and more are not met, whatever the clock shows and however short the limit
 * was counted as.
 */
START_TEST(a_limit_that_is_far)
{
    static const double limit[4] = {0.0, 600.0, 86400.0, 1e300};
    for (int k = 0; k < 4; k++) {
        rig r;
        begin(&r, 1);
        r.settings.time_limit = limit[k];
        begin_again(&r);
        r.work.monitor.start = perp_clock_seconds();
        for (int i = 0; i < 5; i++) {
            ck_assert_int_eq(perp_stop(&r.work, i, 1.0 / (1 << i)), 0);
            ck_assert_int_eq(perp_stop_light(&r.work, i, 1.0), 0);
        }
        end(&r);
    }
}
END_TEST

/* The clock of the last call is that of the beginning, also for limits below a second: a step is
 * not as long as the time since the machine was started. */
START_TEST(the_clock_of_the_beginning)
{
    rig r;
    begin(&r, 1);
    double before = perp_clock_seconds();
    r.settings.time_limit = 0.75;
    begin_again(&r);
    ck_assert_double_ge(r.work.monitor.seen, before);
    ck_assert_double_le(r.work.monitor.seen, perp_clock_seconds());
    r.settings.time_limit = 0.0;
    begin_again(&r);
    ck_assert_double_eq(r.work.monitor.seen, 0.0);
    end(&r);
}
END_TEST

START_TEST(a_limit_that_is_met)
{
    rig r;
    begin(&r, 1);
    r.settings.time_limit = 1e-9;
    begin_again(&r);
    r.work.monitor.start = perp_clock_seconds() - 1.0;
    ck_assert_int_eq(perp_stop(&r.work, 0, 1.0), 1);
    ck_assert_int_eq(r.work.monitor.verdict, PERP_TIME_LIMIT);
    end(&r);
}
END_TEST

/* A step as long as the last one would end behind the limit. */
START_TEST(a_limit_within_the_next_step)
{
    static const struct {
        double start, seen, limit;
        int stops;
    } cases[] = {
        {10.0, 10.0, 15.0, 1}, {10.0, 10.0, 3600.0, 0}, {10.0, 0.0, 100.0, 0}, {0.0, 10.0, 5.0, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        rig r;
        begin(&r, 1);
        double now = perp_clock_seconds();
        r.settings.time_limit = cases[k].limit;
        r.work.monitor.start = now - cases[k].start;
        r.work.monitor.seen = now - cases[k].seen;
        ck_assert_msg(perp_stop_light(&r.work, 1, 1.0) == cases[k].stops, "case %d", (int)k);
        end(&r);
    }
}
END_TEST

/* Every row of the best iterate is kept, and comes back where the last one is worse. */
START_TEST(the_best_iterate_is_whole)
{
    rig r;
    begin(&r, 1);
    for (int i = 0; i < N; i++)
        r.z[i] = 1.0 + i;
    ck_assert_int_eq(perp_stop(&r.work, 0, 0.5), 0);
    for (int i = 0; i < N; i++)
        r.z[i] = -7.0;
    ck_assert_int_eq(perp_stop(&r.work, 1000, 0.75), 1);
    ck_assert_int_eq(r.work.monitor.verdict, PERP_ITERATION_LIMIT);
    ck_assert_int_eq(r.info.notes & PERP_NOTE_BEST, PERP_NOTE_BEST);
    for (int i = 0; i < N; i++)
        ck_assert_double_eq(r.z[i], 1.0 + i);
    /* That which solves is the best one, whatever came before. */
    for (int i = 0; i < N; i++)
        r.z[i] = 20.0 - i;
    begin_again(&r);
    ck_assert_int_eq(perp_stop(&r.work, 3, 0.0), 1);
    for (int i = 0; i < N; i++)
        ck_assert_double_eq(r.best[i], 20.0 - i);
    ck_assert_int_eq(r.work.monitor.best_iteration, 3);
    end(&r);
}
END_TEST

/* Half of the error is no progress yet; less is. */
START_TEST(progress)
{
    rig r;
    begin(&r, 1);
    ck_assert_int_eq(perp_stop(&r.work, 0, 1.0), 0);
    ck_assert_int_eq(perp_stop(&r.work, 1, 0.5), 0);
    ck_assert_int_eq(r.work.monitor.since, 1);
    ck_assert_int_eq(perp_stop(&r.work, 2, nextafter(0.5, 0.0)), 0);
    ck_assert_int_eq(r.work.monitor.since, 0);
    ck_assert_double_eq(r.work.monitor.reference, nextafter(0.5, 0.0));
    end(&r);
}
END_TEST

/* An error of the tolerance itself, with the least bound of rounding beside it, is none within it.
 */
START_TEST(a_bound_beside_the_tolerance)
{
    rig r;
    begin(&r, 0);
    for (int i = 0; i < N; i++)
        r.q[i] = i == 2 ? -0x1p-10 : 1.0 / 3.0;
    r.settings.tol = 1.0;
    double error = perp_measure(&r.work, r.z);
    ck_assert_double_gt(error, 0.0);
    r.settings.tol = error;
    r.work.scaling.at_most = 0.0;
    r.settings.measure = PERP_MEASURE_NATURAL;
    ck_assert_double_eq(r.info.residual.natural, error);
    ck_assert_double_eq(perp_measure(&r.work, r.z), error);
    r.work.scaling.at_most = 1e-3 * error;
    ck_assert_double_gt(perp_measure(&r.work, r.z), error);
    end(&r);
}
END_TEST

/* 1 + 2^53 - 2^53 in a row hides w = 1; the error that is seen and the bound are each within the
 * tolerance, and not together. */
START_TEST(error_and_bound_together)
{
    for (int measure = 0; measure < 2; measure++) {
        rig r;
        begin(&r, 0);
        memset(r.M, 0, sizeof r.M);
        r.seg[1].set = PERP_FREE;
        for (int i = 0; i < N; i++) {
            r.M[i * (N + 1)] = 1.0;
            r.z[i] = 1.0;
            r.q[i] = -1.0;
        }
        r.M[N] = 0x1p53;
        r.M[2 * N] = -0x1p53;
        r.q[0] = 0.0;
        r.q[4] = -1.0 + 0x1p-20;
        ck_assert_int_eq(perp_blocks_build(&r.work.blocks, &r.problem, &r.arena), PERP_SOLVED);
        ck_assert_int_eq(perp_scaling_build(&r.work.scaling, &r.problem, &r.work.blocks, &r.arena),
                         PERP_SOLVED);
        r.settings.measure = measure ? PERP_MEASURE_SCALED : PERP_MEASURE_NATURAL;
        r.settings.tol = INFINITY;
        r.work.scaling.at_most = 0.0;
        double error = perp_measure(&r.work, r.z);
        ck_assert_double_gt(error, 0.0);
        r.settings.tol = 1.5 * error;
        ck_assert_double_le(perp_measure(&r.work, r.z),
                            r.settings.tol); /* as if nothing were hidden */
        r.work.scaling.at_most = error;
        ck_assert_double_gt(perp_measure(&r.work, r.z), r.settings.tol);
        end(&r);
    }
}
END_TEST

/* The same of the dual part, which is over |q|: z is so large that w = 1 is rounded away, and
 * nothing in the measures beside it. */
START_TEST(dual_part_and_bound_together)
{
    rig r;
    begin(&r, 0);
    r.seg[1].set = PERP_FREE;
    r.M[N] = 1.0, r.M[2 * N] = -1.0; /* w_0 = z_0 + z_1 - z_2 */
    r.M[1 + 2 * N] = r.M[2 + N] = -1.0;
    r.z[0] = 1.0;
    r.z[1] = r.z[2] = 0x1p53;
    r.z[4] = -1.0;
    r.q[4] = 1.0;
    ck_assert_int_eq(perp_blocks_build(&r.work.blocks, &r.problem, &r.arena), PERP_SOLVED);
    ck_assert_int_eq(perp_scaling_build(&r.work.scaling, &r.problem, &r.work.blocks, &r.arena),
                     PERP_SOLVED);
    r.settings.tol = INFINITY;
    perp_measure(&r.work, r.z);
    ck_assert_double_eq(r.info.residual.dual, 0.0);
    double side = 1.5 * perp_rounding_of_dual(&r.problem, &r.work.scaling, r.z, r.w);
    ck_assert_double_gt(side, 1.0);
    ck_assert_double_lt(side, 1e6);
    /* Seen: a little less than side.  With what is hidden, as much more. */
    r.z[3] = side - 0.25 / side;
    r.settings.tol = side * side;
    ck_assert_double_gt(perp_measure(&r.work, r.z), r.settings.tol);
    end(&r);
}
END_TEST

static int note_seconds(void *ctx, const perp_progress *p)
{
    *(double *)ctx = p->seconds;
    return 0;
}

START_TEST(seconds_of_the_callback)
{
    rig r;
    double told = -1.0;
    begin(&r, 1);
    r.settings.progress = note_seconds;
    r.settings.progress_ctx = &told;
    double start = r.work.monitor.start = perp_clock_seconds();
    ck_assert_int_eq(perp_stop(&r.work, 0, 1.0), 0);
    ck_assert_double_ge(told, 0.0);
    ck_assert_double_le(told, perp_clock_seconds() - start);
    end(&r);
}
END_TEST

/* Another iteration counts as one sweep at least, and as much as those so far did. */
START_TEST(work_of_another_iteration)
{
    static const struct {
        double work, budget;
        int iteration, stops;
    } cases[] = {{0.5, 1.2, 1, 1}, {0.5, 1.5, 1, 0}, {6.0, 8.9, 2, 1},  {6.0, 9.0, 2, 0},
                 {0.0, 0.9, 0, 1}, {0.0, 1.0, 0, 0}, {0.25, 1.2, 0, 1}, {0.25, 1.3, 0, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        rig r;
        begin(&r, 1);
        r.settings.budget = cases[k].budget;
        r.info.work = cases[k].work;
        int stops = perp_stop(&r.work, cases[k].iteration, 1.0);
        ck_assert_msg(stops == cases[k].stops, "case %d", (int)k);
        ck_assert(!stops || r.work.monitor.verdict == PERP_WORK_LIMIT);
        /* What solvers before spent counts, and not as of this one's iterations. */
        r.work.monitor.spent = 100.0;
        r.settings.budget += 100.0;
        begin_again(&r);
        ck_assert_int_eq(perp_stop(&r.work, cases[k].iteration, 1.0), cases[k].stops);
        end(&r);
    }
}
END_TEST

/* In a sequence a start of a hundred tolerances is nearly an answer, and has thirty iterations to
 * become one by far. */
START_TEST(rest)
{
    rig r;
    begin(&r, 1);
    const double tol = r.settings.tol, far = 100.0 * tol;
    for (int way = 0; way <= 4; way++) {
        r.settings.warm_start = way;
        r.work.monitor.first = far;
        ck_assert_int_eq(perp_is_at_rest(&r.work), way > 2);
        r.work.monitor.first = nextafter(far, 1.0);
        ck_assert_int_eq(perp_is_at_rest(&r.work), 0);
        double part = perp_settled(&r.work);
        ck_assert_double_eq(part, way == 4 ? 1e-3 : 0.1);
        begin_again(&r);
        ck_assert_int_eq(perp_stop(&r.work, 0, far), 0);
        ck_assert_int_eq(perp_stop(&r.work, 30, tol), way <= 2);
        begin_again(&r);
        ck_assert_int_eq(perp_stop(&r.work, 0, far), 0);
        ck_assert_int_eq(perp_stop(&r.work, 30, part * tol), 1);
        begin_again(&r);
        ck_assert_int_eq(perp_stop(&r.work, 0, far), 0);
        ck_assert_int_eq(perp_stop(&r.work, 31, tol), 1);
    }
    end(&r);
}
END_TEST

/* All rows of the projection take the place of z, and none of its neighbours. */
START_TEST(projection)
{
    rig r;
    begin(&r, 0);
    for (int i = 0; i < N; i++) {
        r.q[i] = 1.0;
        r.z[i] = -0x1p-60 * (i + 1);
    }
    perp_project_answer(&r.work, r.trial);
    for (int i = 0; i < N; i++)
        ck_assert_double_eq(r.z[i], 0.0);
    /* Far from an answer too, where it is no farther. */
    for (int i = 0; i < N; i++)
        r.z[i] = i == 4 ? 1.0 : -0x1p-60;
    perp_project_answer(&r.work, r.trial);
    for (int i = 0; i < N; i++)
        ck_assert_double_eq(r.z[i], i == 4);
    ck_assert_double_gt(perp_measure(&r.work, r.z), r.settings.tol);
    end(&r);
}
END_TEST

/* A projection that is worse is not taken: a row that is out of K by 1e-9 holds another one in
 * balance. */
START_TEST(projection_that_is_worse)
{
    rig r;
    begin(&r, 0);
    for (int i = 0; i < N; i++)
        r.q[i] = 1.0;
    r.M[1] = 1e9; /* row 1, column 0 */
    r.q[1] = 0.0;
    r.z[0] = -1e-9;
    r.z[1] = 1.0;
    ck_assert_int_eq(perp_scaling_build(&r.work.scaling, &r.problem, &r.work.blocks, &r.arena),
                     PERP_SOLVED);
    perp_project_answer(&r.work, r.trial);
    ck_assert_double_eq(r.z[0], -1e-9);
    ck_assert_double_eq(r.trial[0], 0.0);
    end(&r);
}
END_TEST

/* z = 0 is far where a normal says so beside the tolerance of the whole q, and of nothing behind
 * it. */
START_TEST(zero_beside_the_whole_q)
{
    for (int contacts = 1; contacts <= 2; contacts++) {
        rig r;
        begin(&r, contacts);
        const double tol = r.settings.tol;
        for (int large = 1; large < N; large++) {
            /* The first entry is the normal; what is behind the end is not read. */
            memset(r.q, 0, sizeof r.q);
            r.q[N] = 1e150;
            r.q[large] = 1.0;
            /* 1 + mu^2 = 1.01, and a thousandth for rounding. */
            r.q[0] = -tol * sqrt(1.009);
            ck_assert_int_eq(perp_zero_is_far(&r.work), 0);
            r.q[0] = -tol * sqrt(1.02);
            ck_assert_int_eq(perp_zero_is_far(&r.work), 1);
            /* Another start is measured in any case, and so is what the natural map does not see.
             */
            r.settings.warm_start = 1;
            ck_assert_int_eq(perp_zero_is_far(&r.work), 0);
            r.settings.warm_start = 0;
            r.settings.measure = PERP_MEASURE_SCALED;
            ck_assert_int_eq(perp_zero_is_far(&r.work), 0);
            r.settings.measure = PERP_MEASURE_BOTH;
            r.q[0] = -r.q[0];
            ck_assert_int_eq(perp_zero_is_far(&r.work), 0);
        }
        end(&r);
    }
}
END_TEST

/* The normal of the second contact, beside a row of the first. */
START_TEST(zero_beside_rows_before)
{
    rig r;
    begin(&r, 2);
    for (int large = 0; large < 2; large++) {
        memset(r.q, 0, sizeof r.q);
        r.q[large] = 1.0;
        r.q[2] = -r.settings.tol * sqrt(1.009);
        ck_assert_int_eq(perp_zero_is_far(&r.work), 0);
        r.q[2] = -r.settings.tol * sqrt(1.02);
        ck_assert_int_eq(perp_zero_is_far(&r.work), 1);
    }
    end(&r);
}
END_TEST

/* An even number of rows: what is behind the last pair is not read. */
START_TEST(zero_of_even_rows)
{
    rig r;
    begin(&r, 2);
    r.work.blocks.n = 4;
    r.work.blocks.count = 2;
    for (int large = 1; large < 4; large++) {
        memset(r.q, 0, sizeof r.q);
        r.q[large] = 1.0;
        r.q[4] = 1e150;
        r.q[0] = -1.02 * r.settings.tol;
        ck_assert_int_eq(perp_zero_is_far(&r.work), 1);
        r.q[0] = -r.settings.tol;
        ck_assert_int_eq(perp_zero_is_far(&r.work), 0);
    }
    end(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("stop-limits");
    TCase *tcase = tcase_create("stop-limits");
    tcase_add_test(tcase, an_error_of_the_tolerance);
    tcase_add_test(tcase, a_limit_that_is_far);
    tcase_add_test(tcase, the_clock_of_the_beginning);
    tcase_add_test(tcase, a_limit_that_is_met);
    tcase_add_test(tcase, a_limit_within_the_next_step);
    tcase_add_test(tcase, the_best_iterate_is_whole);
    tcase_add_test(tcase, progress);
    tcase_add_test(tcase, a_bound_beside_the_tolerance);
    tcase_add_test(tcase, error_and_bound_together);
    tcase_add_test(tcase, dual_part_and_bound_together);
    tcase_add_test(tcase, seconds_of_the_callback);
    tcase_add_test(tcase, work_of_another_iteration);
    tcase_add_test(tcase, rest);
    tcase_add_test(tcase, projection);
    tcase_add_test(tcase, projection_that_is_worse);
    tcase_add_test(tcase, zero_beside_the_whole_q);
    tcase_add_test(tcase, zero_beside_rows_before);
    tcase_add_test(tcase, zero_of_even_rows);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
