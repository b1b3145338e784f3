/* SPDX-License-Identifier: BSD-3-Clause */
/* The changes of a dense L D L' factor by rows that come and go against the product and against a
 * fresh factor; dependent rows. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "linalg/dense_ldl.h"

enum { MAX = 64 };

/* A = G G' of n rows, leading dimension MAX, G n x k. */
static void gram(double *A, int n, int k, perp_rng *rng)
{
    static double G[2 * MAX * MAX];
    for (int i = 0; i < n * k; i++)
        G[i] = perp_rng_signed(rng);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            A[i + j * MAX] = 0.0;
            for (int l = 0; l < k; l++)
                A[i + j * MAX] += G[i + l * n] * G[j + l * n];
        }
}

static void check_factor(const perp_dense_ldl *f, const double *A, const int *row)
{
    for (int i = 0; i < f->m; i++)
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k <= j; k++)
                sum += (k == i ? 1.0 : f->l[i + k * (int)f->ld]) * f->d[k] *
                       (k == j ? 1.0 : f->l[j + k * (int)f->ld]);
            ck_assert_double_eq_tol(sum, A[row[i] + row[j] * MAX], 1e-11);
        }
}

static void load(perp_dense_ldl *f, const double *A, const int *row, int m)
{
    for (int j = 0; j < m; j++)
        for (int i = j - j % PERP_LDL_PANEL; i < m; i++)
            f->l[i + j * (int)f->ld] = A[row[i] + row[j] * MAX];
}

/* Rows come and go; the factor is that of the current rows, as one made again has it. */
START_TEST(changed_factors)
{
    static double A[MAX * MAX];
    perp_rng rng = {9};
    void *memory[2] = {malloc(perp_dense_ldl_bytes(MAX)), malloc(perp_dense_ldl_bytes(MAX))};
    perp_dense_ldl f, fresh;
    int row[MAX], in[MAX] = {0};
    double y[MAX], x[MAX];
    ck_assert(memory[0] && memory[1]);
    perp_dense_ldl_place(&f, MAX, memory[0]);
    perp_dense_ldl_place(&fresh, MAX, memory[1]);
    gram(A, MAX, 2 * MAX, &rng);
    for (int k = 0; k < 2000; k++) {
        int i = perp_rng_below(&rng, MAX), p = 0;
        if (in[i]) {
            while (row[p] != i)
                p++;
            ck_assert_int_eq(perp_dense_ldl_remove(&f, p), 1);
            memmove(row + p, row + p + 1, (size_t)(f.m - p) * sizeof(int));
        } else {
            for (int j = 0; j < f.m; j++)
                y[j] = A[row[j] + i * MAX];
            double pivot = perp_dense_ldl_pivot(&f, y, y, A[i + i * MAX]);
            row[f.m] = i;
            perp_dense_ldl_append(&f, y, pivot);
        }
        in[i] = !in[i];
        if (k % 20)
            continue;
        check_factor(&f, A, row);
        load(&fresh, A, row, f.m);
        ck_assert_int_eq(perp_dense_ldl_factor(&fresh, f.m, 1e-10), f.m);
        for (int j = 0; j < f.m; j++) {
            ck_assert_double_eq_tol(f.d[j], fresh.d[j], 1e-10 * fresh.d[j]);
            x[j] = y[j] = perp_rng_signed(&rng);
        }
        perp_dense_ldl_solve(&f, x);
        perp_dense_ldl_solve(&fresh, y);
        for (int j = 0; j < f.m; j++)
            ck_assert_double_eq_tol(x[j], y[j], 1e-9);
    }
    free(memory[0]);
    free(memory[1]);
}
END_TEST

/* A dependent row stops the factor where it is. */
START_TEST(dependent_pivots)
{
    static double A[MAX * MAX];
    perp_rng rng = {10};
    void *memory = malloc(perp_dense_ldl_bytes(MAX));
    perp_dense_ldl f;
    int row[MAX];
    ck_assert_ptr_nonnull(memory);
    perp_dense_ldl_place(&f, MAX, memory);
    for (int rank = 0; rank <= 40; rank++) {
        gram(A, 40, rank, &rng);
        for (int i = 0; i < 40; i++)
            row[i] = i;
        load(&f, A, row, 40);
        ck_assert_int_eq(perp_dense_ldl_factor(&f, 40, 1e-10), rank);
        check_factor(&f, A, row);
    }
    free(memory);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("dense_ldl");
    TCase *tcase = tcase_create("dense_ldl");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, changed_factors);
    tcase_add_test(tcase, dependent_pivots);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
