/* SPDX-License-Identifier: BSD-3-Clause */
/* Relation "curve": y = a - P(b) with coordinates a and b of two Lagrangian systems and a
 * polynomial P. */
#include "scene/numbers.h"
#include "scene/relations.h"

typedef struct curve {
    int at[2], entries; /* where both stand in the states, of so many */
    double *coefficient;
    int count;
} curve;

static int output(double *y, double t, const double *x, const double *lambda, const double *z,
                  void *user)
{
    const curve *c = user;
    double value = 0.0;

    (void)t, (void)lambda, (void)z;
    for (int k = c->count - 1; k >= 0; k--)
        value = value * x[c->at[1]] + c->coefficient[k];
    *y = x[c->at[0]] - value;
    return 0;
}

static int slope(double *out, double t, const double *x, const double *lambda, const double *z,
                 void *user)
{
    const curve *c = user;
    double value = 0.0;

    (void)t, (void)lambda, (void)z;
    for (int k = c->count - 1; k >= 1; k--)
        value = value * x[c->at[1]] + k * c->coefficient[k];
    for (int k = 0; k < c->entries; k++)
        out[k] = k == c->at[0] ? 1.0 : k == c->at[1] ? -value : 0.0;
    return 0;
}

/* {"system", "coordinate"}: which of the states of all systems. */
static int read_coordinate(int *place, const perp_scene_link *link, const perp_scene_node *at,
                           const char *key)
{
    perp_scene_node node = perp_scene_get(at, key), name = perp_scene_get(&node, "system");
    const perp_scene_member *s;
    int first = 0, k = 0;

    if (perp_scene_object(&node, "system coordinate") != 0 ||
        (s = perp_scene_named(link->scene, &name)) == NULL)
        return -1;
    for (; k < link->nsystems && link->systems[k] != s; k++)
        first += link->systems[k]->nx;
    if (k == link->nsystems || s->kind != PERP_SCENE_LAGRANGIAN)
        return perp_scene_fail(&name, "it is to be one of 'systems', with coordinates");
    *place = 0;
    if (perp_scene_integer(place, &node, "coordinate", 0, s->nx - 1) != 0)
        return -1;
    *place += first;
    return 0;
}

int perp_scene_read_curve(perp_scene_link *link, const perp_scene_node *at)
{
    perp_relation *relation = &link->def.relation;
    curve *c = perp_scene_take(link->scene, 1, sizeof *c);
    perp_scene_node list = perp_scene_get(at, "polynomial");

    if (c == NULL || perp_scene_object(at, "type of with polynomial") != 0 ||
        read_coordinate(&c->at[0], link, at, "of") != 0 ||
        read_coordinate(&c->at[1], link, at, "with") != 0)
        return -1;
    c->count = -1;
    if (perp_scene_vector(link->scene, &c->coefficient, &c->count, at, "polynomial") != 0)
        return -1;
    if (c->coefficient == NULL || c->count < 1)
        return perp_scene_fail(&list, "missing; [c0, c1, ...] of c0 + c1 x + ...");
    if (c->at[0] == c->at[1])
        return perp_scene_fail(at, "two coordinates are expected");
    if (link->has_law && link->def.law.dim != 1)
        return perp_scene_fail(at, "it has one row, its law %d", link->def.law.dim);
    if (!link->has_law)
        link->def.law = perp_law_equality();
    link->has_law = 1;
    c->entries = link->entries;
    relation->kind = PERP_RELATION_SCLERONOMOUS;
    relation->rows = 1;
    relation->h = output;
    relation->h_x = slope;
    relation->user = c;
    return 0;
}
