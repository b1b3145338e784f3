/* SPDX-License-Identifier: BSD-3-Clause */
/* Names to numbers, by hash.  The texts belong to the scene, and so does the table. */
#ifndef PERP_SCENE_NAME_TABLE_H
#define PERP_SCENE_NAME_TABLE_H

#include <stddef.h>

struct perp_scene;

typedef struct perp_scene_name_entry {
    const char *name; /* NULL: free */
    int number;
} perp_scene_name_entry;

typedef struct perp_scene_name_table {
    perp_scene_name_entry *entry;
    size_t capacity, count; /* capacity: a power of 2, or 0 */
} perp_scene_name_table;

/* The number of a name, -1 where it has none. */
int perp_scene_number_of(const perp_scene_name_table *table, const char *name);
/* Gives a name its number, instead of the one that it has.  0, or -1 without memory, noted as a
 * failure of the scene. */
int perp_scene_put_name(perp_scene_name_table *table, struct perp_scene *scene, const char *name,
                        int number);

#endif
