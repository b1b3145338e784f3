/* SPDX-License-Identifier: BSD-3-Clause */
/* Convex polygons and discs in the plane: edges of one against the vertices of the other, and the
 * ends of what two edges share. */
#include <math.h>
#include <string.h>

#include "kernel/collide/collider.h"

typedef struct outline {
    double x[PERP_POLYGON_VERTICES][2], ball;
    int count;
} outline;

/* One minus the cosine between an edge and what it was in the step before. */
static const double same_edge = 1e-12;

/* Contact of an edge of one with what faces it of the other. */
typedef struct edge {
    double n[2], at[2], height; /* outward normal, first end; least height of the other above it */
    int index;
} edge;

static void place(outline *o, const perp_shape *shape)
{
    o->ball = shape->ball;
    o->count = shape->npoints;
    for (int i = 0; i < o->count; i++) {
        double x[3];
        perp_contact_outside(x, shape->q, 1, shape->points + 3 * i);
        o->x[i][0] = x[0];
        o->x[i][1] = x[1];
    }
}

static double above(const edge *e, const double *p)
{
    return e->n[0] * (p[0] - e->at[0]) + e->n[1] * (p[1] - e->at[1]);
}

static void take_edge(edge *e, const outline *o, int i)
{
    const double *p = o->x[i], *q = o->x[(i + 1) % o->count];
    double d[2] = {q[0] - p[0], q[1] - p[1]}, length = hypot(d[0], d[1]);
    e->n[0] = d[1] / length;
    e->n[1] = -d[0] / length;
    memcpy(e->at, p, sizeof e->at);
    e->index = i;
}

/* Edge i of a, and how high all of b lies above it. */
static void measure_edge(edge *e, const outline *a, const outline *b, int i)
{
    take_edge(e, a, i);
    e->height = INFINITY;
    for (int k = 0; k < b->count; k++)
        e->height = fmin(e->height, above(e, b->x[k]));
}

/* The edge of a above which all of b lies highest; a point has none. */
static edge best_edge(const outline *a, const outline *b)
{
    edge best = {.height = -INFINITY, .index = -1};
    for (int i = 0; i < a->count && a->count > 2; i++) {
        edge e;
        measure_edge(&e, a, b, i);
        if (e.height > best.height)
            best = e;
    }
    return best;
}

/* The edge of a whose outward normal is n, where that parts both as well as `height`, but for
 * `slack` of its length; 1: *e is that. */
static int stays(edge *e, const outline *a, const outline *b, const double *n, double height,
                  double slack)
{
    edge best = {.index = -1};
    double most = 1.0 - same_edge;
    for (int i = 0; i < a->count && a->count > 2; i++) {
        edge own;
        take_edge(&own, a, i);
        double cosine = own.n[0] * n[0] + own.n[1] * n[1];
        if (cosine > most) {
            most = cosine;
            best = own;
        }
    }
    if (best.index < 0)
        return 0;
    measure_edge(&best, a, b, best.index);
    const double *p = a->x[best.index], *q = a->x[(best.index + 1) % a->count];
    if (!(best.height >= height - slack * hypot(q[0] - p[0], q[1] - p[1])))
        return 0;
    *e = best;
    return 1;
}

/* One point above an edge of b, or of a where `second` is 0. */
static void add_above(perp_touch *points, int *count, const edge *e, const double *p, double ball,
                      int second, double reach)
{
    double height = above(e, p), sign = second ? 1.0 : -1.0;
    perp_touch touch = {.plane_a = !second, .plane_b = second};
    double *on_ball = second ? touch.at.point_a : touch.at.point_b;
    double *on_edge = second ? touch.at.point_b : touch.at.point_a;
    touch.at.gap = height - ball;
    touch.radius_a = second ? ball : 0.0;
    touch.radius_b = second ? 0.0 : ball;
    for (int k = 0; k < 2; k++) {
        touch.at.normal[k] = sign * e->n[k];
        on_ball[k] = p[k] - ball * e->n[k];
        on_edge[k] = p[k] - height * e->n[k];
    }
    if (touch.at.gap <= reach)
        points[(*count)++] = touch;
}

/* The edge of o that faces e, cut to the length of e; a point as it is. */
static int facing(double out[2][2], const edge *e, const outline *reference, const outline *o)
{
    const double *p = reference->x[e->index];
    const double *q = reference->x[(e->index + 1) % reference->count];
    double along[2] = {-e->n[1], e->n[0]}, least = INFINITY;
    double length = along[0] * (q[0] - p[0]) + along[1] * (q[1] - p[1]);
    int best = 0, count = o->count > 2 ? 2 : 1;
    for (int i = 0; i < o->count && count == 2; i++) {
        edge x;
        take_edge(&x, o, i);
        double cosine = x.n[0] * e->n[0] + x.n[1] * e->n[1];
        if (cosine < least) {
            least = cosine;
            best = i;
        }
    }
    double s[2], slack = 1e-9 * length;
    for (int i = 0; i < count; i++) {
        memcpy(out[i], o->x[(best + i) % o->count], sizeof out[i]);
        s[i] = along[0] * (out[i][0] - p[0]) + along[1] * (out[i][1] - p[1]);
    }
    if (count == 1)
        return s[0] >= -slack && s[0] <= length + slack;
    if (fmax(s[0], s[1]) < -slack || fmin(s[0], s[1]) > length + slack)
        return 0;
    double from[2][2];
    memcpy(from, out, sizeof from);
    for (int i = 0; i < 2; i++) {
        double to = fmax(0.0, fmin(length, s[i])), part = (to - s[i]) / (s[1 - i] - s[i]);
        if (fabs(to - s[i]) <= slack)
            continue;
        for (int k = 0; k < 2; k++)
            out[i][k] = from[i][k] + part * (from[1 - i][k] - from[i][k]);
    }
    return 2;
}

/* Nearest points of two outlines that are apart, corner to corner. */
static void add_corners(perp_touch *points, int *count, const outline *a, const outline *b,
                        double reach)
{
    double best = INFINITY;
    perp_touch touch = {.radius_a = a->ball, .radius_b = b->ball};
    const double *p = a->x[0], *q = b->x[0];
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++) {
            double distance = hypot(a->x[i][0] - b->x[k][0], a->x[i][1] - b->x[k][1]);
            if (distance < best) {
                best = distance;
                p = a->x[i];
                q = b->x[k];
            }
        }
    touch.at.gap = best - a->ball - b->ball;
    for (int k = 0; k < 2; k++) {
        touch.at.normal[k] = (p[k] - q[k]) / best;
        touch.at.point_a[k] = p[k] - a->ball * touch.at.normal[k];
        touch.at.point_b[k] = q[k] + b->ball * touch.at.normal[k];
    }
    if (touch.at.gap <= reach && best > 0.0)
        points[(*count)++] = touch;
}

int perp_polygon_touch(perp_touch *points, const perp_shape *first, const perp_shape *second,
                       double reach, const perp_kept_normal *before)
{
    outline a, b;
    double found[2][2];
    int count = 0;
    place(&a, first);
    place(&b, second);
    edge ea = best_edge(&a, &b), eb = best_edge(&b, &a);
    int on_b = eb.index >= 0 && (ea.index < 0 || eb.height >= ea.height - 1e-9 * fabs(ea.height));
    if (before) {
        double height = fmax(ea.height, eb.height), down[2] = {-before->n[0], -before->n[1]};
        if (stays(&eb, &b, &a, before->n, height, before->slack))
            on_b = 1;
        else if (stays(&ea, &a, &b, down, height, before->slack))
            on_b = 0;
    }
    const edge *e = on_b ? &eb : &ea;
    const outline *reference = on_b ? &b : &a, *other = on_b ? &a : &b;
    if (e->height > reach + a.ball + b.ball)
        return 0;
    int n = facing(found, e, reference, other);
    for (int i = 0; i < n; i++)
        add_above(points, &count, e, found[i], other->ball, on_b, reach);
    double least = reach;
    for (int i = 0; i < count; i++)
        least = fmin(least, points[i].at.gap - 1e-9 * (a.ball + b.ball + fabs(e->height)));
    if (e->height > 0.0)
        add_corners(points, &count, &a, &b, least);
    return count;
}
