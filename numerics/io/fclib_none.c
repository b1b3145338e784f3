/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/fclib.h"

#include "io/failure.h"

static perp_status none(const char *path, perp_io_error *error)
{
    return perp_io_fail(error, PERP_ERR_UNSUPPORTED, path, 0,
                        "an HDF5 file, and this build of Perp has no HDF5");
}

perp_status perp_fclib_read(perp_problem_file *file, perp_problem_class cls, const char *path,
                            perp_io_error *error)
{
    (void)file;
    (void)cls;
    return none(path, error);
}

perp_status perp_fclib_write(const perp_problem_file *file, const perp_fclib_solution *solution,
                             const char *path, perp_io_error *error)
{
    (void)file;
    (void)solution;
    return none(path, error);
}

perp_status perp_fclib_read_solution(double *z, int rows, int bilateral, const char *path,
                                     const perp_allocator *allocator, perp_io_error *error)
{
    (void)z;
    (void)rows;
    (void)bilateral;
    (void)allocator;
    return none(path, error);
}

perp_status perp_problem_part_read(perp_problem_part **made, const char *path, int part, int parts,
                                   const perp_allocator *allocator, perp_io_error *error)
{
    (void)part;
    (void)parts;
    (void)allocator;
    if (made)
        *made = NULL;
    return none(path, error);
}

perp_status perp_solution_write_copy(const char *problem, const double *z, const double *w, int n,
                                     const char *path, perp_io_error *error)
{
    (void)z;
    (void)w;
    (void)n;
    (void)path;
    return none(problem, error);
}
