/* SPDX-License-Identifier: BSD-3-Clause */
/* d_i = sqrt |M_ii|_2, and a substitute where that is negligible.
 *
 * Block i is negligible when |M_ii| <= 1e-14 max_j |M_ij|^2 / |M_jj|.  The test
 * is the same seen from i and from j, so only the smaller diagonal of a pair
 * can be negligible in it.  Then d_i = max_j |M_ij| / d_j over the neighbours
 * that have a diagonal, or 1.  For OPERATOR the neighbours are not known, and
 * in DELASSUS only a zero diagonal is negligible: there d_i = 1.
 *
 * In rows and columns of moments of a ROLLING block M is first multiplied by its length l,
 * l^2 = |M_TT| / |M_RR|.
 */
#include "problem/residual.h"
#include "problem/rounding.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/clones.h"
#include "linalg/mat.h"
#include "linalg/small.h"
#include "sets/rolling.h"

#define NEGLIGIBLE 1e-7 /* square root of 1e-14: roots are compared */

enum { BATCH_DOUBLES = 65536 };

/* An entry of a row of a suspect block, outside the diagonal block. */
typedef struct coupling {
    int col, row; /* row inside the block */
    double x;
} coupling;

typedef struct coupled {
    const perp_blocks *blocks;
    double *d;
    int *block_of;        /* n */
    unsigned char *state; /* per block: an or of the two below */
    size_t *start;        /* blocks.count + 1: first coupling of a block */
    coupling *at;
    double *square; /* max_dim * max_dim: one block, padded */
} coupled;

enum { SUSPECT = 1, WITHOUT = 2 }; /* perhaps, surely negligible */

/* What an entry of this row, or column, is multiplied by. */
static double unit_of(const coupled *c, int row)
{
    const perp_block *block = &c->blocks->at[c->block_of[row]];
    return perp_block_unit(block, row - block->row);
}

typedef void (*entry_visitor)(coupled *c, int row, int col, double x);

static void visit_bsr(coupled *c, const perp_mat *A, entry_visitor visit)
{
    int b = A->as.bsr.block;
    for (int i = 0; i < A->rows / b; i++)
        for (int p = A->as.bsr.rowptr[i]; p < A->as.bsr.rowptr[i + 1]; p++) {
            const double *x = A->as.bsr.x + (size_t)p * (size_t)(b * b);
            for (int k = 0; k < b * b; k++)
                visit(c, i * b + k % b, A->as.bsr.col[p] * b + k / b, x[k]);
        }
}

/* Every stored entry of an explicit matrix. */
static void visit_entries(coupled *c, const perp_mat *A, entry_visitor visit)
{
    if (A->kind == PERP_DENSE)
        for (int j = 0; j < A->cols; j++) {
            const double *x = A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld;
            for (int i = 0; i < A->rows; i++)
                visit(c, i, j, x[i]);
        }
    else if (A->kind == PERP_CSC)
        for (int j = 0; j < A->cols; j++)
            for (int p = A->as.csc.colptr[j]; p < A->as.csc.colptr[j + 1]; p++)
                visit(c, A->as.csc.row[p], j, A->as.csc.x[p]);
    else if (A->kind == PERP_BSR)
        visit_bsr(c, A, visit);
}

/* Marks a block when a bound of |M_ij| by this entry does not clear it. */
static void suspect(coupled *c, int row, int col, double x)
{
    int i = c->block_of[row], j = c->block_of[col];
    double di = c->d[i], dj = c->d[j];
    if (i == j || dj <= di)
        return;
    double size = sqrt((double)c->blocks->at[i].dim * c->blocks->at[j].dim);
    size *= unit_of(c, row) * unit_of(c, col);
    if (di * dj <= 2.0 * NEGLIGIBLE * size * fabs(x))
        c->state[i] |= SUSPECT;
}

static void count_coupling(coupled *c, int row, int col, double x)
{
    int i = c->block_of[row];
    if (c->state[i] && i != c->block_of[col] && x != 0.0)
        c->start[i + 1]++;
}

static void store_coupling(coupled *c, int row, int col, double x)
{
    int i = c->block_of[row];
    if (c->state[i] && i != c->block_of[col] && x != 0.0)
        c->at[c->start[i]++] =
            (coupling){col, row - c->blocks->at[i].row, x * unit_of(c, row) * unit_of(c, col)};
}

/* Shell sort by column; ties (rows of one column) may come in any order. */
static void sort_couplings(coupling *at, size_t count)
{
    size_t step = 1;
    while (step < count / 3)
        step = 3 * step + 1;
    for (; step > 0; step /= 3)
        for (size_t i = step; i < count; i++) {
            coupling moved = at[i];
            size_t k = i;
            for (; k >= step && at[k - step].col > moved.col; k -= step)
                at[k] = at[k - step];
            at[k] = moved;
        }
}

/* |M_ij|_2 from its entries at[0 .. count-1]. */
static double coupling_norm(coupled *c, int i, int j, const coupling *at, size_t count)
{
    const perp_block *bi = &c->blocks->at[i], *bj = &c->blocks->at[j];
    if (bi->dim == 1 || bj->dim == 1) {
        double norm = 0.0;
        for (size_t k = 0; k < count; k++)
            norm = norm == 0.0 ? fabs(at[k].x) : hypot(norm, at[k].x);
        return norm;
    }
    size_t n = (size_t)(bi->dim > bj->dim ? bi->dim : bj->dim);
    memset(c->square, 0, n * n * sizeof(double));
    for (size_t k = 0; k < count; k++)
        c->square[(size_t)at[k].row + (size_t)(at[k].col - bj->row) * n] = at[k].x;
    return perp_small_norm2(c->square, (int)n);
}

/* max_j |M_ij| / d_j over neighbours with a diagonal, 0 where there is none;
 * when `larger`, over all those with a larger diagonal than its own. */
static double strongest_coupling(coupled *c, int i, int larger)
{
    double strongest = 0.0;
    for (size_t k = c->start[i]; k < c->start[i + 1];) {
        int j = c->block_of[c->at[k].col];
        size_t first = k;
        while (k < c->start[i + 1] && c->block_of[c->at[k].col] == j)
            k++;
        if (c->d[j] == 0.0 || (larger ? c->d[j] <= c->d[i] : c->state[j] & WITHOUT))
            continue;
        double norm = coupling_norm(c, i, j, c->at + first, k - first) / c->d[j];
        strongest = norm > strongest ? norm : strongest;
    }
    return strongest;
}

/* Lists the couplings of suspect blocks, sorted by column. */
static perp_status list_couplings(coupled *c, const perp_mat *A, perp_arena *temporary)
{
    int count = c->blocks->count;
    size_t edge = (size_t)c->blocks->max_dim;
    visit_entries(c, A, count_coupling);
    for (int i = 0; i < count; i++)
        c->start[i + 1] += c->start[i];
    c->at = PERP_TAKE(temporary, coupling, c->start[count]);
    c->square = PERP_TAKE(temporary, double, edge *edge);
    if (!c->at || !c->square)
        return PERP_ERR_MEMORY;
    visit_entries(c, A, store_coupling);
    memmove(c->start + 1, c->start, (size_t)count * sizeof(size_t));
    c->start[0] = 0;
    for (int i = 0; i < count; i++)
        sort_couplings(c->at + c->start[i], c->start[i + 1] - c->start[i]);
    return PERP_SOLVED;
}

/* Replaces negligible d; d holds the roots of the diagonal norms. */
static perp_status substitute(perp_scaling *scaling, coupled *c, const perp_mat *A,
                              perp_arena *temporary)
{
    int count = c->blocks->count, suspects = 0;
    visit_entries(c, A, suspect);
    for (int i = 0; i < count; i++) {
        if (c->d[i] == 0.0)
            c->state[i] = SUSPECT;
        suspects += c->state[i];
    }
    if (suspects == 0)
        return PERP_SOLVED;
    perp_status status = list_couplings(c, A, temporary);
    if (status != PERP_SOLVED)
        return status;
    for (int i = 0; i < count; i++)
        if (c->state[i] && c->d[i] <= NEGLIGIBLE * strongest_coupling(c, i, 1))
            c->state[i] |= WITHOUT;
    for (int i = 0; i < count; i++) {
        if (!(c->state[i] & WITHOUT) && c->d[i] != 0.0)
            continue;
        c->state[i] |= WITHOUT;
        scaling->substituted++;
    }
    /* Only neighbours with a diagonal are read, and only others are written. */
    for (int i = 0; i < count; i++)
        if (c->state[i] & WITHOUT) {
            double d = strongest_coupling(c, i, 0);
            c->d[i] = d > 0.0 ? d : 1.0;
        }
    return PERP_SOLVED;
}

/* Blocks first .. last-1 that fit a batch, at least one; fills offset and start. */
static int next_batch(const perp_blocks *blocks, int first, int most, int *offset, size_t *start,
                      size_t *doubles)
{
    int k = first;
    size_t total = 0;
    while (k < blocks->count && k - first < most) {
        size_t dim = (size_t)blocks->at[k].dim;
        if (k > first && total + dim * dim > BATCH_DOUBLES)
            break;
        offset[k - first] = blocks->at[k].row;
        offset[k - first + 1] = blocks->at[k].row + blocks->at[k].dim;
        start[k - first] = total;
        total += dim * dim;
        k++;
    }
    *doubles = total;
    return k;
}

/* l of a ROLLING block, from |M_TT| and |M_RR|, R: all moments. */
static double rolling_length(double sliding, double rolling)
{
    double l = sqrt(sliding) / sqrt(rolling);
    return l > 0.0 && isfinite(l) ? l : 1.0;
}

/* |A|_2 of rows and columns first .. first + n - 1 of a block, n <= 3. */
static double part_norm(const double *A, int dim, int first, int n)
{
    double part[9];
    for (int i = 0; i < n * n; i++)
        part[i] = A[first + i % n + (first + i / n) * dim];
    return perp_small_norm2(part, n);
}

/* sqrt |A|_2 of a diagonal block; that of a ROLLING block is changed to its own unit. */
static double root_of(perp_block *block, double *A)
{
    int dim = block->dim, n = perp_rolling_rows(dim);
    if (block->set == PERP_ROLLING) {
        double sliding = part_norm(A, dim, 1, n);
        block->length = rolling_length(sliding, part_norm(A, dim, 1 + n, perp_rolling_turns(dim)));
        for (int i = 0; i < dim * dim; i++) {
            A[i] *= i % dim > n ? block->length : 1.0;
            A[i] *= i / dim > n ? block->length : 1.0;
        }
    }
    return sqrt(perp_small_norm2(A, dim));
}

/* 1 when the diagonal blocks are stored blocks of the matrix. */
static int are_stored(const perp_mat *A, const perp_blocks *blocks)
{
    return A->kind == PERP_BSR && blocks->uniform == A->as.bsr.block &&
           !(blocks->sets & 1u << PERP_ROLLING);
}

static void stored_roots(double *d, const perp_mat *A, const perp_blocks *blocks)
{
    const int *rowptr = A->as.bsr.rowptr, *col = A->as.bsr.col;
    int m = A->as.bsr.block;
    for (int k = 0; k < blocks->count; k++) {
        int p = rowptr[k], end = rowptr[k + 1];
        while (p < end && col[p] != k)
            p++;
        d[k] = p < end ? sqrt(perp_small_norm2(A->as.bsr.x + (size_t)(m * m) * (size_t)p, m)) : 0.0;
    }
}

/* d = sqrt |M_ii|_2, some blocks at a time so that little memory is needed. */
static perp_status diagonal_roots(double *d, const perp_mat *A, perp_blocks *blocks,
                                  const perp_allocator *allocator)
{
    enum { BATCH_BLOCKS = 4096 };
    char stack[PERP_ARENA_STACK];
    perp_arena arena;
    if (A->kind == PERP_DENSE && blocks->max_dim == 1) {
        for (int k = 0; k < blocks->count; k++)
            d[k] = sqrt(fabs(A->as.dense.x[(size_t)k * ((size_t)A->as.dense.ld + 1)]));
        return PERP_SOLVED;
    }
    if (are_stored(A, blocks)) {
        stored_roots(d, A, blocks);
        return PERP_SOLVED;
    }
    perp_arena_init_with(&arena, allocator, stack, sizeof stack);
    perp_status status = PERP_SOLVED;
    for (int first = 0; first < blocks->count && status == PERP_SOLVED;) {
        perp_arena_reset(&arena);
        int most = blocks->count - first < BATCH_BLOCKS ? blocks->count - first : BATCH_BLOCKS;
        int *offset = PERP_TAKE(&arena, int, most + 1);
        size_t *start = PERP_TAKE(&arena, size_t, most), doubles = 0;
        if (!offset || !start) {
            status = PERP_ERR_MEMORY;
            break;
        }
        int last = next_batch(blocks, first, most, offset, start, &doubles);
        double *x = PERP_TAKE(&arena, double, doubles);
        status = x ? perp_mat_diagonal_blocks(x, A, offset, start, last - first, allocator)
                   : PERP_ERR_MEMORY;
        for (int k = first; k < last && status == PERP_SOLVED; k++)
            d[k] = root_of(&blocks->at[k], x + start[k - first]);
        first = last;
    }
    perp_arena_free(&arena);
    return status;
}

/* Roots for an operator: its blocks are diagonal. */
static void operator_roots(double *d, const perp_mat *A, perp_blocks *blocks)
{
    for (int k = 0; k < blocks->count; k++) {
        perp_block *block = &blocks->at[k];
        const double *x = A->as.op.diagonal + block->row;
        double norm[3] = {0.0, 0.0, 0.0}; /* of the rows N (or all), T, R */
        int n = perp_rolling_rows(block->dim);
        for (int i = 0; i < block->dim; i++) {
            double *to = &norm[block->set != PERP_ROLLING || i == 0 ? 0 : i <= n ? 1 : 2];
            *to = fmax(*to, fabs(x[i]));
        }
        if (block->set == PERP_ROLLING)
            block->length = rolling_length(norm[1], norm[2]);
        norm[2] *= block->length * block->length;
        d[k] = sqrt(fmax(norm[0], fmax(norm[1], norm[2])));
    }
}

typedef double lanes __attribute__((vector_size(64), aligned(8), may_alias));

/* Sum of squares of values that lie in one piece. */
PERP_CLONES
static double squares(const double *x, size_t count)
{
    lanes sum = {0.0};
    double rest = 0.0;
    size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        lanes y = *(const lanes *)(x + i);
        sum += y * y;
    }
    for (; i < count; i++)
        rest += x[i] * x[i];
    for (int k = 0; k < 8; k++)
        rest += sum[k];
    return rest;
}

/* |A|_F^2 of an explicit matrix. */
static double frobenius2(const perp_mat *A)
{
    size_t rows = (size_t)A->rows, b = 1;
    double sum = 0.0;
    switch (A->kind) {
    case PERP_DENSE:
        if (A->as.dense.ld == A->rows)
            return squares(A->as.dense.x, rows * rows);
        for (size_t j = 0; j < rows; j++)
            sum += squares(A->as.dense.x + j * (size_t)A->as.dense.ld, rows);
        return sum;
    case PERP_CSC:
        return squares(A->as.csc.x, (size_t)A->as.csc.colptr[A->cols]);
    case PERP_BSR:
        b = (size_t)A->as.bsr.block;
        return squares(A->as.bsr.x, (size_t)A->as.bsr.rowptr[rows / b] * b * b);
    default:
        return INFINITY;
    }
}

/* No block can be negligible: the test of suspect() fails even for the least d_i d_j
 * and a bound of the largest entry.  Squares out of range decide nothing. */
static int all_clear(perp_scaling *scaling, const perp_mat *A, const perp_blocks *blocks)
{
    const double *d = scaling->d;
    double least = INFINITY, bound2 = frobenius2(A), longest = 1.0;
    for (int k = 0; k < blocks->count; k++) {
        least = d[k] < least ? d[k] : least;
        longest = blocks->at[k].length > longest ? blocks->at[k].length : longest;
    }
    least /= longest;
    if (bound2 > 1e-280) {
        scaling->norm[0] = sqrt(bound2);
        scaling->norm[1] = scaling->norm[0] / (least * least);
    }
    return bound2 > 1e-280 && bound2 < 1e280 &&
           least * least > 2.0 * NEGLIGIBLE * (double)blocks->max_dim * sqrt(bound2);
}

static perp_status substitute_known(perp_scaling *scaling, const perp_mat *A,
                                    const perp_blocks *blocks, const perp_allocator *allocator)
{
    char stack[PERP_ARENA_STACK];
    perp_arena temporary;
    if (all_clear(scaling, A, blocks))
        return PERP_SOLVED;
    perp_arena_init_with(&temporary, allocator, stack, sizeof stack);
    size_t count = (size_t)blocks->count;
    coupled c = {.blocks = blocks, .d = scaling->d};
    c.block_of = PERP_TAKE(&temporary, int, blocks->n);
    c.state = perp_arena_take_zero(&temporary, count, 1);
    c.start = perp_arena_take_zero(&temporary, count + 1, sizeof(size_t));
    perp_status status = PERP_ERR_MEMORY;
    if (c.block_of && c.state && c.start) {
        for (int k = 0; k < blocks->count; k++)
            for (int i = 0; i < blocks->at[k].dim; i++)
                c.block_of[blocks->at[k].row + i] = k;
        status = substitute(scaling, &c, A, &temporary);
    }
    perp_arena_free(&temporary);
    return status;
}

static perp_status update(perp_scaling *scaling, const perp_problem *problem, perp_blocks *blocks,
                          const perp_allocator *allocator)
{
    const perp_mat *A = &problem->M;
    scaling->substituted = scaling->sharp = 0;
    scaling->norm[0] = scaling->norm[1] = INFINITY;
    scaling->terms = 0.0;
    if (!scaling->d)
        return PERP_SOLVED;
    perp_status status = PERP_SOLVED;
    if (A->kind == PERP_OPERATOR)
        operator_roots(scaling->d, A, blocks);
    else
        status = diagonal_roots(scaling->d, A, blocks, allocator);
    if (status != PERP_SOLVED)
        return status;
    if (A->kind != PERP_OPERATOR && A->kind != PERP_DELASSUS)
        return substitute_known(scaling, A, blocks, allocator);
    for (int k = 0; k < blocks->count; k++)
        if (scaling->d[k] == 0.0) {
            scaling->d[k] = 1.0;
            scaling->substituted++;
        }
    return PERP_SOLVED;
}

perp_status perp_scaling_update(perp_scaling *scaling, const perp_problem *problem,
                                perp_blocks *blocks, const perp_allocator *allocator)
{
    perp_status status = update(scaling, problem, blocks, allocator);
    scaling->at_most = perp_rounding_at_most(problem, blocks, scaling);
    return status;
}

perp_status perp_scaling_build(perp_scaling *scaling, const perp_problem *problem,
                               perp_blocks *blocks, perp_arena *arena)
{
    perp_status status = PERP_SOLVED;
    *scaling = (perp_scaling){.norm = {INFINITY, INFINITY}};
    if (problem->M.kind != PERP_OPERATOR || problem->M.as.op.diagonal) {
        perp_allocator allocator = arena->allocator;
        scaling->d = PERP_TAKE(arena, double, blocks->count);
        status = scaling->d ? perp_scaling_update(scaling, problem, blocks, &allocator)
                            : PERP_ERR_MEMORY;
    }
    if (status != PERP_SOLVED)
        return status;
    size_t own = perp_rounding_work(&problem->M), product = perp_mat_scratch(&problem->M);
    scaling->low = PERP_TAKE(arena, double, (own > product ? own : product) + 1);
    return scaling->low ? PERP_SOLVED : PERP_ERR_MEMORY;
}
