/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of rows of a step's problem by themselves: which bodies they touch, and problems of some
 * of them. */
#ifndef PERP_CLI_MPI_PART_BLOCKS_H
#define PERP_CLI_MPI_PART_BLOCKS_H

#include "cli/mpi/part_layout.h"

typedef struct perp_part_block {
    perp_set set;
    int dim, row; /* row: its first one */
    double par[PERP_PARAMETERS];
    int body[2]; /* places among the bodies that are here; the second -1: none */
    int apart;   /* its island lies in this rank alone */
} perp_part_block;

/* Blocks of the problem, malloc'ed; NULL: no memory. */
perp_part_block *perp_part_blocks(const perp_problem *problem, int *count);
/* Marks those whose island touches no body that another rank has, too.  0: no memory. */
int perp_part_mark_apart(perp_part_block *blocks, int count, const perp_part_layout *layout);

/* Some blocks as a problem of their own; arrays belong to it. */
typedef struct perp_part_subset {
    perp_problem problem;
    int rows, entries, nseg;
    int *origin; /* of each row: in the problem that it was taken from */
    int *colptr, *row;
    double *x, *q, *z, *w, *give, *par[PERP_PARAMETERS];
    perp_segment *seg;
} perp_part_subset;

/* Those blocks with apart = `apart` (-1: all), unknowns numbered as in `problem`; its M has no
 * mass. 0: no memory. */
int perp_part_subset_take(perp_part_subset *subset, const perp_problem *problem,
                          const perp_part_block *blocks, int count, int apart, const double *z);
void perp_part_subset_give(perp_part_subset *subset);

/* Islands that lie in this rank alone, solved here, into z. */
perp_status perp_part_solve_apart(const perp_problem *problem, const perp_part_block *blocks,
                                  int count, const perp_settings *settings, double *z);

#endif
