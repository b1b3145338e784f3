/* SPDX-License-Identifier: BSD-3-Clause */
/* Overlaps of shapes, from the states: what was never detected shows here. */
#include <math.h>
#include <string.h>

#include "scene/verify/convex_depth.h"
#include "scene/verify/space.h"

enum { HINTS = 24 };

/* A shape where it is in this row. */
typedef struct placed {
    const perp_verify_system *system;
    const perp_verify_shape *shape;
    double pose[7];
} placed;

/* q of a body in space, also of one in the plane, z = 0. */
static const double *pose(double *own, const perp_verify_system *s, const double *row)
{
    const double *q = perp_verify_q(s, row);

    if (q == NULL || !s->planar)
        return q;
    own[0] = q[0], own[1] = q[1], own[2] = 0.0;
    own[3] = cos(0.5 * q[2]), own[4] = own[5] = 0.0, own[6] = sin(0.5 * q[2]);
    return own;
}

static void place_shape(placed *out, const perp_verify_system *s, const perp_verify_shape *shape,
                        const double *q)
{
    double at[3];

    out->system = s;
    out->shape = shape;
    for (int k = 0; k < 3; k++)
        at[k] = shape->place[k] + s->shift[k];
    space_turn(out->pose, q + 3, at);
    for (int k = 0; k < 3; k++)
        out->pose[k] += q[k];
    space_times(out->pose + 3, q + 3, shape->turn);
}

static double depth_in_plane(const placed *x, const perp_verify_system *plane,
                             const double *q_plane)
{
    double height = -plane->offset, normal[3], down[3];

    space_turn(normal, q_plane + 3, plane->normal);
    for (int k = 0; k < 3; k++) {
        height -= normal[k] * q_plane[k];
        down[k] = -normal[k];
    }
    return perp_verify_support(x->shape, x->pose, down) - height;
}

/* Nearest point of a capsule's segment, or the centre of a sphere, to p. */
static void nearest(double *out, const placed *x, const double *p)
{
    const double up[] = {0.0, 0.0, 1.0};
    const perp_verify_shape *s = x->shape;
    double axis[3], along = 0.0;

    space_turn(axis, x->pose + 3, up);
    for (int k = 0; k < 3 && s->form == PERP_VERIFY_CAPSULE; k++)
        along += axis[k] * (p[k] - x->pose[k]);
    along = fmax(-s->size[1], fmin(s->size[1], along));
    for (int k = 0; k < 3; k++)
        out[k] = x->pose[k] + (s->form == PERP_VERIFY_CAPSULE ? along * axis[k] : 0.0);
}

/* Depth of the point p below the surface of a box; negative: outside. */
static double depth_of_point(const placed *box, const double *p)
{
    double from[3], own[3], out = 0.0, depth = INFINITY;

    for (int k = 0; k < 3; k++)
        from[k] = p[k] - box->pose[k];
    space_turn_back(own, box->pose + 3, from);
    for (int k = 0; k < 3; k++) {
        double left = box->shape->size[k] - fabs(own[k]);
        depth = fmin(depth, left);
        out += left < 0.0 ? left * left : 0.0;
    }
    return depth < 0.0 ? -sqrt(out) : depth;
}

/* Round with round: exact for spheres; for capsules a few alternating projections. */
static double depth_of_round(const placed *a, const placed *b)
{
    double p[3], r[3], apart[3];

    memcpy(r, b->pose, sizeof r);
    for (int k = 0; k < 40; k++) {
        nearest(p, a, r);
        nearest(r, b, p);
    }
    for (int k = 0; k < 3; k++)
        apart[k] = p[k] - r[k];
    return a->shape->size[0] + b->shape->size[0] - space_length(apart);
}

static int is_round(const placed *x)
{
    return x->shape->form == PERP_VERIFY_SPHERE || x->shape->form == PERP_VERIFY_CAPSULE;
}

/* Recorded normals of the contacts of two bodies: where one is the direction of the least overlap,
 * it need not be looked for. */
static int find_hints(double *hints, const perp_verification *v, const placed *a, const placed *b)
{
    int count = 0;

    for (int k = 0; k < v->ncontacts && count < HINTS; k++) {
        const perp_verify_contact *c = &v->contacts[k];
        if ((c->first == a->system && c->second == b->system) ||
            (c->first == b->system && c->second == a->system))
            memcpy(hints + 3 * count++, c->normal, sizeof c->normal);
    }
    return count;
}

/* skin: the distance that they are to have. */
static double depth(const perp_verification *v, const placed *a, const placed *b, double skin)
{
    double hints[3 * HINTS];

    if (is_round(a) && is_round(b))
        return depth_of_round(a, b);
    if (a->shape->form == PERP_VERIFY_BOX && b->shape->form == PERP_VERIFY_SPHERE)
        return b->shape->size[0] + depth_of_point(a, b->pose);
    if (b->shape->form == PERP_VERIFY_BOX && a->shape->form == PERP_VERIFY_SPHERE)
        return a->shape->size[0] + depth_of_point(b, a->pose);
    return perp_verify_convex_depth(a->shape, a->pose, b->shape, b->pose, hints,
                                    find_hints(hints, v, a, b), a->system->planar, -skin);
}

static void note(perp_verification *v, const placed *a, const perp_verify_system *b, double least,
                 double deep)
{
    double part = fmax(0.0, deep) / fmin(a->shape->least, least);

    perp_verify_note(v, PERP_VERIFY_OVERLAP, part, "%s and %s", a->system->name, b->name);
    v->overlaps += fmax(0.0, deep);
    v->overlap_parts += part;
    if (part > v->lasting) {
        v->lasting = part;
        v->lasting_pair[0] = a->system;
        v->lasting_pair[1] = b;
    }
}

static int joined(const perp_verification *v, const perp_verify_system *a,
                  const perp_verify_system *b)
{
    for (int k = 0; k < v->ninteractions && a->jointed && b->jointed && !v->joined_touch; k++) {
        const perp_verify_interaction *i = &v->interactions[k];
        if ((i->system[0] == a && i->system[1] == b) || (i->system[0] == b && i->system[1] == a))
            return 1;
    }
    for (int k = 0; k < v->nexcluded; k++)
        if ((v->excluded[2 * k] == a && v->excluded[2 * k + 1] == b) ||
            (v->excluded[2 * k] == b && v->excluded[2 * k + 1] == a))
            return 1;
    return 0;
}

/* Whether the shapes themselves are to touch. */
static int may_touch(const perp_verify_shape *a, const perp_verify_shape *b)
{
    return (a->group == 0 || a->group != b->group) &&
           ((a->category & b->touches) != 0 || (b->category & a->touches) != 0);
}

static double skin_of(const perp_verification *v, const perp_verify_shape *a,
                      const perp_verify_shape *b)
{
    return perp_verify_skin(v, a->material, b->material);
}

static void check_plane(perp_verification *v, const perp_verify_system *s, const double *q,
                        const perp_verify_system *plane, const double *q_plane)
{
    placed x;

    for (int k = 0; k < s->nshapes; k++) {
        if (s->shapes[k].form == PERP_VERIFY_OTHER_SHAPE ||
            s->shapes[k].form == PERP_VERIFY_PLANE || !may_touch(&s->shapes[k], &plane->shapes[0]))
            continue;
        place_shape(&x, s, &s->shapes[k], q);
        note(v, &x, plane, INFINITY,
             depth_in_plane(&x, plane, q_plane) + skin_of(v, x.shape, &plane->shapes[0]));
    }
}

static void check_shapes(perp_verification *v, const perp_verify_system *a, const double *qa,
                         const perp_verify_system *b, const double *qb)
{
    placed x, y;

    for (int i = 0; i < a->nshapes; i++)
        for (int j = 0; j < b->nshapes; j++) {
            double apart[3], skin = skin_of(v, &a->shapes[i], &b->shapes[j]);
            double together = a->shapes[i].reach + b->shapes[j].reach + fmax(0.0, skin);
            if (a->shapes[i].form == PERP_VERIFY_OTHER_SHAPE ||
                b->shapes[j].form == PERP_VERIFY_OTHER_SHAPE ||
                !may_touch(&a->shapes[i], &b->shapes[j]))
                continue;
            place_shape(&x, a, &a->shapes[i], qa);
            place_shape(&y, b, &b->shapes[j], qb);
            for (int k = 0; k < 3; k++)
                apart[k] = x.pose[k] - y.pose[k];
            if (space_dot(apart, apart) < together * together)
                note(v, &x, b, y.shape->least, depth(v, &x, &y, skin) + skin);
        }
}

static void check_pair(perp_verification *v, const perp_verify_system *a,
                       const perp_verify_system *b)
{
    double own[2][7];
    const double *qa = pose(own[0], a, v->now), *qb = pose(own[1], b, v->now);

    if (qa == NULL || qb == NULL || ((a->fixed || a->motion) && (b->fixed || b->motion)))
        return;
    double apart[3], together = a->around + b->around + v->most_skin;
    for (int k = 0; k < 3; k++)
        apart[k] = qa[k] - qb[k];
    int plane = a->form == PERP_VERIFY_PLANE || b->form == PERP_VERIFY_PLANE;
    if ((!plane && space_dot(apart, apart) >= together * together) || joined(v, a, b))
        return;
    if (b->form == PERP_VERIFY_PLANE)
        check_plane(v, a, qa, b, qb);
    else if (a->form == PERP_VERIFY_PLANE)
        check_plane(v, b, qb, a, qa);
    else
        check_shapes(v, a, qa, b, qb);
}

/* Where the shapes of a body are in its frame: the scene says where they stand at the start, the
 * row where its centre of mass does. */
static int find_shift(perp_verification *v, perp_verify_system *s, const double *q)
{
    double from[3];

    if (s->moved > 0 && v->row == 0 && v->t == v->t0 && !s->jitter) {
        for (int k = 0; k < 3; k++)
            from[k] = (s->planar && k == 2 ? 0.0 : s->position[k]) - q[k];
        space_turn_back(s->shift, q + 3, from);
    } else if (s->moved > 0 && v->row == 0) {
        s->moved = -1;
    }
    if (s->moved < 0)
        return 0;
    if (v->row > 0)
        return 1;
    for (int k = 0; k < s->nshapes; k++) {
        for (int i = 0; i < 3; i++)
            from[i] = s->shapes[k].place[i] + s->shift[i];
        s->around = fmax(s->around, space_length(from) + s->shapes[k].reach);
        if (s->shapes[k].form != PERP_VERIFY_OTHER_SHAPE)
            continue;
        s->has_unseen = 1;
        perp_verify_leave_out(v, PERP_VERIFY_OVERLAP,
                              "'%s' has a surface, or a hull from a file, which are not looked at",
                              s->name);
    }
    return 1;
}

/* Shapes in the order of their lowest x, so that pairs far apart are not looked at. */
static void sort_shapes(perp_verification *v)
{
    double own[7];

    v->nsorted = 0;
    for (int k = 0; k < v->nsystems; k++) {
        perp_verify_system *s = v->systems[k];
        const double *q = s->nshapes == 0 ? NULL : pose(own, s, v->now);
        if (s->nshapes == 0)
            continue;
        if (q == NULL) {
            perp_verify_leave_out(v, PERP_VERIFY_OVERLAP, "no q of '%s'", s->name);
            continue;
        }
        if (!find_shift(v, s, q)) {
            perp_verify_leave_out(v, PERP_VERIFY_OVERLAP,
                                  "where the shapes of '%s' were at the start is not known",
                                  s->name);
            continue;
        }
        s->low = q[0] - s->around;
        s->high = q[0] + s->around;
        int at = v->nsorted++;
        for (; at > 0 && v->sorted[at - 1]->low > s->low; at--)
            v->sorted[at] = v->sorted[at - 1];
        v->sorted[at] = s;
    }
}

void perp_verify_find_unseen(perp_verification *v)
{
    for (int k = 0; k < v->nsystems; k++)
        v->systems[k]->unseen = 0;
    for (int k = 0; k < v->ncontacts; k++) {
        perp_verify_system *pair[2] = {v->contacts[k].first, v->contacts[k].second};
        int unseen =
            (pair[0] != NULL && pair[0]->has_unseen) || (pair[1] != NULL && pair[1]->has_unseen);
        for (int n = 0; n < 2 && unseen; n++)
            if (pair[n] != NULL)
                pair[n]->unseen = 1;
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
    v->lasting = v->overlaps = v->overlap_parts = 0.0;
    for (int i = 0; i < v->nsorted; i++)
        for (int j = i + 1;
             j < v->nsorted && v->sorted[j]->low <= v->sorted[i]->high + v->most_skin; j++)
            check_pair(v, v->sorted[i], v->sorted[j]);
}
