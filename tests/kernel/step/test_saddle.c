/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems tied by joints against dense LAPACK: solutions, inertia, rows that follow from others,
 * memory, and the growth of the factor. */
#include <check.h>
#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/tied_systems.h"

static const double axis_z[3] = {0.0, 0.0, 1.0};

/* Bodies in a row, each tied to the one before by a joint of these rows, the first to the world. */
static void chain(tied *t, perp_rng *rng, int length, int rows, double tip)
{
    double axis[3] = {0.0, 0.6, 0.8};
    for (int k = 0; k < length; k++) {
        tied_body(t, rng, k == length - 1 ? tip : 1.0, k + 0.5, 0.0, 0.0);
        double at[3] = {k, 0.0, 0.0};
        tied_joint(t, rows, k, k - 1, at, axis);
    }
}

/* Each body hangs on a random one before. */
static void tree(tied *t, perp_rng *rng, int size)
{
    for (int k = 0; k < size; k++) {
        double p[3] = {perp_rng_signed(rng), perp_rng_signed(rng), perp_rng_signed(rng)};
        tied_body(t, rng, 0.1 + perp_rng_uniform(rng), p[0], p[1], p[2]);
        double at[3] = {p[0] + 0.3, p[1] - 0.2, p[2] + 0.1};
        tied_joint(t, 3 + perp_rng_below(rng, 4), k, k ? perp_rng_below(rng, k) : -1, at, axis_z);
    }
}

/* A closed ring of point joints that hangs on nothing. */
static void ring(tied *t, perp_rng *rng, int length, int rows)
{
    double turn = 8.0 * atan(1.0) / length;
    for (int k = 0; k < length; k++)
        tied_body(t, rng, 1.0, cos((k + 0.5) * turn), sin((k + 0.5) * turn),
                  0.1 * perp_rng_signed(rng));
    for (int k = 0; k < length; k++) {
        double at[3] = {cos(k * turn), sin(k * turn), 0.0};
        double axis[3] = {sin(k * turn), cos(k * turn), 0.0};
        tied_joint(t, rows, k, (k + length - 1) % length, at, axis);
    }
}

/* Four-bars side by side, each on the bar before: pivots about z, 3 rows of each loop follow. */
static void four_bars(tied *t, perp_rng *rng, int loops)
{
    double corner[4][3] = {{0, 0, 0}, {0.1, 1, 0}, {1.2, 1.1, 0}, {1, 0, 0}};
    for (int l = 0; l < loops; l++) {
        int first = t->nsystems;
        double shift = 1.3 * l;
        for (int k = 0; k < 3; k++)
            tied_body(t, rng, 1.0 + k, shift + 0.5 * (corner[k][0] + corner[k + 1][0]),
                      0.5 * (corner[k][1] + corner[k + 1][1]), 0.0);
        for (int k = 0; k < 4; k++) {
            double at[3] = {shift + corner[k][0], corner[k][1], corner[k][2]};
            int before = k == 0 ? (l ? first - 1 : -1) : first + k - 1;
            if (k == 3)
                tied_joint(t, 5, first + 2, l ? first - 1 : -1, at, axis_z);
            else
                tied_joint(t, 5, first + k, before, at, axis_z);
        }
    }
}

/* Systems of every kind and size. */
static void zoo(tied *t, perp_rng *rng)
{
    int body = tied_body(t, rng, 2.0, 0.0, 0.0, 0.0), other = tied_body(t, rng, 1.0, 1.0, 0.0, 0.0);
    int one = tied_diagonal(t, rng, 1), two = tied_dense(t, rng, 2), nine = tied_dense(t, rng, 9);
    int many = tied_diagonal(t, rng, 30), string = tied_sparse(t, rng, 40);
    int tiny = tied_sparse(t, rng, 1), alone = tied_dense(t, rng, 3),
        free_one = tied_dense(t, rng, 4);
    (void)alone;
    tied_random(t, rng, 3, body, other);
    tied_random(t, rng, 3, one, body);
    tied_random(t, rng, 1, one, two);
    tied_random(t, rng, 4, nine, two);
    tied_random(t, rng, 2, many, nine);
    tied_random(t, rng, 2, string, many);
    tied_random(t, rng, 3, string, -1);
    tied_random(t, rng, 1, tiny, string);
    tied_random(t, rng, 2, free_one, -1);
    /* The first row on one system alone: G of the other has no full rank. */
    perp_link *half = tied_random(t, rng, 3, other, nine);
    for (int v = 0; v < 6; v++)
        half->left[v * 3] = half->left[1 + v * 3] = 0.0;
}

static double *random_right(perp_rng *rng, const double *G, int n, int m)
{
    double *x = ref_random(rng, n + m, 1), *v = ref_random(rng, n, 1);
    double *c = ref_multiply(G, v, m, n, 1); /* consistent */
    memcpy(x + n, c, sizeof *c * (size_t)m);
    free(v), free(c);
    return x;
}

/* |A x - G' l - b| and |G x - c|, relative to the largest terms of each. */
static void check_residual(const tied *t, double weight, const double *x, const double *right,
                           double tol)
{
    int n = perp_saddle_dofs(&t->saddle), m = perp_saddle_rows(&t->saddle);
    double *A, *G, largest = 0.0, worst = 0.0;
    tied_dense_matrices(t, weight, &A, &G);
    for (int i = 0; i < n; i++) {
        double sum = -right[i], size = fabs(right[i]);
        for (int j = 0; j < n; j++)
            sum += A[i + j * n] * x[j], size += fabs(A[i + j * n] * x[j]);
        for (int r = 0; r < m; r++)
            sum -= G[r + i * m] * x[n + r], size += fabs(G[r + i * m] * x[n + r]);
        largest = fmax(largest, size);
        worst = fmax(worst, fabs(sum));
    }
    ck_assert_msg(worst <= tol * largest, "dynamics: %g of %g", worst, largest);
    largest = worst = 0.0;
    for (int r = 0; r < m; r++) {
        double sum = -right[n + r], size = fabs(right[n + r]);
        for (int j = 0; j < n; j++)
            sum += G[r + j * m] * x[j], size += fabs(G[r + j * m] * x[j]);
        largest = fmax(largest, size);
        worst = fmax(worst, fabs(sum));
    }
    ck_assert_msg(worst <= tol * largest, "rows: %g of %g", worst, largest);
    free(A), free(G);
}

/* The matrix with the given signs of G' and of l, in full. */
static double *full_matrix(const double *A, const double *G, int n, int m)
{
    double *K = ref_zero(n + m, n + m);
    for (int j = 0; j < n; j++) {
        memcpy(K + j * (n + m), A + j * n, sizeof *A * (size_t)n);
        for (int r = 0; r < m; r++) {
            K[n + r + j * (n + m)] = G[r + j * m];
            K[j + (n + r) * (n + m)] = -G[r + j * m];
        }
    }
    return K;
}

/* The solution; where rows follow from others that of least norm, of which x is the only one. */
static double *dense_solution(const tied *t, double weight, const double *right)
{
    int n = perp_saddle_dofs(&t->saddle), m = perp_saddle_rows(&t->saddle), rank = 0;
    double *A, *G;
    tied_dense_matrices(t, weight, &A, &G);
    double *K = full_matrix(A, G, n, m), *x = ref_zero(n + m, 1), *S = ref_zero(n + m, 1);
    memcpy(x, right, sizeof *x * (size_t)(n + m));
    if (t->saddle.ndropped == 0) {
        free(x);
        x = ref_solve(K, right, n + m, 1);
        free(A), free(G), free(K), free(S);
        return x;
    }
    ck_assert_int_eq(
        LAPACKE_dgelsd(LAPACK_COL_MAJOR, n + m, n + m, 1, K, n + m, x, n + m, S, 1e-12, &rank), 0);
    free(A), free(G), free(K), free(S);
    return x;
}

/* 1: A is positive definite on the null space of G. */
static int definite_on_null(const tied *t, double weight)
{
    int n = perp_saddle_dofs(&t->saddle), m = perp_saddle_rows(&t->saddle), rank = 0;
    double *A, *G;
    tied_dense_matrices(t, weight, &A, &G);
    double *S = ref_zero(n, 1), *U = ref_zero(m, m), *V = ref_zero(n, n),
           *work = ref_zero(n + m, 1);
    ck_assert_int_eq(LAPACKE_dgesvd(LAPACK_COL_MAJOR, 'N', 'A', m, n, G, m, S, U, m, V, n, work),
                     0);
    while (rank < (m < n ? m : n) && S[rank] > 1e-10 * S[0])
        rank++;
    int null = n - rank;
    double *N = ref_zero(n, null), *w = ref_zero(null + 1, 1);
    for (int j = 0; j < null; j++)
        for (int i = 0; i < n; i++)
            N[i + j * n] = V[rank + j + i * n];
    double *T = ref_transpose(N, n, null), *AN = ref_multiply(A, N, n, n, null);
    double *P = ref_multiply(T, AN, null, n, null);
    if (null > 0)
        ck_assert_int_eq(LAPACKE_dsyev(LAPACK_COL_MAJOR, 'N', 'L', null, P, null, w), 0);
    int definite = null == 0 || w[0] > 0.0;
    free(A), free(G), free(S), free(U), free(V), free(work);
    free(N), free(w), free(T), free(AN), free(P);
    return definite;
}

/* Factors and solves t, and compares.  Returns 1 where the inertia is right. */
static int compare(tied *t, perp_rng *rng, double weight, double tol)
{
    int negative = 0;
    ck_assert_int_eq(tied_shape(t), PERP_SOLVED);
    ck_assert_int_eq(tied_factor(t, weight, &negative), PERP_SOLVED);
    int n = perp_saddle_dofs(&t->saddle), m = perp_saddle_rows(&t->saddle);
    int right_inertia = negative == m;
    double *A, *G;
    tied_dense_matrices(t, weight, &A, &G);
    double *right = random_right(rng, G, n, m), *x = ref_zero(n + m, 1);
    memcpy(x, right, sizeof *x * (size_t)(n + m));
    perp_saddle_solve(&t->saddle, x);
    double *reference = dense_solution(t, weight, right);
    double error = ref_distance(x, reference, (size_t)n);
    ck_assert_msg(error <= tol, "x differs by %g, %d negative of %d", error, negative, m);
    check_residual(t, weight, x, right, 4e-14);
    /* l: bounded by a multiple of the least norm. */
    double norm = 0.0, least = 0.0;
    for (int r = n; r < n + m; r++) {
        norm += x[r] * x[r];
        least += reference[r] * reference[r];
    }
    ck_assert_msg(norm <= 1e4 * least + 1e-20, "multipliers %g, least %g", sqrt(norm), sqrt(least));
    ck_assert_int_eq(right_inertia, definite_on_null(t, weight));
    free(A), free(G), free(right), free(x), free(reference);
    return right_inertia;
}

static void build(tied *t, perp_rng *rng, int which)
{
    if (which < 4)
        chain(t, rng, 3 + 5 * which, 3 + which, 1.0);
    else if (which < 7)
        chain(t, rng, 20, which - 1, which == 4 ? 1e3 : 1e6);
    else if (which < 10)
        tree(t, rng, 5 + 10 * (which - 7));
    else if (which < 13)
        ring(t, rng, 4 + 9 * (which - 10), 3 + (which - 10));
    else if (which < 15)
        four_bars(t, rng, 1 + 5 * (which - 13));
    else
        zoo(t, rng);
}
enum { KINDS = 18 };

START_TEST(test_against_dense)
{
    perp_rng rng = {(uint64_t)(77 + _i)};
    tied t;
    tied_init(&t, 400, NULL);
    build(&t, &rng, _i % KINDS);
    ck_assert(compare(&t, &rng, 0.0, 1e-7));
    /* The same shape with stiffness of the blocks, then between them. */
    tied_stiffen(&t, &rng, 1.0, 0);
    compare(&t, &rng, 1e-4, 1e-8);
    tied_stiffen(&t, &rng, 1.0, 1);
    compare(&t, &rng, 1e-3, 1e-8);
    tied_free(&t);
}
END_TEST

/* Two rows that both look at the first system alone: a joint that has to wait. */
START_TEST(test_a_joint_that_waits)
{
    perp_rng rng = {5};
    tied t;
    tied_init(&t, 8, NULL);
    for (int k = 0; k < 4; k++)
        tied_dense(&t, &rng, 4);
    for (int k = 0; k < 3; k++) {
        perp_link *link = tied_random(&t, &rng, 2, k, k + 1);
        for (int v = 0; v < 4; v++)
            link->left[1 + 2 * v] = link->left[2 * v]; /* on the first system the same row twice */
        for (int v = 4; v < 8 && k == 1; v++)
            link->left[2 * v] = 0.0;
    }
    ck_assert(compare(&t, &rng, 0.0, 1e-11));
    ck_assert_int_eq(t.saddle.ndropped, 0);
    tied_free(&t);
}
END_TEST

/* A pair of joints at one place: one follows from the other. */
START_TEST(test_number_of_dependent_rows)
{
    perp_rng rng = {6};
    tied t;
    tied_init(&t, 60, NULL);
    four_bars(&t, &rng, 7);
    ck_assert(compare(&t, &rng, 0.0, 1e-9));
    ck_assert_int_eq(t.saddle.ndropped, 21);
    tied_free(&t);
    tied_init(&t, 8, NULL);
    chain(&t, &rng, 3, 6, 1.0);
    double at[3] = {1.0, 0.0, 0.0};
    tied_joint(&t, 3, 1, 0, at, axis_z);
    ck_assert(compare(&t, &rng, 0.0, 1e-9));
    ck_assert_int_eq(t.saddle.ndropped, 3);
    tied_free(&t);
}
END_TEST

/* Strong negative stiffness: too many negative pivots, or a pivot that no number can hold. */
START_TEST(test_indefinite_and_singular)
{
    perp_rng rng = {8};
    tied t;
    int negative = 0;
    tied_init(&t, 40, NULL);
    chain(&t, &rng, 6, 3, 1.0);
    tied_stiffen(&t, &rng, 0.0, 0);
    for (int v = 3; v < 6; v++)
        t.stiffness[2][7 * v + 6 * v] = -1.0;
    ck_assert(!compare(&t, &rng, 10.0, 1e-8));
    t.stiffness[3][0] = NAN;
    ck_assert_int_eq(tied_factor(&t, 1.0, &negative), PERP_ERR_SINGULAR);
    t.stiffness[3][0] = 0.0;
    ck_assert(compare(&t, &rng, 0.0, 1e-8));
    tied_free(&t);
    tied_init(&t, 4, NULL);
    tied_diagonal(&t, &rng, 2);
    t.systems[0]->W.a[1] = 0.0;
    tied_random(&t, &rng, 1, 0, -1)->left[1] = 0.0;
    ck_assert_int_eq(tied_shape(&t), PERP_SOLVED);
    ck_assert_int_eq(tied_factor(&t, 0.0, &negative), PERP_ERR_SINGULAR);
    tied_free(&t);
}
END_TEST

/* Numbers in L at 20, 200, 2000 and 20000 links, per link. */
static double entries(int which, int length, int between)
{
    perp_rng rng = {9};
    tied t;
    int negative = 0;
    tied_init(&t, length + 4, NULL);
    for (int k = 0; k < length; k++)
        tied_body(&t, &rng, 1.0, 0.5, 0.0, 0.0);
    for (int k = 0; k < length; k++) {
        double at[3] = {perp_rng_signed(&rng), perp_rng_signed(&rng), perp_rng_signed(&rng)};
        int other = which == 0 ? k - 1 : which == 1 ? (k - 1) / 2 : k - 1 - k / 3 % 2;
        if (which == 3)
            other = (k + length - 1) % length;
        tied_joint(&t, 3, k, k ? other : which == 3 ? length - 1 : -1, at, axis_z);
    }
    tied_stiffen(&t, &rng, 1e-6, between);
    ck_assert_int_eq(tied_shape(&t), PERP_SOLVED);
    ck_assert_int_eq(tied_factor(&t, 1.0, &negative), PERP_SOLVED);
    ck_assert_int_eq(negative, perp_saddle_rows(&t.saddle));
    double found = (double)perp_saddle_entries(&t.saddle) / length;
    tied_free(&t);
    return found;
}

START_TEST(test_linear_growth)
{
    int which = _i / 2, between = _i % 2;
    double at_20 = entries(which, 20, between);
    for (int length = 200; length <= 20000; length *= 10) {
        double found = entries(which, length, between);
        ck_assert_msg(found <= (which == 3 ? 1.25 : 1.1) * at_20,
                      "kind %d, %d links: %g numbers a link, 20 links: %g", which, length, found,
                      at_20);
    }
}
END_TEST

/* Solves take and keep nothing; a failing allocation leaves what a new call needs. */
/* Factors from the pivots of a fresh saddle system with the numbers of this one. */
static void assert_fresh(const tied *t)
{
    tied other = *t;
    int negative, n = perp_saddle_dofs(&t->saddle) + perp_saddle_rows(&t->saddle);
    other.saddle = (perp_saddle){0};
    ck_assert_int_eq(tied_shape(&other), PERP_SOLVED);
    ck_assert_int_eq(perp_saddle_factor(&other.saddle, NULL, 0.0, &negative), PERP_SOLVED);
    ck_assert(memcmp(other.saddle.pivots, t->saddle.pivots, sizeof(double) * (size_t)n) == 0);
    perp_saddle_free(&other.saddle);
}

/* Numbers that are known are not factored again: a mark in the factors stays.  All others are, were
 * they a bit apart, in a system or in a joint. */
START_TEST(test_known_numbers)
{
    static const double mark = 12345.0;
    perp_rng rng = {(uint64_t)(91 + _i)};
    tied t;
    tied_init(&t, 400, NULL);
    build(&t, &rng, _i);
    int first, negative;
    ck_assert_int_eq(tied_shape(&t), PERP_SOLVED);
    ck_assert_int_eq(perp_saddle_factor(&t.saddle, NULL, 0.0, &first), PERP_SOLVED);
    assert_fresh(&t);
    double *a = t.systems[t.nsystems - 1]->W.a, *left = t.joints[0]->left;
    for (int round = 0; round < 3; round++) {
        double pivot = t.saddle.pivots[0];
        t.saddle.pivots[0] = mark;
        ck_assert_int_eq(perp_saddle_factor(&t.saddle, NULL, 0.0, &negative), PERP_SOLVED);
        ck_assert_int_eq(negative, first);
        ck_assert_double_eq(t.saddle.pivots[0], mark);
        t.saddle.pivots[0] = pivot;
        if (round == 0)
            a[0] = nextafter(a[0], 1e9);
        else
            left[0] = nextafter(left[0], 1e9);
        t.saddle.pivots[0] = mark;
        ck_assert_int_eq(perp_saddle_factor(&t.saddle, NULL, 0.0, &negative), PERP_SOLVED);
        ck_assert_double_ne(t.saddle.pivots[0], mark);
        assert_fresh(&t);
    }
    tied_free(&t);
}
END_TEST

START_TEST(test_memory)
{
    ref_memory memory = {0};
    perp_allocator allocator = ref_allocator(&memory);
    for (int fail_at = 0, failed = 1; failed; fail_at++) {
        perp_rng rng = {11};
        tied t;
        int negative = 0;
        memory = (ref_memory){fail_at, 0, 0};
        tied_init(&t, 100, &allocator);
        zoo(&t, &rng);
        tied_stiffen(&t, &rng, 1e-3, 1);
        perp_status status = tied_shape(&t);
        if (status == PERP_SOLVED)
            status = tied_factor(&t, 1e-2, &negative);
        failed = memory.count > fail_at;
        ck_assert_int_eq(status, failed ? PERP_ERR_MEMORY : PERP_SOLVED);
        memory.fail_at = INT_MAX;
        ck_assert(compare(&t, &rng, 1e-2, 1e-7));
        long before = t.pool.allocations;
        ck_assert(compare(&t, &rng, 1e-3, 1e-7));
        ck_assert_int_eq(t.pool.allocations, before);
        /* Another shape and back again: the pool has all it needs. */
        t.njoints--;
        ck_assert(compare(&t, &rng, 1e-2, 1e-7));
        before = t.pool.allocations;
        t.njoints++;
        ck_assert(compare(&t, &rng, 1e-2, 1e-7));
        t.njoints--;
        ck_assert(compare(&t, &rng, 1e-2, 1e-7));
        t.njoints++;
        ck_assert_int_eq(t.pool.allocations, before);
        perp_saddle_free(&t.saddle);
        tied_free(&t);
        ck_assert_int_eq(memory.live, 0);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("saddle");
    TCase *tcase = tcase_create("numbers");
    tcase_add_loop_test(tcase, test_against_dense, 0, 2 * KINDS);
    tcase_add_test(tcase, test_a_joint_that_waits);
    tcase_add_test(tcase, test_number_of_dependent_rows);
    tcase_add_test(tcase, test_indefinite_and_singular);
    tcase_add_loop_test(tcase, test_linear_growth, 0, 8);
    tcase_add_loop_test(tcase, test_known_numbers, 0, KINDS);
    tcase_add_test(tcase, test_memory);
    tcase_set_timeout(tcase, 120);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
