/* SPDX-License-Identifier: BSD-3-Clause */
#include "problem/blocks.h"

#include <limits.h>

#include "sets/set.h"

/* Rows and blocks of all segments; 0 where a segment is not admissible. */
static int count_shape(const perp_problem *problem, int *rows, int *blocks)
{
    long long n = 0, count = 0;
    for (int k = 0; k < problem->nseg; k++) {
        const perp_segment *seg = &problem->seg[k];
        if ((unsigned)seg->set >= PERP_SET_COUNT || seg->count < 0)
            return 0;
        if (!perp_set_takes_dim(perp_set_type_of((int)seg->set), seg->dim))
            return 0;
        n += (long long)seg->dim * seg->count;
        count += seg->count;
        if (n > INT_MAX)
            return 0;
    }
    *rows = (int)n;
    *blocks = (int)count;
    return 1;
}

static void fill_parameters(perp_block *block, const perp_segment *seg, int parameters, int k)
{
    block->length = 1.0;
    for (int p = 0; p < PERP_PARAMETERS; p++)
        block->par[p] = p < parameters ? seg->par[p][(size_t)k * (size_t)seg->stride[p]] : 0.0;
}

perp_status perp_blocks_build(perp_blocks *blocks, const perp_problem *problem, perp_arena *arena)
{
    int rows, count;
    if (!count_shape(problem, &rows, &count))
        return PERP_ERR_STRUCTURE;
    perp_block *at = PERP_TAKE(arena, perp_block, count);
    if (!at)
        return PERP_ERR_MEMORY;
    *blocks = (perp_blocks){.n = rows, .count = count, .at = at};
    int row = 0, mixed = 0;
    for (int k = 0; k < problem->nseg; k++) {
        const perp_segment *seg = &problem->seg[k];
        if (seg->count == 0)
            continue;
        blocks->sets |= 1u << seg->set;
        mixed |= blocks->max_dim != 0 && blocks->max_dim != seg->dim;
        if (seg->dim > blocks->max_dim)
            blocks->max_dim = seg->dim;
        int parameters = perp_set_reads(perp_set_type_of((int)seg->set), seg->dim);
        for (int i = 0; i < seg->count; i++, at++) {
            *at = (perp_block){.row = row, .dim = (short)seg->dim, .set = (short)seg->set};
            fill_parameters(at, seg, parameters, i);
            row += seg->dim;
        }
    }
    blocks->uniform = mixed ? 0 : blocks->max_dim;
    return PERP_SOLVED;
}

perp_status perp_blocks_update(perp_blocks *blocks, const perp_problem *problem)
{
    int rows, count, at = 0;
    if (!count_shape(problem, &rows, &count) || rows != blocks->n || count != blocks->count)
        return PERP_ERR_ARGUMENT;
    for (int k = 0; k < problem->nseg; k++) {
        const perp_segment *seg = &problem->seg[k];
        for (int i = 0; i < seg->count; i++, at++)
            if (blocks->at[at].dim != seg->dim || blocks->at[at].set != (int)seg->set)
                return PERP_ERR_ARGUMENT;
    }
    at = 0;
    for (int k = 0; k < problem->nseg; k++) {
        const perp_segment *seg = &problem->seg[k];
        int parameters = perp_set_reads(perp_set_type_of((int)seg->set), seg->dim);
        for (int i = 0; i < seg->count; i++, at++)
            fill_parameters(&blocks->at[at], seg, parameters, i);
    }
    return PERP_SOLVED;
}

void perp_blocks_project(double *p, const perp_blocks *blocks, const double *x)
{
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        perp_set_type_of(block->set)
            ->project(p + block->row, x + block->row, block->par, block->dim);
    }
}
