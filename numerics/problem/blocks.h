/* SPDX-License-Identifier: BSD-3-Clause */
/* Segments flattened to blocks: block k has rows row .. row + dim - 1. */
#ifndef PERP_PROBLEM_BLOCKS_H
#define PERP_PROBLEM_BLOCKS_H

#include <perp/problem.h>

#include "core/arena.h"
#include "sets/rolling.h"

typedef struct perp_block {
    int row;
    short dim, set; /* set: a perp_set; dim of SOC is at most 32767 */
    double par[PERP_PARAMETERS];
    double length; /* ROLLING: l of docs/theory.md, made by perp_scaling_build(); else 1 */
} perp_block;

typedef struct perp_blocks {
    int n;     /* rows */
    int count; /* blocks */
    int max_dim;
    int uniform;   /* dim when all blocks have the same one, else 0 */
    unsigned sets; /* bit per set that occurs */
    perp_block *at;
} perp_blocks;

/* The unit of row i of a block: l for the moments of ROLLING, else 1. */
static inline double perp_block_unit(const perp_block *block, int i)
{
    return block->set == PERP_ROLLING && i > perp_rolling_rows(block->dim) ? block->length : 1.0;
}

/* Takes the array from the arena and fills it. */
perp_status perp_blocks_build(perp_blocks *blocks, const perp_problem *problem, perp_arena *arena);
/* Fills the parameters again from a problem of the same shape;
 * PERP_ERR_ARGUMENT when the shape differs. */
perp_status perp_blocks_update(perp_blocks *blocks, const perp_problem *problem);
/* p = P_K(x), block by block, n entries each.  p may be x. */
void perp_blocks_project(double *p, const perp_blocks *blocks, const double *x);

#endif
