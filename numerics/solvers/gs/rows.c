/* SPDX-License-Identifier: BSD-3-Clause */
/* Gauss-Seidel on rows of square blocks: nothing is kept, the row is read each time. */
#include <stddef.h>

#include "solvers/gs/sweeps.h"

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

enum { AHEAD = 1536, ROWS_AHEAD = 2 }; /* bytes, or visits, between use and fetch */

typedef struct matrix {
    int block;
    const int *rowptr, *col;
    const double *x;
} matrix;

/* b += row i of blocks of order 3 times z.  A block is nine numbers in one
 * piece: four pairs and one, each with a sum of its own, so that there is one
 * dependent addition per block. */
static inline void add_row_3(double b[3], const matrix *A, int i, const double *z, ptrdiff_t ahead)
{
    const double *x = A->x + 9 * (size_t)A->rowptr[i];
    pair s0 = {0.0, 0.0}, s1 = s0, s2 = s0, s3 = s0;
    double s4 = 0.0;
    for (int p = A->rowptr[i]; p < A->rowptr[i + 1]; p++, x += 9) {
        const double *r = z + 3 * (size_t)A->col[p];
        __builtin_prefetch((const char *)x + ahead);
        s0 += *(const pair *)x * (pair){r[0], r[0]};
        s1 += *(const pair *)(x + 2) * (pair){r[0], r[1]};
        s2 += *(const pair *)(x + 4) * (pair){r[1], r[1]};
        s3 += *(const pair *)(x + 6) * (pair){r[2], r[2]};
        s4 += x[8] * r[2];
    }
    b[0] += s0[0] + s1[1] + s3[0];
    b[1] += s0[1] + s2[0] + s3[1];
    b[2] += s1[0] + s2[1] + s4;
}

/* Any order; the compiler sees it where it is a constant. */
static inline __attribute__((always_inline)) void add_row(double *b, const matrix *A, int i,
                                                          const double *z, const int m)
{
    const double *x = A->x + (size_t)(m * m) * (size_t)A->rowptr[i];
    for (int p = A->rowptr[i]; p < A->rowptr[i + 1]; p++, x += m * m) {
        const double *r = z + (size_t)m * (size_t)A->col[p];
        for (int c = 0; c < m; c++)
            for (int j = 0; j < m; j++)
                b[j] += x[j + c * m] * r[c];
    }
}

/* One row of M z, wherever it lies in its row of blocks. */
static double scalar_row(const matrix *A, int row, const double *z)
{
    int m = A->block, i = row / m;
    const double *x = A->x + (size_t)(m * m) * (size_t)A->rowptr[i] + row % m;
    double sum = 0.0;
    for (int p = A->rowptr[i]; p < A->rowptr[i + 1]; p++, x += m * m) {
        const double *r = z + (size_t)m * (size_t)A->col[p];
        for (int c = 0; c < m; c++)
            sum += x[c * m] * r[c];
    }
    return sum;
}

/* b = q + M z on the rows of the block. */
static void add_rows(double *b, const matrix *A, const perp_block *block, const double *z)
{
    int m = A->block, aligned = block->dim == m && block->row % m == 0;
    if (aligned && m == 3)
        add_row_3(b, A, block->row / 3, z, AHEAD);
    else if (aligned && m == 2)
        add_row(b, A, block->row / 2, z, 2);
    else if (aligned && m == 1)
        add_row(b, A, block->row, z, 1);
    else
        for (int i = 0; i < block->dim; i++)
            b[i] += scalar_row(A, block->row + i, z);
}

/* Bytes from row k to what is read soon: in the coloured order the same place of the row
 * after the next. */
static inline ptrdiff_t ahead(const perp_gs *gs, const matrix *A, int slot, int k)
{
    if (!gs->colouring.pieces)
        return AHEAD;
    int later = slot + ROWS_AHEAD < gs->count ? slot + ROWS_AHEAD : slot;
    return (ptrdiff_t)(9 * sizeof(double)) * (A->rowptr[gs->colouring.order[later]] - A->rowptr[k]);
}

static double visit_contact(const perp_gs *gs, const matrix *A, const double *q, int slot, int k)
{
    double b[3] = {q[3 * k], q[3 * k + 1], q[3 * k + 2]}, step[3];
    const double *own = perp_gs_diagonal(gs, slot);
    add_row_3(b, A, k, gs->z, ahead(gs, A, slot, k));
    perp_gs_subtract_own(b, own, gs->z + 3 * (size_t)k, 3);
    perp_gs_move_contact(gs, slot, own, b, step);
    return perp_gs_change(gs, k, step, 3);
}

static double visit_flat_contact(const perp_gs *gs, const matrix *A, const double *q, int slot,
                                 int k)
{
    const perp_block *block = &gs->block[k];
    const double *own = perp_gs_diagonal(gs, slot);
    double b[2] = {q[2 * k], q[2 * k + 1]}, step[2] = {0.0, 0.0};
    double *z = gs->z + 2 * (size_t)k, r[2] = {0.0, 0.0};
    add_row(b, A, k, gs->z, 2);
    perp_gs_subtract_own(b, own, z, 2);
    if (!(b[0] >= 0.0)) {
        r[0] = z[0];
        r[1] = z[1];
        if (perp_gs_failed(gs, perp_local_contact2(r, own, b, block->par[0])))
            perp_set_coulomb.project(r, z, block->par, 2);
    }
    perp_gs_step(gs, block, z, r, step, 2);
    return perp_gs_change(gs, k, step, 2);
}

static double visit_any(const perp_gs *gs, const matrix *A, const double *q, int slot, int k)
{
    const perp_block *block = &gs->block[k];
    for (int i = 0; i < block->dim; i++)
        gs->b[i] = q[block->row + i];
    add_rows(gs->b, A, block, gs->z);
    perp_gs_subtract_own(gs->b, perp_gs_diagonal(gs, slot), gs->z + block->row, block->dim);
    perp_gs_move(gs, slot);
    return perp_gs_change(gs, k, gs->step, block->dim);
}

static double run(perp_gs *gs, int from, int to, int backward)
{
    const perp_problem *problem = gs->work->problem;
    const matrix A = {problem->M.as.bsr.block, problem->M.as.bsr.rowptr, problem->M.as.bsr.col,
                      problem->M.as.bsr.x};
    const int contacts = gs->stored && gs->work->blocks.sets == PERP_BIT(PERP_COULOMB);
    double change = 0.0;
    for (int i = 0; i < to - from; i++) {
        int slot = perp_gs_visit(gs, i, from, to, backward), k = perp_gs_block_of(gs, slot);
        if (!perp_gs_resting(gs, k))
            change += contacts && A.block == 3   ? visit_contact(gs, &A, problem->q, slot, k)
                      : contacts && A.block == 2 ? visit_flat_contact(gs, &A, problem->q, slot, k)
                                                 : visit_any(gs, &A, problem->q, slot, k);
    }
    return change;
}

static perp_status couple(perp_gs *gs, perp_coupling *coupling, perp_arena *temporary)
{
    const perp_mat *M = &gs->work->problem->M;
    (void)temporary;
    if (gs->uniform != M->as.bsr.block)
        return PERP_ERR_UNSUPPORTED;
    *coupling =
        (perp_coupling){.count = gs->count, .first = M->as.bsr.rowptr, .link = M->as.bsr.col};
    return PERP_SOLVED;
}

/* Where the blocks of the problem are those of the matrix, M_kk is found there. */
static perp_status setup(perp_gs *gs)
{
    if (gs->uniform == gs->work->problem->M.as.bsr.block)
        gs->stored = PERP_TAKE(gs->work->arena, int, gs->count);
    else
        perp_gs_take_diagonal(gs);
    return PERP_SOLVED;
}

static perp_status load(perp_gs *gs)
{
    const perp_mat *M = &gs->work->problem->M;
    const int *rowptr = M->as.bsr.rowptr, *col = M->as.bsr.col;
    if (!gs->stored)
        return perp_gs_load_diagonal(gs);
    perp_coupling coupling = {.count = 0};
    if (gs->colouring.pieces) {
        perp_status status = couple(gs, &coupling, NULL);
        int holds = perp_colouring_holds(&gs->colouring, &coupling, &gs->work->arena->allocator);
        if (status != PERP_SOLVED || holds != 1)
            return holds < 0 ? PERP_ERR_MEMORY : PERP_ERR_STATE;
    }
    for (int slot = 0; slot < gs->count; slot++) {
        int k = perp_gs_block_of(gs, slot);
        gs->stored[slot] = -1;
        for (int p = rowptr[k]; p < rowptr[k + 1]; p++)
            if (col[p] == k)
                gs->stored[slot] = p;
    }
    return PERP_SOLVED;
}

static void refresh(perp_gs *gs, int measured)
{
    (void)gs;
    (void)measured;
}

const perp_gs_kernel perp_gs_rows = {couple, setup, load, refresh, run, NULL, 0};
