/* SPDX-License-Identifier: BSD-3-Clause */
/* A one-step problem cut down to some of its active links, where the others do not touch these:
 * as a dense problem, or in the form of the whole. */
#ifndef PERP_KERNEL_ONE_STEP_PART_H
#define PERP_KERNEL_ONE_STEP_PART_H

#include "kernel/step/one_step.h"

/* Begins as zeros; memory from the pool, kept. */
typedef struct perp_one_step_part {
    int rows, nsegments;
    int *row; /* in the whole */
    int *map; /* of a row of the whole: here; kept for its own rows alone */
    double *q, *z, *w, *x, *par[PERP_PARAMETERS];
    int *column, *index;
    perp_segment *segments;
    int capacity_row, capacity_map, capacity_numbers, capacity_x, capacity_column, capacity_index,
        capacity_segments;
    perp_problem problem;
} perp_one_step_part;

/* Takes the active links member[0 .. count - 1], ascending: rows, sets and their parameters,
 * matrix, q and the first iterate.  first_block: of each active link, among the blocks. */
perp_status perp_one_step_part_take(perp_one_step_part *part, const perp_one_step *one,
                                    const int *member, int count, const int *first_block,
                                    int dense);
/* z and w into the whole. */
void perp_one_step_part_give(const perp_one_step_part *part, perp_one_step *one);
void perp_one_step_part_free(perp_one_step_part *part, perp_pool *pool);

/* Rows of an active link in the problem. */
static inline int perp_one_step_width(const perp_link *link)
{
    return link->rows + link->inner;
}

/* Its blocks. */
static inline int perp_one_step_blocks(const perp_one_step *one, const perp_link *link)
{
    return (one->bilateral ? link->rows : link->relations) + link->inner;
}

#endif
