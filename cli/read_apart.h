/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are not trusted, read by a child process with limits: a crash of HDF5, or its hunger for
 * memory, is an error here (PERP_ERR_FORMAT, PERP_ERR_MEMORY). */
#ifndef PERP_CLI_READ_APART_H
#define PERP_CLI_READ_APART_H

#include <perp/io.h>

/* 0: the default. */
typedef struct perp_read_limits {
    double bytes;   /* of its address space: 4 GiB and 1200 times the size of the file */
    double seconds; /* of processor time: 60, and 1 for each 10 MB of the file */
} perp_read_limits;

/* As perp_problem_file_read(); limits and allocator may be NULL, error not. */
perp_status perp_read_problem_apart(perp_problem_file **file, const char *path,
                                    perp_problem_class cls, const perp_read_limits *limits,
                                    const perp_allocator *allocator, perp_io_error *error);
/* As perp_solution_read(), of so many rows. */
perp_status perp_read_solution_apart(perp_problem_file *file, const char *path,
                                     const perp_read_limits *limits, double *z, int rows,
                                     perp_io_error *error);
/* Runs work(ctx), which prints what it has to say, in a child of at most so many bytes: what it
 * returned, or -1 with the error, of `path`, where it died before. */
int perp_work_apart(const char *path, double bytes, int (*work)(void *ctx), void *ctx,
                    perp_io_error *error);

#endif
