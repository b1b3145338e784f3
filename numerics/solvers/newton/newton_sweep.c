/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/newton/newton_sweep.h"

#include <math.h>
#include <string.h>

#include "linalg/mat.h"

perp_status perp_nsn_sweep_take(perp_nsn_sweep *sweep, const perp_nsn *nsn, perp_arena *arena)
{
    int count = nsn->blocks->count, largest = nsn->blocks->max_dim;
    sweep->A = PERP_TAKE(arena, double, nsn->start[count]);
    sweep->prep = PERP_TAKE(arena, perp_local_prep, count);
    sweep->value = PERP_TAKE(arena, double, nsn->lead > 0 ? nsn->lead : nsn->n);
    sweep->b = PERP_TAKE(arena, double, largest);
    sweep->change = PERP_TAKE(arena, double, largest);
    sweep->scratch = PERP_TAKE(arena, double, perp_local_scratch(largest));
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_nsn_sweep_load(perp_nsn_sweep *sweep, const perp_nsn *nsn,
                                const perp_problem *problem, const perp_allocator *allocator)
{
    const perp_blocks *blocks = nsn->blocks;
    char stack[PERP_ARENA_STACK];
    perp_arena temporary;
    perp_arena_init_with(&temporary, allocator, stack, sizeof stack);
    int *offset = PERP_TAKE(&temporary, int, (size_t)blocks->count + 1);
    perp_status status = PERP_ERR_MEMORY;
    if (offset) {
        for (int k = 0; k < blocks->count; k++)
            offset[k] = blocks->at[k].row;
        offset[blocks->count] = blocks->n;
        status = perp_mat_diagonal_blocks(sweep->A, &problem->M, offset, nsn->start, blocks->count,
                                          allocator);
    }
    perp_arena_free(&temporary);
    sweep->prepared = 0;
    return status;
}

static void prepare(perp_nsn_sweep *sweep, const perp_nsn *nsn)
{
    const perp_block *block = nsn->blocks->at;
    for (int k = 0; !sweep->prepared && k < nsn->blocks->count; k++)
        if (block[k].dim <= 3)
            perp_local_prepare(&sweep->prep[k], sweep->A + nsn->start[k], block[k].dim);
    sweep->prepared = 1;
}

/* Global form: v += G(:, row .. row + dim - 1) change; local form: w += M(:, ..) change. */
static void add_columns(perp_nsn_sweep *sweep, const perp_nsn *nsn, const perp_block *block,
                        const double *change)
{
    const perp_csc *J = &nsn->J;
    double *value = sweep->value, sign = nsn->lead > 0 ? -1.0 : 1.0;
    int end = nsn->lead > 0 ? nsn->lead : nsn->n;
    for (int j = 0; j < block->dim; j++) {
        int column = nsn->lead + block->row + j;
        double x = sign * change[j];
        if (x == 0.0)
            continue;
        for (int p = J->colptr[column]; p < J->colptr[column + 1] && J->row[p] < end; p++)
            value[J->row[p]] += nsn->fixed[p] * x;
    }
}

void perp_nsn_sweep_start(perp_nsn_sweep *sweep, const perp_nsn *nsn, const double *z,
                          const double *w)
{
    prepare(sweep, nsn);
    if (nsn->lead == 0) {
        memcpy(sweep->value, w, (size_t)nsn->n * sizeof(double));
        return;
    }
    memset(sweep->value, 0, (size_t)nsn->lead * sizeof(double));
    for (int k = 0; k < nsn->blocks->count; k++)
        add_columns(sweep, nsn, &nsn->blocks->at[k], z + nsn->blocks->at[k].row);
}

/* b = w - A z of a block. */
static void block_offset(perp_nsn_sweep *sweep, const perp_nsn *nsn, const perp_problem *problem,
                         const perp_block *block, const double *A, const double *z)
{
    const perp_mat *M = &problem->M;
    for (int i = 0; i < block->dim; i++) {
        int row = block->row + i;
        double w = 0.0;
        if (nsn->lead == 0) {
            w = sweep->value[row];
        } else {
            for (int p = M->as.delassus.colptr[row]; p < M->as.delassus.colptr[row + 1]; p++)
                w += M->as.delassus.x[p] * sweep->value[M->as.delassus.row[p]];
            w += problem->q[row];
            if (M->as.delassus.diagonal)
                w += M->as.delassus.diagonal[row] * z[row];
        }
        for (int j = 0; j < block->dim; j++)
            w -= A[i + j * block->dim] * z[row - i + j];
        sweep->b[i] = w;
    }
}

static void relax_block(perp_nsn_sweep *sweep, const perp_nsn *nsn, const perp_problem *problem,
                        int k, double *z)
{
    const perp_block *block = &nsn->blocks->at[k];
    const double *A = sweep->A + nsn->start[k];
    double *mine = z + block->row, *change = sweep->change;
    size_t bytes = (size_t)block->dim * sizeof(double);
    if (!(A[0] > 0.0))
        return;
    block_offset(sweep, nsn, problem, block, A, z);
    memcpy(change, mine, bytes);
    perp_status status = perp_local_solve(mine, block, A, block->dim <= 3 ? &sweep->prep[k] : NULL,
                                          sweep->b, PERP_LOCAL_HYBRID, sweep->scratch);
    int good = status == PERP_SOLVED;
    for (int i = 0; i < block->dim; i++)
        good = good && isfinite(mine[i]);
    if (!good) {
        memcpy(mine, change, bytes);
        return;
    }
    for (int i = 0; i < block->dim; i++)
        change[i] = mine[i] - change[i];
    add_columns(sweep, nsn, block, change);
}

void perp_nsn_sweep_run(perp_nsn_sweep *sweep, const perp_nsn *nsn, const perp_problem *problem,
                        double *z)
{
    int count = nsn->blocks->count;
    for (int k = 0; k < count; k++)
        relax_block(sweep, nsn, problem, k, z);
    for (int k = count - 1; k >= 0; k--)
        relax_block(sweep, nsn, problem, k, z);
}
