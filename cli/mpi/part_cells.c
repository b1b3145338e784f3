/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/part_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct perp_part_key {
    double place[3], weight;
    double along; /* of the present cut */
    int body, cell;
};

perp_part_key *perp_part_keys(int n)
{
    return calloc((size_t)(n > 0 ? n : 1), sizeof(perp_part_key));
}

void perp_part_key_set(perp_part_key *keys, int body, const double place[3], double weight)
{
    memcpy(keys[body].place, place, sizeof keys[body].place);
    keys[body].weight = weight;
    keys[body].body = body;
    keys[body].cell = 0;
}

int perp_part_key_get(const perp_part_key *keys, int k, int *body)
{
    *body = keys[k].body;
    return keys[k].cell;
}

static int ascending(const void *x, const void *y)
{
    const perp_part_key *a = x, *b = y;

    if (a->along != b->along)
        return a->along < b->along ? -1 : 1;
    return (a->body > b->body) - (a->body < b->body);
}

static int longest_axis(const perp_part_key *keys, int n)
{
    double lo[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, hi[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    int axis = 0;

    for (int k = 0; k < n; k++)
        for (int d = 0; d < 3; d++) {
            lo[d] = fmin(lo[d], keys[k].place[d]);
            hi[d] = fmax(hi[d], keys[k].place[d]);
        }
    for (int d = 1; d < 3; d++)
        if (hi[d] - lo[d] > hi[axis] - lo[axis])
            axis = d;
    return axis;
}

static void cut(perp_part_key *keys, int n, int first, int cells)
{
    int low = cells / 2, axis, k = 0;
    double sum = 0.0, part = 0.0;

    if (cells <= 1 || n == 0) {
        for (k = 0; k < n; k++)
            keys[k].cell = first;
        return;
    }
    axis = longest_axis(keys, n);
    for (k = 0; k < n; k++) {
        keys[k].along = keys[k].place[axis];
        sum += keys[k].weight;
    }
    qsort(keys, (size_t)n, sizeof *keys, ascending);
    for (k = 0; k < n && (part + 0.5 * keys[k].weight) * cells < sum * low; k++)
        part += keys[k].weight;
    cut(keys, k, first, low);
    cut(keys + k, n - k, first + low, cells - low);
}

void perp_part_cells(perp_part_key *keys, int n, int cells)
{
    cut(keys, n, 0, cells);
}
