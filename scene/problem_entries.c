/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/problem_entries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

perp_status perp_scene_add_entry(perp_scene_entries *entries, int row, int col, double x)
{
    if (x == 0.0)
        return PERP_SOLVED;
    if (entries->count == entries->room) {
        size_t room = 2 * entries->room + 256;
        perp_scene_entry *grown = perp_scene_zeroed(entries->memory, room, sizeof *grown);
        if (grown == NULL)
            return PERP_ERR_MEMORY;
        if (entries->count > 0)
            memcpy(grown, entries->list, entries->count * sizeof *grown);
        perp_scene_release(entries->memory, entries->list);
        entries->list = grown;
        entries->room = room;
    }
    entries->list[entries->count++] = (perp_scene_entry){row, col, x};
    return PERP_SOLVED;
}

static perp_status collect_compressed(perp_scene_entries *entries, const perp_mat *A,
                                      const int *place)
{
    perp_status status = PERP_SOLVED;

    for (int j = 0; j < A->cols; j++)
        for (int k = A->as.csc.colptr[j]; k < A->as.csc.colptr[j + 1] && !status; k++)
            status =
                perp_scene_add_entry(entries, place[A->as.csc.row[k]], place[j], A->as.csc.x[k]);
    return status;
}

static perp_status collect_blocks(perp_scene_entries *entries, const perp_mat *A, const int *place)
{
    int b = A->as.bsr.block;
    perp_status status = PERP_SOLVED;

    for (int r = 0; r < A->rows / b; r++) {
        for (int k = A->as.bsr.rowptr[r]; k < A->as.bsr.rowptr[r + 1]; k++) {
            const double *x = A->as.bsr.x + (size_t)k * (size_t)b * (size_t)b;
            int c = A->as.bsr.col[k];
            for (int e = 0; e < b * b && !status; e++)
                status =
                    perp_scene_add_entry(entries, place[r * b + e % b], place[c * b + e / b], x[e]);
        }
    }
    return status;
}

static perp_status collect_products(perp_scene_entries *entries, const perp_mat *A,
                                    const int *place)
{
    size_t n = (size_t)A->cols;
    const perp_allocator *memory = entries->memory;
    double *unit = perp_scene_zeroed(memory, n + 1, sizeof *unit);
    double *column = perp_scene_zeroed(memory, n + 1, sizeof *column);
    double *scratch = perp_scene_zeroed(memory, perp_mat_scratch(A) + 1, sizeof *scratch);
    perp_status status = PERP_SOLVED;

    if (unit == NULL || column == NULL || scratch == NULL)
        status = PERP_ERR_MEMORY;
    for (int j = 0; j < A->cols && !status; j++) {
        unit[j] = 1.0;
        status = perp_mat_apply(A, unit, scratch, column);
        unit[j] = 0.0;
        for (int i = 0; i < A->rows && !status; i++)
            status = perp_scene_add_entry(entries, place[i], place[j], column[i]);
    }
    perp_scene_release(memory, unit);
    perp_scene_release(memory, column);
    perp_scene_release(memory, scratch);
    return status;
}

perp_status perp_scene_collect(perp_scene_entries *entries, const perp_mat *A, const int *place)
{
    switch (A->kind) {
    case PERP_CSC:
        return collect_compressed(entries, A, place);
    case PERP_BSR:
        return collect_blocks(entries, A, place);
    default:
        return collect_products(entries, A, place);
    }
}

static int by_columns(const void *a, const void *b)
{
    const perp_scene_entry *p = a, *q = b;

    if (p->col != q->col)
        return p->col < q->col ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

void perp_scene_sort(perp_scene_entries *entries)
{
    if (entries->count > 1)
        qsort(entries->list, entries->count, sizeof *entries->list, by_columns);
}

static int within(const perp_scene_entry *e, int row0, int col0, int rows, int cols)
{
    return e->row >= row0 && e->row < row0 + rows && e->col >= col0 && e->col < col0 + cols;
}

perp_status perp_scene_take_block(perp_mat *A, perp_dump *dump, const perp_scene_entries *entries,
                                  int row0, int col0, int rows, int cols)
{
    int *colptr = perp_dump_take(dump, (size_t)cols + 1, sizeof *colptr), used = 0, *row;
    size_t count = 0;
    double *x;

    for (size_t k = 0; k < entries->count; k++)
        count += (size_t)within(&entries->list[k], row0, col0, rows, cols);
    if (count > INT32_MAX)
        return PERP_ERR_OVERFLOW;
    row = perp_dump_take(dump, count + 1, sizeof *row);
    x = perp_dump_take(dump, count + 1, sizeof *x);
    if (colptr == NULL || row == NULL || x == NULL)
        return PERP_ERR_MEMORY;
    memset(colptr, 0, ((size_t)cols + 1) * sizeof *colptr);
    for (size_t k = 0; k < entries->count; k++) {
        const perp_scene_entry *e = &entries->list[k];
        if (!within(e, row0, col0, rows, cols))
            continue;
        row[used] = e->row - row0;
        x[used++] = e->x;
        colptr[e->col - col0 + 1]++;
    }
    for (int j = 0; j < cols; j++)
        colptr[j + 1] += colptr[j];
    return perp_mat_init_csc(A, rows, cols, colptr, row, x);
}

/* Where one has an entry and the other has none, the other's is 0. */
static double largest_difference(const perp_scene_entries *a, const perp_scene_entries *b)
{
    double largest = 0.0;
    size_t i = 0, j = 0;

    while (i < a->count || j < b->count) {
        int order = i == a->count ? 1 : j == b->count ? -1 : by_columns(&a->list[i], &b->list[j]);
        double x = order <= 0 ? a->list[i++].x : 0.0;
        double y = order >= 0 ? b->list[j++].x : 0.0;
        largest = fmax(largest, fabs(x - y));
    }
    return largest;
}

int perp_scene_couples_alike(const perp_scene_entries *entries, int m)
{
    perp_scene_entries above = {entries->memory, NULL, 0, 0}, below = above;
    double largest = 0.0;
    int alike;

    perp_status status = PERP_SOLVED;
    for (size_t k = 0; k < entries->count && !status; k++) {
        const perp_scene_entry *e = &entries->list[k];
        if (e->row < m && e->col >= m) {
            status = perp_scene_add_entry(&above, e->row, e->col, e->x);
            largest = fmax(largest, fabs(e->x));
        } else if (e->row >= m && e->col < m) {
            status = perp_scene_add_entry(&below, e->col, e->row, e->x);
        }
    }
    perp_scene_sort(&above);
    perp_scene_sort(&below);
    alike = status == PERP_SOLVED && largest_difference(&above, &below) <= 1e-10 * largest;
    perp_scene_free_entries(&above);
    perp_scene_free_entries(&below);
    return alike;
}

void perp_scene_free_entries(perp_scene_entries *entries)
{
    perp_scene_release(entries->memory, entries->list);
    entries->list = NULL;
    entries->count = entries->room = 0;
}
