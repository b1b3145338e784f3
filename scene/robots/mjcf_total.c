/* SPDX-License-Identifier: BSD-3-Clause */
/* actuatorfrcrange: what the actuators of a joint or a tendon give together, within a range.  That
 * of a tendon bounds their forces, which their gear multiplies; that of a joint what comes of it.
 */
#include <math.h>
#include <string.h>

#include "scene/robots/mjcf.h"

int perp_mjcf_read_most(const perp_mjcf_reader *r, double *range)
{
    double given[2] = {0.0, 0.0};
    int count = perp_mjcf_exactly(r, "actuatorfrcrange", given, 2), limited;

    range[0] = -INFINITY;
    range[1] = INFINITY;
    if (count < 0 || perp_mjcf_limited(r, "actuatorfrclimited", &limited) != 0)
        return -1;
    if (!(limited < 0 ? perp_mjcf_settings_of(r->m, r->at)->autolimits && given[0] != given[1]
                      : limited))
        return 0;
    if (given[0] > 0.0 || given[1] < 0.0)
        return perp_robot_fail(r->m->job, r->at, "actuatorfrcrange: it does not contain 0");
    range[0] = given[0];
    range[1] = given[1];
    return 0;
}

void perp_mjcf_gather(perp_mjcf_total *total, const perp_mjcf_total *one, double gear)
{
    double low = gear > 0.0 ? one->low : one->high, high = gear > 0.0 ? one->high : one->low;
    int free = one->stiffness == 0.0 && one->damping == 0.0;

    if (gear == 0.0)
        return;
    total->force += gear * (free ? fmin(fmax(one->force, one->low), one->high) : one->force);
    total->stiffness += gear * gear * one->stiffness;
    total->damping += gear * gear * one->damping;
    total->low = !free && isfinite(low) ? gear * low : -INFINITY;
    total->high = !free && isfinite(high) ? gear * high : INFINITY;
    total->bounded |= isfinite(total->low) || isfinite(total->high);
    total->count++;
}

int perp_mjcf_read_line(const perp_mjcf_reader *r, const char *word, double *line, double *more)
{
    double value[3] = {0.0, 0.0, 0.0};
    int damps = strcmp(word, "damping") == 0;

    if (perp_mjcf_numbers(r, word, value, 3) < 0)
        return -1;
    if (value[0] < 0.0)
        return perp_robot_fail(r->m->job, r->at, "%s: less than 0", word);
    if (damps && (value[1] < 0.0 || value[2] < 0.0)) {
        perp_robot_missing(r->m->job, r->at, "damping with a coefficient less than 0");
        value[1] = value[2] = 0.0;
    }
    *line = value[0];
    more[0] = value[1];
    more[1] = value[2];
    return 0;
}

static double within(double x, const double *range)
{
    return fmin(fmax(x, range[0]), range[1]);
}

int perp_mjcf_push_joint(perp_mjcf *m, perp_robot_joint *joint, double force)
{
    perp_mjcf_total one = {.force = force, .low = -INFINITY, .high = INFINITY};

    if (isfinite(joint->most))
        perp_mjcf_gather(&m->totals[joint - m->robot->joints], &one, 1.0);
    else
        joint->load += force;
    return 0;
}

/* A constant force along a tendon, before the gear. */
static int push_tendon(perp_mjcf *m, perp_mjcf_tendon *t, double force)
{
    force *= t->total_gear;
    if (t->path != NULL)
        t->load += force;
    for (int i = 0; t->path == NULL && i < t->count; i++) {
        const perp_mjcf_term *term = &m->terms[t->first + i];
        if (perp_mjcf_push_joint(m, &m->robot->joints[term->joint], term->coefficient * force) != 0)
            return -1;
    }
    return 0;
}

/* Springs and dampers as a row of its own; one of a damper alone has the force beside it. */
static int add_row(perp_mjcf *m, const perp_mjcf_total *total, const double *range,
                   perp_mjcf_tendon *t, perp_robot_joint *joint)
{
    const perp_xml *at = t != NULL ? t->at : joint->at;
    const char *name = perp_robot_text(m->job, "%s-drive", t != NULL ? t->name : joint->name);
    double gear = t != NULL ? t->total_gear : 1.0;
    double shift = total->stiffness > 0.0 ? 0.0 : total->force;
    perp_robot_sum *sum = name != NULL ? perp_mjcf_drive_of(m, t, joint, gear, name, at) : NULL;

    if (sum == NULL)
        return -1;
    sum->drive_stiffness = total->stiffness;
    sum->drive_damping = total->damping;
    sum->target = total->stiffness > 0.0 ? total->force / total->stiffness : 0.0;
    for (int k = 0; k < 2; k++)
        sum->most[k] = range[k] - shift;
    if (shift == 0.0)
        return 0;
    if (t != NULL)
        return push_tendon(m, t, shift);
    joint->load += shift;
    return 0;
}

static int settle_one(perp_mjcf *m, const perp_mjcf_total *total, const double *most,
                      perp_mjcf_tendon *t, perp_robot_joint *joint)
{
    const perp_xml *at = t != NULL ? t->at : joint->at;
    double range[2] = {within(total->low, most), within(total->high, most)};

    if (total->count == 0)
        return 0;
    if (total->bounded && total->count > 1) {
        perp_robot_missing(m->job, at, "actuatorfrcrange of several actuators with forcerange");
        return 0;
    }
    if (total->stiffness < 0.0 || total->damping < 0.0) {
        perp_robot_missing(m->job, at, "an actuator whose spring or damper is negative");
        return 0;
    }
    if (!total->bounded) {
        range[0] = most[0];
        range[1] = most[1];
    }
    if (total->stiffness == 0.0 && total->damping == 0.0 && t != NULL)
        return push_tendon(m, t, within(total->force, range));
    if (total->stiffness == 0.0 && total->damping == 0.0) {
        joint->load += within(total->force, range);
        return 0;
    }
    if (t != NULL || total->stiffness == 0.0 || range[0] != -range[1])
        return add_row(m, total, range, t, joint);
    joint->has_servo = 1;
    joint->servo_stiffness = total->stiffness;
    joint->servo_damping = total->damping;
    joint->target = total->force / total->stiffness;
    joint->servo_most = range[1];
    return 0;
}

/* Weight that actuators take away counts in MuJoCo among what they give. */
static void note_lift(perp_mjcf *m, int j)
{
    const perp_robot *robot = m->robot;

    for (int b = 0; b < robot->nbodies; b++) {
        int up = b;
        while (up >= 0 && up != robot->joints[j].body)
            up = robot->bodies[up].parent;
        if (up < 0 || robot->bodies[b].lift == 0.0)
            continue;
        perp_robot_note(m->job, robot->joints[j].at,
                        "actuatorgravcomp: gravcomp is not counted within actuatorfrcrange");
        return;
    }
}

int perp_mjcf_settle(perp_mjcf *m)
{
    for (int k = 0; k < m->ntendons; k++)
        if (settle_one(m, &m->tendons[k].total, m->tendons[k].most, &m->tendons[k], NULL) != 0)
            return -1;
    for (int j = 0; j < m->robot->njoints; j++) {
        perp_robot_joint *joint = &m->robot->joints[j];
        const double most[2] = {joint->most_low, joint->most};
        if (!isfinite(joint->most))
            continue;
        if (settle_one(m, &m->totals[j], most, NULL, joint) != 0)
            return -1;
        if (joint->lift_counts)
            note_lift(m, j);
    }
    return 0;
}
