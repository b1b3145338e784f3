/* SPDX-License-Identifier: BSD-3-Clause */
/* Joints of a URDF. */
#include "scene/robots/urdf.h"

#include <math.h>
#include <string.h>

static int read_axis(perp_urdf *u, const perp_xml *at, perp_robot_joint *joint)
{
    const perp_xml *axis = perp_xml_child(at, "axis", NULL);

    /* The plane of Drake is that of x and y. */
    joint->axis[perp_xml_is(at, "drake:joint") ? 2 : 0] = 1.0;
    if (perp_urdf_numbers(u, axis, "xyz", joint->axis, 3) < 0)
        return -1;
    return perp_unit3(joint->axis) > 0.0 ? 0 : perp_robot_fail(u->job, axis, "xyz: no direction");
}

static int read_limits(perp_urdf *u, const perp_xml *at, perp_robot_joint *joint, int bounded)
{
    const perp_xml *limit = perp_xml_child(at, "limit", NULL);
    double effort = INFINITY;

    joint->speed_limit = INFINITY;
    if (limit == NULL && bounded)
        perp_robot_note(u->job, at, "its <limit> is missing: it turns or slides without one");
    if (perp_urdf_numbers(u, limit, "effort", &effort, 1) < 0 ||
        perp_urdf_numbers(u, limit, "velocity", &joint->speed_limit, 1) < 0 ||
        perp_urdf_numbers(u, limit, "lower", &joint->low, 1) < 0 ||
        perp_urdf_numbers(u, limit, "upper", &joint->high, 1) < 0)
        return -1;
    if (!(effort >= 0.0))
        return perp_robot_fail(u->job, limit, "effort: less than 0");
    joint->most = effort;
    joint->most_low = -effort;
    joint->speed_limit = joint->speed_limit > 0.0 ? joint->speed_limit : INFINITY;
    joint->limited = limit != NULL && bounded;
    joint->start = 0.0;
    if (joint->limited && joint->low > joint->high) { /* the way of Bullet to say so */
        perp_robot_note(u->job, limit,
                        "the lower limit exceeds the upper one: it turns or slides without limits, "
                        "as in Bullet");
        joint->limited = 0;
    }
    if (joint->limited && joint->low == joint->high) /* what exporters write where nobody said */
        perp_robot_note(u->job, at, "both limits are %g: it does not move", joint->low);
    return 0;
}

static int read_dynamics(perp_urdf *u, const perp_xml *at, perp_robot_joint *joint)
{
    const perp_xml *dynamics = perp_xml_child(at, "dynamics", NULL);

    if (perp_urdf_numbers(u, dynamics, "damping", &joint->damping, 1) < 0 ||
        perp_urdf_numbers(u, dynamics, "friction", &joint->friction, 1) < 0)
        return -1;
    return joint->damping >= 0.0 && joint->friction >= 0.0
               ? 0
               : perp_robot_fail(u->job, dynamics, "a value less than 0");
}

static perp_robot_joint *add_joint(perp_urdf *u, const perp_xml *at, int body,
                                   perp_robot_motion motion, const char *name)
{
    perp_robot_joint *joint = name != NULL ? PERP_ROBOT_ADD(u->robot, joints) : NULL;

    if (joint == NULL)
        return NULL;
    joint->at = at;
    joint->body = body;
    joint->motion = motion;
    joint->name = name;
    joint->servo_most = joint->most = joint->speed_limit = INFINITY;
    u->robot->bodies[body].joints++;
    return joint;
}

/* Of Drake: a turn about x of the parent, and then about y of the child. */
static int make_universal(perp_urdf *u, const perp_xml *at, int body)
{
    const char *name = perp_xml_get(at, "name");

    for (int i = 0; i < 2; i++) {
        perp_robot_joint *joint = add_joint(u, at, body, PERP_ROBOT_HINGE,
                                            i == 0 ? name : perp_robot_text(u->job, "%s-y", name));
        if (joint == NULL)
            return -1;
        joint->most_low = -INFINITY;
        joint->axis[i] = 1.0;
        if (read_dynamics(u, at, joint) != 0)
            return -1;
    }
    return 0;
}

int perp_urdf_joint(perp_urdf *u, int j, int body)
{
    static const char *const words[] = {"revolute",  "continuous", "prismatic", "floating",
                                        "planar",    "fixed",      "spherical", "ball",
                                        "universal", NULL};
    static const perp_robot_motion motions[] = {
        PERP_ROBOT_HINGE, PERP_ROBOT_HINGE, PERP_ROBOT_SLIDE, PERP_ROBOT_FREE, PERP_ROBOT_FLAT,
        PERP_ROBOT_FLAT,  PERP_ROBOT_BALL,  PERP_ROBOT_BALL,  PERP_ROBOT_HINGE};
    const perp_xml *at = u->joints[j];
    const char *type = perp_xml_get(at, "type");
    perp_robot_joint *joint;
    int kind = 0;

    while (type != NULL && words[kind] != NULL && strcmp(words[kind], type) != 0)
        kind++;
    if (type == NULL || words[kind] == NULL)
        return perp_robot_fail(u->job, at, "type: '%.60s' is not known", type != NULL ? type : "");
    u->made[j] = -1;
    if (kind == 5)
        return 0;
    u->made[j] = u->robot->bodies[body].first_joint = u->robot->njoints;
    if (kind == 8)
        return make_universal(u, at, body);
    joint = add_joint(u, at, body, motions[kind], perp_xml_get(at, "name"));
    if (joint == NULL)
        return -1;
    if (joint->motion == PERP_ROBOT_FREE || joint->motion == PERP_ROBOT_BALL)
        return joint->motion == PERP_ROBOT_FREE ? 0 : read_dynamics(u, at, joint);
    return read_axis(u, at, joint) != 0 || read_limits(u, at, joint, kind == 0 || kind == 2) != 0 ||
                   read_dynamics(u, at, joint) != 0
               ? -1
               : 0;
}

int perp_urdf_mimic(perp_urdf *u, int j)
{
    const perp_xml *at = perp_xml_child(u->joints[j], "mimic", NULL);
    const char *name = perp_xml_get(at, "joint");
    perp_robot_equality *tie;
    int other = perp_urdf_find(&u->joint_names, name);

    if (at == NULL)
        return 0;
    if (other < 0 || u->made[other] < 0 || u->made[j] < 0 || other == j)
        return perp_robot_fail(u->job, at, "there is no joint '%.80s' that it could follow",
                               name != NULL ? name : "");
    tie = PERP_ROBOT_ADD(u->robot, equalities);
    if (tie == NULL)
        return -1;
    tie->at = at;
    tie->name = perp_robot_text(u->job, "%s-mimic", perp_xml_get(u->joints[j], "name"));
    if (tie->name == NULL)
        return -1;
    tie->tie = PERP_ROBOT_COUPLE;
    tie->joint[0] = u->made[j];
    tie->joint[1] = u->made[other];
    tie->ratio = 1.0;
    return perp_urdf_numbers(u, at, "multiplier", &tie->ratio, 1) < 0 ||
                   perp_urdf_numbers(u, at, "offset", &tie->offset, 1) < 0
               ? -1
               : 0;
}
