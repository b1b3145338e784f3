/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/pivoting/free_rows.h"

#include <math.h>
#include <string.h>

/* A pivot of the block below this is no pivot. */
static const double least_pivot = 1e-7;

size_t perp_free_rows_bytes(size_t size, size_t count)
{
    size_t bytes = size * (sizeof(int) + 1 + sizeof(double)) + 6 * 64;
    if (count > 0)
        bytes += count * (sizeof(int) + count * sizeof(double)) + perp_tableau_bytes(size);
    return bytes;
}

perp_status perp_free_rows_take(perp_free_rows *rows, const perp_lcp *lcp, perp_arena *arena)
{
    size_t count = 0;
    for (int i = 0; i < lcp->size; i++)
        count += lcp->kind[i] == PERP_LCP_FREE;
    *rows = (perp_free_rows){.lcp = lcp, .count = (int)count};
    rows->basic = PERP_TAKE(arena, int, lcp->size);
    rows->open = PERP_TAKE(arena, unsigned char, lcp->size);
    rows->multipliers = PERP_TAKE(arena, double, lcp->size);
    if (count > 0) {
        rows->row = PERP_TAKE(arena, int, count);
        rows->block = perp_arena_take(arena, count, count * sizeof(double));
        if (perp_tableau_take(&rows->tableau, lcp, arena) != PERP_SOLVED)
            return PERP_ERR_MEMORY;
    }
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static void swap(double *a, double *b, size_t n, size_t stride)
{
    for (size_t k = 0; k < n; k++) {
        double keep = a[k * stride];
        a[k * stride] = b[k * stride];
        b[k * stride] = keep;
    }
}

/* Elimination with complete pivoting; 1: all pivots are large enough. */
static int is_regular(double *a, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t row = k, col = k;
        for (size_t j = k; j < n; j++)
            for (size_t i = k; i < n; i++)
                if (fabs(a[i + j * n]) > fabs(a[row + col * n])) {
                    row = i;
                    col = j;
                }
        if (!(fabs(a[row + col * n]) > least_pivot))
            return 0;
        swap(a + k, a + row, n, n);
        swap(a + k * n, a + col * n, n, 1);
        for (size_t i = k + 1; i < n; i++)
            a[i + k * n] /= a[k + k * n];
        for (size_t j = k + 1; j < n; j++)
            for (size_t i = k + 1; a[k + j * n] != 0.0 && i < n; i++)
                a[i + j * n] -= a[i + k * n] * a[k + j * n];
    }
    return 1;
}

/* All free x take the places of their y. */
static int take_block(perp_free_rows *rows)
{
    const perp_lcp *lcp = rows->lcp;
    size_t N = (size_t)lcp->size, F = (size_t)rows->count, f = 0;
    for (int i = 0; i < lcp->size; i++) {
        rows->basic[i] = lcp->size + i;
        rows->open[i] = 0;
        if (lcp->kind[i] == PERP_LCP_FREE)
            rows->row[f++] = i;
    }
    for (size_t j = 0; j < F; j++)
        for (size_t i = 0; i < F; i++)
            rows->block[i + j * F] = lcp->a[(size_t)rows->row[i] + (size_t)rows->row[j] * N];
    if (!is_regular(rows->block, F))
        return 0;
    for (size_t j = 0; j < F; j++) {
        rows->basic[rows->row[j]] = rows->row[j];
        rows->open[rows->row[j]] = 1;
    }
    return 1;
}

perp_free_end perp_free_rows_start(perp_free_rows *rows, int (*go_on)(void *ctx), void *ctx,
                                   int *stopped, int *left)
{
    perp_tableau *tableau = &rows->tableau;
    size_t N = (size_t)rows->lcp->size;
    int row;
    *stopped = *left = 0;
    if (take_block(rows))
        return PERP_FREE_DONE;
    perp_tableau_reset(tableau);
    while (!*stopped && perp_tableau_eliminate_free(tableau))
        *stopped = !go_on(ctx);
    *left = perp_tableau_unmet(tableau, &row);
    memcpy(rows->basic, tableau->basic, N * sizeof(int));
    memcpy(rows->open, tableau->open, N);
    if (row < 0)
        return PERP_FREE_DONE;
    perp_tableau_multipliers(rows->multipliers, tableau, row);
    for (size_t i = 0; tableau->value[row] > 0.0 && i < N; i++)
        rows->multipliers[i] = -rows->multipliers[i];
    return PERP_FREE_CONTRADICTED;
}
