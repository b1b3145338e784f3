/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrix groups of FCLib files. */
#ifndef PERP_IO_FCLIB_MATRIX_H
#define PERP_IO_FCLIB_MATRIX_H

#include "io/h5.h"
#include "io/sparse.h"

/* A group of the given size into compressed columns that the problem file keeps. */
void perp_fclib_csc(perp_mat *A, perp_h5 *h5, const char *group, int rows, int cols,
                    perp_problem_file *file);
/* The same for a symmetric matrix, of which a file may hold one triangle. */
void perp_fclib_symmetric(perp_mat *A, perp_h5 *h5, const char *group, int rows,
                          perp_problem_file *file);
/* A symmetric matrix into blocks. */
void perp_fclib_blocks(perp_mat *A, perp_h5 *h5, const char *group, int rows, int block,
                       perp_problem_file *file);

#endif
