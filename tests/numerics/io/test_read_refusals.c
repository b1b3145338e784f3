/* SPDX-License-Identifier: BSD-3-Clause */
/* What readers refuse, with the sentence that says why, and files that come in parts of unknown
 * length. */
#define _XOPEN_SOURCE 700 /* mkfifo */
#include "config.h"

#include <check.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/fixtures/io_samples.h"

static void matrix_refused(const char *text, const char *reason)
{
    perp_problem_file *owner = NULL;
    perp_io_error error;
    perp_mat A;
    const char *path = io_path("refused.mtx");
    io_write(path, text, strlen(text));
    ck_assert_int_eq(perp_problem_file_create(&owner, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_mtx_read(owner, path, &A, &error), PERP_ERR_FORMAT);
    ck_assert_msg(strstr(error.text, reason) != NULL, "%s", error.text);
    perp_problem_file_destroy(owner);
}

START_TEST(symmetric_matrices_are_square)
{
    static const char *const forms[] = {"symmetric", "skew-symmetric"};
    for (int k = 0; k < 2; k++) {
        char text[200];
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate real %s\n3 2 1\n3 1 5\n",
                 forms[k]);
        matrix_refused(text, "a symmetric matrix is square");
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix array real %s\n2 3\n1\n2\n3\n",
                 forms[k]);
        matrix_refused(text, "a symmetric matrix is square");
    }
}
END_TEST

/* Equal entries on both sides of the diagonal, though not next to each other in the file. */
START_TEST(one_triangle_of_symmetric_matrices)
{
    matrix_refused("%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n2 1 5\n3 3 1\n1 2 5\n",
                   "");
}
END_TEST

START_TEST(arguments)
{
    perp_problem_file *file = NULL, *owner = NULL;
    perp_io_error error;
    perp_mat A;
    perp_rng rng = {3};
    double x[64] = {0.0};
    ck_assert_int_eq(perp_problem_file_create(&owner, NULL), PERP_SOLVED);
    file = io_sample_make(IO_LCP_DENSE, 3, &rng);
    ck_assert_int_eq(perp_problem_file_read(NULL, "a", PERP_CLASS_AUTO, NULL, &error),
                     PERP_ERR_ARGUMENT);
    perp_problem_file *other = owner;
    ck_assert_int_eq(perp_problem_file_read(&other, NULL, PERP_CLASS_AUTO, NULL, &error),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_file_read(&other, "a", (perp_problem_class)99, NULL, &error),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_file_read(&other, "a", (perp_problem_class)-1, NULL, &error),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_solution_read(NULL, "a", x, &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_solution_read(file, NULL, x, &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_solution_read(file, "a", NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_solution_write(NULL, x, x, "a", &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_solution_write(file, NULL, x, "a", &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_solution_write(file, x, NULL, "a", NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_solution_write(file, x, x, NULL, &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mtx_read(NULL, "a", &A, &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mtx_read(owner, NULL, &A, &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mtx_read(owner, "a", NULL, &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mtx_write(NULL, "a", &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_mtx_write(&file->M, NULL, &error), PERP_ERR_ARGUMENT);
    perp_problem_file_destroy(file);
    perp_problem_file_destroy(owner);
}
END_TEST

/* Sizes that do not go together, and more rows than an int counts. */
START_TEST(texts_that_contradict_themselves)
{
    static const struct {
        const char *text, *reason;
        perp_problem_class cls;
        perp_status status;
    } cases[] = {
        {"2 1 0 4 4 4 4 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1 -1 0 0 0 0.3", "M is 4 x 4, not 2 x 2",
         PERP_CLASS_FRICTION, PERP_ERR_FORMAT},
        {"2 1 0 2 3 2 3 1 0 0 1 0 0 -1 0 0.3", "M is 2 x 3, not square", PERP_CLASS_FRICTION,
         PERP_ERR_FORMAT},
        {"2 0 3 3 3 3 1 0 0 0 1 0 0 0 1 -1 -2 -3", "M is 3 x 3, not 2 x 2", PERP_CLASS_LCP,
         PERP_ERR_FORMAT},
        {"0 1 2000000000 2000000000 1", "too many rows", PERP_CLASS_MLCP, PERP_ERR_OVERFLOW},
        {"1 0 1 1 0 1 2 1 0 0 3 2 3 2 1 -1 1 -1 -1 1 0 1 -1",
         "a rectangular M needs its equations before the other rows", PERP_CLASS_MLCP,
         PERP_ERR_UNSUPPORTED},
        {"2\n2\n2\n2\n2\nCSparse Version 3\n2-by-2, nzmax: 9 nnz: 3, 1-norm: 10\n"
         "    col 0 : locations 0 to 0\n      0 : 1\n    col 1 : locations 1 to 1\n      1 : 6\n"
         " 7 8\n",
         "M: 2 of 3 entries", PERP_CLASS_LCP, PERP_ERR_FORMAT},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        perp_problem_file *file = NULL;
        perp_io_error error;
        perp_status status = io_parse(&file, "r.dat", cases[k].text, cases[k].cls, &error);
        ck_assert_msg(status == cases[k].status, "%zu: %s, %s", k, perp_status_name(status),
                      error.text);
        ck_assert_msg(strstr(error.text, cases[k].reason) != NULL, "%s", error.text);
        ck_assert_ptr_null(file);
    }
}
END_TEST

/* A file whose bytes the system does not give. */
START_TEST(unreadable)
{
    perp_problem_file *file = NULL;
    perp_io_error error;
    FILE *memory = fopen("/proc/self/mem", "rb");
    if (memory == NULL)
        return;
    fclose(memory);
    ck_assert_int_eq(perp_problem_file_read(&file, "/proc/self/mem", PERP_CLASS_LCP, NULL, &error),
                     PERP_ERR_OPEN);
    ck_assert_msg(strstr(error.text, "cannot be read") != NULL, "%s", error.text);
    ck_assert_ptr_null(file);
}
END_TEST

#ifdef HAVE_HDF5
/* A file of one class that is asked for as another one; without a class it is read. */
START_TEST(classes_of_hdf5_files)
{
    static const struct {
        io_sample sample;
        perp_problem_class other;
    } cases[] = {{IO_FRICTION_3D, PERP_CLASS_GLOBAL}, {IO_FRICTION_3D, PERP_CLASS_ROLLING},
                 {IO_FRICTION_3D, PERP_CLASS_LCP},    {IO_GLOBAL_3D, PERP_CLASS_FRICTION},
                 {IO_GLOBAL_3D, PERP_CLASS_ROLLING},  {IO_ROLLING, PERP_CLASS_MLCP}};
    perp_rng rng = {5};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        perp_problem_file *file = io_sample_make(cases[k].sample, 3, &rng), *back = NULL;
        perp_io_error error;
        double z[256];
        const char *path = io_path("class.hdf5");
        ck_assert_int_eq(perp_problem_file_write(file, path, PERP_FORMAT_FCLIB, &error),
                         PERP_SOLVED);
        perp_status status = perp_problem_file_read(&back, path, cases[k].other, NULL, &error);
        ck_assert_int_eq(status, PERP_ERR_FORMAT);
        ck_assert_ptr_null(back);
        ck_assert_msg(strstr(error.text, "no problem of the class asked for") != NULL, "%s",
                      error.text);
        ck_assert_int_eq(perp_problem_file_read(&back, path, PERP_CLASS_AUTO, NULL, &error),
                         PERP_SOLVED);
        io_assert_same(file, back);
        perp_problem_file_destroy(back);
        perp_problem_file_destroy(file);
        /* A solution of a class that such files do not hold. */
        file = io_sample_make(IO_LCP_DENSE, 3, &rng);
        ck_assert_int_eq(perp_solution_read(file, path, z, &error), PERP_ERR_FORMAT);
        ck_assert_ptr_nonnull(strstr(error.text, "no solution of this class"));
        perp_problem_file_destroy(file);
    }
}
END_TEST
#endif

typedef struct feed {
    const char *pipe, *from;
} feed;

static void *feed_pipe(void *ctx)
{
    const feed *f = ctx;
    size_t bytes = 0;
    char *text = io_read(f->from, &bytes);
    FILE *out = fopen(f->pipe, "wb");
    /* In pieces that end anywhere. */
    for (size_t at = 0; out != NULL && at < bytes; at += 7919)
        fwrite(text + at, 1, bytes - at < 7919 ? bytes - at : 7919, out);
    if (out != NULL)
        fclose(out);
    free(text);
    return NULL;
}

/* A pipe does not say how long it is: what is longer than was taken at first is read whole. */
START_TEST(long_pipes)
{
    perp_rng rng = {9};
    perp_problem_file *file = io_sample_make(IO_LCP_DENSE, 130, &rng), *back = NULL;
    perp_io_error error;
    pthread_t thread;
    struct stat st;
    feed f = {.from = io_path("long.dat"), .pipe = io_path("pipe")};
    ck_assert_int_eq(perp_problem_file_write(file, f.from, PERP_FORMAT_SICONOS, &error),
                     PERP_SOLVED);
    ck_assert_int_eq(stat(f.from, &st), 0);
    ck_assert_int_gt((int)st.st_size, 4 * 65536);
    ck_assert_int_eq(mkfifo(f.pipe, 0600), 0);
    ck_assert_int_eq(pthread_create(&thread, NULL, feed_pipe, &f), 0);
    perp_status status = perp_problem_file_read(&back, f.pipe, PERP_CLASS_LCP, NULL, &error);
    pthread_join(thread, NULL);
    ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
    io_assert_same(file, back);
    perp_problem_file_destroy(back);
    perp_problem_file_destroy(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("read refusals");
    TCase *tcase = tcase_create("read refusals");
    io_folder_make();
    tcase_add_test(tcase, symmetric_matrices_are_square);
    tcase_add_test(tcase, one_triangle_of_symmetric_matrices);
    tcase_add_test(tcase, arguments);
#ifdef HAVE_HDF5
    tcase_add_test(tcase, classes_of_hdf5_files);
#endif
    tcase_add_test(tcase, texts_that_contradict_themselves);
    tcase_add_test(tcase, unreadable);
    tcase_add_test(tcase, long_pipes);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    io_folder_remove();
    return failed != 0;
}
