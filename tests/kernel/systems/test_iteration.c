/* SPDX-License-Identifier: BSD-3-Clause */
/* Iteration matrices of systems: solutions in every storage and order by their residuals, pivots
 * that are zero or not finite by their rows, sums of dense and sparse terms, memory that fails. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "kernel/systems/iteration.h"
#include "tests/fixtures/contract.h"

enum { LARGEST = 10, BIG = 40 };

static void fill(double *A, int count, perp_rng *rng)
{
    for (int k = 0; k < count; k++)
        A[k] = perp_rng_signed(rng);
}

/* |b - A x| beside |A| |x|, by rows; A is n x n, column-major. */
static double residual(const double *A, const double *x, const double *b, int n)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        long double sum = b[i], size = 0.0L;
        for (int j = 0; j < n; j++) {
            sum -= (long double)A[i + j * n] * x[j];
            size += fabsl((long double)A[i + j * n] * x[j]);
        }
        worst = fmax(worst, (double)(fabsl(sum) / (size > 0.0L ? size : 1.0L)));
    }
    return worst;
}

static void start(perp_iteration *W, perp_iteration_kind kind, int n, perp_pool *pool)
{
    perp_pool_init(pool, NULL);
    ck_assert_int_eq(perp_iteration_create(W, kind, n, pool), 1);
    perp_iteration_zero(W);
}

/* Two columns at once; the zero diagonal wants other rows as pivots. */
START_TEST(dense_of_every_order)
{
    double A[LARGEST * LARGEST], b[2 * LARGEST], x[2 * LARGEST];
    perp_rng rng = {(uint64_t)_i};
    perp_iteration W;
    perp_pool pool;
    int n = _i, index;
    start(&W, PERP_ITERATION_DENSE, n, &pool);
    for (int round = 0; round < 50; round++) {
        fill(A, n * n, &rng);
        fill(b, 2 * n, &rng);
        for (int k = 0; k < n && n > 1 && round % 2; k++)
            A[k * (n + 1)] = 0.0;
        perp_iteration_zero(&W);
        perp_iteration_add_dense(&W, A, 1.0);
        ck_assert_int_eq(perp_iteration_factor(&W, &index), PERP_SOLVED);
        ck_assert_int_eq(index, -1);
        memcpy(x, b, sizeof x);
        perp_iteration_solve(&W, x, 2);
        ck_assert_double_le(residual(A, x, b, n), 1e-11);
        ck_assert_double_le(residual(A, x + n, b + n, n), 1e-11);
    }
    perp_pool_free(&pool);
}
END_TEST

/* Column k is zero, infinite or not a number: the pivot of its row. */
START_TEST(dense_without_a_pivot)
{
    static const double bad[] = {0.0, HUGE_VAL, -HUGE_VAL, NAN};
    double A[LARGEST * LARGEST];
    perp_rng rng = {(uint64_t)_i + 100};
    perp_iteration W;
    perp_pool pool;
    int n = _i, index;
    start(&W, PERP_ITERATION_DENSE, n, &pool);
    for (int k = 0; k < n; k++)
        for (size_t m = 0; m < sizeof bad / sizeof bad[0]; m++) {
            fill(A, n * n, &rng);
            for (int i = 0; i < n; i++)
                A[i + k * n] = bad[m];
            perp_iteration_zero(&W);
            perp_iteration_add_dense(&W, A, 1.0);
            ck_assert_int_eq(perp_iteration_factor(&W, &index), PERP_ERR_SINGULAR);
            ck_assert_int_eq(index, k);
        }
    perp_pool_free(&pool);
}
END_TEST

START_TEST(pivots_that_are_weak)
{
    static const int orders[] = {3, LARGEST};
    for (size_t m = 0; m < 2; m++) {
        double d[LARGEST];
        perp_iteration W;
        perp_pool pool;
        int n = orders[m], index;
        start(&W, PERP_ITERATION_DENSE, n, &pool);
        for (int k = 0; k < n; k++)
            d[k] = k == n - 1 ? 1e-9 : -2.0;
        perp_iteration_add_diagonal(&W, d, 1.0);
        ck_assert_int_eq(perp_iteration_factor(&W, &index), PERP_SOLVED);
        ck_assert_int_eq(perp_iteration_weak_pivot(&W, 1e-10), -1);
        ck_assert_int_eq(perp_iteration_weak_pivot(&W, 1e-8), n - 1);
        ck_assert_int_eq(perp_iteration_weak_pivot(&W, 3.0), 0);
        perp_pool_free(&pool);
    }
}
END_TEST

START_TEST(diagonals)
{
    static const double d[] = {2.0, -4.0, 0.5};
    double x[] = {1.0, 1.0, 1.0}, bad[] = {1.0, 0.0, NAN};
    perp_iteration W;
    perp_pool pool;
    int index;
    start(&W, PERP_ITERATION_DIAGONAL, 3, &pool);
    perp_iteration_add_diagonal(&W, d, 1.0);
    perp_iteration_add_diagonal(&W, NULL, 0.0);
    ck_assert_int_eq(perp_iteration_factor(&W, &index), PERP_SOLVED);
    perp_iteration_solve(&W, x, 1);
    for (int k = 0; k < 3; k++)
        ck_assert(x[k] == 1.0 / d[k] && perp_iteration_diagonal(&W, k) == d[k]);
    ck_assert_int_eq(perp_iteration_weak_pivot(&W, 1e9), -1);
    perp_iteration_zero(&W);
    perp_iteration_add_diagonal(&W, bad, 1.0);
    ck_assert_int_eq(perp_iteration_factor(&W, &index), PERP_ERR_SINGULAR);
    ck_assert_int_eq(index, 1);
    perp_pool_free(&pool);
}
END_TEST

/* M + h C + h^2 K with a tridiagonal M in CSC, a dense C with a few entries far off, and K dense,
 * as sums in sparse and in dense storage. */
typedef struct terms {
    int colptr[BIG + 1], row[3 * BIG];
    double value[3 * BIG], C[BIG * BIG], whole[BIG * BIG], diagonal[BIG];
    perp_mat M, dense, none;
    const perp_mat *all[3];
} terms;

static void make_terms(terms *t)
{
    perp_rng rng = {7};
    int count = 0;
    memset(t, 0, sizeof *t);
    for (int j = 0; j < BIG; j++) {
        for (int i = j > 0 ? j - 1 : 0; i <= j + 1 && i < BIG; i++) {
            t->row[count] = i;
            t->value[count] = i == j ? 5.0 : -1.0;
            t->whole[i + j * BIG] = t->value[count++];
        }
        t->colptr[j + 1] = count;
        t->C[(j * 7) % BIG + j * BIG] = perp_rng_uniform(&rng);
        t->C[(j * 3 + 5) % BIG + j * BIG] = -perp_rng_uniform(&rng);
        t->diagonal[j] = 1.0 + perp_rng_uniform(&rng);
    }
    for (int k = 0; k < BIG * BIG; k++)
        t->whole[k] += 0.5 * t->C[k];
    for (int j = 0; j < BIG; j++)
        t->whole[j * (BIG + 1)] += 2.0 * t->diagonal[j];
    t->M = (perp_mat){PERP_CSC, BIG, BIG, {.csc = {t->colptr, t->row, t->value}}};
    t->dense = (perp_mat){PERP_DENSE, BIG, BIG, {.dense = {t->C, BIG}}};
    t->all[0] = &t->M;
    t->all[1] = &t->dense;
    t->all[2] = &t->none;
}

static void add_terms(perp_iteration *W, const terms *t)
{
    perp_iteration_zero(W);
    perp_iteration_add(W, &t->M, 1.0);
    perp_iteration_add(W, &t->dense, 0.5);
    perp_iteration_add(W, &t->none, 3.0);
    perp_iteration_add(W, &t->dense, 0.0);
    perp_iteration_add_diagonal(W, t->diagonal, 2.0);
}

START_TEST(sums_of_terms)
{
    static terms t;
    double b[BIG], x[BIG];
    perp_rng rng = {9};
    perp_iteration W;
    perp_pool pool;
    int index;
    make_terms(&t);
    fill(b, BIG, &rng);
    for (int sparse = 0; sparse < 2; sparse++) {
        perp_pool_init(&pool, NULL);
        if (sparse)
            ck_assert_int_eq(perp_iteration_create_sparse(&W, t.all, 3, BIG, &pool), 1);
        else
            ck_assert_int_eq(perp_iteration_create(&W, PERP_ITERATION_DENSE, BIG, &pool), 1);
        for (int round = 0; round < 2; round++) { /* the second time in the place of the first */
            add_terms(&W, &t);
            for (int k = 0; k < BIG; k++)
                ck_assert_double_eq_tol(perp_iteration_diagonal(&W, k), t.whole[k * (BIG + 1)],
                                        1e-14);
            ck_assert_int_eq(perp_iteration_factor(&W, &index), PERP_SOLVED);
            memcpy(x, b, sizeof x);
            perp_iteration_solve(&W, x, 1);
            ck_assert_double_le(residual(t.whole, x, b, BIG), 1e-13);
        }
        ck_assert_int_eq(perp_iteration_entries(&W) < BIG * BIG / 2, sparse);
        perp_iteration_free(&W, &pool);
        perp_pool_free(&pool);
    }
}
END_TEST

/* Without memory nothing is made, and nothing is left. */
START_TEST(each_allocation)
{
    static terms t;
    make_terms(&t);
    for (int kind = 0; kind < 3; kind++) {
        counter memory = {.fail_at = 0};
        int made = 0;
        for (long k = 1; !made; k++) {
            perp_iteration W;
            perp_pool pool;
            memory = (counter){.fail_at = k, .once = 1};
            perp_allocator allocator = counter_allocator(&memory);
            perp_pool_init(&pool, &allocator);
            made = kind < 2 ? perp_iteration_create(&W, (perp_iteration_kind)kind, 300, &pool)
                            : perp_iteration_create_sparse(&W, t.all, 3, BIG, &pool);
            ck_assert_int_eq(made, memory.allocations < k);
            ck_assert_int_eq(W.a != NULL, made);
            perp_pool_free(&pool);
            ck_assert_int_eq((int)memory.live, 0);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("iteration matrices");
    TCase *tests = tcase_create("storages");
    tcase_add_loop_test(tests, dense_of_every_order, 1, LARGEST + 1);
    tcase_add_loop_test(tests, dense_without_a_pivot, 1, LARGEST + 1);
    tcase_add_test(tests, pivots_that_are_weak);
    tcase_add_test(tests, diagonals);
    tcase_add_test(tests, sums_of_terms);
    tcase_add_test(tests, each_allocation);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
