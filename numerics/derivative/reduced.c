/* SPDX-License-Identifier: BSD-3-Clause */
/* R M C + D, column by column. */
#include <string.h>

#include "derivative/state.h"

void perp_entries_apply(double *y, const perp_csc *A, const double *x)
{
    for (int j = 0; j < A->cols; j++)
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++)
            y[A->row[p]] += A->x[p] * x[j];
}

void perp_entries_apply_transposed(double *y, const perp_csc *A, const double *x)
{
    for (int j = 0; j < A->cols; j++)
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++)
            y[j] += A->x[p] * x[A->row[p]];
}

static int is_left_out(const perp_laws *laws, int k, int only_regular)
{
    return only_regular && laws->row[k].place >= laws->regular;
}

void perp_reduced_add_c(double *x, const perp_laws *laws, const double *y, int only_regular)
{
    for (int k = 0; k < laws->count; k++) {
        const perp_law_row *row = &laws->row[k];
        for (int p = row->c; p < row->c_end && !is_left_out(laws, k, only_regular); p++)
            x[laws->c_at[p]] += laws->c[p] * y[row->place];
    }
}

void perp_reduced_add_ct(double *y, const perp_laws *laws, const double *x, int only_regular)
{
    for (int k = 0; k < laws->count; k++) {
        const perp_law_row *row = &laws->row[k];
        for (int p = row->c; p < row->c_end && !is_left_out(laws, k, only_regular); p++)
            y[row->place] += laws->c[p] * x[laws->c_at[p]];
    }
}

void perp_reduced_add_r(double *y, const perp_laws *laws, const double *x, int only_regular)
{
    for (int k = 0; k < laws->count; k++) {
        const perp_law_row *row = &laws->row[k];
        for (int p = row->r; p < row->r_end && !is_left_out(laws, k, only_regular); p++)
            y[row->place] += laws->r[p] * x[laws->r_at[p]];
    }
}

void perp_reduced_add_rt(double *x, const perp_laws *laws, const double *y, int only_regular)
{
    for (int k = 0; k < laws->count; k++) {
        const perp_law_row *row = &laws->row[k];
        for (int p = row->r; p < row->r_end && !is_left_out(laws, k, only_regular); p++)
            x[laws->r_at[p]] += laws->r[p] * y[row->place];
    }
}

/* Where a column of M C is gathered: values by rows of the problem, and which blocks have some. */
typedef struct column {
    double *value;           /* n */
    int *block_of;           /* n */
    int *seen, *list, count; /* blocks: the column that it was last seen in */
    int full;                /* A has all entries, and all blocks are listed */
} column;

/* The same where no entry of A is left out. */
static void gather_full(column *v, const perp_derivative *d, const perp_law_row *row)
{
    size_t n = (size_t)d->A.rows;
    double *restrict value = v->value;
    memset(value, 0, n * sizeof(double));
    for (int c = row->c; c < row->c_end; c++) {
        const double *restrict own = d->A.x + d->A.colptr[d->laws.c_at[c]];
        double scale = d->laws.c[c];
        for (size_t i = 0; i < n; i++)
            value[i] += own[i] * scale;
    }
}

static void gather(column *v, const perp_derivative *d, int k)
{
    const perp_laws *laws = &d->laws;
    const perp_law_row *row = &laws->row[k];
    if (v->full) {
        gather_full(v, d, row);
        return;
    }
    v->count = 0;
    for (int c = row->c; c < row->c_end; c++) {
        int j = laws->c_at[c];
        for (int p = d->A.colptr[j]; p < d->A.colptr[j + 1]; p++) {
            int i = d->A.row[p], block = v->block_of[i];
            if (v->seen[block] != k) {
                v->seen[block] = k;
                v->list[v->count++] = block;
                const perp_block *b = &d->blocks.at[block];
                memset(v->value + b->row, 0, (size_t)b->dim * sizeof(double));
            }
            v->value[i] += d->A.x[p] * laws->c[c];
        }
    }
    if (v->seen[row->block] != k) { /* D needs it */
        const perp_block *b = &d->blocks.at[row->block];
        v->seen[row->block] = k;
        v->list[v->count++] = row->block;
        memset(v->value + b->row, 0, (size_t)b->dim * sizeof(double));
    }
}

/* Entry (l, k) of R M C + D. */
static double entry(const perp_laws *laws, const double *value, int l, int k)
{
    const perp_law_row *a = &laws->row[l], *b = &laws->row[k];
    double sum = 0.0;
    for (int p = a->r; p < a->r_end; p++)
        sum += laws->r[p] * value[laws->r_at[p]];
    if (k >= a->first && k < a->last)
        sum += a->beta * ((l == k ? 1.0 : 0.0) + a->tau * b->tau) * a->row_scale * b->column_scale;
    return sum;
}

static int column_rows(const column *v, const perp_laws *laws)
{
    int count = 0;
    for (int b = 0; b < v->count; b++)
        count += laws->first[v->list[b] + 1] - laws->first[v->list[b]];
    return count;
}

/* All entries of a matrix, each column from the first row to the last. */
static int is_full(const perp_csc *A)
{
    size_t n = (size_t)A->rows;
    if ((size_t)A->colptr[A->cols] != n * (size_t)A->cols)
        return 0;
    for (int j = 0; j < A->cols; j++)
        for (size_t i = 0; i < n; i++)
            if (A->row[(size_t)j * n + i] != (int)i)
                return 0;
    return 1;
}

static perp_status take_column(column *v, const perp_blocks *blocks, const perp_csc *A,
                               perp_arena *arena)
{
    v->value = PERP_TAKE(arena, double, blocks->n);
    v->block_of = PERP_TAKE(arena, int, blocks->n);
    v->seen = PERP_TAKE(arena, int, blocks->count);
    v->list = PERP_TAKE(arena, int, blocks->count);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    v->full = is_full(A);
    v->count = v->full ? blocks->count : 0;
    for (int k = 0; k < blocks->count; k++) {
        v->seen[k] = -1;
        v->list[k] = k;
        for (int i = 0; i < blocks->at[k].dim; i++)
            v->block_of[blocks->at[k].row + i] = k;
    }
    return PERP_SOLVED;
}

/* Columns are visited in the order of places. */
perp_status perp_reduced_build(perp_derivative *d)
{
    const perp_laws *laws = &d->laws;
    column v;
    perp_arena *temporary = &d->temporary;
    perp_status status = take_column(&v, &d->blocks, &d->A, temporary);
    int *at = PERP_TAKE(temporary, int, laws->count);
    d->B = (perp_csc){.rows = laws->count, .cols = laws->count};
    d->B.colptr = PERP_TAKE(&d->arena, int, laws->count + 1);
    if (status != PERP_SOLVED || temporary->failed || d->arena.failed)
        return PERP_ERR_MEMORY;
    long long entries = 0;
    for (int k = 0; k < laws->count; k++) {
        at[laws->row[k].place] = k;
        if (!v.full)
            gather(&v, d, k);
        entries += column_rows(&v, laws);
        if (entries > 2000000000)
            return PERP_ERR_OVERFLOW;
    }
    memset(v.seen, -1, (size_t)d->blocks.count * sizeof(int));
    d->B.row = PERP_TAKE(&d->arena, int, entries);
    d->B.x = PERP_TAKE(&d->arena, double, entries);
    if (d->arena.failed)
        return PERP_ERR_MEMORY;
    int count = 0;
    for (int j = 0; j < laws->count; j++) {
        d->B.colptr[j] = count;
        gather(&v, d, at[j]);
        for (int b = 0; b < v.count; b++) {
            for (int l = laws->first[v.list[b]]; l < laws->first[v.list[b] + 1]; l++) {
                double x = entry(laws, v.value, l, at[j]);
                if (x == 0.0 && l != at[j])
                    continue;
                d->B.row[count] = laws->row[l].place;
                d->B.x[count++] = x;
            }
        }
    }
    d->B.colptr[laws->count] = count;
    return PERP_SOLVED;
}
