/* SPDX-License-Identifier: BSD-3-Clause */
/* <joint> and <freejoint>. */
#include <math.h>
#include <string.h>

#include "scene/robots/mjcf.h"

static int motion_of(const perp_mjcf_reader *r)
{
    static const char *const words[] = {"free", "ball", "slide", "hinge", NULL};
    const char *type = perp_mjcf_get(r->at, r->from, "joint", "type");

    if (perp_xml_is(r->at, "freejoint"))
        return PERP_ROBOT_FREE;
    for (int k = 0; type != NULL && words[k] != NULL; k++)
        if (strcmp(type, words[k]) == 0)
            return k;
    if (type == NULL)
        return PERP_ROBOT_HINGE;
    perp_robot_fail(r->m->job, r->at, "type: '%.60s' is not known", type);
    return -1;
}

static int read_range(const perp_mjcf_reader *r, perp_robot_joint *joint, double unit)
{
    double range[2] = {0.0, 0.0};
    int given = perp_mjcf_exactly(r, "range", range, 2), limited;

    if (given < 0 || perp_mjcf_limited(r, "limited", &limited) != 0)
        return -1;
    joint->limited = limited < 0
                         ? perp_mjcf_settings_of(r->m, r->at)->autolimits && range[0] != range[1]
                         : limited;
    if (!joint->limited)
        return 0;
    if (given == 0 || range[0] >= range[1])
        return perp_robot_fail(r->m->job, r->at,
                               "range: a lower limit less than an upper one is "
                               "expected");
    joint->low = range[0] * unit;
    joint->high = range[1] * unit;
    return perp_mjcf_restitution(r, "solreflimit", &joint->e);
}

static int read_most(const perp_mjcf_reader *r, perp_robot_joint *joint)
{
    double range[2];

    if (perp_mjcf_read_most(r, range) != 0 ||
        perp_mjcf_flag(r, "actuatorgravcomp", &joint->lift_counts) != 0)
        return -1;
    joint->most_low = isfinite(range[1]) ? range[0] : 0.0;
    joint->most = range[1];
    return 0;
}

/* Of free and ball joints, and beside a springdamper. */
static void refuse_bent(const perp_mjcf_reader *r, perp_robot_joint *joint)
{
    for (int k = 0; k < 2; k++) {
        double *more = k == 0 ? joint->bend : joint->brake;
        if (more[0] != 0.0 || more[1] != 0.0)
            perp_robot_missing(
                r->m->job, r->at, "%s that is no line %s", k == 0 ? "stiffness" : "damping",
                joint->response[0] != 0.0 ? "beside a springdamper" : "of a free or ball joint");
        more[0] = more[1] = 0.0;
    }
}

/* What acts along the joint; of free and ball joints on each of its rates. */
static int read_passive(const perp_mjcf_reader *r, perp_robot_joint *joint, double unit)
{
    static const char *const words[] = {"frictionloss", "armature"};
    double value[2] = {0.0}, rest = 0.0, reference = 0.0;
    int simple = joint->motion == PERP_ROBOT_HINGE || joint->motion == PERP_ROBOT_SLIDE;

    if (perp_mjcf_read_line(r, "stiffness", &joint->stiffness, joint->bend) != 0 ||
        perp_mjcf_read_line(r, "damping", &joint->damping, joint->brake) != 0)
        return -1;
    for (int k = 0; k < 2; k++) {
        if (perp_mjcf_exactly(r, words[k], &value[k], 1) < 0)
            return -1;
        if (value[k] < 0.0)
            return perp_robot_fail(r->m->job, r->at, "%s: less than 0", words[k]);
    }
    joint->friction = value[0];
    joint->armature = value[1];
    if (perp_mjcf_exactly(r, "springdamper", joint->response, 2) < 0)
        return -1;
    if (!simple || joint->response[0] != 0.0)
        refuse_bent(r, joint);
    if (!simple)
        return 0;
    if (perp_mjcf_exactly(r, "springref", &rest, 1) < 0 ||
        perp_mjcf_exactly(r, "ref", &reference, 1) < 0)
        return -1;
    joint->rest = rest * unit;
    joint->reference = joint->start = reference * unit;
    return 0;
}

static int read_place(const perp_mjcf_reader *r, perp_robot_joint *joint, const perp_pose *frame)
{
    double at[3] = {0.0, 0.0, 0.0}, axis[3] = {0.0, 0.0, 1.0};
    perp_pose turn = *frame;

    if (perp_mjcf_exactly(r, "pos", at, 3) < 0 || perp_mjcf_exactly(r, "axis", axis, 3) < 0)
        return -1;
    if (!(perp_unit3(axis) > 0.0))
        return perp_robot_fail(r->m->job, r->at, "axis: no direction");
    memset(turn.p, 0, sizeof turn.p);
    perp_pose_apply(joint->anchor, frame, at);
    perp_pose_apply(joint->axis, &turn, axis);
    return 0;
}

static int check_place(perp_mjcf *m, const perp_robot_joint *joint, perp_robot_body *body)
{
    int number = m->robot->njoints - 1;

    if (body->joints == 0)
        body->first_joint = number;
    body->joints++;
    if (body->still)
        return perp_robot_fail(m->job, joint->at, "a mocap body has no joint");
    if (joint->motion == PERP_ROBOT_FREE && (body->parent >= 0 || body->joints > 1))
        return perp_robot_fail(m->job, joint->at,
                               "a free joint is the only one of a body in the world");
    for (int k = body->first_joint; k < number; k++)
        if (m->robot->joints[k].motion == PERP_ROBOT_FREE)
            return perp_robot_fail(m->job, joint->at, "beside a free joint there is no other one");
    return 0;
}

int perp_mjcf_read_joint(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place)
{
    int plain = perp_xml_is(at, "freejoint"), motion;
    perp_mjcf_reader r = {m, at, plain ? NULL : perp_mjcf_class_of(m, at, place->childclass),
                          "joint"};
    perp_robot_joint *joint;
    double unit;

    if ((!plain && r.from == NULL) || (motion = motion_of(&r)) < 0)
        return -1;
    perp_mjcf_check(
        &r,
        "name class type pos axis range limited stiffness damping frictionloss armature "
        "ref springref springdamper actuatorfrcrange actuatorfrclimited actuatorgravcomp",
        "group user align");
    joint = PERP_ROBOT_ADD(m->robot, joints);
    if (joint == NULL)
        return -1;
    joint->at = at;
    joint->body = place->body;
    joint->motion = (perp_robot_motion)motion;
    joint->speed_limit = INFINITY;
    joint->servo_most = INFINITY;
    joint->name = perp_mjcf_name(m, at, place->suffix, "joint", m->robot->njoints);
    unit = motion == PERP_ROBOT_SLIDE ? 1.0 : perp_mjcf_settings_of(m, at)->radians;
    if (joint->name == NULL || check_place(m, joint, &m->robot->bodies[place->body]) != 0 ||
        read_place(&r, joint, &place->frame) != 0 || read_most(&r, joint) != 0 ||
        read_passive(&r, joint, unit) != 0)
        return -1;
    if (motion == PERP_ROBOT_FREE)
        return 0;
    if (read_range(&r, joint, unit) != 0)
        return -1;
    if (motion == PERP_ROBOT_BALL && joint->limited && joint->low != 0.0)
        return perp_robot_fail(m->job, at, "range: that of a ball joint begins with 0");
    return 0;
}
