/* SPDX-License-Identifier: BSD-3-Clause */
/* Writers of the formats, for a dump that passed perp_dump_check(). */
#ifndef PERP_IO_DUMP_WRITE_H
#define PERP_IO_DUMP_WRITE_H

#include <perp/io.h>

#include "io/heap.h"

perp_status perp_siconos_write(const perp_dump *dump, const char *path, perp_heap *work,
                               perp_io_error *error);
/* FCLIB for .hdf5 and .h5, SICONOS for .dat, AUTO for anything else. */
perp_file_format perp_format_of_ending(const char *path);

#endif
