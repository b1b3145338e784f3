/* SPDX-License-Identifier: BSD-3-Clause */
/* Gauss-Seidel on columns, dense or compressed: work->w = M z + q is kept, and
 * each step of a block adds its columns. */
#include <string.h>

#include "linalg/mat.h"
#include "solvers/gs/sweeps.h"

static double visit(const perp_gs *gs, int k)
{
    const perp_block *block = &gs->block[k];
    const perp_mat *M = &gs->work->problem->M;
    double *w = gs->work->w;
    int dim = block->dim;
    memcpy(gs->b, w + block->row, (size_t)dim * sizeof(double));
    perp_gs_subtract_own(gs->b, perp_gs_diagonal(gs, k), gs->z + block->row, dim);
    if (perp_gs_move(gs, k))
        perp_mat_add_columns(w, M, gs->step, block->row, dim);
    return perp_gs_change(gs, k, gs->step, dim);
}

static double run(perp_gs *gs, int from, int to, int backward)
{
    double change = 0.0;
    for (int i = 0; i < to - from; i++) {
        int slot = perp_gs_visit(gs, i, from, to, backward), k = perp_gs_block_of(gs, slot);
        if (!perp_gs_resting(gs, k))
            change += visit(gs, k);
    }
    return change;
}

static perp_status setup(perp_gs *gs)
{
    perp_gs_take_diagonal(gs);
    return PERP_SOLVED;
}

static void refresh(perp_gs *gs, int measured)
{
    const perp_problem *problem = gs->work->problem;
    if (measured)
        return;
    perp_mat_apply(&problem->M, gs->z, gs->work->scratch, gs->work->w);
    for (int i = 0; i < gs->work->blocks.n; i++)
        gs->work->w[i] += problem->q[i];
}

const perp_gs_kernel perp_gs_columns = {NULL, setup, perp_gs_load_diagonal, refresh, run, NULL, 0};
