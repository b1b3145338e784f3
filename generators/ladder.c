/* SPDX-License-Identifier: BSD-3-Clause */
#include "generators/ladder.h"

#include <math.h>
#include <stdio.h>

#include "core/rng.h"

enum { CURRENT, NODE, LOAD, MINUS, DIODE, DIODES = 4, RELAY = DIODE + DIODES, SECTION = 8 };
enum { ROWS_MAX = 100000000, COLUMN_MAX = 6 };

static const double step = 1e-5, source = 10.0, zener = 5.0, relay = 2e-3, leak = 1e-6;

typedef struct ladder {
    int sections, width, entries;
    int *colptr, *row;
    double *x, *q, *lo, *hi;
    int *is_free;
} ladder;

static void put(ladder *l, int row, double x)
{
    l->row[l->entries] = row;
    l->x[l->entries++] = x;
}

static int take(ladder *l, perp_problem_file *file, int relays)
{
    size_t n = (size_t)l->sections * (size_t)l->width;
    l->colptr = perp_problem_file_take(file, n + 1, sizeof(int));
    l->row = perp_problem_file_take(file, COLUMN_MAX * n, sizeof(int));
    l->x = perp_problem_file_take(file, COLUMN_MAX * n, sizeof(double));
    file->q = l->q = perp_problem_file_take(file, n, sizeof(double));
    if (relays) {
        file->lo = l->lo = perp_problem_file_take(file, n, sizeof(double));
        file->hi = l->hi = perp_problem_file_take(file, n, sizeof(double));
        return l->colptr && l->row && l->x && l->q && l->lo && l->hi;
    }
    file->is_free = l->is_free = perp_problem_file_take(file, n, sizeof(int));
    return l->colptr && l->row && l->x && l->q && l->is_free;
}

static void bound(ladder *l, int row, double lo, double hi)
{
    if (l->lo) {
        l->lo[row] = lo;
        l->hi[row] = hi;
    } else {
        l->is_free[row] = isinf(lo);
    }
}

/* Column by column, rows in order. */
static void put_lines(ladder *l, int k, perp_rng *rng)
{
    const int at = k * l->width, before = at - l->width, after = at + l->width;
    double L = 1e-4 * (1.0 + perp_rng_uniform(rng)), R = 1.0 + 9.0 * perp_rng_uniform(rng);
    double C = 1e-6 * (0.5 + perp_rng_uniform(rng));
    double i0 = 1e-2 * perp_rng_signed(rng), u0 = source * perp_rng_signed(rng);
    l->colptr[at + CURRENT] = l->entries;
    if (k > 0)
        put(l, before + NODE, 1.0);
    put(l, at + CURRENT, L / step + R);
    put(l, at + NODE, -1.0);
    l->q[at + CURRENT] = -L / step * i0 - (k > 0 ? 0.0 : source);
    l->colptr[at + NODE] = l->entries;
    put(l, at + CURRENT, 1.0);
    put(l, at + NODE, C / step);
    put(l, at + DIODE, -1.0);
    put(l, at + DIODE + 2, 1.0);
    if (l->lo)
        put(l, at + RELAY, 1.0);
    if (k + 1 < l->sections)
        put(l, after + CURRENT, -1.0);
    l->q[at + NODE] = -C / step * u0;
}

static void put_load(ladder *l, int k, perp_rng *rng)
{
    const int at = k * l->width;
    double G = 1e-3 * (0.5 + perp_rng_uniform(rng)), C = 1e-6 * (0.5 + perp_rng_uniform(rng));
    double v0 = perp_rng_uniform(rng) < 0.1 ? 0.0 : zener * perp_rng_uniform(rng);
    l->colptr[at + LOAD] = l->entries;
    put(l, at + LOAD, C / step + G);
    put(l, at + DIODE, 1.0);
    put(l, at + DIODE + 1, 1.0);
    l->q[at + LOAD] = -C / step * v0;
    l->colptr[at + MINUS] = l->entries;
    put(l, at + MINUS, leak);
    for (int d = 0; d < DIODES; d++)
        put(l, at + DIODE + d, d < 2 ? 1.0 : -1.0);
    l->q[at + MINUS] = 0.0;
}

/* d1 and d3 meet the node, d1 and d2 the load. */
static void put_diodes(ladder *l, int k)
{
    const int at = k * l->width;
    for (int d = 0; d < DIODES; d++) {
        l->colptr[at + DIODE + d] = l->entries;
        if (d % 2 == 0)
            put(l, at + NODE, d < 2 ? 1.0 : -1.0);
        if (d < 2)
            put(l, at + LOAD, -1.0);
        put(l, at + MINUS, d < 2 ? -1.0 : 1.0);
        l->q[at + DIODE + d] = 0.0;
    }
    if (l->lo) {
        l->colptr[at + RELAY] = l->entries;
        put(l, at + NODE, -1.0);
        l->q[at + RELAY] = 0.0;
        bound(l, at + RELAY, -relay, relay);
    }
}

static void put_section(ladder *l, int k, perp_rng *rng)
{
    const int at = k * l->width;
    put_lines(l, k, rng);
    put_load(l, k, rng);
    put_diodes(l, k);
    for (int r = CURRENT; r <= MINUS; r++)
        bound(l, at + r, r == LOAD && l->lo ? 0.0 : -INFINITY,
              r == LOAD && l->lo ? zener : INFINITY);
    for (int d = 0; d < DIODES; d++)
        bound(l, at + DIODE + d, 0.0, INFINITY);
}

perp_status perp_generate_ladder(perp_problem_file **file, const perp_ladder_options *options,
                                 const perp_allocator *allocator)
{
    *file = NULL;
    if (options->rows < 1 || options->rows > ROWS_MAX)
        return PERP_ERR_ARGUMENT;
    ladder l = {.width = SECTION + (options->relays != 0)};
    l.sections = (options->rows + l.width / 2) / l.width;
    l.sections += l.sections == 0;
    perp_status status = perp_problem_file_create(file, allocator);
    if (status != PERP_SOLVED)
        return status;
    perp_rng rng = {options->seed};
    int n = l.sections * l.width;
    if (!take(&l, *file, options->relays)) {
        perp_problem_file_destroy(*file);
        *file = NULL;
        return PERP_ERR_MEMORY;
    }
    for (int k = 0; k < l.sections; k++)
        put_section(&l, k, &rng);
    l.colptr[n] = l.entries;
    (*file)->cls = options->relays ? PERP_CLASS_RELAY : PERP_CLASS_MLCP;
    snprintf((*file)->title, sizeof(*file)->title, "ladder of %d diode bridges%s, seed %llu",
             l.sections, options->relays ? " with relays" : "", (unsigned long long)options->seed);
    return perp_mat_init_csc(&(*file)->M, n, n, l.colptr, l.row, l.x);
}
