/* SPDX-License-Identifier: BSD-3-Clause */
/* Pseudo-inverses of singular matrices by elimination: the four equations of Penrose, the
 * transpose, the rank, the null space and the bound; symmetric matrices, whose pivots are all on
 * the diagonal, and others, of which reflections take a part. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "derivative/eliminated.h"

enum { MOST = 40 };

/* A row by row, n x n of rank r: L R', or L L'. */
static void draw(double *A, int n, int r, int symmetric, perp_rng *rng)
{
    static double L[MOST * MOST], R[MOST * MOST];
    for (int i = 0; i < n * r; i++) {
        L[i] = perp_rng_signed(rng);
        R[i] = symmetric ? L[i] : perp_rng_signed(rng);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * n + j] = 0.0;
            for (int k = 0; k < r; k++)
                A[i * n + j] += L[i * r + k] * R[j * r + k];
        }
}

static perp_eliminated made(const double *A, int n, perp_arena *arena)
{
    perp_eliminated e;
    perp_arena_init(arena, NULL);
    ck_assert_int_eq(perp_eliminated_take(&e, n, arena), PERP_SOLVED);
    for (int i = 0; i < n; i++)
        memcpy(e.a + (size_t)i * e.stride, A + i * n, sizeof(double) * (size_t)n);
    ck_assert_int_eq(perp_eliminated_factor(&e, 1e-11, arena), PERP_SOLVED);
    return e;
}

static void product(double *out, const double *A, const double *B, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            out[i * n + j] = 0.0;
            for (int k = 0; k < n; k++)
                out[i * n + j] += A[i * n + k] * B[k * n + j];
        }
}

static double largest(const double *A, const double *B, int count)
{
    double most = 0.0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(A[i] - (B ? B[i] : 0.0)));
    return most;
}

static double unsymmetric(const double *A, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            most = fmax(most, fabs(A[i * n + j] - A[j * n + i]));
    return most;
}

static void check_inverse(const perp_eliminated *e, const double *A, int n)
{
    static double X[MOST * MOST], Xt[MOST * MOST], AX[MOST * MOST], P[MOST * MOST];
    double squares = 0.0;
    for (int j = 0; j < n; j++) {
        double x[MOST] = {0.0}, t[MOST] = {0.0};
        x[j] = t[j] = 1.0;
        perp_eliminated_solve(e, x, 0);
        perp_eliminated_solve(e, t, 1);
        for (int i = 0; i < n; i++) {
            X[i * n + j] = x[i];
            Xt[j * n + i] = t[i];
            squares += x[i] * x[i];
        }
    }
    double size = largest(X, NULL, n * n);
    ck_assert_double_le(largest(X, Xt, n * n), 1e-9 * size);
    product(AX, A, X, n);
    product(P, AX, A, n);
    ck_assert_double_le(largest(P, A, n * n), 1e-12 * (1.0 + size));
    product(P, X, AX, n);
    ck_assert_double_le(largest(P, X, n * n), 1e-12 * size * (1.0 + size));
    ck_assert_double_le(unsymmetric(AX, n), 1e-12 * (1.0 + size));
    product(P, X, A, n);
    ck_assert_double_le(unsymmetric(P, n), 1e-12 * (1.0 + size));
    ck_assert_double_ge(perp_eliminated_bound(e) * sqrt((double)n), sqrt(squares));
}

/* A null = 0, and no column depends on those before it. */
static void check_nulls(const perp_eliminated *e, const double *A, int n)
{
    static double null[MOST * MOST];
    int count = n - e->rank;
    perp_eliminated_nulls(e, null, MOST);
    for (int a = 0; a < MOST; a++) {
        double left = 0.0, whole = 0.0;
        for (int i = 0; i < n; i++) {
            double sum = 0.0;
            for (int j = 0; j < n; j++)
                sum += A[i * n + j] * null[j * MOST + a];
            ck_assert_double_le(fabs(sum), 1e-11 * (1.0 + largest(null, NULL, n * MOST)));
            whole += null[i * MOST + a] * null[i * MOST + a];
        }
        if (a >= count) {
            ck_assert_double_eq(whole, 0.0);
            continue;
        }
        for (int b = 0; b < a; b++) { /* those before it have length 1 */
            double along = 0.0;
            for (int i = 0; i < n; i++)
                along += null[i * MOST + a] * null[i * MOST + b];
            for (int i = 0; i < n; i++)
                null[i * MOST + a] -= along * null[i * MOST + b];
        }
        for (int i = 0; i < n; i++)
            left += null[i * MOST + a] * null[i * MOST + a];
        ck_assert_double_gt(left, 1e-12 * whole);
        for (int i = 0; i < n; i++)
            null[i * MOST + a] /= sqrt(left);
    }
}

START_TEST(pseudo_inverses)
{
    static double A[MOST * MOST];
    perp_rng rng = {(uint64_t)_i + 1};
    for (int k = 0; k < 20; k++) {
        int n = 1 + (int)(perp_rng_uniform(&rng) * (MOST - 1));
        int r = 1 + (int)(perp_rng_uniform(&rng) * n), symmetric = k % 2;
        draw(A, n, r, symmetric, &rng);
        perp_arena arena;
        perp_eliminated e = made(A, n, &arena);
        ck_assert_int_eq(e.rank, r);
        ck_assert_double_le(e.rest, 1e-12 * e.largest);
        if (symmetric)
            ck_assert_int_ge(e.steps, 1);
        check_inverse(&e, A, n);
        check_nulls(&e, A, n);
        perp_arena_free(&arena);
    }
}
END_TEST

/* No pivot on the diagonal; zero. */
START_TEST(no_pivots)
{
    double A[4] = {0.0, 1.0, 1.0, 0.0}, x[2] = {3.0, 5.0}, zero[4] = {0.0};
    perp_arena arena;
    perp_eliminated e = made(A, 2, &arena);
    ck_assert_int_eq(e.steps, 0);
    ck_assert_int_eq(e.rank, 2);
    perp_eliminated_solve(&e, x, 0);
    ck_assert_double_le(fabs(x[0] - 5.0) + fabs(x[1] - 3.0), 1e-14);
    perp_arena_free(&arena);
    e = made(zero, 2, &arena);
    ck_assert_int_eq(e.rank, 0);
    perp_eliminated_solve(&e, x, 0);
    ck_assert_double_eq(fabs(x[0]) + fabs(x[1]), 0.0);
    perp_arena_free(&arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("eliminated");
    TCase *test = tcase_create("eliminated");
    tcase_add_loop_test(test, pseudo_inverses, 0, 5);
    tcase_add_test(test, no_pivots);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
