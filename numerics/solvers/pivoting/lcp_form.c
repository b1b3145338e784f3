/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/pivoting/lcp_form.h"

#include <math.h>
#include <string.h>

#include "linalg/csc.h"
#include "linalg/dense_lu.h"
#include "linalg/twofold.h"

/* How a row of the problem enters: 0 left out, 1 one row, 2 with a slack pair. */
static int rows_of(const perp_block *block)
{
    if (block->set != PERP_BOX)
        return 1;
    if (block->par[0] == block->par[1])
        return 0;
    return isfinite(block->par[0]) && isfinite(block->par[1]) ? 2 : 1;
}

static void describe_row(perp_lcp *lcp, const perp_block *block, int at)
{
    lcp->origin[at] = block->row;
    lcp->sign[at] = 1.0;
    lcp->kind[at] = block->set == PERP_FREE ? PERP_LCP_FREE : PERP_LCP_PAIR;
    if (block->set != PERP_BOX)
        return;
    if (isfinite(block->par[0])) {
        lcp->shift[block->row] = block->par[0];
    } else if (isfinite(block->par[1])) {
        lcp->shift[block->row] = block->par[1];
        lcp->sign[at] = -1.0;
    } else {
        lcp->kind[at] = PERP_LCP_FREE;
    }
}

/* Rows of the LCP: first one per row of the problem, then the slack pairs. */
static void describe(perp_lcp *lcp, const perp_blocks *blocks, int *index)
{
    int at = 0;
    memset(lcp->shift, 0, (size_t)lcp->n * sizeof(double));
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        index[block->row] = -1;
        if (rows_of(block) == 0) {
            lcp->shift[block->row] = block->par[0];
            continue;
        }
        index[block->row] = at;
        describe_row(lcp, block, at++);
    }
    for (int k = 0; k < blocks->count; k++) {
        if (rows_of(&blocks->at[k]) < 2)
            continue;
        lcp->origin[at] = blocks->at[k].row;
        lcp->sign[at] = 1.0;
        lcp->kind[at++] = PERP_LCP_SLACK;
    }
}

/* One entry M(i, j): into A, and M shift into b. */
static void enter(perp_lcp *lcp, const int *index, int i, int j, double value)
{
    int row = index[i], col = index[j];
    if (row < 0)
        return;
    lcp->b[row] += lcp->sign[row] * value * lcp->shift[j];
    if (col >= 0)
        lcp->a[(size_t)row + (size_t)col * (size_t)lcp->size] +=
            lcp->sign[row] * value * lcp->sign[col];
}

/* A Delassus matrix is multiplied out for a moment. */
static perp_status enter_product(perp_lcp *lcp, const perp_mat *M, const int *index,
                                 perp_arena *arena)
{
    perp_arena temporary;
    perp_csc C;
    perp_arena_init(&temporary, &arena->allocator);
    perp_status status = perp_csc_from_mat(&C, M, &temporary);
    for (int j = 0; status == PERP_SOLVED && j < C.cols; j++)
        for (int p = C.colptr[j]; p < C.colptr[j + 1]; p++)
            enter(lcp, index, C.row[p], j, C.x[p]);
    perp_arena_free(&temporary);
    return status;
}

static perp_status enter_matrix(perp_lcp *lcp, const perp_mat *M, const int *index,
                                perp_arena *arena)
{
    int block = 0;
    switch (M->kind) {
    case PERP_DENSE:
        for (int j = 0; j < M->cols; j++)
            for (int i = 0; i < M->rows; i++)
                enter(lcp, index, i, j,
                      M->as.dense.x[(size_t)i + (size_t)j * (size_t)M->as.dense.ld]);
        return PERP_SOLVED;
    case PERP_CSC:
        for (int j = 0; j < M->cols; j++)
            for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
                enter(lcp, index, M->as.csc.row[p], j, M->as.csc.x[p]);
        return PERP_SOLVED;
    case PERP_BSR:
        block = M->as.bsr.block;
        for (int i = 0; i < M->rows / block; i++)
            for (int p = M->as.bsr.rowptr[i]; p < M->as.bsr.rowptr[i + 1]; p++)
                for (int k = 0; k < block * block; k++)
                    enter(lcp, index, i * block + k % block, M->as.bsr.col[p] * block + k / block,
                          M->as.bsr.x[(size_t)p * (size_t)(block * block) + (size_t)k]);
        return PERP_SOLVED;
    case PERP_DELASSUS:
        return enter_product(lcp, M, index, arena);
    default:
        return PERP_ERR_UNSUPPORTED;
    }
}

/* Slack pairs: row of x gains +multiplier, and the slack row is width - x. */
static void enter_slacks(perp_lcp *lcp, const perp_blocks *blocks, const int *index)
{
    size_t N = (size_t)lcp->size;
    int at = 0;
    while (at < lcp->size && lcp->kind[at] != PERP_LCP_SLACK)
        at++;
    for (int k = 0; k < blocks->count && at < lcp->size; k++) {
        const perp_block *block = &blocks->at[k];
        if (rows_of(block) < 2)
            continue;
        size_t row = (size_t)index[block->row], slack = (size_t)at++;
        lcp->a[row + slack * N] = 1.0;
        lcp->a[slack + row * N] = -1.0;
        lcp->b[slack] = block->par[1] - block->par[0];
    }
}

/* The power of two next to 1 / sqrt(x); 1 for an empty row. */
static double balance(double x)
{
    int e;
    if (x >= 0.5 && x < 2.0)
        return 1.0;
    if (!(x > 0.0) || !isfinite(x))
        return 1.0;
    frexp(x, &e);
    return ldexp(1.0, -(int)floor(e / 2.0));
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* Sweeps of Ruiz's equilibration: each row and column gets a largest entry near 1. */
static void equilibrate(perp_lcp *lcp, double *row_max)
{
    size_t N = (size_t)lcp->size;
    for (size_t i = 0; i < N; i++)
        lcp->row_scale[i] = lcp->col_scale[i] = 1.0;
    int moved = 1;
    for (int sweep = 0; moved && sweep < 6; sweep++) {
        moved = 0;
        memset(row_max, 0, N * sizeof(double));
        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i < N; i++)
                row_max[i] = larger(row_max[i], fabs(lcp->a[i + j * N]));
        for (size_t i = 0; i < N; i++) {
            lcp->row_scale[i] *= row_max[i] = balance(row_max[i]);
            moved |= row_max[i] != 1.0;
        }
        for (size_t j = 0; j < N; j++) {
            double *column = lcp->a + j * N, largest = 0.0;
            for (size_t i = 0; i < N; i++)
                largest = larger(largest, fabs(column[i]));
            double scale = balance(largest);
            moved |= scale != 1.0;
            lcp->col_scale[j] *= scale;
            for (size_t i = 0; i < N; i++)
                column[i] *= row_max[i] * scale;
        }
    }
    double largest = 0.0;
    for (size_t i = 0; i < N; i++)
        largest = larger(largest, fabs(lcp->b[i] *= lcp->row_scale[i]));
    double half = balance(largest);
    lcp->b_scale = half * half;
    for (size_t i = 0; i < N; i++)
        lcp->b[i] *= lcp->b_scale;
}

static perp_status take(perp_lcp *lcp, perp_arena *arena)
{
    size_t N = (size_t)lcp->size;
    lcp->kind = PERP_TAKE(arena, unsigned char, N);
    lcp->origin = PERP_TAKE(arena, int, N);
    lcp->sign = PERP_TAKE(arena, double, N);
    lcp->shift = PERP_TAKE(arena, double, lcp->n);
    lcp->row_scale = PERP_TAKE(arena, double, N);
    lcp->col_scale = PERP_TAKE(arena, double, N);
    lcp->b = perp_arena_take_zero(arena, N, sizeof(double));
    lcp->a = N == 0 || N <= SIZE_MAX / sizeof(double) / N
                 ? perp_arena_take_zero(arena, N * N, sizeof(double))
                 : NULL;
    return arena->failed || !lcp->a ? PERP_ERR_MEMORY : PERP_SOLVED;
}

size_t perp_lcp_size(const perp_blocks *blocks, perp_status *status)
{
    size_t size = 0;
    *status = blocks->count > 0 && blocks->max_dim != 1 ? PERP_ERR_UNSUPPORTED : PERP_SOLVED;
    if (*status != PERP_SOLVED)
        return 0;
    for (int k = 0; k < blocks->count; k++)
        size += (size_t)rows_of(&blocks->at[k]);
    if (size > INT32_MAX)
        *status = PERP_ERR_OVERFLOW;
    return size > INT32_MAX ? 0 : size;
}

size_t perp_lcp_bytes(size_t size, size_t n)
{
    return sizeof(double) * (size * size + 5 * size + n) + sizeof(int) * (size + n) + size +
           10 * 64;
}

perp_status perp_lcp_build(perp_lcp *lcp, const perp_problem *problem, const perp_blocks *blocks,
                           perp_arena *arena)
{
    perp_status status = PERP_SOLVED;
    int *index = PERP_TAKE(arena, int, blocks->n);
    size_t size = perp_lcp_size(blocks, &status);
    if (status != PERP_SOLVED)
        return status;
    lcp->n = blocks->n;
    lcp->boxes = 0;
    for (int k = 0; k < blocks->count; k++)
        lcp->boxes += blocks->at[k].set == PERP_BOX;
    lcp->size = (int)size;
    status = take(lcp, arena);
    if (status != PERP_SOLVED)
        return status;
    describe(lcp, blocks, index);
    for (int i = 0; i < lcp->size; i++)
        if (lcp->kind[i] != PERP_LCP_SLACK)
            lcp->b[i] = lcp->sign[i] * problem->q[lcp->origin[i]];
    status = enter_matrix(lcp, &problem->M, index, arena);
    if (status != PERP_SOLVED)
        return status;
    enter_slacks(lcp, blocks, index);
    double *row_max = PERP_TAKE(arena, double, size);
    if (!row_max)
        return PERP_ERR_MEMORY;
    equilibrate(lcp, row_max);
    return PERP_SOLVED;
}

void perp_lcp_to_direction(double *z, const perp_lcp *lcp, const double *x)
{
    memset(z, 0, (size_t)lcp->n * sizeof(double));
    for (int i = 0; i < lcp->size; i++)
        if (lcp->kind[i] != PERP_LCP_SLACK)
            z[lcp->origin[i]] = lcp->sign[i] * lcp->col_scale[i] * x[i];
}

void perp_lcp_to_z(double *z, const perp_lcp *lcp, const double *x)
{
    perp_lcp_to_direction(z, lcp, x);
    for (int i = 0; i < lcp->n; i++)
        z[i] = lcp->shift[i] + z[i] / lcp->b_scale;
}

/* r = -(b + A x) on the rows that are on, packed; low: size doubles, for the digits that would be
 * lost. */
static void packed_residual(double *r, double *low, const perp_lcp *lcp, const unsigned char *on,
                            const double *x)
{
    size_t N = (size_t)lcp->size, k = 0;
    for (size_t i = 0; i < N; i++) {
        low[i] = 0.0;
        if (on[i])
            r[k++] = -lcp->b[i];
    }
    for (size_t j = 0; j < N; j++) {
        const double *column = lcp->a + j * N;
        if (x[j] == 0.0)
            continue;
        k = 0;
        for (size_t i = 0; i < N; i++) {
            if (!on[i])
                continue;
            double product = -column[i] * x[j], rest = fma(-column[i], x[j], -product);
            perp_twofold sum = perp_twofold_sum(r[k], product);
            r[k] = sum.high;
            low[k++] += sum.low + rest;
        }
    }
    while (k-- > 0)
        r[k] += low[k];
}

perp_status perp_lcp_basic_solution(double *x, const perp_lcp *lcp, const unsigned char *on,
                                    double *lu, int *pivots, double *r, double *low)
{
    size_t N = (size_t)lcp->size, at = 0;
    int m = 0;
    for (size_t i = 0; i < N; i++)
        m += on[i] != 0;
    memset(x, 0, N * sizeof(double));
    if (m == 0)
        return PERP_SOLVED;
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; on[j] && i < N; i++)
            if (on[i])
                lu[at++] = lcp->a[i + j * N];
    if (!perp_dense_lu_factor(lu, pivots, m))
        return PERP_ERR_SINGULAR;
    /* A step that changes nothing would be repeated by those that follow. */
    int changed = 1;
    for (int refinement = 0; changed && refinement < 4; refinement++) {
        changed = 0;
        packed_residual(r, low, lcp, on, x);
        perp_dense_lu_solve(r, lu, pivots, m);
        at = 0;
        for (size_t i = 0; i < N; i++) {
            if (on[i]) {
                double before = x[i];
                x[i] += r[at++];
                changed |= x[i] != before;
            }
        }
    }
    return PERP_SOLVED;
}
