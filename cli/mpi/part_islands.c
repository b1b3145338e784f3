/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/part_islands.h"

#include <stdlib.h>
#include <string.h>

/* What all ranks said: islands, and the pairs of body and island, by rank. */
typedef struct joined {
    int *count, *offset; /* of islands, by rank; the offset is that of their numbers among all */
    int *npairs, *at;    /* of the numbers in `pair` */
    int *pair, *own, *parent, *met; /* met: an island of each body, -1 */
    double *sums, *total;
    int islands, pairs;
} joined;

static void *taken(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

static int root_of(int *parent, int k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

/* Sizes of all ranks.  0: one of them has no memory. */
static int share_sizes(joined *j, const perp_part_layout *layout, int bodies, int islands)
{
    int own[2] = {islands, 2 * bodies}, n = layout->ranks, bad, worst;
    int *all = taken(6 * (size_t)n, sizeof *all);

    j->count = all;
    bad = all == NULL;
    MPI_Allreduce(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst != 0)
        return 0;
    j->offset = j->count + n;
    j->npairs = j->offset + n;
    j->at = j->npairs + n;
    MPI_Allgather(own, 2, MPI_INT, j->at + n, 2, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < n; r++) {
        j->count[r] = j->at[n + 2 * r];
        j->npairs[r] = j->at[n + 2 * r + 1];
    }
    for (int r = 0; r < n; r++) {
        j->offset[r] = j->islands;
        j->at[r] = j->pairs;
        j->islands += j->count[r];
        j->pairs += j->npairs[r];
    }
    return 1;
}

static int take_memory(joined *j, const perp_part_layout *layout, int bodies)
{
    size_t n = (size_t)j->islands;

    j->pair =
        taken((size_t)j->pairs + 2 * (size_t)bodies + n + (size_t)layout->bodies, sizeof *j->pair);
    j->sums = taken(2 * PERP_PART_SUMS * n, sizeof *j->sums);
    if (j->pair == NULL || j->sums == NULL)
        return 0;
    j->own = j->pair + j->pairs;
    j->parent = j->own + 2 * bodies;
    j->met = j->parent + n;
    j->total = j->sums + PERP_PART_SUMS * n;
    return 1;
}

/* Numbers of islands count in doubles from here on, as their sums lie. */
static void bring(joined *j, const perp_part_layout *layout, const int *island, int bodies,
                  const double *sums)
{
    int at = 0, first = j->offset[layout->rank], own = j->count[layout->rank];

    for (int k = 0; k < layout->present; k++) {
        int body = layout->here[k];
        if (layout->presence[body] == PERP_PRESENCE_OWN)
            continue;
        j->own[2 * at] = layout->number[body];
        j->own[2 * at + 1] = first + island[at];
        at++;
    }
    MPI_Allgatherv(j->own, 2 * bodies, MPI_INT, j->pair, j->npairs, j->at, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < layout->ranks; r++) {
        j->count[r] *= PERP_PART_SUMS;
        j->offset[r] *= PERP_PART_SUMS;
    }
    MPI_Allgatherv(sums, PERP_PART_SUMS * own, MPI_DOUBLE, j->sums, j->count, j->offset, MPI_DOUBLE,
                   MPI_COMM_WORLD);
}

/* Islands with a body in common are one; sums in the order of the ranks. */
static void add_up(joined *j, const perp_part_layout *layout)
{
    for (int k = 0; k < j->islands; k++)
        j->parent[k] = k;
    for (int k = 0; k < layout->bodies; k++)
        j->met[k] = -1;
    for (int k = 0; k < j->pairs; k += 2) {
        int *met = &j->met[j->pair[k]], a, b;
        if (*met < 0)
            *met = j->pair[k + 1];
        a = root_of(j->parent, *met);
        b = root_of(j->parent, j->pair[k + 1]);
        j->parent[a > b ? a : b] = a > b ? b : a;
    }
    for (int k = 0; k < j->islands; k++) {
        double *to = j->total + PERP_PART_SUMS * (size_t)root_of(j->parent, k);
        for (int i = 0; i < PERP_PART_SUMS; i++)
            to[i] += j->sums[PERP_PART_SUMS * (size_t)k + (size_t)i];
    }
}

int perp_part_join_islands(perp_part_layout *layout, const int *island, int bodies, double *sums,
                           int islands)
{
    joined j;
    int bad, worst;

    memset(&j, 0, sizeof j);
    if (!share_sizes(&j, layout, bodies, islands)) {
        free(j.count);
        return 1;
    }
    bad = bodies != layout->shared || !take_memory(&j, layout, bodies);
    MPI_Allreduce(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (worst == 0 && j.islands > 0) {
        bring(&j, layout, island, bodies, sums);
        add_up(&j, layout);
        for (int k = 0; k < islands; k++)
            memcpy(sums + PERP_PART_SUMS * k,
                   j.total +
                       PERP_PART_SUMS *
                           (size_t)root_of(j.parent, j.offset[layout->rank] / PERP_PART_SUMS + k),
                   PERP_PART_SUMS * sizeof *sums);
        layout->messages += 2.0 * (layout->ranks - 1);
        layout->bytes += (layout->ranks - 1) * (8.0 * bodies + 8.0 * PERP_PART_SUMS * islands);
    }
    free(j.count);
    free(j.pair);
    free(j.sums);
    return worst;
}
