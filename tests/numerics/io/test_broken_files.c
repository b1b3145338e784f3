/* SPDX-License-Identifier: BSD-3-Clause */
/* Broken files: cut at every length, bytes changed at random, numbers replaced
 * by wild ones.  Whatever comes, a reader returns: with a text that says why, or
 * with a problem file that the checks of the problem accept or refuse. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "tests/fixtures/io_samples.h"

#ifdef HAVE_HDF5
#include <hdf5.h>
#endif

enum { CHANGES = 400 };

/* HDF5 1.10 asks for absurd sizes, and loses objects, when its own records are
 * broken; the sanitizers shall judge Perp only. */
PERP_API const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

PERP_API const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

static perp_problem_file *owner; /* for readers that want one */

static void read_file(const char *path, int whole)
{
    perp_problem_file *d, *local;
    perp_problem problem;
    perp_io_error error = {.text = "?"};
    perp_status status = perp_problem_file_read(&d, path, PERP_CLASS_AUTO, NULL, &error);
    ck_assert_int_le(status, PERP_SOLVED);
    ck_assert_int_eq(d != NULL, status == PERP_SOLVED);
    ck_assert(!whole || status == PERP_SOLVED);
    if (status) {
        ck_assert_ptr_nonnull(strstr(error.text, "c."));
        return;
    }
    status = perp_problem_file_get(d, &problem, &error);
    if (!status)
        perp_problem_check(&problem, NULL, NULL);
    if (d->cls == PERP_CLASS_GLOBAL && !perp_problem_file_to_local(&local, d, NULL, &error))
        perp_problem_file_destroy(local);
    perp_problem_file_destroy(d);
}

static void read_matrix(const char *path, int whole)
{
    perp_mat A;
    perp_status status = perp_mtx_read(owner, path, &A, NULL);
    ck_assert_int_le(status, PERP_SOLVED);
    ck_assert(!whole || status == PERP_SOLVED);
    if (!status)
        ck_assert_int_eq(perp_mat_check(&A, NULL, NULL), PERP_SOLVED);
}

static void read_values(const char *path, int whole)
{
    double z[1000];
    perp_status status = perp_solution_read(owner, path, z, NULL);
    ck_assert_int_le(status, PERP_SOLVED);
    ck_assert(!whole || status == PERP_SOLVED);
}

typedef void (*reader)(const char *path, int whole);

/* A number, or part of one, exchanged for another. */
static size_t exchange(char *text, size_t bytes, perp_rng *rng)
{
    static const char *const wild[] = {"2147483647",  "-1",  "1e999",       "nan", "0",    "3",
                                       "99999999999", "1.5", "-2147483648", "x",   "46341"};
    const char *word = wild[perp_rng_below(rng, sizeof wild / sizeof *wild)];
    size_t length = strlen(word), at = (size_t)perp_rng_below(rng, (int)bytes), end;
    if (perp_rng_below(rng, 2)) /* headers matter most */
        at = (size_t)perp_rng_below(rng, bytes < 60 ? (int)bytes : 60);
    while (at > 0 && (unsigned char)text[at - 1] > ' ')
        at--;
    for (end = at; end < bytes && (unsigned char)text[end] > ' ';)
        end++;
    memmove(text + at + length, text + end, bytes - end);
    memcpy(text + at, word, length);
    return bytes - (end - at) + length;
}

static void change_bytes(char *text, size_t bytes, perp_rng *rng)
{
    for (int k = perp_rng_below(rng, 6); k >= 0; k--) {
        size_t at = (size_t)perp_rng_below(rng, (int)bytes);
        if (perp_rng_below(rng, 2))
            text[at] = (char)perp_rng_below(rng, 256);
        else
            text[at] = (char)(text[at] ^ (1 << perp_rng_below(rng, 8)));
    }
}

/* step: between two lengths at which the file is cut. */
static void torment(const char *path, reader read, size_t step, perp_rng *rng)
{
    size_t bytes;
    char *text = io_read(path, &bytes), *bad = malloc(bytes + 64);
    read(path, 1);
    for (size_t cut = 0; cut < bytes; cut += step) {
        io_write(path, text, cut);
        read(path, 0);
    }
    for (int k = 0; k < CHANGES; k++) {
        size_t length = bytes;
        memcpy(bad, text, bytes);
        if (k % 2)
            length = exchange(bad, bytes, rng);
        else
            change_bytes(bad, bytes, rng);
        io_write(path, bad, length);
        read(path, 0);
    }
    free(text);
    free(bad);
    unlink(path);
}

START_TEST(siconos_files)
{
    perp_rng rng = {(uint64_t)_i + 1};
    io_sample kind = (io_sample)_i;
    if (!io_sample_fits(kind, PERP_FORMAT_SICONOS))
        return;
    const char *path = io_path("c.dat");
    perp_problem_file *d = io_sample_make(kind, 3, &rng);
    ck_assert_int_eq(perp_problem_file_write(d, path, PERP_FORMAT_AUTO, NULL), PERP_SOLVED);
    perp_problem_file_destroy(d);
    torment(path, read_file, 1, &rng);
}
END_TEST

START_TEST(fclib_files)
{
#ifdef HAVE_HDF5
    perp_rng rng = {(uint64_t)_i + 100};
    const char *path = io_path("c.h5");
    perp_problem_file *d = io_sample_make((io_sample)_i, 3, &rng);
    ck_assert_int_eq(perp_problem_file_write(d, path, PERP_FORMAT_AUTO, NULL), PERP_SOLVED);
    perp_problem_file_destroy(d);
    torment(path, read_file, 37, &rng);
#endif
}
END_TEST

static void make_owner(io_sample kind, int size, perp_rng *rng)
{
    owner = io_sample_make(kind, size, rng);
}

START_TEST(matrix_market_files)
{
    perp_rng rng = {200};
    make_owner(IO_LCP_SPARSE, 5, &rng);
    const char *path = io_path("c.mtx");
    ck_assert_int_eq(perp_mtx_write(&owner->M, path, NULL), PERP_SOLVED);
    torment(path, read_matrix, 1, &rng);
    perp_problem_file_destroy(owner);
    make_owner(IO_LCP_DENSE, 4, &rng);
    ck_assert_int_eq(perp_mtx_write(&owner->M, path, NULL), PERP_SOLVED);
    torment(path, read_matrix, 1, &rng);
    perp_problem_file_destroy(owner);
}
END_TEST

START_TEST(solution_files)
{
    perp_rng rng = {300};
    make_owner(IO_LCP_SPARSE, 10, &rng);
    const char *path = io_path("c.sol");
    ck_assert_int_eq(perp_solution_write(owner, owner->q, owner->q, path, NULL), PERP_SOLVED);
    torment(path, read_values, 1, &rng);
    perp_problem_file_destroy(owner);
}
END_TEST

/* Layouts that the writers do not make. */
START_TEST(other_layouts)
{
    static const char *const texts[] = {
        ("3\n2\n3\n3\n2\nCSparse Version 3\n3-by-3, nzmax: 9 nnz: 3, 1-norm: 10\n"
         "    col 0 : locations 0 to 0\n      0 : 1\n    col 1 : locations 1 to 2\n      2 : 6\n"
         "      0 : 4\n    col 2 : locations 3 to 2\n 7 8 9\n"),
        ("3\n2\n3\n3\n4\nCSparse Version 3\ntriplet: 3-by-3, nzmax: 9 nnz: 3\n    0 0 : 1\n"
         "    2 1 : 6\n    1 0 : 4\n 7 8 9\n"),
        "3 1 3 3 3 2 2 2 3 2 3 3 3 0 2 3 0 1 1 2 9 0 1 2 3 4 1 5 6 -1 -2 -3\n",
        "1 0 1 1 0 1 2 0 1 0 3 2 3 2 1 -1 1 -1 -1 1 0 1 -1\n",
        "1 1 1 1 0 1 2 0 1 0 3 2 3 2 1 -1 1 -1 -1 1 0 1 1 1 -1 1 0 -1\n",
        "0 1 1 2 1 6 7 8 9 2 3 4 5 -1 -2 -3\n",
        "1 2 3 1 6 7 8 9 2 3 4 5 -1 -2 -3\n",
        "2 1 0 2 2 2 2 4 0 0 4 0 2 2 2 2 1 2 3 5 7 8 9 10 0.5\n"};
    perp_rng rng = {400};
    const char *path = io_path("c.dat");
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        io_write(path, texts[k], strlen(texts[k]));
        torment(path, read_file, 1, &rng);
    }
}
END_TEST

int main(void)
{
    Suite *s = suite_create("io corrupt");
    TCase *tests = tcase_create("broken files");
    tcase_add_loop_test(tests, siconos_files, 0, IO_SAMPLES);
    tcase_add_loop_test(tests, fclib_files, 0, IO_GLOBAL_G + 1);
    tcase_add_test(tests, matrix_market_files);
    tcase_add_test(tests, solution_files);
    tcase_add_test(tests, other_layouts);
    tcase_set_timeout(tests, 120);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
#ifdef HAVE_HDF5
    /* HDF5 1.10 loses objects of broken files and would complain about them at exit. */
    H5dont_atexit();
#endif
    io_folder_make();
    srunner_run_all(runner, CK_ENV);
    io_folder_remove();
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
