/* SPDX-License-Identifier: BSD-3-Clause */
/* Which blocks of a problem belong together. */
#ifndef PERP_CLI_PROBLEM_ISLANDS_H
#define PERP_CLI_PROBLEM_ISLANDS_H

#include <perp/io.h>

/* island: of each block, from 0 in the order of their first blocks; block_of: of each row.  mass: of a
 * product, may be NULL.  How many there are; 0: an operator, whose pattern nobody knows; -1: no
 * memory. */
int perp_problem_islands(int *island, const perp_problem *problem, const int *block_of, int blocks,
                         const perp_mat *mass);

/* Stored entries that are not 0, in a grid of cells; kinds without entries: nothing.  The grid has
 * size x size counts. */
void perp_matrix_cells(int *cells, int size, const perp_mat *A);

#endif
