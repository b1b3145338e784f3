/* SPDX-License-Identifier: BSD-3-Clause */
/* Anderson acceleration on linear fixed points, its restart, and its bits with threads. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "linalg/small.h"
#include "solvers/acceleration/anderson.h"

enum { SMALL = 6, LARGE = 5000 };

/* g = A x + b with random A of norm about `size`, and its fixed point. */
static void make_linear(double *A, double *b, double *exact, double size, perp_rng *rng)
{
    double I_A[SMALL * SMALL];
    for (int i = 0; i < SMALL * SMALL; i++) {
        A[i] = size * perp_rng_signed(rng) / sqrt(SMALL);
        I_A[i] = (i % (SMALL + 1) == 0) - A[i];
    }
    for (int i = 0; i < SMALL; i++)
        b[i] = perp_rng_signed(rng);
    ck_assert(perp_small_solve(exact, I_A, b, SMALL));
}

static double distance(const double *x, const double *y, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++)
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    return sqrt(sum);
}

/* With as many differences as unknowns the minimum over them is 0 after n + 1 images. */
START_TEST(linear_terminates)
{
    perp_rng rng = {(uint64_t)_i + 1};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    double A[SMALL * SMALL], b[SMALL], exact[SMALL], x[SMALL] = {0.0}, g[SMALL];
    double weight[SMALL] = {1.0, 2.0, 0.5, 1.0, 3.0, 1.0};
    perp_block rows[SMALL];
    perp_blocks blocks = {.n = SMALL, .count = SMALL, .at = rows};
    for (int k = 0; k < SMALL; k++)
        rows[k] = (perp_block){.row = k, .dim = 1};
    make_linear(A, b, exact, 0.9, &rng);
    perp_anderson *a = perp_anderson_take(&arena, SMALL, SMALL);
    ck_assert_ptr_nonnull(a);
    perp_anderson_weigh(a, &blocks, _i % 2 ? weight : NULL);
    double start = distance(x, exact, SMALL);
    int again = 0;
    for (int k = 0; k < SMALL + 3; k++) {
        memcpy(g, b, sizeof g);
        perp_small_gemv(g, A, x, SMALL, SMALL);
        again += perp_anderson_next(a, x, x, g) == PERP_ANDERSON_RESTARTED;
    }
    if (!again)
        ck_assert_double_le(distance(x, exact, SMALL), 1e-5 * start);
    perp_arena_free(&arena);
}
END_TEST

/* A rotation does not contract; two differences are enough in the plane. */
START_TEST(rotation_converges)
{
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    perp_anderson *a = perp_anderson_take(&arena, 2, 2);
    double x[2] = {1.0, 0.0}, g[2];
    for (int k = 0; k < 6; k++) {
        g[0] = 0.6 * x[0] - 0.8 * x[1];
        g[1] = 0.8 * x[0] + 0.6 * x[1];
        perp_anderson_next(a, x, x, g);
    }
    ck_assert_double_le(fabs(x[0]) + fabs(x[1]), 1e-6);
    perp_arena_free(&arena);
}
END_TEST

START_TEST(returns_to_the_best)
{
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    perp_anderson *a = perp_anderson_take(&arena, 2, 3);
    double x[2] = {1.0, 1.0}, out[2], good[2] = {1.1, 0.9}, bad[2] = {5.0, 0.0};
    ck_assert_int_eq(perp_anderson_next(a, out, x, good), PERP_ANDERSON_PLAIN);
    ck_assert_double_eq(out[0], good[0]);
    ck_assert_int_eq(perp_anderson_next(a, out, good, bad), PERP_ANDERSON_RESTARTED);
    ck_assert_double_eq(out[0], good[0]);
    ck_assert_double_eq(out[1], good[1]);
    ck_assert_int_eq(perp_anderson_next(a, out, good, bad), PERP_ANDERSON_PLAIN);
    ck_assert_double_eq(out[0], bad[0]);
    bad[1] = NAN;
    ck_assert_int_eq(perp_anderson_next(a, out, good, bad), PERP_ANDERSON_RESTARTED);
    ck_assert_double_eq(out[0], 5.0);
    /* A fixed point is left alone, however often it is seen. */
    for (int k = 0; k < 5; k++) {
        perp_anderson_next(a, out, x, x);
        ck_assert_double_eq(out[0], x[0]);
    }
    perp_arena_free(&arena);
}
END_TEST

static void run_large(double *x, int threads)
{
    static double g[LARGE];
    perp_rng rng = {11};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    perp_anderson *a = perp_anderson_take(&arena, LARGE, 5);
    a->threads = threads;
    for (int i = 0; i < LARGE; i++)
        x[i] = perp_rng_signed(&rng);
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < LARGE; i++)
            g[i] = 0.3 * x[(i + 1) % LARGE] + (0.1 + 0.5 * i / LARGE) * sin(x[i]) + 1.0;
        perp_anderson_next(a, x, x, g);
    }
    perp_arena_free(&arena);
}

START_TEST(threads_keep_the_bits)
{
    static const int threads[] = {2, 3, 7};
    static double one[LARGE], many[LARGE];
    run_large(one, 1);
    for (int i = 0; i < 3; i++) {
        run_large(many, threads[i]);
        ck_assert_int_eq(memcmp(one, many, sizeof one), 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("anderson");
    TCase *tcase = tcase_create("all");
    tcase_add_loop_test(tcase, linear_terminates, 0, 20);
    tcase_add_test(tcase, rotation_converges);
    tcase_add_test(tcase, returns_to_the_best);
    tcase_add_test(tcase, threads_keep_the_bits);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
