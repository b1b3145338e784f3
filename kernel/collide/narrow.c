/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts from the narrow phase: points are matched with those of the last detection by
 * place, and kept in the frames of the bodies as a point on the first and a plane on the
 * second. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/collide/collider.h"

static void pose_of(double *pose, const perp_shape *shape)
{
    perp_contact_outside(pose, shape->q, 0, shape->def.position);
    memcpy(pose + 3, shape->def.quaternion, 4 * sizeof(double));
    if (shape->q)
        perp_quaternion_product(shape->q + 3, pose + 3, pose + 3);
}

static void freeze(perp_contact *contact, const perp_collider *c, const perp_contact_point *point)
{
    const double *q_a = c->shapes[contact->first].q, *q_b = c->shapes[contact->second].q;
    double other[3];
    for (int k = 0; k < 3; k++)
        other[k] = point->point_a[k] - point->gap * point->normal[k];
    contact->plane = 1;
    contact->radius = 0.0;
    perp_contact_inside(contact->ball, q_a, 0, point->point_a);
    perp_contact_inside(contact->other, q_b, 0, other);
    memcpy(contact->normal, point->normal, sizeof contact->normal);
    if (q_b)
        perp_quaternion_rotate_back(q_b + 3, point->normal, contact->normal);
}

static double distance_to(const perp_collider *c, const perp_contact *old,
                          const perp_contact_point *point)
{
    double at[3], square = 0.0;
    perp_contact_outside(at, c->shapes[old->first].q, 0, old->ball);
    for (int k = 0; k < 3; k++)
        square += (at[k] - point->point_a[k]) * (at[k] - point->point_a[k]);
    return sqrt(square);
}

/* Old contacts that moved less than this are the same ones. */
static double matching_distance(const perp_collider *c, const perp_contact *key, double d)
{
    double least = INFINITY;
    for (int k = 0; k < 3; k++) {
        least = fmin(least, c->shapes[key->low].half[k]);
        least = fmin(least, c->shapes[key->high].half[k]);
    }
    return 2.0 * d + 0.1 * least;
}

/* For each feature: the old contact and the point that it matches, -1 none. */
typedef struct match {
    perp_contact *old[PERP_NARROW_POINTS];
    int point[PERP_NARROW_POINTS];
} match;

static void match_points(match *m, perp_collider *c, const perp_contact *key, double d,
                         const perp_contact_point *points, int count)
{
    double limit = matching_distance(c, key, d);
    int taken[PERP_NARROW_POINTS] = {0};
    for (int f = 0; f < PERP_NARROW_POINTS; f++) {
        double best = limit;
        m->point[f] = -1;
        for (int k = 0; k < count && m->old[f]; k++) {
            double distance = distance_to(c, m->old[f], &points[k]);
            if (taken[k] || points[k].gap > 2.0 * d || distance > best)
                continue;
            best = distance;
            m->point[f] = k;
        }
        if (m->point[f] >= 0)
            taken[m->point[f]] = 1;
    }
    for (int k = 0, f = 0; k < count; k++) {
        if (taken[k] || points[k].gap > d)
            continue;
        while (f < PERP_NARROW_POINTS && m->point[f] >= 0)
            f++;
        if (f < PERP_NARROW_POINTS)
            m->point[f] = k;
    }
}

/* Old contacts of the pair, by feature. */
static perp_status take_all_old(int *any, match *m, perp_collider *c, const perp_contact *key)
{
    perp_contact *old;
    perp_status status = perp_collider_take_old(&old, c, key->low, key->high, -1);
    *any = 0;
    memset(m, 0, sizeof *m);
    while (status == PERP_SOLVED && c->cursor < c->nnow && c->now[c->cursor]->low == key->low &&
           c->now[c->cursor]->high == key->high) {
        old = c->now[c->cursor++];
        if (old->feature < PERP_NARROW_POINTS) {
            m->old[old->feature] = old;
            *any = 1;
        } else {
            status = perp_collider_discard(c, old);
        }
    }
    return status;
}

static perp_status settle(perp_collider *c, perp_contact *wanted, perp_contact *old,
                          const perp_contact_point *point)
{
    perp_status status;
    if (old && point && perp_collider_usable(c, old, &wanted->law)) {
        freeze(old, c, point);
        c->refrozen = 1;
        return perp_collider_keep(c, old);
    }
    if (old && (status = perp_collider_discard(c, old)) != PERP_SOLVED)
        return status;
    if (!point)
        return PERP_SOLVED;
    freeze(wanted, c, point);
    return perp_collider_make(c, wanted);
}

perp_status perp_collider_narrow_pair(perp_collider *c, const perp_contact *key, double d)
{
    const perp_shape *first = &c->shapes[key->first], *second = &c->shapes[key->second];
    double pose_a[7], pose_b[7];
    perp_contact_point points[PERP_NARROW_POINTS];
    perp_contact wanted = *key;
    match m;
    int any;
    if (!c->has_narrow)
        return perp_collider_fail(c, PERP_ERR_UNSUPPORTED, (int)key->first,
                                  "shapes %u and %u come near each other, and their kinds need a "
                                  "narrow phase, which the collider was not given",
                                  (unsigned)key->first, (unsigned)key->second);
    perp_status status = take_all_old(&any, &m, c, key);
    if (status != PERP_SOLVED)
        return status;
    pose_of(pose_a, first);
    pose_of(pose_b, second);
    int count = c->narrow.collide(points, PERP_NARROW_POINTS, c->narrow.ctx, first->own, pose_a,
                                  second->own, pose_b, any ? 2.0 * d : d);
    if (count < 0 || count > PERP_NARROW_POINTS)
        return perp_collider_fail(c, PERP_ERR_NUMERICAL, (int)key->first,
                                  "the narrow phase found no contact points of shapes %u and %u",
                                  (unsigned)key->first, (unsigned)key->second);
    match_points(&m, c, key, d, points, count);
    for (int f = 0; f < PERP_NARROW_POINTS && status == PERP_SOLVED; f++) {
        wanted.feature = f;
        status = settle(c, &wanted, m.old[f], m.point[f] >= 0 ? &points[m.point[f]] : NULL);
    }
    return status;
}
