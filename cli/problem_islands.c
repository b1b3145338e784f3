/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/problem_islands.h"

#include <stdlib.h>
#include <string.h>

typedef void (*entry_fn)(void *ctx, int row, int col);

static void each_of_bsr(const perp_mat *A, entry_fn fn, void *ctx)
{
    int b = A->as.bsr.block;

    for (int i = 0; i < A->rows / b; i++)
        for (int k = A->as.bsr.rowptr[i]; k < A->as.bsr.rowptr[i + 1]; k++)
            for (int e = 0; e < b * b; e++)
                if (A->as.bsr.x[(size_t)k * (size_t)(b * b) + (size_t)e] != 0.0)
                    fn(ctx, b * i + e % b, b * A->as.bsr.col[k] + e / b);
}

static void each_column(const int *colptr, const int *row, const double *x, int cols, entry_fn fn,
                        void *ctx)
{
    for (int j = 0; j < cols; j++)
        for (int k = colptr[j]; k < colptr[j + 1]; k++)
            if (x[k] != 0.0)
                fn(ctx, row[k], j);
}

/* Entries that are not 0; of a product those of H. */
static void each_entry(const perp_mat *A, entry_fn fn, void *ctx)
{
    switch (A->kind) {
    case PERP_DENSE:
        for (int j = 0; j < A->cols; j++)
            for (int i = 0; i < A->rows; i++)
                if (A->as.dense.x[(size_t)i + (size_t)j * (size_t)A->as.dense.ld] != 0.0)
                    fn(ctx, i, j);
        break;
    case PERP_CSC:
        each_column(A->as.csc.colptr, A->as.csc.row, A->as.csc.x, A->cols, fn, ctx);
        break;
    case PERP_BSR:
        each_of_bsr(A, fn, ctx);
        break;
    case PERP_DELASSUS:
        each_column(A->as.delassus.colptr, A->as.delassus.row, A->as.delassus.x, A->cols, fn, ctx);
        break;
    default:
        break;
    }
}

typedef struct grid {
    int *cells, size, rows, cols;
} grid;

static void count_cell(void *ctx, int row, int col)
{
    const grid *g = ctx;
    int i = (int)((long long)row * g->size / g->rows), j = (int)((long long)col * g->size / g->cols);

    g->cells[i * g->size + j]++;
}

void perp_matrix_cells(int *cells, int size, const perp_mat *A)
{
    grid g = {cells, size, A->kind == PERP_DELASSUS ? A->as.delassus.dofs : A->rows, A->cols};

    memset(cells, 0, (size_t)size * (size_t)size * sizeof *cells);
    each_entry(A, count_cell, &g);
}

/* Sets that grow together: blocks first, then degrees of freedom. */
typedef struct sets {
    int *up;
    const int *block_of;
    int blocks, product;
} sets;

static int root_of(sets *s, int k)
{
    while (s->up[k] != k)
        k = s->up[k] = s->up[s->up[k]];
    return k;
}

static void join(sets *s, int a, int b)
{
    a = root_of(s, a);
    b = root_of(s, b);
    if (a < b)
        s->up[b] = a;
    else
        s->up[a] = b;
}

static void join_entry(void *ctx, int row, int col)
{
    sets *s = ctx;

    join(s, s->product ? s->blocks + row : s->block_of[row], s->block_of[col]);
}

static void join_mass(void *ctx, int row, int col)
{
    sets *s = ctx;

    join(s, s->blocks + row, s->blocks + col);
}

int perp_problem_islands(int *island, const perp_problem *problem, const int *block_of, int blocks,
                         const perp_mat *mass)
{
    const perp_mat *M = &problem->M;
    sets s = {NULL, block_of, blocks, M->kind == PERP_DELASSUS};
    size_t all = (size_t)blocks + (size_t)(s.product ? M->as.delassus.dofs : 0);
    int count = 0;

    if (M->kind == PERP_OPERATOR)
        return 0;
    s.up = malloc((all + 1) * sizeof *s.up);
    if (s.up == NULL)
        return -1;
    for (size_t k = 0; k < all; k++)
        s.up[k] = (int)k;
    each_entry(M, join_entry, &s);
    if (s.product && mass != NULL && mass->rows == M->as.delassus.dofs)
        each_entry(mass, join_mass, &s);
    for (int k = 0; k < blocks; k++) {
        int root = root_of(&s, k); /* the first of its set */
        island[k] = root == k ? count++ : island[root];
    }
    free(s.up);
    return count;
}
