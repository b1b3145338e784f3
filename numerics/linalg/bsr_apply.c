/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/bsr_apply.h"

#include <string.h>

/* Each block's contribution is summed first and added once, so that the chain
 * of dependent additions is one per block and not one per column. */
static void apply_3(double *y, const perp_mat *A, const double *x, int from, int to)
{
    const int *rowptr = A->as.bsr.rowptr, *col = A->as.bsr.col;
    for (int i = from; i < to; i++) {
        double y0 = 0.0, y1 = 0.0, y2 = 0.0;
        const double *a = A->as.bsr.x + 9 * (size_t)rowptr[i];
        for (int p = rowptr[i]; p < rowptr[i + 1]; p++, a += 9) {
            const double *b = x + 3 * (size_t)col[p];
            y0 += a[0] * b[0] + a[3] * b[1] + a[6] * b[2];
            y1 += a[1] * b[0] + a[4] * b[1] + a[7] * b[2];
            y2 += a[2] * b[0] + a[5] * b[1] + a[8] * b[2];
        }
        y[3 * i] = y0;
        y[3 * i + 1] = y1;
        y[3 * i + 2] = y2;
    }
}

static void apply_2(double *y, const perp_mat *A, const double *x, int from, int to)
{
    const int *rowptr = A->as.bsr.rowptr, *col = A->as.bsr.col;
    for (int i = from; i < to; i++) {
        double y0 = 0.0, y1 = 0.0;
        const double *a = A->as.bsr.x + 4 * (size_t)rowptr[i];
        for (int p = rowptr[i]; p < rowptr[i + 1]; p++, a += 4) {
            const double *b = x + 2 * (size_t)col[p];
            y0 += a[0] * b[0] + a[2] * b[1];
            y1 += a[1] * b[0] + a[3] * b[1];
        }
        y[2 * i] = y0;
        y[2 * i + 1] = y1;
    }
}

/* The compiler sees the order of the block where it is a constant. */
static inline __attribute__((always_inline)) void
apply_n(double *y, const perp_mat *A, const double *x, const int m, int from, int to)
{
    const int *rowptr = A->as.bsr.rowptr, *col = A->as.bsr.col;
    size_t size = (size_t)m * (size_t)m;
    for (int i = from; i < to; i++) {
        double sum[6] = {0.0};
        const double *a = A->as.bsr.x + size * (size_t)rowptr[i];
        for (int p = rowptr[i]; p < rowptr[i + 1]; p++, a += size) {
            const double *b = x + (size_t)m * (size_t)col[p];
            for (int k = 0; k < m; k++)
                for (int r = 0; r < m; r++)
                    sum[r] += a[r + k * m] * b[k];
        }
        for (int r = 0; r < m; r++)
            y[(size_t)i * (size_t)m + (size_t)r] = sum[r];
    }
}

void perp_bsr_apply(double *y, const perp_mat *A, const double *x)
{
    perp_bsr_apply_rows(y, A, x, 0, A->rows / A->as.bsr.block);
}

void perp_bsr_apply_rows(double *y, const perp_mat *A, const double *x, int from, int to)
{
    switch (A->as.bsr.block) {
    case 1:
        apply_n(y, A, x, 1, from, to);
        break;
    case 2:
        apply_2(y, A, x, from, to);
        break;
    case 3:
        apply_3(y, A, x, from, to);
        break;
    case 6:
        apply_n(y, A, x, 6, from, to);
        break;
    default:
        apply_n(y, A, x, A->as.bsr.block, from, to);
        break;
    }
}

void perp_bsr_apply_transposed(double *y, const perp_mat *A, const double *x)
{
    const int *rowptr = A->as.bsr.rowptr, *col = A->as.bsr.col;
    int m = A->as.bsr.block, n = A->rows / m;
    memset(y, 0, (size_t)A->cols * sizeof(double));
    for (int i = 0; i < n; i++) {
        const double *b = x + (size_t)i * (size_t)m;
        for (int p = rowptr[i]; p < rowptr[i + 1]; p++) {
            const double *a = A->as.bsr.x + (size_t)m * (size_t)m * (size_t)p;
            double *out = y + (size_t)col[p] * (size_t)m;
            for (int k = 0; k < m; k++) {
                double sum = 0.0;
                for (int r = 0; r < m; r++)
                    sum += a[r + k * m] * b[r];
                out[k] += sum;
            }
        }
    }
}
