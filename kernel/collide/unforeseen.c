/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that no detection at the start of a step can foresee: a body at rest is struck within it
 * and thrown against another one, or two bodies turn so far that other points of them meet.  With
 * the states at the end of the step the pairs that may be concerned are looked at again; what
 * overlaps there and is in no contact of the step is kept in the frames of the bodies, and the step
 * is made again with it.
 *
 * A pair without contacts was further apart than margin + |difference of the shifts| + turns.  So
 * it cannot overlap unless the two strayed from those by more than the margin together; and points
 * of a pair that are in none of its contacts cannot unless the two turned by as much. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/collide/collider.h"
#include "kernel/sim/sim_inside.h"

/* Of the margin: overlaps that are left to the next step. */
static const double LEFT = 0.1;

/* Angle between the orientations of the two states. */
static double angle_between(const double *q, const double *at, int flat)
{
    double back[4], turn[3];
    if (flat)
        return fabs(q[2] - at[2]);
    for (int k = 0; k < 4; k++)
        back[k] = k == 0 ? at[3] : -at[3 + k];
    perp_quaternion_product(q + 3, back, back);
    perp_quaternion_log(back, turn);
    return sqrt(turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]);
}

/* Ways of all shapes in the step; 1 where some pair may have met unforeseen. */
static int measure_ways(perp_collider *c)
{
    double stray = 0.0, turned = 0.0;
    for (int i = 0; i < c->nshapes; i++) {
        perp_shape *shape = &c->shapes[i];
        double square = 0.0;
        shape->stray = shape->turned = 0.0;
        if (!perp_shape_is_here(shape) || !shape->moving || shape->rests)
            continue;
        for (int k = 0; k < (shape->flat ? 2 : 3); k++) {
            double beside = shape->q[k] - shape->at[k] - shape->shift[k];
            square += beside * beside;
        }
        shape->turned = shape->arm * angle_between(shape->q, shape->at, shape->flat);
        shape->stray = sqrt(square) + fmax(0.0, shape->turned - shape->turn);
        stray = fmax(stray, shape->stray);
        turned = fmax(turned, shape->turned);
    }
    return stray > 0.5 * c->margin || turned > 0.5 * c->margin;
}

static void place_at_end(perp_collider *c)
{
    for (int i = 0; i < c->nshapes; i++) {
        perp_shape *shape = &c->shapes[i];
        if (!perp_shape_is_here(shape))
            continue;
        perp_shape_place_box(shape);
        if (shape->endless)
            perp_contact_turn(shape->normal, shape->q, shape->flat, shape->def.normal);
        for (int k = 0; k < 3 && !shape->endless; k++) {
            double half = shape->half[k] + 0.5 * c->most_skin;
            c->spots[i].lo[k] = shape->centre[k] - half;
            c->spots[i].hi[k] = shape->centre[k] + half;
        }
    }
}

static int is_known(const perp_collider *c, const perp_contact *key)
{
    int at = perp_collider_find(c, key->low, key->high, key->feature);
    const perp_contact *x = at < c->nnow ? c->now[at] : NULL;
    return x && x->low == key->low && x->high == key->high && x->feature == key->feature;
}

static double gap_of(const perp_collider *c, const perp_contact *contact)
{
    perp_contact_point point;
    perp_contact_at(&point, contact, c->shapes[contact->first].q, c->shapes[contact->second].q);
    return point.gap;
}

static double gap_at_start(const perp_collider *c, const perp_contact *contact)
{
    const perp_shape *first = &c->shapes[contact->first], *second = &c->shapes[contact->second];
    perp_contact_point point;
    perp_contact_at(&point, contact, first->at, second->moving ? second->at : NULL);
    return point.gap;
}

/* A pair for which moved > 0 is looked at again where it was at the start. */
static perp_status note(perp_collider *c, const perp_contact *contact, double moved)
{
    if (!perp_pool_grow(&c->pool, (void **)&c->late, &c->capacity_late, c->nlate + 1,
                        sizeof *c->late))
        return PERP_ERR_MEMORY;
    c->late[c->nlate++] = (perp_unforeseen){*contact, moved};
    return PERP_SOLVED;
}

/* The least gap of the contacts that a pair has; *free: a feature that none of them has. */
static double least_known(int *free, const perp_collider *c, const perp_contact *key)
{
    double least = INFINITY;
    *free = 0;
    for (int k = perp_collider_find(c, key->low, key->high, 0);
         k < c->nnow && c->now[k]->low == key->low && c->now[k]->high == key->high; k++) {
        least = fmin(least, gap_of(c, c->now[k]));
        *free = c->now[k]->feature + 1;
    }
    return least;
}

/* A point that is behind a surface at the start met another one first: of a pair without contacts
 * those of the start are taken, else it is left to the next step. */
static perp_status note_points(perp_collider *c, perp_contact *key, int feature, double moved,
                               const perp_touch *points, int count)
{
    perp_status status = PERP_SOLVED;
    int is_new = feature == 0, behind = 0, before = c->nlate;
    for (int k = 0; k < count && status == PERP_SOLVED; k++) {
        if (!(points[k].at.gap - key->skin < 0.0))
            continue;
        key->feature = feature++;
        perp_contact_freeze(key, c, &points[k]);
        if (gap_at_start(c, key) >= -LEFT * c->margin)
            status = note(c, key, 0.0);
        else
            behind = 1;
    }
    if (status != PERP_SOLVED || !is_new || !behind)
        return status;
    c->nlate = before;
    return note(c, key, moved);
}

/* Points that overlap where those that are known are far from it. */
static perp_status look_at_points(perp_collider *c, perp_contact *key, double moved)
{
    perp_touch points[PERP_NARROW_POINTS];
    double deepest = 0.0;
    int count, feature;
    perp_status status = perp_collider_points(&count, points, c, key, 0.0, NULL);
    if (status == PERP_ERR_UNSUPPORTED) /* the next detection says so */
        return PERP_SOLVED;
    for (int k = 0; status == PERP_SOLVED && k < count; k++)
        deepest = fmin(deepest, points[k].at.gap - key->skin);
    if (status != PERP_SOLVED || deepest >= -LEFT * c->margin ||
        least_known(&feature, c, key) <= 0.5 * deepest)
        return status;
    return note_points(c, key, feature, moved, points, count);
}

static perp_status look_at_pair(perp_collider *c, int i, int j)
{
    const perp_shape *a = &c->shapes[i], *b = &c->shapes[j];
    perp_contact key;
    perp_status status = PERP_SOLVED;
    if (a->stray + b->stray <= c->margin && a->turned + b->turned <= c->margin)
        return PERP_SOLVED;
    double moved = a->stray + b->stray + perp_collider_distance(c, i, j);
    switch (perp_collider_key(&key, c, i, j)) {
    case PERP_PAIR_BALLS:
        if (!is_known(c, &key) && gap_of(c, &key) < -LEFT * c->margin)
            status = note(c, &key, 0.0);
        break;
    case PERP_PAIR_PLANE:
        for (int k = 0; status == PERP_SOLVED && perp_collider_plane_point(&key, c, k); k++)
            if (!is_known(c, &key) && gap_of(c, &key) < -LEFT * c->margin)
                status = note(c, &key, 0.0);
        break;
    case PERP_PAIR_NARROW:
        status = look_at_points(c, &key, moved);
        break;
    default:
        break;
    }
    return status;
}

int perp_collider_look(void *ctx, double t, double h)
{
    perp_collider *c = ctx;
    c->nlate = 0;
    if (!(c->margin > 0.0) || t != c->t || h != c->h || !measure_ways(c))
        return 0;
    place_at_end(c);
    perp_status status = perp_grid_pairs(c, look_at_pair);
    return status == PERP_ERR_MEMORY ? -1 : c->nlate;
}

/* All points of a pair within its way, where it is at the start. */
static perp_status put_points(perp_collider *c, const perp_unforeseen *late)
{
    perp_touch points[PERP_NARROW_POINTS];
    perp_contact key = late->contact;
    int count;
    perp_shape_place_box(&c->shapes[key.first]);
    perp_shape_place_box(&c->shapes[key.second]);
    perp_status status = perp_collider_points(&count, points, c, &key, late->moved, NULL);
    for (int k = 0; status == PERP_SOLVED && k < count; k++) {
        key.feature = k;
        perp_contact_freeze(&key, c, &points[k]);
        status = perp_collider_put(c, &key);
    }
    return status;
}

perp_status perp_collider_add_unforeseen(void *ctx, perp_sim *sim)
{
    perp_collider *c = ctx;
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < c->nlate && status == PERP_SOLVED; k++)
        status = c->late[k].moved > 0.0 ? put_points(c, &c->late[k])
                                        : perp_collider_put(c, &c->late[k].contact);
    c->nlate = 0;
    return status == PERP_SOLVED ? perp_sim_prepare(sim) : status;
}

perp_status perp_collider_leave_unforeseen(void *ctx, perp_sim *sim)
{
    perp_collider_take_out(ctx);
    return perp_sim_prepare(sim);
}
