/* SPDX-License-Identifier: BSD-3-Clause */
/* Small kernels, matrix views, products and conversions against dense algebra. */
#include <check.h>
#include <limits.h>

#include "tests/fixtures/dense_reference.h"
#include "linalg/csc.h"
#include "linalg/mat.h"
#include "linalg/small.h"

START_TEST(dot_and_norm)
{
    perp_rng rng = {1};
    for (int n = 0; n < 20; n++) {
        double *x = ref_random(&rng, n, 1), *y = ref_random(&rng, n, 1);
        double *product = ref_multiply(x, y, 1, n, 1), *square = ref_multiply(x, x, 1, n, 1);
        ck_assert_double_eq_tol(perp_dot(x, y, n), product[0], 1e-14);
        ck_assert_double_eq_tol(perp_norm(x, n), sqrt(square[0]), 1e-14);
        free(x);
        free(y);
        free(product);
        free(square);
    }
    const double large[] = {3e300, -4e300}, small[] = {3e-300, 4e-300};
    ck_assert_double_eq_tol(perp_norm(large, 2) / 5e300, 1.0, 1e-15);
    ck_assert_double_eq_tol(perp_norm(small, 2) / 5e-300, 1.0, 1e-15);
    const double bad[] = {1.0, NAN, 2.0}, infinite[] = {1.0, -INFINITY};
    ck_assert(isnan(perp_norm(bad, 3)));
    ck_assert(isinf(perp_norm(infinite, 2)));
}
END_TEST

START_TEST(small_products)
{
    perp_rng rng = {2};
    for (int m = 1; m <= 7; m++) {
        for (int n = 1; n <= 7; n++) {
            double *A = ref_random(&rng, m, n), *x = ref_random(&rng, n, 1);
            double *u = ref_random(&rng, m, 1), *T = ref_transpose(A, m, n);
            double *y = ref_multiply(A, x, m, n, 1), *v = ref_multiply(T, u, n, m, 1);
            double got[7] = {0.0}, back[7] = {0.0};
            perp_small_gemv(got, A, x, m, n);
            perp_small_gemtv(back, A, u, m, n);
            ck_assert_double_lt(ref_distance(got, y, (size_t)m), 1e-14);
            ck_assert_double_lt(ref_distance(back, v, (size_t)n), 1e-14);
            double *all[] = {A, x, u, T, y, v};
            for (int k = 0; k < 6; k++)
                free(all[k]);
        }
    }
}
END_TEST

START_TEST(small_inverse_and_solve)
{
    perp_rng rng = {3};
    for (int trial = 0; trial < 2000; trial++) {
        int n = 1 + trial % 12;
        double *A = ref_random(&rng, n, n), *b = ref_random(&rng, n, 1);
        double inverse[144], x[12];
        ck_assert_int_eq(perp_small_invert(inverse, A, n), 1);
        ck_assert_int_eq(perp_small_solve(x, A, b, n), 1);
        double *product = ref_multiply(A, inverse, n, n, n), *back = ref_multiply(A, x, n, n, 1);
        double norm = perp_small_norm2(A, n) * perp_small_norm2(inverse, n);
        for (int i = 0; i < n; i++)
            product[i + i * n] -= 1.0;
        for (int i = 0; i < n * n; i++)
            ck_assert_double_lt(fabs(product[i]), 1e-14 * n * norm);
        ck_assert_double_lt(ref_distance(back, b, (size_t)n), 1e-14 * n * norm);

        /* A column that is a combination of two others. */
        for (int i = 0; n > 1 && i < n; i++)
            A[i + (n - 1) * n] = n > 2 ? A[i] - 0.5 * A[i + n] : 3.0 * A[i];
        if (n > 1) {
            ck_assert_int_eq(perp_small_solve(x, A, b, n), 0);
            ck_assert_int_eq(perp_small_invert(inverse, A, n), 0);
        }
        free(A);
        free(b);
        free(product);
        free(back);
    }
    const double zero[9] = {0.0}, nan[4] = {1.0, NAN, NAN, 1.0};
    double out[9];
    ck_assert_int_eq(perp_small_invert(out, zero, 3), 0);
    ck_assert_int_eq(perp_small_invert(out, nan, 2), 0);
}
END_TEST

START_TEST(small_cholesky)
{
    perp_rng rng = {4};
    for (int trial = 0; trial < 500; trial++) {
        int n = 1 + trial % 12;
        double *F = ref_random(&rng, n, n), *T = ref_transpose(F, n, n);
        double *A = ref_multiply(F, T, n, n, n), L[144];
        for (int i = 0; i < n; i++)
            A[i + i * n] += 0.1;
        ck_assert_int_eq(perp_small_cholesky(L, A, n), 1);
        double *LT = ref_transpose(L, n, n), *product = ref_multiply(L, LT, n, n, n);
        ck_assert_double_lt(ref_distance(product, A, (size_t)(n * n)), 1e-14);
        A[(n - 1) + (n - 1) * n] -= 2.0 * n + A[(n - 1) + (n - 1) * n];
        ck_assert_int_eq(perp_small_cholesky(L, A, n), 0);
        double *all[] = {F, T, A, LT, product};
        for (int k = 0; k < 5; k++)
            free(all[k]);
    }
}
END_TEST

/* Reflections H_v D H_u with the diagonal known. */
static double *known_singular_values(perp_rng *rng, const double *values, int n, int same)
{
    double *u = ref_random(rng, n, 1), *v = ref_random(rng, n, 1), *A = ref_zero(n, n);
    double uu = perp_dot(u, u, n), vv = perp_dot(v, v, n);
    const double *left = same ? u : v;
    double left_square = same ? uu : vv;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                A[i + j * n] += ((i == k) - 2.0 * left[i] * left[k] / left_square) * values[k] *
                                ((j == k) - 2.0 * u[j] * u[k] / uu);
    free(u);
    free(v);
    return A;
}

START_TEST(spectral_norm)
{
    perp_rng rng = {5};
    for (int trial = 0; trial < 400; trial++) {
        int n = 1 + trial % 40;
        double values[40], largest = 0.0, scale = pow(10.0, 150.0 * perp_rng_signed(&rng));
        for (int i = 0; i < n; i++) {
            values[i] = scale * perp_rng_uniform(&rng);
            /* Clusters at the top and tiny values below. */
            if (trial % 3 == 1)
                values[i] = scale * (1.0 - 1e-6 * i);
            else if (trial % 3 == 2 && i > 0)
                values[i] = scale * 1e-9;
            largest = fmax(largest, values[i]);
        }
        double *A = known_singular_values(&rng, values, n, 0);
        ck_assert_double_eq_tol(perp_small_norm2(A, n) / largest, 1.0, n <= 6 ? 2e-14 : 1e-10);
        free(A);
    }
    /* The closed forms of two and three rows where singular values meet. */
    for (int trial = 0; trial < 600; trial++) {
        int n = 2 + trial % 2;
        double apart = trial % 5 ? pow(10.0, -2.0 - perp_rng_below(&rng, 14)) : 0.0;
        double values[3] = {1.0, 1.0 - apart, trial % 3 ? perp_rng_uniform(&rng) : 1.0 - apart};
        double *A = known_singular_values(&rng, values, n, 0);
        ck_assert_double_eq_tol(perp_small_norm2(A, n), 1.0, 1e-14);
        free(A);
    }
    double *zero = ref_zero(30, 30);
    ck_assert_double_eq(perp_small_norm2(zero, 30), 0.0);
    ck_assert_double_eq(perp_small_norm2(zero, 3), 0.0);
    zero[7] = NAN;
    ck_assert(isnan(perp_small_norm2(zero, 30)));
    free(zero);

    /* Identity: the Lanczos process ends at its first step. */
    double *one = ref_zero(100, 100);
    for (int i = 0; i < 100; i++)
        one[101 * i] = 2.5;
    ck_assert_double_eq_tol(perp_small_norm2(one, 100), 2.5, 1e-12);
    free(one);
}
END_TEST

START_TEST(symmetric_eigenvalues)
{
    perp_rng rng = {6};
    for (int trial = 0; trial < 1000; trial++) {
        int n = 1 + trial % 6;
        double values[6], got[6];
        for (int i = 0; i < n; i++)
            values[i] = i - 2.0 + 0.5 * perp_rng_uniform(&rng);
        double *A = known_singular_values(&rng, values, n, 1);
        perp_small_eigenvalues(got, A, n);
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(got[i], values[i], 1e-13);
        free(A);
    }
}
END_TEST

/* A matrix of each explicit kind with its arrays. */
typedef struct sample {
    perp_mat A;
    ref_pattern pattern;
    double *x;
} sample;

static sample random_dense(perp_rng *rng, int rows, int cols)
{
    sample s = {.x = ref_random(rng, rows + 3, cols)};
    ck_assert_int_eq(perp_mat_init_dense(&s.A, rows, cols, s.x, rows + 3), PERP_SOLVED);
    return s;
}

static sample random_csc(perp_rng *rng, int rows, int cols, double density)
{
    sample s = {.pattern = ref_random_pattern(rng, cols, rows, density, 0)};
    s.x = ref_random(rng, s.pattern.ptr[cols], 1);
    ck_assert_int_eq(perp_mat_init_csc(&s.A, rows, cols, s.pattern.ptr, s.pattern.index, s.x),
                     PERP_SOLVED);
    return s;
}

static sample random_bsr(perp_rng *rng, int block_rows, int block, double density)
{
    sample s = {.pattern = ref_random_pattern(rng, block_rows, block_rows, density, 0)};
    s.x = ref_random(rng, s.pattern.ptr[block_rows] * block * block, 1);
    ck_assert_int_eq(
        perp_mat_init_bsr(&s.A, block_rows, block, s.pattern.ptr, s.pattern.index, s.x),
        PERP_SOLVED);
    return s;
}

static void sample_free(sample *s)
{
    ref_pattern_free(&s->pattern);
    free(s->x);
}

static sample random_square(perp_rng *rng, int which)
{
    if (which == 0)
        return random_dense(rng, 12, 12);
    if (which == 1)
        return random_csc(rng, 24, 24, 0.3);
    return random_bsr(rng, 12, which - 1, 0.3);
}

enum { SQUARE_SAMPLES = 8 };

static void check_products(perp_rng *rng, const perp_mat *A)
{
    double *D = ref_dense_of(A), *T = ref_transpose(D, A->rows, A->cols);
    double *x = ref_random(rng, A->cols, 1), *u = ref_random(rng, A->rows, 1);
    double *y = ref_multiply(D, x, A->rows, A->cols, 1);
    double *v = ref_multiply(T, u, A->cols, A->rows, 1);
    double *got = ref_random(rng, A->rows, 1), *back = ref_random(rng, A->cols, 1);
    ck_assert_uint_eq(perp_mat_scratch(A), 0);
    ck_assert_int_eq(perp_mat_apply(A, x, NULL, got), PERP_SOLVED);
    ck_assert_double_lt(ref_distance(got, y, (size_t)A->rows), 1e-14);
    ck_assert_int_eq(perp_mat_apply_transposed(back, A, u, NULL), PERP_SOLVED);
    ck_assert_double_lt(ref_distance(back, v, (size_t)A->cols), 1e-14);
    double *all[] = {D, T, x, u, y, v, got, back};
    for (int k = 0; k < 8; k++)
        free(all[k]);
}

START_TEST(products_of_every_kind)
{
    perp_rng rng = {7};
    for (int trial = 0; trial < 200; trial++) {
        sample square = random_square(&rng, trial % SQUARE_SAMPLES);
        int rows = 1 + perp_rng_below(&rng, 20), cols = perp_rng_below(&rng, 20);
        sample wide =
            trial % 2 ? random_dense(&rng, rows, cols) : random_csc(&rng, rows, cols, 0.4);
        ck_assert_int_eq(perp_mat_check(&square.A, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_mat_check(&wide.A, NULL, NULL), PERP_SOLVED);
        check_products(&rng, &square.A);
        check_products(&rng, &wide.A);
        sample_free(&square);
        sample_free(&wide);
    }
}
END_TEST

static int twice(void *ctx, double *y, const double *x)
{
    y[0] = 2.0 * x[0];
    return ctx != NULL;
}

START_TEST(operators)
{
    perp_mat A;
    double x = 3.0, y = 0.0, stop = 1.0, diagonal = 2.0, out = 0.0;
    ck_assert_int_eq(perp_mat_init_operator(&A, 1, twice, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_mat_check(&A, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_mat_apply(&A, &x, NULL, &y), PERP_SOLVED);
    ck_assert_double_eq(y, 6.0);
    ck_assert_int_eq(perp_mat_apply_transposed(&y, &A, &x, NULL), PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(perp_mat_init_operator(&A, 1, twice, &stop, &diagonal), PERP_SOLVED);
    ck_assert_int_eq(perp_mat_apply(&A, &x, NULL, &y), PERP_INTERRUPTED);
    const int offset[] = {0, 1};
    const size_t start[] = {0};
    ck_assert_int_eq(perp_mat_diagonal_blocks(&out, &A, offset, start, 1, NULL), PERP_SOLVED);
    ck_assert_double_eq(out, 2.0);
    perp_arena arena;
    perp_csc C;
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_csc_from_mat(&C, &A, &arena), PERP_ERR_UNSUPPORTED);
    perp_arena_free(&arena);
}
END_TEST

START_TEST(columns_are_added)
{
    perp_rng rng = {8};
    for (int trial = 0; trial < 50; trial++) {
        sample s = trial % 2 ? random_dense(&rng, 9, 14) : random_csc(&rng, 9, 14, 0.4);
        double *D = ref_dense_of(&s.A), x[14], y[9], expected[9];
        int dim = 1 + perp_rng_below(&rng, 6), col = perp_rng_below(&rng, 14 - dim);
        for (int k = 0; k < dim; k++)
            x[k] = perp_rng_signed(&rng);
        for (int i = 0; i < 9; i++) {
            y[i] = expected[i] = perp_rng_signed(&rng);
            for (int k = 0; k < dim; k++)
                expected[i] += D[i + (col + k) * 9] * x[k];
        }
        perp_mat_add_columns(y, &s.A, x, col, dim);
        ck_assert_double_lt(ref_distance(y, expected, 9), 1e-14);
        free(D);
        sample_free(&s);
    }
}
END_TEST

START_TEST(diagonal_blocks)
{
    perp_rng rng = {9};
    for (int trial = 0; trial < 200; trial++) {
        sample s = random_square(&rng, trial % SQUARE_SAMPLES);
        int n = s.A.rows, offset[128], count = 0;
        size_t start[128], size = 0;
        for (offset[0] = 0; offset[count] < n; count++) {
            int rest = n - offset[count], dim = perp_rng_below(&rng, 6);
            offset[count + 1] = offset[count] + (dim < rest ? dim : rest);
            int got = offset[count + 1] - offset[count];
            start[count] = size;
            size += (size_t)(got * got);
            if (count > 110)
                offset[count + 1] = n, size += (size_t)(n * n);
        }
        double *D = ref_dense_of(&s.A), *out = ref_random(&rng, (int)size, 1);
        ck_assert_int_eq(perp_mat_diagonal_blocks(out, &s.A, offset, start, count, NULL),
                         PERP_SOLVED);
        for (int k = 0; k < count; k++) {
            int dim = offset[k + 1] - offset[k];
            for (int e = 0; e < dim * dim; e++)
                ck_assert_double_eq(out[start[k] + (size_t)e],
                                    D[offset[k] + e % dim + (offset[k] + e / dim) * n]);
        }
        free(D);
        free(out);
        sample_free(&s);
    }
}
END_TEST

static void check_sorted(const perp_csc *C)
{
    for (int j = 0; j < C->cols; j++)
        for (int p = C->colptr[j] + 1; p < C->colptr[j + 1]; p++)
            ck_assert_int_lt(C->row[p - 1], C->row[p]);
}

START_TEST(conversions_round_trip)
{
    perp_rng rng = {10};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    for (int trial = 0; trial < 200; trial++) {
        sample s = random_square(&rng, trial % SQUARE_SAMPLES);
        size_t count = (size_t)s.A.rows * (size_t)s.A.cols;
        double *D = ref_dense_of(&s.A);
        perp_csc C, T;
        ck_assert_int_eq(perp_csc_from_mat(&C, &s.A, &arena), PERP_SOLVED);
        check_sorted(&C);
        perp_mat view = perp_csc_view(&C);
        double *back = ref_dense_of(&view);
        ck_assert_mem_eq(back, D, count * sizeof(double));
        free(back);

        ck_assert_int_eq(perp_csc_transpose(&T, &C, &arena), PERP_SOLVED);
        view = perp_csc_view(&T);
        double *DT = ref_transpose(D, s.A.rows, s.A.cols);
        back = ref_dense_of(&view);
        ck_assert_mem_eq(back, DT, count * sizeof(double));
        free(back);

        double asymmetry, difference = 0.0, largest = 0.0;
        for (size_t i = 0; i < count; i++) {
            difference = fmax(difference, fabs(D[i] - DT[i]));
            largest = fmax(largest, fabs(D[i]));
        }
        ck_assert_int_eq(perp_csc_asymmetry(&asymmetry, &C, &arena), PERP_SOLVED);
        ck_assert_double_eq(asymmetry, largest > 0.0 ? difference / largest : 0.0);

        for (int block = 1; block <= 6; block++) {
            perp_mat B;
            ck_assert_int_eq(perp_bsr_from_csc(&B, &C, block, &arena),
                             s.A.rows % block ? PERP_ERR_ARGUMENT : PERP_SOLVED);
            if (s.A.rows % block)
                continue;
            ck_assert_int_eq(perp_mat_check(&B, NULL, NULL), PERP_SOLVED);
            back = ref_dense_of(&B);
            ck_assert_mem_eq(back, D, count * sizeof(double));
            free(back);
        }
        free(D);
        free(DT);
        sample_free(&s);
        perp_arena_reset(&arena);
    }
    perp_arena_free(&arena);
}
END_TEST

START_TEST(triplets_are_summed)
{
    perp_rng rng = {11};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    for (int trial = 0; trial < 100; trial++) {
        int rows = 1 + perp_rng_below(&rng, 9), cols = 1 + perp_rng_below(&rng, 9);
        int nz = perp_rng_below(&rng, 60), row[60], col[60];
        double x[60], *D = ref_zero(rows, cols);
        for (int k = 0; k < nz; k++) {
            row[k] = perp_rng_below(&rng, rows);
            col[k] = perp_rng_below(&rng, cols);
            x[k] = perp_rng_signed(&rng);
            D[row[k] + col[k] * rows] += x[k];
        }
        perp_csc C;
        ck_assert_int_eq(perp_csc_from_triplets(&C, rows, cols, nz, row, col, x, &arena),
                         PERP_SOLVED);
        check_sorted(&C);
        perp_mat view = perp_csc_view(&C);
        double *back = ref_dense_of(&view);
        ck_assert_mem_eq(back, D, (size_t)(rows * cols) * sizeof(double));
        row[0] = rows;
        ck_assert_int_eq(perp_csc_from_triplets(&C, rows, cols, 1, row, col, x, &arena),
                         PERP_ERR_STRUCTURE);
        row[0] = 0;
        col[0] = -1;
        ck_assert_int_eq(perp_csc_from_triplets(&C, rows, cols, 1, row, col, x, &arena),
                         PERP_ERR_STRUCTURE);
        free(D);
        free(back);
    }
    perp_arena_free(&arena);
}
END_TEST

START_TEST(bad_arguments_leave_the_view)
{
    perp_mat A;
    memset(&A, 0x5a, sizeof A);
    perp_mat before = A;
    double x = 1.0;
    int i[2] = {0, 0};
    ck_assert_int_eq(perp_mat_init_dense(&A, 1, 1, NULL, 1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_init_dense(&A, -1, 1, &x, 1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_init_dense(&A, 2, 1, &x, 1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_init_csc(&A, 1, -1, i, i, &x), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_init_csc(&A, 1, 1, NULL, i, &x), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_init_csc(&A, 1, 1, i, NULL, &x), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_init_csc(&A, 1, 1, i, i, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_init_bsr(&A, 1, 0, i, i, &x), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_init_bsr(&A, 1, 7, i, i, &x), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_init_bsr(&A, INT_MAX / 2, 3, i, i, &x), PERP_ERR_OVERFLOW);
    ck_assert_int_eq(perp_mat_init_operator(&A, 1, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_init_operator(&A, -1, twice, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mat_init_delassus(&A, 1, 1, i, i, &x, NULL), PERP_ERR_ARGUMENT);
    ck_assert_mem_eq(&A, &before, sizeof A);
    ck_assert_int_eq(perp_mat_init_dense(NULL, 1, 1, &x, 1), PERP_ERR_ARGUMENT);
}
END_TEST

static void expect(const perp_mat *A, perp_status status, const char *what, int index)
{
    perp_where where = {"", 0, 0};
    ck_assert_int_eq(perp_mat_check(A, NULL, &where), status);
    ck_assert_str_eq(where.what, what);
    ck_assert_int_eq(where.index, index);
    ck_assert_int_eq(where.segment, -1);
    ck_assert_int_eq(perp_mat_check(A, NULL, NULL), status);
}

/* Breaks one entry, expects, repairs. */
static void expect_index(const perp_mat *A, int *at, int value, const char *what, int index)
{
    int old = *at;
    *at = value;
    expect(A, PERP_ERR_STRUCTURE, what, index);
    *at = old;
    ck_assert_int_eq(perp_mat_check(A, NULL, NULL), PERP_SOLVED);
}

START_TEST(malformed_arrays_are_named)
{
    int ptr[] = {0, 2, 3, 3}, index[] = {2, 0, 1};
    double x[27];
    for (int i = 0; i < 27; i++)
        x[i] = 1.0;
    perp_mat A;
    for (int kind = 0; kind < 2; kind++) {
        const char *ptr_name = kind ? "rowptr" : "colptr", *index_name = kind ? "col" : "row";
        if (kind)
            perp_mat_init_bsr(&A, 3, 3, ptr, index, x);
        else
            perp_mat_init_csc(&A, 3, 3, ptr, index, x);
        ck_assert_int_eq(perp_mat_check(&A, NULL, NULL), PERP_SOLVED);
        expect_index(&A, &ptr[0], 1, ptr_name, 0);
        expect_index(&A, &ptr[2], 1, ptr_name, 2);
        expect_index(&A, &ptr[1], -5, ptr_name, 1);
        expect_index(&A, &ptr[1], INT_MAX, ptr_name, 2);
        expect_index(&A, &index[1], 3, index_name, 1);
        expect_index(&A, &index[0], -1, index_name, 0);
        expect_index(&A, &index[1], 2, index_name, 1);
        int last = kind ? 26 : 2;
        x[last] = INFINITY;
        expect(&A, PERP_ERR_NONFINITE, "x", last);
        x[last] = 1.0;
    }
    perp_mat_init_dense(&A, 3, 3, x, 5);
    x[4] = NAN;
    ck_assert_int_eq(perp_mat_check(&A, NULL, NULL), PERP_SOLVED);
    x[6] = NAN;
    expect(&A, PERP_ERR_NONFINITE, "x", 6);
    perp_mat_init_operator(&A, 5, twice, NULL, x);
    expect(&A, PERP_ERR_NONFINITE, "diagonal", 4);
    A.rows = -1;
    expect(&A, PERP_ERR_ARGUMENT, "rows", -1);
    A.rows = 5;
    A.kind = (perp_mat_kind)17;
    expect(&A, PERP_ERR_ARGUMENT, "kind", -1);
    expect(NULL, PERP_ERR_ARGUMENT, "matrix", -1);
}
END_TEST

START_TEST(memory_failures)
{
    perp_rng rng = {12};
    for (int which = 0; which < SQUARE_SAMPLES; which++) {
        sample s = random_square(&rng, which);
        int finished = 0;
        for (int k = 0; !finished; k++) {
            ref_memory memory = {.fail_at = k};
            perp_allocator allocator = ref_allocator(&memory);
            perp_arena arena;
            perp_csc C;
            perp_mat B;
            double asymmetry;
            perp_arena_init(&arena, &allocator);
            perp_status status = perp_mat_check(&s.A, &allocator, NULL);
            if (status == PERP_SOLVED)
                status = perp_csc_from_mat(&C, &s.A, &arena);
            if (status == PERP_SOLVED)
                status = perp_csc_asymmetry(&asymmetry, &C, &arena);
            if (status == PERP_SOLVED)
                status = perp_bsr_from_csc(&B, &C, 1, &arena);
            ck_assert(status == PERP_SOLVED || status == PERP_ERR_MEMORY);
            finished = status == PERP_SOLVED;
            ck_assert(finished || memory.count > k);
            perp_arena_free(&arena);
            ck_assert_int_eq(memory.live, 0);
        }
        sample_free(&s);
    }
}
END_TEST

static Suite *suite(void)
{
    Suite *s = suite_create("linalg");
    TCase *kernels = tcase_create("small kernels");
    tcase_add_test(kernels, dot_and_norm);
    tcase_add_test(kernels, small_products);
    tcase_add_test(kernels, small_inverse_and_solve);
    tcase_add_test(kernels, small_cholesky);
    tcase_add_test(kernels, spectral_norm);
    tcase_add_test(kernels, symmetric_eigenvalues);
    suite_add_tcase(s, kernels);
    TCase *views = tcase_create("matrix views");
    tcase_add_test(views, products_of_every_kind);
    tcase_add_test(views, operators);
    tcase_add_test(views, columns_are_added);
    tcase_add_test(views, diagonal_blocks);
    tcase_add_test(views, conversions_round_trip);
    tcase_add_test(views, triplets_are_summed);
    tcase_add_test(views, bad_arguments_leave_the_view);
    tcase_add_test(views, malformed_arrays_are_named);
    tcase_add_test(views, memory_failures);
    suite_add_tcase(s, views);
    return s;
}

int main(void)
{
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
