/* SPDX-License-Identifier: BSD-3-Clause */
/* Broad phase: a uniform grid of cells that are hashed into buckets and filled by counting.
 * A shape is listed in each cell that its box meets; a pair is reported in the one cell that
 * holds the lower corner of what their boxes share. */
#include <math.h>
#include <string.h>

#include "kernel/collide/collider.h"

enum { MOST_CELLS = 512, CELL_LIMIT = 1 << 28, ALL_AXES = 7 };
/* Of the mean length of the boxes: smaller cells hold less each, larger ones are fewer. */
static const double CELL = 1.5;

static unsigned bucket_of(const int *cell, unsigned mask)
{
    unsigned x = (unsigned)cell[0], y = (unsigned)cell[1], z = (unsigned)cell[2];
    unsigned hash = x * 2654435761u ^ y * 2246822519u ^ z * 3266489917u;
    return (hash ^ hash >> 15) & mask;
}

/* Beyond the limit all places share the last cell: slower there, no less exact. */
static int cell_of(double x, double cell)
{
    double k = floor(x / cell);
    if (!(k > -(double)CELL_LIMIT))
        return -CELL_LIMIT;
    return k < (double)CELL_LIMIT ? (int)k : CELL_LIMIT;
}

/* Geometric mean of the largest lengths of the boxes, on which a few shapes far from the size of
 * the others have no say; 0 where there are none. */
static double mean_length(const perp_collider *c)
{
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < c->nshapes; i++) {
        const perp_spot *spot = &c->spots[i];
        double longest = 0.0;
        if (!perp_shape_is_here(&c->shapes[i]) || c->shapes[i].endless)
            continue;
        for (int k = 0; k < 3; k++)
            longest = fmax(longest, spot->hi[k] - spot->lo[k]);
        if (!(longest > 0.0) || !isfinite(longest))
            continue;
        sum += log(longest);
        count++;
    }
    return count > 0 ? exp(sum / count) : 0.0;
}

/* Cells that each shape meets; those that meet too many are loose. */
static perp_status choose_cells(size_t *total, perp_collider *c)
{
    perp_grid *grid = &c->grid;
    *total = 0;
    grid->nloose = 0;
    for (int i = 0; i < c->nshapes; i++) {
        perp_spot *spot = &c->spots[i];
        double cells = 1.0;
        spot->listed = 0;
        if (!perp_shape_is_here(&c->shapes[i]))
            continue;
        for (int k = 0; k < 3 && !c->shapes[i].endless; k++) {
            spot->cell_lo[k] = cell_of(spot->lo[k], grid->cell);
            spot->cell_hi[k] = cell_of(spot->hi[k], grid->cell);
            cells *= (double)spot->cell_hi[k] - spot->cell_lo[k] + 1.0;
        }
        if (!c->shapes[i].endless && cells <= MOST_CELLS) {
            spot->listed = 1;
            *total += (size_t)cells;
            continue;
        }
        if (!perp_pool_grow(&c->pool, (void **)&grid->loose, &grid->capacity_loose,
                            grid->nloose + 1, sizeof(int)))
            return PERP_ERR_MEMORY;
        grid->loose[grid->nloose++] = i;
    }
    return PERP_SOLVED;
}

/* Bits of the axes along which a cell is the first of a shape. */
static int first_axes(const perp_spot *spot, const int *cell)
{
    return (cell[0] == spot->cell_lo[0]) | (cell[1] == spot->cell_lo[1]) << 1 |
           (cell[2] == spot->cell_lo[2]) << 2;
}

/* Calls for each cell of a shape, in two rounds: count, then place. */
static void visit_cells(perp_grid *grid, const perp_spot *spot, int shape, int place)
{
    int cell[3];
    for (cell[2] = spot->cell_lo[2]; cell[2] <= spot->cell_hi[2]; cell[2]++)
        for (cell[1] = spot->cell_lo[1]; cell[1] <= spot->cell_hi[1]; cell[1]++)
            for (cell[0] = spot->cell_lo[0]; cell[0] <= spot->cell_hi[0]; cell[0]++) {
                unsigned bucket = bucket_of(cell, grid->mask);
                if (!place) {
                    grid->start[bucket + 1]++;
                    continue;
                }
                perp_cell_entry *entry = &grid->entries[grid->start[bucket]++];
                memcpy(entry->cell, cell, sizeof cell);
                entry->shape = shape;
                entry->first = first_axes(spot, cell);
            }
}

perp_status perp_grid_build(perp_collider *c)
{
    perp_grid *grid = &c->grid;
    size_t total;
    grid->cell = CELL * mean_length(c);
    if (!(grid->cell > 0.0) || !isfinite(grid->cell))
        grid->cell = 1.0;
    perp_status status = choose_cells(&total, c);
    if (status != PERP_SOLVED)
        return status;
    if (total > (size_t)CELL_LIMIT)
        return PERP_ERR_OVERFLOW;
    unsigned buckets = 16;
    while (buckets < total)
        buckets *= 2;
    grid->mask = buckets - 1;
    if (!perp_pool_grow(&c->pool, (void **)&grid->entries, &grid->capacity_entries, (int)total,
                        sizeof(perp_cell_entry)) ||
        !perp_pool_grow(&c->pool, (void **)&grid->start, &grid->capacity_start, (int)buckets + 1,
                        sizeof(int)))
        return PERP_ERR_MEMORY;
    memset(grid->start, 0, (size_t)(buckets + 1) * sizeof(int));
    for (int i = 0; i < c->nshapes; i++)
        if (c->spots[i].listed)
            visit_cells(grid, &c->spots[i], i, 0);
    for (unsigned k = 0; k < buckets; k++)
        grid->start[k + 1] += grid->start[k];
    for (int i = 0; i < c->nshapes; i++)
        if (c->spots[i].listed)
            visit_cells(grid, &c->spots[i], i, 1);
    /* Each start has moved on to that of the next bucket. */
    memmove(grid->start + 1, grid->start, (size_t)buckets * sizeof(int));
    grid->start[0] = 0;
    return PERP_SOLVED;
}

static int boxes_meet(const perp_spot *a, const perp_spot *b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] &&
           b->lo[1] <= a->hi[1] && a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

/* For any two shapes: a plane meets the boxes that reach to twice the distance of the pair. */
static int may_meet(const perp_collider *c, int i, int j)
{
    const perp_shape *a = &c->shapes[i], *b = &c->shapes[j];
    if (!a->endless && !b->endless)
        return boxes_meet(&c->spots[i], &c->spots[j]);
    if (a->endless && b->endless)
        return 0;
    const perp_shape *plane = a->endless ? a : b, *shape = a->endless ? b : a;
    double height = -2.0 * perp_collider_distance(c, i, j) - c->most_skin;
    for (int k = 0; k < 3; k++)
        height += plane->normal[k] * (shape->centre[k] - plane->centre[k]) -
                  fabs(plane->normal[k]) * shape->half[k];
    return height <= 0.0;
}

static perp_status found(perp_collider *c, int j)
{
    perp_grid *grid = &c->grid;
    if (!perp_pool_grow(&c->pool, (void **)&grid->found, &grid->capacity_found, grid->nfound + 1,
                        sizeof(int)))
        return PERP_ERR_MEMORY;
    grid->found[grid->nfound++] = j;
    return PERP_SOLVED;
}

/* Partners of a listed shape in one cell; a bucket has its shapes in ascending order.  The lower
 * corner of what two boxes share lies in a cell that is, along each axis, the first of one of them.
 */
static perp_status search_cell(perp_collider *c, int i, const int *cell)
{
    const perp_grid *grid = &c->grid;
    const perp_spot *a = &c->spots[i];
    int first = first_axes(a, cell);
    unsigned bucket = bucket_of(cell, grid->mask);
    perp_status status = PERP_SOLVED;
    for (int k = grid->start[bucket + 1] - 1; k >= grid->start[bucket] && !status; k--) {
        const perp_cell_entry *entry = &grid->entries[k];
        if (entry->shape <= i)
            break;
        if ((first | entry->first) == ALL_AXES && cell[0] == entry->cell[0] &&
            cell[1] == entry->cell[1] && cell[2] == entry->cell[2] &&
            boxes_meet(a, &c->spots[entry->shape]))
            status = found(c, entry->shape);
    }
    return status;
}

static perp_status search_cells(perp_collider *c, int i)
{
    const perp_spot *spot = &c->spots[i];
    perp_status status = PERP_SOLVED;
    int cell[3];
    for (cell[2] = spot->cell_lo[2]; cell[2] <= spot->cell_hi[2] && !status; cell[2]++)
        for (cell[1] = spot->cell_lo[1]; cell[1] <= spot->cell_hi[1] && !status; cell[1]++)
            for (cell[0] = spot->cell_lo[0]; cell[0] <= spot->cell_hi[0] && !status; cell[0]++)
                status = search_cell(c, i, cell);
    return status;
}

static void sort_found(int *x, int n)
{
    for (int i = 1; i < n; i++) {
        int value = x[i], k = i;
        for (; k > 0 && x[k - 1] > value; k--)
            x[k] = x[k - 1];
        x[k] = value;
    }
}

perp_status perp_grid_partners(perp_collider *c, int i)
{
    perp_grid *grid = &c->grid;
    perp_status status = PERP_SOLVED;
    grid->nfound = 0;
    if (!c->spots[i].listed) {
        for (int j = i + 1; j < c->nshapes && !status; j++)
            if (perp_shape_is_here(&c->shapes[j]) && may_meet(c, i, j))
                status = found(c, j);
        return status;
    }
    status = search_cells(c, i);
    for (int k = 0; k < grid->nloose && !status; k++)
        if (grid->loose[k] > i && may_meet(c, i, grid->loose[k]))
            status = found(c, grid->loose[k]);
    sort_found(grid->found, grid->nfound);
    return status;
}

perp_status perp_grid_pairs(perp_collider *c, perp_status (*pair)(perp_collider *c, int i, int j))
{
    perp_status status = perp_grid_build(c);
    for (int i = 0; i < c->nshapes && status == PERP_SOLVED; i++) {
        if (!perp_shape_is_here(&c->shapes[i]))
            continue;
        status = perp_grid_partners(c, i);
        for (int k = 0; k < c->grid.nfound && status == PERP_SOLVED; k++)
            status = pair(c, i, c->grid.found[k]);
    }
    return status;
}
