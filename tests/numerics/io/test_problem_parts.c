/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a global problem: all together they hold the whole, however its matrices are stored, in
 * every floating-point environment of the host; what is damaged is refused. */
#include "config.h"

#include <check.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

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
    tcase_add_test(tcase, arguments);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
