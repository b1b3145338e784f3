/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdlib.h>

#include "io/dump.h"

#include "bench/generate/entries.h"

static int grow(perp_entries *entries)
{
    perp_triplets *list = &entries->list;
    size_t room = entries->room ? 2 * (size_t)entries->room : 64;
    if (room > INT_MAX)
        return -1;
    int *row = realloc(list->row, room * sizeof *row);
    list->row = row ? row : list->row;
    int *col = realloc(list->col, room * sizeof *col);
    list->col = col ? col : list->col;
    double *x = realloc(list->x, room * sizeof *x);
    list->x = x ? x : list->x;
    if (!row || !col || !x)
        return -1;
    entries->room = (int)room;
    return 0;
}

void perp_entries_add(perp_entries *entries, int row, int col, double x)
{
    perp_triplets *list = &entries->list;
    if (list->count == entries->room && (entries->failed || grow(entries)))
        entries->failed = 1;
    if (entries->failed)
        return;
    list->row[list->count] = row;
    list->col[list->count] = col;
    list->x[list->count++] = x;
}

perp_status perp_entries_to_csc(perp_mat *A, perp_entries *entries, int n, perp_dump *dump)
{
    perp_heap work, *keep = perp_dump_heap(dump);
    if (entries->failed)
        return PERP_ERR_OVERFLOW;
    entries->list.rows = entries->list.cols = n;
    perp_heap_init(&work, &keep->allocator);
    perp_status status = perp_triplets_to_csc(A, &entries->list, keep, &work);
    perp_heap_free(&work);
    return status;
}

void perp_entries_free(perp_entries *entries)
{
    free(entries->list.row);
    free(entries->list.col);
    free(entries->list.x);
    *entries = (perp_entries){.room = 0};
}
