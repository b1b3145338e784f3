/* SPDX-License-Identifier: BSD-3-Clause */
/* The multifrontal factorisation on random sparse systems with planted solutions, with and
 * without rows left out, against the matrix itself. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/dense_reference.h"
#include "linalg/factor/front.h"

/* Blocks of order b in a random pattern, the diagonal among them. */
static perp_csc random_blocks(perp_rng *rng, int blocks, int b, double density, double diagonal,
                              perp_arena *arena)
{
    int n = blocks * b, end = 0;
    char *there = calloc((size_t)blocks * (size_t)blocks, 1);
    perp_csc A = {.rows = n, .cols = n};
    A.colptr = PERP_TAKE(arena, int, n + 1);
    A.row = PERP_TAKE(arena, int, n *n);
    A.x = PERP_TAKE(arena, double, n *n);
    for (int k = 0; k < blocks * blocks; k++)
        there[k] = k % (blocks + 1) == 0 || perp_rng_uniform(rng) < density;
    for (int j = 0; j < n; j++) {
        A.colptr[j] = end;
        for (int i = 0; i < n; i++)
            if (there[i / b * blocks + j / b]) {
                A.row[end] = i;
                A.x[end++] = perp_rng_signed(rng) + (i == j ? diagonal : 0.0);
            }
    }
    A.colptr[n] = end;
    free(there);
    return A;
}

/* x is planted; the right-hand side of a skipped row is its x. */
static double error_of(perp_front *front, const perp_csc *A, const unsigned char *skip,
                       const double *x)
{
    double *b = ref_zero(A->cols, 1), error = 0.0;
    for (int j = 0; j < A->cols; j++)
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++)
            b[A->row[p]] += A->x[p] * x[j];
    for (int i = 0; skip && i < A->cols; i++)
        if (skip[i])
            b[i] = x[i];
    ck_assert_int_eq(perp_front_factorise(front, A->x, skip), PERP_SOLVED);
    ck_assert_double_le(perp_front_solve(front, A->x, skip, b, 1e-14), 1e-12);
    for (int i = 0; i < A->cols; i++)
        error = fmax(error, fabs(b[i] - x[i]));
    free(b);
    return error;
}

START_TEST(planted_solutions_are_found)
{
    perp_rng rng = {5};
    for (int trial = 0; trial < 300; trial++) {
        perp_arena arena;
        perp_front front;
        perp_arena_init(&arena, NULL);
        int b = 1 + perp_rng_below(&rng, 4), blocks = 1 + perp_rng_below(&rng, 40), n = b * blocks;
        double density = trial % 5 == 4 ? 1.0 : 0.3 * perp_rng_uniform(&rng);
        perp_csc A = random_blocks(&rng, blocks, b, density, 3.0, &arena);
        int *group = PERP_TAKE(&arena, int, n);
        for (int i = 0; i < n; i++)
            group[i] = i % blocks; /* any grouping will do, neighbours or not */
        ck_assert_int_eq(perp_front_analyse(&front, &A, trial % 4 == 3 ? group : NULL, blocks,
                                            (perp_ordering_kind)(trial % 3), &arena),
                         PERP_SOLVED);
        ck_assert_int_eq(front.full, A.colptr[n] == n * n);
        ck_assert(trial % 5 != 4 || front.full);
        unsigned char *skip = PERP_TAKE(&arena, unsigned char, n);
        double *x = ref_random(&rng, n, 1);
        for (int round = 0; round < 4; round++) {
            for (int i = 0; i < n; i++)
                skip[i] = round == 3 || perp_rng_uniform(&rng) < 0.3;
            ck_assert_double_le(error_of(&front, &A, round == 0 ? NULL : skip, x), 1e-10);
        }
        free(x);
        perp_arena_free(&arena);
    }
}
END_TEST

/* A row all of whose terms are what rounding left says nothing about the others. */
START_TEST(rows_of_next_to_nothing)
{
    perp_rng rng = {8};
    for (int trial = 0; trial < 100; trial++) {
        perp_arena arena;
        perp_front front;
        perp_arena_init(&arena, NULL);
        int n = 2 * (10 + perp_rng_below(&rng, 30));
        perp_csc A = random_blocks(&rng, n / 2, 2, 2.0 / n, 1.5, &arena);
        ck_assert_int_eq(perp_front_analyse(&front, &A, NULL, 0, PERP_ORDERING_AUTO, &arena), 0);
        double *x = ref_random(&rng, n, 1);
        memset(x + n / 2, 0, (size_t)(n / 2) * sizeof *x);
        ck_assert_double_le(error_of(&front, &A, NULL, x), 1e-9);
        free(x);
        perp_arena_free(&arena);
    }
}
END_TEST

START_TEST(missing_pivots_are_reported)
{
    perp_rng rng = {6};
    perp_arena arena;
    perp_front front;
    perp_arena_init(&arena, NULL);
    perp_csc A = random_blocks(&rng, 10, 3, 0.3, 3.0, &arena);
    ck_assert_int_eq(perp_front_analyse(&front, &A, NULL, 0, PERP_ORDERING_AUTO, &arena), 0);
    double *good = PERP_TAKE(&arena, double, A.colptr[30]), *x = ref_random(&rng, 30, 1);
    memcpy(good, A.x, (size_t)A.colptr[30] * sizeof(double));
    for (int p = A.colptr[7]; p < A.colptr[8]; p++)
        A.x[p] = 0.0;
    ck_assert_int_eq(perp_front_factorise(&front, A.x, NULL), PERP_ERR_SINGULAR);
    A.x[A.colptr[7]] = NAN;
    ck_assert_int_ne(perp_front_factorise(&front, A.x, NULL), PERP_SOLVED);
    memcpy(A.x, good, (size_t)A.colptr[30] * sizeof(double));
    ck_assert_double_le(error_of(&front, &A, NULL, x), 1e-10);
    free(x);
    perp_arena_free(&arena);
}
END_TEST

START_TEST(an_empty_matrix_is_factorised)
{
    int colptr[1] = {0}, none = 0;
    double x = 0.0;
    perp_csc A = {0, 0, colptr, &none, &x};
    perp_arena arena;
    perp_front front;
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_front_analyse(&front, &A, NULL, 0, PERP_ORDERING_AUTO, &arena), 0);
    ck_assert_int_eq(perp_front_factorise(&front, &x, NULL), PERP_SOLVED);
    ck_assert_double_le(perp_front_solve(&front, &x, NULL, &x, 1e-14), 0.0);
    perp_arena_free(&arena);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("front");
    TCase *cases = tcase_create("front");
    tcase_add_test(cases, planted_solutions_are_found);
    tcase_add_test(cases, rows_of_next_to_nothing);
    tcase_add_test(cases, missing_pivots_are_reported);
    tcase_add_test(cases, an_empty_matrix_is_factorised);
    suite_add_tcase(suite, cases);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
