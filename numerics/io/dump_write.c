/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/dump_write.h"

#include <string.h>

#include "io/dump.h"
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

perp_status perp_dump_write(const perp_dump *dump, const char *path, perp_file_format format,
                            perp_io_error *error)
{
    if (error)
        *error = (perp_io_error){0};
    if (!dump || !path)
        return perp_io_fail(error, PERP_ERR_ARGUMENT, NULL, 0, "an argument is out of its range");
    if (format == PERP_FORMAT_AUTO)
        format = perp_format_of_ending(path);
    if (format != PERP_FORMAT_FCLIB && format != PERP_FORMAT_SICONOS)
        return perp_io_fail(error, PERP_ERR_UNSUPPORTED, path, 0,
                            "its ending is none of .hdf5, .h5, .dat");
    perp_status status = perp_dump_check(dump, error);
    if (status)
        return status;
    if (format == PERP_FORMAT_FCLIB)
        return perp_fclib_write(dump, NULL, path, error);
    perp_heap work;
    perp_heap_init(&work, &perp_dump_owner_of(dump)->heap.allocator);
    status = perp_siconos_write(dump, path, &work, error);
    perp_heap_free(&work);
    return status;
}
