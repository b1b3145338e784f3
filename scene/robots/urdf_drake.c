/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/urdf_drake.h"

#include <string.h>

/* Groups of groups, and pairs of one model, at most. */
enum { DEEPEST = 16, PAIRS = 1000000 };

int perp_urdf_drake_friction(perp_urdf *u, const perp_xml *collision, double *mu)
{
    const perp_xml *at = perp_xml_child(collision, "drake:proximity_properties", NULL);
    const perp_xml *still = perp_xml_child(at, "drake:mu_static", NULL);
    const perp_xml *moving = perp_xml_child(at, "drake:mu_dynamic", NULL);

    if (at == NULL)
        return 0;
    if (perp_urdf_numbers(u, still, "value", mu, 1) < 0 ||
        perp_urdf_numbers(u, moving, "value", mu, 1) < 0)
        return -1;
    if (*mu < 0.0)
        return perp_robot_fail(u->job, at, "a friction less than 0");
    perp_robot_note(u->job, at, "contacts are exact: no more than %s is read",
                    moving != NULL  ? "drake:mu_dynamic"
                    : still != NULL ? "drake:mu_static"
                                    : "friction");
    return 0;
}

static const perp_xml *find_group(perp_urdf *u, const perp_xml *at)
{
    const char *name = perp_xml_get(at, "name"), *own;
    const perp_xml *group = NULL, *root = at;

    while (root->up != NULL)
        root = root->up;
    while ((group = perp_xml_child(root, "drake:collision_filter_group", group)) != NULL)
        if (name != NULL && (own = perp_xml_get(group, "name")) != NULL && strcmp(own, name) == 0)
            return group;
    perp_robot_fail(u->job, at, "there is no group '%.80s'", name != NULL ? name : "");
    return NULL;
}

/* Marks the bodies of a group, and of the groups in it. */
static int mark(perp_urdf *u, const perp_xml *group, unsigned char *bodies, int depth)
{
    const perp_xml *at = NULL;

    if (depth > DEEPEST)
        return perp_robot_fail(u->job, group, "groups in groups, more than %d deep", DEEPEST);
    while ((at = perp_xml_child(group, "drake:member", at)) != NULL) {
        const char *name = perp_xml_get(at, "link");
        int link = perp_urdf_find(&u->link_names, name);
        if (link < 0)
            return perp_robot_fail(u->job, at, "there is no link '%.80s'",
                                   name != NULL ? name : "");
        bodies[u->body[link]] = 1;
    }
    while ((at = perp_xml_child(group, "drake:member_group", at)) != NULL) {
        const perp_xml *inner = find_group(u, at);
        if (inner == NULL || mark(u, inner, bodies, depth + 1) != 0)
            return -1;
    }
    return 0;
}

static int part(perp_urdf *u, const perp_xml *at, const unsigned char *one,
                const unsigned char *other)
{
    int count = u->robot->nbodies;

    for (int a = 0; a < count; a++)
        for (int b = 0; one[a] && b < count; b++) {
            perp_robot_pair *pair;
            if (!other[b] || a == b || (b < a && one[b] && other[a]))
                continue;
            if (u->robot->nexcludes >= PAIRS)
                return perp_robot_fail(u->job, at, "more than %d pairs", PAIRS);
            pair = PERP_ROBOT_ADD(u->robot, excludes);
            if (pair == NULL)
                return -1;
            pair->at = at;
            pair->a = a;
            pair->b = b;
        }
    return 0;
}

static int read_group(perp_urdf *u, const perp_xml *group, unsigned char *one, unsigned char *other)
{
    size_t size = (size_t)u->robot->nbodies;
    const perp_xml *at = NULL;

    memset(one, 0, size);
    if (mark(u, group, one, 0) != 0)
        return -1;
    while ((at = perp_xml_child(group, "drake:ignored_collision_filter_group", at)) != NULL) {
        const perp_xml *ignored = find_group(u, at);
        memset(other, 0, size);
        if (ignored == NULL || mark(u, ignored, other, 0) != 0 || part(u, at, one, other) != 0)
            return -1;
    }
    return 0;
}

/* A rotor of inertia I turns `ratio` times as fast as its joint. */
static int read_rotor(perp_urdf *u, const perp_xml *transmission)
{
    const perp_xml *joint = perp_xml_child(transmission, "joint", NULL);
    const perp_xml *actuator = perp_xml_child(transmission, "actuator", NULL);
    const perp_xml *rotor = perp_xml_child(actuator, "drake:rotor_inertia", NULL);
    int j = perp_urdf_find(&u->joint_names, perp_xml_get(joint, "name"));
    double inertia = 0.0, ratio = 1.0;

    if (rotor == NULL || j < 0 || u->made[j] < 0)
        return 0;
    if (perp_urdf_needed(u, rotor, "value", &inertia, 1) != 0 ||
        perp_urdf_numbers(u, perp_xml_child(actuator, "drake:gear_ratio", NULL), "value", &ratio,
                          1) < 0)
        return -1;
    if (inertia < 0.0)
        return perp_robot_fail(u->job, rotor, "less than 0");
    u->robot->joints[u->made[j]].armature += inertia * ratio * ratio;
    return 0;
}

int perp_urdf_drake(perp_urdf *u, const perp_xml *root)
{
    unsigned char *marks = perp_robot_take(u->job, 2 * (size_t)u->robot->nbodies + 1, 1);
    const perp_xml *at = NULL;

    if (marks == NULL)
        return -1;
    while ((at = perp_xml_child(root, "drake:collision_filter_group", at)) != NULL)
        if (read_group(u, at, marks, marks + u->robot->nbodies) != 0)
            return -1;
    while ((at = perp_xml_child(root, "transmission", at)) != NULL)
        if (read_rotor(u, at) != 0)
            return -1;
    return 0;
}
