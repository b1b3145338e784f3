/* SPDX-License-Identifier: BSD-3-Clause */
/* A convex shape and a surface: each triangle that is near is a flat hull.  Where its nearest point
 * is on an edge or a corner whose neighbours answer for that direction, the triangle keeps what
 * lies above its own face alone: a shape that slides over flat triangles feels none of their edges.
 */
#include <math.h>
#include <string.h>

#include "kernel/collide/mesh.h"
#include "kernel/relations/twist.h"

enum { STACK = 64, FOUND = 64, MOST = 12 };

typedef struct search {
    perp_touch *points;
    int count;
    const perp_convex *a; /* in the frame of the surface */
    const perp_mesh *mesh;
    double reach, same;
} search;

static double distance2(const double *x, const double *y)
{
    double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    return perp_dot3(d, d);
}

static void add(search *s, const perp_touch *touch)
{
    for (int i = 0; i < s->count; i++)
        if (distance2(s->points[i].at.point_a, touch->at.point_a) < s->same * s->same &&
            perp_dot3(s->points[i].at.normal, touch->at.normal) > 0.99) {
            if (touch->at.gap < s->points[i].at.gap - 1e-9 * s->same)
                s->points[i] = *touch;
            return;
        }
    if (s->count < FOUND)
        s->points[s->count++] = *touch;
}

/* The triangle as a hull of two faces. */
typedef struct flat_hull {
    perp_hull hull;
    double vertex[9], normal[6];
    int start[3], loop[6];
} flat_hull;

static void make_flat(flat_hull *f, perp_convex *b, const perp_mesh *m, int t)
{
    static const int loop[6] = {0, 1, 2, 0, 2, 1};
    double size = 0.0;
    memset(b, 0, sizeof *b);
    b->kind = PERP_CORE_HULL;
    for (int k = 0; k < 3; k++)
        b->centre[k] =
            (m->vertex[3 * m->triangle[3 * t] + k] + m->vertex[3 * m->triangle[3 * t + 1] + k] +
             m->vertex[3 * m->triangle[3 * t + 2] + k]) /
            3.0;
    for (int i = 0; i < 3; i++) {
        b->R[4 * i] = 1.0;
        for (int k = 0; k < 3; k++) {
            f->vertex[3 * i + k] = m->vertex[3 * m->triangle[3 * t + i] + k] - b->centre[k];
            f->normal[k] = m->normal[3 * t + k];
            f->normal[3 + k] = -f->normal[k];
        }
        size = fmax(size, perp_dot3(f->vertex + 3 * i, f->vertex + 3 * i));
    }
    memcpy(f->loop, loop, sizeof loop);
    for (int i = 0; i < 3; i++)
        f->start[i] = 3 * i;
    f->hull = (perp_hull){.nvertices = 3,
                          .nfaces = 2,
                          .vertex = f->vertex,
                          .start = f->start,
                          .loop = f->loop,
                          .normal = f->normal};
    b->size = sqrt(size);
    b->hull = &f->hull;
}

/* Whether the normal n at a point x of the triangle belongs to it: that of its face, or on an edge
 * one that lies between those of its two faces where they meet convexly. */
static int owns(const search *s, int t, const double *n, const double *x)
{
    const perp_mesh *m = s->mesh;
    const double *own = m->normal + 3 * t;
    if (perp_dot3(own, n) >= 1.0 - 1e-12)
        return 1;
    if (perp_dot3(own, n) <= 0.0)
        return 0;
    for (int e = 0; e < 3; e++) {
        const double *p = m->vertex + (size_t)3 * (size_t)m->triangle[3 * t + e];
        const double *q = m->vertex + (size_t)3 * (size_t)m->triangle[3 * t + (e + 1) % 3];
        int other = m->neighbour[3 * t + e];
        double d[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, out[3], back[3];
        double from[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]};
        perp_cross3(out, d, own); /* away from the triangle, in its plane */
        double length = sqrt(perp_dot3(out, out));
        if (perp_dot3(from, out) < -1e-2 * length * s->same || perp_dot3(n, out) < 1e-12 * length)
            continue; /* the point is not on this edge, or n does not lean over it */
        if (other < 0)
            continue;
        const double *far = m->normal + 3 * other;
        if (perp_dot3(far, out) <= 1e-9 * length)
            return 0; /* flat or hollow there */
        /* Not beyond the other face: its own plane, leaning back over the edge. */
        perp_cross3(back, far, d);
        if (perp_dot3(n, back) < -1e-9 * sqrt(perp_dot3(back, back)))
            return 0;
    }
    return 1;
}

static void add_triangle(search *s, int t)
{
    flat_hull flat;
    perp_convex b;
    perp_separation sep;
    perp_touch found[16];
    const double *n = s->mesh->normal + 3 * t;
    if (!(perp_dot3(n, n) > 0.0))
        return;
    make_flat(&flat, &b, s->mesh, t);
    if (!perp_convex_separation(&sep, s->a, &b, s->reach + s->a->ball, NULL))
        return;
    int owned = owns(s, t, sep.normal, sep.point_b);
    double above = 0.0;
    for (int k = 0; k < 3; k++)
        above += n[k] * (s->a->centre[k] - b.centre[k]);
    /* Apart, a neighbour is nearer, or this is the back of the surface. */
    if (!owned && (sep.gap > 0.0 || above <= 0.0))
        return;
    int count = owned ? perp_convex_touch(found, 16, s->a, &b, s->reach, NULL)
                      : perp_convex_touch_face(found, 16, s->a, &b, n, s->reach);
    for (int i = 0; i < count; i++)
        if (owns(s, t, found[i].at.normal, found[i].at.point_b))
            add(s, &found[i]);
}

static int meets(const perp_mesh_node *node, const double *lo, const double *hi)
{
    return node->lo[0] <= hi[0] && lo[0] <= node->hi[0] && node->lo[1] <= hi[1] &&
           lo[1] <= node->hi[1] && node->lo[2] <= hi[2] && lo[2] <= node->hi[2];
}

static void walk(search *s)
{
    double lo[3], hi[3];
    int stack[STACK], depth = 1;
    for (int k = 0; k < 3; k++) {
        double d[3] = {k == 0, k == 1, k == 2}, p[3], more = s->a->ball + s->reach;
        perp_convex_support(p, s->a, d);
        hi[k] = p[k] + more;
        d[k] = -1.0;
        perp_convex_support(p, s->a, d);
        lo[k] = p[k] - more;
    }
    stack[0] = 0;
    while (depth > 0) {
        const perp_mesh_node *node = &s->mesh->node[stack[--depth]];
        if (!meets(node, lo, hi))
            continue;
        if (node->count > 0) {
            for (int i = 0; i < node->count; i++)
                add_triangle(s, s->mesh->order[node->first + i]);
        } else if (depth + 2 <= STACK) {
            stack[depth++] = node->first + 1;
            stack[depth++] = node->first;
        }
    }
}

/* More than are of use: the deepest, then those farthest from all that are kept. */
static int thin_out(perp_touch *points, int capacity, const search *s)
{
    double away[FOUND];
    int most = capacity < MOST ? capacity : MOST, kept = 0, next = 0;
    if (s->count <= most) {
        memcpy(points, s->points, (size_t)s->count * sizeof *points);
        return s->count;
    }
    for (int i = 0; i < s->count; i++) {
        away[i] = INFINITY;
        if (s->points[i].at.gap < s->points[next].at.gap - 1e-9 * s->same)
            next = i;
    }
    while (kept < most) {
        points[kept++] = s->points[next];
        int from = next;
        next = 0;
        for (int i = 0; i < s->count; i++) {
            away[i] = fmin(away[i], distance2(s->points[i].at.point_a, s->points[from].at.point_a));
            if (away[i] > away[next] * (1.0 + 1e-9))
                next = i;
        }
    }
    return kept;
}

static void to_world(double *x, const double *centre, const double *R)
{
    double turned[3];
    perp_rotate3(turned, R, x);
    for (int k = 0; k < 3; k++)
        x[k] = turned[k] + (centre ? centre[k] : 0.0);
}

int perp_mesh_touch(perp_touch *points, int capacity, const perp_convex *a, const perp_mesh *mesh,
                    const double *centre, const double *R, double reach)
{
    perp_touch found[FOUND];
    perp_convex local = *a;
    double from[3];
    for (int k = 0; k < 3; k++)
        from[k] = a->centre[k] - centre[k];
    perp_rotate_back3(local.centre, R, from);
    for (int j = 0; j < 3; j++)
        perp_rotate_back3(local.R + 3 * j, R, a->R + 3 * j);
    search s = {found, 0, &local, mesh, reach, 1e-6 * (a->size + a->ball)};
    walk(&s);
    int count = thin_out(points, capacity, &s);
    for (int i = 0; i < count; i++) {
        to_world(points[i].at.normal, NULL, R);
        to_world(points[i].at.point_a, centre, R);
        to_world(points[i].at.point_b, centre, R);
    }
    return count;
}
