/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of scene.json, as far as they are convex and in the text. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

/* Radius of a ball around the origin of the shape, and its smallest half width. */
static void measure(perp_verify_shape *s)
{
    const double *r = s->size;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};

    switch (s->form) {
    case PERP_VERIFY_SPHERE:
        s->reach = s->least = r[0];
        return;
    case PERP_VERIFY_BOX:
        s->reach = space_length(r);
        s->least = fmin(r[0], fmin(r[1], r[2]));
        return;
    case PERP_VERIFY_CAPSULE:
        s->reach = r[0] + r[1];
        s->least = r[0];
        return;
    case PERP_VERIFY_CYLINDER:
    case PERP_VERIFY_CONE:
        s->reach = hypot(r[0], r[1]);
        s->least = fmin(r[0], s->form == PERP_VERIFY_CONE ? 0.5 * r[1] : r[1]);
        return;
    case PERP_VERIFY_ELLIPSOID:
        s->reach = fmax(r[0], fmax(r[1], r[2]));
        s->least = fmin(r[0], fmin(r[1], r[2]));
        return;
    case PERP_VERIFY_PLANE:
        s->reach = s->least = INFINITY;
        return;
    default:
        break;
    }
    s->least = INFINITY;
    for (int k = 0; k < s->npoints; k++) {
        s->reach = fmax(s->reach, space_length(s->points + 3 * k));
        for (int i = 0; i < 3; i++) {
            low[i] = fmin(low[i], s->points[3 * k + i]);
            high[i] = fmax(high[i], s->points[3 * k + i]);
        }
    }
    for (int i = 0; i < 3 && s->npoints > 0; i++)
        if (high[i] > low[i])
            s->least = fmin(s->least, 0.5 * (high[i] - low[i]));
}

/* Rows of up to three numbers; 0: none. */
static int read_points(perp_verification *v, perp_verify_shape *s, const json_t *list)
{
    size_t count = json_array_size(list);
    double *points = perp_verify_take(v, 3 * count + 1, sizeof *points);

    if (points == NULL || count == 0 || count > 1000000)
        return 0;
    for (size_t k = 0; k < count; k++) {
        const json_t *point = json_array_get(list, k);
        perp_verify_reals(points + 3 * k, point, json_array_size(point) < 3 ? 2 : 3);
    }
    s->points = points;
    s->npoints = (int)count;
    return 1;
}

static void read_form(perp_verification *v, perp_verify_shape *s, const json_t *at)
{
    const char *type = perp_verify_word(at, "type");

    s->form = PERP_VERIFY_OTHER_SHAPE;
    s->size[0] = perp_verify_real(at, "radius", 0.0);
    s->size[1] = 0.5 * perp_verify_real(at, "length", 0.0);
    if (strcmp(type, "sphere") == 0) {
        s->form = PERP_VERIFY_SPHERE;
    } else if (strcmp(type, "box") == 0) {
        s->form = PERP_VERIFY_BOX;
        perp_verify_reals(s->size, json_object_get(at, "sides"), 3);
        for (int k = 0; k < 3; k++)
            s->size[k] *= 0.5;
    } else if (strcmp(type, "capsule") == 0) {
        s->form = PERP_VERIFY_CAPSULE;
    } else if (strcmp(type, "cylinder") == 0) {
        s->form = PERP_VERIFY_CYLINDER;
    } else if (strcmp(type, "cone") == 0) {
        s->form = PERP_VERIFY_CONE;
        s->size[1] = perp_verify_real(at, "height", 0.0);
    } else if (strcmp(type, "ellipsoid") == 0) {
        s->form = PERP_VERIFY_ELLIPSOID;
        perp_verify_reals(s->size, json_object_get(at, "radii"), 3);
    } else if (strcmp(type, "plane") == 0 || strcmp(type, "line") == 0) {
        s->form = PERP_VERIFY_PLANE;
    } else if (strcmp(type, "hull") == 0 && json_object_get(at, "points") != NULL) {
        s->form = read_points(v, s, json_object_get(at, "points")) ? PERP_VERIFY_HULL
                                                                   : PERP_VERIFY_OTHER_SHAPE;
    }
}

static void read_one(perp_verification *v, perp_verify_shape *s, const json_t *at)
{
    static const double identity[] = {1.0, 0.0, 0.0, 0.0};
    double turn[3] = {0.0, 0.0, 0.0}, length;

    read_form(v, s, at);
    memcpy(s->turn, identity, sizeof identity);
    perp_verify_reals(s->place, json_object_get(at, "position"), 3);
    perp_verify_reals(turn, json_object_get(at, "rotation"), 3);
    space_move(s->turn, identity, turn);
    perp_verify_reals(s->turn, json_object_get(at, "quaternion"), 4);
    length = sqrt(space_dot(s->turn + 1, s->turn + 1) + s->turn[0] * s->turn[0]);
    for (int k = 0; k < 4; k++)
        s->turn[k] /= length;
    s->material = perp_verify_word(at, "material");
    s->group = perp_verify_integer(perp_verify_real(at, "group", 0.0));
    s->category = (unsigned)perp_verify_whole(at, "category", 1);
    s->touches = (unsigned)perp_verify_whole(at, "touches", 1);
    measure(s);
}

/* 1: its centre of mass is its origin. */
static int is_centred(const perp_verify_shape *s)
{
    return space_length(s->place) == 0.0 &&
           (s->form == PERP_VERIFY_SPHERE || s->form == PERP_VERIFY_BOX ||
            s->form == PERP_VERIFY_CAPSULE || s->form == PERP_VERIFY_CYLINDER ||
            s->form == PERP_VERIFY_ELLIPSOID || s->form == PERP_VERIFY_PLANE);
}

int perp_verify_read_shapes(perp_verification *v, perp_verify_system *s, const json_t *at)
{
    const json_t *one = json_object_get(at, "shape"), *list = json_object_get(at, "shapes");
    const json_t *polygon = json_object_get(at, "polygon");
    int disc = s->planar && perp_verify_real(at, "radius", 0.0) > 0.0;

    s->nshapes = list != NULL                                ? (int)json_array_size(list)
                 : one != NULL || disc || polygon != NULL ? 1
                                                             : 0;
    s->shapes = perp_verify_take(v, (size_t)s->nshapes + 1, sizeof *s->shapes);
    if (s->shapes == NULL)
        return -1;
    for (int k = 0; k < s->nshapes; k++) {
        perp_verify_shape *shape = &s->shapes[k];
        read_one(v, shape, list != NULL ? json_array_get(list, (size_t)k) : one);
        if (disc || polygon != NULL) {
            shape->form = disc                              ? PERP_VERIFY_SPHERE
                          : read_points(v, shape, polygon) ? PERP_VERIFY_HULL
                                                            : PERP_VERIFY_OTHER_SHAPE;
            shape->size[0] = perp_verify_real(at, "radius", 0.0);
            measure(shape);
        }
        if (shape->material == NULL || shape->material[0] == '\0')
            shape->material = s->material;
    }
    /* Where the origin is the centre of mass, which is not looked for here: the first row has it. */
    s->moved = !s->fixed && !s->motion && (s->planar || json_object_get(at, "inertia") == NULL) &&
               s->nshapes > 0 && !(s->nshapes == 1 && is_centred(&s->shapes[0]));
    return 0;
}
