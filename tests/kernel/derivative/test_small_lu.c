/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factors of few unknowns: chains of blocks, rows that must be exchanged, units far apart,
 * single and many right-hand sides, both ways; singular matrices and what is not finite. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "kernel/derivative/small_lu.h"

enum { N = PERP_SMALL_LU_MOST, ENTRIES = N * N };

typedef struct factors {
    double A[ENTRIES], work[ENTRIES], scale[N], numbers[ENTRIES + 2 * N];
    int row[N], integers[ENTRIES + 3 * N + 1];
    perp_small_lu lu;
} factors;

static int factor(factors *f, int n)
{
    memcpy(f->work, f->A, sizeof f->work);
    int entries = perp_small_lu_eliminate(f->work, n, f->row, f->scale);
    if (entries < 0)
        return 0;
    ck_assert_int_le(perp_small_lu_integers(n, entries), ENTRIES + 3 * N + 1);
    ck_assert_int_le(perp_small_lu_numbers(n, entries), ENTRIES + 2 * N);
    perp_small_lu_pack(&f->lu, f->work, n, f->row, f->scale, f->integers, f->numbers);
    return 1;
}

/* Row by row: blocks of six, each coupled with the next; weak: small entries on the diagonal. */
static void draw(double *A, int n, int weak, perp_rng *rng)
{
    memset(A, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int apart = abs(i / 6 - j / 6);
            double unit = pow(10.0, 3.0 * (i % 2) - 3.0 * (j % 2));
            if (apart < 2)
                A[i * n + j] = unit * perp_rng_signed(rng) * (apart ? 0.3 : 1.0);
            if (i == j)
                A[i * n + j] = weak ? 0.0 : 4.0;
        }
}

static double left(const double *A, const double *x, const double *b, int n, int transposed)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = -b[i], terms = fabs(b[i]);
        for (int j = 0; j < n; j++) {
            double a = transposed ? A[j * n + i] : A[i * n + j];
            sum += a * x[j];
            terms += fabs(a * x[j]);
        }
        most = fmax(most, fabs(sum) / terms);
    }
    return most;
}

START_TEST(solutions)
{
    static factors f;
    static double many[3 * N], out[3 * N];
    perp_rng rng = {(uint64_t)_i + 1};
    for (int k = 0; k < 20; k++) {
        int n = 2 + (int)(perp_rng_uniform(&rng) * (N - 1));
        double b[N] = {0.0}, x[N], work[N];
        draw(f.A, n, k % 2, &rng);
        ck_assert_int_eq(factor(&f, n), 1);
        for (int i = 0; i < n; i++)
            b[i] = perp_rng_signed(&rng);
        memcpy(x, b, sizeof b);
        perp_small_lu_solve(&f.lu, x, work);
        ck_assert_double_le(left(f.A, x, b, n, 0), 1e-10);
        memcpy(x, b, sizeof b);
        perp_small_lu_solve_transposed(&f.lu, x, work);
        ck_assert_double_le(left(f.A, x, b, n, 1), 1e-10);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 3; j++)
                many[3 * i + j] = b[i] * (j + 1);
        perp_small_lu_solve_rows(&f.lu, out, many, 3);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < 3; j++)
                ck_assert_double_le(fabs(out[3 * i + j] - (j + 1) * x[i]),
                                    1e-10 * (1.0 + fabs(x[i])));
    }
}
END_TEST

START_TEST(no_factors)
{
    static factors f;
    perp_rng rng = {3};
    draw(f.A, 12, 0, &rng);
    for (int j = 0; j < 12; j++)
        f.A[5 * 12 + j] = 0.0;
    ck_assert_int_eq(factor(&f, 12), 0);
    draw(f.A, 12, 0, &rng);
    memset(f.A, 0, 12 * 6 * sizeof(double));
    for (int i = 0; i < 6; i++) /* the first six rows are one */
        f.A[i * 12] = f.A[i * 12 + 1] = 1.0;
    ck_assert_int_eq(factor(&f, 12), 0);
    draw(f.A, 12, 0, &rng);
    f.A[7] = NAN;
    ck_assert_int_eq(factor(&f, 12), 0);
    f.A[7] = INFINITY;
    ck_assert_int_eq(factor(&f, 12), 0);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("LU of few unknowns");
    TCase *test = tcase_create("LU of few unknowns");
    tcase_add_loop_test(test, solutions, 0, 5);
    tcase_add_test(test, no_factors);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
