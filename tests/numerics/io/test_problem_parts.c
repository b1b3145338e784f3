/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a global problem: all together they hold the whole, however its matrices are stored, in
 * every floating-point environment of the host; what is damaged is refused. */
#define _POSIX_C_SOURCE 200809L /* access */
#include "config.h"

#include <check.h>
#include <hdf5.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fixtures/float_host.h"
#include "tests/fixtures/io_samples.h"

static void put(hid_t file, const char *matrix, const char *leaf, hid_t type, hsize_t count,
                const void *data)
{
    char name[64];
    snprintf(name, sizeof name, "/fclib_global/%s/%s", matrix, leaf);
    ck_assert_int_ge(H5Ldelete(file, name, H5P_DEFAULT), 0);
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert_int_ge(set, 0);
    ck_assert_int_ge(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), 0);
    H5Dclose(set);
    H5Sclose(space);
}

/* The matrix as compressed columns (nz = -1) or rows (-2). */
static void compress(const char *path, const char *matrix, const double *A, int rows, int cols,
                     int nz)
{
    int major = nz == -2 ? rows : cols, minor = nz == -2 ? cols : rows, count = 0;
    int *p = calloc((size_t)major + 1, sizeof *p),
        *i = calloc((size_t)(rows * cols) + 1, sizeof *i);
    double *x = calloc((size_t)(rows * cols) + 1, sizeof *x);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    ck_assert_int_ge(file, 0);
    for (int k = 0; k < major; k++) {
        for (int l = 0; l < minor; l++) {
            double entry = nz == -2 ? A[k + l * rows] : A[l + k * rows];
            if (entry != 0.0) {
                i[count] = l;
                x[count++] = entry;
            }
        }
        p[k + 1] = count;
    }
    put(file, matrix, "nz", H5T_NATIVE_INT, 1, &nz);
    put(file, matrix, "p", H5T_NATIVE_INT, (hsize_t)major + 1, p);
    put(file, matrix, "i", H5T_NATIVE_INT, (hsize_t)count, i);
    put(file, matrix, "x", H5T_NATIVE_DOUBLE, (hsize_t)count, x);
    H5Fclose(file);
    free(p);
    free(i);
    free(x);
}

static void add(double *A, int rows, const perp_part_entries *e)
{
    for (int k = 0; k < e->count; k++)
        A[e->row[k] + rows * e->col[k]] += e->x[k];
}

/* So many parts, put together, beside the file. */
static void check_parts(const perp_problem_file *file, const double *M, const double *H,
                        const char *path, int parts, int host)
{
    int n = file->M.rows, cols = file->spacedim * file->contacts, contacts = 0, dofs = 0;
    double *ownM = calloc((size_t)(n * n) + 1, sizeof *ownM),
           *ownH = calloc((size_t)(n * cols) + 1, sizeof *ownH);
    for (int k = 0; k < parts; k++) {
        perp_problem_part *part = NULL;
        perp_io_error error;
        float_host_enter(host);
        perp_status status = perp_problem_part_read(&part, path, k, parts, NULL, &error);
        ck_assert_msg(float_host_leave(host), "host %d", host);
        ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
        ck_assert_int_eq(part->dofs, n);
        ck_assert_int_eq(part->contacts, file->contacts);
        ck_assert_int_eq(part->first_contact, contacts);
        ck_assert_int_eq(part->first_dof, dofs);
        contacts += part->own_contacts;
        dofs += part->own_dofs;
        for (int i = 0; i < part->own_contacts; i++)
            ck_assert_double_eq(part->mu[i], file->mu[part->first_contact + i]);
        add(ownM, n, &part->M);
        add(ownH, n, &part->H);
        perp_problem_part_destroy(part);
    }
    ck_assert_int_eq(contacts, file->contacts);
    ck_assert_int_eq(dofs, n);
    for (int k = 0; k < n * n; k++)
        ck_assert_double_eq(ownM[k], M[k]);
    for (int k = 0; k < n * cols; k++)
        ck_assert_double_eq(ownH[k], H[k]);
    free(ownM);
    free(ownH);
}

START_TEST(all_together)
{
    static const io_sample samples[] = {IO_GLOBAL_2D, IO_GLOBAL_3D};
    perp_rng rng = {21};
    io_folder_make();
    for (int s = 0; s < 2; s++) {
        perp_problem_file *file = io_sample_make(samples[s], 5, &rng);
        perp_io_error error;
        const char *path = io_path("parts.hdf5");
        ck_assert_int_eq(perp_problem_file_write(file, path, PERP_FORMAT_FCLIB, &error),
                         PERP_SOLVED);
        double *M = io_dense(&file->M), *H = io_dense(&file->H);
        int n = file->M.rows, cols = file->spacedim * file->contacts;
        for (int nz = 0; nz >= -2; nz--) {
            if (nz < 0) {
                compress(path, "M", M, n, n, nz);
                compress(path, "H", H, n, cols, nz);
            }
            for (int parts = 1; parts <= 2 * n + 1; parts += parts)
                check_parts(file, M, H, path, parts, 0);
            for (int host = 1; host < FLOAT_HOSTS; host++)
                check_parts(file, M, H, path, 3, host);
        }
        /* Entries that fall, that are outside, and too few of them. */
        int bad[4] = {0, 5, 2, 7}, far = n + 1;
        perp_problem_part *part = NULL;
        hid_t h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        put(h5, "M", "p", H5T_NATIVE_INT, 4, bad);
        H5Fclose(h5);
        ck_assert_int_eq(perp_problem_part_read(&part, path, 0, 1, NULL, &error), PERP_ERR_FORMAT);
        compress(path, "M", M, n, n, -1);
        h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        put(h5, "M", "i", H5T_NATIVE_INT, 1, &far);
        H5Fclose(h5);
        ck_assert_int_eq(perp_problem_part_read(&part, path, 0, 1, NULL, &error), PERP_ERR_FORMAT);
        ck_assert_ptr_null(part);
        free(M);
        free(H);
        perp_problem_file_destroy(file);
    }
    io_folder_remove();
}
END_TEST

/* Parameters of rolling and torsional friction of all parts together. */
START_TEST(rolling)
{
    static const io_sample samples[] = {IO_GLOBAL_ROLLING, IO_GLOBAL_TORSION, IO_GLOBAL_SIX};
    perp_rng rng = {22};
    io_folder_make();
    for (int s = 0; s < 3; s++) {
        perp_problem_file *file = io_sample_make(samples[s], 5, &rng);
        perp_io_error error;
        const char *path = io_path("rolling.hdf5");
        int contacts = 0;
        ck_assert_int_eq(perp_problem_file_write(file, path, PERP_FORMAT_FCLIB, &error),
                         PERP_SOLVED);
        for (int k = 0; k < 3; k++) {
            perp_problem_part *part = NULL;
            ck_assert_msg(perp_problem_part_read(&part, path, k, 3, NULL, &error) == PERP_SOLVED,
                          "%s", error.text);
            ck_assert_int_eq(part->rolling, 1);
            ck_assert_int_eq(part->spacedim, file->spacedim);
            ck_assert_int_eq(part->first_contact, contacts);
            for (int i = 0; i < part->own_contacts; i++, contacts++) {
                ck_assert_double_eq(part->mu_r[i], file->mu_r[contacts]);
                if (file->spacedim == 6)
                    ck_assert_double_eq(part->mu_s[i], file->mu_s[contacts]);
            }
            ck_assert(file->spacedim == 6 || part->mu_s == NULL);
            perp_problem_part_destroy(part);
        }
        ck_assert_int_eq(contacts, file->contacts);
        double negative = -1.0;
        hid_t h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
        hid_t set = H5Dopen2(h5, "/fclib_global_rolling/vectors/mu_r", H5P_DEFAULT);
        hsize_t one = 1, first = 0;
        hid_t to = H5Dget_space(set), from = H5Screate_simple(1, &one, NULL);
        H5Sselect_hyperslab(to, H5S_SELECT_SET, &first, NULL, &one, NULL);
        ck_assert_int_ge(H5Dwrite(set, H5T_NATIVE_DOUBLE, from, to, H5P_DEFAULT, &negative), 0);
        H5Sclose(from);
        H5Sclose(to);
        H5Dclose(set);
        H5Fclose(h5);
        perp_problem_part *part = NULL;
        ck_assert_int_eq(perp_problem_part_read(&part, path, 0, 2, NULL, &error), PERP_ERR_FORMAT);
        ck_assert_ptr_nonnull(strstr(error.text, "mu_r"));
        perp_problem_file_destroy(file);
    }
    io_folder_remove();
}
END_TEST

/* Entries of /solution; NULL: it is not there. */
static double *solution(const char *path, const char *leaf, int count)
{
    char name[40];
    snprintf(name, sizeof name, "/solution/%s", leaf);
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    ck_assert_int_ge(file, 0);
    double *x = NULL;
    if (H5Lexists(file, name, H5P_DEFAULT) > 0) {
        hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
        ck_assert_int_eq((int)H5Sget_simple_extent_npoints(space), count);
        x = calloc((size_t)count + 1, sizeof *x);
        ck_assert_int_ge(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, x), 0);
        H5Sclose(space);
        H5Dclose(set);
    }
    H5Fclose(file);
    return x;
}

static void same_solution(const char *a, const char *b, const char *leaf, int count)
{
    double *x = solution(a, leaf, count), *y = solution(b, leaf, count);
    ck_assert((x == NULL) == (y == NULL));
    for (int k = 0; x && k < count; k++)
        ck_assert_double_eq_tol(x[k], y[k], 1e-12 * (1.0 + fabs(x[k])));
    free(x);
    free(y);
}

/* M without what couples unknowns of two bodies. */
static void separate_bodies(perp_problem_file *file)
{
    int body = file->spacedim == 2 ? 3 : 6;
    double *x = (double *)file->M.as.csc.x;
    for (int j = 0; j < file->M.cols; j++)
        for (int p = file->M.as.csc.colptr[j]; p < file->M.as.csc.colptr[j + 1]; p++)
            if (file->M.as.csc.row[p] / body != j / body)
                x[p] = 0.0;
}

/* A copy of the file with the solution is what perp_solution_write() writes, and so is one of that
 * copy. */
START_TEST(copies_with_solutions)
{
    static const io_sample samples[] = {IO_GLOBAL_2D, IO_GLOBAL_3D, IO_GLOBAL_G, IO_GLOBAL_SIX};
    perp_rng rng = {23};
    io_folder_make();
    for (int s = 0; s < 4; s++) {
        perp_problem_file *file = io_sample_make(samples[s], 5, &rng), *read = NULL;
        perp_problem problem;
        perp_io_error error;
        const char *path = io_path("p.hdf5"), *whole = io_path("whole.hdf5");
        const char *copy = io_path("copy.hdf5");
        separate_bodies(file);
        ck_assert_int_eq(perp_problem_file_write(file, path, PERP_FORMAT_FCLIB, &error),
                         PERP_SOLVED);
        ck_assert_int_eq(perp_problem_file_get(file, &problem, &error), PERP_SOLVED);
        int n = problem.M.rows, rows = file->spacedim * file->contacts;
        double *z = calloc(2 * (size_t)n + 1, sizeof *z), *w = z + n;
        for (int i = 0; i < 2 * n; i++)
            z[i] = perp_rng_uniform(&rng);
        ck_assert_int_eq(perp_solution_write(file, z, w, whole, &error), PERP_SOLVED);
        for (int again = 0; again < 2; again++) {
            perp_status status =
                perp_solution_write_copy(again ? whole : path, z, w, n, copy, &error);
            ck_assert_msg(status == PERP_SOLVED, "%d: %s", s, error.text);
            same_solution(whole, copy, "v", file->dofs);
            same_solution(whole, copy, "u", rows);
            same_solution(whole, copy, "r", rows);
            same_solution(whole, copy, "l", file->bilateral);
            ck_assert_int_eq(perp_problem_file_read(&read, copy, 0, NULL, &error), PERP_SOLVED);
            ck_assert_int_eq(read->contacts, file->contacts);
            perp_problem_file_destroy(read);
        }
        ck_assert_int_eq(perp_solution_write_copy(path, z, w, n + 1, copy, &error),
                         PERP_ERR_ARGUMENT);
        ck_assert_int_eq(perp_solution_write_copy(path, z, w, n, "/nowhere/x.hdf5", &error),
                         PERP_ERR_OPEN);
        z[0] = NAN;
        ck_assert_int_lt(perp_solution_write_copy(path, z, w, n, copy, &error), 0);
        ck_assert_int_eq(perp_solution_write_copy("/nowhere/x", z, w, n, copy, &error),
                         PERP_ERR_OPEN);
        free(z);
        perp_problem_file_destroy(file);
    }
    io_folder_remove();
}
END_TEST

/* Entries of M below its diagonal alone, the others gone. */
static void keep_lower(perp_problem_file *file)
{
    int *colptr = (int *)file->M.as.csc.colptr, *row = (int *)file->M.as.csc.row;
    double *x = (double *)file->M.as.csc.x;
    int at = 0, from = 0;
    for (int j = 0; j < file->M.cols; j++) {
        int to = colptr[j + 1];
        for (int p = from; p < to; p++)
            if (row[p] >= j) {
                row[at] = row[p];
                x[at++] = x[p];
            }
        colptr[j + 1] = at;
        from = to;
    }
}

/* One triangle stands for both, as in the reader of the whole. */
START_TEST(a_copy_of_half_a_mass)
{
    perp_rng rng = {29};
    perp_io_error error;
    perp_problem_file *read = NULL;
    io_folder_make();
    perp_problem_file *file = io_sample_make(IO_GLOBAL_3D, 5, &rng);
    const char *path = io_path("p.hdf5"), *whole = io_path("whole.hdf5");
    const char *copy = io_path("copy.hdf5");
    separate_bodies(file);
    keep_lower(file);
    ck_assert_int_eq(perp_problem_file_write(file, path, PERP_FORMAT_FCLIB, &error), PERP_SOLVED);
    ck_assert_int_eq(perp_problem_file_read(&read, path, 0, NULL, &error), PERP_SOLVED);
    ck_assert_msg(strstr(read->note, "M: one triangle, mirrored") != NULL, "%s", read->note);
    int n = read->spacedim * read->contacts + read->bilateral;
    double *z = calloc(2 * (size_t)n + 1, sizeof *z), *w = z + n;
    for (int i = 0; i < 2 * n; i++)
        z[i] = perp_rng_uniform(&rng);
    ck_assert_int_eq(perp_solution_write(read, z, w, whole, &error), PERP_SOLVED);
    ck_assert_int_eq(perp_solution_write_copy(path, z, w, n, copy, &error), PERP_SOLVED);
    same_solution(whole, copy, "v", file->dofs);
    same_solution(whole, copy, "r", file->spacedim * file->contacts);
    free(z);
    perp_problem_file_destroy(read);
    perp_problem_file_destroy(file);
    io_folder_remove();
}
END_TEST

/* A mass of two bodies together, one that is singular; a path that is no file, no arguments. */
START_TEST(copies_that_are_refused)
{
    perp_rng rng = {31};
    perp_io_error error;
    double z[200] = {0.0}, w[200] = {0.0};
    io_folder_make();
    const char *path = io_path("p.hdf5"), *copy = io_path("copy.hdf5");
    for (int k = 0; k < 2; k++) {
        perp_problem_file *file = io_sample_make(IO_GLOBAL_3D, 5, &rng);
        int n = file->spacedim * file->contacts + file->bilateral;
        double *x = (double *)file->M.as.csc.x;
        ck_assert_int_le(n, 200);
        separate_bodies(file);
        ck_assert_int_eq(perp_problem_file_write(file, path, PERP_FORMAT_FCLIB, &error),
                         PERP_SOLVED);
        ck_assert_int_eq(perp_solution_write_copy(path, z, w, n, "/dev/null", &error),
                         PERP_ERR_UNSUPPORTED);
        ck_assert_ptr_nonnull(strstr(error.text, "is no regular file"));
        ck_assert_int_eq(perp_solution_write_copy(NULL, z, w, n, copy, &error), PERP_ERR_ARGUMENT);
        ck_assert_int_eq(perp_solution_write_copy(path, NULL, w, n, copy, NULL), PERP_ERR_ARGUMENT);
        ck_assert_int_eq(perp_solution_write_copy(path, z, NULL, n, copy, NULL), PERP_ERR_ARGUMENT);
        ck_assert_int_eq(perp_solution_write_copy(path, z, w, n, NULL, NULL), PERP_ERR_ARGUMENT);
        ck_assert_int_eq(perp_solution_write_copy(path, z, w, -1, copy, NULL), PERP_ERR_ARGUMENT);
        for (int j = 0; j < file->M.cols; j++)
            for (int p = file->M.as.csc.colptr[j]; p < file->M.as.csc.colptr[j + 1]; p++)
                if (k == 0 && file->M.as.csc.row[p] / 6 != j / 6)
                    x[p] = 0.5;
                else if (k == 1 && (j == 7 || file->M.as.csc.row[p] == 7))
                    x[p] = 0.0;
        ck_assert_int_eq(perp_problem_file_write(file, path, PERP_FORMAT_FCLIB, &error),
                         PERP_SOLVED);
        perp_status status = perp_solution_write_copy(path, z, w, n, copy, &error);
        ck_assert_msg(status < 0, "%d", k);
        ck_assert_msg(strstr(error.text, k == 0 ? "of two bodies" : "M, at unknown") != NULL, "%s",
                      error.text);
        perp_problem_file_destroy(file);
    }
    ck_assert_int_ne(access(copy, F_OK), 0);
    io_folder_remove();
}
END_TEST

START_TEST(arguments)
{
    perp_problem_part *part = NULL;
    ck_assert_int_eq(perp_problem_part_read(NULL, "a", 0, 1, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_part_read(&part, NULL, 0, 1, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_part_read(&part, "a", -1, 1, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_part_read(&part, "a", 1, 1, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_part_read(&part, "/nowhere/a", 0, 1, NULL, NULL), PERP_ERR_OPEN);
    ck_assert_ptr_null(part);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("problem parts");
    TCase *tcase = tcase_create("problem parts");
    tcase_add_test(tcase, all_together);
    tcase_add_test(tcase, rolling);
    tcase_add_test(tcase, copies_with_solutions);
    tcase_add_test(tcase, a_copy_of_half_a_mass);
    tcase_add_test(tcase, copies_that_are_refused);
    tcase_add_test(tcase, arguments);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
