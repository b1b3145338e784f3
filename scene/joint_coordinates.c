/* SPDX-License-Identifier: BSD-3-Clause */
/* Coordinates of joints: limits, motors, friction, servos, springs and loads of a pivot, a
 * prismatic or a cylindrical joint, each an interaction of its own on the same anchor and axis. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/relations.h"

#define LAW_KEYS "limits e motor friction servo spring damping load start"

const char perp_scene_coordinate_keys[] =
    "type joint anchor anchor_b axis axis_b lead angle slide turned " LAW_KEYS;
static const char law_keys[] = LAW_KEYS;
const char perp_scene_joint_words[] = "angle|rate|torque|slide|speed|force";

/* One coordinate while its laws are read. */
typedef struct coordinate {
    const perp_scene_link *link; /* the joint */
    const char *joint,
        *prefix; /* names: of the joint, and of what is made, with a dot at the end */
    int is_angle;
    double start;         /* of the coordinate */
    const double *turned; /* of a ball joint: how it stands; NULL: another one */
} coordinate;

static int add_timed(const coordinate *c, const perp_scene_node *at, const char *word,
                     double origin, int side, perp_law law, perp_scene_timed_law *timed)
{
    perp_scene *scene = c->link->scene;
    perp_scene_link made = *c->link;
    perp_scene_named_interaction *noted;
    perp_where where = {NULL, -1, -1};
    perp_interaction_id id;
    const char *name = perp_scene_text(scene, "%s%s", c->prefix, word);

    if (name == NULL)
        return -1;
    made.def.relation.joint = c->turned     ? PERP_JOINT_TURN
                              : c->is_angle ? PERP_JOINT_ANGLE
                                            : PERP_JOINT_SLIDE;
    for (int i = 0; c->turned != NULL && i < 3; i++)
        made.def.relation.axis[i] = c->turned[i];
    made.def.relation.rows = 1;
    made.def.relation.origin = origin - c->start;
    made.def.relation.side = side;
    made.def.law = law;
    perp_status status = perp_model_add_interaction(scene->model, &made.def, &id, &where);
    if (status != PERP_SOLVED)
        return perp_scene_fail_status(at, status, &where);
    noted = perp_scene_note_interaction(&made, name, id);
    if (noted == NULL)
        return -1;
    noted->joint = c->joint;
    noted->is_angle = c->is_angle;
    noted->origin = origin;
    noted->side = side;
    noted->drives = law.kind == PERP_LAW_BOX;
    if (timed != NULL) {
        timed->id = id;
        timed->law = law;
        timed->next = scene->timed_laws;
        scene->timed_laws = timed;
    }
    return 0;
}

static int add(const coordinate *c, const perp_scene_node *at, const char *word, double origin,
               int side, perp_law law)
{
    return add_timed(c, at, word, origin, side, law, NULL);
}

/* [low, high], null for none. */
static int read_limits(const coordinate *c, const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "limits"), node = perp_scene_get(at, "e");
    double bound[2] = {-INFINITY, INFINITY}, e = 0.0;
    size_t count;

    if (list.json == NULL)
        return node.json == NULL ? 0 : perp_scene_fail(&node, "restitution of limits: give limits");
    if (perp_scene_array(&list, &count) != 0 || perp_scene_real(&e, at, "e", 0.0, 1.0) != 0)
        return -1;
    if (count != 2)
        return perp_scene_fail(&list, "a lower and an upper limit are expected, null for none");
    for (size_t k = 0; k < 2; k++) {
        perp_scene_node one = perp_scene_at(&list, k);
        if (!perp_scene_is(&one, JSON_NULL) &&
            perp_scene_number(&bound[k], &one, -1e300, 1e300) != 0)
            return -1;
        if (c->is_angle && isfinite(bound[k]))
            perp_scene_note_angle(c->link->scene, &one, bound[k]);
    }
    if (bound[0] > bound[1])
        return perp_scene_fail(&list, "%g is less than the lower limit, %g", bound[1], bound[0]);
    if (isfinite(bound[0]) && c->turned == NULL &&
        add(c, &list, "lower", bound[0], 1, perp_law_impact(e)) != 0)
        return -1;
    return isfinite(bound[1]) ? add(c, &list, "upper", bound[1], -1, perp_law_impact(e)) : 0;
}

/* A law on each of the three rates of the first body against the second, along its own axes. */
static int add_spins(const coordinate *c, const perp_scene_node *at, const char *word, perp_law law)
{
    static const char *const axes[] = {"x", "y", "z"};
    perp_scene *scene = c->link->scene;
    const perp_scene_member *first = c->link->systems[0];
    perp_where where = {NULL, -1, -1};
    perp_interaction_id id;

    for (int k = 0; k < 3; k++) {
        const double own[3] = {k == 0, k == 1, k == 2};
        perp_scene_link made = *c->link;
        const char *name = perp_scene_text(scene, "%s%s.%s", c->prefix, word, axes[k]);
        if (name == NULL)
            return -1;
        made.def.relation.joint = PERP_JOINT_SPIN;
        made.def.relation.rows = 1;
        made.def.law = law;
        perp_quaternion_rotate(first->as->body.quaternion, own, made.def.relation.axis);
        perp_status status = perp_model_add_interaction(scene->model, &made.def, &id, &where);
        if (status != PERP_SOLVED)
            return perp_scene_fail_status(at, status, &where);
        if (perp_scene_note_interaction(&made, name, id) == NULL)
            return -1;
    }
    return 0;
}

static int read_spins(const coordinate *c, const perp_scene_node *at)
{
    double friction = 0.0, damping = 0.0;

    if (perp_scene_real(&friction, at, "friction", 0.0, 1e300) != 0 ||
        perp_scene_real(&damping, at, "damping", 0.0, 1e300) != 0)
        return -1;
    if (friction > 0.0 && add_spins(c, at, "friction", perp_law_dry_friction(friction)) != 0)
        return -1;
    return damping > 0.0 ? add_spins(c, at, "damping", perp_law_servo(0.0, damping, 0.0, INFINITY))
                         : 0;
}

/* A ball joint: the whole angle from where the model has it, "turned" at the start, has an upper
 * limit; friction and a damper act on the rates. */
static int read_ball(coordinate *c, const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "limits"), low = perp_scene_at(&list, 0);
    double turned[3] = {0.0}, most;

    if (perp_scene_reals(turned, at, "turned", 3) != 0)
        return -1;
    c->turned = turned;
    if (low.json != NULL && !perp_scene_is(&low, JSON_NULL) &&
        (perp_scene_number(&most, &low, -1e300, 1e300) != 0 || most != 0.0))
        return perp_scene_fail(&low, "of a ball joint the lower limit is 0");
    if (read_limits(c, at) != 0)
        return -1;
    c->turned = NULL;
    return read_spins(c, at);
}

/* A spring at rest at `rest`, and a damper. */
static int read_spring(const coordinate *c, const perp_scene_node *at)
{
    perp_scene_node spring = perp_scene_get(at, "spring");
    double stiffness = 0.0, rest = 0.0, damping = 0.0;

    if (perp_scene_real(&damping, at, "damping", 0.0, 1e300) != 0)
        return -1;
    if (spring.json != NULL &&
        (perp_scene_object(&spring, "stiffness rest") != 0 ||
         perp_scene_need_real(&stiffness, &spring, "stiffness", 0.0, 1e300) != 0 ||
         perp_scene_real(&rest, &spring, "rest", -1e300, 1e300) != 0))
        return -1;
    if (!(stiffness + damping > 0.0))
        return 0;
    return add(c, at, "spring", 0.0, 1, perp_law_servo(stiffness, damping, rest, INFINITY));
}

/* For gears and controllers of this coordinate. */
static void note_start(const coordinate *c)
{
    perp_scene *scene = c->link->scene;
    int k = perp_scene_find_interaction(scene, c->joint);

    if (k >= 0)
        scene->interactions[k].start[c->is_angle] = c->start;
}

static int read_laws(coordinate *c, const perp_scene_node *at)
{
    perp_scene_node motor = perp_scene_get(at, "motor"), servo = perp_scene_get(at, "servo");
    perp_scene_node friction = perp_scene_get(at, "friction");
    const char *force = c->is_angle ? "torque" : "force";
    double largest = 0.0, load = 0.0;
    perp_law law;

    if (perp_scene_real(&c->start, at, "start", -1e300, 1e300) != 0)
        return -1;
    note_start(c);
    if (read_limits(c, at) != 0 || perp_scene_real(&load, at, "load", -1e300, 1e300) != 0)
        return -1;
    if (load != 0.0 && add(c, at, "load", 0.0, 1, perp_law_relay(load, load)) != 0)
        return -1;
    perp_scene *scene = c->link->scene;
    perp_scene_timed_law *speed = NULL, *target = NULL;
    if (motor.json != NULL && (perp_scene_read_motor(scene, &law, &speed, &motor, force, "") != 0 ||
                               add_timed(c, &motor, "motor", 0.0, 1, law, speed) != 0))
        return -1;
    if (friction.json != NULL &&
        (perp_scene_real(&largest, at, "friction", 0.0, 1e300) != 0 ||
         add(c, &friction, "friction", 0.0, 1, perp_law_dry_friction(largest)) != 0))
        return -1;
    if (servo.json != NULL &&
        (perp_scene_read_servo(scene, &law, &target, &servo, force, "") != 0 ||
         add_timed(c, &servo, "servo", 0.0, 1, law, target) != 0))
        return -1;
    return read_spring(c, at);
}

/* The first key of a list that is there; NULL: none. */
static const char *first_of(const perp_scene_node *at, const char *keys)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)(uintptr_t)at->json, key,
                        value) if (perp_scene_is_listed(keys, key)) return key;
    return NULL;
}

static int read_both(const perp_scene_link *link, const perp_scene_node *at, const char *joint)
{
    static const char *const words[] = {"slide", "angle"};

    for (int k = 0; k < 2; k++) {
        perp_scene_node own = perp_scene_get(at, words[k]);
        coordinate c = {link, joint, NULL, k == 1, 0.0, NULL};
        if (own.json == NULL)
            continue;
        c.prefix = perp_scene_text(link->scene, "%s.%s.", joint, words[k]);
        if (c.prefix == NULL || perp_scene_object(&own, law_keys) != 0 || read_laws(&c, &own) != 0)
            return -1;
    }
    return 0;
}

int perp_scene_read_coordinates(const perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene *scene = link->scene;
    perp_joint joint = link->def.relation.joint;
    int cylindrical = joint == PERP_JOINT_CYLINDRICAL;
    int turns = joint == PERP_JOINT_PIVOT || joint == PERP_JOINT_PLANAR;
    int has_one = turns || joint == PERP_JOINT_PRISMATIC;
    const char *own = first_of(at, law_keys), *part = first_of(at, "angle slide");
    int screw = perp_scene_has(at, "lead"); /* its coupling was noted after it */
    const char *name = scene->interactions[scene->ninteractions - 1 - screw].name;
    coordinate c = {link, name, NULL, turns, 0.0, NULL};

    if (part != NULL && !cylindrical) {
        perp_scene_node node = perp_scene_get(at, part);
        return perp_scene_fail(&node, "of a cylindrical joint alone%s",
                               has_one ? "; here its keys stand in the relation itself" : "");
    }
    if (joint == PERP_JOINT_POINT && own != NULL &&
        (own = first_of(at, "motor servo spring load start")) == NULL) {
        c.is_angle = 1;
        c.prefix = perp_scene_text(scene, "%s.", name);
        return c.prefix == NULL ? -1 : read_ball(&c, at);
    }
    if (perp_scene_has(at, "turned")) {
        perp_scene_node node = perp_scene_get(at, "turned");
        return perp_scene_fail(&node, "of a point joint with limits");
    }
    if (own != NULL && !has_one) {
        perp_scene_node node = perp_scene_get(at, own);
        return perp_scene_fail(
            &node, cylindrical ? "a cylindrical joint has two coordinates: put it into "
                                 "'angle' or 'slide'"
                               : "this joint has no coordinate; pivot, prismatic, planar "
                                 "and cylindrical ones have, and point ones have limits, "
                                 "friction and damping");
    }
    if (cylindrical)
        return read_both(link, at, name);
    c.prefix = perp_scene_text(scene, "%s.", name);
    return own == NULL ? 0 : c.prefix == NULL ? -1 : read_laws(&c, at);
}

int perp_scene_joint_quantity(double *value, const perp_scene *scene, const char *joint, int which)
{
    int found = 0, wants_angle = which < 3, what = which % 3;

    *value = NAN;
    for (int k = 0; k < scene->ninteractions; k++) {
        const perp_scene_named_interaction *one = &scene->interactions[k];
        const double *y, *u, *lambda;
        if (one->joint == NULL || strcmp(one->joint, joint) != 0 || one->is_angle != wants_angle ||
            perp_model_output(scene->model, one->id, &y, &u, &lambda, NULL, NULL) != PERP_SOLVED)
            continue;
        if (what == 2)
            *value = (found ? *value : 0.0) + (one->drives ? lambda[0] : 0.0);
        else
            *value = what == 0 ? one->origin + one->side * y[0] : one->side * u[0];
        found = 1;
    }
    return found;
}
