/* SPDX-License-Identifier: BSD-3-Clause */
/* Disjoint classes of 0 .. n - 1, as trees: parent[i] = i at a root, which is the lowest member
 * of its class.  At the start every i is its own parent. */
#ifndef PERP_LINALG_PARTITION_H
#define PERP_LINALG_PARTITION_H

static inline void perp_partition_start(int *parent, int n)
{
    for (int i = 0; i < n; i++)
        parent[i] = i;
}

static inline int perp_partition_root(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static inline void perp_partition_join(int *parent, int i, int j)
{
    int a = perp_partition_root(parent, i), b = perp_partition_root(parent, j);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

#endif
