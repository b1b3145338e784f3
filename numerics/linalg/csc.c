/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/csc.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static int csc_take(perp_csc *C, int rows, int cols, size_t nz, perp_arena *arena)
{
    C->rows = rows;
    C->cols = cols;
    C->colptr = perp_arena_take_zero(arena, (size_t)cols + 1, sizeof(int));
    C->row = PERP_TAKE(arena, int, nz);
    C->x = PERP_TAKE(arena, double, nz);
    return C->colptr && C->row && C->x;
}

/* Counts in ptr[1 .. n] become offsets in ptr[0 .. n-1], ready to be advanced;
 * afterwards shift_back() restores ptr. */
static void counts_to_offsets(int *ptr, int n)
{
    for (int j = 0; j < n; j++)
        ptr[j + 1] += ptr[j];
}

static void shift_back(int *ptr, int n)
{
    memmove(ptr + 1, ptr, (size_t)n * sizeof(int));
    ptr[0] = 0;
}

perp_status perp_csc_transpose(perp_csc *T, const perp_csc *C, perp_arena *arena)
{
    perp_csc out;
    int nz = C->colptr[C->cols];
    if (!csc_take(&out, C->cols, C->rows, (size_t)nz, arena))
        return PERP_ERR_MEMORY;
    for (int p = 0; p < nz; p++)
        out.colptr[C->row[p] + 1]++;
    counts_to_offsets(out.colptr, out.cols);
    for (int j = 0; j < C->cols; j++) {
        for (int p = C->colptr[j]; p < C->colptr[j + 1]; p++) {
            int q = out.colptr[C->row[p]]++;
            out.row[q] = j;
            out.x[q] = C->x[p];
        }
    }
    shift_back(out.colptr, out.cols);
    *T = out;
    return PERP_SOLVED;
}

/* Sums equal neighbours; rows are sorted. */
static void sum_duplicates(perp_csc *C)
{
    int end = 0;
    for (int j = 0, p = 0; j < C->cols; j++) {
        int first = end;
        for (; p < C->colptr[j + 1]; p++) {
            if (end > first && C->row[end - 1] == C->row[p]) {
                C->x[end - 1] += C->x[p];
            } else {
                C->row[end] = C->row[p];
                C->x[end++] = C->x[p];
            }
        }
        C->colptr[j + 1] = end;
    }
}

perp_status perp_csc_from_triplets(perp_csc *C, int rows, int cols, int nz, const int *row,
                                   const int *col, const double *x, perp_arena *arena)
{
    if (rows < 0 || cols < 0 || nz < 0)
        return PERP_ERR_ARGUMENT;
    for (int k = 0; k < nz; k++)
        if (row[k] < 0 || row[k] >= rows || col[k] < 0 || col[k] >= cols)
            return PERP_ERR_STRUCTURE;

    /* Stable counting sorts by row, then by column. */
    perp_arena local;
    perp_csc T, out;
    perp_arena_init(&local, &arena->allocator);
    if (!csc_take(&T, cols, rows, (size_t)nz, &local)) {
        perp_arena_free(&local);
        return PERP_ERR_MEMORY;
    }
    for (int k = 0; k < nz; k++)
        T.colptr[row[k] + 1]++;
    counts_to_offsets(T.colptr, T.cols);
    for (int k = 0; k < nz; k++) {
        int q = T.colptr[row[k]]++;
        T.row[q] = col[k];
        T.x[q] = x[k];
    }
    shift_back(T.colptr, T.cols);
    perp_status status = perp_csc_transpose(&out, &T, arena);
    perp_arena_free(&local);
    if (status != PERP_SOLVED)
        return status;
    sum_duplicates(&out);
    *C = out;
    return PERP_SOLVED;
}

perp_mat perp_csc_view(const perp_csc *C)
{
    perp_mat A = {.kind = PERP_CSC, .rows = C->rows, .cols = C->cols};
    A.as.csc.colptr = C->colptr;
    A.as.csc.row = C->row;
    A.as.csc.x = C->x;
    return A;
}

perp_status perp_csc_asymmetry(double *asymmetry, const perp_csc *C, perp_arena *arena)
{
    if (C->rows != C->cols)
        return PERP_ERR_ARGUMENT;
    perp_arena local;
    perp_csc T;
    perp_arena_init(&local, &arena->allocator);
    perp_status status = perp_csc_transpose(&T, C, &local);
    if (status != PERP_SOLVED) {
        perp_arena_free(&local);
        return status;
    }

    /* Both have sorted rows: one merge per column. */
    double largest = 0.0, difference = 0.0;
    for (int j = 0; j < C->cols; j++) {
        int p = C->colptr[j], q = T.colptr[j];
        while (p < C->colptr[j + 1] || q < T.colptr[j + 1]) {
            int i = p < C->colptr[j + 1] ? C->row[p] : INT_MAX;
            int k = q < T.colptr[j + 1] ? T.row[q] : INT_MAX;
            double a = i <= k ? C->x[p++] : 0.0;
            double b = k <= i ? T.x[q++] : 0.0;
            largest = fmax(largest, fabs(a));
            difference = fmax(difference, fabs(a - b));
        }
    }
    perp_arena_free(&local);
    *asymmetry = largest > 0.0 ? difference / largest : 0.0;
    return PERP_SOLVED;
}
