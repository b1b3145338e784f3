/* SPDX-License-Identifier: BSD-3-Clause */
#include "generators/cells.h"

#include <math.h>
#include <string.h>

typedef struct grid {
    double low[3], edge;
    int count[3];
    int cells;
    int *start; /* cells + 1: first position of a cell in `order` */
    int *order; /* bodies, cell by cell */
    int *cell;  /* of each body */
} grid;

/* Cells of at least `reach`, at most about eight per body. */
static void choose_cells(grid *g, const perp_packing *scene, double reach)
{
    double high[3], most = 8.0 * scene->bodies + 64.0, total;

    memcpy(g->low, scene->body[0].x, sizeof g->low);
    memcpy(high, scene->body[0].x, sizeof high);
    for (int a = 1; a < scene->bodies; a++) {
        for (int k = 0; k < 3; k++) {
            g->low[k] = fmin(g->low[k], scene->body[a].x[k]);
            high[k] = fmax(high[k], scene->body[a].x[k]);
        }
    }
    g->edge = reach;
    for (;;) {
        total = 1.0;
        for (int k = 0; k < 3; k++)
            total *= floor((high[k] - g->low[k]) / g->edge) + 1.0;
        if (total <= most)
            break;
        g->edge *= 1.25;
    }
    g->cells = 1;
    for (int k = 0; k < 3; k++) {
        g->count[k] = (int)((high[k] - g->low[k]) / g->edge) + 1;
        g->cells *= g->count[k];
    }
}

static void sort_bodies(grid *g, const perp_packing *scene)
{
    memset(g->start, 0, ((size_t)g->cells + 1) * sizeof *g->start);
    for (int a = 0; a < scene->bodies; a++) {
        int cell = 0;

        for (int k = 2; k >= 0; k--) {
            int at = (int)((scene->body[a].x[k] - g->low[k]) / g->edge);

            cell = cell * g->count[k] + (at < g->count[k] ? at : g->count[k] - 1);
        }
        g->cell[a] = cell;
        g->start[cell]++;
    }
    for (int c = 0, sum = 0; c <= g->cells; c++) {
        int held = g->start[c];

        g->start[c] = sum;
        sum += held;
    }
    for (int a = 0; a < scene->bodies; a++)
        g->order[g->start[g->cell[a]]++] = a;
    for (int c = g->cells; c > 0; c--)
        g->start[c] = g->start[c - 1];
    g->start[0] = 0;
}

static double distance_of(const perp_packing *scene, int a, int b)
{
    const double *x = scene->body[a].x, *y = scene->body[b].x;

    return sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                (x[2] - y[2]) * (x[2] - y[2]));
}

/* Body a against the bodies of a cell that come before it. */
static void look_in(const grid *g, const perp_packing *scene, double reach, int a, int cell,
                    perp_pair_fn found, void *ctx)
{
    for (int k = g->start[cell]; k < g->start[cell + 1]; k++) {
        int b = g->order[k];
        double distance;

        if (b >= a)
            continue;
        distance = distance_of(scene, a, b);
        if (distance < reach)
            found(ctx, a, b, distance);
    }
}

static void look_around(const grid *g, const perp_packing *scene, double reach, int a,
                        perp_pair_fn found, void *ctx)
{
    int at[3], from[3], to[3], cell = g->cell[a];

    for (int k = 0; k < 3; k++) {
        at[k] = cell % g->count[k];
        cell /= g->count[k];
        from[k] = at[k] > 0 ? at[k] - 1 : 0;
        to[k] = at[k] + 1 < g->count[k] ? at[k] + 1 : at[k];
    }
    for (int z = from[2]; z <= to[2]; z++) {
        for (int y = from[1]; y <= to[1]; y++)
            for (int x = from[0]; x <= to[0]; x++)
                look_in(g, scene, reach, a, (z * g->count[1] + y) * g->count[0] + x, found, ctx);
    }
}

void perp_cells_pairs(perp_packing *scene, double reach, perp_pair_fn found, void *ctx)
{
    const perp_allocator *allocator = &scene->allocator;
    size_t n = (size_t)scene->bodies;
    int *memory;
    grid g;

    if (scene->status != PERP_SOLVED || scene->bodies < 2)
        return;
    choose_cells(&g, scene, reach);
    memory = allocator->allocate(allocator->ctx, ((size_t)g.cells + 1 + 2 * n) * sizeof *memory);
    if (memory == NULL) {
        scene->status = PERP_ERR_MEMORY;
        return;
    }
    g.start = memory;
    g.order = memory + g.cells + 1;
    g.cell = g.order + n;
    sort_bodies(&g, scene);
    for (int a = 0; a < scene->bodies; a++)
        look_around(&g, scene, reach, a, found, ctx);
    allocator->release(allocator->ctx, memory);
}
