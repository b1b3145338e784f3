/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers by name, the first one of a name. */
#ifndef PERP_SCENE_ROBOTS_NAME_INDEX_H
#define PERP_SCENE_ROBOTS_NAME_INDEX_H

#include "scene/robots/robot_job.h"

typedef struct perp_name_index {
    const char **name; /* by hash; NULL: free */
    int *number;
    size_t capacity, count;
    int seen; /* names that were put, for owners of lists that grow */
} perp_name_index;

/* -1: there is none. */
int perp_name_index_find(const perp_name_index *index, const char *name);
/* Keeps a number that the name has.  0, or -1 without memory. */
int perp_name_index_put(perp_name_index *index, perp_robot_job *job, const char *name, int number);
/* Another number for a name that is there. */
void perp_name_index_set(perp_name_index *index, const char *name, int number);

#endif
