/* SPDX-License-Identifier: BSD-3-Clause */
/* Classes as trees, whose roots are their lowest members. */
#include "kernel/step/link_groups.h"

#define GROW(groups, array, capacity, count)                                                       \
    perp_pool_grow((groups)->pool, (void **)&(groups)->array, &(groups)->capacity, (count),        \
                   sizeof *(groups)->array)

int perp_class_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

int perp_class_join(int *parent, int i, int j)
{
    int a = perp_class_root(parent, i), b = perp_class_root(parent, j);
    parent[a < b ? b : a] = a < b ? a : b;
    return a != b;
}

perp_system *perp_link_holder(const perp_saddle *saddle, perp_system *s)
{
    return saddle && s->coupled >= 0 ? perp_saddle_first(saddle, s->island) : s;
}

static void join_systems(perp_link_groups *groups, perp_link *const *links, int n,
                         const perp_saddle *saddle)
{
    for (int k = 0; k < n; k++)
        for (int m = 0; m < links[k]->nsystems; m++)
            perp_link_holder(saddle, links[k]->systems[m])->active_head = -1;
    for (int k = 0; k < n; k++)
        groups->parent[k] = k;
    for (int k = 0; k < n; k++)
        for (int m = 0; m < links[k]->nsystems; m++) {
            perp_system *s = perp_link_holder(saddle, links[k]->systems[m]);
            if (s->active_head < 0)
                s->active_head = k;
            else
                (void)perp_class_join(groups->parent, s->active_head, k);
        }
}

/* Counting sort. */
static void list_groups(perp_link_groups *groups, int n)
{
    groups->count = 0;
    for (int k = 0; k < n; k++) {
        int root = perp_class_root(groups->parent, k);
        groups->of[k] = root == k ? groups->count++ : groups->of[root];
        if (root == k)
            groups->first[groups->of[k]] = 0;
        groups->first[groups->of[k]]++;
    }
    for (int g = 0, at = 0; g < groups->count; g++) {
        int members = groups->first[g];
        groups->first[g] = at;
        at += members;
    }
    for (int k = 0; k < n; k++)
        groups->member[groups->first[groups->of[k]]++] = k;
    for (int g = groups->count; g > 0; g--)
        groups->first[g] = groups->first[g - 1];
    groups->first[0] = 0;
}

int perp_link_groups_find(perp_link_groups *groups, perp_pool *pool, perp_link *const *links, int n,
                          const perp_saddle *saddle)
{
    groups->pool = pool;
    if (!GROW(groups, first, capacity_first, n + 1) || !GROW(groups, member, capacity_member, n) ||
        !GROW(groups, parent, capacity_parent, n) || !GROW(groups, of, capacity_of, n))
        return 0;
    join_systems(groups, links, n, saddle);
    list_groups(groups, n);
    return 1;
}

void perp_link_groups_free(perp_link_groups *groups)
{
    void *own[] = {groups->first, groups->member, groups->parent, groups->of};
    for (size_t k = 0; groups->pool && k < sizeof own / sizeof own[0]; k++)
        perp_pool_give(groups->pool, own[k]);
    *groups = (perp_link_groups){0};
}
