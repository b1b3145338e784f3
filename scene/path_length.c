/* SPDX-License-Identifier: BSD-3-Clause */
/* Where a path leaves a round shape it is tangent to it, and what lies on the shape is a geodesic
 * (or one point at which both sides make the same angle): so the length changes as if the points of
 * contact were fixed to the shape, and the gradient is that of the straight pieces alone. */
#include "scene/path_length.h"

#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/pose.h"

static const double pi = 3.14159265358979323846;

enum { MOST_CHOICES = 32 };

/* Where the straight line lies beside a round shape with a side there are two ways, past it and
 * around it. */
typedef struct choices {
    int count;
    unsigned char other[MOST_CHOICES]; /* not the way of the rule */
    double change[MOST_CHOICES];       /* of the length, by the other way */
} choices;

typedef struct walk {
    const double *poses;
    double *gradient, divisor, length;
    choices choice;
} walk;

static double dot(const double *a, const double *b, int n)
{
    double sum = 0.0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double length_of(const double *a, int n)
{
    return sqrt(dot(a, a, n));
}

static void to_world(double *out, const walk *w, int body, const double *inside)
{
    const double *q = body >= 0 ? w->poses + 7 * body : NULL;

    if (q == NULL) {
        memcpy(out, inside, 3 * sizeof *out);
        return;
    }
    perp_quaternion_rotate(q + 3, inside, out);
    for (int i = 0; i < 3; i++)
        out[i] += q[i];
}

/* The length grows by `along` times the motion of this point of the body. */
static void pull(const walk *w, int body, const double *point, const double *along)
{
    const double *q = body >= 0 ? w->poses + 7 * body : NULL;
    double arm[3], moment[3], own[3];

    if (q == NULL || w->gradient == NULL)
        return;
    for (int i = 0; i < 3; i++)
        arm[i] = point[i] - q[i];
    perp_cross3(moment, arm, along);
    perp_quaternion_rotate_back(q + 3, moment, own);
    for (int i = 0; i < 3; i++) {
        w->gradient[6 * body + i] += along[i];
        w->gradient[6 * body + 3 + i] += own[i];
    }
}

static void straight(walk *w, int a, const double *from, int b, const double *to)
{
    double line[3], back[3], length;

    for (int i = 0; i < 3; i++)
        line[i] = to[i] - from[i];
    length = length_of(line, 3);
    w->length += length / w->divisor;
    if (!(length > 0.0))
        return;
    for (int i = 0; i < 3; i++) {
        line[i] /= length * w->divisor;
        back[i] = -line[i];
    }
    pull(w, b, to, line);
    pull(w, a, from, back);
}

/* What a path does at a circle about the origin: where it comes to it and leaves it, and the arc.
 */
typedef struct bend {
    double at[2][2], arc;
} bend;

/* The segments from a to b and from c to d have a common point. */
static int cross_each_other(const double *a, const double *b, const double *c, const double *d)
{
    double u[2] = {b[0] - a[0], b[1] - a[1]}, v[2] = {d[0] - c[0], d[1] - c[1]};
    double w[2] = {c[0] - a[0], c[1] - a[1]}, area = u[0] * v[1] - u[1] * v[0];

    if (area == 0.0)
        return 0;
    double s = (w[0] * v[1] - w[1] * v[0]) / area, t = (w[0] * u[1] - w[1] * u[0]) / area;
    return s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0;
}

/* The place of the segment from a to b that is nearest to the origin. */
static void nearest(double *out, const double *a, const double *b)
{
    double line[2] = {b[0] - a[0], b[1] - a[1]};
    double part = -dot(a, line, 2) / dot(line, line, 2);

    part = fmin(fmax(part, 0.0), 1.0);
    for (int i = 0; i < 2; i++)
        out[i] = a[i] + part * line[i];
}

/* By both tangents, to the left (sense 1) or to the right (-1) around the circle. */
static void bend_to(bend *out, const double *a, const double *b, double r, double sense)
{
    double first = atan2(a[1], a[0]) + sense * acos(r / length_of(a, 2));
    double last = atan2(b[1], b[0]) - sense * acos(r / length_of(b, 2));
    double turn = fmod(sense * (last - first), 2.0 * pi);

    out->at[0][0] = r * cos(first);
    out->at[0][1] = r * sin(first);
    out->at[1][0] = r * cos(last);
    out->at[1][1] = r * sin(last);
    out->arc = r * (turn < 0.0 ? turn + 2.0 * pi : turn);
}

/* How good one of the two ways is: the nearer to the side, or the shorter between the tangents. */
static double merit(const bend *way, const double *a, const double *b, const double *side)
{
    double middle[2], chord[2];

    if (cross_each_other(a, way->at[0], b, way->at[1]))
        return -INFINITY;
    for (int i = 0; i < 2; i++) {
        middle[i] = way->at[0][i] + way->at[1][i];
        chord[i] = way->at[0][i] - way->at[1][i];
    }
    return side != NULL ? dot(middle, side, 2) / length_of(middle, 2) : -dot(chord, chord, 2);
}

/* Around the circle; 0: the path is straight. *both: there are both ways, and by the rule of the
 * side it is straight (-1) or goes around (1). */
static int go_around(bend *out, const double *a, const double *b, double r, const double *side,
                     int *both)
{
    double near[2], best = -INFINITY;

    *both = 0;
    if (length_of(a, 2) < r || length_of(b, 2) < r || (a[0] == b[0] && a[1] == b[1]))
        return 0;
    nearest(near, a, b);
    if (length_of(near, 2) > r) {
        if (side == NULL)
            return 0;
        *both = dot(side, near, 2) >= 0.0 ? -1 : 1;
    }
    for (int k = 0; k < 2; k++) {
        bend way;
        double good;
        bend_to(&way, a, b, r, k == 0 ? -1.0 : 1.0);
        good = merit(&way, a, b, side);
        if (good > best) {
            *out = way;
            best = good;
        }
    }
    if (!(best > -INFINITY))
        *both = 0;
    return best > -INFINITY;
}

/* Of |a - x| + |b - x| by the angle, x on the circle. */
static double slope(const double *a, const double *b, double r, double angle)
{
    double x[2] = {r * cos(angle), r * sin(angle)}, along[2] = {-x[1], x[0]}, sum = 0.0;

    for (int k = 0; k < 2; k++) {
        const double *end = k == 0 ? a : b;
        double line[2] = {x[0] - end[0], x[1] - end[1]};
        sum += dot(line, along, 2) / length_of(line, 2);
    }
    return sum;
}

/* Drawn to the circle from outside: the way from a to b over it that is shortest. */
static int touch(bend *out, const double *a, const double *b, double r)
{
    double near[2], low = atan2(a[1], a[0]), turn = atan2(b[1], b[0]) - low, high;

    if (length_of(a, 2) <= r || length_of(b, 2) <= r)
        return 0;
    nearest(near, a, b);
    if (length_of(near, 2) <= r)
        return 0;
    turn += turn > pi ? -2.0 * pi : turn < -pi ? 2.0 * pi : 0.0;
    high = low + fmax(turn, 0.0);
    low += fmin(turn, 0.0);
    for (int k = 0; k < 200 && high > low; k++) {
        double middle = 0.5 * (low + high);
        if (middle <= low || middle >= high)
            break;
        if (slope(a, b, r, middle) > 0.0)
            high = middle;
        else
            low = middle;
    }
    out->at[0][0] = out->at[1][0] = r * cos(low);
    out->at[0][1] = out->at[1][1] = r * sin(low);
    out->arc = 0.0;
    return 1;
}

/* Two axes of the plane through the centre of a sphere and both ends. */
static void plane_of(double axis[2][3], const double *a, const double *b)
{
    double normal[3], size = length_of(a, 3);

    perp_cross3(normal, a, b);
    if (length_of(normal, 3) <= 1e-14 * size * length_of(b, 3)) { /* any plane through both */
        int least = fabs(a[0]) <= fabs(a[1]) ? 0 : 1;
        double unit[3] = {0.0, 0.0, 0.0};
        least = fabs(a[2]) < fabs(a[least]) ? 2 : least;
        unit[least] = 1.0;
        perp_cross3(normal, a, unit);
    }
    for (int i = 0; i < 3; i++)
        axis[0][i] = a[i] / size;
    perp_cross3(axis[1], normal, axis[0]);
    size = length_of(axis[1], 3);
    for (int i = 0; i < 3; i++)
        axis[1][i] /= size;
}

/* Both ends and the points of the bend, in the frame of the shape, as the place of the side is; 0:
 * the path is straight. *both: as above. */
static int bend_in_shape(double at[2][3], double *arc, int *both, const perp_path_part *s,
                         const double *beside, const double *a, const double *b)
{
    double axis[2][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}}, end[2][2], side[2], over[2], rise;
    int ball = s->kind == PERP_PATH_SPHERE, inside, bent;
    bend way = {{{0.0}}, 0.0};

    *both = 0;
    if (!(s->radius > 0.0) || !(length_of(a, 3) > 0.0) || !(length_of(b, 3) > 0.0))
        return 0;
    if (ball)
        plane_of(axis, a, b);
    for (int i = 0; i < 2; i++) {
        end[0][i] = dot(axis[i], a, 3);
        end[1][i] = dot(axis[i], b, 3);
        side[i] = dot(axis[i], beside, 3);
    }
    inside = s->has_side && length_of(beside, 3) < s->radius;
    bent = inside ? touch(&way, end[0], end[1], s->radius)
                  : go_around(&way, end[0], end[1], s->radius, s->has_side ? side : NULL, both);
    if (!bent)
        return 0;
    for (int k = 0; k < 2; k++) {
        double line[2] = {way.at[k][0] - end[k][0], way.at[k][1] - end[k][1]};
        over[k] = length_of(line, 2);
        for (int i = 0; i < 3; i++)
            at[k][i] = way.at[k][0] * axis[0][i] + way.at[k][1] * axis[1][i];
    }
    *arc = way.arc;
    if (ball)
        return 1;
    rise = (b[2] - a[2]) / (over[0] + way.arc + over[1]);
    at[0][2] = a[2] + rise * over[0];
    at[1][2] = b[2] - rise * over[1];
    *arc = way.arc * sqrt(1.0 + rise * rise);
    return 1;
}

/* A place of the world in the frame of a shape. */
static void into_shape(double *out, const walk *w, const perp_path_part *s, const double *place)
{
    double own[3];

    memcpy(own, place, sizeof own);
    if (s->body >= 0) {
        const double *q = w->poses + 7 * s->body;
        double arm[3] = {own[0] - q[0], own[1] - q[1], own[2] - q[2]};
        perp_quaternion_rotate_back(q + 3, arm, own);
    }
    for (int i = 0; i < 3; i++)
        own[i] -= s->place[i];
    perp_quaternion_rotate_back(s->turn, own, out);
}

static double distance(const double *a, const double *b)
{
    double line[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};

    return length_of(line, 3);
}

/* Where there are both ways: whether the path goes around, and what the other one would change. */
static int goes_around(walk *w, int both, double inside[2][3], double at[2][3], double arc)
{
    choices *c = &w->choice;
    int k = c->count;
    double more = distance(inside[0], at[0]) + arc + distance(at[1], inside[1]) -
                  distance(inside[0], inside[1]);

    if (k == MOST_CHOICES)
        return both > 0;
    c->count++;
    c->change[k] = (both > 0 ? -more : more) / w->divisor;
    return (both > 0) != c->other[k];
}

static void around(walk *w, const perp_path_part *s, const perp_path_part *from,
                   const perp_path_part *to)
{
    int both, bent;
    const perp_path_part *ends[2] = {from, to};
    double world[2][3], inside[2][3], at[2][3], side[3], arc;

    for (int k = 0; k < 2; k++) {
        to_world(world[k], w, ends[k]->body, ends[k]->place);
        into_shape(inside[k], w, s, world[k]);
    }
    memcpy(side, s->side, sizeof side);
    if (s->has_side && s->side_apart) {
        double place[3];
        to_world(place, w, s->side_body, s->side);
        into_shape(side, w, s, place);
    }
    bent = bend_in_shape(at, &arc, &both, s, side, inside[0], inside[1]);
    if (bent && both != 0)
        bent = goes_around(w, both, inside, at, arc);
    if (!bent) {
        straight(w, from->body, world[0], to->body, world[1]);
        return;
    }
    for (int k = 0; k < 2; k++) {
        double own[3];
        perp_quaternion_rotate(s->turn, at[k], own);
        for (int i = 0; i < 3; i++)
            own[i] += s->place[i];
        to_world(at[k], w, s->body, own);
    }
    straight(w, from->body, world[0], s->body, at[0]);
    straight(w, s->body, at[1], to->body, world[1]);
    w->length += arc / w->divisor;
}

/* The length grows by `by` times the change of an axis that the body carries. */
static void turn_axis(const walk *w, int body, const double *axis, const double *by)
{
    double moment[3], own[3];

    if (body < 0 || w->gradient == NULL)
        return;
    perp_cross3(moment, axis, by);
    perp_quaternion_rotate_back(w->poses + 7 * body + 3, moment, own);
    for (int i = 0; i < 3; i++)
        w->gradient[6 * body + 3 + i] += own[i];
}

/* With v from the place to the point and a the axis: v a, or v a - sqrt((v a)^2 + rod^2 - v v). */
static void along(walk *w, const perp_path_part *s, const perp_path_part *to)
{
    static const double z[3] = {0.0, 0.0, 1.0};
    double own[3], axis[3], from[3], end[3], v[3], by_v[3], by_axis[3], back[3], part, under;

    perp_quaternion_rotate(s->turn, z, own);
    memcpy(axis, own, sizeof axis);
    if (s->body >= 0)
        perp_quaternion_rotate(w->poses + 7 * s->body + 3, own, axis);
    to_world(from, w, s->body, s->place);
    to_world(end, w, to->body, to->place);
    for (int i = 0; i < 3; i++)
        v[i] = end[i] - from[i];
    part = dot(v, axis, 3);
    under = part * part + s->radius * s->radius - dot(v, v, 3);
    double root = s->kind == PERP_PATH_ROD && under > 0.0 ? sqrt(under) : 0.0;
    for (int i = 0; i < 3; i++) {
        by_axis[i] = (root > 0.0 ? 1.0 - part / root : 1.0) * v[i] / w->divisor;
        by_v[i] = (root > 0.0 ? (1.0 - part / root) * axis[i] + v[i] / root : axis[i]) / w->divisor;
        back[i] = -by_v[i];
    }
    w->length += (part - root) / w->divisor;
    pull(w, to->body, end, by_v);
    pull(w, s->body, from, back);
    turn_axis(w, s->body, axis, by_axis);
}

static void walk_along(walk *w, const perp_path_part *parts, int count, int bodies)
{
    w->divisor = 1.0;
    w->length = 0.0;
    w->choice.count = 0;
    for (int k = 0; w->gradient != NULL && k < 6 * bodies; k++)
        w->gradient[k] = 0.0;
    for (int k = 0; k + 1 < count; k++) {
        const perp_path_part *from = &parts[k], *to = &parts[k + 1];
        if (from->kind == PERP_PATH_DIVIDE)
            w->divisor = from->divisor;
        if (from->kind == PERP_PATH_AXIS || from->kind == PERP_PATH_ROD)
            along(w, from, to);
        if (from->kind != PERP_PATH_POINT || to->kind == PERP_PATH_DIVIDE)
            continue;
        if (to->kind == PERP_PATH_POINT) {
            double end[2][3];
            to_world(end[0], w, from->body, from->place);
            to_world(end[1], w, to->body, to->place);
            straight(w, from->body, end[0], to->body, end[1]);
        } else if (k + 2 < count) {
            around(w, to, from, &parts[k + 2]);
        }
    }
}

double perp_path_length(const perp_path_part *parts, int count, const double *poses, int bodies,
                        double *gradient)
{
    walk w = {.poses = poses, .gradient = gradient};

    walk_along(&w, parts, count, bodies);
    return w.length;
}

/* Of the ways that are not those of the rule one after the other, the best first. */
static int choose(choices *c, double missing)
{
    int changed = 0;

    for (;;) {
        int best = -1;
        double least = fabs(missing);
        for (int k = 0; k < c->count; k++)
            if (!c->other[k] && fabs(missing - c->change[k]) < least) {
                least = fabs(missing - c->change[k]);
                best = k;
            }
        if (best < 0)
            return changed;
        c->other[best] = 1;
        missing -= c->change[best];
        changed = 1;
    }
}

double perp_path_length_near(const perp_path_part *parts, int count, const double *poses,
                             int bodies, double near, double *gradient)
{
    walk w = {.poses = poses, .gradient = gradient};

    walk_along(&w, parts, count, bodies);
    if (choose(&w.choice, near - w.length))
        walk_along(&w, parts, count, bodies);
    return w.length;
}
