/* SPDX-License-Identifier: BSD-3-Clause */
/* K = mass + H R^-1 H' in body unknowns. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/mass.h"
#include "linalg/small.h"
#include "solvers/admm/shifted.h"

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* H by rows. */
static perp_status transpose(perp_shifted *shifted)
{
    const perp_mat *W = &shifted->work->problem->M;
    const int *colptr = W->as.delassus.colptr, *row = W->as.delassus.row;
    perp_arena *arena = shifted->work->arena;
    int dofs = W->as.delassus.dofs, entries = colptr[W->cols];
    shifted->rowptr = perp_arena_take_zero(arena, (size_t)dofs + 2, sizeof(int));
    shifted->from = PERP_TAKE(arena, int, entries);
    shifted->column_of = PERP_TAKE(arena, int, entries);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    int *next = shifted->rowptr + 1;
    for (int p = 0; p < entries; p++)
        next[row[p] + 1]++;
    for (int i = 0; i < dofs; i++)
        next[i + 1] += next[i];
    for (int j = 0; j < W->cols; j++)
        for (int p = colptr[j]; p < colptr[j + 1]; p++) {
            shifted->column_of[p] = j;
            shifted->from[next[row[p]]++] = p;
        }
    return PERP_SOLVED;
}

/* Rows of column i of K, to `out` unless it is NULL; returns their number. */
static int column_rows(int *out, perp_shifted *shifted, int i, int *stamp)
{
    const perp_mat *W = &shifted->work->problem->M;
    const perp_mass *mass = W->as.delassus.mass;
    const perp_mass_block *body = &mass->blocks[mass->block_of[i]];
    int count = 0;
    for (int k = 0; k < body->dim; k++) {
        int r = mass->dof[body->first + k];
        stamp[r] = i;
        if (out)
            out[count] = r;
        count++;
    }
    for (int e = shifted->rowptr[i]; e < shifted->rowptr[i + 1]; e++) {
        int j = shifted->column_of[shifted->from[e]];
        for (int p = W->as.delassus.colptr[j]; p < W->as.delassus.colptr[j + 1]; p++) {
            int r = W->as.delassus.row[p];
            if (stamp[r] == i)
                continue;
            stamp[r] = i;
            if (out)
                out[count] = r;
            count++;
        }
    }
    return count;
}

static perp_status build_pattern(perp_shifted *shifted, int *stamp)
{
    perp_arena *arena = shifted->work->arena;
    int dofs = shifted->work->problem->M.as.delassus.dofs;
    perp_csc *K = &shifted->K;
    size_t count = 0;
    K->rows = K->cols = dofs;
    K->colptr = PERP_TAKE(arena, int, (size_t)dofs + 1);
    if (!K->colptr)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < dofs; i++)
        stamp[i] = -1;
    for (int i = 0; i < dofs; i++) {
        K->colptr[i] = (int)count;
        count += (size_t)column_rows(NULL, shifted, i, stamp);
        if (count > INT_MAX)
            return PERP_ERR_OVERFLOW;
    }
    K->colptr[dofs] = (int)count;
    K->row = PERP_TAKE(arena, int, count);
    K->x = PERP_TAKE(arena, double, count);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < dofs; i++)
        stamp[i] = -1;
    for (int i = 0; i < dofs; i++) {
        int *out = K->row + K->colptr[i];
        column_rows(out, shifted, i, stamp);
        qsort(out, (size_t)(K->colptr[i + 1] - K->colptr[i]), sizeof(int), by_value);
    }
    return PERP_SOLVED;
}

perp_status perp_shifted_bodies_setup(perp_shifted *shifted)
{
    perp_work *work = shifted->work;
    const perp_mat *W = &work->problem->M;
    const perp_mass *mass = W->as.delassus.mass;
    size_t dofs = (size_t)W->as.delassus.dofs, inverses = 0;
    for (int b = 0; b < mass->nblocks; b++)
        inverses += (size_t)mass->blocks[b].dim * (size_t)mass->blocks[b].dim;
    shifted->masses = PERP_TAKE(work->arena, double, inverses);
    shifted->v = PERP_TAKE(work->arena, double, dofs);
    shifted->y = perp_arena_take_zero(work->arena, dofs, sizeof(double));
    if (work->arena->failed)
        return PERP_ERR_MEMORY;
    perp_status status = transpose(shifted);
    if (status != PERP_SOLVED)
        return status;
    perp_arena temporary;
    perp_arena_init(&temporary, &work->arena->allocator);
    int *stamp = PERP_TAKE(&temporary, int, dofs);
    status = stamp ? build_pattern(shifted, stamp) : PERP_ERR_MEMORY;
    perp_arena_free(&temporary);
    return status == PERP_SOLVED ? perp_shifted_bodies_load(shifted) : status;
}

/* 1 when H has the entries that the pattern was made from. */
static int same_pattern(const perp_shifted *shifted)
{
    const perp_mat *W = &shifted->work->problem->M;
    const int *row = W->as.delassus.row, *colptr = W->as.delassus.colptr;
    for (int i = 0; i < W->as.delassus.dofs; i++)
        for (int e = shifted->rowptr[i]; e < shifted->rowptr[i + 1]; e++) {
            int p = shifted->from[e], j = shifted->column_of[p];
            if (row[p] != i || p < colptr[j] || p >= colptr[j + 1])
                return 0;
        }
    return 1;
}

perp_status perp_shifted_bodies_load(perp_shifted *shifted)
{
    const perp_mass *mass = shifted->work->problem->M.as.delassus.mass;
    if (!same_pattern(shifted))
        return PERP_ERR_STATE;
    size_t at = 0;
    for (int b = 0; b < mass->nblocks; b++) {
        int dim = mass->blocks[b].dim;
        if (!perp_small_invert(shifted->masses + at, mass->inverses + mass->blocks[b].inverse, dim))
            return PERP_ERR_SINGULAR;
        at += (size_t)dim * (size_t)dim;
    }
    return PERP_SOLVED;
}

/* Column i of H R^-1 H' is added to y. */
static void add_column(perp_shifted *shifted, int i)
{
    const perp_mat *W = &shifted->work->problem->M;
    const double *x = W->as.delassus.x;
    for (int e = shifted->rowptr[i]; e < shifted->rowptr[i + 1]; e++) {
        int j = shifted->column_of[shifted->from[e]];
        double factor = x[shifted->from[e]] / shifted->shift[j];
        for (int p = W->as.delassus.colptr[j]; p < W->as.delassus.colptr[j + 1]; p++)
            shifted->y[W->as.delassus.row[p]] += factor * x[p];
    }
}

void perp_shifted_bodies_fill(perp_shifted *shifted)
{
    const perp_mass *mass = shifted->work->problem->M.as.delassus.mass;
    perp_csc *K = &shifted->K;
    size_t at = 0;
    for (int b = 0; b < mass->nblocks; b++) {
        const perp_mass_block *body = &mass->blocks[b];
        const int *dof = mass->dof + body->first;
        for (int c = 0; c < body->dim; c++) {
            int i = dof[c];
            for (int r = 0; r < body->dim; r++)
                shifted->y[dof[r]] = shifted->masses[at + (size_t)(r + c * body->dim)];
            add_column(shifted, i);
            for (int p = K->colptr[i]; p < K->colptr[i + 1]; p++) {
                K->x[p] = shifted->y[K->row[p]];
                shifted->y[K->row[p]] = 0.0;
            }
        }
        at += (size_t)body->dim * (size_t)body->dim;
    }
}

void perp_shifted_bodies_solve(double *x, perp_shifted *shifted, const double *b)
{
    const perp_mat *W = &shifted->work->problem->M;
    const int *row = W->as.delassus.row, *colptr = W->as.delassus.colptr;
    const double *h = W->as.delassus.x;
    double *v = shifted->v;
    memset(v, 0, (size_t)W->as.delassus.dofs * sizeof(double));
    for (int j = 0; j < W->cols; j++) {
        double t = b[j] / shifted->shift[j];
        for (int p = colptr[j]; p < colptr[j + 1]; p++)
            v[row[p]] += h[p] * t;
    }
    perp_factor_solve(shifted->factor, v);
    for (int j = 0; j < W->cols; j++) {
        double t = b[j];
        for (int p = colptr[j]; p < colptr[j + 1]; p++)
            t -= h[p] * v[row[p]];
        x[j] = t / shifted->shift[j];
    }
}
