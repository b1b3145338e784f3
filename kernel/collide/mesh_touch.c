/* SPDX-License-Identifier: BSD-3-Clause */
/* A convex shape and a surface: each triangle that is near is a flat hull.  Where its nearest point
 * is on an edge or a corner whose neighbours answer for that direction, the triangle keeps what
 * lies above its own face alone: a shape that slides over flat triangles feels none of their edges.
 */
#include <math.h>
#include <string.h>

#include "kernel/collide/mesh.h"
#include "kernel/relations/twist.h"

enum { STACK = 64, FOUND = PERP_TOUCHES, HALF = 32, MOST = 12, PATCH = 16, PASSED = 32, FAN = 64 };
/* Times the length of a way out.  Gaps that are the same, of a place that is. */
static const double HARDLY = 4.0, AS_LOW = 1e-3;

/* A triangle that left an overlap to its neighbour: how deep it is over its own face, and the
 * length of the way out of this triangle alone. */
typedef struct passing {
    int triangle, neighbour;
    double gap, way;
} passing;

typedef struct search {
    perp_touch *points;
    int count;
    const perp_convex *a; /* in the frame of the surface */
    const perp_mesh *mesh;
    double reach, same;
    int from[FOUND]; /* triangle of each point */
    passing passed[PASSED];
    int npassed;
    perp_touch nearest; /* of triangles that are overlapped and had no point: the least deep */
    int nearest_of, nearest_outside; /* its triangle, -1: none; the way out leads to its outside */
} search;

static double distance2(const double *x, const double *y)
{
    double d[3] = {x[0] - y[0], x[1] - y[1], x[2] - y[2]};
    return perp_dot3(d, d);
}

/* Leaves so many points, spread over what is low. */
static void thin_out(search *s, int most)
{
    perp_touch points[FOUND];
    int chosen[FOUND], from[FOUND];
    if (s->count <= most)
        return;
    s->count = perp_touch_spread(chosen, s->points, s->count, most, s->same);
    for (int i = 0; i < s->count; i++) {
        points[i] = s->points[chosen[i]];
        from[i] = s->from[chosen[i]];
    }
    memcpy(s->points, points, (size_t)s->count * sizeof *points);
    memcpy(s->from, from, (size_t)s->count * sizeof *from);
}

/* Of one place with one normal: the lower one, or where they are as low the one above a face. */
static int is_better(const perp_touch *x, const perp_touch *known, double same)
{
    double lower = known->at.gap - x->at.gap;
    return lower > AS_LOW * same || (lower >= -AS_LOW * same && (x->plane_a || x->plane_b) &&
                                     !known->plane_a && !known->plane_b);
}

static void add(search *s, const perp_touch *touch, int t)
{
    for (int i = 0; i < s->count; i++)
        if (distance2(s->points[i].at.point_a, touch->at.point_a) < s->same * s->same &&
            perp_dot3(s->points[i].at.normal, touch->at.normal) > 0.99) {
            if (is_better(touch, &s->points[i], s->same)) {
                s->points[i] = *touch;
                s->from[i] = t;
            }
            return;
        }
    if (s->count == FOUND)
        thin_out(s, HALF);
    s->from[s->count] = t;
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

/* Whose the normal n at a point x of a triangle is: its own, that of its face or, on an edge, one
 * that lies between those of its two faces where they meet convexly, or on a corner above all that
 * is around it; a neighbour's beyond a convex edge, which has the way out that is shorter than over
 * this face; or nobody's, where the surface goes on flat or hollow, and what lies above the face is
 * left. */
typedef enum owner { OWN, NEIGHBOURS, NOBODYS } owner;

/* Do all corners of a triangle but the one with this number lie below the plane with the normal n
 * through that one, at x? */
static int falls(const perp_mesh *m, int t, int corner, const double *n, const double *x)
{
    for (int k = 1; k < 3; k++) {
        const double *y = m->vertex + (size_t)3 * (size_t)m->triangle[3 * t + (corner + k) % 3];
        double to[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
        if (perp_dot3(n, to) > -1e-6 * sqrt(perp_dot3(to, to)))
            return 0;
    }
    return 1;
}

/* The same of all triangles around that corner, one side of it after the other. */
static int is_summit(const search *s, int t, int corner, const double *n)
{
    const perp_mesh *m = s->mesh;
    int vertex = m->triangle[3 * t + corner];
    const double *x = m->vertex + (size_t)3 * (size_t)vertex;
    for (int side = 0; side < 2; side++) {
        int at = t, j = corner;
        for (int count = 0;; count++) {
            if (count == FAN || !falls(m, at, j, n, x))
                return 0;
            at = m->neighbour[3 * at + (side ? (j + 2) % 3 : j)];
            if (at == t)
                return 1;
            if (at < 0)
                break;
            for (j = 0; j < 3 && m->triangle[3 * at + j] != vertex;)
                j++;
            if (j == 3)
                return 0;
        }
    }
    return 1;
}

/* Is a point of a triangle a corner of it on which a plane with the normal n may lie? */
static int is_on_summit(const search *s, int t, const double *n, const double *x)
{
    for (int k = 0; k < 3; k++)
        if (distance2(x, s->mesh->vertex + (size_t)3 * (size_t)s->mesh->triangle[3 * t + k]) <
            s->same * s->same)
            return is_summit(s, t, k, n);
    return 0;
}

static owner owner_of(const search *s, int t, const double *n, const double *x, int *neighbour)
{
    const perp_mesh *m = s->mesh;
    const double *own = m->normal + 3 * t;
    if (perp_dot3(own, n) >= 1.0 - 1e-12 || is_on_summit(s, t, n, x))
        return OWN;
    int behind = perp_dot3(own, n) <= 0.0, passed = -1;
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
            return NOBODYS;
        /* Beyond the other face: it leans over the edge further than its plane. */
        perp_cross3(back, far, d);
        if (behind || perp_dot3(n, back) < -1e-9 * sqrt(perp_dot3(back, back)))
            passed = other;
    }
    if (neighbour)
        *neighbour = passed;
    return passed >= 0 ? NEIGHBOURS : behind ? NOBODYS : OWN;
}

/* What is above the face of a triangle, along its normal. */
static int touch_face(perp_touch *found, const search *s, int t)
{
    flat_hull flat;
    perp_convex b;
    make_flat(&flat, &b, s->mesh, t);
    return perp_convex_touch_face(found, PATCH, s->a, &b, s->mesh->normal + 3 * t, s->reach);
}

/* Leaves those of the points that are hardly deeper than a way out of this length is long. */
static int keep_shallow(perp_touch *found, int count, const search *s, double way)
{
    int kept = 0;
    for (int i = 0; i < count; i++)
        if (found[i].at.gap >= -(HARDLY * way + s->same + s->a->ball))
            found[kept++] = found[i];
    return kept;
}

/* Such points, or the lowest one where none is above the triangle itself: what is deeper belongs to
 * something else. */
static int touch_plane(perp_touch *found, const search *s, int t, double way)
{
    int count = keep_shallow(found, touch_face(found, s, t), s, way);
    const double *n = s->mesh->normal + 3 * t;
    const double *on = s->mesh->vertex + (size_t)3 * (size_t)s->mesh->triangle[3 * t];
    double down[3] = {-n[0], -n[1], -n[2]}, lowest[3];
    if (count > 0)
        return count;
    memset(found, 0, sizeof *found);
    found->plane_b = 1;
    perp_convex_support(lowest, s->a, down);
    for (int k = 0; k < 3; k++) {
        found->at.normal[k] = n[k];
        found->at.point_a[k] = lowest[k] - s->a->ball * n[k];
        found->at.gap += n[k] * (found->at.point_a[k] - on[k]);
    }
    for (int k = 0; k < 3; k++)
        found->at.point_b[k] = found->at.point_a[k] - found->at.gap * n[k];
    return keep_shallow(found, 1, s, way);
}

static void add_own(search *s, const perp_touch *found, int count, int t)
{
    for (int i = 0; i < count; i++)
        if (owner_of(s, t, found[i].at.normal, found[i].at.point_b, NULL) == OWN)
            add(s, &found[i], t);
}

static void pass(search *s, int t, int neighbour, double way)
{
    perp_touch found[PATCH];
    double gap = HUGE_VAL;
    int count = touch_plane(found, s, t, way);
    for (int i = 0; i < count; i++)
        gap = fmin(gap, found[i].at.gap);
    if (count > 0 && s->npassed < PASSED)
        s->passed[s->npassed++] = (passing){t, neighbour, gap, way};
}

/* Has the neighbour a contact, or passed it on, or is it the one that is less deep? */
static int is_taken(const search *s, const passing *own)
{
    for (int i = 0; i < s->count; i++)
        if (s->from[i] == own->neighbour)
            return 1;
    for (const passing *p = s->passed; p < s->passed + s->npassed; p++)
        if (p->triangle == own->neighbour && (p->neighbour != own->triangle || p->gap > own->gap ||
                                              (p->gap == own->gap && p->triangle < own->triangle)))
            return 1;
    return 0;
}

/* Where two faces of an edge leave an overlap to each other. */
static void add_passed(search *s)
{
    perp_touch found[PATCH];
    int taken[PASSED];
    for (int k = 0; k < s->npassed; k++)
        taken[k] = is_taken(s, &s->passed[k]);
    for (int k = 0; k < s->npassed; k++) {
        const passing *p = &s->passed[k];
        if (!taken[k])
            add_own(s, found, touch_plane(found, s, p->triangle, p->way), p->triangle);
    }
}

/* By its own way out, first of all where that leads to its outside. */
static void keep_nearest(search *s, const perp_separation *sep, int t)
{
    int outside = perp_dot3(sep->normal, s->mesh->normal + 3 * t) > 0.0;
    if (s->nearest_of >= 0 &&
        (outside < s->nearest_outside ||
         (outside == s->nearest_outside && sep->gap - s->a->ball <= s->nearest.at.gap)))
        return;
    s->nearest_outside = outside;
    memset(&s->nearest, 0, sizeof s->nearest);
    s->nearest.at.gap = sep->gap - s->a->ball;
    for (int k = 0; k < 3; k++) {
        s->nearest.at.normal[k] = sep->normal[k];
        s->nearest.at.point_a[k] = sep->point_a[k] - s->a->ball * sep->normal[k];
        s->nearest.at.point_b[k] = sep->point_b[k];
    }
    s->nearest_of = t;
}

/* What is overlapped has a contact, whosever it is. */
static void add_nearest(search *s)
{
    for (int i = 0; i < s->count; i++)
        if (s->points[i].at.gap <= s->same)
            return;
    if (s->nearest_of >= 0)
        add(s, &s->nearest, s->nearest_of);
}

static void add_triangle(search *s, int t)
{
    flat_hull flat;
    perp_convex b;
    perp_separation sep;
    perp_touch found[PATCH];
    const double *n = s->mesh->normal + 3 * t;
    if (!(perp_dot3(n, n) > 0.0))
        return;
    make_flat(&flat, &b, s->mesh, t);
    if (!perp_convex_separation(&sep, s->a, &b, s->reach + s->a->ball, NULL))
        return;
    int neighbour = -1, count;
    owner whose = owner_of(s, t, sep.normal, sep.point_b, &neighbour);
    double above = 0.0;
    for (int k = 0; k < 3; k++)
        above += n[k] * (s->a->centre[k] - b.centre[k]);
    /* Apart, a neighbour is nearer, or this is the back of the surface. */
    if (whose != OWN && (sep.gap > 0.0 || above <= 0.0))
        return;
    if (whose != OWN)
        keep_nearest(s, &sep, t);
    /* What barely touches another's edge lies above this face by rounding. */
    if (whose != OWN && sep.gap > -s->same)
        return;
    if (whose == NEIGHBOURS) {
        pass(s, t, neighbour, -sep.gap);
        return;
    }
    count = whose == OWN ? perp_convex_touch(found, PATCH, s->a, &b, s->reach, NULL)
                         : keep_shallow(found, touch_face(found, s, t), s, -sep.gap);
    add_own(s, found, count, t);
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
    search s = {.points = found,
                .a = &local,
                .mesh = mesh,
                .reach = reach,
                .same = 1e-6 * (a->size + a->ball),
                .nearest_of = -1};
    walk(&s);
    add_passed(&s);
    add_nearest(&s);
    thin_out(&s, capacity < MOST ? capacity : MOST);
    memcpy(points, found, (size_t)s.count * sizeof *found);
    for (int i = 0; i < s.count; i++) {
        to_world(points[i].at.normal, NULL, R);
        to_world(points[i].at.point_a, centre, R);
        to_world(points[i].at.point_b, centre, R);
    }
    return s.count;
}
