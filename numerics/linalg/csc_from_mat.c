/* SPDX-License-Identifier: BSD-3-Clause */
/* Compressed columns of every explicit matrix. */
#include "linalg/csc.h"

#include <limits.h>
#include <string.h>

static perp_status take(perp_csc *C, const perp_mat *A, size_t nz, perp_arena *arena)
{
    if (nz > INT_MAX)
        return PERP_ERR_OVERFLOW;
    C->rows = A->rows;
    C->cols = A->cols;
    C->colptr = PERP_TAKE(arena, int, (size_t)A->cols + 1);
    C->row = PERP_TAKE(arena, int, nz);
    C->x = PERP_TAKE(arena, double, nz);
    return C->colptr && C->row && C->x ? PERP_SOLVED : PERP_ERR_MEMORY;
}

static perp_status from_dense(perp_csc *C, const perp_mat *A, perp_arena *arena)
{
    size_t nz = 0, ld = (size_t)A->as.dense.ld;
    for (int j = 0; j < A->cols; j++)
        for (int i = 0; i < A->rows; i++)
            nz += A->as.dense.x[(size_t)i + (size_t)j * ld] != 0.0 || i == j;
    perp_status status = take(C, A, nz, arena);
    if (status != PERP_SOLVED)
        return status;
    int end = 0;
    for (int j = 0; j < A->cols; j++) {
        C->colptr[j] = end;
        for (int i = 0; i < A->rows; i++) {
            double x = A->as.dense.x[(size_t)i + (size_t)j * ld];
            if (x != 0.0 || i == j) {
                C->row[end] = i;
                C->x[end++] = x;
            }
        }
    }
    C->colptr[A->cols] = end;
    return PERP_SOLVED;
}

static int is_sorted(const perp_mat *A)
{
    const int *colptr = A->as.csc.colptr, *row = A->as.csc.row;
    for (int j = 0; j < A->cols; j++)
        for (int p = colptr[j] + 1; p < colptr[j + 1]; p++)
            if (row[p] <= row[p - 1])
                return 0;
    return 1;
}

static perp_status copy_sorted(perp_csc *C, const perp_mat *A, perp_arena *arena)
{
    size_t nz = (size_t)A->as.csc.colptr[A->cols];
    perp_status status = take(C, A, nz, arena);
    if (status != PERP_SOLVED)
        return status;
    memcpy(C->colptr, A->as.csc.colptr, sizeof(int) * ((size_t)A->cols + 1));
    if (nz > 0) {
        memcpy(C->row, A->as.csc.row, sizeof(int) * nz);
        memcpy(C->x, A->as.csc.x, sizeof(double) * nz);
    }
    return PERP_SOLVED;
}

static perp_status from_csc(perp_csc *C, const perp_mat *A, perp_arena *arena)
{
    if (is_sorted(A))
        return copy_sorted(C, A, arena);
    /* Transposing twice sorts; the first view is only read. */
    const perp_csc view = {A->rows, A->cols, (int *)A->as.csc.colptr, (int *)A->as.csc.row,
                           (double *)A->as.csc.x};
    char stack[PERP_ARENA_STACK];
    perp_arena local;
    perp_csc T;
    perp_arena_init_with(&local, &arena->allocator, stack, sizeof stack);
    perp_status status = perp_csc_transpose(&T, &view, &local);
    if (status == PERP_SOLVED)
        status = perp_csc_transpose(C, &T, arena);
    perp_arena_free(&local);
    return status;
}

static perp_status from_bsr(perp_csc *C, const perp_mat *A, perp_arena *arena)
{
    const int *rowptr = A->as.bsr.rowptr, *col = A->as.bsr.col;
    int m = A->as.bsr.block, n = A->rows / m;
    size_t size = (size_t)m * (size_t)m, nz = size * (size_t)rowptr[n];
    perp_status status = take(C, A, nz, arena);
    if (status != PERP_SOLVED)
        return status;

    for (int j = 0; j <= A->cols; j++)
        C->colptr[j] = 0;
    for (int p = 0; p < rowptr[n]; p++)
        for (int c = 0; c < m; c++)
            C->colptr[col[p] * m + c + 1] += m;
    for (int j = 0; j < A->cols; j++)
        C->colptr[j + 1] += C->colptr[j];
    for (int i = 0; i < n; i++) {
        for (int p = rowptr[i]; p < rowptr[i + 1]; p++) {
            const double *x = A->as.bsr.x + size * (size_t)p;
            for (int c = 0; c < m; c++) {
                int at = C->colptr[col[p] * m + c];
                for (int r = 0; r < m; r++) {
                    C->row[at + r] = i * m + r;
                    C->x[at + r] = x[r + c * m];
                }
                C->colptr[col[p] * m + c] = at + m;
            }
        }
    }
    for (int j = A->cols; j > 0; j--)
        C->colptr[j] = C->colptr[j - 1];
    C->colptr[0] = 0;
    return PERP_SOLVED;
}

static perp_status from_delassus(perp_csc *C, const perp_mat *A, perp_arena *arena)
{
    perp_arena local;
    perp_mat B;
    perp_arena_init(&local, &arena->allocator);
    perp_status status = perp_bsr_from_delassus(&B, A, 1, &local);
    if (status == PERP_SOLVED)
        status = from_bsr(C, &B, arena);
    perp_arena_free(&local);
    return status;
}

perp_status perp_csc_from_mat(perp_csc *C, const perp_mat *A, perp_arena *arena)
{
    switch (A->kind) {
    case PERP_DENSE:
        return from_dense(C, A, arena);
    case PERP_CSC:
        return from_csc(C, A, arena);
    case PERP_BSR:
        return from_bsr(C, A, arena);
    case PERP_OPERATOR:
        break;
    case PERP_DELASSUS:
        return from_delassus(C, A, arena);
    }
    return PERP_ERR_UNSUPPORTED;
}
