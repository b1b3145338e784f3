/* SPDX-License-Identifier: BSD-3-Clause */
/* The entries of a matrix as a sorted list, on the way into a file. */
#ifndef PERP_SCENE_PROBLEM_ENTRIES_H
#define PERP_SCENE_PROBLEM_ENTRIES_H

#include <perp/io.h>

#include "scene/scene_memory.h"

typedef struct perp_scene_entry {
    int row, col;
    double x;
} perp_scene_entry;

typedef struct perp_scene_entries {
    const perp_allocator *memory;
    perp_scene_entry *list;
    size_t count, room;
} perp_scene_entries;

/* Entry (i, j) of A becomes (place[i], place[j]); zeros are left out.  A matrix that is
 * no list of entries is applied to each unit vector. */
perp_status perp_scene_collect(perp_scene_entries *entries, const perp_mat *A, const int *place);
perp_status perp_scene_add_entry(perp_scene_entries *entries, int row, int col, double x);
/* By columns, rows ascending within. */
void perp_scene_sort(perp_scene_entries *entries);
/* The block of rows and columns from (row0, col0) of sorted entries, as compressed columns
 * whose memory belongs to the dump. */
perp_status perp_scene_take_block(perp_mat *A, perp_dump *dump, const perp_scene_entries *entries,
                                  int row0, int col0, int rows, int cols);
/* 1 where the blocks above and below the diagonal, split at m, are transposes of each
 * other to 1e-10. */
int perp_scene_couples_alike(const perp_scene_entries *entries, int m);
void perp_scene_free_entries(perp_scene_entries *entries);

#endif
