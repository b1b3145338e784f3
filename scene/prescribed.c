/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that move as functions of time, and surfaces that run. */
#include <math.h>
#include <string.h>

#include "scene/cross.h"
#include "scene/shapes.h"
#include "scene/contact_section.h"
#include "scene/numbers.h"

/* {"slide": {"axis", MOTION}} or {"turn": {"axis", "centre", MOTION}}. */
static perp_scene_move *read_move(perp_scene *scene, const perp_scene_node *at)
{
    perp_scene_move *move = perp_scene_take(scene, 1, sizeof *move);
    perp_scene_node slide = perp_scene_get(at, "slide"), turn = perp_scene_get(at, "turn");
    perp_scene_node own = turn.json != NULL ? turn : slide, axis = perp_scene_get(&own, "axis");
    double length = 0.0;

    if (move == NULL || perp_scene_object(at, "slide turn") != 0)
        return NULL;
    if ((slide.json != NULL) == (turn.json != NULL)) {
        perp_scene_fail(at, "one of slide, turn is expected; more of them stand in a list");
        return NULL;
    }
    move->turns = turn.json != NULL;
    if (perp_scene_object(&own, move->turns ? "axis centre " PERP_SCENE_MOTION_KEYS
                                            : "axis " PERP_SCENE_MOTION_KEYS) != 0 ||
        perp_scene_need_reals(move->axis, &own, "axis", 3) != 0 ||
        (move->turns && perp_scene_reals(move->centre, &own, "centre", 3) != 0) ||
        perp_scene_read_motion(scene, &move->motion, &own) != 0)
        return NULL;
    for (int k = 0; k < 3; k++)
        length += move->axis[k] * move->axis[k];
    if (!(length > 0.0)) {
        perp_scene_fail(&axis, "the zero vector is no axis");
        return NULL;
    }
    for (int k = 0; k < 3; k++)
        move->axis[k] /= sqrt(length);
    return move;
}

int perp_scene_read_moves(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at)
{
    perp_scene_node motion = perp_scene_get(at, "motion");
    perp_scene_move **last = &s->moves;
    size_t count = 1;

    if (perp_scene_has(at, "mass") || perp_scene_has(at, "density") ||
        perp_scene_has(at, "inertia") || perp_scene_has(at, "velocity") ||
        perp_scene_has(at, "angular") || perp_scene_has(at, "force") ||
        perp_scene_has(at, "moment") || perp_scene_has(at, "fixed"))
        return perp_scene_fail(&motion, "a body with a motion has no mass, velocity or force, and "
                                        "is not fixed");
    if (perp_scene_is(&motion, JSON_ARRAY) && perp_scene_array(&motion, &count) != 0)
        return -1;
    for (size_t k = 0; k < count; k++) {
        perp_scene_node one =
            perp_scene_is(&motion, JSON_ARRAY) ? perp_scene_at(&motion, k) : motion;
        *last = read_move(scene, &one);
        if (*last == NULL)
            return -1;
        last = &(*last)->next;
    }
    s->prescribed = 1;
    return 0;
}

/* The pose so far turned about an axis through a centre; spin: in the frame of the world. */
static void turn(double *pose, double *v, double *spin, const perp_scene_move *move, double angle,
                 double rate)
{
    double r[3], w[3], q[4], from[3], more[3];

    for (int k = 0; k < 3; k++) {
        r[k] = angle * move->axis[k];
        w[k] = rate * move->axis[k];
        from[k] = pose[k] - move->centre[k];
    }
    perp_quaternion_exp(r, q);
    perp_quaternion_rotate(q, from, from);
    perp_quaternion_rotate(q, v, v);
    perp_quaternion_rotate(q, spin, spin);
    perp_scene_cross(more, w, from);
    for (int k = 0; k < 3; k++) {
        pose[k] = move->centre[k] + from[k];
        v[k] += more[k];
        spin[k] += w[k];
    }
    perp_quaternion_product(q, pose + 3, pose + 3);
}

int perp_scene_prescribed_pose(double *pose, double *twist, double t, void *user)
{
    const perp_scene_member *s = user;
    double spin[3] = {0.0, 0.0, 0.0};

    memcpy(pose, s->position, 3 * sizeof *pose);
    memcpy(pose + 3, s->as->body.quaternion, 4 * sizeof *pose);
    memset(twist, 0, 6 * sizeof *twist);
    for (const perp_scene_move *move = s->moves; move != NULL; move = move->next) {
        double value = perp_scene_motion_value(&move->motion, t);
        double rate = perp_scene_motion_rate(&move->motion, t);
        if (move->turns)
            turn(pose, twist, spin, move, value, rate);
        for (int k = 0; k < 3 && !move->turns; k++) {
            pose[k] += value * move->axis[k];
            twist[k] += rate * move->axis[k];
        }
    }
    perp_quaternion_rotate_back(pose + 3, spin, twist + 3);
    return 0;
}

int perp_scene_read_surface(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at)
{
    perp_scene_node node = perp_scene_get(at, "surface");

    if (node.json == NULL)
        return 0;
    if (s->shape.form == PERP_SCENE_NO_SHAPE && !perp_scene_has(at, "shapes"))
        return perp_scene_fail(&node, "a surface is that of a shape");
    s->surface = perp_scene_take(scene, 1, sizeof *s->surface);
    if (s->surface == NULL || perp_scene_object(&node, "velocity spin factor") != 0 ||
        perp_scene_reals(s->surface->velocity, &node, "velocity", 3) != 0 ||
        perp_scene_reals(s->surface->spin, &node, "spin", 3) != 0)
        return -1;
    s->surface->varies = perp_scene_has(&node, "factor");
    int varies;
    return s->surface->varies
               ? perp_scene_read_profile(scene, &s->surface->factor, &varies, &node, "factor")
               : 0;
}

/* Shapes of a fixed body are those of the world: v + w x (x - p) there. */
static void into_world(double *velocity, double *spin, const perp_scene_member *s)
{
    double turned[3], off[3];

    perp_quaternion_rotate(s->quaternion, velocity, turned);
    memcpy(velocity, turned, sizeof turned);
    perp_quaternion_rotate(s->quaternion, spin, turned);
    memcpy(spin, turned, sizeof turned);
    perp_scene_cross(off, spin, s->position);
    for (int i = 0; i < 3; i++)
        velocity[i] -= off[i];
}

int perp_scene_set_surfaces(perp_scene *scene, double t)
{
    perp_collider *collider = perp_scene_collider(scene);

    for (int k = 0; collider != NULL && k < scene->nsystems; k++) {
        perp_scene_member *s = scene->systems[k];
        double velocity[3], spin[3], factor = 1.0;
        if (s->surface == NULL)
            continue;
        if (s->surface->varies)
            factor = perp_scene_motion_value(&s->surface->factor, t);
        for (int i = 0; i < 3; i++) {
            velocity[i] = factor * s->surface->velocity[i];
            spin[i] = factor * s->surface->spin[i];
        }
        if (s->fixed)
            into_world(velocity, spin, s);
        for (perp_scene_shape *x = perp_scene_next_shape(s, NULL); x;
             x = perp_scene_next_shape(s, x))
            if (perp_collider_set_surface(collider, x->id, velocity, spin) != PERP_SOLVED)
                return -1;
    }
    return 0;
}
