/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factors of few unknowns by blocks: chains, multipliers between their blocks, a rest that
 * becomes the Schur complement, rows that must be exchanged within a block and beyond it, units far
 * apart, both ways; singular matrices, dependent multipliers and what is not finite. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "kernel/derivative/small_lu.h"

enum { N = 120, SIX = 6, LINKS = 5, MOST = PERP_SMALL_LU_WIDEST };

typedef struct factors {
    int n; /* unknowns */
    double A[N * N], work[N * PERP_SMALL_LU_COLUMNS];
    double numbers[N * PERP_SMALL_LU_COLUMNS];
    int integers[N * PERP_SMALL_LU_BLOCKS];
    perp_small_lu_plan plan;
    perp_small_lu lu;
} factors;

static perp_small_lu_answer factor(factors *f)
{
    perp_small_lu_answer answer;
    do {
        perp_small_lu_plan *p = &f->plan;
        for (size_t i = 0; i < sizeof f->work / sizeof *f->work; i++)
            f->work[i] = NAN; /* what is not cleared must not be read */
        for (int i = 0; i < f->n; i++)
            for (int j = 0; j < f->n; j++)
                if (f->A[i * f->n + j] != 0.0)
                    perp_small_lu_reach(p, p->block_of[i], p->block_of[j]);
        perp_small_lu_clear(f->work, p);
        for (int i = 0; i < f->n; i++)
            for (int j = 0; j < f->n; j++)
                if (f->A[i * f->n + j] != 0.0)
                    f->work[p->row_of[i] * p->columns + p->column_of[j]] = f->A[i * f->n + j];
        answer = perp_small_lu_eliminate(f->work, p);
        if (answer == PERP_SMALL_LU_UNSTABLE)
            perp_small_lu_join(p);
    } while (answer == PERP_SMALL_LU_UNSTABLE);
    if (answer == PERP_SMALL_LU_FINE) {
        int integers, numbers;
        perp_small_lu_memory(&f->plan, &integers, &numbers);
        ck_assert_int_le(integers, N * PERP_SMALL_LU_BLOCKS);
        ck_assert_int_le(numbers, N * PERP_SMALL_LU_COLUMNS);
        perp_small_lu_pack(&f->lu, f->work, &f->plan, f->integers, f->numbers);
    }
    return answer;
}

/* Blocks of six, each coupled with the next; weak: small entries on the diagonal. */
static void draw(double *A, int n, int weak, perp_rng *rng)
{
    memset(A, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int apart = abs(i / SIX - j / SIX);
            double unit = pow(10.0, 3.0 * (i % 2) - 3.0 * (j % 2));
            if (apart < 2)
                A[i * n + j] = unit * perp_rng_signed(rng) * (apart ? 0.3 : 1.0);
            if (i == j)
                A[i * n + j] = weak ? 0.0 : 4.0;
        }
}

static double left(const double *A, const double *x, const double *b, int n, int stride,
                   int transposed)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = -b[i], terms = fabs(b[i]);
        for (int j = 0; j < n; j++) {
            double a = transposed ? A[j * stride + i] : A[i * stride + j];
            sum += a * x[j];
            terms += fabs(a * x[j]);
        }
        most = fmax(most, fabs(sum) / terms);
    }
    return most;
}

static void check_solutions(const factors *f, int n, perp_rng *rng)
{
    double b[N], x[N];
    for (int transposed = 0; transposed < 2; transposed++) {
        for (int i = 0; i < n; i++)
            x[i] = b[i] = perp_rng_signed(rng);
        if (transposed)
            perp_small_lu_solve_transposed(&f->lu, x);
        else
            perp_small_lu_solve(&f->lu, x);
        ck_assert_double_le(left(f->A, x, b, n, f->n, transposed), 1e-10);
    }
}

/* Blocks in turn, and from the last one to the first. */
START_TEST(solutions)
{
    static factors f;
    perp_rng rng = {(uint64_t)_i + 1};
    for (int k = 0; k < 20; k++) {
        f.n = 2 + (int)(perp_rng_uniform(&rng) * (PERP_SMALL_LU_MOST - 1));
        int blocks = (f.n + SIX - 1) / SIX;
        draw(f.A, f.n, k % 2, &rng);
        perp_small_lu_begin(&f.plan, f.n);
        for (int b = 0; b < blocks; b++) {
            int at = SIX * (k % 3 ? b : blocks - 1 - b);
            perp_small_lu_add(&f.plan, PERP_SMALL_LU_MOTION, at, at + SIX < f.n ? SIX : f.n - at);
        }
        ck_assert_int_eq(factor(&f), PERP_SMALL_LU_FINE);
        check_solutions(&f, f.n, &rng);
    }
}
END_TEST

/* A chain of bodies of units apart, a pivot of five rows between each and the next, and `rest` rows
 * on the first and the last of them.  copy: the last pivot has a row twice. */
static void draw_chain(factors *f, int rest, int copy, perp_rng *rng)
{
    int motions = SIX * (LINKS + 1), pivots = motions + 5 * LINKS;
    f->n = pivots + rest;
    memset(f->A, 0, sizeof f->A);
    for (int k = 0; k < motions; k++)
        for (int l = 0; l < motions; l++)
            if (k / SIX == l / SIX)
                f->A[k * f->n + l] = (k == l ? 2.0 : 0.3 * perp_rng_signed(rng)) *
                                     pow(10.0, -1.0 * (k % SIX > 2) - 1.0 * (l % SIX > 2));
    for (int r = motions; r < f->n; r++) {
        int link = (r - motions) / 5, first = r < pivots ? SIX * link : r % 2 ? 0 : motions - SIX;
        for (int v = first; v < first + (r < pivots ? 2 * SIX : SIX); v++) {
            double x = perp_rng_signed(rng) * (v % SIX > 2 ? 0.1 : 1.0);
            f->A[r * f->n + v] = x;
            f->A[v * f->n + r] = -x * (1.0 + 1e-3 * perp_rng_signed(rng));
        }
    }
    for (int v = 0; v < motions && copy; v++) {
        f->A[(pivots - 1) * f->n + v] = f->A[(pivots - 2) * f->n + v];
        f->A[v * f->n + pivots - 1] = f->A[v * f->n + pivots - 2];
    }
    perp_small_lu_begin(&f->plan, f->n);
    for (int k = 0; k <= LINKS; k++) {
        perp_small_lu_add(&f->plan, PERP_SMALL_LU_MOTION, SIX * k, SIX);
        perp_small_lu_add(&f->plan, PERP_SMALL_LU_MULTIPLIER, motions + 5 * k, k < LINKS ? 5 : 0);
    }
    for (int r = pivots; r < f->n; r += 3)
        perp_small_lu_add(&f->plan, PERP_SMALL_LU_REST, r, r + 3 < f->n ? 3 : f->n - r);
}

START_TEST(complement)
{
    static factors f;
    perp_rng rng = {(uint64_t)_i + 1};
    draw_chain(&f, 10, 0, &rng);
    ck_assert_int_eq(factor(&f), PERP_SMALL_LU_FINE);
    int n = f.n - 10;
    check_solutions(&f, n, &rng);
    for (int j = n; j < f.n; j++) {
        double x[N];
        for (int i = 0; i < n; i++)
            x[i] = f.A[i * f.n + j];
        perp_small_lu_solve(&f.lu, x);
        for (int i = n; i < f.n; i++) {
            double sum = f.A[i * f.n + j], terms = fabs(sum);
            for (int k = 0; k < n; k++) {
                sum -= f.A[i * f.n + k] * x[k];
                terms += fabs(f.A[i * f.n + k] * x[k]);
            }
            double got = f.work[f.plan.row_of[i] * f.plan.columns + f.plan.column_of[j]];
            ck_assert_double_le(fabs(got - sum), 1e-11 * terms);
        }
    }
}
END_TEST

START_TEST(no_factors)
{
    static factors f;
    perp_rng rng = {3};
    draw_chain(&f, 4, 1, &rng);
    ck_assert_int_eq(factor(&f), PERP_SMALL_LU_DEPENDENT);
    for (int k = 0; k < 4; k++) {
        f.n = 2 * SIX;
        draw(f.A, f.n, 0, &rng);
        for (int j = 0; j < f.n; j++)
            f.A[5 * f.n + j] = k == 0 ? 0.0 : k == 1 ? f.A[4 * f.n + j] : f.A[5 * f.n + j];
        if (k > 1)
            f.A[7] = k == 2 ? NAN : INFINITY;
        perp_small_lu_begin(&f.plan, f.n);
        perp_small_lu_add(&f.plan, PERP_SMALL_LU_MOTION, 0, SIX);
        perp_small_lu_add(&f.plan, PERP_SMALL_LU_MOTION, SIX, SIX);
        ck_assert_int_eq(factor(&f), PERP_SMALL_LU_SINGULAR);
    }
}
END_TEST

/* Blocks of as many unknowns as there are, of one each: some are put together. */
START_TEST(many_blocks)
{
    static factors f;
    perp_rng rng = {5};
    f.n = 100;
    memset(f.A, 0, sizeof f.A);
    perp_small_lu_begin(&f.plan, MOST);
    for (int i = 0; i < f.n; i++) {
        f.A[i * f.n + i] = 3.0;
        f.A[i * f.n + (i + 1) % f.n] = perp_rng_signed(&rng);
        perp_small_lu_add(&f.plan, PERP_SMALL_LU_MOTION, i, 1);
    }
    ck_assert_int_le(f.plan.blocks, PERP_SMALL_LU_BLOCKS);
    ck_assert_int_eq(factor(&f), PERP_SMALL_LU_FINE);
    check_solutions(&f, f.n, &rng);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("LU of few unknowns");
    TCase *test = tcase_create("LU of few unknowns");
    tcase_add_loop_test(test, solutions, 0, 5);
    tcase_add_loop_test(test, complement, 0, 5);
    tcase_add_test(test, no_factors);
    tcase_add_test(test, many_blocks);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
