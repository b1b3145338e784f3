/* SPDX-License-Identifier: BSD-3-Clause */
/* Excess of one chain over another.  The distance of a point to one segment is convex along a
 * straight line, so on a piece of a chain it is largest at an end; the distance to the other chain
 * is the least of these, and on the piece it is at most the larger of its two end values for any
 * one segment.  Pieces for which that bound is above what was found already are halved. */
#include <perp/norms.h>

#include <float.h>
#include <math.h>

#include "core/float_environment.h"
#include "kernel/norms/chain.h"

enum { PIECES = 128 };

/* Part of a segment, between the shares l[0] and l[1] of it; at both ends the nearest segment of
 * the other chain and the distance. */
typedef struct piece {
    double l[2], d[2];
    size_t near[2];
} piece;

typedef struct search {
    const perp_chain *a, *b;
    double *point; /* space for one */
    double largest;
} search;

static void place(search *s, size_t segment, double l)
{
    const double *from = s->a->p + segment * s->a->width, *to = from + s->a->width;
    for (size_t k = 0; k < s->a->width; k++)
        s->point[k] = from[k] + l * (to[k] - from[k]);
}

/* What the distance to b is at most on the piece. */
static double bound(search *s, size_t segment, const piece *p)
{
    double least = INFINITY;
    for (int end = 0; end < 2; end++) {
        const double *other = s->point;
        if (p->near[0] == p->near[1])
            return fmax(p->d[0], p->d[1]);
        place(s, segment, p->l[1 - end]);
        least = fmin(least, fmax(p->d[end], perp_chain_distance_to(s->b, other, p->near[end])));
    }
    return least;
}

static void search_segment(search *s, size_t segment, piece whole)
{
    piece stack[PIECES];
    int used = 0;
    stack[used++] = whole;
    while (used > 0) {
        piece top = stack[--used];
        double enough = s->largest + 4.0 * DBL_EPSILON * (1.0 + s->largest);
        double middle = 0.5 * (top.l[0] + top.l[1]), d;
        if (!(bound(s, segment, &top) > enough) || middle <= top.l[0] || middle >= top.l[1] ||
            used + 2 > PIECES)
            continue;
        place(s, segment, middle);
        size_t near = perp_chain_nearest(s->b, &d, s->point, top.near[0]);
        s->largest = fmax(s->largest, d);
        stack[used++] = (piece){{middle, top.l[1]}, {d, top.d[1]}, {near, top.near[1]}};
        stack[used++] = (piece){{top.l[0], middle}, {top.d[0], d}, {top.near[0], near}};
    }
}

/* First all points of a, so that few of its segments are left to look at. */
static double excess(search *s, double *distance, size_t *near)
{
    size_t hint = 0;
    s->largest = 0.0;
    for (size_t i = 0; i < s->a->points; i++) {
        hint = near[i] = perp_chain_nearest(s->b, &distance[i], s->a->p + i * s->a->width, hint);
        s->largest = fmax(s->largest, distance[i]);
    }
    for (size_t i = 0; i + 1 < s->a->points; i++)
        search_segment(s, i,
                       (piece){{0.0, 1.0}, {distance[i], distance[i + 1]}, {near[i], near[i + 1]}});
    return s->largest;
}

static perp_status refuse(perp_where *where, const char *what, int index, perp_status status)
{
    if (where)
        *where = (perp_where){what, -1, index};
    return status;
}

/* Looks at all of a graph; *largest grows to its largest magnitude. */
static perp_status check(double *largest, const perp_graph *g, int n, const char *const name[3],
                         perp_where *where)
{
    if (!g || g->points < 1 || g->t_stride < 0 || (g->x_stride != 0 && g->x_stride < n))
        return refuse(where, name[0], -1, PERP_ERR_ARGUMENT);
    if (!g->t || !g->x)
        return refuse(where, g->t ? name[2] : name[1], -1, PERP_ERR_ARGUMENT);
    size_t t_stride = g->t_stride ? (size_t)g->t_stride : 1;
    size_t x_stride = g->x_stride ? (size_t)g->x_stride : (size_t)n;
    double before = -INFINITY;
    for (int i = 0; i < g->points; i++) {
        double t = g->t[(size_t)i * t_stride];
        if (!isfinite(t))
            return refuse(where, name[1], i, PERP_ERR_NONFINITE);
        if (t < before)
            return refuse(where, name[1], i, PERP_ERR_ARGUMENT);
        before = t;
        *largest = fmax(*largest, fabs(t));
        for (int k = 0; k < n; k++) {
            double x = g->x[(size_t)i * x_stride + (size_t)k];
            if (!isfinite(x))
                return refuse(where, name[2], i, PERP_ERR_NONFINITE);
            *largest = fmax(*largest, fabs(x));
        }
    }
    return PERP_SOLVED;
}

static perp_status measure(double *distance, const perp_graph *a, const perp_graph *b, int n,
                           perp_vector_norm norm, double unit, int both, perp_pool *pool)
{
    size_t most = (size_t)(a->points > b->points || !both ? a->points : b->points);
    perp_chain chain[2];
    double *end = PERP_POOL_ARRAY(pool, double, most);
    double *point = PERP_POOL_ARRAY(pool, double, (size_t)n + 1);
    size_t *near = PERP_POOL_ARRAY(pool, size_t, most);
    if (!end || !near || !point ||
        !perp_chain_make(&chain[0], pool, a, 1.0 / unit, n, norm, both) ||
        !perp_chain_make(&chain[1], pool, b, 1.0 / unit, n, norm, 1))
        return PERP_ERR_MEMORY;
    search there = {&chain[0], &chain[1], point, 0.0}, back = {&chain[1], &chain[0], point, 0.0};
    double largest = excess(&there, end, near);
    if (both)
        largest = fmax(largest, excess(&back, end, near));
    *distance = largest * unit;
    return PERP_SOLVED;
}

static perp_status compare(double *distance, const perp_graph *a, const perp_graph *b, int n,
                           perp_vector_norm norm, int both, const perp_allocator *allocator,
                           perp_where *where)
{
    static const char *const name[2][3] = {{"a", "a.t", "a.x"}, {"b", "b.t", "b.x"}};
    double largest = 0.0, unit = 1.0;
    int exponent = 0;
    if (!distance || n < 1 || (norm != PERP_NORM_MAX && norm != PERP_NORM_EUCLIDEAN))
        return refuse(where, n < 1 ? "n" : distance ? "norm" : "distance", -1, PERP_ERR_ARGUMENT);
    perp_status status = check(&largest, a, n, name[0], where);
    if (status == PERP_SOLVED)
        status = check(&largest, b, n, name[1], where);
    if (status != PERP_SOLVED)
        return status;
    /* By a power of 2 to magnitudes of at most 1/2: no square overflows, differences neither. */
    if (largest > 0.0) {
        frexp(largest, &exponent);
        unit = ldexp(1.0, exponent + 1 > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent + 1);
    }
    perp_pool pool;
    perp_pool_init(&pool, allocator);
    status = measure(distance, a, b, n, norm, unit, both, &pool);
    perp_pool_free(&pool);
    return status;
}

perp_status perp_excess(const perp_graph *a, const perp_graph *b, int n, perp_vector_norm norm,
                        const perp_allocator *allocator, double *distance, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    return compare(distance, a, b, n, norm, 0, allocator, where);
}

perp_status perp_hausdorff(const perp_graph *a, const perp_graph *b, int n, perp_vector_norm norm,
                           const perp_allocator *allocator, double *distance, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    return compare(distance, a, b, n, norm, 1, allocator, where);
}
