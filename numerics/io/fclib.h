/* SPDX-License-Identifier: BSD-3-Clause */
/* FCLib files.  A build without HDF5 has fclib_none.c in their place, where
 * every call gives PERP_ERR_UNSUPPORTED. */
#ifndef PERP_IO_FCLIB_H
#define PERP_IO_FCLIB_H

#include <perp/io.h>

/* Fills an empty problem file; cls may be AUTO, FRICTION or GLOBAL. */
perp_status perp_fclib_read(perp_problem_file *file, perp_problem_class cls, const char *path,
                            perp_io_error *error);

/* Writes the problem of a FRICTION or GLOBAL problem file, and a solution where
 * solution is not NULL, to a file that is created or cut. */
typedef struct perp_fclib_solution {
    const double *v, *l, *u, *r; /* v: dofs, l: bilateral; u, r: spacedim * contacts */
} perp_fclib_solution;
perp_status perp_fclib_write(const perp_problem_file *file, const perp_fclib_solution *solution,
                             const char *path, perp_io_error *error);

/* z = (r, l) from /solution, with rows entries of r and bilateral of l. */
perp_status perp_fclib_read_solution(double *z, int rows, int bilateral, const char *path,
                                     const perp_allocator *allocator, perp_io_error *error);

#endif
