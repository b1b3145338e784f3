/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequences with `direct`: sets that return cost no factorisation and no memory, answers are
 * those of other solvers, a new M keeps the sets, checkpoints carry them and may be spoilt. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "generators/ladder.h"
#include "core/rng.h"

enum { N = 9, STEPS = 60 };

typedef struct counter {
    int calls;
} counter;

static void *count_allocate(void *ctx, size_t bytes)
{
    ((counter *)ctx)->calls++;
    return malloc(bytes);
}

static void count_release(void *ctx, void *block)
{
    (void)ctx;
    free(block);
}

static perp_solver *direct_handle(const perp_problem *problem, counter *calls)
{
    perp_solver *solver;
    perp_settings settings;
    perp_allocator allocator = {count_allocate, count_release, calls};
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    ck_assert_int_eq(
        perp_solver_create(&solver, perp_solver_find("direct"), &settings, &allocator, NULL),
        PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, problem), PERP_SOLVED);
    return solver;
}

/* A dominant diagonal: one answer for each q.  Rows of all three sets. */
typedef struct sample {
    double M[N * N], q[N], base[N], swing[N], lo[3], hi[3];
    perp_segment seg[3];
    perp_problem problem;
} sample;

static void make_sample(sample *s, uint64_t seed)
{
    perp_rng rng = {seed};
    memset(s, 0, sizeof *s);
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++)
            s->M[i + j * N] = i == j ? 2.0 : 1.5 / N * perp_rng_signed(&rng);
        s->base[j] = perp_rng_signed(&rng);
        s->swing[j] = j < 6 ? 0.0 : 2.0 * perp_rng_signed(&rng);
    }
    for (int i = 0; i < 3; i++) {
        s->lo[i] = i == 1 ? -INFINITY : -0.3;
        s->hi[i] = i == 2 ? INFINITY : 0.2;
    }
    s->seg[0] = (perp_segment){.set = PERP_FREE, .dim = 1, .count = 3};
    s->seg[1] = (perp_segment){.set = PERP_BOX, .dim = 1, .count = 3};
    s->seg[1].par[0] = s->lo;
    s->seg[1].par[1] = s->hi;
    s->seg[1].stride[0] = s->seg[1].stride[1] = 1;
    s->seg[2] = (perp_segment){.set = PERP_NONNEG, .dim = 1, .count = 3};
    s->problem = (perp_problem){.q = s->q, .seg = s->seg, .nseg = 3};
    perp_mat_init_dense(&s->problem.M, N, N, s->M, N);
}

/* Step k of a motion that repeats itself after STEPS / 2. */
static void move(sample *s, int k)
{
    double t = 4.0 * 3.14159265358979323846 * k / STEPS;
    for (int i = 0; i < N; i++)
        s->q[i] = s->base[i] + s->swing[i] * sin(t + i);
}

START_TEST(sets_that_return_cost_nothing)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        sample s;
        counter calls = {0};
        perp_info info = {.size = sizeof info};
        double z[N], w[N], other[N];
        int free_of_work = 0;
        make_sample(&s, seed);
        move(&s, 0);
        perp_solver *solver = direct_handle(&s.problem, &calls);
        int before = calls.calls;
        for (int k = 0; k < STEPS; k++) {
            move(&s, k);
            ck_assert_int_eq(perp_solver_update_q(solver, s.q), PERP_SOLVED);
            ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
            ck_assert_int_eq(perp_solve("lemke", &s.problem, NULL, other, w, NULL), PERP_SOLVED);
            for (int i = 0; i < N; i++)
                ck_assert_double_le(fabs(z[i] - other[i]), 1e-10);
            if (k >= STEPS / 2)
                free_of_work += info.factorisations == 0;
        }
        ck_assert_int_eq(calls.calls, before);
        /* With three rows that move there are few sets, mostly no more than are remembered. */
        ck_assert_int_ge(free_of_work, STEPS / 2 - 6);
        perp_solver_destroy(solver);
    }
}
END_TEST

START_TEST(the_same_step_takes_one_set)
{
    sample s;
    counter calls = {0};
    perp_info info = {.size = sizeof info};
    double z[N], w[N];
    make_sample(&s, 3);
    move(&s, 1);
    perp_solver *solver = direct_handle(&s.problem, &calls);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
    for (int k = 0; k < 3; k++) {
        s.q[0] += 1e-3;
        ck_assert_int_eq(k % 2 ? perp_solver_update_q(solver, s.q)
                               : perp_solver_update(solver, &s.problem),
                         PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
        ck_assert_int_eq(info.iterations, 1);
        ck_assert_int_eq(info.factorisations, 0);
    }
    perp_solver_destroy(solver);
}
END_TEST

START_TEST(a_new_matrix_keeps_the_set)
{
    sample s;
    counter calls = {0};
    perp_info info = {.size = sizeof info};
    double z[N], w[N], other[N];
    make_sample(&s, 4);
    move(&s, 1);
    perp_solver *solver = direct_handle(&s.problem, &calls);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
    for (int k = 0; k < 4; k++) {
        s.M[k * (N + 1)] += 1e-3;
        ck_assert_int_eq(perp_solver_update(solver, &s.problem), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
        ck_assert_int_eq(info.iterations, 1);
        ck_assert_int_eq(info.factorisations, 1);
        ck_assert_int_eq(perp_solve("lemke", &s.problem, NULL, other, w, NULL), PERP_SOLVED);
        for (int i = 0; i < N; i++)
            ck_assert_double_le(fabs(z[i] - other[i]), 1e-10);
    }
    /* A bound that a row lies at, and one that is gone. */
    s.lo[0] = -0.1;
    s.hi[1] = INFINITY;
    ck_assert_int_eq(perp_solver_update(solver, &s.problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
    ck_assert_int_eq(perp_solve("lemke", &s.problem, NULL, other, w, NULL), PERP_SOLVED);
    for (int i = 0; i < N; i++)
        ck_assert_double_le(fabs(z[i] - other[i]), 1e-10);
    perp_solver_destroy(solver);
}
END_TEST

/* All sets of the first handle are known to the second one; what is spoilt is not believed. */
START_TEST(checkpoints_carry_the_sets)
{
    sample s;
    counter calls = {0};
    perp_info info = {.size = sizeof info};
    perp_rng rng = {6};
    double z[N], w[N], other[N];
    unsigned char saved[2048], spoilt[2048];
    enum { HEADER = 88 }; /* magic, solver, sizes: what is spoilt there is refused */
    size_t bytes = sizeof saved;
    make_sample(&s, 5);
    move(&s, 0);
    perp_solver *first = direct_handle(&s.problem, &calls);
    for (int k = 0; k < STEPS / 2; k++) {
        move(&s, k);
        ck_assert_int_eq(perp_solver_update_q(first, s.q), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(first, z, w, &info), PERP_SOLVED);
    }
    ck_assert_int_eq(perp_solver_save(first, saved, &bytes), PERP_SOLVED);
    perp_solver *second = direct_handle(&s.problem, &calls);
    ck_assert_int_eq(perp_solver_load(second, saved, bytes), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(second, other, w, &info), PERP_SOLVED);
    ck_assert_int_eq(info.iterations, 1);
    ck_assert_int_eq(info.factorisations, 1);
    ck_assert(memcmp(z, other, sizeof z) == 0);
    for (int k = 0; k < 500; k++) {
        memcpy(spoilt, saved, bytes);
        for (int e = 0; e < 3; e++)
            spoilt[HEADER + perp_rng_below(&rng, (int)bytes - HEADER)] =
                (unsigned char)perp_rng_next(&rng);
        ck_assert_int_eq(perp_solver_load(second, spoilt, bytes), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(second, other, w, &info), PERP_SOLVED);
        for (int i = 0; i < N; i++)
            ck_assert_double_le(fabs(z[i] - other[i]), 1e-10);
    }
    perp_solver_destroy(first);
    perp_solver_destroy(second);
}
END_TEST

/* A circuit of 1200 rows whose sources swing: sparse factors. */
START_TEST(circuits_repeat_themselves)
{
    perp_problem_file *file;
    perp_problem problem;
    counter calls = {0};
    perp_info info = {.size = sizeof info};
    perp_ladder_options options = {1200, 1, 2};
    ck_assert_int_eq(perp_generate_ladder(&file, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_problem_file_get(file, &problem, NULL), PERP_SOLVED);
    int n = problem.M.rows, period = 6;
    double *q = malloc(4 * (size_t)n * sizeof *q), *z = q + n, *w = z + n, *other = w + n;
    memcpy(q, problem.q, (size_t)n * sizeof *q);
    perp_solver *solver = direct_handle(&problem, &calls);
    for (int k = 0; k < 3 * period; k++) {
        for (int i = 0; i < n; i++)
            q[i] = file->q[i] * (1.0 + 0.5 * sin(1.0 + k % period));
        ck_assert_int_eq(perp_solver_update_q(solver, q), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
        if (k >= period)
            ck_assert_int_eq(info.factorisations, 0);
        perp_problem now = problem;
        now.q = q;
        ck_assert_int_eq(perp_solve("ipm", &now, NULL, other, w, NULL), PERP_SOLVED);
        double most = 0.0, apart = 0.0;
        for (int i = 0; i < n; i++) {
            most = fmax(most, fabs(z[i]));
            apart = fmax(apart, fabs(z[i] - other[i]));
        }
        ck_assert_double_le(apart, 1e-3 * most);
    }
    perp_solver_destroy(solver);
    perp_problem_file_destroy(file);
    free(q);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("direct");
    TCase *tc = tcase_create("sequences");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, sets_that_return_cost_nothing);
    tcase_add_test(tc, the_same_step_takes_one_set);
    tcase_add_test(tc, a_new_matrix_keeps_the_set);
    tcase_add_test(tc, checkpoints_carry_the_sets);
    tcase_add_test(tc, circuits_repeat_themselves);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
