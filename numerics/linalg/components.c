/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/components.h"

/* Root of the tree of i, halving the path; a root is its own parent and the
 * lowest unknown of its tree. */
static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

static void join(int *parent, int i, int j)
{
    int a = root_of(parent, i), b = root_of(parent, j);
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
}

int perp_components(int *of, const perp_csc *A, const int *with, perp_arena *arena)
{
    int count = 0, *parent = PERP_TAKE(arena, int, A->cols);
    if (!parent)
        return -1;
    for (int i = 0; i < A->cols; i++)
        parent[i] = i;
    for (int j = 0; j < A->cols; j++) {
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++)
            join(parent, A->row[p], j);
        if (with)
            join(parent, with[j], j);
    }
    for (int i = 0; i < A->cols; i++) {
        int root = root_of(parent, i);
        of[i] = root == i ? count++ : of[root];
    }
    return count;
}
