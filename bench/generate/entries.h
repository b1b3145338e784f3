/* SPDX-License-Identifier: BSD-3-Clause */
/* A list of the entries of a sparse matrix that grows. */
#ifndef PERP_BENCH_ENTRIES_H
#define PERP_BENCH_ENTRIES_H

#include "io/sparse.h"

typedef struct perp_entries {
    perp_triplets list; /* in arrays of malloc() */
    int room;
    int failed; /* memory was out, or there are too many */
} perp_entries;

/* To a list that began as {0}; after a failure nothing is added. */
void perp_entries_add(perp_entries *entries, int row, int col, double x);
/* n x n, duplicates summed, in memory of the dump. */
perp_status perp_entries_to_csc(perp_mat *A, perp_entries *entries, int n, perp_dump *dump);
void perp_entries_free(perp_entries *entries);

#endif
