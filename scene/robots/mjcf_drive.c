/* SPDX-License-Identifier: BSD-3-Clause */
/* What actuators do to joints, as constant forces and as springs with dampers. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/inertia.h"
#include "scene/robots/mjcf.h"

/* force = gain control + bias - stiffness length - damping speed, within low and high. */
typedef struct drive {
    double gain, bias, stiffness, damping, low, high, gear, control;
    double gears[6];
    perp_robot_table moves; /* an activation that changes, in place of the control; count 0: none */
} drive;

static int read_bound(const perp_mjcf_reader *r, const char *range, const char *limited,
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
static int read_general(const perp_mjcf_reader *r, drive *d)
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

/* What an activation makes of the control: a number, or a function of time. */
static int activate(const perp_mjcf_reader *r, drive *d, double start)
{
    double range[2];

    if (read_bound(r, "actrange", "actlimited", range) != 0)
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

static int read_cylinder(const perp_mjcf_reader *r, drive *d)
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
static int read_ratio(const perp_mjcf_reader *r, drive *d, const perp_mjcf_target *to)
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

static int read_gains(const perp_mjcf_reader *r, drive *d, const perp_mjcf_target *to)
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

/* The range of the control: its own, or the range of the joint about its middle times inheritrange.
 */
static int read_control(const perp_mjcf_reader *r, const perp_robot_joint *joint, double *bound)
{
    double part = 0.0;

    if (read_bound(r, "ctrlrange", "ctrllimited", bound) != 0 ||
        perp_mjcf_exactly(r, "inheritrange", &part, 1) < 0)
        return -1;
    if (r->m->no_clamps) {
        bound[0] = -INFINITY;
        bound[1] = INFINITY;
        return 0;
    }
    if (!(part > 0.0) || !perp_xml_is(r->at, "position") || isfinite(bound[1]))
        return 0;
    if (joint == NULL || !joint->limited) {
        perp_robot_missing(r->m->job, r->at, "inheritrange of what has no range");
        return 0;
    }
    bound[0] = 0.5 * (joint->low + joint->high - part * (joint->high - joint->low));
    bound[1] = bound[0] + part * (joint->high - joint->low);
    return 0;
}

/* Up to its delay the control would be 0. */
static int check_delay(const perp_mjcf_reader *r, double control)
{
    double delay = 0.0;

    if (perp_mjcf_exactly(r, "delay", &delay, 1) < 0)
        return -1;
    if (delay > 0.0 && control != 0.0)
        perp_robot_missing(r->m->job, r->at, "delay of a control that is not 0");
    return 0;
}

static int read_drive(const perp_mjcf_reader *r, const perp_mjcf_target *to, drive *d,
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
    if (perp_mjcf_numbers(r, "gear", gear, 6) < 0 || read_control(r, to->joint, bound) != 0)
        return -1;
    d->gear = to->gear > 0.0 ? to->gear : gear[0];
    memcpy(d->gears, gear, sizeof gear);
    d->control = fmin(fmax(a->control, bound[0]), bound[1]);
    if (check_delay(r, d->control) != 0)
        return -1;
    if ((bad = activate(r, d, a->activation)) != 0 || (bad = read_gains(r, d, to)) != 0)
        return bad;
    if (read_bound(r, "forcerange", "forcelimited", bound) != 0)
        return -1;
    d->low = bound[0];
    d->high = bound[1];
    return 0;
}

static int is_bounded(const drive *d)
{
    return isfinite(d->low) || isfinite(d->high);
}

/* A row of its own: the constant part of the force acts as the joint's load where there is no
 * spring that it moves the target of, and the bounds are then of the rest. */
static int drive_row(const perp_mjcf_reader *r, const drive *d, perp_mjcf_tendon *tendon,
                     perp_robot_joint *joint, double gear)
{
    double force = d->gain * d->control + d->bias, shift = d->stiffness > 0.0 ? 0.0 : force;
    const char *name = perp_mjcf_name(r->m, r->at, "", "actuator", r->m->robot->nsums + 1);
    perp_robot_sum *sum =
        name != NULL ? perp_mjcf_drive_of(r->m, tendon, joint, gear, name, r->at) : NULL;

    if (sum == NULL)
        return -1;
    sum->drive_stiffness = d->stiffness;
    sum->drive_damping = d->damping;
    sum->target = d->stiffness > 0.0 ? force / d->stiffness : 0.0;
    sum->most[0] = d->low - shift;
    sum->most[1] = d->high - shift;
    if (shift == 0.0)
        return 0;
    if (joint != NULL)
        joint->load += gear * shift;
    if (tendon != NULL && tendon->path != NULL)
        tendon->load += gear * shift;
    for (int i = 0; tendon != NULL && i < tendon->count; i++) {
        const perp_mjcf_term *term = &r->m->terms[tendon->first + i];
        r->m->robot->joints[term->joint].load += gear * term->coefficient * shift;
    }
    return 0;
}

/* The rates of a free joint, or of a ball joint by the first three gears. */
static void push_joint(const perp_mjcf_reader *r, const drive *d, perp_robot_joint *joint)
{
    int ball = joint->motion == PERP_ROBOT_BALL, turns = 0;
    double force = fmin(fmax(d->gain * d->control + d->bias, d->low), d->high);

    if (d->stiffness != 0.0 || d->damping != 0.0) {
        perp_robot_missing(r->m->job, r->at, "a spring or damper of a free or ball joint");
        return;
    }
    for (int k = 0; k < (ball ? 3 : 6); k++) {
        joint->push[ball ? 3 + k : k] += d->gears[k] * force;
        turns |= (ball || k >= 3) && d->gears[k] * force != 0.0;
    }
    if (turns && perp_xml_get(r->at, "joint") == NULL)
        perp_robot_missing(r->m->job, r->at, "jointinparent of a free or ball joint");
}

/* A force and a moment along the axes of a site. */
static int push_site(const perp_mjcf_reader *r, const drive *d, const perp_robot_site *site)
{
    double force = fmin(fmax(d->gain * d->control + d->bias, d->low), d->high);
    perp_robot_push *made;

    if (d->damping != 0.0)
        perp_robot_missing(r->m->job, r->at, "a damper of a site");
    if (force == 0.0)
        return 0;
    made = PERP_ROBOT_ADD(r->m->robot, pushes);
    if (made == NULL)
        return -1;
    made->at = r->at;
    made->body = site->body;
    memcpy(made->place, site->pose.p, sizeof made->place);
    perp_quaternion_rotate(site->pose.q, d->gears, made->force);
    perp_quaternion_rotate(site->pose.q, d->gears + 3, made->moment);
    for (int k = 0; k < 3; k++) {
        made->force[k] *= force;
        made->moment[k] *= force;
    }
    return 0;
}

/* Along one joint, whose coordinate moves the actuator `ratio` as far. */
static int drive_joint(const perp_mjcf_reader *r, const drive *d, perp_robot_joint *joint,
                       double ratio)
{
    double force = d->gain * d->control + d->bias, gear = d->gear * ratio;
    int springs = d->stiffness != 0.0 || d->damping != 0.0;

    if (joint->motion != PERP_ROBOT_HINGE && joint->motion != PERP_ROBOT_SLIDE) {
        push_joint(r, d, joint);
        return 0;
    }
    if (isfinite(joint->most)) {
        perp_mjcf_total one = {force, d->stiffness, d->damping, d->low, d->high, 1, 0};
        perp_mjcf_gather(&r->m->totals[joint - r->m->robot->joints], &one, gear);
        return 0;
    }
    if (!springs) {
        joint->load += gear * fmin(fmax(force, d->low), d->high);
        return 0;
    }
    if (d->stiffness < 0.0 || d->damping < 0.0) {
        perp_robot_missing(r->m->job, r->at, "an actuator whose spring or damper is negative");
    } else if (gear == 0.0) {
        return 0;
    } else if (is_bounded(d) && (joint->has_servo || d->stiffness == 0.0 || d->low != -d->high)) {
        return drive_row(r, d, NULL, joint, gear);
    } else if (d->stiffness == 0.0) {
        joint->load += gear * force;
        joint->damping += gear * gear * d->damping;
    } else if (joint->has_servo) {
        return drive_row(r, d, NULL, joint, gear);
    } else {
        joint->has_servo = 1;
        joint->servo_stiffness = gear * gear * d->stiffness;
        joint->servo_damping = gear * gear * d->damping;
        joint->target = force / (d->stiffness * gear);
        joint->servo_most = fabs(gear) * d->high;
    }
    return 0;
}

/* Springs along a fixed tendon are no part of what the range of one of its joints bounds. */
static void check_joints(const perp_mjcf_reader *r, const drive *d, const perp_mjcf_tendon *t)
{
    double most = fmax(fabs(d->low), fabs(d->high));

    for (int i = 0; i < t->count && (d->stiffness != 0.0 || d->damping != 0.0); i++) {
        const perp_mjcf_term *term = &r->m->terms[t->first + i];
        const perp_robot_joint *joint = &r->m->robot->joints[term->joint];
        double force = fabs(d->gear * term->coefficient) * most;
        if (isfinite(joint->most) && !(force <= fmin(joint->most, -joint->most_low)))
            perp_robot_missing(r->m->job, r->at,
                               "a spring along a tendon, to a joint with actuatorfrcrange");
    }
}

/* Along a tendon: forces alone go to the joints of a fixed one; others act on its sum. */
static int drive_tendon(const perp_mjcf_reader *r, const drive *d, perp_mjcf_tendon *t)
{
    perp_mjcf *m = r->m;

    check_joints(r, d, t);
    if (t->count == 0 && t->path == NULL) {
        perp_robot_note(m->job, r->at, "its tendon is not there: it does nothing");
    } else if (isfinite(t->most[1])) {
        perp_mjcf_total one = {
            d->gain * d->control + d->bias, d->stiffness, d->damping, d->low, d->high, 1, 0};
        if (t->total.count > 0 && t->total_gear != d->gear)
            perp_robot_missing(m->job, r->at, "actuatorfrcrange of actuators of several gears");
        t->total_gear = d->gear;
        if (d->gear != 0.0)
            perp_mjcf_gather(&t->total, &one, 1.0);
    } else if (d->stiffness == 0.0 && d->damping == 0.0 && t->path != NULL) {
        t->load += d->gear * fmin(fmax(d->gain * d->control + d->bias, d->low), d->high);
    } else if (d->stiffness == 0.0 && d->damping == 0.0) {
        for (int i = 0; i < t->count; i++)
            if (drive_joint(r, d, &m->robot->joints[m->terms[t->first + i].joint],
                            m->terms[t->first + i].coefficient) != 0)
                return -1;
    } else if (d->stiffness < 0.0 || d->damping < 0.0) {
        perp_robot_missing(m->job, r->at, "an actuator whose spring or damper is negative");
    } else if (is_bounded(d)) {
        return drive_row(r, d, t, NULL, d->gear);
    } else {
        t->servo_stiffness += d->gear * d->gear * d->stiffness;
        t->servo_damping += d->gear * d->gear * d->damping;
        t->load += d->gear * (d->gain * d->control + d->bias);
    }
    return 0;
}

/* It pulls bodies together by as much as its control says. */
static int stick(const perp_mjcf_reader *r, double control)
{
    double bound[2], gain = 1.0;

    perp_mjcf_check(r, "name class body gain ctrlrange ctrllimited forcerange forcelimited group",
                    "user nsample interp delay actdim");
    if (perp_mjcf_exactly(r, "gain", &gain, 1) < 0 ||
        read_bound(r, "ctrlrange", "ctrllimited", bound) != 0)
        return -1;
    if (!r->m->no_clamps)
        control = fmin(fmax(control, bound[0]), bound[1]);
    if (control != 0.0)
        perp_robot_missing(r->m->job, r->at, "adhesion, with a control that is not 0");
    return 0;
}

/* What is no plain sum of springs, dampers and forces is not bounded by an actuatorfrcrange. */
static int is_ranged(const perp_mjcf_reader *r, const perp_mjcf_target *to)
{
    int ranged = (to->joint != NULL && isfinite(to->joint->most)) ||
                 (to->tendon != NULL && isfinite(to->tendon->most[1]));

    for (int i = 0; to->tendon != NULL && i < to->tendon->count; i++)
        ranged |= isfinite(r->m->robot->joints[r->m->terms[to->tendon->first + i].joint].most);
    if (ranged)
        perp_robot_missing(r->m->job, r->at,
                           "actuatorfrcrange with a muscle or an activation that changes");
    return ranged;
}

/* A servo of a joint, within its force, whose target an activation moves. */
static int follow_in_time(const perp_mjcf_reader *r, const drive *d, perp_robot_joint *joint)
{
    perp_robot_table *targets = perp_robot_take(r->m->job, 1, sizeof *targets);

    if (targets == NULL)
        return -1;
    *targets = d->moves;
    for (int k = 0; k < targets->count; k++)
        targets->entries[k].value =
            (d->gain * targets->entries[k].value + d->bias) / (d->stiffness * d->gear);
    joint->has_servo = 1;
    joint->targets = targets;
    joint->target = targets->entries[0].value;
    joint->servo_stiffness = d->gear * d->gear * d->stiffness;
    joint->servo_damping = d->gear * d->gear * d->damping;
    joint->servo_most = fabs(d->gear) * d->high;
    return -2;
}

/* The force of an activation that changes, as one of its own; what is left of the drive has none.
 * -2: nothing is left, or it is not done, and it was said. */
static int push_in_time(const perp_mjcf_reader *r, drive *d, const perp_mjcf_target *to)
{
    int along = to->joint == NULL || to->joint->motion == PERP_ROBOT_HINGE ||
                to->joint->motion == PERP_ROBOT_SLIDE;
    const char *name = perp_mjcf_name(r->m, r->at, "", "actuator", r->m->robot->nsums + 1);
    perp_robot_table *force = perp_robot_take(r->m->job, 1, sizeof *force);
    perp_robot_sum *sum;

    if (name == NULL || force == NULL)
        return -1;
    if (is_ranged(r, to))
        return -2;
    if (to->joint != NULL && along && is_bounded(d) && d->low == -d->high && d->gear != 0.0 &&
        d->stiffness > 0.0 && d->damping >= 0.0 && !to->joint->has_servo)
        return follow_in_time(r, d, to->joint);
    if (to->site != NULL || !along ||
        (is_bounded(d) && (d->stiffness != 0.0 || d->damping != 0.0))) {
        perp_robot_missing(r->m->job, r->at,
                           "an activation that changes, along what is no coordinate or with a "
                           "forcerange of a spring");
        return -2;
    }
    if (d->gear == 0.0 ||
        (to->tendon != NULL && to->tendon->count == 0 && to->tendon->path == NULL))
        return 0;
    *force = d->moves;
    for (int k = 0; k < force->count; k++)
        force->entries[k].value =
            fmin(fmax(d->gain * force->entries[k].value + d->bias, d->low), d->high);
    d->bias = 0.0;
    d->low = -INFINITY;
    d->high = INFINITY;
    sum = perp_mjcf_sum_of(r->m, to->tendon, to->joint, d->gear, name, r->at);
    if (sum == NULL)
        return -1;
    sum->force = force;
    return 0;
}

/* A muscle along a joint or a tendon; its coordinate is its length, gear times that of the tendon.
 */
static int flex(const perp_mjcf_reader *r, const perp_mjcf_actuator *a, const perp_mjcf_target *to)
{
    double gear[6] = {1.0}, bound[2], force[2];
    const char *name = perp_mjcf_name(r->m, r->at, "", "muscle", r->m->robot->nsums + 1);
    perp_robot_sum *sum;

    perp_mjcf_check(r,
                    "name class joint jointinparent tendon gear ctrlrange ctrllimited forcerange "
                    "cranksite slidersite cranklength armature damping forcelimited dyntype "
                    "gaintype biastype dynprm gainprm biasprm timeconst tausmooth "
                    " range force scale lmin lmax vmax fpmax fvmax lengthrange group "
                    "delay",
                    "user actdim actearly actlimited actrange nsample interp");
    if (perp_mjcf_numbers(r, "gear", gear, 6) < 0 || read_control(r, to->joint, bound) != 0 ||
        read_bound(r, "forcerange", "forcelimited", force) != 0 || name == NULL)
        return -1;
    if (to->site != NULL) {
        perp_robot_missing(r->m->job, r->at, "a muscle along a site");
        return 0;
    }
    if (is_ranged(r, to))
        return 0;
    if (gear[0] == 0.0 ||
        (to->tendon != NULL && to->tendon->count == 0 && to->tendon->path == NULL))
        return 0;
    sum = perp_mjcf_sum_of(r->m, to->tendon, to->joint, gear[0], name, r->at);
    if (sum == NULL || check_delay(r, fmin(fmax(a->control, bound[0]), bound[1])) != 0)
        return -1;
    return perp_mjcf_read_muscle(r, sum, a->activation, fmin(fmax(a->control, bound[0]), bound[1]),
                                 force);
}

static int apply_one(perp_mjcf *m, const perp_mjcf_actuator *a)
{
    perp_mjcf_reader r = {m, a->at, perp_mjcf_class_of(m, a->at, NULL), NULL};
    double group = 0.0;
    perp_mjcf_target to;
    drive d;
    int bad = 0;

    if (r.from == NULL || perp_mjcf_exactly(&r, "group", &group, 1) < 0)
        return -1;
    if (group >= 0.0 && group < 31.0 && (m->disabled_groups >> (int)group & 1u) != 0)
        return 0;
    if (perp_xml_is(a->at, "adhesion"))
        return stick(&r, a->control);
    bad = perp_mjcf_target_of(&r, &to);
    if (bad != 0)
        return bad > 0 ? 0 : -1;
    if (perp_mjcf_is_muscle(&r))
        return flex(&r, a, &to);
    bad = read_drive(&r, &to, &d, a);
    if (bad == 0 && d.moves.count > 0)
        bad = push_in_time(&r, &d, &to);
    if (bad != 0)
        return bad == -2 ? 0 : -1;
    return to.joint != NULL    ? drive_joint(&r, &d, to.joint, 1.0)
           : to.tendon != NULL ? drive_tendon(&r, &d, to.tendon)
                               : push_site(&r, &d, to.site);
}

int perp_mjcf_apply_actuators(perp_mjcf *m)
{
    m->totals = perp_robot_take(m->job, (size_t)m->robot->njoints + 1, sizeof *m->totals);
    if (m->totals == NULL || perp_mjcf_reflect(m, 0) != 0)
        return -1;
    for (int k = 0; k < m->nactuators && !m->no_actuators; k++)
        if (m->actuators[k].done && apply_one(m, &m->actuators[k]) != 0)
            return -1;
    return perp_mjcf_settle(m);
}
