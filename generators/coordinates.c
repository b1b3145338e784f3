/* SPDX-License-Identifier: BSD-3-Clause */
#include "generators/coordinates.h"

#include <limits.h>
#include <stdlib.h>

static perp_status grow(perp_coordinates *list)
{
    size_t capacity = list->capacity ? 2 * (size_t)list->capacity : 64;
    if (capacity > INT_MAX)
        return PERP_ERR_OVERFLOW;
    int *row = realloc(list->row, capacity * sizeof *row);
    list->row = row ? row : list->row;
    int *col = realloc(list->col, capacity * sizeof *col);
    list->col = col ? col : list->col;
    double *x = realloc(list->x, capacity * sizeof *x);
    list->x = x ? x : list->x;
    if (!row || !col || !x)
        return PERP_ERR_MEMORY;
    list->capacity = (int)capacity;
    return PERP_SOLVED;
}

void perp_coordinates_add(perp_coordinates *list, int row, int col, double x)
{
    if (list->count == list->capacity && !list->failed)
        list->failed = grow(list);
    if (list->failed)
        return;
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->x[list->count++] = x;
}

/* Numbers of the entries in the order of `key`, those of the same key as they come in `from`. */
static int *sorted(const int *key, const int *from, int count, int n)
{
    int *start = calloc((size_t)n + 1, sizeof *start);
    int *to = malloc(((size_t)count + 1) * sizeof *to);
    if (!start || !to) {
        free(start);
        free(to);
        return NULL;
    }
    for (int k = 0; k < count; k++)
        start[key[k] + 1]++;
    for (int i = 0; i < n; i++)
        start[i + 1] += start[i];
    for (int k = 0; k < count; k++) {
        int e = from ? from[k] : k;
        to[start[key[e]]++] = e;
    }
    free(start);
    return to;
}

static perp_status merge(perp_mat *A, const perp_coordinates *list, const int *order, int n,
                         perp_problem_file *file)
{
    int *colptr = perp_problem_file_take(file, (size_t)n + 1, sizeof *colptr);
    int *row = perp_problem_file_take(file, (size_t)list->count + 1, sizeof *row);
    double *x = perp_problem_file_take(file, (size_t)list->count + 1, sizeof *x);
    int at = 0, col = 0;
    if (!colptr || !row || !x)
        return PERP_ERR_MEMORY;
    colptr[0] = 0;
    for (int k = 0; k < list->count; k++) {
        int e = order[k];
        while (col < list->col[e])
            colptr[++col] = at;
        if (at > colptr[col] && row[at - 1] == list->row[e]) {
            x[at - 1] += list->x[e];
            continue;
        }
        row[at] = list->row[e];
        x[at++] = list->x[e];
    }
    while (col < n)
        colptr[++col] = at;
    return perp_mat_init_csc(A, n, n, colptr, row, x);
}

perp_status perp_coordinates_to_csc(perp_mat *A, const perp_coordinates *list, int n,
                                    perp_problem_file *file)
{
    if (list->failed)
        return list->failed;
    int *by_row = sorted(list->row, NULL, list->count, n);
    int *order = by_row ? sorted(list->col, by_row, list->count, n) : NULL;
    perp_status status = order ? merge(A, list, order, n, file) : PERP_ERR_MEMORY;
    free(by_row);
    free(order);
    return status;
}

void perp_coordinates_free(perp_coordinates *list)
{
    free(list->row);
    free(list->col);
    free(list->x);
    *list = (perp_coordinates){.capacity = 0};
}
