/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "linalg/csc.h"

/* Blocks of each block row in rowptr[1 .. n]; returns their number, which the
 * number of entries bounds. */
static size_t count_blocks(int *rowptr, int *seen, const perp_csc *C, int block)
{
    size_t count = 0;
    for (int j = 0; j < C->cols; j++) {
        int stamp = j / block;
        for (int p = C->colptr[j]; p < C->colptr[j + 1]; p++) {
            int i = C->row[p] / block;
            if (seen[i] == stamp)
                continue;
            seen[i] = stamp;
            rowptr[i + 1]++;
            count++;
        }
    }
    return count;
}

static void fill_blocks(int *rowptr, int *col, double *x, int *seen, const perp_csc *C, int block)
{
    size_t size = (size_t)block * (size_t)block;
    /* Block columns in order, so that each block row is sorted; the last block
     * of a row is the one that the current column writes to. */
    for (int j = 0; j < C->cols; j++) {
        int stamp = j / block;
        for (int p = C->colptr[j]; p < C->colptr[j + 1]; p++) {
            int i = C->row[p] / block;
            if (seen[i] != stamp) {
                seen[i] = stamp;
                col[rowptr[i]++] = stamp;
            }
            size_t at = (size_t)(rowptr[i] - 1) * size;
            x[at + (size_t)(C->row[p] % block) + (size_t)(j % block) * (size_t)block] = C->x[p];
        }
    }
}

perp_status perp_bsr_from_csc(perp_mat *B, const perp_csc *C, int block, perp_arena *arena)
{
    if (C->rows != C->cols || block < 1 || block > 6 || C->rows % block != 0)
        return PERP_ERR_ARGUMENT;
    int n = C->rows / block;
    perp_arena local;
    perp_arena_init(&local, &arena->allocator);
    int *seen = PERP_TAKE(&local, int, n);
    int *rowptr = perp_arena_take_zero(arena, (size_t)n + 1, sizeof(int));
    if (!seen || !rowptr) {
        perp_arena_free(&local);
        return PERP_ERR_MEMORY;
    }
    memset(seen, 0xff, (size_t)n * sizeof(int));
    size_t count = count_blocks(rowptr, seen, C, block);

    int *col = PERP_TAKE(arena, int, count);
    double *x = perp_arena_take_zero(arena, count, (size_t)block * (size_t)block * sizeof(double));
    if (!col || !x) {
        perp_arena_free(&local);
        return PERP_ERR_MEMORY;
    }
    for (int i = 0; i < n; i++)
        rowptr[i + 1] += rowptr[i];
    memset(seen, 0xff, (size_t)n * sizeof(int));
    fill_blocks(rowptr, col, x, seen, C, block);
    memmove(rowptr + 1, rowptr, (size_t)n * sizeof(int));
    rowptr[0] = 0;
    perp_arena_free(&local);
    return perp_mat_init_bsr(B, n, block, rowptr, col, x);
}
