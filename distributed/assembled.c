/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix without bodies becomes one with them, which costs unknowns and nothing else.
 *
 * Each pair of blocks that is coupled has a body of its own, with the unknowns of both and
 *     N^-1 = [s_k 1, M_kj; M_jk, s_j 1],      s_k s_j > |M_kj| |M_jk|,
 * and each block one with N^-1 = M_kk - t_k 1, t_k being the sum of its s_k: H has ones alone, and
 * the sum over the bodies is M.  Where a pair lies in two ranks, schwarz divides its mass, that is,
 * it counts 2 s_k for the coupling: a bound of what the other rank may do, as with real bodies.
 * With s_k = 3/2 |M_kj| + 2 |M_kk| / (number of pairs) all of these are well conditioned, since t_k
 * is at least twice |M_kk|; rounding is that of numbers a few times as large as M_kk. */
#include "distributed/assembled.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/small.h"

enum { ROWS_MOST = PERP_ASSEMBLED_ROWS, BODY_ROWS = 2 * ROWS_MOST };

/* A coupling of blocks k < j, or a block with itself (k == j). */
typedef struct body {
    int k, j, first; /* first: its unknowns */
    size_t at;       /* its matrix, column-major, in x */
    int left_out;    /* 1: a block of zeros that nothing is coupled to */
} body;

typedef struct factoring {
    const perp_blocks *blocks;
    int *block_of_row, *pairs_of; /* pairs of a block */
    uint64_t *key;
    size_t keys;
    body *bodies;
    int count, unknowns;
    double *x, *shift; /* shift: t_k */
} factoring;

typedef void (*visitor)(factoring *f, int row, int col, double x);

static void visit(factoring *f, const perp_mat *A, visitor to)
{
    if (A->kind == PERP_DENSE)
        for (int j = 0; j < A->cols; j++)
            for (int i = 0; i < A->rows; i++)
                to(f, i, j, A->as.dense.x[(size_t)i + (size_t)j * (size_t)A->as.dense.ld]);
    if (A->kind == PERP_CSC)
        for (int j = 0; j < A->cols; j++)
            for (int p = A->as.csc.colptr[j]; p < A->as.csc.colptr[j + 1]; p++)
                to(f, A->as.csc.row[p], j, A->as.csc.x[p]);
    if (A->kind == PERP_BSR)
        for (int b = A->as.bsr.block, i = 0; i < A->rows / b; i++)
            for (int p = A->as.bsr.rowptr[i]; p < A->as.bsr.rowptr[i + 1]; p++)
                for (int e = 0; e < b * b; e++)
                    to(f, i * b + e % b, A->as.bsr.col[p] * b + e / b,
                       A->as.bsr.x[(size_t)p * (size_t)(b * b) + (size_t)e]);
}

static uint64_t key_of(const factoring *f, int row, int col)
{
    uint64_t a = (uint64_t)f->block_of_row[row], b = (uint64_t)f->block_of_row[col];
    return a < b ? a << 32 | b : b << 32 | a;
}

static void count_key(factoring *f, int row, int col, double x)
{
    f->keys += x != 0.0 && f->block_of_row[row] != f->block_of_row[col];
}

static void store_key(factoring *f, int row, int col, double x)
{
    if (x != 0.0 && f->block_of_row[row] != f->block_of_row[col])
        f->key[f->keys++] = key_of(f, row, col);
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Pairs, each once, ascending. */
static perp_status list_pairs(factoring *f, const perp_mat *A, perp_arena *arena)
{
    visit(f, A, count_key);
    f->key = PERP_TAKE(arena, uint64_t, f->keys);
    if (!f->key)
        return PERP_ERR_MEMORY;
    f->keys = 0;
    visit(f, A, store_key);
    qsort(f->key, f->keys, sizeof *f->key, by_key);
    size_t kept = 0;
    for (size_t i = 0; i < f->keys; i++)
        if (i == 0 || f->key[i] != f->key[i - 1])
            f->key[kept++] = f->key[i];
    f->keys = kept;
    return PERP_SOLVED;
}

static int rows_of(const factoring *f, const body *b)
{
    int rows = f->blocks->at[b->k].dim;
    return b->j == b->k ? rows : rows + f->blocks->at[b->j].dim;
}

/* Bodies: first one of each block, then the pairs. */
static perp_status list_bodies(factoring *f, perp_arena *arena)
{
    size_t count = (size_t)f->blocks->count + f->keys, doubles = 0, unknowns = 0;
    if (count > INT_MAX / 2)
        return PERP_ERR_OVERFLOW;
    f->bodies = PERP_TAKE(arena, body, count);
    f->pairs_of = perp_arena_take_zero(arena, (size_t)f->blocks->count, sizeof(int));
    f->shift = perp_arena_take_zero(arena, (size_t)f->blocks->count, sizeof(double));
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        int own = i < (size_t)f->blocks->count;
        uint64_t key = own ? 0 : f->key[i - (size_t)f->blocks->count];
        body *b = &f->bodies[i];
        *b = (body){own ? (int)i : (int)(key >> 32), own ? (int)i : (int)(key & 0xffffffffu),
                    (int)unknowns, doubles, 0};
        int rows = rows_of(f, b);
        doubles += (size_t)(rows * rows);
        unknowns += (size_t)rows;
        if (unknowns > INT_MAX / BODY_ROWS)
            return PERP_ERR_OVERFLOW;
        f->pairs_of[b->k] += !own;
        f->pairs_of[b->j] += !own;
    }
    f->count = (int)count;
    f->unknowns = (int)unknowns;
    f->x = perp_arena_take_zero(arena, doubles, sizeof(double));
    return f->x ? PERP_SOLVED : PERP_ERR_MEMORY;
}

static void store_entry(factoring *f, int row, int col, double x)
{
    int k = f->block_of_row[row], j = f->block_of_row[col];
    size_t number = (size_t)k;
    if (x == 0.0)
        return;
    if (k != j) {
        uint64_t key = key_of(f, row, col);
        const uint64_t *at = bsearch(&key, f->key, f->keys, sizeof key, by_key);
        number = (size_t)f->blocks->count + (size_t)(at - f->key);
    }
    const body *b = &f->bodies[number];
    int rows = rows_of(f, b), second = f->blocks->at[b->k].dim;
    int i = row - f->blocks->at[k].row + (k != b->k ? second : 0);
    int c = col - f->blocks->at[j].row + (j != b->k ? second : 0);
    f->x[b->at + (size_t)(i + c * rows)] = x;
}

/* Frobenius norm. */
static double norm_of(const double *x, int count)
{
    double norm = 0.0;
    for (int i = 0; i < count; i++)
        norm = hypot(norm, x[i]);
    return norm;
}

/* Adds s to the diagonals of the pairs and takes their sums from those of the blocks. */
static void shift_diagonals(factoring *f)
{
    for (int n = f->blocks->count; n < f->count; n++) {
        const body *b = &f->bodies[n];
        int rows = rows_of(f, b), first = f->blocks->at[b->k].dim;
        double *x = f->x + b->at, coupling = norm_of(x, rows * rows);
        for (int side = 0; side < 2; side++) {
            int k = side ? b->j : b->k, dim = f->blocks->at[k].dim;
            double own = norm_of(f->x + f->bodies[k].at, dim * dim);
            double s = 1.5 * coupling + 2.0 * own / f->pairs_of[k];
            for (int i = side ? first : 0; i < (side ? rows : first); i++)
                x[i + i * rows] = s;
            f->shift[k] += s;
        }
    }
    for (int k = 0; k < f->blocks->count; k++)
        for (int dim = f->blocks->at[k].dim, i = 0; i < dim; i++)
            f->x[f->bodies[k].at + (size_t)(i + i * dim)] -= f->shift[k];
}

/* N from N^-1, in place. */
static perp_status invert(factoring *f)
{
    for (int n = 0; n < f->count; n++) {
        body *b = &f->bodies[n];
        int rows = rows_of(f, b);
        double inverse[BODY_ROWS * BODY_ROWS], *x = f->x + b->at;
        b->left_out = norm_of(x, rows * rows) == 0.0;
        for (int i = 0; i < rows && b->left_out; i++)
            x[i + i * rows] = 1.0;
        if (!perp_small_invert(inverse, x, rows))
            return PERP_ERR_UNSUPPORTED;
        memcpy(x, inverse, (size_t)(rows * rows) * sizeof *x);
    }
    return PERP_SOLVED;
}

static perp_status make_mass(perp_factored *made, const factoring *f, perp_arena *arena)
{
    size_t entries = 0;
    for (int n = 0; n < f->count; n++)
        entries += (size_t)rows_of(f, &f->bodies[n]) * (size_t)rows_of(f, &f->bodies[n]);
    if (entries > INT_MAX)
        return PERP_ERR_OVERFLOW;
    int *colptr = PERP_TAKE(arena, int, f->unknowns + 1), *row = PERP_TAKE(arena, int, entries);
    made->block_of = PERP_TAKE(arena, int, f->unknowns);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    int at = 0;
    for (int n = 0; n < f->count; n++) {
        const body *b = &f->bodies[n];
        for (int rows = rows_of(f, b), c = 0; c < rows; c++) {
            colptr[b->first + c] = at;
            made->block_of[b->first + c] = b->k;
            for (int i = 0; i < rows; i++)
                row[at++] = b->first + i;
        }
    }
    colptr[f->unknowns] = at;
    return perp_mat_init_csc(&made->mass, f->unknowns, f->unknowns, colptr, row, f->x);
}

/* Ones: row i of a block at its unknown in each body of the block. */
static perp_status make_H(perp_factored *made, const factoring *f, perp_arena *arena)
{
    int n = f->blocks->n, *colptr = perp_arena_take_zero(arena, (size_t)n + 2, sizeof(int));
    int *row = PERP_TAKE(arena, int, f->unknowns);
    double *x = PERP_TAKE(arena, double, f->unknowns);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int store = 0; store < 2; store++) {
        for (int b = 0; b < f->count; b++)
            for (int side = 0, at = f->bodies[b].first; side < (b < f->blocks->count ? 1 : 2);
                 side++) {
                const perp_block *block = &f->blocks->at[side ? f->bodies[b].j : f->bodies[b].k];
                for (int i = block->row; i < block->row + block->dim; i++, at++) {
                    if (!store) {
                        colptr[i + 2]++;
                        continue;
                    }
                    x[colptr[i + 1]] = f->bodies[b].left_out ? 0.0 : 1.0;
                    row[colptr[i + 1]++] = at;
                }
            }
        for (int i = 0; !store && i < n; i++)
            colptr[i + 2] += colptr[i + 1];
    }
    made->W = (perp_mat){.kind = PERP_DELASSUS, .rows = n, .cols = n};
    made->W.as.delassus.dofs = f->unknowns;
    made->W.as.delassus.colptr = colptr;
    made->W.as.delassus.row = row;
    made->W.as.delassus.x = x;
    return PERP_SOLVED;
}

perp_status perp_factor_assembled(perp_factored *made, const perp_problem *whole,
                                  const perp_blocks *blocks, perp_arena *arena)
{
    factoring f = {.blocks = blocks};
    const perp_mat *A = &whole->M;
    if ((A->kind != PERP_DENSE && A->kind != PERP_CSC && A->kind != PERP_BSR) ||
        blocks->max_dim > ROWS_MOST)
        return PERP_ERR_UNSUPPORTED;
    f.block_of_row = PERP_TAKE(arena, int, blocks->n);
    if (!f.block_of_row)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < blocks->count; k++)
        for (int i = 0; i < blocks->at[k].dim; i++)
            f.block_of_row[blocks->at[k].row + i] = k;
    perp_status status = list_pairs(&f, A, arena);
    if (status == PERP_SOLVED)
        status = list_bodies(&f, arena);
    if (status != PERP_SOLVED)
        return status;
    visit(&f, A, store_entry);
    shift_diagonals(&f);
    status = invert(&f);
    if (status == PERP_SOLVED)
        status = make_mass(made, &f, arena);
    return status == PERP_SOLVED ? make_H(made, &f, arena) : status;
}
