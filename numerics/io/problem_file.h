/* SPDX-License-Identifier: BSD-3-Clause */
/* The private part of a problem file. */
#ifndef PERP_IO_PROBLEM_FILE_H
#define PERP_IO_PROBLEM_FILE_H

#include <perp/io.h>

#include "io/heap.h"

/* What file->owner points to. */
typedef struct perp_problem_file_owner {
    perp_heap heap;
    int made; /* the problem below is there */
    perp_problem problem;
    perp_mass *mass;
} perp_problem_file_owner;

/* The signature of HDF5 stands in the file. */
int perp_is_hdf5(const char *path);
perp_heap *perp_problem_file_heap(perp_problem_file *file);
perp_problem_file_owner *perp_problem_file_owner_of(const perp_problem_file *file);

/* Class, sizes, arrays and matrices of a problem file that a caller may have filled. */
perp_status perp_problem_file_check(const perp_problem_file *file, perp_io_error *error);
/* Rows of the unified problem. */
int perp_problem_file_rows(const perp_problem_file *file);
/* M of a GLOBAL problem file, with an error that names a singular row. */
perp_status perp_problem_file_mass(perp_mass **mass, const perp_problem_file *file,
                                   perp_io_error *error);

#endif
