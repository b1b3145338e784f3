/* SPDX-License-Identifier: BSD-3-Clause */
/* Valid HDF5 problem files of which whole datasets are changed: gone, of another shape, another
 * type, with other values, or cut.  The first byte of the input chooses a file, then each four
 * bytes a change: dataset, kind, and two for how. */
#include "config.h"

#include <perp/io.h>

#include "tests/fuzz/fuzz.h"

#ifdef HAVE_HDF5
#include <check.h>
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fixtures/io_samples.h"
#include "tests/fuzz/hdf5_change.h"

enum { FILES = 32 };

static struct {
    size_t bytes[FILES];
    char *image[FILES];
    int files;
} valid;

START_TEST(make_files)
{
    perp_rng rng = {3};
    io_folder_make();
    for (int k = 0; k < IO_SAMPLES; k++) {
        perp_problem_file *file = io_sample_make((io_sample)k, 3, &rng);
        const char *path = io_path("valid.hdf5");
        if (valid.files < FILES && io_sample_fits((io_sample)k, PERP_FORMAT_FCLIB) &&
            perp_problem_file_write(file, path, PERP_FORMAT_FCLIB, NULL) == PERP_SOLVED) {
            valid.image[valid.files] = io_read(path, &valid.bytes[valid.files]);
            valid.files++;
        }
        perp_problem_file_destroy(file);
    }
    io_folder_remove();
}
END_TEST

/* As a test, since the samples are made with assertions. */
static void begin(void)
{
    Suite *suite = suite_create("files");
    TCase *tcase = tcase_create("files");
    tcase_add_test(tcase, make_files);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_SILENT);
    FUZZ_PROMISE(srunner_ntests_failed(runner) == 0 && valid.files > 0);
    srunner_free(runner);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* A copy in the folder whose files are in memory, changed. */
static void make_changed(const char *path, const uint8_t *data, size_t size)
{
    int which = data[0] % valid.files;
    FILE *copy = fopen(path, "wb");
    FUZZ_PROMISE(copy != NULL &&
                 fwrite(valid.image[which], 1, valid.bytes[which], copy) == valid.bytes[which] &&
                 fclose(copy) == 0);
    if (size >= 5)
        fuzz_hdf5_change(path, data + 1, size - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    perp_problem_file *file = NULL;
    perp_problem problem;
    perp_io_error error;
    if (valid.files == 0)
        begin();
    if (size < 1)
        return 0;
    make_changed(fuzz_output(), data, size);
    perp_status status = perp_problem_file_read(&file, fuzz_output(), PERP_CLASS_AUTO,
                                                fuzz_allocator((size_t)1 << 26), &error);
    for (int k = 0; k < 3; k++) {
        perp_problem_part *part = NULL;
        perp_io_error wrong;
        perp_status read = perp_problem_part_read(&part, fuzz_output(), k, 3,
                                                  fuzz_allocator((size_t)1 << 26), &wrong);
        FUZZ_PROMISE((read == PERP_SOLVED) == (part != NULL));
        perp_problem_part_destroy(part);
    }
    unlink(fuzz_output());
    FUZZ_PROMISE((status == PERP_SOLVED) == (file != NULL));
    FUZZ_PROMISE(status == PERP_SOLVED || error.text[0] != '\0');
    /* What is untouched can be read. */
    FUZZ_PROMISE(size >= 5 || status == PERP_SOLVED);
    if (file != NULL && perp_problem_file_get(file, &problem, &error) == PERP_SOLVED)
        FUZZ_PROMISE(perp_problem_check(&problem, NULL, NULL) <= PERP_SOLVED);
    perp_problem_file_destroy(file);
    return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
    return 0;
}
#endif
