/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of global problems that are refused, with the sentence that says why; what a part with
 * bilateral rows holds; memory that fails. */
#include "config.h"

#include <check.h>
#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/io_samples.h"

enum { LEFT_OUT, RANK_TWO, UNWRITTEN, INTS, WIDE, REALS, TEXT };

typedef struct change {
    const char *name; /* below /fclib_global */
    int how;
    hsize_t count;
    double from, step; /* entry k is from + k step */
    int number, parts; /* which is read */
    perp_status status;
    const char *says;
} change;

static void put(const char *path, const char *root, const change *c)
{
    char name[64];
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), list = H5Pcreate(H5P_DATASET_CREATE),
          text = H5Tcopy(H5T_C_S1);
    const hid_t type[] = {
        -1,  H5T_NATIVE_DOUBLE, H5T_NATIVE_INT, H5T_NATIVE_INT, H5T_NATIVE_LLONG, H5T_NATIVE_DOUBLE,
        text};
    const hsize_t shape[2] = {c->count, 1}, chunk = 1 << 20;
    snprintf(name, sizeof name, "%s/%s", root, c->name);
    ck_assert(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
    if (c->how != LEFT_OUT) {
        double *values = calloc((size_t)(c->how == UNWRITTEN ? 0 : c->count) + 1, sizeof *values);
        for (hsize_t k = 0; c->how != UNWRITTEN && k < c->count; k++)
            values[k] = c->from + (double)k * c->step;
        if (c->how == UNWRITTEN)
            ck_assert(H5Pset_chunk(list, 1, &chunk) >= 0);
        hid_t space = H5Screate_simple(c->how == RANK_TWO ? 2 : 1, shape, NULL);
        hid_t set = H5Dcreate2(file, name, type[c->how], space, H5P_DEFAULT, list, H5P_DEFAULT);
        ck_assert(set >= 0);
        if (c->how != UNWRITTEN && c->how != TEXT)
            ck_assert(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
        H5Dclose(set);
        H5Sclose(space);
        free(values);
    }
    H5Tclose(text);
    H5Pclose(list);
    ck_assert(H5Fclose(file) >= 0);
}

static const char *written(perp_problem_file **file, io_sample sample, int size)
{
    perp_rng rng = {31};
    const char *path = io_path("refused.hdf5");
    *file = io_sample_make(sample, size, &rng);
    ck_assert_int_eq(perp_problem_file_write(*file, path, PERP_FORMAT_FCLIB, NULL), PERP_SOLVED);
    return path;
}

static void refused(const char *path, const change *c)
{
    perp_problem_part *part = NULL;
    perp_io_error error;
    int parts = c->parts > 0 ? c->parts : 1;
    perp_status status = perp_problem_part_read(&part, path, c->number, parts, NULL, &error);
    ck_assert_msg(status == c->status, "%s: %s, %s", c->name, perp_status_name(status), error.text);
    ck_assert_ptr_null(part);
    ck_assert_msg(strstr(error.text, c->says) != NULL, "%s: %s", c->name, error.text);
}

START_TEST(triplets)
{
    const perp_status bad = PERP_ERR_FORMAT;
    const change cases[] = {
        {"vectors/f", LEFT_OUT, 0, 0, 0, 0, 1, bad, "is missing"},
        {"vectors/f", RANK_TWO, 3, 0, 0, 0, 1, bad, "is no vector of numbers"},
        {"vectors/f", TEXT, 3, 0, 0, 0, 1, bad, "is no vector of numbers"},
        {"vectors/f", REALS, 1, 0, 0, 0, 1, bad, "does not have"},
        {"vectors/w", REALS, 1, 0, 0, 1, 2, bad, "does not have"},
        {"vectors/f", REALS, 0, NAN, 0, 0, 1, PERP_ERR_NONFINITE, "is a NaN or an infinity"},
        {"vectors/mu", REALS, 0, 0.5, -0.5, 0, 1, bad, "entry 2 is negative"},
        {"vectors/mu", REALS, 0, 0.5, -0.5, 1, 2, bad, "is negative"},
        {"H/n", INTS, 1, 7, 0, 0, 1, bad, "is 7, no multiple of 3"},
        {"M/n", INTS, 1, 1, 0, 0, 1, bad, "is "},
        {"M/m", INTS, 1, -1, 0, 0, 1, bad, "is -1, outside 0 to"},
        {"M/i", INTS, 0, 0, 1, 0, 1, bad, "is outside"},
        {"M/i", INTS, 0, -1, 0, 0, 1, bad, "is outside"},
        {"M/p", INTS, 0, 0, 1, 0, 1, bad, "is outside"},
        {"M/p", INTS, 0, -1, 0, 0, 1, bad, "is outside"},
        {"M/i", WIDE, 0, 4294967296.0, 0, 0, 1, PERP_ERR_OVERFLOW, "beyond the range of int"},
        {"M/i", WIDE, 0, -4294967296.0, 0, 0, 1, PERP_ERR_OVERFLOW, "beyond the range of int"},
        {"M/nz", INTS, 1, INT_MAX, 0, 0, 1, PERP_ERR_OVERFLOW, "more than 2^31-2 entries"},
        {"M/nz", INTS, 1, INT_MAX, 0, 1, 2, bad, "are wanted"},
        {"M/p", UNWRITTEN, 2000000000, 0, 0, 0, 1, bad, "the file does not hold its 2000000000"},
        {"M/x", UNWRITTEN, 2000000000, 0, 0, 0, 1, bad, "the file does not hold its 2000000000"},
        {"spacedim", INTS, 1, 4, 0, 0, 1, bad, "is 4, outside 2 to 3"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        perp_problem_file *file;
        change c = cases[k];
        const char *path = written(&file, IO_GLOBAL_3D, 4);
        int entries = file->M.as.csc.colptr[file->M.cols];
        if (c.count == 0) /* as long as it was */
            c.count = (hsize_t)(strcmp(c.name, "vectors/f") == 0    ? file->dofs
                                : strcmp(c.name, "vectors/mu") == 0 ? file->contacts
                                                                    : entries);
        ck_assert_int_ge(file->contacts, 3);
        put(path, "/fclib_global", &c);
        refused(path, &c);
        perp_problem_file_destroy(file);
    }
}
END_TEST

/* Columns: starts that fall, that are negative, and that promise more than there is. */
START_TEST(compressed)
{
    const change cases[] = {
        {"M/p", INTS, 0, 100, -1, 0, 1, PERP_ERR_FORMAT, "entry 1 falls"},
        {"M/p", INTS, 0, -1, 1, 0, 1, PERP_ERR_FORMAT, "falls"},
        {"M/p", INTS, 0, 0, 1000000, 0, 1, PERP_ERR_FORMAT, "are wanted"},
        {"M/p", INTS, 1, 0, 0, 0, 1, PERP_ERR_FORMAT, "are wanted"},
        {"M/p", LEFT_OUT, 0, 0, 0, 0, 1, PERP_ERR_FORMAT, "is missing"},
    };
    const change columns = {"M/nz", INTS, 1, -1, 0, 0, 1, PERP_SOLVED, ""};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        perp_problem_file *file;
        change c = cases[k];
        const char *path = written(&file, IO_GLOBAL_3D, 4);
        if (c.count == 0)
            c.count = (hsize_t)file->dofs + 1;
        put(path, "/fclib_global", &columns);
        put(path, "/fclib_global", &c);
        refused(path, &c);
        perp_problem_file_destroy(file);
    }
}
END_TEST

START_TEST(other_forms)
{
    const change none = {
        "form", 0, 0, 0, 0, 0, 1, PERP_ERR_UNSUPPORTED, "no problem in global form"};
    perp_problem_file *file;
    const char *path = written(&file, IO_FRICTION_3D, 3);
    refused(path, &none);
    perp_problem_file_destroy(file);
}
END_TEST

/* G and b of all parts together, and w, f of each range, whatever divides the bodies. */
START_TEST(bilateral_rows)
{
    for (int size = 1; size <= 5; size++) {
        perp_problem_file *file, *made;
        perp_rng rng = {(uint64_t)size};
        perp_io_error error;
        const char *path = io_path("bilateral.hdf5");
        made = io_sample_make(IO_GLOBAL_G, size, &rng);
        if (!io_sample_fits(IO_GLOBAL_G, PERP_FORMAT_FCLIB)) {
            perp_problem_file_destroy(made);
            continue;
        }
        ck_assert_int_eq(perp_problem_file_write(made, path, PERP_FORMAT_FCLIB, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_problem_file_read(&file, path, 0, NULL, NULL), PERP_SOLVED);
        double *G = io_dense(&file->G),
               *own = calloc((size_t)(file->dofs * file->bilateral) + 1, sizeof *own);
        int rows = 0, dofs = 0, parts = 3;
        for (int k = 0; k < parts; k++) {
            perp_problem_part *part = NULL;
            ck_assert_msg(perp_problem_part_read(&part, path, k, parts, NULL, &error) ==
                              PERP_SOLVED,
                          "%s", error.text);
            ck_assert_int_eq(part->bilateral, file->bilateral);
            ck_assert_int_eq(part->first_bilateral, rows);
            ck_assert_int_eq(part->first_dof, dofs);
            for (int i = 0; i < part->own_bilateral; i++)
                ck_assert(part->b[i] == file->b[rows + i]);
            for (int i = 0; i < part->own_dofs; i++)
                ck_assert(part->f[i] == file->q[dofs + i]);
            for (int e = 0; e < part->G.count; e++)
                own[part->G.row[e] + file->dofs * part->G.col[e]] += part->G.x[e];
            rows += part->own_bilateral;
            dofs += part->own_dofs;
            perp_problem_part_destroy(part);
        }
        ck_assert_int_eq(rows, file->bilateral);
        ck_assert_int_eq(dofs, file->dofs);
        for (int k = 0; k < file->dofs * file->bilateral; k++)
            ck_assert(own[k] == G[k]);
        free(own);
        free(G);
        perp_problem_file_destroy(file);
        perp_problem_file_destroy(made);
    }
}
END_TEST

/* Five unknowns are no bodies of six: they are divided one by one. */
START_TEST(unknown_bodies)
{
    perp_problem_file *file;
    perp_io_error error;
    const char *path = written(&file, IO_GLOBAL_3D, 4);
    const hsize_t nM = (hsize_t)file->M.as.csc.colptr[file->M.cols],
                  nH = (hsize_t)file->H.as.csc.colptr[file->H.cols];
    const change all[] = {
        {"M/m", INTS, 1, 5, 0, 0, 1, 0, ""},       {"M/n", INTS, 1, 5, 0, 0, 1, 0, ""},
        {"H/m", INTS, 1, 5, 0, 0, 1, 0, ""},       {"M/p", INTS, nM, 0, 0, 0, 1, 0, ""},
        {"M/i", INTS, nM, 4, 0, 0, 1, 0, ""},      {"H/i", INTS, nH, 3, 0, 0, 1, 0, ""},
        {"vectors/f", REALS, 5, 1, 1, 0, 1, 0, ""}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++)
        put(path, "/fclib_global", &all[k]);
    for (int k = 0; k < 2; k++) {
        perp_problem_part *part = NULL;
        ck_assert_msg(perp_problem_part_read(&part, path, k, 2, NULL, &error) == PERP_SOLVED, "%s",
                      error.text);
        ck_assert_int_eq(part->first_dof, k == 0 ? 0 : 3);
        ck_assert_int_eq(part->own_dofs, k == 0 ? 3 : 2);
        ck_assert(part->f[0] == (k == 0 ? 1.0 : 4.0));
        perp_problem_part_destroy(part);
    }
    perp_problem_file_destroy(file);
}
END_TEST

typedef struct ration {
    int left, held;
} ration;

static void *take(void *ctx, size_t bytes)
{
    ration *r = ctx;
    if (r->left-- <= 0)
        return NULL;
    r->held++;
    return malloc(bytes);
}

static void give(void *ctx, void *block)
{
    ration *r = ctx;
    r->held -= block != NULL;
    free(block);
}

/* Each allocation fails once: no part, that status, and nothing kept. */
START_TEST(failing_allocations)
{
    const change columns = {"M/nz", INTS, 1, -1, 0, 0, 1, PERP_SOLVED, ""};
    for (int by_column = 0; by_column < 2; by_column++) {
        perp_problem_file *file;
        const char *path = written(&file, IO_GLOBAL_3D, 4);
        perp_status status = PERP_ERR_MEMORY;
        int k = 0;
        if (by_column) {
            change starts = {"M/p", INTS, (hsize_t)file->dofs + 1, 0, 1, 0, 1, PERP_SOLVED, ""};
            put(path, "/fclib_global", &columns);
            put(path, "/fclib_global", &starts);
        }
        for (; status == PERP_ERR_MEMORY; k++) {
            ration r = {k, 0};
            const perp_allocator rationed = {take, give, &r};
            perp_problem_part *part = NULL;
            perp_io_error error;
            status = perp_problem_part_read(&part, path, 0, 1, &rationed, &error);
            ck_assert_msg(status == PERP_SOLVED || status == PERP_ERR_MEMORY, "%s", error.text);
            ck_assert((status == PERP_SOLVED) == (part != NULL));
            perp_problem_part_destroy(part);
            ck_assert_int_eq(r.held, 0);
        }
        ck_assert_int_gt(k, 15);
        perp_problem_file_destroy(file);
    }
}
END_TEST

START_TEST(parts_of_callers)
{
    perp_problem_part *part = NULL;
    ration none = {0, 0};
    const perp_allocator empty = {take, give, &none};
    ck_assert_int_eq(perp_problem_part_create(NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_part_create(&part, &empty), PERP_ERR_MEMORY);
    ck_assert_ptr_null(part);
    ck_assert_int_eq(perp_problem_part_create(&part, NULL), PERP_SOLVED);
    part->f = perp_problem_part_take(part, 5, sizeof *part->f);
    ck_assert_ptr_nonnull(part->f);
    ck_assert_ptr_null(perp_problem_part_take(part, SIZE_MAX / 4, 16));
    ck_assert_ptr_null(perp_problem_part_take(NULL, 5, 8));
    memset(part->f, 0, 5 * sizeof *part->f);
    perp_problem_part_destroy(part);
    perp_problem_part_destroy(NULL);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("part refusals");
    TCase *tcase = tcase_create("part refusals");
    io_folder_make();
    tcase_add_test(tcase, triplets);
    tcase_add_test(tcase, compressed);
    tcase_add_test(tcase, other_forms);
    tcase_add_test(tcase, bilateral_rows);
    tcase_add_test(tcase, unknown_bodies);
    tcase_add_test(tcase, failing_allocations);
    tcase_add_test(tcase, parts_of_callers);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    io_folder_remove();
    return failed != 0;
}
