/* SPDX-License-Identifier: BSD-3-Clause */
/* Writers of the formats, for a problem file that passed perp_problem_file_check(). */
#ifndef PERP_IO_PROBLEM_FILE_WRITE_H
#define PERP_IO_PROBLEM_FILE_WRITE_H

#include <perp/io.h>

#include "io/heap.h"

perp_status perp_siconos_write(const perp_problem_file *file, const char *path, perp_heap *work,
                               perp_io_error *error);
/* FCLIB for .hdf5 and .h5, SICONOS for .dat, AUTO for anything else. */
perp_file_format perp_format_of_ending(const char *path);

#endif
