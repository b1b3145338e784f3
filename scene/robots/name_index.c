/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/name_index.h"

#include <stdint.h>
#include <string.h>

static size_t slot_of(const perp_name_index *index, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    size_t slot;

    for (const char *c = name; *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    slot = (size_t)((hash ^ (hash >> 32)) & (index->capacity - 1));
    while (index->name[slot] != NULL && strcmp(index->name[slot], name) != 0)
        slot = (slot + 1) & (index->capacity - 1);
    return slot;
}

static int grow(perp_name_index *index, perp_robot_job *job)
{
    perp_name_index more = *index;

    more.capacity = index->capacity > 0 ? 2 * index->capacity : 64;
    more.name = perp_robot_take(job, more.capacity, sizeof *more.name);
    more.number = perp_robot_take(job, more.capacity, sizeof *more.number);
    if (more.name == NULL || more.number == NULL)
        return -1;
    for (size_t k = 0; k < index->capacity; k++)
        if (index->name[k] != NULL) {
            size_t slot = slot_of(&more, index->name[k]);
            more.name[slot] = index->name[k];
            more.number[slot] = index->number[k];
        }
    *index = more;
    return 0;
}

int perp_name_index_find(const perp_name_index *index, const char *name)
{
    size_t slot;

    if (index->capacity == 0)
        return -1;
    slot = slot_of(index, name);
    return index->name[slot] != NULL ? index->number[slot] : -1;
}

int perp_name_index_put(perp_name_index *index, perp_robot_job *job, const char *name, int number)
{
    size_t slot;

    if (2 * (index->count + 1) > index->capacity && grow(index, job) != 0)
        return -1;
    slot = slot_of(index, name);
    if (index->name[slot] != NULL)
        return 0;
    index->name[slot] = name;
    index->number[slot] = number;
    index->count++;
    return 0;
}

void perp_name_index_set(perp_name_index *index, const char *name, int number)
{
    if (index->capacity > 0)
        index->number[slot_of(index, name)] = number;
}
