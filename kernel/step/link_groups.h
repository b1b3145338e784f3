/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of interactions that no chain of shared systems, or of systems tied by joints, joins. */
#ifndef PERP_KERNEL_LINK_GROUPS_H
#define PERP_KERNEL_LINK_GROUPS_H

#include "kernel/step/saddle.h"

/* Classes of numbers as trees, parent[i] = i of a root: the root of i, which is the lowest member; one
 * class of two, 0: i and j were in one. */
int perp_class_root(int *parent, int i);
int perp_class_join(int *parent, int i, int j);

/* Begins as zeros; memory from the pool, kept. */
typedef struct perp_link_groups {
    perp_pool *pool;
    int count;
    int *first;  /* count + 1, in member */
    int *member; /* group by group, each ascending; groups by their lowest member */
    int *parent, *of;
    int capacity_first, capacity_member, capacity_parent, capacity_of;
} perp_link_groups;

/* A system that stands for all that joints tie to this one; saddle: NULL where there are none. */
perp_system *perp_link_holder(const perp_saddle *saddle, perp_system *s);

/* Groups of links[0 .. n - 1], one of which may be there several times.  active_head of the systems
 * is written.  0: memory is out. */
int perp_link_groups_find(perp_link_groups *groups, perp_pool *pool, perp_link *const *links, int n,
                          const perp_saddle *saddle);
void perp_link_groups_free(perp_link_groups *groups);

#endif
