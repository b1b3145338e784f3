/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/sparse.h"

/* Block columns of each block row, ascending.  With bcol NULL the blocks are
 * only counted into next. */
static int place_blocks(int *next, int *last, int *bcol, const perp_mat *C, int block)
{
    int blocks = 0, nb = C->rows / block;
    for (int i = 0; i < nb; i++)
        last[i] = -1;
    for (int j = 0; j < C->cols; j++)
        for (int p = C->as.csc.colptr[j]; p < C->as.csc.colptr[j + 1]; p++) {
            int bi = C->as.csc.row[p] / block;
            if (last[bi] == j / block)
                continue;
            last[bi] = j / block;
            blocks++;
            if (bcol)
                bcol[next[bi]] = j / block;
            next[bi]++;
        }
    return blocks;
}

/* Values of block column J, whose blocks stand at at[block row]. */
static void fill_blocks(double *x, int *at, const int *rowptr, const int *bcol, const perp_mat *C,
                        int block)
{
    int nb = C->rows / block;
    size_t area = (size_t)block * (size_t)block;
    for (int i = 0; i < nb; i++)
        at[i] = rowptr[i];
    for (int j = 0; j < C->cols; j++)
        for (int p = C->as.csc.colptr[j]; p < C->as.csc.colptr[j + 1]; p++) {
            int i = C->as.csc.row[p], bi = i / block;
            while (bcol[at[bi]] < j / block)
                at[bi]++;
            x[(size_t)at[bi] * area + (size_t)(i % block + block * (j % block))] = C->as.csc.x[p];
        }
}

perp_status perp_csc_to_blocks(perp_mat *A, const perp_mat *C, int block, perp_heap *keep,
                               perp_heap *work)
{
    int nb = C->rows / block;
    int *last = PERP_HEAP_TAKE(work, int, nb);
    int *next = PERP_HEAP_ZERO(work, int, nb);
    int *rowptr = PERP_HEAP_ZERO(keep, int, (size_t)nb + 1);
    if (!last || !next || !rowptr)
        return PERP_ERR_MEMORY;
    int blocks = place_blocks(next, last, NULL, C, block);
    for (int i = 0; i < nb; i++) {
        rowptr[i + 1] = rowptr[i] + next[i];
        next[i] = rowptr[i];
    }
    int *bcol = PERP_HEAP_TAKE(keep, int, blocks);
    double *x = perp_heap_take_zero(keep, (size_t)blocks, (size_t)(block * block) * sizeof *x);
    if (!bcol || !x)
        return PERP_ERR_MEMORY;
    place_blocks(next, last, bcol, C, block);
    fill_blocks(x, next, rowptr, bcol, C, block);
    return perp_mat_init_bsr(A, nb, block, rowptr, bcol, x);
}

/* Pattern of the blocks of A from the one of A', columns ascending. */
static void turn_pattern(int *rowptr, int *bcol, int *next, const int *tptr, const int *tcol,
                         int nb)
{
    for (int p = 0; p < tptr[nb]; p++)
        rowptr[tcol[p] + 1]++;
    for (int i = 0; i < nb; i++) {
        rowptr[i + 1] += rowptr[i];
        next[i] = rowptr[i];
    }
    for (int j = 0; j < nb; j++)
        for (int p = tptr[j]; p < tptr[j + 1]; p++)
            bcol[next[tcol[p]]++] = j;
}

static void fill_rows(double *x, int *slot, const int *rowptr, const int *bcol,
                      const perp_mat *rows, int block)
{
    size_t area = (size_t)block * (size_t)block;
    for (int bi = 0; bi < rows->cols / block; bi++) {
        for (int p = rowptr[bi]; p < rowptr[bi + 1]; p++)
            slot[bcol[p]] = p;
        for (int i = bi * block; i < (bi + 1) * block; i++)
            for (int e = rows->as.csc.colptr[i]; e < rows->as.csc.colptr[i + 1]; e++) {
                int j = rows->as.csc.row[e];
                x[(size_t)slot[j / block] * area + (size_t)(i % block + block * (j % block))] +=
                    rows->as.csc.x[e];
            }
    }
}

perp_status perp_rows_to_blocks(perp_mat *A, const perp_mat *rows, int block, perp_heap *keep,
                                perp_heap *work)
{
    int nb = rows->rows / block;
    int *last = PERP_HEAP_TAKE(work, int, nb);
    int *next = PERP_HEAP_ZERO(work, int, nb);
    int *tptr = PERP_HEAP_ZERO(work, int, (size_t)nb + 1);
    int *rowptr = PERP_HEAP_ZERO(keep, int, (size_t)nb + 1);
    if (!last || !next || !tptr || !rowptr)
        return PERP_ERR_MEMORY;
    int blocks = place_blocks(next, last, NULL, rows, block);
    for (int i = 0; i < nb; i++) {
        tptr[i + 1] = tptr[i] + next[i];
        next[i] = tptr[i];
    }
    int *tcol = PERP_HEAP_TAKE(work, int, blocks);
    int *bcol = PERP_HEAP_TAKE(keep, int, blocks);
    double *x = perp_heap_take_zero(keep, (size_t)blocks, (size_t)(block * block) * sizeof *x);
    if (!tcol || !bcol || !x)
        return PERP_ERR_MEMORY;
    place_blocks(next, last, tcol, rows, block);
    turn_pattern(rowptr, bcol, next, tptr, tcol, nb);
    fill_rows(x, last, rowptr, bcol, rows, block);
    return perp_mat_init_bsr(A, nb, block, rowptr, bcol, x);
}
