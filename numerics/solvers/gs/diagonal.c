/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of the diagonal blocks, for matrices where they do not lie in one piece. */
#include "linalg/mat.h"
#include "solvers/gs/sweeps.h"

const double perp_gs_no_block[36];

void perp_gs_take_diagonal(perp_gs *gs)
{
    perp_arena *arena = gs->work->arena;
    size_t total = 0;
    gs->start = gs->uniform ? NULL : PERP_TAKE(arena, size_t, gs->count);
    for (int slot = 0; slot < gs->count; slot++) {
        int k = perp_gs_block_of(gs, slot);
        if (gs->start)
            gs->start[slot] = total;
        total += (size_t)gs->block[k].dim * (size_t)gs->block[k].dim;
    }
    gs->diagonal = PERP_TAKE(arena, double, total);
}

perp_status perp_gs_load_diagonal(perp_gs *gs)
{
    char stack[PERP_ARENA_STACK];
    perp_arena arena;
    perp_arena_init_with(&arena, &gs->work->arena->allocator, stack, sizeof stack);
    int *offset = PERP_TAKE(&arena, int, (size_t)gs->count + 1);
    size_t *start = PERP_TAKE(&arena, size_t, gs->count);
    perp_status status = PERP_ERR_MEMORY;
    if (!arena.failed) {
        size_t total = 0;
        for (int slot = 0; slot < gs->count; slot++) {
            int k = perp_gs_block_of(gs, slot);
            offset[k] = gs->block[k].row;
            start[k] = total;
            total += (size_t)gs->block[k].dim * (size_t)gs->block[k].dim;
        }
        offset[gs->count] = gs->work->blocks.n;
        status = perp_mat_diagonal_blocks(gs->diagonal, &gs->work->problem->M, offset, start,
                                          gs->count, &gs->work->arena->allocator);
    }
    perp_arena_free(&arena);
    return status;
}
