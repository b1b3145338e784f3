/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/matrix_entries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef void (*entry_fn)(void *ctx, int row, int col, double x);

static void each_block_entry(const perp_mat *A, entry_fn visit, void *ctx)
{
    int d = A->as.bsr.block;
    size_t size = (size_t)d * (size_t)d;

    for (int r = 0; r < A->rows / d; r++) {
        for (int k = A->as.bsr.rowptr[r]; k < A->as.bsr.rowptr[r + 1]; k++) {
            const double *x = A->as.bsr.x + (size_t)k * size;
            for (int j = 0; j < d; j++)
                for (int i = 0; i < d; i++)
                    visit(ctx, d * r + i, d * A->as.bsr.col[k] + j, x[i + j * d]);
        }
    }
}

static void each_entry(const perp_mat *A, entry_fn visit, void *ctx)
{
    if (A->kind == PERP_BSR) {
        each_block_entry(A, visit, ctx);
        return;
    }
    for (int j = 0; j < A->cols; j++) {
        if (A->kind == PERP_DENSE) {
            const double *x = A->as.dense.x + (size_t)j * (size_t)A->as.dense.ld;
            for (int i = 0; i < A->rows; i++)
                visit(ctx, i, j, x[i]);
        } else {
            for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1]; k++)
                visit(ctx, A->as.csc.row[k], j, A->as.csc.x[k]);
        }
    }
}

size_t perp_entries_count(const perp_mat *A)
{
    switch (A->kind) {
    case PERP_DENSE:
        return (size_t)A->rows * (size_t)A->cols;
    case PERP_CSC:
        return (size_t)A->as.csc.colptr[A->cols];
    case PERP_BSR:
        return (size_t)A->as.bsr.rowptr[A->rows / A->as.bsr.block] *
               (size_t)(A->as.bsr.block * A->as.bsr.block);
    default:
        return 0;
    }
}

static void count_row(void *ctx, int row, int col, double x)
{
    perp_rows *rows = ctx;

    (void)col;
    if (x != 0.0)
        rows->start[row + 1]++;
}

/* Puts an entry at the end of its row; start[row] moves along. */
static void place_in_row(void *ctx, int row, int col, double x)
{
    perp_rows *rows = ctx;

    if (x != 0.0) {
        rows->index[rows->start[row]] = col;
        rows->x[rows->start[row]++] = x;
    }
}

static void sum_counts(perp_rows *rows)
{
    for (int i = 0; i < rows->n; i++)
        rows->start[i + 1] += rows->start[i];
}

static void move_back(perp_rows *rows)
{
    memmove(rows->start + 1, rows->start, (size_t)rows->n * sizeof *rows->start);
    rows->start[0] = 0;
}

static int reserve(perp_rows *rows, int n, size_t entries)
{
    rows->n = n;
    rows->start = calloc((size_t)n + 1, sizeof *rows->start);
    rows->index = malloc((entries + 1) * sizeof *rows->index);
    rows->x = malloc((entries + 1) * sizeof *rows->x);
    return rows->start != NULL && rows->index != NULL && rows->x != NULL;
}

/* `to` = transpose of `from`, whose rows may be in any order; ascending. */
static void transpose(perp_rows *to, const perp_rows *from)
{
    memset(to->start, 0, ((size_t)to->n + 1) * sizeof *to->start);
    for (size_t k = 0; k < from->start[from->n]; k++)
        to->start[from->index[k] + 1]++;
    sum_counts(to);
    for (int i = 0; i < from->n; i++)
        for (size_t k = from->start[i]; k < from->start[i + 1]; k++)
            place_in_row(to, from->index[k], i, from->x[k]);
    move_back(to);
}

/* max |a_ij - a_ji| of two sorted rows. */
static double row_difference(const perp_rows *a, const perp_rows *b, int i)
{
    size_t k = a->start[i], l = b->start[i];
    double most = 0.0;

    while (k < a->start[i + 1] || l < b->start[i + 1]) {
        int left = k < a->start[i + 1] ? a->index[k] : a->n;
        int right = l < b->start[i + 1] ? b->index[l] : b->n;
        double x = left <= right ? a->x[k++] : 0.0;
        double y = right <= left ? b->x[l++] : 0.0;
        most = fmax(most, fabs(x - y));
    }
    return most;
}

static void measure(perp_entries *e)
{
    double difference = 0.0;

    e->nonzero = e->by_row.start[e->n];
    e->largest = 0.0;
    e->diagonal_low = INFINITY;
    e->diagonal_high = -INFINITY;
    for (int i = 0; i < e->n; i++) {
        double diagonal = 0.0;
        for (size_t k = e->by_row.start[i]; k < e->by_row.start[i + 1]; k++) {
            e->largest = fmax(e->largest, fabs(e->by_row.x[k]));
            if (e->by_row.index[k] == i)
                diagonal = e->by_row.x[k];
        }
        e->diagonal_low = fmin(e->diagonal_low, diagonal);
        e->diagonal_high = fmax(e->diagonal_high, diagonal);
        difference = fmax(difference, row_difference(&e->by_row, &e->by_column, i));
    }
    e->asymmetry = e->largest > 0.0 ? difference / e->largest : 0.0;
}

int perp_entries_collect(perp_entries *entries, const perp_mat *A)
{
    memset(entries, 0, sizeof *entries);
    if (A->rows != A->cols || A->kind > PERP_BSR)
        return 0;
    entries->n = A->rows;
    entries->stored = perp_entries_count(A);
    if (!reserve(&entries->by_row, A->rows, entries->stored) ||
        !reserve(&entries->by_column, A->rows, entries->stored))
        return 0;
    each_entry(A, count_row, &entries->by_row);
    sum_counts(&entries->by_row);
    each_entry(A, place_in_row, &entries->by_row);
    move_back(&entries->by_row);
    transpose(&entries->by_column, &entries->by_row);
    transpose(&entries->by_row, &entries->by_column);
    measure(entries);
    return 1;
}

static void free_rows(perp_rows *rows)
{
    free(rows->start);
    free(rows->index);
    free(rows->x);
}

void perp_entries_free(perp_entries *entries)
{
    free_rows(&entries->by_row);
    free_rows(&entries->by_column);
}

void perp_entries_apply(double *y, const perp_entries *entries, const double *x, int transposed)
{
    const perp_rows *rows = transposed ? &entries->by_column : &entries->by_row;

    for (int i = 0; i < rows->n; i++) {
        double sum = 0.0;
        for (size_t k = rows->start[i]; k < rows->start[i + 1]; k++)
            sum += rows->x[k] * x[rows->index[k]];
        y[i] = sum;
    }
}
