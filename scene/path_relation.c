/* SPDX-License-Identifier: BSD-3-Clause */
/* Relation "path": y = factor times the length of a path through points of bodies, less a
 * coordinate that follows it, less an offset. */
#include <math.h>
#include <string.h>

#include "scene/path_length.h"
#include "scene/pose.h"
#include "scene/relations.h"

enum { MOST_PARTS = 256 };

typedef struct path {
    perp_path_part *parts;
    int count, bodies;
    int follower,
        entries; /* its coordinate, of so many behind the states of the bodies; -1: none */
    double factor, offset;
    double *gradient; /* 6 for each body */
} path;

/* What follows the length says how long the path was, and so which way it has. */
static double length_of(const path *p, const double *x, double *gradient)
{
    if (p->follower < 0 || p->factor == 0.0)
        return perp_path_length(p->parts, p->count, x, p->bodies, gradient);
    return perp_path_length_near(p->parts, p->count, x, p->bodies,
                                 (x[7 * p->bodies + p->follower] + p->offset) / p->factor,
                                 gradient);
}

static int output(double *y, double t, const double *x, const double *lambda, const double *z,
                  void *user)
{
    const path *p = user;

    (void)t, (void)lambda, (void)z;
    *y = p->factor * length_of(p, x, NULL) - p->offset;
    if (p->follower >= 0)
        *y -= x[7 * p->bodies + p->follower];
    return !isfinite(*y);
}

/* By the quaternion: 2 q (0, h), for turns of the body change it by q (0, w)/2. */
static int slope(double *out, double t, const double *x, const double *lambda, const double *z,
                 void *user)
{
    const path *p = user;

    (void)t, (void)lambda, (void)z;
    (void)length_of(p, x, p->gradient);
    for (int b = 0; b < p->bodies; b++) {
        const double *own = p->gradient + 6 * b;
        double turn[4] = {0.0, own[3], own[4], own[5]}, by[4];
        perp_quaternion_product(x + 7 * b + 3, turn, by);
        for (int i = 0; i < 3; i++)
            out[7 * b + i] = p->factor * own[i];
        for (int i = 0; i < 4; i++)
            out[7 * b + 3 + i] = 2.0 * p->factor * by[i];
    }
    for (int i = 0; i < p->entries; i++)
        out[7 * p->bodies + i] = i == p->follower ? -1.0 : 0.0;
    return 0;
}

/* "sphere" or "cylinder" (its radius) with the "axis" of the latter, and "side". */
static int read_round(perp_path_part *part, const perp_scene_node *at)
{
    int cylinder = perp_scene_has(at, "cylinder");
    double axis[3] = {0.0, 0.0, 1.0}, side[3];
    perp_scene_node node = perp_scene_get(at, "axis");

    part->kind = cylinder ? PERP_PATH_CYLINDER : PERP_PATH_SPHERE;
    if (cylinder && perp_scene_has(at, "sphere"))
        return perp_scene_fail(at, "sphere and cylinder are both given");
    if (!cylinder && node.json != NULL)
        return perp_scene_fail(&node, "this is of a cylinder");
    if (perp_scene_need_real(&part->radius, at, cylinder ? "cylinder" : "sphere", 0.0, INFINITY) !=
            0 ||
        perp_scene_reals(axis, at, "axis", 3) != 0)
        return -1;
    if (!(perp_dot3(axis, axis) > 0.0))
        return perp_scene_fail(&node, "the zero vector is no axis");
    perp_turn_from_z(part->turn, axis);
    part->has_side = perp_scene_has(at, "side");
    if (!part->has_side)
        return 0;
    if (perp_scene_need_reals(side, at, "side", 3) != 0)
        return -1;
    if (part->side_apart) {
        memcpy(part->side, side, sizeof side);
        return 0;
    }
    for (int i = 0; i < 3; i++)
        side[i] -= part->place[i];
    perp_quaternion_rotate_back(part->turn, side, part->side);
    return 0;
}

/* The number of a body of 'systems'. */
static int read_body(int *body, const perp_scene_link *link, const perp_scene_node *name)
{
    const perp_scene_member *s = perp_scene_named(link->scene, name);

    *body = -1;
    for (int k = 0; s != NULL && k < link->nsystems; k++)
        if (link->systems[k] == s && s->kind == PERP_SCENE_BODY)
            *body = k;
    if (*body >= 0)
        return 0;
    return s == NULL ? -1 : perp_scene_fail(name, "it is to be a body of 'systems'");
}

/* "side_of": a body, or null for the world. */
static int read_side_of(perp_path_part *part, const perp_scene_link *link,
                        const perp_scene_node *at)
{
    perp_scene_node name = perp_scene_get(at, "side_of");

    if (!perp_scene_has(at, "side_of"))
        return 0;
    if (!perp_scene_has(at, "side"))
        return perp_scene_fail(&name, "it says whose the side is, and there is none");
    part->side_apart = 1;
    part->side_body = -1;
    return perp_scene_is(&name, JSON_NULL) ? 0 : read_body(&part->side_body, link, &name);
}

/* "axis" or "rod" with one: where the point behind it lies along it. */
static int read_axis(perp_path_part *part, const perp_scene_node *at)
{
    int rod = perp_scene_has(at, "rod");
    double axis[3];
    perp_scene_node node = perp_scene_get(at, "axis");

    part->kind = rod ? PERP_PATH_ROD : PERP_PATH_AXIS;
    if (perp_scene_need_reals(axis, at, "axis", 3) != 0 ||
        (rod && perp_scene_need_real(&part->radius, at, "rod", 0.0, INFINITY) != 0))
        return -1;
    if (!(perp_dot3(axis, axis) > 0.0))
        return perp_scene_fail(&node, "the zero vector is no axis");
    perp_turn_from_z(part->turn, axis);
    return 0;
}

static int read_part(perp_path_part *part, const perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene_node name = perp_scene_get(at, "system"), world = perp_scene_get(at, "world");

    if (perp_scene_object(at, "system point world sphere cylinder axis side side_of divide rod") !=
        0)
        return -1;
    part->body = -1;
    part->turn[0] = 1.0;
    if (perp_scene_has(at, "divide")) {
        part->kind = PERP_PATH_DIVIDE;
        if (perp_scene_object(at, "divide") != 0 ||
            perp_scene_need_real(&part->divisor, at, "divide", -INFINITY, INFINITY) != 0)
            return -1;
        return part->divisor != 0.0 ? 0 : perp_scene_fail(at, "a length is divided by 0");
    }
    if ((world.json != NULL) == (name.json != NULL))
        return perp_scene_fail(at, "one of system, world is expected");
    if (name.json != NULL && read_body(&part->body, link, &name) != 0)
        return -1;
    if (perp_scene_need_reals(part->place, at, world.json != NULL ? "world" : "point", 3) != 0)
        return -1;
    if (read_side_of(part, link, at) != 0)
        return -1;
    if (perp_scene_has(at, "sphere") || perp_scene_has(at, "cylinder"))
        return read_round(part, at);
    if (perp_scene_has(at, "axis") || perp_scene_has(at, "rod"))
        return perp_scene_has(at, "side")
                   ? perp_scene_fail(at, "a side without a sphere or cylinder")
                   : read_axis(part, at);
    part->kind = PERP_PATH_POINT;
    return perp_scene_has(at, "side") ? perp_scene_fail(at, "a side without a sphere or cylinder")
                                      : 0;
}

static int is_axis(const perp_path_part *part)
{
    return part->kind == PERP_PATH_AXIS || part->kind == PERP_PATH_ROD;
}

/* Branches begin and end with points, and two round shapes have one between them; an axis begins a
 * branch, whose other part is a point. */
static int check_order(const path *p, const perp_scene_node *list)
{
    for (int k = 0; k < p->count; k++) {
        perp_scene_node here = perp_scene_at(list, (size_t)k);
        const perp_path_part *part = &p->parts[k];
        int first = k == 0 || p->parts[k - 1].kind == PERP_PATH_DIVIDE, last = k + 1 == p->count;
        int before = k > 0 && p->parts[k - 1].kind == PERP_PATH_POINT;
        int behind = !last && p->parts[k + 1].kind == PERP_PATH_POINT;
        if (is_axis(part) &&
            (!first || !behind || (k + 2 < p->count && p->parts[k + 2].kind != PERP_PATH_DIVIDE)))
            return perp_scene_fail(&here, "an axis has a point behind it, and nothing else");
        if (is_axis(part) || part->kind == PERP_PATH_POINT)
            continue;
        if (k == 0 || last)
            return perp_scene_fail(&here, "a path begins and ends with a point");
        if (!before || (!behind && !(part->kind == PERP_PATH_DIVIDE && is_axis(part + 1))))
            return perp_scene_fail(&here, "a point is expected before and behind it");
    }
    return 0;
}

/* "follower": {"system", "coordinate"}, the last one of 'systems'. */
static int read_follower(path *p, const perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene_node follower = perp_scene_get(at, "follower"), name;
    const perp_scene_member *s;

    p->follower = -1;
    p->bodies = link->nsystems;
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k]->kind != PERP_SCENE_BODY &&
            (follower.json == NULL || k == 0 || k + 1 != link->nsystems))
            return perp_scene_fail(at, "'%s' is no body", link->systems[k]->name);
    if (follower.json == NULL)
        return 0;
    name = perp_scene_get(&follower, "system");
    if (perp_scene_object(&follower, "system coordinate") != 0 ||
        (s = perp_scene_named(link->scene, &name)) == NULL)
        return -1;
    if (s->kind != PERP_SCENE_LAGRANGIAN || s != link->systems[link->nsystems - 1])
        return perp_scene_fail(&name, "it is to be the last one of 'systems', with coordinates");
    p->follower = 0;
    p->bodies--;
    p->entries = s->nx;
    return perp_scene_integer(&p->follower, &follower, "coordinate", 0, s->nx - 1);
}

int perp_scene_read_path(perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "points");
    perp_relation *relation = &link->def.relation;
    path *p = perp_scene_take(link->scene, 1, sizeof *p);
    size_t count;

    if (p == NULL || perp_scene_object(at, "type points factor offset follower") != 0 ||
        read_follower(p, link, at) != 0 || perp_scene_array(&list, &count) != 0)
        return -1;
    if (count < 2 || count > MOST_PARTS)
        return perp_scene_fail(&list, "2 to %d points are expected", (int)MOST_PARTS);
    p->parts = perp_scene_take(link->scene, count, sizeof *p->parts);
    p->gradient = perp_scene_take(link->scene, (size_t)p->bodies, 6 * sizeof *p->gradient);
    p->factor = 1.0;
    if (p->parts == NULL || p->gradient == NULL ||
        perp_scene_real(&p->factor, at, "factor", -1e300, 1e300) != 0 ||
        perp_scene_real(&p->offset, at, "offset", -1e300, 1e300) != 0)
        return -1;
    for (; p->count < (int)count; p->count++) {
        perp_scene_node one = perp_scene_at(&list, (size_t)p->count);
        if (!perp_scene_is(&one, JSON_OBJECT))
            return perp_scene_fail(&one, "an object is expected");
        if (read_part(&p->parts[p->count], link, &one) != 0)
            return -1;
    }
    if (check_order(p, &list) != 0)
        return -1;
    if (link->has_law && link->def.law.dim != 1)
        return perp_scene_fail(at, "it has one row, its law %d", link->def.law.dim);
    if (!link->has_law)
        link->def.law = perp_law_equality();
    link->has_law = 1;
    relation->kind = PERP_RELATION_SCLERONOMOUS;
    relation->rows = 1;
    relation->h = output;
    relation->h_x = slope;
    relation->user = p;
    return 0;
}
