/* SPDX-License-Identifier: BSD-3-Clause */
/* FCLib files with the faults and freedoms of real ones, made with HDF5 itself. */
#include <check.h>
#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fixtures/io_samples.h"

static hid_t file;
static const char *path;

static void begin(void)
{
    path = io_path("t.dat"); /* the ending says nothing */
    file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert(file >= 0);
}

static void group(const char *name)
{
    hid_t g = H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert(g >= 0);
    H5Gclose(g);
}

/* rank 0 makes a scalar. */
static void put(const char *name, hid_t type, hid_t memory, int rank, hsize_t count,
                const void *values)
{
    hsize_t extent[2] = {count, 1};
    hid_t space = rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    ck_assert(set >= 0);
    ck_assert(H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_ints(const char *name, int count, const int *values)
{
    put(name, H5T_STD_I32LE, H5T_NATIVE_INT, 1, (hsize_t)count, values);
}

static void put_doubles(const char *name, int count, const double *values)
{
    put(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 1, (hsize_t)count, values);
}

static void put_int(const char *name, int value)
{
    put_ints(name, 1, &value);
}

static void drop(const char *name)
{
    ck_assert(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
}

/* What a test wants otherwise it drops and puts again. */
static void put_matrix(const char *name, int m, int n, int nz, int np, const int *p, int ni,
                       const int *i, const double *x)
{
    char leaf[100];
    group(name);
    struct {
        const char *leaf;
        int value;
    } heads[] = {{"nzmax", ni}, {"m", m}, {"n", n}, {"nz", nz}};
    for (int k = 0; k < 4; k++) {
        snprintf(leaf, sizeof leaf, "%s/%s", name, heads[k].leaf);
        put_int(leaf, heads[k].value);
    }
    snprintf(leaf, sizeof leaf, "%s/p", name);
    put_ints(leaf, np, p);
    snprintf(leaf, sizeof leaf, "%s/i", name);
    put_ints(leaf, ni, i);
    snprintf(leaf, sizeof leaf, "%s/x", name);
    put_doubles(leaf, ni, x);
}

/* W of one contact in 2D: [4 1; 2 3] by rows, unsorted. */
static void begin_local(void)
{
    begin();
    group("/fclib_local");
    put_int("/fclib_local/spacedim", 2);
    put_matrix("/fclib_local/W", 2, 2, -2, 3, (int[]){0, 2, 4}, 4, (int[]){1, 0, 0, 1},
               (double[]){1, 4, 2, 3});
    group("/fclib_local/vectors");
    put_doubles("/fclib_local/vectors/q", 2, (double[]){-1, 0.5});
    put_doubles("/fclib_local/vectors/mu", 1, (double[]){0.3});
}

/* Two dofs, one contact in 2D; M as triplets with spare capacity. */
static void begin_global(int entries, const int *p, const int *i, const double *x)
{
    begin();
    group("/fclib_global");
    put_int("/fclib_global/spacedim", 2);
    put_matrix("/fclib_global/M", 2, 2, entries, entries, p, entries, i, x);
    drop("/fclib_global/M/nzmax");
    put_int("/fclib_global/M/nzmax", 100);
    put_matrix("/fclib_global/H", 2, 2, -1, 3, (int[]){0, 1, 2}, 2, (int[]){0, 1},
               (double[]){1, 1});
    group("/fclib_global/vectors");
    put_doubles("/fclib_global/vectors/f", 2, (double[]){1, 2});
    put_doubles("/fclib_global/vectors/w", 2, (double[]){3, 4});
    put_doubles("/fclib_global/vectors/mu", 1, (double[]){0.3});
}

static perp_problem_file *finish(void)
{
    perp_problem_file *d;
    perp_io_error error;
    H5Fclose(file);
    perp_status status = perp_problem_file_read(&d, path, PERP_CLASS_AUTO, NULL, &error);
    ck_assert_msg(status == PERP_SOLVED, "%s", error.text);
    unlink(path);
    return d;
}

/* The error must name the dataset. */
static void refuse(perp_status wanted, const char *named)
{
    perp_problem_file *d;
    perp_io_error error;
    H5Fclose(file);
    perp_status status = perp_problem_file_read(&d, path, PERP_CLASS_AUTO, NULL, &error);
    ck_assert_msg(status == wanted, "%s: %s %s", named, perp_status_name(status), error.text);
    ck_assert_ptr_null(d);
    ck_assert_msg(strstr(error.text, named) != NULL, "%s is not in: %s", named, error.text);
    unlink(path);
}

static void assert_matrix(const perp_mat *A, const double *wanted)
{
    double *x = io_dense(A);
    for (int k = 0; k < A->rows * A->cols; k++)
        ck_assert_double_eq(x[k], wanted[k]);
    free(x);
}

START_TEST(unsorted_rows)
{
    begin_local();
    perp_problem_file *d = finish();
    assert_matrix(&d->M, (double[]){4, 2, 1, 3});
    ck_assert_str_eq(d->note, "");
    perp_problem_file_destroy(d);
}
END_TEST

START_TEST(triplets_have_columns_in_p)
{
    begin_global(3, (int[]){0, 1, 1}, (int[]){0, 1, 0}, (double[]){5, 6, 0.0});
    drop("/fclib_global/H/nz");
    put_int("/fclib_global/H/nz", 1);
    drop("/fclib_global/H/p");
    drop("/fclib_global/H/i");
    put_ints("/fclib_global/H/p", 2, (int[]){1, 0}); /* nz 1: the second is spare */
    put_ints("/fclib_global/H/i", 2, (int[]){0, 1});
    perp_problem_file *d = finish();
    assert_matrix(&d->M, (double[]){5, 0, 0, 6});
    assert_matrix(&d->H, (double[]){0, 0, 1, 0});
    perp_problem_file_destroy(d);
}
END_TEST

/* A writer that took p for the row shows itself by an index out of range. */
START_TEST(exchanged_triplets_are_seen)
{
    begin_global(2, (int[]){0, 1}, (int[]){0, 1}, (double[]){5, 6});
    drop("/fclib_global/H");
    put_matrix("/fclib_global/H", 2, 4, 2, 2, (int[]){0, 1}, 2, (int[]){3, 1}, (double[]){7, 8});
    drop("/fclib_global/vectors/w");
    put_doubles("/fclib_global/vectors/w", 4, (double[]){3, 4, 5, 6});
    drop("/fclib_global/vectors/mu");
    put_doubles("/fclib_global/vectors/mu", 2, (double[]){0.3, 0.3});
    perp_problem_file *d = finish();
    assert_matrix(&d->H, (double[]){0, 0, 0, 8, 0, 0, 7, 0});
    ck_assert_ptr_nonnull(strstr(d->note, "/fclib_global/H"));
    perp_problem_file_destroy(d);
}
END_TEST

START_TEST(one_triangle_is_mirrored)
{
    begin_global(3, (int[]){0, 0, 1}, (int[]){0, 1, 1}, (double[]){5, 1, 6});
    perp_problem_file *d = finish();
    assert_matrix(&d->M, (double[]){5, 1, 1, 6});
    ck_assert_ptr_nonnull(strstr(d->note, "mirrored"));
    perp_problem_file_destroy(d);
}
END_TEST

START_TEST(other_widths_scalars_and_extras)
{
    begin_local();
    drop("/fclib_local/spacedim");
    int two = 2;
    put("/fclib_local/spacedim", H5T_STD_I16BE, H5T_NATIVE_INT, 0, 1, &two);
    drop("/fclib_local/vectors/q");
    put("/fclib_local/vectors/q", H5T_IEEE_F32BE, H5T_NATIVE_DOUBLE, 1, 2, (double[]){-1, 0.5});
    drop("/fclib_local/W/i");
    put("/fclib_local/W/i", H5T_STD_I64LE, H5T_NATIVE_INT, 1, 4, (int[]){1, 0, 0, 1});
    put_doubles("/fclib_local/W/conditioning", 1, (double[]){7});
    group("/fclib_local/info");
    hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 8);
    put("/fclib_local/info/title", type, type, 0, 1, "B\xe9ton\n!\0");
    H5Tclose(type);
    perp_problem_file *d = finish();
    assert_matrix(&d->M, (double[]){4, 2, 1, 3});
    ck_assert_double_eq(d->q[0], -1);
    ck_assert_str_eq(d->title, "B\xe9ton !");
    perp_problem_file_destroy(d);
}
END_TEST

START_TEST(bilateral_parts_of_local_files)
{
    begin_local();
    put_matrix("/fclib_local/V", 2, 1, -1, 2, (int[]){0, 2}, 2, (int[]){1, 0}, (double[]){8, 7});
    refuse(PERP_ERR_FORMAT, "/fclib_local");
    begin_local();
    put_matrix("/fclib_local/V", 2, 1, -1, 2, (int[]){0, 2}, 2, (int[]){1, 0}, (double[]){8, 7});
    put_matrix("/fclib_local/R", 1, 1, 1, 1, (int[]){0}, 1, (int[]){0}, (double[]){9});
    put_doubles("/fclib_local/vectors/s", 1, (double[]){10});
    perp_problem_file *d = finish();
    perp_problem problem;
    perp_residuals residuals = {.size = sizeof residuals};
    double z[3] = {1, 10, 100}, w[3];
    ck_assert_int_eq(d->M.kind, PERP_CSC);
    ck_assert_int_eq(perp_problem_file_get(d, &problem, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_residual(&problem, z, NULL, w, &residuals), PERP_SOLVED);
    ck_assert_double_eq(w[0], 4 + 10 + 700 - 1);
    ck_assert_double_eq(w[1], 2 + 30 + 800 + 0.5);
    ck_assert_double_eq(w[2], 7 + 80 + 900 + 10);
    perp_problem_file_destroy(d);
}
END_TEST

START_TEST(faults_are_named)
{
    static const struct {
        const char *name;
        perp_status status;
        int count; /* of ints, or of doubles where doubles[0] is set */
        int ints[5];
        double doubles[5];
    } faults[] = {
        {"/fclib_local/spacedim", PERP_ERR_FORMAT, 1, {4}, {0}},
        {"/fclib_local/spacedim", PERP_ERR_FORMAT, 2, {2, 2}, {0}},
        {"/fclib_local/spacedim", PERP_ERR_FORMAT, 1, {0}, {2.0}},
        {"/fclib_local/W/m", PERP_ERR_FORMAT, 1, {-2}, {0}},
        {"/fclib_local/W/m", PERP_ERR_FORMAT, 1, {3}, {0}},
        {"/fclib_local/W/nz", PERP_ERR_FORMAT, 1, {-3}, {0}},
        {"/fclib_local/W", PERP_ERR_FORMAT, 0, {0}, {0}},
        {"/fclib_local/W/p", PERP_ERR_FORMAT, 2, {0, 4}, {0}},
        {"/fclib_local/W/p", PERP_ERR_FORMAT, 3, {0, 5, 4}, {0}},
        {"/fclib_local/W/p", PERP_ERR_FORMAT, 3, {1, 2, 4}, {0}},
        {"/fclib_local/W/p", PERP_ERR_FORMAT, 3, {0, 3, 5}, {0}},
        {"/fclib_local/W/i", PERP_ERR_FORMAT, 3, {0, 1, 0}, {0}},
        {"/fclib_local/W", PERP_ERR_FORMAT, 4, {0, 1, 0, 2}, {0}}, /* put as W/i */
        {"/fclib_local/W/x", PERP_ERR_NONFINITE, 4, {0}, {1, 2, NAN, 4}},
        {"/fclib_local/W/x", PERP_ERR_FORMAT, 0, {0}, {0}},
        {"/fclib_local/vectors/q", PERP_ERR_NONFINITE, 2, {0}, {1, INFINITY}},
        {"/fclib_local/vectors/q", PERP_ERR_FORMAT, 3, {0}, {1, 2, 3}},
        {"/fclib_local/vectors/mu", PERP_ERR_FORMAT, 0, {0}, {0}},
    };
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
        begin_local();
        int index = strcmp(faults[k].name, "/fclib_local/W") == 0 && faults[k].count > 0;
        const char *name = index ? "/fclib_local/W/i" : faults[k].name;
        drop(name);
        if (faults[k].doubles[0] != 0.0)
            put_doubles(name, faults[k].count, faults[k].doubles);
        else if (faults[k].count > 0)
            put_ints(name, faults[k].count, faults[k].ints);
        refuse(faults[k].status, faults[k].name);
    }
}
END_TEST

START_TEST(faults_of_type_and_shape)
{
    long long wide[4] = {1, 0, 1LL << 40, 1};
    begin_local();
    drop("/fclib_local/W/i");
    put("/fclib_local/W/i", H5T_STD_I64LE, H5T_NATIVE_LLONG, 1, 4, wide);
    refuse(PERP_ERR_OVERFLOW, "/fclib_local/W/i");
    begin_local();
    drop("/fclib_local/vectors/q");
    put("/fclib_local/vectors/q", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2, 2, (double[]){-1, 0.5});
    refuse(PERP_ERR_FORMAT, "/fclib_local/vectors/q");
    begin_local();
    drop("/fclib_local/vectors/q");
    group("/fclib_local/vectors/q");
    refuse(PERP_ERR_FORMAT, "/fclib_local/vectors/q");
    begin_local(); /* an extent that was never written */
    drop("/fclib_local/vectors/q");
    hsize_t much = 1 << 30;
    hid_t space = H5Screate_simple(1, &much, NULL);
    hid_t set = H5Dcreate2(file, "/fclib_local/vectors/q", H5T_IEEE_F64LE, space, H5P_DEFAULT,
                           H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(set);
    H5Sclose(space);
    refuse(PERP_ERR_FORMAT, "/fclib_local/vectors/q");
    begin();
    group("/fclib_global_rolling");
    refuse(PERP_ERR_FORMAT, "/fclib_global_rolling/spacedim");
    begin();
    refuse(PERP_ERR_FORMAT, "fclib_local");
}
END_TEST

START_TEST(stored_solutions)
{
    double z[2] = {7, 7};
    perp_io_error error;
    begin_local();
    group("/solution");
    put_doubles("/solution/r", 2, (double[]){0.25, -0.5});
    H5Fclose(file);
    perp_problem_file *d;
    ck_assert_int_eq(perp_problem_file_read(&d, path, PERP_CLASS_AUTO, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_solution_read(d, path, z, &error), PERP_SOLVED);
    ck_assert(z[0] == 0.25 && z[1] == -0.5);
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    drop("/solution/r");
    put_doubles("/solution/r", 3, (double[]){1, 2, 3});
    H5Fclose(file);
    ck_assert_int_eq(perp_solution_read(d, path, z, &error), PERP_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(error.text, "/solution/r"));
    file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    drop("/solution");
    H5Fclose(file);
    ck_assert_int_eq(perp_solution_read(d, path, z, &error), PERP_ERR_FORMAT);
    ck_assert(z[0] == 0.25 && z[1] == -0.5);
    perp_problem_file_destroy(d);
    unlink(path);
}
END_TEST

/* The v that is written obeys M v = H r + G l + f. */
START_TEST(velocities_are_written)
{
    begin_global(2, (int[]){0, 1}, (int[]){0, 1}, (double[]){5, 4});
    perp_problem_file *d = finish();
    double z[2] = {9, 6}, w[2] = {0.5, 0.25}, got[2];
    const char *out = io_path("v.h5");
    ck_assert_int_eq(perp_solution_write(d, z, w, out, NULL), PERP_SOLVED);
    file = H5Fopen(out, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, "/solution/v", H5P_DEFAULT);
    ck_assert(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, got) >= 0);
    H5Dclose(set);
    ck_assert(H5Lexists(file, "/solution/l", H5P_DEFAULT) == 0);
    H5Fclose(file);
    ck_assert_double_eq_tol(got[0], 2.0, 1e-14);
    ck_assert_double_eq_tol(got[1], 2.0, 1e-14);
    perp_problem_file_destroy(d);
    unlink(out);
}
END_TEST

START_TEST(same_data_same_bytes)
{
    perp_rng rng = {1};
    size_t bytes[2];
    char *text[2];
    perp_problem_file *d = io_sample_make(IO_GLOBAL_G, 5, &rng);
    for (int k = 0; k < 2; k++) {
        const char *out = io_path("b.h5");
        ck_assert_int_eq(perp_problem_file_write(d, out, PERP_FORMAT_AUTO, NULL), PERP_SOLVED);
        text[k] = io_read(out, &bytes[k]);
        unlink(out);
        sleep(k == 0);
    }
    ck_assert_uint_eq(bytes[0], bytes[1]);
    ck_assert(memcmp(text[0], text[1], bytes[0]) == 0);
    free(text[0]);
    free(text[1]);
    perp_problem_file_destroy(d);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("io fclib");
    TCase *tests = tcase_create("fclib");
    tcase_add_test(tests, unsorted_rows);
    tcase_add_test(tests, triplets_have_columns_in_p);
    tcase_add_test(tests, exchanged_triplets_are_seen);
    tcase_add_test(tests, one_triangle_is_mirrored);
    tcase_add_test(tests, other_widths_scalars_and_extras);
    tcase_add_test(tests, bilateral_parts_of_local_files);
    tcase_add_test(tests, faults_are_named);
    tcase_add_test(tests, faults_of_type_and_shape);
    tcase_add_test(tests, stored_solutions);
    tcase_add_test(tests, velocities_are_written);
    tcase_add_test(tests, same_data_same_bytes);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    io_folder_make();
    srunner_run_all(runner, CK_ENV);
    io_folder_remove();
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
