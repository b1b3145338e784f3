/* SPDX-License-Identifier: BSD-3-Clause */
/* The section "forces": loads that depend on time, and springs with dampers.  Springs to the
 * world are forces that depend on the state; those between two systems are
 * evaluated once a step, so that action stays equal to reaction. */
#include <math.h>
#include <string.h>

#include "scene/muscle_section.h"
#include "scene/numbers.h"
#include "scene/spring.h"

/* "frame": "body" and "point": of bodies alone. */
static int read_place(perp_scene_timed_load *load, const perp_scene_member *s,
                      const perp_scene_node *at)
{
    perp_scene_node frame = perp_scene_get(at, "frame"), point = perp_scene_get(at, "point");
    int has_point = point.json != NULL;

    if (s->kind != PERP_SCENE_BODY && (frame.json != NULL || has_point))
        return perp_scene_fail(has_point ? &point : &frame, "'%s' is no body in space", s->name);
    if (perp_scene_choice(&load->own, at, "frame", "world|body") != 0 ||
        perp_scene_reals(load->point, at, "point", 3) != 0)
        return -1;
    load->places = load->own > 0 || has_point;
    load->own = load->own > 0;
    return 0;
}

static int read_load(perp_scene *scene, const perp_scene_node *at)
{
    perp_scene_node name = perp_scene_get(at, "system"), vector = perp_scene_get(at, "vector");
    perp_scene_timed_load *load = perp_scene_take(scene, 1, sizeof *load);
    perp_scene_member *s;
    int n;

    if (load == NULL ||
        perp_scene_object(at, "type system vector frame point " PERP_SCENE_MOTION_KEYS) != 0)
        return -1;
    s = perp_scene_named(scene, &name);
    if (s == NULL)
        return -1;
    if (!perp_scene_is_integrated(s))
        return perp_scene_fail(&name,
                               s->fixed ? "'%s' stands still"
                                        : "the motion of '%s' is given; no force changes it",
                               s->name);
    n = s->kind == PERP_SCENE_BODY && json_array_size(vector.json) == 3 ? 3 : s->nv;
    load->vector = perp_scene_take(scene, (size_t)s->nv, sizeof *load->vector);
    if (load->vector == NULL || perp_scene_need_reals(load->vector, at, "vector", n) != 0 ||
        perp_scene_read_motion(scene, &load->motion, at) != 0 || read_place(load, s, at) != 0)
        return -1;
    load->next = s->loads;
    s->loads = load;
    return 0;
}

static int check_ends(const perp_scene_spring *spring, const perp_scene_node *at)
{
    const perp_scene_end *a = &spring->end[0], *b = &spring->end[1];
    perp_scene_node first = perp_scene_get(at, "from");

    if (a->system == NULL)
        return perp_scene_fail(&first, "the world can only be the end 'to'");
    if (a->system == b->system)
        return perp_scene_fail(at, "both ends are on '%s': put the stiffness into its K",
                               a->system->name);
    if (a->is_point != b->is_point)
        return perp_scene_fail(at, "one end is a point, the other a coordinate");
    if (b->system != NULL && a->is_point && a->system->dim != b->system->dim)
        return perp_scene_fail(at, "one end is in the plane, the other is not");
    return 0;
}

/* "length": one number, or the range in which the spring is at rest. */
static int read_length(perp_scene_spring *spring, const perp_scene_node *at)
{
    perp_scene_node length = perp_scene_get(at, "length");
    double range[2];

    if (!perp_scene_is(&length, JSON_ARRAY)) {
        if (perp_scene_real(&spring->length, at, "length", -INFINITY, INFINITY) != 0)
            return -1;
        spring->longest = spring->length;
        return 0;
    }
    if (perp_scene_reals(range, at, "length", 2) != 0)
        return -1;
    if (range[0] > range[1])
        return perp_scene_fail(&length, "%g is less than the shortest length, %g", range[1],
                               range[0]);
    spring->length = range[0];
    spring->longest = range[1];
    return 0;
}

/* One number, or [c0, c1, c2] of a spring between coordinates: c0 + c1 x + c2 x^2, all at least
 * `least`. */
static int read_line(double *line, double *more, const perp_scene_spring *spring,
                     const perp_scene_node *at, const char *key, double least)
{
    perp_scene_node node = perp_scene_get(at, key);
    double values[3];

    if (!perp_scene_is(&node, JSON_ARRAY))
        return perp_scene_real(line, at, key, 0.0, INFINITY);
    if (spring->end[0].is_point)
        return perp_scene_fail(&node, "one number expected: a spring between points is a line");
    if (perp_scene_reals(values, at, key, 3) != 0)
        return -1;
    for (int k = 0; k < 3; k++)
        if (!(values[k] >= (k == 0 ? 0.0 : least)))
            return perp_scene_fail(&node, "entry %d: less than 0", k);
    *line = values[0];
    more[0] = values[1];
    more[1] = values[2];
    return 0;
}

static int read_spring(perp_scene *scene, const perp_scene_node *at)
{
    perp_scene_node from = perp_scene_get(at, "from"), to = perp_scene_get(at, "to");
    perp_scene_spring *spring = perp_scene_take(scene, 1, sizeof *spring), **list;

    if (spring == NULL || perp_scene_object(at, "type from to stiffness damping length") != 0 ||
        perp_scene_read_end(scene, &spring->end[0], &from) != 0)
        return -1;
    if (to.json != NULL && perp_scene_read_end(scene, &spring->end[1], &to) != 0)
        return -1;
    if (to.json == NULL)
        spring->end[1].is_point = spring->end[0].is_point;
    if (read_line(&spring->stiffness, spring->bend, spring, at, "stiffness", -INFINITY) != 0 ||
        read_line(&spring->damping, spring->brake, spring, at, "damping", 0.0) != 0 ||
        read_length(spring, at) != 0 || check_ends(spring, at) != 0)
        return -1;
    list = spring->end[1].system == NULL ? &spring->end[0].system->springs : &scene->springs;
    spring->next = *list;
    *list = spring;
    return 0;
}

/* A body that moves, by its name. */
static int read_turning(perp_scene *scene, perp_scene_member **found, const perp_scene_node *at,
                        const char *key)
{
    perp_scene_node name = perp_scene_get(at, key);

    *found = perp_scene_named(scene, &name);
    if (*found == NULL)
        return -1;
    if ((*found)->kind != PERP_SCENE_BODY || !perp_scene_is_integrated(*found))
        return perp_scene_fail(&name, "'%s' is no body that moves freely", (*found)->name);
    return 0;
}

/* One number, or three about the axes of the first body; then `stiffness` is the largest. */
static int read_turn_stiffness(perp_scene_spring *spring, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "stiffness");

    spring->has_axes = perp_scene_is(&node, JSON_ARRAY);
    if (!spring->has_axes)
        return perp_scene_real(&spring->stiffness, at, "stiffness", 0.0, INFINITY);
    if (perp_scene_reals(spring->about, at, "stiffness", 3) != 0)
        return -1;
    for (int k = 0; k < 3; k++) {
        if (!(spring->about[k] >= 0.0))
            return perp_scene_fail(&node, "entry %d: less than 0", k);
        spring->stiffness = fmax(spring->stiffness, spring->about[k]);
    }
    return 0;
}

/* {"type": "turn-spring", "from", "to", "stiffness", "damping", "turned"}: at rest as the bodies
 * stand at the start, but for the rotation `turned` of the first one. */
static int read_turn_spring(perp_scene *scene, const perp_scene_node *at)
{
    perp_scene_spring *spring = perp_scene_take(scene, 1, sizeof *spring), **list;
    perp_scene_member *a = NULL, *b = NULL;
    double turned[3] = {0.0, 0.0, 0.0}, back[4];

    if (spring == NULL ||
        perp_scene_object(at, "type from to stiffness damping turned lag armature") != 0 ||
        read_turning(scene, &a, at, "from") != 0 ||
        (perp_scene_has(at, "to") && read_turning(scene, &b, at, "to") != 0) ||
        read_turn_stiffness(spring, at) != 0 || perp_scene_flag(&spring->lags, at, "lag") != 0 ||
        perp_scene_real(&spring->armature, at, "armature", 0.0, INFINITY) != 0 ||
        perp_scene_real(&spring->damping, at, "damping", 0.0, INFINITY) != 0 ||
        perp_scene_reals(turned, at, "turned", 3) != 0)
        return -1;
    if (a == b)
        return perp_scene_fail(at, "both ends are on '%s'", a->name);
    if (spring->armature > 0.0 && (b == NULL || !spring->lags))
        return perp_scene_fail(at, "armature: between two bodies alone, with lag");
    spring->turns = 1;
    spring->end[0].system = a;
    spring->end[1].system = b;
    for (int k = 0; k < 3; k++)
        turned[k] = -turned[k];
    perp_quaternion_exp(turned, back);
    perp_quaternion_product(back, a->as->body.quaternion, spring->rest);
    if (b != NULL) {
        memcpy(back, b->as->body.quaternion, sizeof back);
        for (int k = 1; k < 4; k++)
            back[k] = -back[k];
        perp_quaternion_product(back, spring->rest, spring->rest);
    }
    list = b == NULL ? &a->springs : &scene->springs;
    spring->next = *list;
    *list = spring;
    return 0;
}

/* {"type": "drag", "system", "point", "damping"}: a damper against the world in all directions. */
static int read_drag(perp_scene *scene, const perp_scene_node *at)
{
    perp_scene_node name = perp_scene_get(at, "system");
    perp_scene_spring *spring = perp_scene_take(scene, 1, sizeof *spring);
    perp_scene_end *end;

    if (spring == NULL || perp_scene_object(at, "type system point damping") != 0)
        return -1;
    end = &spring->end[0];
    end->system = perp_scene_named(scene, &name);
    if (end->system == NULL)
        return -1;
    if (end->system->kind == PERP_SCENE_FIRST_ORDER || !perp_scene_is_integrated(end->system))
        return perp_scene_fail(&name, "'%s' takes no drag", end->system->name);
    if (perp_scene_read_point(end, at, "point") != 0 ||
        perp_scene_need_real(&spring->damping, at, "damping", 0.0, INFINITY) != 0)
        return -1;
    spring->drags = spring->end[1].is_point = 1;
    spring->next = end->system->springs;
    end->system->springs = spring;
    return 0;
}

/* The keys "ellipsoid" (radii), "density", "viscosity" and "coefficients" of a fluid. */
static int read_ellipsoid(perp_ellipsoid_drag *e, const perp_scene_node *at)
{
    static const char *const keys[] = {"density", "viscosity", "coefficients"};
    double share[5] = {0.5, 0.25, 1.5, 1.0, 1.0};

    if (perp_scene_get(at, "ellipsoid").json == NULL) {
        for (int k = 0; k < 3; k++) {
            perp_scene_node node = perp_scene_get(at, keys[k]);
            if (node.json != NULL)
                return perp_scene_fail(&node, "of an ellipsoid, whose radii are missing");
        }
        return 0;
    }
    if (perp_scene_reals(e->radii, at, "ellipsoid", 3) != 0 ||
        perp_scene_reals(share, at, "coefficients", 5) != 0 ||
        perp_scene_real(&e->density, at, "density", 0.0, INFINITY) != 0 ||
        perp_scene_real(&e->viscosity, at, "viscosity", 0.0, INFINITY) != 0)
        return -1;
    for (int k = 0; k < 5; k++)
        if (share[k] < 0.0 || (k < 3 && !(e->radii[k] > 0.0))) {
            perp_scene_node node =
                perp_scene_get(at, share[k] < 0.0 ? "coefficients" : "ellipsoid");
            return perp_scene_fail(&node, share[k] < 0.0 ? "less than 0" : "not positive");
        }
    e->blunt = share[0];
    e->slender = share[1];
    e->angular = share[2];
    e->lift = share[3];
    e->magnus = share[4];
    perp_ellipsoid_drag_begin(e);
    return 0;
}

/* {"type": "fluid", "system", "point", "rotation", "damping", "turn_damping", "drag", "turn_drag"}:
 * the last four along the axes of a frame in the body; or those of an ellipsoid; and "wind". */
static int read_fluid(perp_scene *scene, const perp_scene_node *at)
{
    static const char *const keys[] = {"damping", "drag", "turn_damping", "turn_drag"};
    perp_scene_spring *spring = perp_scene_take(scene, 1, sizeof *spring);
    perp_scene_fluid *fluid = perp_scene_take(scene, 1, sizeof *fluid);
    perp_scene_member *s;
    double turn[3] = {0.0, 0.0, 0.0};

    if (spring == NULL || fluid == NULL ||
        perp_scene_object(at, "type system point rotation damping turn_damping drag turn_drag "
                              "ellipsoid density viscosity coefficients wind") != 0 ||
        perp_scene_reals(fluid->wind, at, "wind", 3) != 0 ||
        read_ellipsoid(&fluid->ellipsoid, at) != 0 || read_turning(scene, &s, at, "system") != 0 ||
        perp_scene_reals(spring->end[0].place, at, "point", 3) != 0 ||
        perp_scene_reals(turn, at, "rotation", 3) != 0)
        return -1;
    for (int k = 0; k < 4; k++) {
        double *three = (k % 2 == 0 ? fluid->damping : fluid->drag) + 3 * (k / 2);
        if (perp_scene_reals(three, at, keys[k], 3) != 0)
            return -1;
        if (three[0] < 0.0 || three[1] < 0.0 || three[2] < 0.0) {
            perp_scene_node node = perp_scene_get(at, keys[k]);
            return perp_scene_fail(&node, "less than 0: a fluid gives no energy");
        }
    }
    perp_quaternion_exp(turn, fluid->axes);
    spring->fluid = fluid;
    spring->end[0].system = s;
    spring->drags = spring->end[0].is_point = spring->end[1].is_point = 1;
    spring->next = s->springs;
    s->springs = spring;
    return 0;
}

static int read_force(void *ctx, const perp_scene_node *at)
{
    perp_scene *scene = ctx;
    perp_scene_node word = perp_scene_get(at, "type");
    int type = -1;
    if (!perp_scene_is(at, JSON_OBJECT))
        return perp_scene_fail(at, "an object is expected");
    if (perp_scene_choice(&type, at, "type", "load|spring|turn-spring|drag|fluid|muscle") != 0)
        return -1;
    if (type < 0)
        return perp_scene_fail(&word, "missing; one of load|spring|turn-spring|drag|fluid|muscle");
    return type == 0   ? read_load(scene, at)
           : type == 1 ? read_spring(scene, at)
           : type == 2 ? read_turn_spring(scene, at)
           : type == 3 ? read_drag(scene, at)
           : type == 4 ? read_fluid(scene, at)
                       : perp_scene_read_muscle(scene, at);
}

int perp_scene_read_forces(perp_scene *scene, const perp_scene_node *root)
{
    return perp_scene_each(root, "forces", read_force, scene);
}
