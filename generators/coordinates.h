/* SPDX-License-Identifier: BSD-3-Clause */
/* A sparse matrix as a growing list of entries in any order; duplicates are summed. */
#ifndef PERP_GENERATORS_COORDINATES_H
#define PERP_GENERATORS_COORDINATES_H

#include <perp/io.h>

typedef struct perp_coordinates {
    int count, capacity;
    perp_status failed; /* PERP_SOLVED: not; memory was out, or there are too many */
    int *row, *col;
    double *x;
} perp_coordinates;

/* To a list that began as {0}; after a failure nothing is added. */
void perp_coordinates_add(perp_coordinates *list, int row, int col, double x);
/* n x n, rows of a column ascending, in memory of the problem file. */
perp_status perp_coordinates_to_csc(perp_mat *A, const perp_coordinates *list, int n,
                                    perp_problem_file *file);
void perp_coordinates_free(perp_coordinates *list);

#endif
