/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/float_environment.h"
#include "io/problem_file.h"
#include "io/fclib.h"
#include "io/siconos.h"

/* The HDF5 signature stands at the start of a file or, behind a user block, at
 * 512, 1024, 2048, ... bytes.  A pipe is not opened for that: it gives its bytes once, and who writes
 * into it would lose the reader. */
int perp_is_hdf5(const char *path)
{
    static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
    unsigned char start[8];
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return 0;
    FILE *file = fopen(path, "rb");
    int found = 0;
    if (!file)
        return 0;
    for (long at = 0; at <= 65536 && !found; at = at ? 2 * at : 512) {
        if (fseek(file, at, SEEK_SET) != 0 || fread(start, 1, 8, file) != 8)
            break;
        found = memcmp(start, signature, 8) == 0;
    }
    fclose(file);
    return found;
}

static perp_status read_text(perp_problem_file *file, perp_problem_class cls, const char *path,
                             const perp_allocator *allocator, perp_io_error *error)
{
    perp_heap work;
    perp_text text;
    perp_heap_init(&work, allocator);
    perp_status status = perp_text_open(&text, path, &work, error);
    if (!status)
        status = perp_siconos_read(file, cls, &text, &work);
    perp_heap_free(&work);
    return status;
}

perp_status perp_problem_file_read(perp_problem_file **file, const char *path,
                                   perp_problem_class cls, const perp_allocator *allocator,
                                   perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    if (error)
        *error = (perp_io_error){0};
    if (!file || !path || cls < PERP_CLASS_AUTO || cls > PERP_CLASS_ROLLING)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "an argument is out of its range");
    *file = NULL;
    perp_problem_file *made;
    perp_status status = perp_problem_file_create(&made, allocator);
    if (status)
        return perp_io_fail(error, status, path, 0, "no memory");
    if (perp_is_hdf5(path))
        status = perp_fclib_read(made, cls, path, error);
    else
        status = read_text(made, cls, path, allocator, error);
    if (status) {
        perp_problem_file_destroy(made);
        return status;
    }
    *file = made;
    return PERP_SOLVED;
}
