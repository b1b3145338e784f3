/* SPDX-License-Identifier: BSD-3-Clause */
#include "problem/islands.h"

#include "linalg/mass.h"
#include "linalg/partition.h"

typedef struct graph {
    int *parent; /* by block */
    int *of_row; /* block of a row */
} graph;

static void join_rows(graph *g, int i, int j)
{
    if (g->of_row[i] != g->of_row[j])
        perp_partition_join(g->parent, g->of_row[i], g->of_row[j]);
}

static void join_dense(graph *g, const perp_mat *M)
{
    for (int j = 0; j < M->cols; j++) {
        const double *x = M->as.dense.x + (size_t)j * (size_t)M->as.dense.ld;
        for (int i = 0; i < M->rows; i++)
            if (x[i] != 0.0)
                join_rows(g, i, j);
    }
}

static void join_csc(graph *g, const perp_mat *M)
{
    for (int j = 0; j < M->cols; j++)
        for (int p = M->as.csc.colptr[j]; p < M->as.csc.colptr[j + 1]; p++)
            join_rows(g, M->as.csc.row[p], j);
}

/* A stored block couples all its rows and columns. */
static void join_bsr(graph *g, const perp_mat *M)
{
    int m = M->as.bsr.block;
    for (int i = 0; i < M->rows / m; i++)
        for (int p = M->as.bsr.rowptr[i]; p < M->as.bsr.rowptr[i + 1]; p++)
            for (int k = 0; k < m; k++) {
                join_rows(g, i * m + k, i * m);
                join_rows(g, M->as.bsr.col[p] * m + k, i * m);
            }
}

/* Component of the mass in which an unknown lies. */
static size_t component_of(const perp_mass *mass, int unknown)
{
    if (mass->block_of[unknown] >= 0)
        return (size_t)mass->block_of[unknown];
    int large = mass->large[mass->place[unknown] - (mass->n - mass->nsparse)];
    return (size_t)mass->nblocks + (size_t)large;
}

static perp_status join_delassus(graph *g, const perp_mat *M, perp_arena *arena)
{
    const perp_mass *mass = M->as.delassus.mass;
    size_t count = (size_t)mass->nblocks + (size_t)mass->n;
    int *named = PERP_TAKE(arena, int, count); /* 1 + the row that named a component first */
    if (!named)
        return PERP_ERR_MEMORY;
    for (size_t c = 0; c < count; c++)
        named[c] = 0;
    for (int j = 0; j < M->cols; j++)
        for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++) {
            size_t c = component_of(mass, M->as.delassus.row[p]);
            if (named[c])
                join_rows(g, j, named[c] - 1);
            else
                named[c] = j + 1;
        }
    return PERP_SOLVED;
}

static perp_status join_all(graph *g, const perp_mat *M, perp_arena *arena)
{
    switch (M->kind) {
    case PERP_DENSE:
        join_dense(g, M);
        return PERP_SOLVED;
    case PERP_CSC:
        join_csc(g, M);
        return PERP_SOLVED;
    case PERP_BSR:
        join_bsr(g, M);
        return PERP_SOLVED;
    case PERP_DELASSUS:
        return join_delassus(g, M, arena);
    default:
        for (int i = 1; i < M->rows; i++)
            join_rows(g, i, 0);
        return PERP_SOLVED;
    }
}

/* Counting sort of the blocks by their islands; `of` is written. */
static void list_islands(perp_islands *islands, int *of, int *parent, int count)
{
    islands->count = 0;
    for (int k = 0; k < count; k++) {
        int root = perp_partition_root(parent, k);
        of[k] = root == k ? islands->count++ : of[root];
        if (root == k)
            islands->first[of[k]] = 0;
        islands->first[of[k]]++;
    }
    int at = 0;
    for (int i = 0; i < islands->count; i++) {
        int members = islands->first[i];
        islands->first[i] = at;
        at += members;
    }
    for (int k = 0; k < count; k++)
        islands->block[islands->first[of[k]]++] = k;
    for (int i = islands->count; i > 0; i--)
        islands->first[i] = islands->first[i - 1];
    islands->first[0] = 0;
}

perp_status perp_islands_find(perp_islands *islands, const perp_mat *M, const perp_blocks *blocks,
                              perp_arena *arena)
{
    int count = blocks->count;
    graph g = {PERP_TAKE(arena, int, count), PERP_TAKE(arena, int, blocks->n)};
    int *of = PERP_TAKE(arena, int, count);
    islands->first = PERP_TAKE(arena, int, (size_t)count + 1);
    islands->block = PERP_TAKE(arena, int, count);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    perp_partition_start(g.parent, count);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < blocks->at[k].dim; i++)
            g.of_row[blocks->at[k].row + i] = k;
    perp_status status = join_all(&g, M, arena);
    if (status == PERP_SOLVED)
        list_islands(islands, of, g.parent, count);
    return status;
}
