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

/* A direction into the frame of a system. */
static void turn_back(double *n, const double *q, int flat)
{
    if (!q)
        return;
    if (flat) {
        const double back[3] = {0.0, 0.0, -q[2]};
        perp_contact_turn(n, back, 1, (const double[3]){n[0], n[1], n[2]});
    } else {
        perp_quaternion_rotate_back(q + 3, n, n);
    }
}

/* A ball on one side, of the curvature there, against a ball or a plane on the other.  Two corners,
 * and balls too small for their overlap, are a point and a plane. */
void perp_contact_freeze(perp_contact *contact, const perp_collider *c, const perp_touch *touch)
{
    const double *q_a = c->shapes[contact->first].q, *q_b = c->shapes[contact->second].q;
    const perp_contact_point *at = &touch->at;
    double sum = touch->radius_a + touch->radius_b, centre[3], other[3], normal[3];
    int balls = !touch->plane_a && !touch->plane_b && sum > 0.0 && at->gap > -0.5 * sum;
    contact->frozen = 1;
    contact->plane = !balls;
    contact->reversed = touch->plane_a;
    contact->radius = touch->plane_a ? touch->radius_b : touch->radius_a;
    contact->other_radius = balls ? touch->radius_b : 0.0;
    for (int k = 0; k < 3; k++) {
        centre[k] = touch->plane_a ? at->point_b[k] - touch->radius_b * at->normal[k]
                                   : at->point_a[k] + touch->radius_a * at->normal[k];
        other[k] = touch->plane_a ? at->point_a[k]
                                  : at->point_b[k] - contact->other_radius * at->normal[k];
        normal[k] = touch->plane_a ? -at->normal[k] : at->normal[k];
    }
    const double *q_ball = touch->plane_a ? q_b : q_a, *q_other = touch->plane_a ? q_a : q_b;
    const perp_shape *ball = &c->shapes[touch->plane_a ? contact->second : contact->first];
    memset(contact->semi, 0, sizeof contact->semi);
    perp_contact_inside(contact->ball, q_ball, contact->flat, centre);
    if (ball->def.kind == PERP_SHAPE_ELLIPSOID && (touch->plane_a || touch->plane_b)) {
        memcpy(contact->semi, ball->def.half, sizeof contact->semi);
        memcpy(contact->turn, ball->def.quaternion, sizeof contact->turn);
        memcpy(contact->ball, ball->def.position, sizeof contact->ball);
    }
    perp_contact_inside(contact->other, q_other, contact->flat, other);
    memcpy(contact->normal, normal, sizeof contact->normal);
    turn_back(contact->normal, q_other, contact->flat);
}

/* From where the point was to where half of the skin puts it now. */
static double distance_to(const perp_contact_point *old, const perp_touch *touch, double skin)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double d = old->point_a[k] - touch->at.point_a[k] + 0.5 * skin * touch->at.normal[k];
        square += d * d;
    }
    return sqrt(square);
}

/* Old contacts that moved less than this are the same ones. */
static double matching_distance(const perp_collider *c, const perp_contact *key, double d)
{
    double least = INFINITY;
    for (int k = 0; k < (key->flat ? 2 : 3); k++) {
        const perp_shape *low = &c->shapes[key->low], *high = &c->shapes[key->high];
        least = low->endless ? least : fmin(least, low->half[k]);
        least = high->endless ? least : fmin(least, high->half[k]);
    }
    return 2.0 * d + 0.1 * least;
}

/* For each feature: the old contact and the point that it matches, -1 none. */
typedef struct match {
    perp_contact *old[PERP_NARROW_POINTS];
    perp_contact_point was[PERP_NARROW_POINTS]; /* where those are now */
    int point[PERP_NARROW_POINTS];
} match;

static void match_points(match *m, perp_collider *c, const perp_contact *key, double d,
                         const perp_touch *points, int count)
{
    double limit = matching_distance(c, key, d);
    int taken[PERP_NARROW_POINTS] = {0};
    for (int f = 0; f < PERP_NARROW_POINTS; f++) {
        double best = limit;
        m->point[f] = -1;
        for (int k = 0; k < count && m->old[f]; k++) {
            double distance = distance_to(&m->was[f], &points[k], key->skin);
            if (taken[k] || points[k].at.gap - key->skin > 2.0 * d || distance > best)
                continue;
            best = distance;
            m->point[f] = k;
        }
        if (m->point[f] >= 0)
            taken[m->point[f]] = 1;
    }
    for (int k = 0, f = 0; k < count; k++) {
        if (taken[k] || points[k].at.gap - key->skin > d)
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
            perp_contact_at(&m->was[old->feature], old, c->shapes[old->first].q,
                            c->shapes[old->second].q);
            *any = 1;
        } else {
            status = perp_collider_discard(c, old);
        }
    }
    return status;
}

static perp_status settle(perp_collider *c, perp_contact *wanted, perp_contact *old,
                          const perp_touch *point)
{
    perp_status status;
    if (old && point && perp_collider_usable(c, old, wanted)) {
        perp_contact_freeze(old, c, point);
        c->refrozen = 1;
        return perp_collider_keep(c, old);
    }
    if (old && (status = perp_collider_discard(c, old)) != PERP_SOLVED)
        return status;
    if (!point)
        return PERP_SOLVED;
    perp_contact_freeze(wanted, c, point);
    return perp_collider_make(c, wanted);
}

/* The narrow phase of the caller, for the kinds that it knows. */
static int collide_by_caller(perp_touch *points, perp_collider *c, const perp_contact *key,
                             double reach)
{
    const perp_shape *first = &c->shapes[key->first], *second = &c->shapes[key->second];
    perp_contact_point found[PERP_NARROW_POINTS];
    double pose_a[7], pose_b[7];
    pose_of(pose_a, first);
    pose_of(pose_b, second);
    int count = c->narrow.collide(found, PERP_NARROW_POINTS, c->narrow.ctx, first->own, pose_a,
                                  second->own, pose_b, reach);
    for (int k = 0; k < count && count <= PERP_NARROW_POINTS; k++) {
        points[k] = (perp_touch){.at = found[k], .plane_b = 1};
        for (int i = 0; i < 3; i++)
            points[k].at.point_b[i] = found[k].point_a[i] - found[k].gap * found[k].normal[i];
    }
    return count;
}

/* The normal that the pair had, turned with its bodies; 0: it had none. */
static int normal_before(perp_kept_normal *kept, const perp_collider *c, const match *m)
{
    for (int f = 0; f < PERP_NARROW_POINTS; f++)
        if (m->old[f] && m->old[f]->frozen) {
            memcpy(kept->n, m->was[f].normal, sizeof kept->n);
            kept->slack = c->slack;
            return 1;
        }
    return 0;
}

perp_status perp_collider_points(int *count, perp_touch *points, perp_collider *c,
                                 const perp_contact *key, double reach,
                                 const perp_kept_normal *before)
{
    const perp_shape *first = &c->shapes[key->first], *second = &c->shapes[key->second];
    reach = fmax(0.0, reach + key->skin);
    if (first->flat) {
        *count = perp_polygon_touch(points, first, second, reach, before);
        return PERP_SOLVED;
    }
    int own =
        !c->has_narrow || first->def.kind > PERP_SHAPE_MESH || second->def.kind > PERP_SHAPE_MESH;
    *count = own ? perp_shape_touch(points, PERP_NARROW_POINTS, first, second, reach, before)
                 : collide_by_caller(points, c, key, reach);
    if (*count >= 0 && *count <= PERP_NARROW_POINTS)
        return PERP_SOLVED;
    if (own)
        return perp_collider_fail(c, PERP_ERR_UNSUPPORTED, (int)key->first,
                                  "shapes %u and %u come near each other, and their kinds need a "
                                  "narrow phase, which the collider was not given",
                                  (unsigned)key->first, (unsigned)key->second);
    return perp_collider_fail(c, PERP_ERR_NUMERICAL, (int)key->first,
                              "the narrow phase found no contact points of shapes %u and %u",
                              (unsigned)key->first, (unsigned)key->second);
}

perp_status perp_collider_narrow_pair(perp_collider *c, const perp_contact *key, double d)
{
    perp_touch points[PERP_NARROW_POINTS];
    perp_contact wanted = *key;
    match m;
    int any, count;
    perp_kept_normal before;
    perp_status status = take_all_old(&any, &m, c, key);
    if (status == PERP_SOLVED)
        status = perp_collider_points(&count, points, c, key, any ? 2.0 * d : d,
                                      normal_before(&before, c, &m) ? &before : NULL);
    if (status != PERP_SOLVED)
        return status;
    match_points(&m, c, key, d, points, count);
    for (int f = 0; f < PERP_NARROW_POINTS && status == PERP_SOLVED; f++) {
        wanted.feature = f;
        status = settle(c, &wanted, m.old[f], m.point[f] >= 0 ? &points[m.point[f]] : NULL);
    }
    return status;
}
