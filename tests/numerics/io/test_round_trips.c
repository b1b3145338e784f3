/* SPDX-License-Identifier: BSD-3-Clause */
/* Round trips of every class and format, the unified problem, the local form,
 * solutions, writing in one piece, locales, memory. */
#include <check.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config.h"
#include "tests/fixtures/io_samples.h"

#ifdef HAVE_HDF5
enum { WITH_HDF5 = 1 };
#else
enum { WITH_HDF5 = 0 };
#endif

static const char *const endings[] = {
    [PERP_FORMAT_FCLIB] = "a.hdf5", [PERP_FORMAT_SICONOS] = "a.dat"};

static int supported(io_sample kind, perp_file_format format)
{
    return io_sample_fits(kind, format) && (format != PERP_FORMAT_FCLIB || WITH_HDF5);
}

static void round_trip(io_sample kind, int size, perp_file_format format, perp_rng *rng)
{
    perp_problem_file *file = io_sample_make(kind, size, rng), *back;
    perp_io_error error;
    const char *path = io_path(endings[format]);
    if (format == PERP_FORMAT_FCLIB)
        strcpy(file->title, "a title, \xc3\xa9 too");
    perp_status status = perp_problem_file_write(file, path, PERP_FORMAT_AUTO, &error);
    if (!supported(kind, format)) {
        ck_assert_int_eq(status, PERP_ERR_UNSUPPORTED);
        ck_assert_str_ne(error.text, "");
        ck_assert_int_ne(access(path, F_OK), 0);
    } else {
        ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
        status = perp_problem_file_read(&back, path, PERP_CLASS_AUTO, NULL, &error);
        ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
        io_assert_same(file, back);
        ck_assert_str_eq(back->note, "");
        perp_problem_file_destroy(back);
        unlink(path);
    }
    perp_problem_file_destroy(file);
}

START_TEST(round_trips)
{
    perp_rng rng = {1};
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++)
        for (int size = 1; size < 25; size = 2 * size + 1) {
            round_trip(kind, size, PERP_FORMAT_SICONOS, &rng);
            round_trip(kind, size, PERP_FORMAT_FCLIB, &rng);
        }
    ck_assert_int_eq(io_folder_count(), 0);
}
END_TEST

START_TEST(round_trips_without_rows)
{
    perp_rng rng = {2};
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++) {
        if (kind != IO_RELAY) /* the text of one without rows is that of an LCP */
            round_trip(kind, 0, PERP_FORMAT_SICONOS, &rng);
        round_trip(kind, 0, PERP_FORMAT_FCLIB, &rng);
    }
}
END_TEST

/* An explicit zero, an equal neighbour or an early 2 must not change what a
 * class is recognised as. */
START_TEST(small_integers_are_recognised)
{
    perp_rng rng = {3};
    perp_io_error error;
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++)
        for (int trial = 0; trial < 60; trial++) {
            if (!io_sample_fits(kind, PERP_FORMAT_SICONOS))
                continue;
            perp_problem_file *file = io_sample_make(kind, 1 + perp_rng_below(&rng, 3), &rng),
                              *back;
            for (int i = 0; i < file->M.rows; i++)
                file->q[i] = perp_rng_below(&rng, 4);
            if (file->M.kind == PERP_DENSE) {
                double *x = (double *)(uintptr_t)file->M.as.dense.x;
                for (int i = 0; i < file->M.rows * file->M.rows; i++)
                    x[i] = perp_rng_below(&rng, 4);
            }
            const char *path = io_path("n.dat");
            ck_assert_int_eq(perp_problem_file_write(file, path, PERP_FORMAT_AUTO, NULL),
                             PERP_SOLVED);
            perp_status status = perp_problem_file_read(&back, path, PERP_CLASS_AUTO, NULL, &error);
            ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
            io_assert_same(file, back);
            perp_problem_file_destroy(file);
            perp_problem_file_destroy(back);
            unlink(path);
        }
}
END_TEST

static void assert_near(const double *a, const double *b, int n, double tolerance)
{
    double scale = 0.0;
    for (int i = 0; i < n; i++)
        scale = fmax(scale, fabs(b[i]));
    for (int i = 0; i < n; i++)
        ck_assert_msg(fabs(a[i] - b[i]) <= tolerance * scale, "row %d: %.17g, not %.17g", i, a[i],
                      b[i]);
}

/* y += A x or A' x */
static void add(double *y, const perp_mat *A, const double *x, int transposed)
{
    double *a = io_dense(A);
    for (int j = 0; j < A->cols; j++)
        for (int i = 0; i < A->rows; i++)
            if (transposed)
                y[j] += a[i + A->rows * j] * x[i];
            else
                y[i] += a[i + A->rows * j] * x[j];
    free(a);
}

/* Solves A x = b by elimination without pivoting; A is diagonally dominant. */
static void eliminate(const perp_mat *M, double *b)
{
    int n = M->rows;
    double *A = io_dense(M);
    for (int k = 0; k < n; k++)
        for (int i = k + 1; i < n; i++) {
            double f = A[i + n * k] / A[k + n * k];
            for (int j = k; f != 0.0 && j < n; j++)
                A[i + n * j] -= f * A[k + n * j];
            b[i] -= f * b[k];
        }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++)
            b[i] -= A[i + n * j] * b[j];
        b[i] /= A[i + n * i];
    }
    free(A);
}

/* w = M z + q by the equations in <perp/io.h>. */
static double *by_definition(const perp_problem_file *d, const double *z, int n)
{
    double *w = calloc((size_t)n + 1, sizeof *w);
    int rows = d->cls == PERP_CLASS_GLOBAL ? d->H.cols : d->M.rows;
    if (d->cls == PERP_CLASS_GLOBAL) {
        double *v = calloc((size_t)d->dofs + 1, sizeof *v);
        memcpy(v, d->q, (size_t)d->dofs * sizeof *v);
        add(v, &d->H, z, 0);
        if (d->has_G)
            add(v, &d->G, z + rows, 0);
        eliminate(&d->M, v);
        memcpy(w, d->w, (size_t)rows * sizeof *w);
        add(w, &d->H, v, 1);
        if (d->has_G) {
            memcpy(w + rows, d->b, (size_t)d->bilateral * sizeof *w);
            add(w + rows, &d->G, v, 1);
        }
        free(v);
        return w;
    }
    memcpy(w, d->q, (size_t)rows * sizeof *w);
    add(w, &d->M, z, 0);
    if (d->has_V) {
        memcpy(w + rows, d->b, (size_t)d->bilateral * sizeof *w);
        add(w, &d->V, z + rows, 0);
        add(w + rows, &d->V, z, 1);
        add(w + rows, &d->R, z + rows, 0);
    }
    return w;
}

static void check_product(perp_problem_file *d, const perp_problem_file *definition, perp_rng *rng)
{
    perp_problem problem, again;
    perp_residuals residuals = {.size = sizeof residuals};
    perp_io_error error;
    perp_status status = perp_problem_file_get(d, &problem, &error);
    ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
    ck_assert_int_eq(perp_problem_file_get(d, &again, NULL), PERP_SOLVED);
    ck_assert_ptr_eq(again.q, problem.q);
    ck_assert_int_eq(perp_problem_check(&problem, NULL, NULL), PERP_SOLVED);
    int n = problem.M.rows;
    double *z = malloc(((size_t)n + 1) * sizeof *z), *w = malloc(((size_t)n + 1) * sizeof *w);
    for (int i = 0; i < n; i++)
        z[i] = perp_rng_signed(rng);
    ck_assert_int_eq(perp_residual(&problem, z, NULL, w, &residuals), PERP_SOLVED);
    double *wanted = by_definition(definition, z, n);
    assert_near(w, wanted, n, 1e-12);
    free(wanted);
    free(z);
    free(w);
}

START_TEST(problems_follow_their_definition)
{
    perp_rng rng = {4};
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++)
        for (int size = 1; size < 30; size = 2 * size + 1) {
            perp_problem_file *d = io_sample_make(kind, size, &rng);
            check_product(d, d, &rng);
            perp_problem_file_destroy(d);
        }
}
END_TEST

START_TEST(segments_name_the_rows)
{
    perp_rng rng = {5};
    perp_problem problem;
    perp_problem_file *d = io_sample_make(IO_MLCP_DENSE, 40, &rng);
    ck_assert_int_eq(perp_problem_file_get(d, &problem, NULL), PERP_SOLVED);
    for (int s = 0, row = 0; s < problem.nseg; s++)
        for (int k = 0; k < problem.seg[s].count; k++, row++)
            ck_assert_int_eq(problem.seg[s].set, d->is_free[row] ? PERP_FREE : PERP_NONNEG);
    perp_problem_file_destroy(d);
    d = io_sample_make(IO_GLOBAL_G, 8, &rng);
    ck_assert_int_eq(perp_problem_file_get(d, &problem, NULL), PERP_SOLVED);
    ck_assert_int_eq(problem.M.kind, PERP_DELASSUS);
    ck_assert_int_eq(problem.nseg, 2);
    ck_assert_int_eq(problem.seg[0].set, PERP_COULOMB);
    ck_assert_ptr_eq(problem.seg[0].par[0], d->mu);
    ck_assert_int_eq(problem.seg[1].set, PERP_FREE);
    ck_assert_int_eq(problem.seg[1].count, 4);
    perp_problem_file_destroy(d);
    d = io_sample_make(IO_RELAY, 9, &rng);
    ck_assert_int_eq(perp_problem_file_get(d, &problem, NULL), PERP_SOLVED);
    ck_assert_int_eq(problem.seg[0].set, PERP_BOX);
    ck_assert_ptr_eq(problem.seg[0].par[1], d->hi);
    perp_problem_file_destroy(d);
}
END_TEST

/* Sizes above 13 have a component of 70 unknowns beside the bodies. */
START_TEST(local_form_is_the_same_problem)
{
    perp_rng rng = {6};
    for (io_sample kind = IO_GLOBAL_2D; kind <= IO_GLOBAL_G; kind++)
        for (int size = 0; size < 30; size = 2 * size + 1) {
            perp_problem_file *d = io_sample_make(kind, size, &rng), *local;
            perp_io_error error;
            perp_status status = perp_problem_file_to_local(&local, d, NULL, &error);
            ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
            ck_assert_int_eq(local->cls, PERP_CLASS_FRICTION);
            ck_assert_int_eq(local->M.kind, kind == IO_GLOBAL_G ? PERP_CSC : PERP_BSR);
            check_product(local, d, &rng);
            perp_problem_file_destroy(d);
            perp_problem_file_destroy(local);
        }
}
END_TEST

START_TEST(unsymmetric_mass_has_no_local_form_with_G)
{
    perp_rng rng = {7};
    for (io_sample kind = IO_GLOBAL_3D; kind <= IO_GLOBAL_G; kind++) {
        perp_problem_file *d = io_sample_make(kind, 10, &rng), *local;
        double *x = (double *)(uintptr_t)d->M.as.csc.x;
        for (int j = 0, done = 0; !done; j++)
            for (int p = d->M.as.csc.colptr[j]; p < d->M.as.csc.colptr[j + 1] && !done; p++)
                if (d->M.as.csc.row[p] != j) {
                    x[p] *= 1.5;
                    done = 1;
                }
        perp_status status = perp_problem_file_to_local(&local, d, NULL, NULL);
        if (kind == IO_GLOBAL_G) {
            ck_assert_int_eq(status, PERP_ERR_UNSUPPORTED);
            ck_assert_ptr_null(local);
        } else {
            ck_assert_int_eq(status, PERP_SOLVED);
            check_product(local, d, &rng);
        }
        perp_problem_file_destroy(d);
        perp_problem_file_destroy(local);
    }
}
END_TEST

START_TEST(singular_mass_is_named)
{
    perp_rng rng = {8};
    perp_problem problem;
    perp_io_error error;
    perp_problem_file *d = io_sample_make(IO_GLOBAL_3D, 4, &rng), *local;
    double *x = (double *)(uintptr_t)d->M.as.csc.x;
    for (int p = 0; p < d->M.as.csc.colptr[d->dofs]; p++)
        x[p] = 0.0;
    ck_assert_int_eq(perp_problem_file_get(d, &problem, &error), PERP_ERR_SINGULAR);
    ck_assert_ptr_nonnull(strstr(error.text, "row 0"));
    ck_assert_int_eq(perp_problem_file_to_local(&local, d, NULL, &error), PERP_ERR_SINGULAR);
    ck_assert_ptr_null(local);
    perp_problem_file_destroy(d);
}
END_TEST

static void solution_trip(io_sample kind, const char *leaf, perp_rng *rng)
{
    perp_problem_file *d = io_sample_make(kind, 5, rng);
    perp_problem problem;
    perp_io_error error;
    ck_assert_int_eq(perp_problem_file_get(d, &problem, NULL), PERP_SOLVED);
    int n = problem.M.rows;
    double *z = calloc((size_t)n, sizeof *z), *w = calloc((size_t)n, sizeof *w),
           *back = calloc((size_t)n, sizeof *back);
    for (int i = 0; i < n; i++) {
        z[i] = ldexp(perp_rng_uniform(rng), i % 40 - 20);
        w[i] = -z[i];
    }
    const char *path = io_path(leaf);
    perp_status status = perp_solution_write(d, z, w, path, &error);
    if (strstr(leaf, "h5") && !(kind <= IO_GLOBAL_G && WITH_HDF5)) {
        ck_assert_int_eq(status, PERP_ERR_UNSUPPORTED);
    } else {
        ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
        status = perp_solution_read(d, path, back, &error);
        ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
        ck_assert(memcmp(z, back, (size_t)n * sizeof *z) == 0);
        unlink(path);
    }
    free(z);
    free(w);
    free(back);
    perp_problem_file_destroy(d);
}

START_TEST(solutions)
{
    perp_rng rng = {9};
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++) {
        solution_trip(kind, "s.h5", &rng);
        solution_trip(kind, "s.sol", &rng);
    }
    perp_problem_file *d = io_sample_make(IO_LCP_DENSE, 3, &rng);
    double z[3] = {7.0, 7.0, 7.0};
    const char *path = io_path("s.txt"), *const bad[] = {"",        "1 2",
                                                         "1 2 3 4", "1 2 3 4 5 6 7",
                                                         "1 x 3",   "# z w\n1 2\n3 4\n5"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        io_write(path, bad[k], strlen(bad[k]));
        ck_assert_int_eq(perp_solution_read(d, path, z, NULL), PERP_ERR_FORMAT);
        ck_assert_double_eq(z[0], 7.0);
    }
    io_write(path, "# only z\n1 2 3", 14);
    ck_assert_int_eq(perp_solution_read(d, path, z, NULL), PERP_SOLVED);
    ck_assert_double_eq(z[2], 3.0);
    ck_assert_int_eq(perp_solution_read(d, io_path("none"), z, NULL), PERP_ERR_OPEN);
    unlink(path);
    perp_problem_file_destroy(d);
}
END_TEST

START_TEST(a_failed_write_leaves_the_old_file)
{
    perp_rng rng = {11};
    perp_io_error error;
    size_t bytes;
    for (perp_file_format f = PERP_FORMAT_FCLIB; f <= PERP_FORMAT_SICONOS; f++) {
        perp_problem_file *d = io_sample_make(IO_FRICTION_3D, 3, &rng);
        const char *path = io_path(endings[f]);
        io_write(path, "old", 3);
        ck_assert_int_eq(chmod(path, 0640), 0);
        d->q[5] = NAN;
        perp_status status = perp_problem_file_write(d, path, PERP_FORMAT_AUTO, &error);
        ck_assert_int_eq(status, f == PERP_FORMAT_FCLIB && !WITH_HDF5 ? PERP_ERR_UNSUPPORTED
                                                                      : PERP_ERR_NONFINITE);
        char *text = io_read(path, &bytes);
        ck_assert_str_eq(text, "old");
        free(text);
        d->q[5] = 0.0;
        if (f == PERP_FORMAT_SICONOS || WITH_HDF5) {
            struct stat st;
            ck_assert_int_eq(perp_problem_file_write(d, path, PERP_FORMAT_AUTO, &error),
                             PERP_SOLVED);
            ck_assert_int_eq(stat(path, &st), 0);
            ck_assert_int_eq((int)(st.st_mode & 0777), 0640);
        }
        ck_assert_int_eq(io_folder_count(), 1);
        unlink(path);
        perp_problem_file_destroy(d);
    }
}
END_TEST

START_TEST(a_link_stays_a_link)
{
    perp_rng rng = {12};
    struct stat st;
    perp_problem_file *d = io_sample_make(IO_LCP_DENSE, 3, &rng), *back;
    const char *file = io_path("file.dat"), *link = io_path("link.dat");
    io_write(file, "old", 3);
    ck_assert_int_eq(symlink(file, link), 0);
    ck_assert_int_eq(perp_problem_file_write(d, link, PERP_FORMAT_AUTO, NULL), PERP_SOLVED);
    ck_assert(lstat(link, &st) == 0 && S_ISLNK(st.st_mode));
    ck_assert_int_eq(perp_problem_file_read(&back, file, PERP_CLASS_AUTO, NULL, NULL), PERP_SOLVED);
    io_assert_same(d, back);
    perp_problem_file_destroy(d);
    perp_problem_file_destroy(back);
    unlink(file);
    unlink(link);
}
END_TEST

/* Old ones of processes that are gone alone. */
START_TEST(what_a_killed_process_left)
{
    static const struct {
        const char *name;
        int hours, stays;
    } left[] = {{"left.dat.999999999.0.tmp", 2, 0}, {"left.dat.999999998.99.tmp", 30, 0},
                {"left.dat.999999999.1.tmp", 0, 1}, {"left.dat.1.0.tmp", 2, 1},
                {"left.dat.999999999.tmp", 2, 1},   {"left.dat.999999999.0.tmpx", 2, 1},
                {"other.dat.999999999.0.tmp", 2, 1}};
    enum { COUNT = sizeof left / sizeof left[0] };
    perp_rng rng = {5};
    perp_problem_file *d = io_sample_make(IO_LCP_DENSE, 3, &rng);
    for (int k = 0; k < COUNT; k++) {
        const char *path = io_path(left[k].name);
        time_t then = time(NULL) - 3600 * left[k].hours;
        struct timespec times[2] = {{then, 0}, {then, 0}};
        FILE *f = fopen(path, "w");
        ck_assert_ptr_nonnull(f);
        fclose(f);
        ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
    }
    ck_assert_int_eq(perp_problem_file_write(d, io_path("left.dat"), PERP_FORMAT_AUTO, NULL), 0);
    for (int k = 0; k < COUNT; k++) {
        ck_assert_msg((access(io_path(left[k].name), F_OK) == 0) == left[k].stays, "%s",
                      left[k].name);
        unlink(io_path(left[k].name));
    }
    perp_problem_file_destroy(d);
}
END_TEST

START_TEST(places_that_cannot_be_used)
{
    perp_rng rng = {13};
    perp_problem_file *d = io_sample_make(IO_LCP_DENSE, 3, &rng), *back;
    perp_io_error error;
    char path[400];
    ck_assert_int_eq(perp_problem_file_read(&back, io_path("none.dat"), 0, NULL, &error),
                     PERP_ERR_OPEN);
    ck_assert_ptr_null(back);
    ck_assert_ptr_nonnull(strstr(error.text, "none.dat"));
    snprintf(path, sizeof path, "%s/a.dat", io_path("nowhere"));
    ck_assert_int_eq(perp_problem_file_write(d, path, PERP_FORMAT_AUTO, &error), PERP_ERR_OPEN);
    ck_assert_int_eq(perp_problem_file_read(&back, ".", 0, NULL, &error), PERP_ERR_OPEN);
    ck_assert_int_eq(perp_problem_file_write(d, ".", PERP_FORMAT_SICONOS, &error), PERP_ERR_OPEN);
    ck_assert_int_eq(perp_problem_file_write(d, "a.unknown", PERP_FORMAT_AUTO, &error),
                     PERP_ERR_UNSUPPORTED);
    ck_assert_int_eq(perp_problem_file_write(d, "/dev/null", PERP_FORMAT_SICONOS, &error),
                     PERP_SOLVED);
    ck_assert_int_eq(perp_problem_file_write(d, "/dev/full", PERP_FORMAT_SICONOS, &error),
                     PERP_ERR_OPEN);
    ck_assert_int_eq(perp_problem_file_write(NULL, "a.dat", PERP_FORMAT_AUTO, &error),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_file_read(NULL, "a.dat", 0, NULL, &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_file_get(NULL, NULL, &error), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_file_to_local(&back, d, NULL, &error), PERP_ERR_ARGUMENT);
    perp_problem_file_destroy(d);
    perp_problem_file_destroy(NULL);
}
END_TEST

START_TEST(half_filled_files_are_refused)
{
    perp_rng rng = {14};
    perp_problem problem;
    perp_io_error error;
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++) {
        perp_problem_file *d = io_sample_make(kind, 4, &rng);
        double *q = d->q;
        d->q = NULL;
        ck_assert_int_eq(perp_problem_file_get(d, &problem, &error), PERP_ERR_ARGUMENT);
        d->q = q;
        int rows = d->M.rows;
        d->M.rows--;
        ck_assert_int_lt(perp_problem_file_get(d, &problem, &error), 0);
        d->M.rows = rows;
        if (d->cls == PERP_CLASS_GLOBAL) {
            ((int *)(uintptr_t)d->H.as.csc.row)[0] = d->dofs;
            ck_assert_int_eq(perp_problem_file_get(d, &problem, &error), PERP_ERR_STRUCTURE);
            ck_assert_int_eq(perp_problem_file_write(d, io_path("h.dat"), PERP_FORMAT_AUTO, &error),
                             PERP_ERR_STRUCTURE);
        }
        perp_problem_file_destroy(d);
    }
}
END_TEST

/* German writes 1,5; the files must not.  The locale is made on the spot. */
START_TEST(the_locale_does_not_matter)
{
    char command[600];
    perp_rng rng = {15};
    const char *place = io_path("locale");
    ck_assert_int_eq(mkdir(place, 0700), 0);
    snprintf(command, sizeof command,
             "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", place);
    int made = system(command) == 0;
    setenv("LOCPATH", place, 1);
    if (made && setlocale(LC_ALL, "de_DE.UTF-8")) {
        char text[16];
        snprintf(text, sizeof text, "%.1f", 1.5);
        ck_assert_str_eq(text, "1,5");
        round_trip(IO_RELAY, 7, PERP_FORMAT_SICONOS, &rng);
        round_trip(IO_FRICTION_3D, 4, PERP_FORMAT_FCLIB, &rng);
        solution_trip(IO_MLCP_DENSE, "s.sol", &rng);
        setlocale(LC_ALL, "C");
    }
    snprintf(command, sizeof command, "rm -rf '%s'", place);
    ck_assert_int_eq(system(command), 0);
}
END_TEST

/* Every allocation fails once; nothing leaks, and nothing but memory is blamed. */
static void starve(const char *path)
{
    for (int k = 0, done = 0; !done; k++) {
        io_memory memory = {.fail_at = k};
        perp_allocator allocator = io_allocator(&memory);
        perp_problem problem;
        perp_problem_file *d = NULL, *local = NULL;
        perp_status status = perp_problem_file_read(&d, path, PERP_CLASS_AUTO, &allocator, NULL);
        if (!status)
            status = perp_problem_file_get(d, &problem, NULL);
        if (!status && d->cls == PERP_CLASS_GLOBAL)
            status = perp_problem_file_to_local(&local, d, &allocator, NULL);
        if (!status)
            status = perp_problem_file_write(d, path, PERP_FORMAT_AUTO, NULL);
        done = status == PERP_SOLVED;
        ck_assert_msg(done || status == PERP_ERR_MEMORY, "%s: call %d: %s", path, k,
                      perp_status_name(status));
        ck_assert(done || memory.calls > k);
        perp_problem_file_destroy(d);
        perp_problem_file_destroy(local);
        ck_assert_int_eq(memory.live, 0);
    }
}

START_TEST(memory_failures)
{
    perp_rng rng = {16};
    for (io_sample kind = 0; kind < IO_SAMPLES; kind++)
        for (perp_file_format f = PERP_FORMAT_FCLIB; f <= PERP_FORMAT_SICONOS; f++) {
            if (!supported(kind, f))
                continue;
            perp_problem_file *d = io_sample_make(kind, 3, &rng);
            const char *path = io_path(endings[f]);
            ck_assert_int_eq(perp_problem_file_write(d, path, PERP_FORMAT_AUTO, NULL), PERP_SOLVED);
            starve(path);
            ck_assert_int_eq(io_folder_count(), 1);
            unlink(path);
            perp_problem_file_destroy(d);
        }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("io");
    TCase *tests = tcase_create("problem files");
    tcase_add_test(tests, round_trips);
    tcase_add_test(tests, round_trips_without_rows);
    tcase_add_test(tests, small_integers_are_recognised);
    tcase_add_test(tests, problems_follow_their_definition);
    tcase_add_test(tests, segments_name_the_rows);
    tcase_add_test(tests, local_form_is_the_same_problem);
    tcase_add_test(tests, unsymmetric_mass_has_no_local_form_with_G);
    tcase_add_test(tests, singular_mass_is_named);
    tcase_add_test(tests, solutions);
    tcase_add_test(tests, a_failed_write_leaves_the_old_file);
    tcase_add_test(tests, a_link_stays_a_link);
    tcase_add_test(tests, what_a_killed_process_left);
    tcase_add_test(tests, places_that_cannot_be_used);
    tcase_add_test(tests, half_filled_files_are_refused);
    tcase_add_test(tests, the_locale_does_not_matter);
    tcase_add_test(tests, memory_failures);
    tcase_set_timeout(tests, 120);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    io_folder_make();
    srunner_run_all(runner, CK_ENV);
    io_folder_remove();
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
