/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/name_table.h"

#include <stdint.h>
#include <string.h>

#include "scene/scene_inside.h"

/* FNV-1a, of 64 bits, the upper half folded into the lower one. */
static size_t hash(const char *name)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * 0x100000001b3u;
    return (size_t)(h ^ (h >> 32));
}

/* The entry of a name, or the free one where it would stand.  There is a free one. */
static perp_scene_name_entry *seek(const perp_scene_name_table *table, const char *name)
{
    size_t at = hash(name) & (table->capacity - 1);

    while (table->entry[at].name != NULL && strcmp(table->entry[at].name, name) != 0)
        at = (at + 1) & (table->capacity - 1);
    return &table->entry[at];
}

int perp_scene_number_of(const perp_scene_name_table *table, const char *name)
{
    const perp_scene_name_entry *entry = table->capacity > 0 ? seek(table, name) : NULL;

    return entry != NULL && entry->name != NULL ? entry->number : -1;
}

static int grow(perp_scene_name_table *table, perp_scene *scene)
{
    perp_scene_name_table more = {.capacity = table->capacity > 0 ? 2 * table->capacity : 64,
                                  .count = table->count};

    more.entry = perp_scene_take(scene, more.capacity, sizeof *more.entry);
    if (more.entry == NULL)
        return -1;
    for (size_t k = 0; k < table->capacity; k++)
        if (table->entry[k].name != NULL)
            *seek(&more, table->entry[k].name) = table->entry[k];
    *table = more;
    return 0;
}

int perp_scene_put_name(perp_scene_name_table *table, perp_scene *scene, const char *name,
                        int number)
{
    perp_scene_name_entry *entry;

    if (2 * table->count >= table->capacity && grow(table, scene) != 0)
        return -1;
    entry = seek(table, name);
    table->count += entry->name == NULL;
    *entry = (perp_scene_name_entry){name, number};
    return 0;
}
