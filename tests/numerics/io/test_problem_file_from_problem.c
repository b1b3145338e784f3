/* SPDX-License-Identifier: BSD-3-Clause */
/* Problems of a program as files: what is read back has the same solution. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <perp/io.h>

enum { N = 8 };
static double M[N * N], q[N];
static const double mu[1] = {0.4}, lo[1] = {-0.2}, hi[1] = {INFINITY};

/* Symmetric and positive definite, with entries that are 0. */
static void numbers(void)
{
    for (int j = 0; j < N; j++) {
        for (int i = 0; i < N; i++)
            M[i + N * j] = i == j ? 4.0 + i : (i + j) % 3 ? 0.0 : 0.7 / (1 + i + j);
        q[j] = j % 2 ? 1.0 : -2.0 - 0.1 * j;
    }
}

static const struct shape {
    const char *name;
    perp_problem_class cls;
    perp_segment seg[3];
    int nseg;
    int rows; /* of the problem of the file */
} shapes[] = {
    {"lcp", PERP_CLASS_LCP, {{PERP_NONNEG, 1, N, {NULL, NULL}, {0, 0}}}, 1, N},
    {"mlcp",
     PERP_CLASS_MLCP,
     {{PERP_FREE, 1, 3, {NULL, NULL}, {0, 0}}, {PERP_NONNEG, 1, 5, {NULL, NULL}, {0, 0}}},
     2,
     N},
    {"boxes",
     PERP_CLASS_RELAY,
     {{PERP_BOX, 1, 3, {lo, hi}, {0, 0}}, {PERP_NONNEG, 1, 5, {NULL, NULL}, {0, 0}}},
     2,
     N},
    {"friction",
     PERP_CLASS_FRICTION,
     {{PERP_COULOMB, 3, 2, {mu, NULL}, {0, 0}}, {PERP_FREE, 1, 2, {NULL, NULL}, {0, 0}}},
     2,
     N},
    {"padded",
     PERP_CLASS_FRICTION,
     {{PERP_COULOMB, 2, 3, {mu, NULL}, {0, 0}}, {PERP_NONNEG, 1, 2, {NULL, NULL}, {0, 0}}},
     2,
     10},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void make(perp_problem *problem, const struct shape *shape)
{
    numbers();
    *problem = (perp_problem){.q = q, .seg = shape->seg, .nseg = shape->nseg};
    ck_assert_int_eq(perp_mat_init_dense(&problem->M, N, N, M, N), PERP_SOLVED);
}

static void solve(double *z, const perp_problem *problem)
{
    double w[16];
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    ck_assert_int_eq(perp_solve("gs", problem, &settings, z, w, NULL), PERP_SOLVED);
}

START_TEST(the_same_solution)
{
    const struct shape *shape = &shapes[_i];
    perp_problem problem, back;
    perp_problem_file *file, *read;
    perp_io_error error;
    double z[16], again[16];
    char path[64];
    make(&problem, shape);
    ck_assert_msg(perp_problem_file_from_problem(&file, &problem, NULL, &error) == PERP_SOLVED,
                  "%s: %s", shape->name, error.text);
    ck_assert_int_eq(file->cls, shape->cls);
    ck_assert_int_eq(perp_problem_file_get(file, &back, &error), PERP_SOLVED);
    ck_assert_int_eq(back.M.rows, shape->rows);
    solve(z, &problem);
    solve(again, &back);
    int first = shape->rows == N ? N : 6;
    for (int i = 0; i < first; i++)
        ck_assert_double_eq_tol(z[i], again[i], 1e-9);
    for (int i = 6; shape->rows == 10 && i < N; i++) /* the normals of padded contacts */
        ck_assert_double_eq_tol(z[i], again[2 * i - 6], 1e-9);
    if (shape->cls != PERP_CLASS_FRICTION) { /* text needs no HDF5 */
        snprintf(path, sizeof path, "problem_file_from_problem.%ld.dat", (long)getpid());
        ck_assert_int_eq(perp_problem_file_write(file, path, PERP_FORMAT_AUTO, &error),
                         PERP_SOLVED);
        ck_assert_int_eq(perp_problem_file_read(&read, path, shape->cls, NULL, &error),
                         PERP_SOLVED);
        ck_assert_int_eq(perp_problem_file_get(read, &back, &error), PERP_SOLVED);
        solve(again, &back);
        for (int i = 0; i < N; i++)
            ck_assert_double_eq_tol(z[i], again[i], 1e-9);
        perp_problem_file_destroy(read);
        unlink(path);
    }
    perp_problem_file_destroy(file);
}
END_TEST

START_TEST(refusals_have_a_reason)
{
    perp_problem_file *file = (perp_problem_file *)M;
    perp_io_error error;
    perp_problem problem;
    const double r[1] = {1.0};
    const perp_segment tresca[2] = {{PERP_TRESCA, 2, 1, {r, NULL}, {0, 0}},
                                    {PERP_FREE, 1, 6, {NULL, NULL}, {0, 0}}};
    const perp_segment boxes[3] = {{PERP_COULOMB, 2, 1, {mu, NULL}, {0, 0}},
                                   {PERP_BOX, 1, 6, {lo, hi}, {0, 0}}};
    make(&problem, &shapes[0]);
    problem.seg = tresca;
    problem.nseg = 2;
    ck_assert_int_eq(perp_problem_file_from_problem(&file, &problem, NULL, &error),
                     PERP_ERR_UNSUPPORTED);
    ck_assert_ptr_null(file);
    ck_assert_ptr_nonnull(strstr(error.text, "a set that no file format has"));
    problem.seg = boxes;
    ck_assert_int_eq(perp_problem_file_from_problem(&file, &problem, NULL, &error),
                     PERP_ERR_UNSUPPORTED);
    make(&problem, &shapes[3]);
    M[6] += 1.0; /* a row of an equality no longer is the column */
    ck_assert_int_eq(perp_problem_file_from_problem(&file, &problem, NULL, &error),
                     PERP_ERR_UNSUPPORTED);
    q[3] = NAN;
    ck_assert_int_eq(perp_problem_file_from_problem(&file, &problem, NULL, &error),
                     PERP_ERR_NONFINITE);
    ck_assert_int_eq(perp_problem_file_from_problem(&file, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_file_from_problem(NULL, &problem, NULL, NULL), PERP_ERR_ARGUMENT);
}
END_TEST

/* A file of the program's own. */
START_TEST(files_are_published)
{
    char written[64], path[64], text[8] = "";
    perp_io_error error;
    snprintf(written, sizeof written, "published.%ld.part", (long)getpid());
    snprintf(path, sizeof path, "published.%ld", (long)getpid());
    FILE *f = fopen(written, "w");
    ck_assert_ptr_nonnull(f);
    fputs("done", f);
    fclose(f);
    ck_assert_int_eq(perp_file_publish(written, path, &error), PERP_SOLVED);
    ck_assert_int_ne(access(written, F_OK), 0);
    f = fopen(path, "r");
    ck_assert_ptr_nonnull(f);
    ck_assert_ptr_nonnull(fgets(text, sizeof text, f));
    ck_assert_str_eq(text, "done");
    fclose(f);
    unlink(path);
    ck_assert_int_eq(perp_file_publish(written, path, &error), PERP_ERR_OPEN);
    ck_assert(error.text[0] != 0);
    ck_assert_int_eq(perp_file_publish(NULL, path, NULL), PERP_ERR_ARGUMENT);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem file from problem");
    TCase *tcase = tcase_create("problem file from problem");
    tcase_add_loop_test(tcase, the_same_solution, 0, SHAPES);
    tcase_add_test(tcase, refusals_have_a_reason);
    tcase_add_test(tcase, files_are_published);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
