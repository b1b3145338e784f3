/* SPDX-License-Identifier: BSD-3-Clause */
/* Overlaps of shapes, from the states: what was never detected shows here. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

static double least(const perp_verify_system *s)
{
    if (s->form == PERP_VERIFY_BOX)
        return fmin(s->size[0], fmin(s->size[1], s->size[2]));
    return s->form == PERP_VERIFY_PLANE ? INFINITY : s->size[0];
}

static double reach(const perp_verify_system *s)
{
    if (s->form == PERP_VERIFY_BOX)
        return space_length(s->size);
    return s->form == PERP_VERIFY_CAPSULE ? s->size[0] + s->size[1] : s->size[0];
}

/* q of a body in space, also for a disc, whose plane is z = 0. */
static const double *pose(double *own, const perp_verify_system *s, const double *row)
{
    const double *q = perp_verify_q(s, row);

    if (q == NULL || !s->planar)
        return q;
    own[0] = q[0], own[1] = q[1], own[2] = 0.0;
    own[3] = 1.0, own[4] = own[5] = own[6] = 0.0;
    return own;
}

static double depth_in_plane(const perp_verify_system *s, const double *q,
                             const perp_verify_system *plane, const double *q_plane)
{
    double height = -plane->offset, down = s->size[0], axis[3], normal[3];
    const double up[] = {0.0, 0.0, 1.0};

    memcpy(normal, plane->normal, sizeof normal);
    if (plane->motion)
        space_turn(normal, q_plane + 3, normal);
    for (int k = 0; k < 3; k++)
        height += normal[k] * (q[k] - (plane->motion ? q_plane[k] : 0.0));

    if (s->form == PERP_VERIFY_CAPSULE) {
        space_turn(axis, q + 3, up);
        down += s->size[1] * fabs(space_dot(axis, normal));
    } else if (s->form == PERP_VERIFY_BOX) {
        space_turn_back(axis, q + 3, normal);
        down = fabs(axis[0]) * s->size[0] + fabs(axis[1]) * s->size[1] + fabs(axis[2]) * s->size[2];
    }
    return down - height;
}

/* Nearest point of a capsule's segment, or the centre of a sphere, to p. */
static void nearest(double *out, const perp_verify_system *s, const double *q, const double *p)
{
    const double up[] = {0.0, 0.0, 1.0};
    double axis[3], along = 0.0;

    space_turn(axis, q + 3, up);
    for (int k = 0; k < 3 && s->form == PERP_VERIFY_CAPSULE; k++)
        along += axis[k] * (p[k] - q[k]);
    along = fmax(-s->size[1], fmin(s->size[1], along));
    for (int k = 0; k < 3; k++)
        out[k] = q[k] + (s->form == PERP_VERIFY_CAPSULE ? along * axis[k] : 0.0);
}

/* Depth of the point p below the surface of a box; negative: outside. */
static double depth_of_point(const perp_verify_system *box, const double *q, const double *p)
{
    double from[3], own[3], out = 0.0, depth = INFINITY;

    for (int k = 0; k < 3; k++)
        from[k] = p[k] - q[k];
    space_turn_back(own, q + 3, from);
    for (int k = 0; k < 3; k++) {
        double left = box->size[k] - fabs(own[k]);
        depth = fmin(depth, left);
        out += left < 0.0 ? left * left : 0.0;
    }
    return depth < 0.0 ? -sqrt(out) : depth;
}

/* Round with round: exact for spheres; for capsules a few alternating projections. */
static double depth_of_round(const perp_verify_system *a, const double *qa,
                             const perp_verify_system *b, const double *qb)
{
    double p[3], r[3], apart[3];

    memcpy(r, qb, sizeof r);
    for (int k = 0; k < 40; k++) {
        nearest(p, a, qa, r);
        nearest(r, b, qb, p);
    }
    for (int k = 0; k < 3; k++)
        apart[k] = p[k] - r[k];
    return a->size[0] + b->size[0] - space_length(apart);
}

/* Corners of one box in the other: a depth that is at least there. */
static double depth_of_corners(const perp_verify_system *a, const double *qa,
                               const perp_verify_system *b, const double *qb)
{
    double depth = -INFINITY;

    for (int corner = 0; corner < 8; corner++) {
        const double own[3] = {corner & 1 ? a->size[0] : -a->size[0],
                               corner & 2 ? a->size[1] : -a->size[1],
                               corner & 4 ? a->size[2] : -a->size[2]};
        double p[3];
        space_turn(p, qa + 3, own);
        for (int k = 0; k < 3; k++)
            p[k] += qa[k];
        depth = fmax(depth, depth_of_point(b, qb, p));
    }
    return depth;
}

static double depth(const perp_verify_system *a, const double *qa, const perp_verify_system *b,
                    const double *qb)
{
    if (a->form == PERP_VERIFY_BOX && b->form == PERP_VERIFY_BOX)
        return fmax(depth_of_corners(a, qa, b, qb), depth_of_corners(b, qb, a, qa));
    if (a->form != PERP_VERIFY_BOX && b->form != PERP_VERIFY_BOX)
        return depth_of_round(a, qa, b, qb);
    const perp_verify_system *box = a->form == PERP_VERIFY_BOX ? a : b;
    const perp_verify_system *ball = box == a ? b : a;
    const double *q = box == a ? qa : qb, *at = box == a ? qb : qa;
    if (ball->form == PERP_VERIFY_SPHERE)
        return ball->size[0] + depth_of_point(box, q, at);
    double deepest = -INFINITY; /* a capsule: its points at some places */
    for (int k = -4; k <= 4; k++) {
        const double own[3] = {0.0, 0.0, 0.25 * k * ball->size[1]};
        double p[3];
        space_turn(p, at + 3, own);
        for (int n = 0; n < 3; n++)
            p[n] += at[n];
        deepest = fmax(deepest, ball->size[0] + depth_of_point(box, q, p));
    }
    return deepest;
}

static void note(perp_verification *v, const perp_verify_system *a, const perp_verify_system *b,
                 double deep)
{
    double size = fmin(least(a), least(b)), part = fmax(0.0, deep) / size;

    perp_verify_note(v, PERP_VERIFY_OVERLAP, part, "%s and %s", a->name, b->name);
    if (part > v->lasting) {
        v->lasting = part;
        v->lasting_pair[0] = a;
        v->lasting_pair[1] = b;
    }
}

static int joined(const perp_verification *v, const perp_verify_system *a,
                  const perp_verify_system *b)
{
    for (int k = 0; k < v->ninteractions && a->jointed && b->jointed; k++) {
        const perp_verify_interaction *i = &v->interactions[k];
        if ((i->system[0] == a && i->system[1] == b) || (i->system[0] == b && i->system[1] == a))
            return 1;
    }
    return 0;
}

static void check_pair(perp_verification *v, const perp_verify_system *a,
                       const perp_verify_system *b)
{
    double own[2][7];
    const double *qa = pose(own[0], a, v->now), *qb = pose(own[1], b, v->now);

    if (qa == NULL || qb == NULL || ((a->fixed || a->motion) && (b->fixed || b->motion)))
        return;
    if (a->form == PERP_VERIFY_PLANE || b->form == PERP_VERIFY_PLANE) {
        const perp_verify_system *plane = a->form == PERP_VERIFY_PLANE ? a : b;
        const perp_verify_system *other = plane == a ? b : a;
        note(v, other, plane,
             depth_in_plane(other, plane == a ? qb : qa, plane, plane == a ? qa : qb));
        return;
    }
    double apart[3], together = reach(a) + reach(b);
    for (int k = 0; k < 3; k++)
        apart[k] = qa[k] - qb[k];
    if (space_dot(apart, apart) < together * together && !joined(v, a, b))
        note(v, a, b, depth(a, qa, b, qb));
}

/* Shapes in the order of their lowest x, so that pairs far apart are not looked at. */
static void sort_shapes(perp_verification *v)
{
    double own[7];

    v->nsorted = 0;
    for (int k = 0; k < v->nsystems; k++) {
        perp_verify_system *s = v->systems[k];
        const double *q = s->form == PERP_VERIFY_NO_SHAPE ? NULL : pose(own, s, v->now);
        if (s->form == PERP_VERIFY_NO_SHAPE)
            continue;
        if (s->form == PERP_VERIFY_OTHER_SHAPE) {
            perp_verify_leave_out(v, PERP_VERIFY_OVERLAP,
                                  "the shapes of '%s' are none of those "
                                  "looked at here",
                                  s->name);
            continue;
        }
        if (q == NULL) {
            perp_verify_leave_out(v, PERP_VERIFY_OVERLAP, "no q of '%s'", s->name);
            continue;
        }
        s->low = s->form == PERP_VERIFY_PLANE ? -INFINITY : q[0] - reach(s);
        s->high = s->form == PERP_VERIFY_PLANE ? INFINITY : q[0] + reach(s);
        int at = v->nsorted++;
        for (; at > 0 && v->sorted[at - 1]->low > s->low; at--)
            v->sorted[at] = v->sorted[at - 1];
        v->sorted[at] = s;
    }
}

void perp_verify_shapes(perp_verification *v)
{
    if (!v->has_contacts)
        return;
    if (v->soft) {
        perp_verify_leave_out(v, PERP_VERIFY_OVERLAP, "contacts with a compliance overlap");
        perp_verify_leave_out(v, PERP_VERIFY_LASTING, "contacts with a compliance overlap");
        return;
    }
    if (v->sorted == NULL)
        v->sorted = perp_verify_take(v, (size_t)v->nsystems + 1, sizeof *v->sorted);
    if (v->sorted == NULL)
        return;
    sort_shapes(v);
    v->lasting = 0.0;
    for (int i = 0; i < v->nsorted; i++)
        for (int j = i + 1; j < v->nsorted && v->sorted[j]->low <= v->sorted[i]->high; j++)
            check_pair(v, v->sorted[i], v->sorted[j]);
}
