/* SPDX-License-Identifier: BSD-3-Clause */
/* Writers where the disk is full, the place cannot be used, or the problem has no form in the file: the
 * reason is said, and what was there stays. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fixtures/io_samples.h"

static void says(perp_status status, perp_status wanted, const perp_io_error *error,
                 const char *reason)
{
    ck_assert_msg(status == wanted, "%s, not %s: %s", perp_status_name(status),
                  perp_status_name(wanted), error->text);
    ck_assert_msg(strstr(error->text, reason) != NULL, "%s", error->text);
}

/* Small files fail when they are closed, others while they are written. */
START_TEST(full_disk)
{
    static const int sizes[] = {2, 130};
    perp_rng rng = {41};
    perp_io_error error;
    if (access("/dev/full", W_OK) != 0)
        return;
    for (int k = 0; k < 2; k++) {
        perp_problem_file *file = io_sample_make(IO_LCP_DENSE, sizes[k], &rng);
        double *x = calloc((size_t)sizes[k], sizeof *x);
        says(perp_problem_file_write(file, "/dev/full", PERP_FORMAT_SICONOS, &error), PERP_ERR_OPEN,
             &error, "/dev/full: ");
        says(perp_solution_write(file, x, x, "/dev/full", &error), PERP_ERR_OPEN, &error,
             "/dev/full: ");
        says(perp_mtx_write(&file->M, "/dev/full", &error), PERP_ERR_OPEN, &error, "/dev/full: ");
        perp_problem_file_destroy(file);
#ifdef HAVE_HDF5
        file = io_sample_make(IO_FRICTION_3D, sizes[k], &rng);
        says(perp_problem_file_write(file, "/dev/full", PERP_FORMAT_FCLIB, &error), PERP_ERR_OPEN,
             &error, "cannot be written");
        perp_problem_file_destroy(file);
#endif
        free(x);
    }
}
END_TEST

START_TEST(places)
{
    perp_rng rng = {42};
    perp_io_error error;
    perp_problem_file *file = io_sample_make(IO_LCP_DENSE, 3, &rng);
    char taken[300], text[400], *longest = malloc(6001);
    struct stat st;
    /* A name as long as no path may be. */
    memset(longest, 'a', 6000);
    longest[6000] = '\0';
    for (int k = 0; k < 6000; k += 100)
        longest[k] = '/';
    says(perp_problem_file_write(file, longest, PERP_FORMAT_SICONOS, &error), PERP_ERR_OPEN, &error,
         "cannot be created");
    free(longest);
    /* Names that others have beside it are not taken. */
    snprintf(taken, sizeof taken, "%s", io_path("taken.dat"));
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text, "%s.%ld.%d.tmp", taken, (long)getpid(), k);
        io_write(text, "theirs", 6);
    }
    ck_assert_int_eq(perp_problem_file_write(file, taken, PERP_FORMAT_SICONOS, &error),
                     PERP_SOLVED);
    ck_assert_int_eq(stat(taken, &st), 0);
    ck_assert_int_gt((int)st.st_size, 20);
    for (int k = 0; k < 3; k++) {
        snprintf(text, sizeof text, "%s.%ld.%d.tmp", taken, (long)getpid(), k);
        ck_assert_int_eq(stat(text, &st), 0);
        ck_assert_int_eq((int)st.st_size, 6);
        unlink(text);
    }
    /* A folder is not replaced by a file that is published. */
    snprintf(text, sizeof text, "%s", io_path("folder"));
    ck_assert_int_eq(mkdir(text, 0700), 0);
    says(perp_file_publish(taken, text, &error), PERP_ERR_OPEN, &error,
         "cannot be put in its place");
    ck_assert_int_ne(stat(taken, &st), 0); /* what was not put anywhere is removed */
    ck_assert(stat(text, &st) == 0 && S_ISDIR(st.st_mode));
    rmdir(text);
    perp_problem_file_destroy(file);
}
END_TEST

START_TEST(no_such_problems)
{
    static const io_sample friction[] = {IO_FRICTION_3D, IO_GLOBAL_3D};
    perp_rng rng = {43};
    perp_io_error error;
    const char *path = io_path("n.dat");
    perp_problem_file *file = io_sample_make(IO_RELAY, 3, &rng);
    file->hi[1] = NAN;
    says(perp_problem_file_write(file, path, PERP_FORMAT_SICONOS, &error), PERP_ERR_NONFINITE,
         &error, "a NaN cannot be written");
    file->hi[1] = INFINITY;
    file->cls = (perp_problem_class)77;
    says(perp_problem_file_write(file, path, PERP_FORMAT_SICONOS, &error), PERP_ERR_ARGUMENT, &error,
         "is no class");
    file->cls = PERP_CLASS_AUTO;
    says(perp_problem_file_write(file, path, PERP_FORMAT_SICONOS, &error), PERP_ERR_ARGUMENT, &error,
         "is no class");
    perp_problem_file_destroy(file);
    for (int k = 0; k < 2; k++) {
        file = io_sample_make(friction[k], 3, &rng);
        int spacedim = file->spacedim, contacts = file->contacts;
        file->spacedim = 7;
        says(perp_problem_file_write(file, path, PERP_FORMAT_SICONOS, &error), PERP_ERR_STRUCTURE,
             &error, "out of range");
        file->spacedim = spacedim;
        file->contacts = -1;
        says(perp_problem_file_write(file, path, PERP_FORMAT_SICONOS, &error), PERP_ERR_STRUCTURE,
             &error, "out of range");
        file->contacts = 800000000;
        says(perp_problem_file_write(file, path, PERP_FORMAT_SICONOS, &error), PERP_ERR_STRUCTURE,
             &error, "out of range");
        file->contacts = contacts;
        perp_problem_file_destroy(file);
    }
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

START_TEST(files_of_callers)
{
    perp_problem_file *file;
    ck_assert_int_eq(perp_problem_file_create(NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_problem_file_create(&file, NULL), PERP_SOLVED);
    ck_assert_ptr_null(perp_problem_file_take(file, SIZE_MAX / 4, 16));
    ck_assert_ptr_null(perp_problem_file_take(file, SIZE_MAX, 1));
    ck_assert_ptr_null(perp_problem_file_take(NULL, 1, 1));
    ck_assert_ptr_nonnull(perp_problem_file_take(file, 0, 8));
    perp_problem_file_destroy(file);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("write troubles");
    TCase *tcase = tcase_create("write troubles");
    io_folder_make();
    tcase_add_test(tcase, full_disk);
    tcase_add_test(tcase, places);
    tcase_add_test(tcase, no_such_problems);
    tcase_add_test(tcase, files_of_callers);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    io_folder_remove();
    return failed != 0;
}
