/* SPDX-License-Identifier: BSD-3-Clause */
/* Pseudo-inverses of singular matrices by the four equations of Penrose; null spaces; the rank, and
 * where it is not certain. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "derivative/orthogonal.h"

enum { MOST = 40 };

/* A row by row, n x n of rank r, the last factor scaled column by column by up to 10^-spread. */
static void draw(double *A, int n, int r, double spread, perp_rng *rng)
{
    static double L[MOST * MOST], R[MOST * MOST];
    for (int i = 0; i < n * r; i++) {
        L[i] = perp_rng_signed(rng);
        R[i] = perp_rng_signed(rng) * pow(10.0, -spread * perp_rng_uniform(rng));
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i * n + j] = 0.0;
            for (int k = 0; k < r; k++)
                A[i * n + j] += L[i * r + k] * R[j * r + k];
        }
}

static perp_orthogonal made(const double *A, int n, perp_arena *arena, int *certain)
{
    perp_orthogonal o;
    perp_arena_init(arena, NULL);
    ck_assert_int_eq(perp_orthogonal_take(&o, n, arena), PERP_SOLVED);
    for (int i = 0; i < n; i++)
        memcpy(o.a + (size_t)i * o.stride, A + i * n, sizeof(double) * (size_t)n);
    *certain = perp_orthogonal_factor(&o, 1e-11);
    return o;
}

/* Largest entry of A B - C, all n x n, row by row; C NULL: of A B - (A B)'. */
static double apart(const double *A, const double *B, const double *C, int n)
{
    static double P[MOST * MOST];
    double most = 0.0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            P[i * n + j] = 0.0;
            for (int k = 0; k < n; k++)
                P[i * n + j] += A[i * n + k] * B[k * n + j];
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            most = fmax(most, fabs(P[i * n + j] - (C ? C[i * n + j] : P[j * n + i])));
    return most;
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

static void check_inverse(const double *A, const double *X, int n)
{
    static double AX[MOST * MOST], XA[MOST * MOST];
    double size = 0.0;
    for (int i = 0; i < n * n; i++)
        size = fmax(size, fabs(X[i]));
    product(AX, A, X, n);
    product(XA, X, A, n);
    ck_assert_double_le(apart(AX, A, A, n), 1e-10);
    ck_assert_double_le(apart(XA, X, X, n), 1e-9 * size);
    ck_assert_double_le(apart(A, X, NULL, n), 1e-9);
    ck_assert_double_le(apart(X, A, NULL, n), 1e-9);
}

START_TEST(pseudo_inverses)
{
    static double A[MOST * MOST], X[MOST * MOST], Xt[MOST * MOST];
    perp_rng rng = {(uint64_t)_i + 1};
    for (int k = 0; k < 20; k++) {
        int n = 1 + (int)(perp_rng_uniform(&rng) * (MOST - 1)), certain;
        int r = 1 + (int)(perp_rng_uniform(&rng) * n), rest = n - r;
        draw(A, n, r, 1.0, &rng);
        perp_arena arena;
        perp_orthogonal o = made(A, n, &arena, &certain);
        ck_assert_int_eq(certain, 1);
        ck_assert_int_eq(o.rank, r);
        for (int j = 0; j < n; j++) {
            double e[MOST] = {0.0}, t[MOST] = {0.0};
            e[j] = t[j] = 1.0;
            perp_orthogonal_solve(&o, e, 0);
            perp_orthogonal_solve(&o, t, 1);
            for (int i = 0; i < n; i++) {
                X[i * n + j] = e[i];
                Xt[j * n + i] = t[i];
            }
        }
        check_inverse(A, X, n);
        check_inverse(A, Xt, n);
        double null[MOST * MOST], rows[MOST * MOST], work[MOST * MOST], left;
        perp_orthogonal_nulls(&o, rows, MOST, work);
        for (int a = 0; a < rest; a++) {
            for (int i = 0; i < n; i++)
                null[a * n + i] = rows[i * MOST + a];
            for (int i = 0; i < n; i++) {
                left = 0.0;
                for (int j = 0; j < n; j++)
                    left += A[i * n + j] * null[a * n + j];
                ck_assert_double_le(fabs(left), 1e-12);
            }
            for (int b = 0; b <= a; b++) {
                left = a == b ? -1.0 : 0.0;
                for (int j = 0; j < n; j++)
                    left += null[a * n + j] * null[b * n + j];
                ck_assert_double_le(fabs(left), 1e-13);
            }
        }
        perp_arena_free(&arena);
    }
}
END_TEST

/* Values that come down without a gap leave the rank open; zero, and what is not finite. */
START_TEST(ranks_that_are_not_certain)
{
    static double A[MOST * MOST];
    perp_arena arena;
    int certain;
    memset(A, 0, sizeof A);
    perp_orthogonal o = made(A, 7, &arena, &certain);
    ck_assert_int_eq(certain, 1);
    ck_assert_int_eq(o.rank, 0);
    perp_arena_free(&arena);
    for (int i = 0; i < MOST; i++)
        A[i * MOST + i] = pow(10.0, -0.5 * i);
    (void)made(A, MOST, &arena, &certain);
    ck_assert_int_eq(certain, 0);
    perp_arena_free(&arena);
    A[3] = INFINITY;
    (void)made(A, MOST, &arena, &certain);
    ck_assert_int_eq(certain, 0);
    perp_arena_free(&arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("orthogonal");
    TCase *test = tcase_create("orthogonal");
    tcase_add_loop_test(test, pseudo_inverses, 0, 5);
    tcase_add_test(test, ranks_that_are_not_certain);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
