/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands: parts of a problem that M does not couple.  Contacts whose bodies never meet, directly
 * or through others, are problems of their own. */
#ifndef PERP_PROBLEM_ISLANDS_H
#define PERP_PROBLEM_ISLANDS_H

#include "problem/blocks.h"

typedef struct perp_islands {
    int count;
    int *first; /* count + 1, in `block` */
    int *block; /* island by island, each in ascending order; islands by their lowest block */
} perp_islands;

/* By the pattern of M; by its numbers where it is DENSE; DELASSUS: by the components of the mass
 * that H names.  An OPERATOR is one island.  Memory from the arena. */
perp_status perp_islands_find(perp_islands *islands, const perp_mat *M, const perp_blocks *blocks,
                              perp_arena *arena);

#endif
