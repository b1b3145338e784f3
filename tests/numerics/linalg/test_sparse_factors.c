/* SPDX-License-Identifier: BSD-3-Clause */
/* Every factorisation with every ordering on random sparse systems. */
#include <check.h>
#include <pthread.h>

#include "tests/fixtures/dense_reference.h"
#include "linalg/csc.h"
#include "linalg/factor/factor.h"
#include "linalg/mat.h"
#include "linalg/factor/ordering.h"

typedef enum matrix_class {
    DEFINITE,       /* symmetric positive definite */
    QUASI_DEFINITE, /* [A B'; B -C] with A and C definite */
    UNSYMMETRIC,    /* rows of very different size */
    SADDLE,         /* [A B'; B 0], zeros on the diagonal */
    CLASSES
} matrix_class;

/* Triplets of a random matrix of a class; about 4 entries a row. */
static perp_csc random_matrix(perp_rng *rng, int n, matrix_class class, perp_arena *arena)
{
    int capacity = 24 * n, nz = 0, *row = PERP_TAKE(arena, int, capacity);
    int *col = PERP_TAKE(arena, int, capacity);
    double *x = PERP_TAKE(arena, double, capacity);
    int split = class == QUASI_DEFINITE || class == SADDLE ? n - n / 3 : n;
#define ADD(i, j, value) (row[nz] = (i), col[nz] = (j), x[nz++] = (value))
    for (int i = 0; i < n; i++) {
        double scale = class == UNSYMMETRIC ? pow(10.0, 4.0 * perp_rng_signed(rng)) : 1.0;
        ADD(i, i, i < split ? 0.1 * scale : class == QUASI_DEFINITE ? -0.1 : 0.0);
        for (int k = 0; k < 3; k++) {
            int j = perp_rng_below(rng, n);
            double value = perp_rng_signed(rng);
            if (class == UNSYMMETRIC) {
                ADD(i, j, scale * value);
                ADD(i, i, scale * (0.1 + perp_rng_uniform(rng)));
            } else if ((i < split) != (j < split)) {
                ADD(i, j, value);
                ADD(j, i, value);
            } else if (i < split || class == QUASI_DEFINITE) {
                double sign = i < split ? 1.0 : -1.0;
                ADD(i, j, value);
                ADD(j, i, value);
                ADD(i, i, sign * (fabs(value) + 0.1));
                ADD(j, j, sign * (fabs(value) + 0.1));
            }
        }
        /* Full rank of the constraints of a saddle point. */
        if (class == SADDLE && i >= split) {
            ADD(i, 2 * (i - split), 3.0);
            ADD(2 * (i - split), i, 3.0);
        }
    }
#undef ADD
    perp_csc A;
    ck_assert_int_le(nz, capacity);
    ck_assert_int_eq(perp_csc_from_triplets(&A, n, n, nz, row, col, x, arena), PERP_SOLVED);
    return A;
}

/* |A x - b| / (|A| |x| + |b|) in the norm of the largest entry. */
static double residual(const perp_csc *A, const double *x, const double *b)
{
    double *r = ref_zero(A->rows, 1), *row = ref_zero(A->rows, 1);
    double error = 0.0, size = 0.0, largest = 0.0, norm = 0.0;
    for (int j = 0; j < A->cols; j++) {
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++) {
            r[A->row[p]] += A->x[p] * x[j];
            row[A->row[p]] += fabs(A->x[p]);
        }
        largest = fmax(largest, fabs(x[j]));
    }
    for (int i = 0; i < A->rows; i++) {
        error = isfinite(r[i]) ? fmax(error, fabs(r[i] - b[i])) : INFINITY;
        size = fmax(size, fabs(b[i]));
        norm = fmax(norm, row[i]);
    }
    free(r);
    free(row);
    return error / (norm * largest + size);
}

static int accepts(perp_factor_kind kind, matrix_class class)
{
    return kind != PERP_FACTOR_LDL || class == DEFINITE || class == QUASI_DEFINITE;
}

static int exists(perp_factor_kind kind)
{
    return kind == PERP_FACTOR_AUTO || perp_factor_type_of(kind);
}

static void check_solve(perp_rng *rng, perp_factor *factor, const perp_csc *A)
{
    double *b = ref_random(rng, A->cols, 1), *x = ref_zero(A->cols, 1);
    memcpy(x, b, (size_t)A->cols * sizeof(double));
    perp_factor_solve(factor, x);
    ck_assert_double_le(residual(A, x, b), 1e-12);
    free(b);
    free(x);
}

static void check_class(perp_rng *rng, int n, matrix_class class, perp_factor_kind kind,
                        perp_ordering_kind ordering, perp_arena *arena)
{
    perp_csc A = random_matrix(rng, n, class, arena);
    int definite = class == DEFINITE || class == QUASI_DEFINITE;
    perp_factor *factor = NULL;
    perp_factor_stats stats;
    ck_assert_int_eq(perp_factor_create(&factor, kind, ordering, definite, &A, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_factor_numeric(factor, &A), PERP_SOLVED);
    check_solve(rng, factor, &A);
    perp_factor_stats_get(factor, &stats);
    ck_assert_double_ge(stats.nnz, n);
    ck_assert_double_ge(stats.flops, 0.0);

    /* New values in the same pattern: a small change, then signs and sizes
     * that make the old pivots useless, then the small ones again. */
    perp_csc B = A;
    size_t nz = (size_t)A.colptr[n];
    B.x = PERP_TAKE(arena, double, nz);
    for (int round = 0; round < 3; round++) {
        for (int j = 0; j < n; j++) {
            for (int p = A.colptr[j]; p < A.colptr[j + 1]; p++) {
                int i = A.row[p];
                B.x[p] = A.x[p] * (1.0 + 0.01 * sin(round + i + j));
                if (round == 1 && !definite)
                    B.x[p] = A.x[p] * (i == j ? 1e-9 : 1.0);
            }
        }
        perp_status status = perp_factor_numeric(factor, &B);
        if (round == 1 && !definite && status == PERP_ERR_SINGULAR)
            continue;
        ck_assert_int_eq(status, PERP_SOLVED);
        check_solve(rng, factor, &B);
    }
    perp_factor_destroy(factor);
}

START_TEST(every_factorisation_solves)
{
    perp_rng rng = {1};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    const int sizes[] = {1, 2, 7, 40, 150, 400};
    for (int kind = 0; kind < PERP_FACTOR_COUNT; kind++) {
        for (int c = 0; exists((perp_factor_kind)kind) && c < CLASSES; c++) {
            if (!accepts((perp_factor_kind)kind, (matrix_class)c))
                continue;
            for (int s = 0; s < 6; s++) {
                check_class(&rng, sizes[s], (matrix_class)c, (perp_factor_kind)kind,
                            (perp_ordering_kind)(s % 3), &arena);
                check_class(&rng, sizes[s], (matrix_class)c, (perp_factor_kind)kind,
                            (perp_ordering_kind)((s + 1) % 3), &arena);
                perp_arena_reset(&arena);
            }
        }
    }
    perp_arena_free(&arena);
}
END_TEST

static perp_csc dense_columns(const double *M, int n, perp_arena *arena)
{
    perp_mat view;
    perp_csc A;
    perp_mat_init_dense(&view, n, n, M, n);
    ck_assert_int_eq(perp_csc_from_mat(&A, &view, arena), PERP_SOLVED);
    return A;
}

/* Singular by values, by structure, and by cancellation; then regular again
 * with the same factor. */
/* The determinant's sign against elimination with row exchanges. */
static int dense_sign(const perp_csc *A)
{
    int n = A->cols, sign = 1;
    double *a = ref_zero(n, n);
    for (int j = 0; j < n; j++)
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++)
            a[A->row[p] + j * n] = A->x[p];
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k; i < n; i++)
            pivot = fabs(a[i + k * n]) > fabs(a[pivot + k * n]) ? i : pivot;
        sign = (a[pivot + k * n] < 0.0) != (pivot != k) ? -sign : sign;
        for (int j = n - 1; j >= k; j--) {
            double t = a[pivot + j * n];
            a[pivot + j * n] = a[k + j * n];
            a[k + j * n] = t;
        }
        for (int i = k + 1; i < n; i++) {
            double factor = a[i + k * n] / a[k + k * n];
            for (int j = k; j < n; j++)
                a[i + j * n] -= factor * a[k + j * n];
        }
    }
    free(a);
    return sign;
}

START_TEST(sign_of_the_determinant)
{
    perp_rng rng = {77};
    static const perp_factor_kind kinds[] = {PERP_FACTOR_LAPACK, PERP_FACTOR_KLU, PERP_FACTOR_LDL,
                                             PERP_FACTOR_FRONTS};
    int negative = 0, compared = 0;
    for (int trial = 0; trial < 120; trial++) {
        perp_factor_kind kind = kinds[trial % 4];
        matrix_class class = kind == PERP_FACTOR_LDL ? QUASI_DEFINITE
                             : trial / 4 % 2         ? UNSYMMETRIC
                                                     : DEFINITE;
        perp_arena arena;
        perp_factor *factor = NULL;
        perp_arena_init(&arena, NULL);
        perp_csc A = random_matrix(&rng, 1 + trial / 4, class, &arena);
        for (int p = 0; kind != PERP_FACTOR_LDL && p < A.colptr[A.cols]; p++)
            A.x[p] = trial / 8 % 2 ? -A.x[p] : A.x[p];
        ck_assert_int_eq(
            perp_factor_create(&factor, kind, PERP_ORDERING_AUTO, class == QUASI_DEFINITE, &A, NULL),
            PERP_SOLVED);
        ck_assert_int_eq(perp_factor_numeric(factor, &A), PERP_SOLVED);
        int sign = dense_sign(&A);
        ck_assert_int_eq(perp_factor_sign(factor), sign);
        negative += sign < 0;
        compared++;
        perp_factor_destroy(factor);
        perp_arena_free(&arena);
    }
    ck_assert_int_gt(negative, 10);
    ck_assert_int_lt(negative, compared - 10);
}
END_TEST

START_TEST(singular_matrices_are_reported)
{
    perp_rng rng = {2};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    for (int trial = 0; trial < 40; trial++) {
        int n = 4 + perp_rng_below(&rng, 60), how = trial % 4;
        double *F = ref_random(&rng, n, n), *T = ref_transpose(F, n, n);
        double *M = ref_multiply(F, T, n, n, n);
        perp_csc good = dense_columns(M, n, &arena), bad = good;
        bad.x = PERP_TAKE(&arena, double, n *n);
        memcpy(bad.x, good.x, (size_t)(n * n) * sizeof(double));
        int victim = perp_rng_below(&rng, n), twin = (victim + 1) % n;
        for (int i = 0; i < n; i++)
            bad.x[victim + i * n] = how == 0 ? 0.0 : bad.x[twin + i * n];
        for (int i = 0; i < n; i++)
            bad.x[i + victim * n] = how == 0 ? 0.0 : bad.x[i + twin * n];
        if (how == 3)
            bad.x[0] = NAN;
        for (int kind = 1; kind < PERP_FACTOR_COUNT; kind++) {
            if (!exists((perp_factor_kind)kind) || (how == 3 && kind == PERP_FACTOR_MUMPS))
                continue;
            int definite = kind == PERP_FACTOR_LDL;
            perp_factor *factor = NULL;
            ck_assert_int_eq(perp_factor_create(&factor, (perp_factor_kind)kind, PERP_ORDERING_AUTO,
                                                definite, &bad, NULL),
                             PERP_SOLVED);
            ck_assert_int_eq(perp_factor_numeric(factor, &bad), PERP_ERR_SINGULAR);
            ck_assert_int_eq(perp_factor_numeric(factor, &good), PERP_SOLVED);
            check_solve(&rng, factor, &good);
            ck_assert_int_eq(perp_factor_numeric(factor, &bad), PERP_ERR_SINGULAR);
            ck_assert_int_eq(perp_factor_numeric(factor, &good), PERP_SOLVED);
            check_solve(&rng, factor, &good);
            perp_factor_destroy(factor);
        }
        free(F);
        free(T);
        free(M);
        perp_arena_reset(&arena);
    }
    perp_arena_free(&arena);
}
END_TEST

START_TEST(structurally_singular_matrices_are_reported)
{
    /* Column 2 is empty, row 1 is empty. */
    const int row[] = {0, 2, 3, 0, 3}, col[] = {0, 1, 3, 3, 0};
    const double x[] = {1.0, 2.0, 3.0, 0.5, 0.5};
    perp_arena arena;
    perp_csc A;
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_csc_from_triplets(&A, 4, 4, 5, row, col, x, &arena), PERP_SOLVED);
    for (int kind = 0; kind < PERP_FACTOR_COUNT; kind++) {
        if (!exists((perp_factor_kind)kind))
            continue;
        perp_factor *factor = NULL;
        perp_status status =
            perp_factor_create(&factor, (perp_factor_kind)kind, PERP_ORDERING_AUTO, 0, &A, NULL);
        if (status == PERP_SOLVED)
            status = perp_factor_numeric(factor, &A);
        ck_assert_int_eq(status, PERP_ERR_SINGULAR);
        perp_factor_destroy(factor);
    }
    perp_arena_free(&arena);
}
END_TEST

/* Scales of rows and columns that differ by 1e20 are no singularity for LU. */
START_TEST(scales_are_no_singularity)
{
    perp_rng rng = {3};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    for (int kind = PERP_FACTOR_LAPACK; kind <= PERP_FACTOR_KLU; kind++) {
        perp_csc A = random_matrix(&rng, 50, UNSYMMETRIC, &arena);
        double row[50], b[50], x[50];
        for (int i = 0; i < 50; i++) {
            row[i] = pow(10.0, 10.0 * perp_rng_signed(&rng));
            x[i] = row[i] * perp_rng_signed(&rng);
        }
        for (int j = 0; j < 50; j++)
            for (int p = A.colptr[j]; p < A.colptr[j + 1]; p++)
                A.x[p] *= row[A.row[p]];
        memcpy(b, x, sizeof b);
        perp_factor *factor = NULL;
        ck_assert_int_eq(
            perp_factor_create(&factor, (perp_factor_kind)kind, PERP_ORDERING_AUTO, 0, &A, NULL),
            PERP_SOLVED);
        ck_assert_int_eq(perp_factor_numeric(factor, &A), PERP_SOLVED);
        perp_factor_solve(factor, x);
        ck_assert_double_le(residual(&A, x, b), 1e-12);
        perp_factor_destroy(factor);
    }
    perp_arena_free(&arena);
}
END_TEST

/* A grid: METIS, AMD and the count of fill against elimination on a dense array. */
START_TEST(orderings_and_their_fill)
{
    enum { SIDE = 12, N = SIDE * SIDE };
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    double *M = ref_zero(N, N);
    for (int i = 0; i < N; i++) {
        M[i + i * N] = 4.0;
        if (i % SIDE)
            M[i + (i - 1) * N] = M[i - 1 + i * N] = -1.0;
        if (i >= SIDE)
            M[i + (i - SIDE) * N] = -1.0; /* half of the pattern is symmetrised */
    }
    perp_csc A = dense_columns(M, N, &arena);
    for (int ordering = 0; ordering < 3; ordering++) {
        int perm[N], again[N], seen[N] = {0};
        static char full[N][N];
        perp_fill fill, second;
        ck_assert_int_eq(perp_order(perm, &fill, &A, (perp_ordering_kind)ordering, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_order(again, &second, &A, (perp_ordering_kind)ordering, NULL),
                         PERP_SOLVED);
        ck_assert_mem_eq(perm, again, sizeof perm);
        for (int k = 0; k < N; k++)
            seen[perm[k]]++;
        for (int k = 0; k < N; k++)
            ck_assert_int_eq(seen[k], 1);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++)
                full[i][j] = M[perm[i] + perm[j] * N] != 0.0 || M[perm[j] + perm[i] * N] != 0.0;
        double nnz = 0.0, flops = 0.0;
        for (int k = 0; k < N; k++) {
            double below = 0.0;
            for (int i = k + 1; i < N; i++) {
                below += full[i][k];
                for (int j = k + 1; full[i][k] && j < N; j++)
                    full[i][j] |= full[k][j];
            }
            nnz += 1.0 + below;
            flops += below * (below + 2.0);
        }
        ck_assert_double_eq(fill.nnz, nnz);
        ck_assert_double_eq(fill.flops, flops);
        ck_assert_double_lt(nnz, 2200.0); /* the natural order has about 1900 + fill */
    }
    free(M);
    perp_arena_free(&arena);
}
END_TEST

START_TEST(the_callers_random_numbers_are_kept)
{
    perp_rng rng = {4};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    perp_csc A = random_matrix(&rng, 300, DEFINITE, &arena);
    int perm[300];
    perp_fill fill;
    srand(7);
    int first = rand(), second = rand();
    srand(7);
    ck_assert_int_eq(rand(), first);
    ck_assert_int_eq(perp_order(perm, &fill, &A, PERP_ORDERING_METIS, NULL), PERP_SOLVED);
    ck_assert_int_eq(rand(), second);
    perp_arena_free(&arena);
}
END_TEST

START_TEST(refused_arguments)
{
    perp_arena arena;
    perp_csc A;
    perp_factor *factor = NULL;
    perp_arena_init(&arena, NULL);
    ck_assert_int_eq(perp_csc_from_triplets(&A, 2, 3, 0, NULL, NULL, NULL, &arena), PERP_SOLVED);
    ck_assert_int_eq(perp_factor_create(&factor, PERP_FACTOR_KLU, PERP_ORDERING_AUTO, 0, &A, NULL),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_csc_from_triplets(&A, 0, 0, 0, NULL, NULL, NULL, &arena), PERP_SOLVED);
    ck_assert_int_eq(perp_factor_create(&factor, (perp_factor_kind)PERP_FACTOR_COUNT, PERP_ORDERING_AUTO, 0, &A, NULL),
                     PERP_ERR_UNSUPPORTED);
    for (int kind = 0; kind < PERP_FACTOR_COUNT; kind++) {
        if (!exists((perp_factor_kind)kind))
            continue;
        double x = 0.0;
        ck_assert_int_eq(
            perp_factor_create(&factor, (perp_factor_kind)kind, PERP_ORDERING_METIS, 0, &A, NULL),
            PERP_SOLVED);
        ck_assert_int_eq(perp_factor_numeric(factor, &A), PERP_SOLVED);
        perp_factor_solve(factor, &x);
        perp_factor_destroy(factor);
    }
    perp_factor_destroy(NULL);
    perp_arena_free(&arena);
}
END_TEST

START_TEST(memory_failures)
{
    perp_rng rng = {5};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    perp_csc A = random_matrix(&rng, 60, DEFINITE, &arena);
    for (int kind = 0; kind < PERP_FACTOR_COUNT; kind++) {
        int finished = !exists((perp_factor_kind)kind);
        for (int k = 0; !finished; k++) {
            ref_memory memory = {.fail_at = k};
            perp_allocator allocator = ref_allocator(&memory);
            perp_factor *factor = NULL;
            perp_status status = perp_factor_create(&factor, (perp_factor_kind)kind,
                                                    PERP_ORDERING_AUTO, 1, &A, &allocator);
            if (status == PERP_SOLVED)
                status = perp_factor_numeric(factor, &A);
            ck_assert(status == PERP_SOLVED || status == PERP_ERR_MEMORY);
            finished = status == PERP_SOLVED;
            ck_assert(finished || (memory.count > k && !factor));
            if (finished) {
                int before = memory.count;
                ck_assert_int_eq(perp_factor_numeric(factor, &A), PERP_SOLVED);
                check_solve(&rng, factor, &A);
                ck_assert_int_eq(memory.count, before);
            }
            perp_factor_destroy(factor);
            ck_assert_int_eq(memory.live, 0);
        }
    }
    perp_arena_free(&arena);
}
END_TEST

/* Two threads factorise, refactor and solve at the same time; each must get
 * the bits that one thread alone gets. */
typedef struct worker {
    perp_factor_kind kind;
    perp_csc A;
    double x[400];
    perp_status status;
} worker;

static void *work(void *argument)
{
    worker *w = argument;
    for (int round = 0; round < 3; round++) {
        perp_factor *factor = NULL;
        w->status = perp_factor_create(&factor, w->kind, PERP_ORDERING_METIS, 1, &w->A, NULL);
        for (int k = 0; k < 3 && w->status == PERP_SOLVED; k++)
            w->status = perp_factor_numeric(factor, &w->A);
        for (int i = 0; i < 400; i++)
            w->x[i] = 1.0;
        if (w->status == PERP_SOLVED)
            perp_factor_solve(factor, w->x);
        perp_factor_destroy(factor);
    }
    return NULL;
}

START_TEST(threads_do_not_meet)
{
    perp_rng rng = {6};
    perp_arena arena;
    perp_arena_init(&arena, NULL);
    for (int kind = PERP_FACTOR_KLU; kind < PERP_FACTOR_COUNT; kind++) {
        if (!exists((perp_factor_kind)kind))
            continue;
        static worker alone, twin[2];
        alone.kind = (perp_factor_kind)kind;
        alone.A = random_matrix(&rng, 400, DEFINITE, &arena);
        pthread_t thread[2];
        for (int t = 0; t < 2; t++) {
            twin[t] = alone;
            ck_assert_int_eq(pthread_create(&thread[t], NULL, work, &twin[t]), 0);
        }
        for (int t = 0; t < 2; t++)
            pthread_join(thread[t], NULL);
        work(&alone);
        for (int t = 0; t < 2; t++) {
            ck_assert_int_eq(twin[t].status, PERP_SOLVED);
            ck_assert_mem_eq(twin[t].x, alone.x, sizeof alone.x);
        }
    }
    perp_arena_free(&arena);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("factor");
    TCase *tests = tcase_create("factorisations");
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, every_factorisation_solves);
    tcase_add_test(tests, sign_of_the_determinant);
    tcase_add_test(tests, singular_matrices_are_reported);
    tcase_add_test(tests, structurally_singular_matrices_are_reported);
    tcase_add_test(tests, scales_are_no_singularity);
    tcase_add_test(tests, orderings_and_their_fill);
    tcase_add_test(tests, the_callers_random_numbers_are_kept);
    tcase_add_test(tests, refused_arguments);
    tcase_add_test(tests, memory_failures);
    tcase_add_test(tests, threads_do_not_meet);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
