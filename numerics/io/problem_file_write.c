/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/problem_file_write.h"

#include <string.h>

#include "core/float_environment.h"
#include "io/problem_file.h"
#include "io/failure.h"
#include "io/fclib.h"

static int ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcmp(path + length - tail, ending) == 0;
}

perp_file_format perp_format_of_ending(const char *path)
{
    if (ends_in(path, ".hdf5") || ends_in(path, ".h5"))
        return PERP_FORMAT_FCLIB;
    return ends_in(path, ".dat") ? PERP_FORMAT_SICONOS : PERP_FORMAT_AUTO;
}

perp_status perp_problem_file_write(const perp_problem_file *file, const char *path,
                                    perp_file_format format, perp_io_error *error)
{
    PERP_HOLD_ENVIRONMENT();
    if (error)
        *error = (perp_io_error){0};
    if (!file || !path)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "an argument is out of its range");
    if (format == PERP_FORMAT_AUTO)
        format = perp_format_of_ending(path);
    if (format != PERP_FORMAT_FCLIB && format != PERP_FORMAT_SICONOS)
        return perp_io_fail(error, PERP_ERR_UNSUPPORTED, path, 0,
                            "its ending is none of .hdf5, .h5, .dat");
    perp_status status = perp_problem_file_check(file, error);
    if (status)
        return status;
    if (format == PERP_FORMAT_FCLIB)
        return perp_fclib_write(file, NULL, path, error);
    perp_heap work;
    perp_heap_init(&work, &perp_problem_file_owner_of(file)->heap.allocator);
    status = perp_siconos_write(file, path, &work, error);
    perp_heap_free(&work);
    return status;
}
