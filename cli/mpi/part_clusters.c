/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/part_clusters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/mpi/part_cells.h"

/* Skins that are tried, each of the one before; the load of a rank over the mean that is no reason
 * to move anything. */
enum { TRIES = 4 };
static const double NARROWER = 0.25, UNEVEN = 1.25;

typedef struct clusters {
    perp_part_layout *layout;
    int n;            /* bodies */
    int *parent;      /* of each body */
    int *root, count; /* bodies that are roots, ascending */
    int *cell, *stay; /* by root: of a new division, and where most of it lies */
    double *weight;   /* by body; of a root: of the cluster */
    double *place;    /* by root: of the mass of its weights */
    double *load;     /* by rank */
} clusters;

static int root_of(int *parent, int k)
{
    while (parent[k] != k)
        k = parent[k] = parent[parent[k]];
    return k;
}

static void unite(clusters *c, int i, int j)
{
    c->layout->neighbours[i]++;
    c->layout->neighbours[j]++;
    i = root_of(c->parent, i);
    j = root_of(c->parent, j);
    c->parent[i > j ? i : j] = i > j ? j : i;
}

static int meet(void *ctx, perp_system_id a, perp_system_id b)
{
    clusters *c = ctx;

    c->layout->edges++;
    unite(c, c->layout->place[a.index], c->layout->place[b.index]);
    return 0;
}

static void unite_tied(clusters *c)
{
    const perp_part_layout *layout = c->layout;

    for (int t = 0; t < layout->ties; t++)
        for (int k = layout->tie[t] + 1; k < layout->tie[t + 1]; k++)
            unite(c, layout->tied[layout->tie[t]], layout->tied[k]);
}

static int take_memory(clusters *c, perp_part_layout *layout)
{
    size_t n = (size_t)layout->bodies + 1;

    memset(c, 0, sizeof *c);
    c->layout = layout;
    c->n = layout->bodies;
    c->parent = calloc(4 * n, sizeof *c->parent);
    c->weight = calloc(4 * n + 2 * (size_t)layout->ranks, sizeof *c->weight);
    if (c->parent == NULL || c->weight == NULL)
        return 0;
    c->root = c->parent + n;
    c->cell = c->root + n;
    c->stay = c->cell + n;
    c->place = c->weight + n;
    c->load = c->place + 3 * n;
    return 1;
}

/* Joins what may touch or is tied, and weighs it: a body as much as its neighbours. */
static perp_status join(clusters *c, double h)
{
    perp_part_layout *layout = c->layout;
    perp_status status;

    layout->edges = layout->cut = 0;
    memset(layout->neighbours, 0, (size_t)c->n * sizeof *layout->neighbours);
    for (int k = 0; k < c->n; k++)
        c->parent[k] = k;
    status = perp_collider_neighbours(layout->collider, h, layout->skin, meet, c);
    unite_tied(c);
    c->count = 0;
    for (int k = 0; k < c->n; k++) {
        int root = root_of(c->parent, k);
        double own = 1.0 + layout->neighbours[k];
        if (root == k)
            c->root[c->count++] = k;
        c->weight[k] = root == k ? own : 0.0;
        c->weight[root] += root == k ? 0.0 : own;
    }
    return status;
}

static double sum_of(const clusters *c, double *largest)
{
    double sum = 0.0;

    *largest = 0.0;
    for (int k = 0; k < c->count; k++) {
        sum += c->weight[c->root[k]];
        *largest = fmax(*largest, c->weight[c->root[k]]);
    }
    return sum;
}

static perp_status find(clusters *c, double h, double way)
{
    perp_part_layout *layout = c->layout;
    perp_status status = PERP_SOLVED;

    for (int k = 0; k < TRIES && status == PERP_SOLVED; k++) {
        double largest, sum, least = fmin(2.0 * way, layout->widest);
        layout->skin = fmax(layout->widest * pow(NARROWER, k), least);
        status = join(c, h);
        sum = sum_of(c, &largest);
        if (largest * layout->ranks <= UNEVEN * sum || layout->skin <= least)
            break;
    }
    return status;
}

/* Cells of space for whole clusters. */
static perp_status make_cells(clusters *c)
{
    perp_part_key *keys = perp_part_keys(c->count);

    if (keys == NULL)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < c->n; k++) {
        double *q = NULL, *place = c->place + 3 * (size_t)root_of(c->parent, k);
        perp_model_state(c->layout->model, c->layout->id[k], &q, NULL, NULL, NULL);
        for (int d = 0; d < 3; d++)
            place[d] += (1.0 + c->layout->neighbours[k]) * q[d];
    }
    for (int k = 0; k < c->count; k++) {
        double *place = c->place + 3 * (size_t)c->root[k], weight = c->weight[c->root[k]];
        for (int d = 0; d < 3; d++)
            place[d] /= weight;
        perp_part_key_set(keys, k, place, weight);
    }
    perp_part_cells(keys, c->count, c->layout->ranks);
    for (int k = 0; k < c->count; k++) {
        int at, cell = perp_part_key_get(keys, k, &at);
        c->cell[c->root[at]] = cell;
    }
    free(keys);
    return PERP_SOLVED;
}

/* Of the ranks that have bodies of a cluster the one with most, of equals the first. */
static perp_status find_stay(clusters *c)
{
    int *at = calloc((size_t)c->n + 1, sizeof *at), *member = NULL;
    int *votes = calloc((size_t)c->layout->ranks, sizeof *votes);
    perp_status status = PERP_ERR_MEMORY;

    member = calloc((size_t)c->n + 1, sizeof *member);
    if (at != NULL && votes != NULL && member != NULL) {
        status = PERP_SOLVED;
        for (int k = 0; k < c->n; k++)
            at[root_of(c->parent, k) + 1]++;
        for (int k = 0; k < c->n; k++)
            at[k + 1] += at[k];
        for (int k = 0; k < c->n; k++)
            member[at[root_of(c->parent, k)]++] = k;
        for (int k = 0, from = 0; k < c->count; k++) {
            int root = c->root[k], until = at[root], best = -1;
            for (int m = from; m < until; m++)
                votes[c->layout->owner[member[m]]]++;
            for (int m = from; m < until; m++) {
                int rank = c->layout->owner[member[m]];
                if (best < 0 || votes[rank] > votes[best] ||
                    (votes[rank] == votes[best] && rank < best))
                    best = rank;
            }
            for (int m = from; m < until; m++)
                votes[c->layout->owner[member[m]]] = 0;
            c->stay[root] = best;
            from = until;
        }
    }
    free(at);
    free(member);
    free(votes);
    return status;
}

static double most_load(const clusters *c, const int *rank_of)
{
    double most = 0.0;

    memset(c->load, 0, (size_t)c->layout->ranks * sizeof *c->load);
    for (int k = 0; k < c->count; k++)
        c->load[rank_of[c->root[k]]] += c->weight[c->root[k]];
    for (int r = 0; r < c->layout->ranks; r++)
        most = fmax(most, c->load[r]);
    return most;
}

static void give(clusters *c, const int *rank_of)
{
    perp_part_layout *layout = c->layout;

    for (int k = 0; k < c->n; k++) {
        int rank = rank_of[root_of(c->parent, k)];
        layout->migrated +=
            layout->divisions > 0 && rank != layout->owner[k] && layout->owner[k] == layout->rank;
        layout->owner[k] = rank;
    }
}

perp_status perp_part_clusters_assign(perp_part_layout *layout, double h, double way)
{
    clusters c;
    perp_status status = PERP_ERR_MEMORY;

    if (take_memory(&c, layout)) {
        status = find(&c, h, way);
        if (status == PERP_SOLVED)
            status = make_cells(&c);
        if (status == PERP_SOLVED)
            status = find_stay(&c);
        if (status == PERP_SOLVED && layout->divisions > 0 &&
            most_load(&c, c.stay) <= UNEVEN * most_load(&c, c.cell))
            give(&c, c.stay);
        else if (status == PERP_SOLVED)
            give(&c, c.cell);
    }
    free(c.parent);
    free(c.weight);
    return status;
}
