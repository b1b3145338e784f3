/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix Market files. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fixtures/io_samples.h"

#define HEAD "%%MatrixMarket matrix "

static void mtx_trip(perp_problem_file *owner, const perp_mat *A)
{
    perp_mat B;
    perp_io_error error;
    const char *path = io_path("m.mtx");
    ck_assert_int_eq(perp_mtx_write(A, path, &error), PERP_SOLVED);
    perp_status status = perp_mtx_read(owner, path, &B, &error);
    ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
    ck_assert_int_eq(B.kind, A->kind == PERP_DENSE ? PERP_DENSE : PERP_CSC);
    double *a = io_dense(A), *b = io_dense(&B);
    ck_assert_int_eq(A->rows, B.rows);
    ck_assert_int_eq(A->cols, B.cols);
    for (int k = 0; k < A->rows * A->cols; k++)
        ck_assert(a[k] == b[k]);
    free(a);
    free(b);
    unlink(path);
}

static void mtx_is(const char *text, perp_status wanted, const double *values, int count)
{
    perp_problem_file *owner;
    perp_mat A;
    perp_io_error error;
    const char *path = io_path("t.mtx");
    ck_assert_int_eq(perp_problem_file_create(&owner, NULL), PERP_SOLVED);
    io_write(path, text, strlen(text));
    perp_status status = perp_mtx_read(owner, path, &A, &error);
    ck_assert_msg(status == wanted, "%s\n%s: %s", text, perp_status_name(status), error.text);
    if (wanted == PERP_SOLVED) {
        double *a = io_dense(&A);
        ck_assert_int_eq(A.rows * A.cols, count);
        for (int k = 0; k < count; k++)
            ck_assert_double_eq(a[k], values[k]);
        free(a);
    }
    unlink(path);
    perp_problem_file_destroy(owner);
}

START_TEST(round_trips)
{
    perp_rng rng = {10};
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++) {
        perp_problem_file *d = io_sample_make(kind, 5, &rng);
        mtx_trip(d, &d->M);
        if (kind >= IO_GLOBAL_2D && kind <= IO_GLOBAL_G)
            mtx_trip(d, &d->H);
        perp_problem_file_destroy(d);
    }
}
END_TEST

START_TEST(layouts)
{
    mtx_is(HEAD "coordinate real symmetric\n% words\n\n2 2 2\n1 1 4\n2 1 -3\n", PERP_SOLVED,
           (double[]){4, -3, -3, 0}, 4);
    mtx_is(HEAD "coordinate integer skew-symmetric\n3 3 2\n2 1 5\n3 2 7\n", PERP_SOLVED,
           (double[]){0, 5, 0, -5, 0, 7, 0, -7, 0}, 9);
    mtx_is("%%matrixmarket MATRIX Array Real GENERAL\r\n2 1\r\n1.5\r\n2.5", PERP_SOLVED,
           (double[]){1.5, 2.5}, 2);
    mtx_is(HEAD "array real symmetric\n2 2\n1\n2\n3\n", PERP_SOLVED, (double[]){1, 2, 2, 3}, 4);
    mtx_is(HEAD "array real skew-symmetric\n2 2\n4\n", PERP_SOLVED, (double[]){0, 4, -4, 0}, 4);
    mtx_is(HEAD "coordinate real general\n0 0 0\n", PERP_SOLVED, NULL, 0);
}
END_TEST

START_TEST(what_must_be_refused)
{
    mtx_is(HEAD "coordinate real general\n16000000 16000000 0\n", PERP_ERR_OVERFLOW, NULL, 0);
    mtx_is(HEAD "coordinate complex general\n1 1 0\n", PERP_ERR_UNSUPPORTED, NULL, 0);
    mtx_is(HEAD "coordinate real hermitian\n1 1 0\n", PERP_ERR_UNSUPPORTED, NULL, 0);
    mtx_is("1 1 0\n", PERP_ERR_FORMAT, NULL, 0);
    mtx_is("", PERP_ERR_FORMAT, NULL, 0);
    mtx_is(HEAD "coordinate real general\n2 2 1\n3 1 1\n", PERP_ERR_FORMAT, NULL, 0);
    mtx_is(HEAD "coordinate real general\n2 2 2\n1 1 1\n", PERP_ERR_FORMAT, NULL, 0);
    mtx_is(HEAD "coordinate real symmetric\n2 2 2\n1 2 1\n2 1 1\n", PERP_ERR_FORMAT, NULL, 0);
    mtx_is(HEAD "coordinate real general\n1 1 1\n1 1 nan\n", PERP_ERR_NONFINITE, NULL, 0);
    mtx_is(HEAD "coordinate real general\n2000000000 2000000000 0\n", PERP_ERR_OVERFLOW, NULL, 0);
}
END_TEST

static int never(void *ctx, double *y, const double *x)
{
    (void)ctx;
    (void)y;
    (void)x;
    return 1;
}

START_TEST(matrices_that_are_not_stored)
{
    perp_mat A;
    perp_io_error error;
    ck_assert_int_eq(perp_mat_init_operator(&A, 3, never, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_mtx_write(&A, io_path("o.mtx"), &error), PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(perp_mtx_write(NULL, "o.mtx", &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mtx_read(NULL, "o.mtx", &A, &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(io_folder_count(), 0);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("io mtx");
    TCase *tests = tcase_create("matrix market");
    tcase_add_test(tests, round_trips);
    tcase_add_test(tests, layouts);
    tcase_add_test(tests, what_must_be_refused);
    tcase_add_test(tests, matrices_that_are_not_stored);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    io_folder_make();
    srunner_run_all(runner, CK_ENV);
    io_folder_remove();
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
