/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/step/saddle_half.h"

#include <limits.h>
#include <string.h>

#include "numerics/core/clones.h"

#define GROW(half, array, capacity, count)                                                         \
    perp_pool_grow((half)->pool, (void **)&(half)->array, &(half)->capacity, (count),              \
                   sizeof *(half)->array)

void perp_saddle_half_begin(perp_saddle_half *half, perp_pool *pool)
{
    half->pool = pool;
    half->groups = half->nplaces = half->nnumbers = 0;
}

enum { WIDEST = 6, MOST_COLUMNS = 6 };

/* Numbers of a row of y: three columns have a fourth one of zeros, since registers are as wide. */
static int stride(int columns)
{
    return columns == 3 ? 4 : columns;
}

static int node_of(const perp_saddle *saddle, const perp_system *s, int dof)
{
    return saddle->dof_node[s->coupled + dof];
}

/* Adds the way from a place to the first place on it that the group has; both are ascending. */
static int add_way(perp_saddle_half *half, const perp_saddle *saddle, int place)
{
    const perp_saddle_order *o = &saddle->elimination;
    int first = half->first[half->groups], old = half->nplaces;
    for (int k = place; k >= 0 && half->index[k] < 0;) {
        if (!GROW(half, place, capacity_place, half->nplaces + 1))
            return 0;
        half->index[k] = 0;
        half->place[half->nplaces++] = k;
        k = o->column_ptr[k] < o->column_ptr[k + 1] ? o->column[o->column_ptr[k]] : -1;
    }
    /* Those of the new way that come before some of the old ones move to the front of them. */
    for (int k = old; k < half->nplaces; k++) {
        int value = half->place[k], i = k;
        for (; i > first && half->place[i - 1] > value; i--)
            half->place[i] = half->place[i - 1];
        half->place[i] = value;
    }
    return 1;
}

static int add_ways(perp_saddle_half *half, const perp_saddle *saddle, perp_system *const *systems,
                    int nsystems)
{
    for (int k = 0; k < nsystems; k++)
        for (int i = 0, last = -1; systems[k]->coupled >= 0 && i < systems[k]->nv; i++) {
            int node = node_of(saddle, systems[k], i);
            if (node != last && !add_way(half, saddle, saddle->elimination.place[node]))
                return 0;
            last = node;
        }
    return 1;
}

/* Where the numbers of each place of the group begin; all 0. */
static int take_numbers(perp_saddle_half *half, const perp_saddle *saddle, int columns)
{
    int first = half->first[half->groups], from = half->nnumbers;
    long total = from;
    if (!GROW(half, at, capacity_at, half->nplaces))
        return 0;
    for (int k = first; k < half->nplaces; k++) {
        half->index[half->place[k]] = k;
        half->at[k] = (int)total;
        total += (long)saddle->width[half->place[k]] * stride(columns);
        if (total > INT_MAX)
            return 0;
    }
    half->nnumbers = (int)total;
    if (!GROW(half, number, capacity_number, half->nnumbers) ||
        !GROW(half, scaled, capacity_scaled, half->nnumbers))
        return 0;
    memset(half->number + from, 0, sizeof(double) * (size_t)(half->nnumbers - from));
    return 1;
}

static void put_right(perp_saddle_half *half, const perp_saddle *saddle,
                      perp_system *const *systems, int nsystems, const double *left, int rows,
                      int columns)
{
    for (int k = 0; k < nsystems; left += systems[k]->nv * rows, k++) {
        const perp_system *s = systems[k];
        for (int i = 0; s->coupled >= 0 && i < s->nv; i++) {
            int node = node_of(saddle, s, i), inside = s->coupled + i - saddle->node_at[node];
            int index = half->index[saddle->elimination.place[node]];
            double *to = half->number + half->at[index] + inside * stride(columns);
            for (int c = 0; c < columns; c++)
                to[c] += left[c + i * rows];
        }
    }
}

/* y below one block -= L y of the block, which is made first. */
static inline __attribute__((always_inline)) void
down_wide(perp_saddle_half *restrict half, const perp_saddle *saddle, int k, int n, int w)
{
    const perp_saddle_order *o = &saddle->elimination;
    int place = half->place[k];
    const double *restrict L = saddle->values + saddle->panel[place];
    double *at = half->number + half->at[k], small[WIDEST * MOST_COLUMNS];
    int known = w <= WIDEST && n <= MOST_COLUMNS;
    double *own = known ? small : at;
    for (int i = 0; known && i < w * n; i++)
        own[i] = at[i];
    for (int r = 1; r < w; r++)
        for (int m = 0; m < r; m++)
            for (int c = 0; c < n; c++)
                own[r * n + c] -= L[r * w + m] * own[m * n + c];
    for (int i = 0; known && i < w * n; i++)
        at[i] = own[i];
    L += w * w;
    for (int e = o->column_ptr[place]; e < o->column_ptr[place + 1]; e++) {
        int height = saddle->width[o->column[e]];
        double *restrict below = half->number + half->at[half->index[o->column[e]]];
        for (int r = 0; known && r < height; r++, L += w, below += n) {
            double sum[MOST_COLUMNS];
            for (int c = 0; c < n; c++)
                sum[c] = below[c];
            for (int m = 0; m < w; m++)
                for (int c = 0; c < n; c++)
                    sum[c] -= L[m] * own[m * n + c];
            for (int c = 0; c < n; c++)
                below[c] = sum[c];
        }
        for (int r = 0; !known && r < height; r++, L += w, below += n)
            for (int c = 0; c < n; c++)
                for (int m = 0; m < w; m++)
                    below[c] -= L[m] * own[m * n + c];
    }
}

/* Bodies, pivots and coordinates by their widths. */
static inline __attribute__((always_inline)) void down(perp_saddle_half *half,
                                                       const perp_saddle *saddle, int k, int n)
{
    int w = saddle->width[half->place[k]];
    if (w == 6)
        down_wide(half, saddle, k, n, 6);
    else if (w == 5)
        down_wide(half, saddle, k, n, 5);
    else if (w == 1)
        down_wide(half, saddle, k, n, 1);
    else
        down_wide(half, saddle, k, n, w);
}

static inline __attribute__((always_inline)) void make(perp_saddle_half *half,
                                                       const perp_saddle *saddle, int k, int n)
{
    int place = half->place[k];
    const double *pivot = saddle->pivots + saddle->first[place];
    const double *y = half->number + half->at[k];
    double *restrict scaled = half->scaled + half->at[k];
    down(half, saddle, k, n);
    for (int d = 0; d < saddle->width[place]; d++, y += n, scaled += n)
        for (int c = 0; c < n; c++)
            scaled[c] = y[c] / pivot[d];
}

PERP_CLONES int perp_saddle_half_add(perp_saddle_half *half, const perp_saddle *saddle,
                                     perp_system *const *systems, int nsystems, const double *left,
                                     int rows, int from, int columns)
{
    int group = half->groups, before = half->capacity_index;
    if (!GROW(half, first, capacity_first, group + 2) ||
        !GROW(half, columns, capacity_columns, group + 1) ||
        !GROW(half, index, capacity_index, saddle->nodes))
        return 0;
    for (int k = before; k < half->capacity_index; k++)
        half->index[k] = -1;
    half->columns[group] = columns;
    half->first[group] = half->nplaces;
    int fits = add_ways(half, saddle, systems, nsystems) && take_numbers(half, saddle, columns);
    if (fits) {
        put_right(half, saddle, systems, nsystems, left + from, rows, columns);
        for (int k = half->first[group]; k < half->nplaces; k++)
            if (columns == 1)
                make(half, saddle, k, 1);
            else if (columns == 3)
                make(half, saddle, k, 4);
            else if (columns == 6)
                make(half, saddle, k, 6);
            else
                make(half, saddle, k, columns);
    }
    for (int k = half->first[group]; k < half->nplaces; k++)
        half->index[half->place[k]] = -1;
    half->first[++half->groups] = half->nplaces;
    return fits;
}

/* The next place that two groups share, from i and k on; 0: there is none. */
static inline __attribute__((always_inline)) int next_shared(const int *place, int *i, int last_i,
                                                             int *k, int last_k)
{
    while (*i < last_i && *k < last_k) {
        int a = place[*i], b = place[*k];
        if (a == b)
            return 1;
        *i += a < b;
        *k += a > b;
    }
    return 0;
}

/* block (m x n, leading dimension ld) += x' y on the places that two groups share. */
static inline __attribute__((always_inline)) void add_shared(double *block, int ld,
                                                             const perp_saddle_half *half,
                                                             const perp_saddle *saddle, int a,
                                                             int b, int m, int n)
{
    int i = half->first[a], k = half->first[b];
    while (next_shared(half->place, &i, half->first[a + 1], &k, half->first[b + 1])) {
        int width = saddle->width[half->place[i]];
        const double *x = half->number + half->at[i++], *y = half->scaled + half->at[k++];
        for (int d = 0; d < width; d++, x += stride(m), y += stride(n))
            for (int c = 0; c < n; c++)
                for (int r = 0; r < m; r++)
                    block[r + c * ld] += x[r] * y[c];
    }
}

/* The same for few columns of known numbers, with rows of sum as wide as registers are.  Of as many
 * columns each the sum is made first and added then. */
static inline __attribute__((always_inline)) void add_known(double *block, int ld,
                                                            const perp_saddle_half *half,
                                                            const perp_saddle *saddle, int a, int b,
                                                            int m, int n)
{
    double sum[MOST_COLUMNS][MOST_COLUMNS] = {{0.0}};
    const int *place = half->place, *at = half->at, *width = saddle->width;
    const double *number = half->number, *scaled = half->scaled;
    int i = half->first[a], last_i = half->first[a + 1], k = half->first[b];
    int last_k = half->first[b + 1], wide = stride(m);
    for (int c = 0; m != n && c < n; c++)
        for (int r = 0; r < m; r++)
            sum[c][r] = block[r + c * ld];
    for (; next_shared(place, &i, last_i, &k, last_k); i++, k++) {
        const double *x = number + at[i], *y = scaled + at[k], *end = x + width[place[i]] * wide;
        for (; x < end; x += wide, y += stride(n))
            for (int c = 0; c < n; c++)
                for (int r = 0; r < wide; r++)
                    sum[c][r] += x[r] * y[c];
    }
    for (int c = 0; c < n; c++)
        for (int r = 0; r < m; r++)
            block[r + c * ld] = m == n ? block[r + c * ld] + sum[c][r] : sum[c][r];
}

PERP_CLONES void perp_saddle_half_product(double *block, int ld, const perp_saddle_half *half,
                                          const perp_saddle *saddle, int a, int b)
{
    int m = half->columns[a], n = half->columns[b];
#define PERP_KNOWN(p, q)                                                                           \
    if (m == p && n == q) {                                                                        \
        add_known(block, ld, half, saddle, a, b, p, q);                                            \
        return;                                                                                    \
    }
    PERP_KNOWN(1, 1)
    PERP_KNOWN(1, 3)
    PERP_KNOWN(3, 1)
    PERP_KNOWN(3, 3)
    PERP_KNOWN(3, 6)
    PERP_KNOWN(6, 3)
    PERP_KNOWN(6, 6)
#undef PERP_KNOWN
    add_shared(block, ld, half, saddle, a, b, m, n);
}

void perp_saddle_half_free(perp_saddle_half *half)
{
    void *own[] = {half->first,  half->columns, half->place, half->at,
                   half->number, half->scaled,  half->index};
    for (size_t k = 0; half->pool && k < sizeof own / sizeof own[0]; k++)
        perp_pool_give(half->pool, own[k]);
    *half = (perp_saddle_half){0};
}
