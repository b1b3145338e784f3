/* SPDX-License-Identifier: BSD-3-Clause */
/* What actuators do to joints, as constant forces and as springs with dampers. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/mjcf_drive.h"

static int is_bounded(const perp_mjcf_drive *d)
{
    return isfinite(d->low) || isfinite(d->high);
}

/* A row of its own: the constant part of the force acts as the joint's load where there is no
 * spring that it moves the target of, and the bounds are then of the rest. */
static int drive_row(const perp_mjcf_reader *r, const perp_mjcf_drive *d, perp_mjcf_tendon *tendon,
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
static void push_joint(const perp_mjcf_reader *r, const perp_mjcf_drive *d, perp_robot_joint *joint)
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
static int push_site(const perp_mjcf_reader *r, const perp_mjcf_drive *d,
                     const perp_robot_site *site)
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

static int is_turned(const perp_robot_site *site)
{
    const double *q = site->pose.q;

    return site->body >= 0 && fmax(fabs(q[1]), fmax(fabs(q[2]), fabs(q[3]))) > 1e-12;
}

/* About an axis of a refsite: one more of those that act on the rotation between both sites. */
static int turn_site(const perp_mjcf_reader *r, const perp_mjcf_drive *d,
                     const perp_mjcf_target *to)
{
    const perp_robot_site *site[2] = {to->site, to->turns_in};
    perp_robot *robot = r->m->robot;
    const double *g = d->gears + 3;
    perp_robot_turn *turn = NULL;

    if (is_bounded(d)) {
        perp_robot_missing(r->m->job, r->at, "a forcerange of a turn about axes of a refsite");
        return 0;
    }
    for (int k = 0; k < robot->nturns && turn == NULL; k++)
        if (robot->turns[k].site[0] == site[0] && robot->turns[k].site[1] == site[1])
            turn = &robot->turns[k];
    if (turn == NULL) {
        turn = PERP_ROBOT_ADD(robot, turns);
        if (turn == NULL)
            return -1;
        turn->at = r->at;
        for (int i = 0; i < 2; i++)
            turn->site[i] = site[i];
        if (is_turned(site[0]) || is_turned(site[1]))
            perp_robot_note(
                r->m->job, r->at,
                "a site that is turned in its body: here it is the rotation between the "
                "sites, where MuJoCo 3.14 takes those of site and body in the other order");
    }
    for (int i = 0; i < 3; i++) {
        turn->load[i] += (d->gain * d->control + d->bias) * g[i];
        for (int j = 0; j < 3; j++) {
            turn->spring[3 * i + j] += d->stiffness * g[i] * g[j];
            turn->damper[3 * i + j] += d->damping * g[i] * g[j];
        }
    }
    return 0;
}

/* The number that a tensor is in all directions; negative where it is none. */
static double one_of(const double *tensor)
{
    double mean = (tensor[0] + tensor[4] + tensor[8]) / 3.0;

    for (int i = 0; i < 9; i++)
        if (!(fabs(tensor[i] - (i % 4 == 0 ? mean : 0.0)) <= 1e-9 * mean))
            return -1.0;
    return mean;
}

/* Springs and dampers that are the same about all axes. */
static void settle_turns(perp_mjcf *m)
{
    for (int k = 0; k < m->robot->nturns; k++) {
        perp_robot_turn *turn = &m->robot->turns[k];
        turn->stiffness = one_of(turn->spring);
        turn->damping = one_of(turn->damper);
        if (turn->stiffness < 0.0 || turn->damping < 0.0)
            perp_robot_missing(
                m->job, turn->at,
                "turns about the axes of a refsite, other than by three servos of one "
                "kp and one kv about all three");
        else if (turn->load[0] != 0.0 || turn->load[1] != 0.0 || turn->load[2] != 0.0)
            perp_robot_missing(m->job, turn->at,
                               "turns about the axes of a refsite, with a control that is not 0");
    }
}

/* Along one joint, whose coordinate moves the actuator `ratio` as far. */
static int drive_joint(const perp_mjcf_reader *r, const perp_mjcf_drive *d, perp_robot_joint *joint,
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
static void check_joints(const perp_mjcf_reader *r, const perp_mjcf_drive *d,
                         const perp_mjcf_tendon *t)
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
static int drive_tendon(const perp_mjcf_reader *r, const perp_mjcf_drive *d, perp_mjcf_tendon *t)
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
        perp_mjcf_read_bound(r, "ctrlrange", "ctrllimited", bound) != 0)
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
static int follow_in_time(const perp_mjcf_reader *r, const perp_mjcf_drive *d,
                          perp_robot_joint *joint)
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
static int push_in_time(const perp_mjcf_reader *r, perp_mjcf_drive *d, const perp_mjcf_target *to)
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
    if (perp_mjcf_numbers(r, "gear", gear, 6) < 0 || perp_mjcf_read_control(r, to, bound) != 0 ||
        perp_mjcf_read_bound(r, "forcerange", "forcelimited", force) != 0 || name == NULL)
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
    if (sum == NULL || perp_mjcf_check_delay(r, fmin(fmax(a->control, bound[0]), bound[1])) != 0)
        return -1;
    return perp_mjcf_read_muscle(r, sum, a->activation, fmin(fmax(a->control, bound[0]), bound[1]),
                                 force);
}

static int apply_one(perp_mjcf *m, const perp_mjcf_actuator *a)
{
    perp_mjcf_reader r = {m, a->at, perp_mjcf_class_of(m, a->at, NULL), NULL};
    double group = 0.0;
    perp_mjcf_target to;
    perp_mjcf_drive d;
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
    bad = perp_mjcf_read_drive(&r, &to, &d, a);
    if (bad == 0 && d.moves.count > 0)
        bad = push_in_time(&r, &d, &to);
    if (bad != 0)
        return bad == -2 ? 0 : -1;
    return to.joint != NULL      ? drive_joint(&r, &d, to.joint, 1.0)
           : to.tendon != NULL   ? drive_tendon(&r, &d, to.tendon)
           : to.turns_in != NULL ? turn_site(&r, &d, &to)
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
    settle_turns(m);
    return perp_mjcf_settle(m);
}
