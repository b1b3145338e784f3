/* SPDX-License-Identifier: BSD-3-Clause */
/* What an actuator makes of its control: gains, biases, ranges, activations. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/inertia.h"
#include "scene/robots/mjcf_drive.h"

int perp_mjcf_read_bound(const perp_mjcf_reader *r, const char *range, const char *limited,
                         double *bound)
{
    double given[2] = {0.0, 0.0};
    int count = perp_mjcf_exactly(r, range, given, 2), on;

    bound[0] = -INFINITY;
    bound[1] = INFINITY;
    if (count < 0 || perp_mjcf_limited(r, limited, &on) != 0)
        return -1;
    if (!(on < 0 ? perp_mjcf_settings_of(r->m, r->at)->autolimits && given[0] != given[1] : on))
        return 0;
    if (count == 0 || given[0] > given[1])
        return perp_robot_fail(r->m->job, r->at, "%s: two rising numbers are expected", range);
    bound[0] = given[0];
    bound[1] = given[1];
    return 0;
}

/* Gains of the general form; -2 where it is not done. */
static int read_general(const perp_mjcf_reader *r, perp_mjcf_drive *d)
{
    const char *gain = perp_mjcf_get(r->at, r->from, r->tag, "gaintype");
    const char *bias = perp_mjcf_get(r->at, r->from, r->tag, "biastype");
    double gains[10] = {1.0}, biases[10] = {0.0};

    if ((gain != NULL && strcmp(gain, "fixed") != 0 && strcmp(gain, "affine") != 0) ||
        (bias != NULL && strcmp(bias, "none") != 0 && strcmp(bias, "affine") != 0)) {
        perp_robot_missing(r->m->job, r->at, "a gain or bias of this kind");
        return -2;
    }
    if (perp_mjcf_numbers(r, "gainprm", gains, 10) < 0 ||
        perp_mjcf_numbers(r, "biasprm", biases, 10) < 0)
        return -1;
    d->gain = gains[0];
    if (bias != NULL && strcmp(bias, "affine") == 0) {
        d->bias = biases[0];
        d->stiffness = -biases[1];
        d->damping = -biases[2];
    }
    if (gain != NULL && strcmp(gain, "affine") == 0) { /* the control stands */
        d->stiffness -= d->control * gains[1];
        d->damping -= d->control * gains[2];
        if (d->moves.count > 0 && (gains[1] != 0.0 || gains[2] != 0.0)) {
            perp_robot_missing(r->m->job, r->at, "an affine gain of an activation that changes");
            return -2;
        }
    }
    return 0;
}

/* inheritrange: that part of the range of the joint or tendon, about its middle, in place of a
 * range of its own: of the control of a servo, of the activation of an intvelocity. */
static int inherit_range(const perp_mjcf_reader *r, const perp_mjcf_target *to, const char *range,
                         double *bound)
{
    double part = 0.0, whole[2] = {-INFINITY, INFINITY}, own[2] = {0.0, 0.0};

    if (perp_mjcf_exactly(r, "inheritrange", &part, 1) < 0 ||
        (part > 0.0 && perp_mjcf_exactly(r, range, own, 2) < 0))
        return -1;
    if (part > 0.0 && (own[0] != 0.0 || own[1] != 0.0))
        return perp_robot_fail(r->m->job, r->at, "%s and inheritrange are both given", range);
    if (!(part > 0.0))
        return 0;
    if (to->joint != NULL && to->joint->limited) {
        whole[0] = to->joint->low;
        whole[1] = to->joint->high;
    } else if (to->tendon != NULL) {
        perp_mjcf_reader of = {r->m, to->tendon->at, NULL, NULL};
        of.from = perp_mjcf_class_of(r->m, of.at, NULL);
        if (of.from == NULL || (perp_xml_get(r->at, "tendon") != NULL &&
                                perp_mjcf_read_bound(&of, "range", "limited", whole) != 0))
            return -1;
    }
    if (!isfinite(whole[0]) || !isfinite(whole[1])) {
        perp_robot_missing(r->m->job, r->at, "inheritrange of what has no range");
        return 0;
    }
    bound[0] = 0.5 * (whole[0] + whole[1] - part * (whole[1] - whole[0]));
    bound[1] = bound[0] + part * (whole[1] - whole[0]);
    return 0;
}

/* What an activation makes of the control: a number, or a function of time. */
static int activate(const perp_mjcf_reader *r, const perp_mjcf_target *to, perp_mjcf_drive *d,
                    double start)
{
    double range[2];

    if (perp_mjcf_read_bound(r, "actrange", "actlimited", range) != 0 ||
        (perp_xml_is(r->at, "intvelocity") && inherit_range(r, to, "actrange", range) != 0))
        return -1;
    if (perp_mjcf_dynamics_of(r) == PERP_MJCF_OTHER) {
        perp_robot_missing(r->m->job, r->at, "dynamics of this kind");
        return -2;
    }
    if (perp_mjcf_activation(r, start, d->control, range, &d->moves) != 0)
        return -1;
    if (d->moves.count == 1) {
        d->control = d->moves.entries[0].value;
        d->moves.count = 0;
    } else {
        d->control = 0.0;
    }
    return 0;
}

static int read_cylinder(const perp_mjcf_reader *r, perp_mjcf_drive *d)
{
    double area = 1.0, diameter = -1.0, bias[3] = {0.0};

    if (perp_mjcf_exactly(r, "area", &area, 1) < 0 || perp_mjcf_numbers(r, "bias", bias, 3) < 0 ||
        perp_mjcf_exactly(r, "diameter", &diameter, 1) < 0)
        return -1;
    d->gain = diameter >= 0.0 ? 0.25 * 3.14159265358979323846 * diameter * diameter : area;
    d->bias = bias[0];
    d->stiffness = -bias[1];
    d->damping = -bias[2];
    return 0;
}

/* The entry of the mass matrix of a hinge or slide on its diagonal, where the model has its joints:
 * what it carries, and its armature. */
static double inertia_along(const perp_robot *robot, const perp_robot_joint *joint)
{
    perp_pose *pose = perp_robot_take(robot->job, (size_t)robot->nbodies, sizeof *pose);
    int *carried = perp_robot_take(robot->job, (size_t)robot->nbodies, sizeof *carried);
    double anchor[3], axis[3], sum = joint->armature;

    for (int b = 0; b < robot->nbodies && pose != NULL && carried != NULL; b++) {
        const perp_robot_body *body = &robot->bodies[b];
        int up = body->parent;
        double centre[3], arm[3], across[3], turned[3], tensor[9];
        pose[b] = up >= 0 ? perp_pose_product(&pose[up], &body->pose) : body->pose;
        carried[b] = b == joint->body || (up >= 0 && carried[up]);
        if (b == joint->body) {
            perp_pose_apply(anchor, &pose[b], joint->anchor);
            perp_quaternion_rotate(pose[b].q, joint->axis, axis);
        }
        if (!carried[b])
            continue;
        if (joint->motion == PERP_ROBOT_SLIDE) {
            sum += body->mass;
            continue;
        }
        perp_pose_apply(centre, &pose[b], body->centre);
        perp_turn_tensor(tensor, pose[b].q, body->inertia);
        for (int i = 0; i < 3; i++) {
            arm[i] = centre[i] - anchor[i];
            turned[i] = perp_dot3(tensor + 3 * i, axis);
        }
        perp_cross3(across, axis, arm);
        sum += perp_dot3(axis, turned) + body->mass * perp_dot3(across, across);
    }
    return sum;
}

/* The damper of a dampratio: 1 is critical for the inertia of its joint, or those of its tendon. */
static int read_ratio(const perp_mjcf_reader *r, perp_mjcf_drive *d, const perp_mjcf_target *to)
{
    double ratio = 0.0, mass = 0.0;
    int count = perp_mjcf_exactly(r, "dampratio", &ratio, 1);

    if (count < 0 || (ratio > 0.0 && perp_mjcf_get(r->at, r->from, r->tag, "kv") != NULL))
        return count < 0 ? -1
                         : perp_robot_fail(r->m->job, r->at, "kv and dampratio are both given");
    if (ratio > 0.0 && to->tendon != NULL && to->tendon->path != NULL)
        perp_robot_missing(r->m->job, r->at, "dampratio along a spatial tendon");
    for (int k = 0; ratio > 0.0 && k < (to->tendon != NULL ? to->tendon->count : 1); k++) {
        const perp_mjcf_term *term =
            to->tendon != NULL ? &r->m->terms[to->tendon->first + k] : NULL;
        const perp_robot_joint *joint =
            term != NULL ? &r->m->robot->joints[term->joint] : to->joint;
        double moment = d->gear * (term != NULL ? term->coefficient : 1.0);
        if (joint == NULL ||
            (joint->motion != PERP_ROBOT_HINGE && joint->motion != PERP_ROBOT_SLIDE)) {
            perp_robot_missing(r->m->job, r->at, "dampratio of a free or ball joint");
            return 0;
        }
        if (moment != 0.0)
            mass += inertia_along(r->m->robot, joint) / (moment * moment);
    }
    d->damping += 2.0 * ratio * sqrt(d->stiffness * mass);
    return 0;
}

static int read_gains(const perp_mjcf_reader *r, perp_mjcf_drive *d, const perp_mjcf_target *to)
{
    double kp = 1.0, kv = 0.0;

    d->gain = 1.0;
    if (perp_xml_is(r->at, "general"))
        return read_general(r, d);
    if (perp_xml_is(r->at, "motor"))
        return 0;
    if (perp_xml_is(r->at, "cylinder"))
        return read_cylinder(r, d);
    if (perp_xml_is(r->at, "velocity") || perp_xml_is(r->at, "damper"))
        kv = 1.0;
    if (perp_mjcf_exactly(r, "kp", &kp, 1) < 0 || perp_mjcf_exactly(r, "kv", &kv, 1) < 0)
        return -1;
    if (perp_xml_is(r->at, "damper")) {
        d->gain = 0.0;
        d->damping = kv * d->control;
        return 0;
    }
    d->gain = perp_xml_is(r->at, "velocity") ? kv : kp;
    d->stiffness = perp_xml_is(r->at, "velocity") ? 0.0 : kp;
    d->damping = kv;
    if (perp_xml_is(r->at, "velocity"))
        return 0;
    return read_ratio(r, d, to);
}

int perp_mjcf_read_control(const perp_mjcf_reader *r, const perp_mjcf_target *to, double *bound)
{
    if (perp_mjcf_read_bound(r, "ctrlrange", "ctrllimited", bound) != 0 ||
        (perp_xml_is(r->at, "position") && inherit_range(r, to, "ctrlrange", bound) != 0))
        return -1;
    if (r->m->no_clamps) {
        bound[0] = -INFINITY;
        bound[1] = INFINITY;
    }
    return 0;
}

/* Up to its delay the control would be 0. */
int perp_mjcf_check_delay(const perp_mjcf_reader *r, double control)
{
    double delay = 0.0;

    if (perp_mjcf_exactly(r, "delay", &delay, 1) < 0)
        return -1;
    if (delay > 0.0 && control != 0.0)
        perp_robot_missing(r->m->job, r->at, "delay of a control that is not 0");
    return 0;
}

int perp_mjcf_read_drive(const perp_mjcf_reader *r, const perp_mjcf_target *to, perp_mjcf_drive *d,
                         const perp_mjcf_actuator *a)
{
    double gear[6] = {1.0}, bound[2];
    int bad = 0;

    memset(d, 0, sizeof *d);
    perp_mjcf_check(
        r,
        "name class joint jointinparent tendon site refsite gear ctrlrange ctrllimited forcerange "
        "forcelimited "
        "cranksite slidersite cranklength armature damping kp kv dampratio dyntype gaintype "
        "biastype gainprm biasprm timeconst inheritrange group "
        "area diameter bias actrange actlimited dynprm delay",
        "user lengthrange actdim actearly nsample interp");
    if (perp_mjcf_numbers(r, "gear", gear, 6) < 0 || perp_mjcf_read_control(r, to, bound) != 0)
        return -1;
    d->gear = to->gear > 0.0 ? to->gear : gear[0];
    memcpy(d->gears, gear, sizeof gear);
    d->control = fmin(fmax(a->control, bound[0]), bound[1]);
    if (perp_mjcf_check_delay(r, d->control) != 0)
        return -1;
    if ((bad = activate(r, to, d, a->activation)) != 0 || (bad = read_gains(r, d, to)) != 0)
        return bad;
    if (perp_mjcf_read_bound(r, "forcerange", "forcelimited", bound) != 0)
        return -1;
    d->low = bound[0];
    d->high = bound[1];
    return 0;
}
