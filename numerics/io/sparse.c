/* SPDX-License-Identifier: BSD-3-Clause */
#include "io/sparse.h"

#include <limits.h>
#include <string.h>

perp_status perp_triplets_take(perp_triplets *T, int rows, int cols, int count, perp_heap *heap)
{
    *T = (perp_triplets){.rows = rows, .cols = cols, .count = count};
    T->row = PERP_HEAP_TAKE(heap, int, count);
    T->col = PERP_HEAP_TAKE(heap, int, count);
    T->x = PERP_HEAP_TAKE(heap, double, count);
    return T->row && T->col && T->x ? PERP_SOLVED : PERP_ERR_MEMORY;
}

/* start[k] .. start[k+1]: the places of key k once entries are sorted by it. */
static void count_keys(int *start, int keys, const int *key, int count)
{
    memset(start, 0, ((size_t)keys + 1) * sizeof *start);
    for (int e = 0; e < count; e++)
        start[key[e] + 1]++;
    for (int k = 0; k < keys; k++)
        start[k + 1] += start[k];
}

/* order := entries sorted by (column, row), stable. */
static int sort_entries(int *order, const perp_triplets *T, perp_heap *work)
{
    int most = T->rows > T->cols ? T->rows : T->cols;
    int *start = PERP_HEAP_TAKE(work, int, (size_t)most + 1);
    int *by_row = PERP_HEAP_TAKE(work, int, T->count);
    if (!start || !by_row)
        return 0;
    count_keys(start, T->rows, T->row, T->count);
    for (int e = 0; e < T->count; e++)
        by_row[start[T->row[e]]++] = e;
    count_keys(start, T->cols, T->col, T->count);
    for (int k = 0; k < T->count; k++)
        order[start[T->col[by_row[k]]]++] = by_row[k];
    return 1;
}

perp_status perp_triplets_to_csc(perp_mat *A, const perp_triplets *T, perp_heap *keep,
                                 perp_heap *work)
{
    int *order = PERP_HEAP_TAKE(work, int, T->count);
    int *colptr = PERP_HEAP_ZERO(keep, int, (size_t)T->cols + 1);
    int *row = PERP_HEAP_TAKE(keep, int, T->count);
    double *x = PERP_HEAP_TAKE(keep, double, T->count);
    if (!order || !colptr || !row || !x || !sort_entries(order, T, work))
        return PERP_ERR_MEMORY;
    int used = 0, last_col = -1;
    for (int k = 0; k < T->count; k++) {
        int e = order[k];
        if (T->col[e] == last_col && used > 0 && row[used - 1] == T->row[e]) {
            x[used - 1] += T->x[e];
            continue;
        }
        last_col = T->col[e];
        row[used] = T->row[e];
        x[used++] = T->x[e];
        colptr[last_col + 1] = used;
    }
    for (int j = 0; j < T->cols; j++)
        if (colptr[j + 1] < colptr[j])
            colptr[j + 1] = colptr[j];
    return perp_mat_init_csc(A, T->rows, T->cols, colptr, row, x);
}

static int strictly_sorted(const perp_triplets *T)
{
    for (int e = 1; e < T->count; e++)
        if (T->col[e] < T->col[e - 1] || (T->col[e] == T->col[e - 1] && T->row[e] <= T->row[e - 1]))
            return 0;
    return 1;
}

perp_status perp_triplets_adopt(perp_mat *A, const perp_triplets *T, perp_heap *keep,
                                perp_heap *work)
{
    if (!strictly_sorted(T))
        return perp_triplets_to_csc(A, T, keep, work);
    int *colptr = PERP_HEAP_TAKE(keep, int, (size_t)T->cols + 1);
    if (!colptr)
        return PERP_ERR_MEMORY;
    count_keys(colptr, T->cols, T->col, T->count);
    return perp_mat_init_csc(A, T->rows, T->cols, colptr, T->row, T->x);
}

perp_status perp_triplets_to_bsr(perp_mat *A, const perp_triplets *T, int block, perp_heap *keep,
                                 perp_heap *work)
{
    perp_mat C;
    perp_status status = perp_triplets_to_csc(&C, T, work, work);
    return status ? status : perp_csc_to_blocks(A, &C, block, keep, work);
}

static void from_dense(perp_triplets *T, const perp_mat *A)
{
    int e = 0;
    for (int j = 0; j < A->cols; j++) {
        const double *column = A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld;
        for (int i = 0; i < A->rows; i++)
            if (column[i] != 0.0) {
                T->row[e] = i;
                T->col[e] = j;
                T->x[e++] = column[i];
            }
    }
}

static void from_bsr(perp_triplets *T, const perp_mat *A)
{
    int b = A->as.bsr.block, nb = A->rows / b, e = 0;
    for (int i = 0; i < nb; i++)
        for (int p = A->as.bsr.rowptr[i]; p < A->as.bsr.rowptr[i + 1]; p++)
            for (int k = 0; k < b * b; k++) {
                T->row[e] = i * b + k % b;
                T->col[e] = A->as.bsr.col[p] * b + k / b;
                T->x[e++] = A->as.bsr.x[(size_t)p * (size_t)(b * b) + (size_t)k];
            }
}

static void from_csc(perp_triplets *T, const perp_mat *A)
{
    for (int j = 0; j < A->cols; j++)
        for (int p = A->as.csc.colptr[j]; p < A->as.csc.colptr[j + 1]; p++) {
            T->row[p] = A->as.csc.row[p];
            T->col[p] = j;
            T->x[p] = A->as.csc.x[p];
        }
}

static size_t count_dense(const perp_mat *A)
{
    size_t count = 0;
    for (int j = 0; j < A->cols; j++)
        for (int i = 0; i < A->rows; i++)
            count += A->as.dense.x[(size_t)i + (size_t)j * (size_t)A->as.dense.ld] != 0.0;
    return count;
}

perp_status perp_triplets_from_mat(perp_triplets *T, const perp_mat *A, perp_heap *heap)
{
    size_t count;
    if (A->kind == PERP_DENSE)
        count = count_dense(A);
    else if (A->kind == PERP_CSC)
        count = (size_t)A->as.csc.colptr[A->cols];
    else if (A->kind == PERP_BSR)
        count = (size_t)A->as.bsr.rowptr[A->rows / A->as.bsr.block] *
                (size_t)(A->as.bsr.block * A->as.bsr.block);
    else
        return PERP_ERR_UNSUPPORTED;
    if (count > INT_MAX)
        return PERP_ERR_OVERFLOW;
    perp_status status = perp_triplets_take(T, A->rows, A->cols, (int)count, heap);
    if (status)
        return status;
    if (A->kind == PERP_DENSE)
        from_dense(T, A);
    else if (A->kind == PERP_CSC)
        from_csc(T, A);
    else
        from_bsr(T, A);
    return PERP_SOLVED;
}

int perp_triplets_one_triangle(const perp_triplets *T)
{
    int upper = 0, lower = 0;
    for (int e = 0; e < T->count; e++) {
        upper |= T->x[e] != 0.0 && T->col[e] > T->row[e];
        lower |= T->x[e] != 0.0 && T->col[e] < T->row[e];
    }
    return upper != lower;
}

perp_status perp_triplets_mirror(perp_triplets *T, perp_heap *heap)
{
    int off = 0;
    for (int e = 0; e < T->count; e++)
        off += T->row[e] != T->col[e];
    if (off > INT_MAX - T->count)
        return PERP_ERR_OVERFLOW;
    perp_triplets S;
    perp_status status = perp_triplets_take(&S, T->rows, T->cols, T->count + off, heap);
    if (status)
        return status;
    int k = 0;
    for (int e = 0; e < T->count; e++) {
        S.row[k] = T->row[e];
        S.col[k] = T->col[e];
        S.x[k++] = T->x[e];
        if (T->row[e] == T->col[e])
            continue;
        S.row[k] = T->col[e];
        S.col[k] = T->row[e];
        S.x[k++] = T->x[e];
    }
    *T = S;
    return PERP_SOLVED;
}

void perp_triplets_transpose(perp_triplets *T)
{
    int rows = T->rows, *row = T->row;
    T->rows = T->cols;
    T->cols = rows;
    T->row = T->col;
    T->col = row;
}

perp_status perp_csc_join_columns(perp_mat *C, const perp_mat *A, const perp_mat *B,
                                  perp_heap *keep)
{
    int na = A->as.csc.colptr[A->cols], nb = B ? B->as.csc.colptr[B->cols] : 0;
    int bcols = B ? B->cols : 0;
    if (nb > INT_MAX - na || bcols > INT_MAX - A->cols - 1)
        return PERP_ERR_OVERFLOW;
    int *colptr = PERP_HEAP_TAKE(keep, int, A->cols + bcols + 1);
    int *row = PERP_HEAP_TAKE(keep, int, na + nb);
    double *x = PERP_HEAP_TAKE(keep, double, na + nb);
    if (!colptr || !row || !x)
        return PERP_ERR_MEMORY;
    memcpy(colptr, A->as.csc.colptr, ((size_t)A->cols + 1) * sizeof *colptr);
    memcpy(row, A->as.csc.row, (size_t)na * sizeof *row);
    memcpy(x, A->as.csc.x, (size_t)na * sizeof *x);
    for (int j = 0; j < bcols; j++)
        colptr[A->cols + 1 + j] = na + B->as.csc.colptr[j + 1];
    if (nb > 0) {
        memcpy(row + na, B->as.csc.row, (size_t)nb * sizeof *row);
        memcpy(x + na, B->as.csc.x, (size_t)nb * sizeof *x);
    }
    return perp_mat_init_csc(C, A->rows, A->cols + bcols, colptr, row, x);
}
