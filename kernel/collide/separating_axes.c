/* SPDX-License-Identifier: BSD-3-Clause */
/* The largest g(n) of shapes that overlap or just touch, where the polytope of EPA may be without
 * volume.  Of polytopes it is taken by the normal of a face of one, or by the product of an edge of
 * each [GottschalkEtAl1996]; of others it is climbed to from a direction.  The points that belong
 * to n are those of the distance once one of the shapes was moved away along n. */
#include <math.h>
#include <string.h>

#include "kernel/collide/convex.h"
#include "kernel/relations/twist.h"

/* Of edges that are parallel, squared, for unit edges. */
static const double parallel = 1e-20;
/* Faces come first: an edge has to be better by this part of the sizes. */
static const double better = 1e-12;
/* How far apart the shapes are moved, of their sizes: far at first, to leave a place that is best
 * among its neighbours alone, then less, since normals turn with the way. */
static const double apart = 0.05, nearer = 0.2, least_apart = 1e-5;
/* Supports, times their vertices, that all products of edges may take. */
static const double most_work = 5e4;
enum { ROUNDS = 20, IDLE = 2 };

/* What the axes are tried on, and the best so far. */
typedef struct search {
    const perp_convex *a, *b;
    double n[3], g, least; /* least: gain that counts */
} search;

static void offer(search *s, const double *n)
{
    for (int side = 0; side < 2; side++) {
        double to[3] = {side ? -n[0] : n[0], side ? -n[1] : n[1], side ? -n[2] : n[2]};
        double g = perp_convex_gap(s->a, s->b, to);
        if (!(g > s->g + s->least))
            continue;
        s->g = g;
        memcpy(s->n, to, sizeof to);
    }
}

static int count_of_faces(const perp_convex *c)
{
    return c->kind == PERP_CORE_HULL ? c->hull->nfaces : 3;
}

static void face_normal(double *n, const perp_convex *c, int i)
{
    if (c->kind == PERP_CORE_HULL)
        perp_rotate3(n, c->R, c->hull->normal + (size_t)3 * (size_t)i);
    else
        memcpy(n, c->R + (size_t)3 * (size_t)i, 3 * sizeof *n);
}

static void offer_faces(search *s, const perp_convex *c)
{
    double n[3];
    for (int i = 0; i < count_of_faces(c); i++) {
        face_normal(n, c, i);
        offer(s, n);
    }
}

static int count_of_edges(const perp_convex *c)
{
    return c->kind == PERP_CORE_HULL ? c->hull->start[c->hull->nfaces] : 3;
}

/* The direction of edge i, unit; 0: the loop of another face has it.  An edge of a hull lies in two
 * loops, with opposite directions. */
static int edge(double *d, const perp_convex *c, int i)
{
    if (c->kind == PERP_CORE_BOX) {
        memcpy(d, c->R + (size_t)3 * (size_t)i, 3 * sizeof *d);
        return 1;
    }
    const perp_hull *hull = c->hull;
    int face = 0;
    while (hull->start[face + 1] <= i)
        face++;
    int next = i + 1 < hull->start[face + 1] ? i + 1 : hull->start[face];
    const double *x = hull->vertex + (size_t)3 * (size_t)hull->loop[i];
    const double *y = hull->vertex + (size_t)3 * (size_t)hull->loop[next];
    double along[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    double length = sqrt(perp_dot3(along, along));
    if (hull->loop[i] > hull->loop[next] || !(length > 0.0))
        return 0;
    perp_rotate3(d, c->R, along);
    for (int k = 0; k < 3; k++)
        d[k] /= length;
    return 1;
}

static void offer_edges(search *s)
{
    double u[3], v[3], n[3];
    for (int i = 0; i < count_of_edges(s->a); i++)
        for (int j = 0; edge(u, s->a, i) && j < count_of_edges(s->b); j++) {
            if (!edge(v, s->b, j))
                continue;
            perp_cross3(n, u, v);
            double square = perp_dot3(n, n);
            if (!(square > parallel))
                continue;
            for (int k = 0; k < 3; k++)
                n[k] /= sqrt(square);
            offer(s, n);
        }
}

/* b moved away along n, until the gap is a part of the sizes; normal: of the distance there. */
static int find_points(perp_simplex *simplex, double *normal, const search *s, double gap)
{
    perp_convex moved = *s->b;
    double way = s->g - gap;
    for (int k = 0; k < 3; k++)
        moved.centre[k] += way * s->n[k];
    if (perp_gjk(simplex, normal, s->a, &moved, INFINITY) != PERP_GJK_APART)
        return 0;
    for (int i = 0; i < simplex->count; i++)
        for (int k = 0; k < 3; k++) {
            simplex->vertex[i].b[k] -= way * s->n[k];
            simplex->vertex[i].m[k] = simplex->vertex[i].a[k] - simplex->vertex[i].b[k];
        }
    return 1;
}

static int is_polytope(const perp_convex *c)
{
    return c->kind == PERP_CORE_BOX || c->kind == PERP_CORE_HULL;
}

static int is_small(const perp_convex *a, const perp_convex *b)
{
    double vertices = (a->hull ? a->hull->nvertices : 1) + (b->hull ? b->hull->nvertices : 1);
    return vertices * count_of_edges(a) * count_of_edges(b) <= most_work;
}

int perp_separating_axis(perp_simplex *simplex, double *normal, const perp_convex *a,
                         const perp_convex *b)
{
    double size = a->size + b->size, n[3];
    search s = {a, b, {0.0}, -INFINITY, better * size};
    perp_simplex found;
    if (!is_polytope(a) || !is_polytope(b) || !is_small(a, b))
        return 0;
    offer_faces(&s, a);
    offer_faces(&s, b);
    offer_edges(&s);
    if (!find_points(&found, n, &s, apart * size))
        return 0;
    *simplex = found;
    memcpy(normal, s.n, sizeof s.n);
    return 1;
}

/* With the shapes moved apart along n by s, the normal m of their distance is where g(m) + s n . m
 * is largest, so that g(m) >= g(n). */
static void climb(perp_simplex *simplex, double *normal, search *s)
{
    double size = s->a->size + s->b->size, before = perp_convex_gap(s->a, s->b, normal), n[3];
    double part = apart;
    int idle = 0;
    perp_simplex found;
    for (int round = 0; round < ROUNDS && idle < IDLE; round++) {
        if (!find_points(&found, n, s, part * size))
            break;
        part = fmax(nearer * part, least_apart);
        double g = perp_convex_gap(s->a, s->b, n);
        idle = g > s->g + better * size ? 0 : idle + 1;
        if (idle > 0)
            continue;
        s->g = g;
        memcpy(s->n, n, sizeof n);
    }
    if (!(s->g > before + better * size))
        return;
    /* Of the distance from far away: weights of points are better then. */
    if (!find_points(&found, n, s, apart * size))
        return;
    *simplex = found;
    memcpy(normal, s->n, sizeof s->n);
}

void perp_climb(perp_simplex *simplex, double *normal, const double *start, const perp_convex *a,
                const perp_convex *b)
{
    search s = {a, b, {start[0], start[1], start[2]}, perp_convex_gap(a, b, start), 0.0};
    if (s.g > perp_convex_gap(a, b, normal) + better * (a->size + b->size))
        climb(simplex, normal, &s);
}

static int has_axis(const perp_convex *c)
{
    return c->kind == PERP_CORE_SEGMENT || c->kind == PERP_CORE_CYLINDER ||
           c->kind == PERP_CORE_CONE;
}

static int is_direction(double *n, double least)
{
    double length = sqrt(perp_dot3(n, n));
    for (int k = 0; k < 3 && length > least; k++)
        n[k] /= length;
    return length > least;
}

void perp_climb_from_likely(perp_simplex *simplex, double *normal, const perp_convex *a,
                            const perp_convex *b)
{
    double least = 1e-10 * (a->size + b->size), d[3], n[3];
    search s = {a, b, {0.0}, -INFINITY, 0.0};
    for (int k = 0; k < 3; k++)
        n[k] = d[k] = a->centre[k] - b->centre[k];
    if (is_direction(n, least))
        offer(&s, n);
    for (int second = 0; second < 2; second++) {
        const perp_convex *c = second ? b : a;
        const double *z = c->R + 6;
        for (int k = 0; k < 3; k++)
            n[k] = d[k] - perp_dot3(d, z) * z[k];
        if (has_axis(c) && is_direction(n, least))
            offer(&s, n);
        if (is_polytope(c) && is_small(a, b))
            offer_faces(&s, c);
    }
    if (s.g > -INFINITY)
        perp_climb(simplex, normal, s.n, a, b);
}

void perp_climb_on(perp_simplex *simplex, double *normal, const perp_convex *a,
                   const perp_convex *b)
{
    search s = {a, b, {normal[0], normal[1], normal[2]}, perp_convex_gap(a, b, normal), 0.0};
    climb(simplex, normal, &s);
}
