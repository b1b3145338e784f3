/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/step/saddle_spread.h"

#include <limits.h>
#include <string.h>

#include "numerics/core/clones.h"

#define GROW(spread, array, capacity, count)                                                       \
    perp_pool_grow((spread)->pool, (void **)&(spread)->array, &(spread)->capacity, (count),        \
                   sizeof *(spread)->array)

enum { WIDEST = 6, MOST_COLUMNS = 6 };

/* As in the half solves. */
static int stride_of(int columns)
{
    return columns == 3 ? 4 : columns;
}

static int rows_below(const perp_saddle *saddle, int place)
{
    return saddle->row_ptr[place + 1] - saddle->row_ptr[place];
}

int perp_saddle_spread_begin(perp_saddle_spread *spread, perp_pool *pool,
                             const perp_saddle_half *half, const perp_saddle *saddle,
                             double *products, double *spreads)
{
    spread->pool = pool;
    spread->nplaces = 0;
    *products = *spreads = 0.0;
    if (!GROW(spread, known, capacity_known, saddle->nodes) ||
        !GROW(spread, place, capacity_place, saddle->nodes))
        return 0;
    memset(spread->known, 0, sizeof(int) * (size_t)saddle->nodes);
    for (int g = 0; g < half->groups; g++)
        for (int k = half->first[g]; k < half->first[g + 1]; k++)
            spread->known[half->place[k]] += half->columns[g];
    for (int k = 0; k < saddle->nodes; k++) {
        double width = saddle->width[k], here = spread->known[k];
        if (spread->known[k] == 0)
            continue;
        spread->place[spread->nplaces++] = k;
        *products += 0.5 * width * here * here;
        *spreads += width * (rows_below(saddle, k) + 0.5 * width);
    }
    return 1;
}

/* The block of one place: what its own rows have (y / D, or NULL: 0), less L' times x above. */
static inline __attribute__((always_inline)) void up_wide(perp_saddle_spread *restrict spread,
                                                          const perp_saddle *saddle,
                                                          const double *scaled, int place, int w,
                                                          int n)
{
    const perp_saddle_order *o = &saddle->elimination;
    const double *block = saddle->values + saddle->panel[place], *restrict L = block + w * w;
    double *at = spread->x + (size_t)saddle->first[place] * (size_t)n;
    double small[WIDEST * MOST_COLUMNS];
    int fits = w <= WIDEST && n <= MOST_COLUMNS;
    double *restrict own = fits ? small : at;
    for (int i = 0; i < w * n; i++)
        own[i] = scaled ? scaled[i] : 0.0;
    for (int e = o->column_ptr[place]; e < o->column_ptr[place + 1]; e++) {
        int height = saddle->width[o->column[e]];
        const double *x = spread->x + (size_t)saddle->first[o->column[e]] * (size_t)n;
        for (int r = 0; spread->known[o->column[e]] && r < height; r++)
            for (int c = 0; c < w; c++)
                for (int i = 0; i < n; i++)
                    own[c * n + i] -= L[r * w + c] * x[r * n + i];
        L += height * w;
    }
    for (int r = w - 1; r > 0; r--)
        for (int c = 0; c < r; c++)
            for (int i = 0; i < n; i++)
                own[c * n + i] -= block[r * w + c] * own[r * n + i];
    for (int i = 0; fits && i < w * n; i++)
        at[i] = own[i];
}

/* Bodies, pivots and coordinates by their widths. */
static inline __attribute__((always_inline)) void
up(perp_saddle_spread *spread, const perp_saddle *saddle, const double *scaled, int place, int n)
{
    int w = saddle->width[place];
    if (w == 6)
        up_wide(spread, saddle, scaled, place, 6, n);
    else if (w == 5)
        up_wide(spread, saddle, scaled, place, 5, n);
    else if (w == 1)
        up_wide(spread, saddle, scaled, place, 1, n);
    else
        up_wide(spread, saddle, scaled, place, w, n);
}

/* Some place above has x. */
static int is_reached(const perp_saddle_spread *spread, const perp_saddle *saddle, int place)
{
    const perp_saddle_order *o = &saddle->elimination;
    for (int e = o->column_ptr[place]; e < o->column_ptr[place + 1]; e++)
        if (spread->known[o->column[e]])
            return 1;
    return 0;
}

PERP_CLONES static void make(perp_saddle_spread *spread, const perp_saddle_half *half,
                             const perp_saddle *saddle, int group)
{
    int own = half->first[group + 1] - 1, n = spread->stride;
    for (int u = spread->nplaces - 1; u >= 0; u--) {
        int place = spread->place[u];
        int is_own = own >= half->first[group] && half->place[own] == place;
        const double *scaled = is_own ? half->scaled + half->at[own] : NULL;
        own -= is_own;
        spread->known[place] = is_own || is_reached(spread, saddle, place);
        if (!spread->known[place])
            continue;
        if (n == 1)
            up(spread, saddle, scaled, place, 1);
        else if (n == 4)
            up(spread, saddle, scaled, place, 4);
        else if (n == 6)
            up(spread, saddle, scaled, place, 6);
        else
            up(spread, saddle, scaled, place, n);
    }
}

int perp_saddle_spread_reserve(perp_saddle_spread *spread, const perp_saddle *saddle, int widest)
{
    int scalars = saddle->dofs + saddle->rows, stride = stride_of(widest);
    return scalars <= INT_MAX / stride && GROW(spread, x, capacity_x, scalars * stride);
}

void perp_saddle_spread_make(perp_saddle_spread *spread, const perp_saddle_half *half,
                             const perp_saddle *saddle, int group)
{
    spread->stride = stride_of(half->columns[group]);
    make(spread, half, saddle, group);
}

const double *perp_saddle_spread_row(const perp_saddle_spread *spread, const perp_saddle *saddle,
                                     const perp_system *s, int dof)
{
    int node = saddle->dof_node[s->coupled + dof], place = saddle->elimination.place[node];
    int scalar = saddle->first[place] + s->coupled + dof - saddle->node_at[node];
    return spread->known[place] ? spread->x + (size_t)scalar * (size_t)spread->stride : NULL;
}

void perp_saddle_spread_free(perp_saddle_spread *spread)
{
    void *own[] = {spread->place, spread->known, spread->x};
    for (size_t k = 0; spread->pool && k < sizeof own / sizeof own[0]; k++)
        perp_pool_give(spread->pool, own[k]);
    *spread = (perp_saddle_spread){0};
}
