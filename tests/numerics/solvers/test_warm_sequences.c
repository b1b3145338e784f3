/* SPDX-License-Identifier: BSD-3-Clause */
/* Sequences of problems on one handle, as in a simulation: warm starts give the
 * answers of cold ones, an unchanged problem takes no step, no memory is asked for. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/numerics.h>

#include "core/rng.h"

enum { N = 14 };

/* Calls of the allocator. */
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

/* A problem of rows of one dimension with its arrays, DENSE, CSC and BSR at once. */
typedef struct sample {
    int n;
    double M[N * N], q[N], lo[N], hi[N], x[N * N];
    int colptr[N + 1], row[N * N];
    perp_segment seg[3];
    perp_problem problem;
} sample;

static double between(perp_rng *rng, double low, double high)
{
    return low + (high - low) * perp_rng_uniform(rng);
}

/* Unsymmetric with a dominant diagonal: one answer.  The values of CSC and of BSR with
 * blocks of order 1 are those of the columns and of the rows. */
static void fill(sample *s, perp_rng *rng, perp_mat_kind kind)
{
    s->n = 1 + perp_rng_below(rng, N);
    memset(s->M, 0, sizeof s->M);
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < s->n; i++)
            s->M[i + j * s->n] = i == j                        ? 2.0
                                 : perp_rng_uniform(rng) < 0.5 ? between(rng, -1.6, 1.6) / s->n
                                                               : 0.0;
    int end = 0;
    for (int a = 0; a < s->n; a++) {
        s->colptr[a] = end;
        for (int b = 0; b < s->n; b++) {
            double value = kind == PERP_BSR ? s->M[a + b * s->n] : s->M[b + a * s->n];
            if (value == 0.0)
                continue;
            s->row[end] = b;
            s->x[end++] = value;
        }
    }
    s->colptr[s->n] = end;
    for (int i = 0; i < s->n; i++) {
        s->q[i] = between(rng, -1.0, 1.0);
        s->lo[i] = perp_rng_below(rng, 4) == 0 ? -INFINITY : between(rng, -0.4, 0.1);
        s->hi[i] = perp_rng_below(rng, 4) == 0 ? INFINITY : between(rng, 0.1, 0.4);
    }
    int first = s->n / 3, second = (s->n - first) / 2;
    s->seg[0] = (perp_segment){.set = PERP_FREE, .dim = 1, .count = first};
    s->seg[1] = (perp_segment){.set = PERP_NONNEG, .dim = 1, .count = second};
    s->seg[2] = (perp_segment){.set = PERP_BOX, .dim = 1, .count = s->n - first - second};
    s->seg[2].par[0] = s->lo;
    s->seg[2].par[1] = s->hi;
    s->seg[2].stride[0] = s->seg[2].stride[1] = 1;
    s->problem = (perp_problem){.q = s->q, .seg = s->seg, .nseg = 3};
    if (kind == PERP_DENSE)
        perp_mat_init_dense(&s->problem.M, s->n, s->n, s->M, s->n);
    else if (kind == PERP_CSC)
        perp_mat_init_csc(&s->problem.M, s->n, s->n, s->colptr, s->row, s->x);
    else
        perp_mat_init_bsr(&s->problem.M, s->n, 1, s->colptr, s->row, s->x);
}

static perp_solver *new_solver(const char *name, int warm, double tol, counter *calls)
{
    perp_settings settings;
    perp_solver *solver;
    perp_allocator allocator = {count_allocate, count_release, calls};
    perp_settings_init(&settings, sizeof settings);
    settings.warm_start = warm;
    settings.tol = tol;
    ck_assert_int_eq(
        perp_solver_create(&solver, perp_solver_find(name), &settings, &allocator, NULL),
        PERP_SOLVED);
    return solver;
}

/* Slowly changing q: warm answers are the cold ones; mostly without a pivot. */
START_TEST(warm_pivoting_agrees_with_cold)
{
    perp_rng rng = {31};
    int pivoted = 0, solves = 0;
    for (int trial = 0; trial < 150; trial++) {
        sample s;
        counter warm_calls = {0}, cold_calls = {0};
        double z[N] = {0.0}, w[N], cold_z[N], cold_w[N];
        perp_info info = {.size = sizeof info};
        fill(&s, &rng, (perp_mat_kind)(trial % 3));
        perp_solver *warm = new_solver("lemke", 1, 1e-10, &warm_calls);
        perp_solver *cold = new_solver("lemke", 0, 1e-10, &cold_calls);
        ck_assert_int_eq(perp_solver_setup(warm, &s.problem), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_setup(cold, &s.problem), PERP_SOLVED);
        int before = warm_calls.calls;
        for (int i = 0; trial % 2 && i < s.n; i++)
            z[i] = between(&rng, -1.0, 1.0);
        for (int step = 0; step < 20; step++) {
            for (int i = 0; i < s.n; i++)
                s.q[i] += between(&rng, -0.1, 0.1);
            ck_assert_int_eq(perp_solver_update(warm, &s.problem), PERP_SOLVED);
            ck_assert_int_eq(perp_solver_update(cold, &s.problem), PERP_SOLVED);
            ck_assert_int_eq(perp_solver_solve(warm, z, w, &info), PERP_SOLVED);
            ck_assert_int_eq(perp_solver_solve(cold, cold_z, cold_w, NULL), PERP_SOLVED);
            for (int i = 0; i < s.n; i++)
                ck_assert_double_eq_tol(z[i], cold_z[i], 1e-12);
            ck_assert_double_le(info.error, 1e-10);
            ck_assert_double_le(info.residual.primal, 1e-15);
            pivoted += info.iterations > 0;
            solves++;
        }
        ck_assert_int_eq(warm_calls.calls, before);
        perp_solver_destroy(warm);
        perp_solver_destroy(cold);
    }
    ck_assert_int_lt(pivoted, solves / 20);
}
END_TEST

/* Bounds that become finite need a larger tableau. */
START_TEST(bounds_may_come_and_go)
{
    double z[2] = {0.0, 0.0}, w[2], M[4] = {2.0, -1.0, 1.0, 2.0}, q[2] = {-3.0, -4.0};
    double lo[2] = {-INFINITY, 0.0}, hi[2] = {INFINITY, 0.0};
    counter calls = {0};
    perp_segment seg = {.set = PERP_BOX, .dim = 1, .count = 2, .par = {lo, hi}, .stride = {1, 1}};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    perp_mat_init_dense(&problem.M, 2, 2, M, 2);
    for (int warm = 0; warm < 2; warm++) {
        perp_solver *solver = new_solver("lemke", warm, 1e-12, &calls);
        lo[1] = hi[1] = 0.0;
        lo[0] = -INFINITY;
        hi[0] = INFINITY;
        ck_assert_int_eq(perp_solver_setup(solver, &problem), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
        ck_assert_double_eq_tol(z[0], 1.5, 1e-14);
        lo[0] = lo[1] = -1.0;
        hi[0] = hi[1] = 1.0;
        ck_assert_int_eq(perp_solver_update(solver, &problem), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
        ck_assert_double_eq_tol(z[0], 1.0, 1e-14);
        ck_assert_double_eq_tol(z[1], 1.0, 1e-14);
        perp_solver_destroy(solver);
    }
}
END_TEST

/* The sets around a warm start are singular, or no answer: the pivots find it, or say
 * that there is none, as they do without a guess. */
START_TEST(pivots_follow_where_no_set_is_the_answer)
{
    double M[4] = {0.0, -1.0, 1.0, 0.0}, q[2] = {-1.0, 2.0}, z[2] = {1.0, 0.0}, w[2];
    counter calls = {0};
    perp_segment seg = {.set = PERP_NONNEG, .dim = 1, .count = 2};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    perp_certificate_kind kind;
    perp_solver *solver = new_solver("lemke", 1, 1e-12, &calls);
    perp_mat_init_dense(&problem.M, 2, 2, M, 2);
    ck_assert_int_eq(perp_solver_setup(solver, &problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
    ck_assert_double_eq_tol(z[0], 2.0, 1e-14);
    ck_assert_double_eq_tol(z[1], 1.0, 1e-14);
    M[2] = 0.0;
    ck_assert_int_eq(perp_solver_update(solver, &problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_INFEASIBLE);
    ck_assert_int_eq(perp_solver_certificate(solver, 2, &kind, NULL), PERP_SOLVED);
    ck_assert_int_eq(kind, PERP_CERTIFICATE_INFEASIBLE);
    M[2] = 1.0;
    ck_assert_int_eq(perp_solver_update(solver, &problem), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_SOLVED);
    perp_solver_destroy(solver);
}
END_TEST

/* A friction contact on another, in two or three rows each. */
static void contacts(double *M, int dim)
{
    int n = 2 * dim;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            M[i + j * n] = i == j ? 2.0 + 0.1 * i : i % dim == j % dim ? -0.7 : 0.1;
}

/* The answer of the step before solves an unchanged problem: no iteration, and the same
 * bits come back. */
START_TEST(unchanged_problems_take_no_iteration)
{
    static const char *const names[] = {"gs", "nsn"};
    double M[36], q[6] = {-1.0, 0.3, 0.1, -0.6, -0.2, 0.4}, mu = 0.3, w[6];
    for (int dim = 2; dim <= 3; dim++) {
        perp_segment seg = {.set = PERP_COULOMB, .dim = dim, .count = 2, .par = {&mu, NULL}};
        perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
        contacts(M, dim);
        perp_mat_init_dense(&problem.M, 2 * dim, 2 * dim, M, 2 * dim);
        for (int k = 0; k < 2; k++) {
            counter calls = {0};
            double z[6] = {0.0}, kept[6];
            perp_info info = {.size = sizeof info};
            perp_solver *solver = new_solver(names[k], 1, 1e-10, &calls);
            ck_assert_int_eq(perp_solver_setup(solver, &problem), PERP_SOLVED);
            ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
            ck_assert_int_gt(info.iterations, 0);
            memcpy(kept, z, sizeof z);
            int before = calls.calls;
            ck_assert_int_eq(perp_solver_update(solver, &problem), PERP_SOLVED);
            ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
            ck_assert_int_eq(info.iterations, 0);
            ck_assert_int_eq(info.factorisations, 0);
            ck_assert_int_eq(calls.calls, before);
            for (int i = 0; i < 2 * dim; i++)
                ck_assert_double_eq_tol(z[i], kept[i], 1e-15);
            perp_solver_destroy(solver);
        }
    }
}
END_TEST

/* A column of beads that falls on the ground, shaken: Newton's method, from the step
 * before, is exact in a few sparse factorisations. */
START_TEST(long_columns_take_few_newton_steps)
{
    enum { BEADS = 1000 };
    static double q[BEADS], z[BEADS], w[BEADS], x[3 * BEADS];
    static int ptr[BEADS + 1], col[3 * BEADS];
    perp_rng rng = {33};
    counter calls = {0};
    perp_segment seg = {.set = PERP_NONNEG, .dim = 1, .count = BEADS};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    for (int i = 0, end = 0; i < BEADS; i++) {
        for (int j = i - 1; j <= i + 1; j++) {
            if (j < 0 || j >= BEADS)
                continue;
            col[end] = j;
            x[end++] = i != j ? -1.0 : i > 0 ? 2.0 : 1.0;
        }
        ptr[i + 1] = end;
        q[i] = i > 0 ? 0.0 : -0.05;
    }
    perp_mat_init_bsr(&problem.M, BEADS, 1, ptr, col, x);
    ck_assert_str_eq(perp_solver_name(perp_solver_choose(&problem)), "auto");
    perp_solver *solver = new_solver("nsn", 1, 1e-12, &calls);
    ck_assert_int_eq(perp_solver_setup(solver, &problem), PERP_SOLVED);
    for (int step = 0; step < 30; step++) {
        perp_info info = {.size = sizeof info};
        perp_residuals judged = {.size = sizeof judged};
        for (int i = 0; step > 0 && i < BEADS; i++)
            q[i] += between(&rng, -1e-4, 1e-4);
        ck_assert_int_eq(perp_solver_update(solver, &problem), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
        ck_assert_int_le(info.factorisations, 40);
        ck_assert_int_eq(perp_residual(&problem, z, NULL, NULL, &judged), PERP_SOLVED);
        ck_assert_double_le(fmax(judged.natural, judged.scaled), 1e-12);
        ck_assert_int_eq(perp_solver_update(solver, &problem), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, &info), PERP_SOLVED);
        ck_assert_int_eq(info.iterations, 0);
    }
    perp_solver_destroy(solver);
}
END_TEST

/* One block alone is solved in one step and measured at once. */
START_TEST(one_contact_takes_one_step)
{
    double M[9], q[3] = {-1.0, 0.5, 0.2}, mu = 0.4, z[3], w[3];
    perp_info info = {.size = sizeof info};
    for (int dim = 2; dim <= 3; dim++) {
        perp_segment seg = {.set = PERP_COULOMB, .dim = dim, .count = 1, .par = {&mu, NULL}};
        perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
        for (int k = 0; k < dim * dim; k++)
            M[k] = k % (dim + 1) == 0 ? 2.0 + 0.2 * k : 0.3;
        perp_mat_init_dense(&problem.M, dim, dim, M, dim);
        ck_assert_int_eq(perp_solve(NULL, &problem, NULL, z, w, &info), PERP_SOLVED);
        ck_assert_str_eq(info.solver, "auto");
        ck_assert_int_eq(info.iterations, 1);
        ck_assert_double_le(info.error, 1e-13);
    }
}
END_TEST

START_TEST(seconds_are_measured_when_asked_for)
{
    double z[1] = {0.0}, w[1], M[1] = {2.0}, q[1] = {-1.0};
    perp_segment seg = {.set = PERP_NONNEG, .dim = 1, .count = 1};
    perp_problem problem = {.q = q, .seg = &seg, .nseg = 1};
    perp_settings settings;
    perp_info info = {.size = sizeof info};
    perp_mat_init_dense(&problem.M, 1, 1, M, 1);
    perp_settings_init(&settings, sizeof settings);
    ck_assert_int_eq(perp_solve(NULL, &problem, &settings, z, w, &info), PERP_SOLVED);
    ck_assert_double_gt(info.setup_seconds + info.solve_seconds, 0.0);
    settings.timing = 0;
    ck_assert_int_eq(perp_solve(NULL, &problem, &settings, z, w, &info), PERP_SOLVED);
    ck_assert_double_eq(info.setup_seconds, 0.0);
    ck_assert_double_eq(info.solve_seconds, 0.0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sequence");
    TCase *tcase = tcase_create("sequence");
    tcase_add_test(tcase, warm_pivoting_agrees_with_cold);
    tcase_add_test(tcase, bounds_may_come_and_go);
    tcase_add_test(tcase, pivots_follow_where_no_set_is_the_answer);
    tcase_add_test(tcase, unchanged_problems_take_no_iteration);
    tcase_add_test(tcase, long_columns_take_few_newton_steps);
    tcase_add_test(tcase, one_contact_takes_one_step);
    tcase_add_test(tcase, seconds_are_measured_when_asked_for);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
