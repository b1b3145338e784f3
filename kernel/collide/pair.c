/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts of one pair of shapes whose boxes meet. */
#include <string.h>

#include "kernel/collide/collider.h"
#include "kernel/model/model_inside.h"

/* Beyond a reach, by more than rounding. */
static const double FAR = 1e-6;

static int same_system(const perp_shape *a, const perp_shape *b)
{
    return a->moving == b->moving &&
           (!a->moving || (a->def.body.index == b->def.body.index &&
                           a->def.body.generation == b->def.body.generation));
}

static int is_ball(const perp_shape *shape)
{
    return shape->def.kind == PERP_SHAPE_SPHERE || shape->def.kind == PERP_SHAPE_DISC;
}

/* A contact is made by the process that it belongs to. */
static int belongs_here(const perp_collider *c, const perp_shape *a, const perp_shape *b)
{
    return perp_system_holds(a->moving ? perp_model_system(c->model, a->def.body) : NULL,
                             b->moving ? perp_model_system(c->model, b->def.body) : NULL);
}

/* The old contact stays up to 2 d; a new one is made up to d. */
static perp_status consider(perp_collider *c, const perp_contact *wanted, double d)
{
    perp_contact *old;
    perp_contact_point point;
    perp_status status =
        perp_collider_take_old(&old, c, wanted->low, wanted->high, wanted->feature);
    if (status != PERP_SOLVED)
        return status;
    perp_contact_at(&point, wanted, c->shapes[wanted->first].q, c->shapes[wanted->second].q);
    if (old && point.gap <= 2.0 * d && perp_collider_usable(c, old, wanted))
        return perp_collider_keep(c, old);
    double reach = old ? 2.0 * d : d;
    if (old && (status = perp_collider_discard(c, old)) != PERP_SOLVED)
        return status;
    return point.gap <= reach ? perp_collider_make(c, wanted) : PERP_SOLVED;
}

perp_pair_kind perp_collider_key(perp_contact *key, const perp_collider *c, int i, int j)
{
    const perp_shape *a = &c->shapes[i], *b = &c->shapes[j];
    int still = (!a->moving || a->prescribed) && (!b->moving || b->prescribed);
    if (a->flat != b->flat || (a->endless && b->endless) || same_system(a, b) || still ||
        !belongs_here(c, a, b) || perp_collider_is_filtered(c, i, j))
        return PERP_PAIR_NONE;
    *key = (perp_contact){.low = (uint32_t)i,
                          .high = (uint32_t)j,
                          .flat = a->flat,
                          .first = (uint32_t)(a->moving ? i : j),
                          .second = (uint32_t)(a->moving ? j : i)};
    const perp_shape *first = &c->shapes[key->first], *second = &c->shapes[key->second];
    key->law = perp_collider_law(c, a->def.material, b->def.material, a->flat);
    key->skin = perp_collider_skin(c, a->def.material, b->def.material);
    key->nsystems = second->moving ? 2 : 1;
    key->systems[0] = first->def.body;
    key->systems[1] = second->def.body;
    if ((a->endless || b->endless) && a->npoints + b->npoints > 0) {
        const perp_shape *plane = first->endless ? first : second;
        key->plane = 1;
        key->reversed = first->endless;
        key->radius = first->endless ? second->ball : first->ball;
        memcpy(key->other, plane->def.position, sizeof key->other);
        memcpy(key->normal, plane->def.normal, sizeof key->normal);
        return PERP_PAIR_PLANE;
    }
    if (!is_ball(a) || !is_ball(b))
        return PERP_PAIR_NARROW;
    memcpy(key->ball, first->def.position, sizeof key->ball);
    memcpy(key->other, second->def.position, sizeof key->other);
    key->radius = first->def.radius;
    key->other_radius = second->def.radius;
    return PERP_PAIR_BALLS;
}

int perp_collider_plane_point(perp_contact *key, const perp_collider *c, int k)
{
    const perp_shape *solid = &c->shapes[key->reversed ? key->second : key->first];
    if (k >= solid->npoints)
        return 0;
    key->feature = k;
    memcpy(key->ball, solid->points + (size_t)3 * (size_t)k, sizeof key->ball);
    return 1;
}

/* Too far apart for a contact, new or old, by their centres: most pairs whose boxes meet. */
static int are_far_balls(const perp_collider *c, int i, int j)
{
    const perp_shape *a = &c->shapes[i], *b = &c->shapes[j];
    double square = 0.0;
    if (!is_ball(a) || !is_ball(b) || (a->rests && b->rests))
        return 0;
    double reach =
        a->ball + b->ball + c->most_skin + 2.0 * (1.0 + FAR) * perp_collider_distance(c, i, j);
    for (int k = 0; k < 3; k++)
        square += (a->centre[k] - b->centre[k]) * (a->centre[k] - b->centre[k]);
    return square > (1.0 + FAR) * reach * reach;
}

perp_status perp_collider_pair(perp_collider *c, int i, int j)
{
    const perp_shape *a = &c->shapes[i], *b = &c->shapes[j];
    perp_contact wanted;
    if (are_far_balls(c, i, j))
        return PERP_SOLVED;
    perp_status status = PERP_SOLVED;
    perp_pair_kind kind = perp_collider_key(&wanted, c, i, j);
    if (kind == PERP_PAIR_NONE)
        return PERP_SOLVED;
    if (a->rests && b->rests)
        return perp_collider_keep_pair(c, wanted.low, wanted.high, &wanted);
    double d = perp_collider_distance(c, i, j);
    if (kind == PERP_PAIR_NARROW)
        return perp_collider_narrow_pair(c, &wanted, d);
    if (kind == PERP_PAIR_BALLS)
        return consider(c, &wanted, d);
    for (int k = 0; perp_collider_plane_point(&wanted, c, k) && status == PERP_SOLVED; k++)
        status = consider(c, &wanted, d);
    return status;
}
