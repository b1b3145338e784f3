/* SPDX-License-Identifier: BSD-3-Clause */
/* The private part of a dump. */
#ifndef PERP_IO_DUMP_H
#define PERP_IO_DUMP_H

#include <perp/io.h>

#include "io/heap.h"

/* What dump->owner points to. */
typedef struct perp_dump_owner {
    perp_heap heap;
    int made; /* the problem below is there */
    perp_problem problem;
    perp_mass *mass;
} perp_dump_owner;

/* The signature of HDF5 stands in the file. */
int perp_is_hdf5(const char *path);
perp_heap *perp_dump_heap(perp_dump *dump);
perp_dump_owner *perp_dump_owner_of(const perp_dump *dump);

/* Class, sizes, arrays and matrices of a dump that a caller may have filled. */
perp_status perp_dump_check(const perp_dump *dump, perp_io_error *error);
/* Rows of the unified problem. */
int perp_dump_rows(const perp_dump *dump);
/* M of a GLOBAL dump, with an error that names a singular row. */
perp_status perp_dump_mass(perp_mass **mass, const perp_dump *dump, perp_io_error *error);

#endif
