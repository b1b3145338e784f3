/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies under the blocks of a Delassus matrix with a mass in small blocks. */
#ifndef PERP_SOLVERS_GS_GROUPING_H
#define PERP_SOLVERS_GS_GROUPING_H

#include "linalg/mass.h"
#include "solvers/gs/sweeps.h"

/* What counts as one body is named by `group`: so many successive unknowns, or (group 0) one
 * block of the mass.  A sphere's mass is diagonal, six blocks, but its contacts touch all six. */
static inline int perp_gs_body_of(const perp_mass *mass, int group, int dof)
{
    return group ? dof / group : mass->block_of[dof];
}

/* 1: no block of the mass reaches over two bodies, and those of a body follow each other. */
int perp_gs_group_fits(const perp_mass *mass, int group);

typedef struct perp_gs_census {
    size_t supports, values; /* bodies under all blocks, and numbers of their packed blocks */
} perp_gs_census;

/* Counts the bodies under the block in each slot, and writes where there is space: first,
 * count + 1; body, their numbers.  seen: one entry per unknown. */
perp_gs_census perp_gs_count_bodies(const perp_gs *gs, int group, int *first, int *body, int *seen);

typedef struct perp_gs_grouping {
    int chosen, group;
    perp_gs_census total;
} perp_gs_grouping;

/* The grouping with the fewest numbers to read; looked for in the first call only, for each
 * candidate is a pass over H. */
perp_status perp_gs_choose_group(perp_gs_grouping *grouping, const perp_gs *gs,
                                 perp_arena *temporary);

/* The coupling of the blocks by bodies, in memory of `temporary`. */
perp_status perp_gs_couple_bodies(const perp_gs *gs, perp_coupling *coupling, int group,
                                  perp_arena *temporary);

#endif
