/* SPDX-License-Identifier: BSD-3-Clause */
/* All the points where two convex shapes touch: a face, or a line, of one is clipped by a face of
 * the other.  The heights of the points are those above that face.  The nearest points are added
 * where they lie lower than all of these. */
#include <math.h>
#include <string.h>

#include "kernel/collide/convex.h"
#include "kernel/relations/twist.h"

enum { MOST = 8 };
/* A face counts where the normal of the contact is nearer to its own than this; lines that touch
 * along their length are parallel to this. */
static const double face_cosine = 0.999, line_sine = 0.02;
/* The normal of the contact is that of a face. */
static const double own_cosine = 1.0 - 1e-14;

typedef struct patch {
    perp_touch *points;
    int capacity, count;
    const perp_convex *a, *b; /* b: NULL for a half-space */
    double reach;
} patch;

static double size_of(const patch *p)
{
    double a = p->a->size + p->a->ball;
    return p->b ? fmin(a, p->b->size + p->b->ball) : a;
}

/* Core points a - b = height n: a contact with the balls counted. */
static void set_points(perp_contact_point *at, const patch *p, const double *n, const double *on_a,
                       const double *on_b, double height)
{
    double ball_b = p->b ? p->b->ball : 0.0;
    at->gap = height - p->a->ball - ball_b;
    for (int k = 0; k < 3; k++) {
        at->normal[k] = n[k];
        at->point_a[k] = on_a[k] - p->a->ball * n[k];
        at->point_b[k] = on_b[k] + ball_b * n[k];
    }
}

static double radius_at(const perp_convex *c, const double *n, double sign, const double *x)
{
    double outward[3] = {sign * n[0], sign * n[1], sign * n[2]};
    return perp_convex_curvature(c, outward, x) + c->ball;
}

static void add(patch *p, const perp_touch *touch)
{
    if (touch->at.gap <= p->reach && p->count < p->capacity)
        p->points[p->count++] = *touch;
}

/* Keeps the part of the polygon or line where normal . x <= offset. */
static void clip(perp_facet *f, const double *normal, double offset)
{
    perp_facet out = {.count = 0};
    memcpy(out.normal, f->normal, sizeof out.normal);
    int closed = f->count > 2;
    for (int i = 0; i < f->count; i++) {
        const double *x = f->x[i], *y = f->x[(i + 1) % f->count];
        double u = perp_dot3(normal, x) - offset, v = perp_dot3(normal, y) - offset;
        if (u <= 0.0 && out.count < PERP_FACET_POINTS)
            memcpy(out.x[out.count++], x, 3 * sizeof *x);
        if (!closed && i == f->count - 1)
            break;
        if ((u < 0.0 && v > 0.0) || (u > 0.0 && v < 0.0)) {
            if (out.count == PERP_FACET_POINTS)
                break;
            for (int k = 0; k < 3; k++)
                out.x[out.count][k] = x[k] + u / (u - v) * (y[k] - x[k]);
            out.count++;
        }
    }
    *f = out;
}

static void clip_by_sides(perp_facet *f, const perp_facet *face, double slack)
{
    for (int i = 0; i < face->count && f->count > 0; i++) {
        const double *x = face->x[i], *y = face->x[(i + 1) % face->count];
        double edge[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]}, side[3];
        perp_cross3(side, edge, face->normal);
        double length = sqrt(perp_dot3(side, side));
        if (!(length > 0.0))
            continue;
        for (int k = 0; k < 3; k++)
            side[k] /= length;
        clip(f, side, perp_dot3(side, x) + slack);
    }
}

/* What of a core faces the direction d: a polygon or a line; 0 points: only its nearest point. */
static void facing(perp_facet *f, const perp_convex *c, const double *d)
{
    double along = perp_convex_face(f, c, d, 0);
    int round = c->kind == PERP_CORE_CYLINDER || c->kind == PERP_CORE_CONE;
    if (along > (round ? 0.7 : 0.5))
        return;
    if (c->kind == PERP_CORE_SEGMENT || round)
        perp_convex_line(f, c, d);
    else if (along < -1.0)
        f->count = 0;
}

/* The place of a point that is the same one, plus 1; 0: none. */
static int is_near(const patch *p, int first, const perp_touch *touch)
{
    double least = 1e-6 * size_of(p);
    for (int i = first; i < p->count; i++)
        if (perp_touch_distance2(&p->points[i], touch) < least * least)
            return i + 1;
    return 0;
}

/* How far x is from the line through y and z. */
static double beside_line(const double *x, const double *y, const double *z)
{
    double d[3], to[3], c[3];
    for (int k = 0; k < 3; k++) {
        d[k] = z[k] - y[k];
        to[k] = x[k] - y[k];
    }
    double square = perp_dot3(d, d);
    perp_cross3(c, d, to);
    return sqrt(square > 0.0 ? perp_dot3(c, c) / square : perp_dot3(to, to));
}

/* Without the corners that carry nothing of their own: edges of two faces that nearly coincide
 * cross anywhere along them, elsewhere in each step. */
static void drop_idle_corners(perp_facet *f, double slack)
{
    while (f->count > 3) {
        int idle = 0;
        double least = INFINITY;
        for (int i = 0; i < f->count; i++) {
            double own =
                beside_line(f->x[i], f->x[(i + f->count - 1) % f->count], f->x[(i + 1) % f->count]);
            if (own < least) {
                least = own;
                idle = i;
            }
        }
        if (!(least < slack))
            return;
        f->count--;
        memmove(f->x[idle], f->x[idle + 1], (size_t)(f->count - idle) * sizeof f->x[0]);
    }
}

/* Points of f above a plane of the other side.  sign: 1 where f is of a, n outwards of the plane.
 */
static void add_above(patch *p, const perp_facet *f, const double *n, double offset, double sign)
{
    perp_touch all[PERP_FACET_POINTS];
    patch whole = *p;
    const perp_convex *c = sign > 0.0 ? p->a : p->b;
    whole.points = all;
    whole.capacity = PERP_FACET_POINTS;
    whole.count = 0;
    for (int i = 0; i < f->count; i++) {
        perp_touch touch = {.plane_a = sign<0.0, .plane_b = sign> 0.0};
        double normal[3], foot[3], height = perp_dot3(n, f->x[i]) - offset;
        for (int k = 0; k < 3; k++) {
            normal[k] = sign * n[k];
            foot[k] = f->x[i][k] - height * n[k];
        }
        set_points(&touch.at, p, normal, sign > 0.0 ? f->x[i] : foot, sign > 0.0 ? foot : f->x[i],
                   height);
        /* A plane of a core without a ball; the other side keeps its curvature. */
        double radius = f->count > 2 ? c->ball : radius_at(c, n, -1.0, f->x[i]);
        touch.radius_a = sign > 0.0 ? radius : 0.0;
        touch.radius_b = sign > 0.0 ? 0.0 : radius;
        if (!is_near(&whole, 0, &touch))
            add(&whole, &touch);
    }
    int chosen[PERP_FACET_POINTS];
    int kept = perp_touch_spread(chosen, all, whole.count, MOST, 1e-6 * size_of(p));
    for (int i = 0; i < kept && p->count < p->capacity; i++)
        p->points[p->count++] = all[chosen[i]];
}

/* The face of one against what faces it of the other. */
static void add_on_face(patch *p, int second, const perp_facet *face)
{
    const perp_convex *other = second ? p->a : p->b;
    perp_facet f;
    double down[3] = {-face->normal[0], -face->normal[1], -face->normal[2]};
    facing(&f, other, down);
    clip_by_sides(&f, face, 1e-9 * size_of(p));
    drop_idle_corners(&f, 1e-4 * size_of(p));
    /* A face has no ball: cores with one (capsules) have no faces. */
    add_above(p, &f, face->normal, perp_dot3(face->normal, face->x[0]), second ? 1.0 : -1.0);
}

/* Two lines side by side: the ends of what they share. */
static void add_lines(patch *p, const perp_separation *s, const perp_facet *la,
                      const perp_facet *lb)
{
    double d[3], length, lo = -INFINITY, hi = INFINITY;
    for (int k = 0; k < 3; k++)
        d[k] = la->x[1][k] - la->x[0][k];
    length = sqrt(perp_dot3(d, d));
    for (int k = 0; k < 3; k++)
        d[k] /= length;
    for (int side = 0; side < 2; side++) {
        const perp_facet *l = side ? lb : la;
        double u = perp_dot3(d, l->x[0]), v = perp_dot3(d, l->x[1]);
        lo = fmax(lo, fmin(u, v));
        hi = fmin(hi, fmax(u, v));
    }
    if (!(hi - lo > 1e-6 * length))
        return;
    for (int end = 0; end < 2; end++) {
        double at = end ? hi : lo, x[2][3];
        perp_touch touch = {.plane_a = 0};
        for (int side = 0; side < 2; side++) {
            const perp_facet *l = side ? lb : la;
            double u = perp_dot3(d, l->x[0]), v = perp_dot3(d, l->x[1]);
            for (int k = 0; k < 3; k++)
                x[side][k] = l->x[0][k] + (at - u) / (v - u) * (l->x[1][k] - l->x[0][k]);
        }
        double height = 0.0;
        for (int k = 0; k < 3; k++)
            height += s->normal[k] * (x[0][k] - x[1][k]);
        for (int k = 0; k < 3; k++)
            x[1][k] = x[0][k] - height * s->normal[k];
        set_points(&touch.at, p, s->normal, x[0], x[1], height);
        touch.radius_a = radius_at(p->a, s->normal, -1.0, x[0]);
        touch.radius_b = radius_at(p->b, s->normal, 1.0, x[1]);
        add(p, &touch);
    }
}

static int parallel(const perp_facet *la, const perp_facet *lb)
{
    double u[3], v[3], across[3];
    for (int k = 0; k < 3; k++) {
        u[k] = la->x[1][k] - la->x[0][k];
        v[k] = lb->x[1][k] - lb->x[0][k];
    }
    perp_cross3(across, u, v);
    return perp_dot3(across, across) <= line_sine * line_sine * perp_dot3(u, u) * perp_dot3(v, v);
}

/* The nearest points, unless they are in the patch or, where that has the very normal of the
 * contact, it holds points as low. */
static void add_nearest(patch *p, const perp_separation *s, int on_a, int on_b, int lines)
{
    perp_touch touch = {.plane_a = on_a, .plane_b = on_b};
    double least = INFINITY;
    set_points(&touch.at, p, s->normal, s->point_a, s->point_b, s->gap);
    for (int i = 0; i < p->count; i++)
        least = fmin(least, p->points[i].at.gap);
    if ((on_a || on_b || lines) && touch.at.gap > least - 1e-7 * size_of(p))
        return;
    int same = is_near(p, 0, &touch) - 1;
    if (same >= 0 && perp_dot3(p->points[same].at.normal, touch.at.normal) > 1.0 - 1e-14 &&
        p->points[same].at.gap <= touch.at.gap + 1e-7 * size_of(p))
        return;
    touch.radius_a = radius_at(p->a, s->normal, -1.0, s->point_a);
    touch.radius_b = p->b ? radius_at(p->b, s->normal, 1.0, s->point_b) : 0.0;
    if (on_a)
        touch.radius_a = 0.0;
    if (on_b)
        touch.radius_b = 0.0;
    if (same >= 0) {
        p->points[same] = touch;
        return;
    }
    if (p->count == p->capacity)
        p->count--;
    add(p, &touch);
}

/* Whose face is the plane, by the cosines of both with the normal: of two that coincide always the
 * second one's, whatever rounding makes of them, so that the points move with the first. */
static int plane_is_second(double ca, double cb)
{
    return cb > own_cosine || cb >= ca;
}

/* Where the normal that the pair had is that of a face: its points, if they show that no other
 * normal parts the shapes by more than the slack.  Each lies on one shape and its foot on the other,
 * so that the distance is at most its gap.  0: a search is needed. */
static int stays_on_face(patch *p, const perp_kept_normal *before)
{
    double n[3], down[3], least = INFINITY;
    perp_facet fa, fb;
    if (!perp_convex_kept(n, p->a, p->b, before))
        return 0;
    for (int k = 0; k < 3; k++)
        down[k] = -n[k];
    double ca = perp_convex_face(&fa, p->a, down, 1), cb = perp_convex_face(&fb, p->b, n, 1);
    if (fmax(ca, cb) <= own_cosine)
        return 0;
    int second = plane_is_second(ca, cb);
    add_on_face(p, second, second ? &fb : &fa);
    for (int i = 0; i < p->count; i++)
        least = fmin(least, p->points[i].at.gap);
    double more = fmax(least, 0.0) - perp_convex_gap(p->a, p->b, n);
    if (more <= before->slack * fmin(p->a->size, p->b->size))
        return 1;
    p->count = 0;
    return 0;
}

int perp_convex_touch(perp_touch *points, int capacity, const perp_convex *a, const perp_convex *b,
                      double reach, const perp_kept_normal *before)
{
    patch p = {points, capacity, 0, a, b, reach};
    perp_separation s;
    perp_facet fa, fb;
    if (stays_on_face(&p, before))
        return p.count;
    if (!perp_convex_separation(&s, a, b, reach + a->ball + b->ball, before))
        return 0;
    double down[3] = {-s.normal[0], -s.normal[1], -s.normal[2]};
    double ca = perp_convex_face(&fa, a, down, 1), cb = perp_convex_face(&fb, b, s.normal, 1);
    double sa = 2.0, sb = 2.0;
    int on_a = 0, on_b = 0, lines = 0;
    if (fmax(ca, cb) >= face_cosine) {
        int second = plane_is_second(ca, cb);
        add_on_face(&p, second, second ? &fb : &fa);
        on_b = second && cb > own_cosine;
        on_a = !second && ca > own_cosine;
    } else {
        perp_facet la, lb;
        sa = perp_convex_line(&la, a, down);
        sb = sa <= line_sine ? perp_convex_line(&lb, b, s.normal) : 2.0;
        lines = sb <= line_sine && parallel(&la, &lb);
        if (lines)
            add_lines(&p, &s, &la, &lb);
    }
    add_nearest(&p, &s, on_a, on_b, lines);
    return p.count;
}

int perp_convex_touch_face(perp_touch *points, int capacity, const perp_convex *a,
                           const perp_convex *b, const double *n, double reach)
{
    patch p = {points, capacity, 0, a, b, reach};
    perp_facet face, lone = {.count = 1};
    double down[3] = {-n[0], -n[1], -n[2]};
    if (perp_convex_face(&face, b, n, 1) < face_cosine)
        return 0;
    add_on_face(&p, 1, &face);
    /* The lowest point, where it is above the face. */
    perp_convex_support(lone.x[0], a, down);
    clip_by_sides(&lone, &face, 1e-9 * size_of(&p));
    if (lone.count > 0)
        add_above(&p, &lone, face.normal, perp_dot3(face.normal, face.x[0]), 1.0);
    return p.count;
}

int perp_convex_touch_plane(perp_touch *points, int capacity, const perp_convex *a,
                            const double *normal, double offset, double reach)
{
    patch p = {points, capacity, 0, a, NULL, reach};
    double down[3] = {-normal[0], -normal[1], -normal[2]};
    perp_separation s;
    perp_facet f;
    facing(&f, a, down);
    add_above(&p, &f, normal, offset, 1.0);
    perp_convex_support(s.point_a, a, down);
    s.gap = perp_dot3(normal, s.point_a) - offset;
    for (int k = 0; k < 3; k++) {
        s.normal[k] = normal[k];
        s.point_b[k] = s.point_a[k] - s.gap * normal[k];
    }
    add_nearest(&p, &s, 0, 1, 0);
    return p.count;
}
