/* SPDX-License-Identifier: BSD-3-Clause */
/* R M C + D, column by column. */
#include <string.h>

#include "core/clones.h"
#include "derivative/state.h"
#include "linalg/small.h"

/* y += A x, A column by column; four columns at a time are added in their order. */
PERP_CLONES static void add_columns(double *restrict y, const double *restrict A, const double *x,
                                    size_t n, size_t columns)
{
    size_t j = 0;
    for (; j + 4 <= columns; j += 4, A += 4 * n)
        for (size_t i = 0; i < n; i++)
            y[i] = y[i] + A[i] * x[j] + A[n + i] * x[j + 1] + A[2 * n + i] * x[j + 2] +
                   A[3 * n + i] * x[j + 3];
    for (; j < columns; j++, A += n)
        for (size_t i = 0; i < n; i++)
            y[i] += A[i] * x[j];
}

/* y -= A x. */
PERP_CLONES static void take_columns(double *restrict y, const double *restrict A, const double *x,
                                     size_t n, size_t columns)
{
    size_t j = 0;
    for (; j + 4 <= columns; j += 4, A += 4 * n)
        for (size_t i = 0; i < n; i++)
            y[i] = y[i] - A[i] * x[j] - A[n + i] * x[j + 1] - A[2 * n + i] * x[j + 2] -
                   A[3 * n + i] * x[j + 3];
    for (; j < columns; j++, A += n)
        for (size_t i = 0; i < n; i++)
            y[i] -= A[i] * x[j];
}

/* Rows are sorted and none is there twice. */
static int has_all_entries(const perp_csc *A)
{
    return (size_t)A->colptr[A->cols] == (size_t)A->rows * (size_t)A->cols;
}

void perp_entries_apply(double *y, const perp_csc *A, const double *x)
{
    if (has_all_entries(A)) {
        add_columns(y, A->x, x, (size_t)A->rows, (size_t)A->cols);
        return;
    }
    for (int j = 0; j < A->cols; j++)
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++)
            y[A->row[p]] += A->x[p] * x[j];
}

void perp_entries_apply_transposed(double *y, const perp_csc *A, const double *x)
{
    if (has_all_entries(A)) {
        for (int j = 0; j < A->cols; j++)
            y[j] += perp_dot(A->x + (size_t)j * (size_t)A->rows, x, A->rows);
        return;
    }
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
} column;

static void gather(column *v, const perp_derivative *d, int k)
{
    const perp_laws *laws = &d->laws;
    const perp_law_row *row = &laws->row[k];
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

static perp_status take_column(column *v, const perp_blocks *blocks, perp_arena *arena)
{
    v->value = PERP_TAKE(arena, double, blocks->n);
    v->block_of = PERP_TAKE(arena, int, blocks->n);
    v->seen = PERP_TAKE(arena, int, blocks->count);
    v->list = PERP_TAKE(arena, int, blocks->count);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    v->count = 0;
    for (int k = 0; k < blocks->count; k++) {
        v->seen[k] = -1;
        for (int i = 0; i < blocks->at[k].dim; i++)
            v->block_of[blocks->at[k].row + i] = k;
    }
    return PERP_SOLVED;
}

/* Rows of R with one entry and nothing in D, by place; of others `at` is -1. */
typedef struct plain_rows {
    int *at;
    double *r;
} plain_rows;

static perp_status find_plain(plain_rows *plain, const perp_laws *laws, perp_arena *arena)
{
    plain->at = PERP_TAKE(arena, int, laws->count);
    plain->r = PERP_TAKE(arena, double, laws->count);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < laws->count; k++) {
        const perp_law_row *row = &laws->row[k];
        int one = row->r_end == row->r + 1 && row->beta == 0.0;
        plain->at[row->place] = one ? laws->r_at[row->r] : -1;
        plain->r[row->place] = one ? laws->r[row->r] : 0.0;
    }
    return PERP_SOLVED;
}

/* All entries of B where A has all: at: laws by place. */
static perp_status build_full(perp_derivative *d, const int *at)
{
    const perp_laws *laws = &d->laws;
    size_t n = (size_t)d->A.rows, count = (size_t)laws->count;
    plain_rows plain;
    double *value = PERP_TAKE(&d->temporary, double, n);
    perp_status status = find_plain(&plain, laws, &d->temporary);
    d->B.row = PERP_TAKE(&d->temporary, int, count *count);
    d->B.x = PERP_TAKE(&d->arena, double, count *count);
    if (status != PERP_SOLVED || d->temporary.failed || d->arena.failed)
        return PERP_ERR_MEMORY;
    for (size_t j = 0; j < count; j++) {
        const perp_law_row *row = &laws->row[at[j]];
        double *x = d->B.x + j * count;
        memset(value, 0, n * sizeof(double));
        for (int c = row->c; c < row->c_end; c++)
            add_columns(value, d->A.x + (size_t)laws->c_at[c] * n, &laws->c[c], n, 1);
        d->B.colptr[j] = (int)(j * count);
        for (size_t i = 0; i < count; i++) {
            d->B.row[j * count + i] = (int)i;
            x[i] = plain.at[i] >= 0 ? plain.r[i] * value[plain.at[i]]
                                    : entry(laws, value, at[i], at[j]);
        }
    }
    d->B.colptr[count] = (int)(count * count);
    return PERP_SOLVED;
}

/* Columns are visited in the order of places. */
static perp_status build_sparse(perp_derivative *d, const int *at)
{
    const perp_laws *laws = &d->laws;
    column v;
    if (take_column(&v, &d->blocks, &d->temporary) != PERP_SOLVED)
        return PERP_ERR_MEMORY;
    long long entries = 0;
    for (int k = 0; k < laws->count; k++) {
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

perp_status perp_reduced_build(perp_derivative *d)
{
    const perp_laws *laws = &d->laws;
    int *at = PERP_TAKE(&d->temporary, int, laws->count);
    d->B = (perp_csc){.rows = laws->count, .cols = laws->count};
    d->B.colptr = PERP_TAKE(&d->arena, int, laws->count + 1);
    d->full = has_all_entries(&d->A);
    if (d->temporary.failed || d->arena.failed)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < laws->count; k++)
        at[laws->row[k].place] = k;
    return d->full ? build_full(d, at) : build_sparse(d, at);
}

void perp_reduced_take_off(double *left, const perp_derivative *d, const double *y)
{
    if (d->full) {
        take_columns(left, d->B.x, y, (size_t)d->B.rows, (size_t)d->B.cols);
        return;
    }
    for (int j = 0; j < d->B.cols; j++)
        for (int p = d->B.colptr[j]; p < d->B.colptr[j + 1]; p++)
            left[d->B.row[p]] -= d->B.x[p] * y[j];
}
