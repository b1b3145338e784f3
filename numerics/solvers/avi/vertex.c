/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/avi/vertex.h"

#include <math.h>
#include <string.h>

/* Entry (i, j) of a sorted matrix. */
static double entry(const perp_csc *M, int i, int j)
{
    for (int p = M->colptr[j]; p < M->colptr[j + 1]; p++)
        if (M->row[p] == i)
            return M->x[p];
    return 0.0;
}

/* FREE and NONNEG rows alone, no entry between multipliers, A below and -A' beside. */
int perp_is_polyhedral(const perp_csc *M, const perp_blocks *blocks)
{
    int multipliers = 0;
    for (int i = 0; i < blocks->n; i++) {
        multipliers += blocks->at[i].set == PERP_NONNEG;
        if (blocks->at[i].set != PERP_FREE && blocks->at[i].set != PERP_NONNEG)
            return 0;
    }
    for (int j = 0; j < blocks->n; j++) {
        int dual = blocks->at[j].set == PERP_NONNEG;
        for (int p = M->colptr[j]; p < M->colptr[j + 1]; p++) {
            int below = blocks->at[M->row[p]].set == PERP_NONNEG;
            if (dual && below && M->x[p] != 0.0)
                return 0;
            if (dual != below && M->x[p] != -entry(M, j, M->row[p]))
                return 0;
        }
    }
    return multipliers > 0 && multipliers < blocks->n;
}

/* min e.(A z) s.t. A z >= b: bounded, and its basis has all z where A has full rank. */
static perp_status solve(unsigned char *first, const perp_csc *M, const double *q,
                         const perp_blocks *blocks, const perp_lp_table *table, perp_arena *arena)
{
    size_t n = (size_t)blocks->n, entries = (size_t)M->colptr[n];
    int rows = 0, cols = 0, at = 0;
    int *place = PERP_TAKE(arena, int, n), *colptr = PERP_TAKE(arena, int, n + 1);
    int *row = PERP_TAKE(arena, int, entries), *basic = PERP_TAKE(arena, int, n);
    int *origin = PERP_TAKE(arena, int, n);
    double *x = PERP_TAKE(arena, double, entries), *cost = PERP_TAKE(arena, double, n);
    double *lo = PERP_TAKE(arena, double, n), *hi = PERP_TAKE(arena, double, n);
    double *right = PERP_TAKE(arena, double, n), *found = PERP_TAKE(arena, double, n);
    char *sense = PERP_TAKE(arena, char, n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        first[i] = blocks->at[i].set == PERP_FREE;
        place[i] = first[i] ? -1 : rows;
        if (!first[i]) {
            origin[rows] = (int)i;
            sense[rows] = '>';
            right[rows++] = -q[i];
        }
    }
    for (size_t j = 0; j < n; j++) {
        if (!first[j])
            continue;
        colptr[cols] = at;
        cost[cols] = 0.0;
        lo[cols] = -INFINITY;
        hi[cols] = INFINITY;
        for (int p = M->colptr[j]; p < M->colptr[j + 1]; p++) {
            if (place[M->row[p]] < 0)
                continue;
            row[at] = place[M->row[p]];
            cost[cols] += M->x[p];
            x[at++] = M->x[p];
        }
        cols++;
    }
    colptr[cols] = at;
    const perp_lp_program program = {rows, cols, colptr, row, x, cost, sense, right, lo, hi, NULL};
    const perp_lp_control control = {.iterations = 1000 + 100L * blocks->n};
    perp_lp_answer answer = {.x = found, .basic = basic};
    perp_lp_outcome outcome =
        cols > rows ? PERP_LP_FAILED : table->solve(&program, &control, &answer);
    if (outcome != PERP_LP_OPTIMAL)
        return outcome == PERP_LP_NO_MEMORY ? PERP_ERR_MEMORY : PERP_STALLED;
    int met = 0;
    for (int k = 0; k < rows; k++)
        first[origin[k]] = 1;
    for (int k = 0; k < rows; k++) {
        met += basic[k] < cols;
        if (basic[k] >= cols)
            first[origin[basic[k] - cols]] = 0;
    }
    return met == cols ? PERP_SOLVED : PERP_STALLED;
}

perp_status perp_polyhedron_vertex(unsigned char *first, const perp_csc *M, const double *q,
                                   const perp_blocks *blocks, const perp_lp_table *table,
                                   const perp_allocator *allocator)
{
    perp_arena arena;
    perp_arena_init(&arena, allocator);
    perp_status status = solve(first, M, q, blocks, table, &arena);
    perp_arena_free(&arena);
    return status;
}
