/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/components.h"

#include "linalg/partition.h"

int perp_components(int *of, const perp_csc *A, const int *with, perp_arena *arena)
{
    int count = 0, *parent = PERP_TAKE(arena, int, A->cols);
    if (!parent)
        return -1;
    perp_partition_start(parent, A->cols);
    for (int j = 0; j < A->cols; j++) {
        for (int p = A->colptr[j]; p < A->colptr[j + 1]; p++)
            perp_partition_join(parent, A->row[p], j);
        if (with)
            perp_partition_join(parent, with[j], j);
    }
    for (int i = 0; i < A->cols; i++) {
        int root = perp_partition_root(parent, i);
        of[i] = root == i ? count++ : of[root];
    }
    return count;
}
