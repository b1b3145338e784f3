/* SPDX-License-Identifier: BSD-3-Clause */
/* Diagonal blocks of every kind of matrix. */
#include "linalg/mat.h"

#include <string.h>

#include "linalg/delassus.h"

typedef struct blocks_out {
    double *out;
    const int *offset;
    const size_t *start;
    int count;
} blocks_out;

static void dense_blocks(const blocks_out *to, const perp_mat *A)
{
    size_t ld = (size_t)A->as.dense.ld;
    for (int k = 0; k < to->count; k++) {
        int lo = to->offset[k], hi = to->offset[k + 1];
        double *block = to->out + to->start[k];
        for (int j = lo; j < hi; j++)
            for (int i = lo; i < hi; i++)
                *block++ = A->as.dense.x[(size_t)i + (size_t)j * ld];
    }
}

static void clear_blocks(const blocks_out *to)
{
    for (int k = 0; k < to->count; k++) {
        size_t dim = (size_t)(to->offset[k + 1] - to->offset[k]);
        memset(to->out + to->start[k], 0, dim * dim * sizeof(double));
    }
}

static void csc_blocks(const blocks_out *to, const perp_mat *A)
{
    const int *colptr = A->as.csc.colptr, *row = A->as.csc.row;
    clear_blocks(to);
    for (int k = 0; k < to->count; k++) {
        int lo = to->offset[k], hi = to->offset[k + 1];
        size_t dim = (size_t)(hi - lo);
        double *block = to->out + to->start[k];
        for (int j = lo; j < hi; j++, block += dim)
            for (int p = colptr[j]; p < colptr[j + 1]; p++)
                if (row[p] >= lo && row[p] < hi)
                    block[row[p] - lo] = A->as.csc.x[p];
    }
}

/* Entries of stored block p at (i, j) that lie in rows and columns lo .. hi-1. */
static void copy_overlap(double *block, const perp_mat *A, int p, int i, int j, int lo, int hi)
{
    int m = A->as.bsr.block;
    const double *x = A->as.bsr.x + (size_t)m * (size_t)m * (size_t)p;
    size_t dim = (size_t)(hi - lo);
    for (int c = 0; c < m; c++) {
        int col = j * m + c;
        if (col < lo || col >= hi)
            continue;
        for (int r = 0; r < m; r++) {
            int row = i * m + r;
            if (row >= lo && row < hi)
                block[(size_t)(row - lo) + (size_t)(col - lo) * dim] = x[r + c * m];
        }
    }
}

static void bsr_blocks(const blocks_out *to, const perp_mat *A)
{
    const int *rowptr = A->as.bsr.rowptr, *col = A->as.bsr.col;
    int m = A->as.bsr.block;
    clear_blocks(to);
    for (int k = 0; k < to->count; k++) {
        int lo = to->offset[k], hi = to->offset[k + 1];
        if (lo == hi)
            continue;
        int first = lo / m, last = (hi - 1) / m;
        if (lo == first * m && hi == lo + m) {
            size_t size = (size_t)m * (size_t)m;
            for (int p = rowptr[first]; p < rowptr[first + 1]; p++)
                if (col[p] == first)
                    memcpy(to->out + to->start[k], A->as.bsr.x + size * (size_t)p,
                           size * sizeof(double));
            continue;
        }
        for (int i = first; i <= last; i++)
            for (int p = rowptr[i]; p < rowptr[i + 1]; p++)
                if (col[p] >= first && col[p] <= last)
                    copy_overlap(to->out + to->start[k], A, p, i, col[p], lo, hi);
    }
}

static void operator_blocks(const blocks_out *to, const perp_mat *A)
{
    const double *diagonal = A->as.op.diagonal;
    clear_blocks(to);
    if (!diagonal)
        return;
    for (int k = 0; k < to->count; k++) {
        int lo = to->offset[k], hi = to->offset[k + 1];
        for (int i = lo; i < hi; i++)
            to->out[to->start[k] + (size_t)(i - lo) * (size_t)(hi - lo + 1)] = diagonal[i];
    }
}

perp_status perp_mat_diagonal_blocks(double *out, const perp_mat *A, const int *offset,
                                     const size_t *start, int count,
                                     const perp_allocator *allocator)
{
    const blocks_out to = {out, offset, start, count};
    switch (A->kind) {
    case PERP_DENSE:
        dense_blocks(&to, A);
        break;
    case PERP_CSC:
        csc_blocks(&to, A);
        break;
    case PERP_BSR:
        bsr_blocks(&to, A);
        break;
    case PERP_OPERATOR:
        operator_blocks(&to, A);
        break;
    case PERP_DELASSUS:
        return perp_delassus_diagonal_blocks(out, A, offset, start, count, allocator);
    }
    return PERP_SOLVED;
}
