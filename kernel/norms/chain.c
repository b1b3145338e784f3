/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/norms/chain.h"

#include <math.h>

#include "kernel/norms/segment.h"

enum { LEAF = 4, DEPTH = 64 };

static void copy(perp_chain *chain, const perp_graph *graph, double scale)
{
    size_t n = (size_t)chain->n, t_stride = graph->t_stride ? (size_t)graph->t_stride : 1;
    size_t x_stride = graph->x_stride ? (size_t)graph->x_stride : n;
    for (size_t i = 0; i < chain->points; i++) {
        double *p = chain->p + i * chain->width;
        p[0] = scale * graph->t[i * t_stride];
        for (size_t k = 0; k < n; k++)
            p[k + 1] = scale * graph->x[i * x_stride + k];
    }
}

/* Box of the points first .. last; of none where first > last. */
static void enclose(double *box, const perp_chain *chain, size_t first, size_t last)
{
    size_t width = chain->width;
    for (size_t k = 0; k < width; k++) {
        box[k] = INFINITY;
        box[width + k] = -INFINITY;
    }
    for (size_t i = first; i <= last && i < chain->points; i++)
        for (size_t k = 0; k < width; k++) {
            box[k] = fmin(box[k], chain->p[i * width + k]);
            box[width + k] = fmax(box[width + k], chain->p[i * width + k]);
        }
}

static void build(perp_chain *chain)
{
    size_t width = chain->width, stride = 2 * width;
    for (size_t leaf = 0; leaf < chain->leaves; leaf++) {
        size_t first = leaf * LEAF, last = first + LEAF;
        last = last < chain->points ? last : chain->points - 1;
        enclose(chain->box + (chain->leaves - 1 + leaf) * stride, chain, first, last);
    }
    for (size_t node = chain->leaves - 1; node-- > 0;) {
        double *box = chain->box + node * stride;
        const double *left = chain->box + (2 * node + 1) * stride, *right = left + stride;
        for (size_t k = 0; k < width; k++) {
            box[k] = fmin(left[k], right[k]);
            box[width + k] = fmax(left[width + k], right[width + k]);
        }
    }
}

int perp_chain_make(perp_chain *chain, perp_pool *pool, const perp_graph *graph, double scale,
                    int n, perp_vector_norm norm, int tree)
{
    *chain = (perp_chain){.n = n, .width = (size_t)n + 1, .norm = norm, .leaves = 1};
    chain->points = (size_t)graph->points;
    chain->segments = chain->points > 1 ? chain->points - 1 : 1;
    while (chain->leaves * LEAF < chain->segments)
        chain->leaves *= 2;
    chain->p = perp_pool_take_array(pool, chain->points, chain->width * sizeof(double));
    if (tree)
        chain->box =
            perp_pool_take_array(pool, 2 * chain->leaves, 2 * chain->width * sizeof(double));
    if (!chain->p || (tree && !chain->box))
        return 0;
    copy(chain, graph, scale);
    if (tree)
        build(chain);
    return 1;
}

double perp_chain_distance_to(const perp_chain *chain, const double *point, size_t segment)
{
    const double *from = chain->p + segment * chain->width;
    const double *to = chain->points > 1 ? from + chain->width : from;
    return perp_segment_distance(point, from, to, chain->n, chain->norm);
}

static double outside(double x, double low, double high)
{
    return x < low ? low - x : x > high ? x - high : 0.0;
}

static double distance_to_box(const perp_chain *chain, const double *point, size_t node)
{
    const double *low = chain->box + node * 2 * chain->width, *high = low + chain->width;
    double in_time = outside(point[0], low[0], high[0]), space = 0.0;
    if (chain->norm == PERP_NORM_EUCLIDEAN && chain->n > 1) {
        for (size_t k = 1; k < chain->width; k++) {
            double e = outside(point[k], low[k], high[k]);
            space += e * e;
        }
        space = sqrt(space);
    } else {
        for (size_t k = 1; k < chain->width; k++)
            if (outside(point[k], low[k], high[k]) > space)
                space = outside(point[k], low[k], high[k]);
    }
    return in_time > space ? in_time : space;
}

/* 1 where the box around a segment shows that it is not nearer than `least`. */
static int is_farther(const perp_chain *chain, const double *point, size_t segment, double least)
{
    const double *from = chain->p + segment * chain->width;
    const double *to = chain->points > 1 ? from + chain->width : from;
    for (size_t k = 0; k < chain->width; k++) {
        double low = from[k] < to[k] ? from[k] : to[k], high = from[k] < to[k] ? to[k] : from[k];
        if (low - point[k] >= least || point[k] - high >= least)
            return 1;
    }
    return 0;
}

typedef struct entry {
    size_t node;
    double least;
} entry;

/* Depth first, the nearer child first. */
size_t perp_chain_nearest(const perp_chain *chain, double *distance, const double *point,
                          size_t hint)
{
    entry stack[2 * DEPTH];
    int used = 0;
    size_t best = hint;
    *distance = perp_chain_distance_to(chain, point, hint);
    stack[used++] = (entry){0, distance_to_box(chain, point, 0)};
    while (used > 0) {
        entry top = stack[--used];
        if (!(top.least < *distance))
            continue;
        if (top.node + 1 >= chain->leaves) {
            size_t first = (top.node + 1 - chain->leaves) * LEAF, last = first + LEAF;
            for (size_t j = first; j < last && j < chain->segments; j++) {
                if (is_farther(chain, point, j, *distance))
                    continue;
                double one = perp_chain_distance_to(chain, point, j);
                best = one < *distance ? j : best;
                *distance = fmin(*distance, one);
            }
            continue;
        }
        entry left = {2 * top.node + 1, 0.0}, right = {2 * top.node + 2, 0.0};
        left.least = distance_to_box(chain, point, left.node);
        right.least = distance_to_box(chain, point, right.node);
        int swap = left.least < right.least;
        stack[used++] = swap ? right : left;
        stack[used++] = swap ? left : right;
    }
    return best;
}
