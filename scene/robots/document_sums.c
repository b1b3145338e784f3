/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of joint coordinates: followers, ranges of fixed tendons; and rotors, coordinates of their
 * own that follow joints.  The armature is the mass of one: its energy is that of the relative
 * motion alone. */
#include <math.h>
#include <string.h>

#include "scene/robots/document.h"

/* The links that joints move against each other, each once. */
static int links_of(int *list, const perp_robot_document *d, const int *joint, int count)
{
    int n = 0;

    for (int k = 0; k < count; k++) {
        int c = d->link_of[joint[k]];
        int pair[2] = {c, c >= 0 ? d->links->link[c].parent : -1};
        for (int i = 0; i < 2; i++) {
            int known = pair[i] < 0;
            for (int m = 0; m < n; m++)
                known |= list[m] == pair[i];
            if (!known)
                list[n++] = pair[i];
        }
    }
    return n;
}

void perp_document_sum(perp_robot_document *d, const perp_robot_sum *sum, int side, int *count)
{
    perp_robot *robot = d->robot;
    perp_text_writer *w = &d->out;
    double sign = side < 0 ? -1.0 : 1.0, bound = side < 0 ? -sum->high : sum->low;
    int list[2 * PERP_ROBOT_TERMS], n, moved = 1;

    for (int k = 0; k < sum->terms; k++)
        moved &= d->link_of[sum->joint[k]] >= 0;
    if (!moved) {
        perp_robot_note(robot->job, sum->at, "one of its joints does not move");
        return;
    }
    n = links_of(list, d, sum->joint, sum->terms);
    perp_document_begin(d, count);
    perp_write(w, "{\"name\": \"%s\", \"systems\": [", perp_robot_new_name(&d->names, sum->name));
    for (int k = 0; k < n; k++)
        perp_write(w, "%s\"%s\"", k > 0 ? ", " : "", d->links->link[list[k]].name);
    perp_write(w, "],\n     \"relation\": {\"type\": \"coupling\", \"terms\": [");
    for (int k = 0; k < sum->terms; k++) {
        perp_write(w, "%s{\"joint\": \"%s\", \"factor\": ", k > 0 ? ", " : "",
                   d->joint_name[sum->joint[k]]);
        perp_write_number(w, sign * sum->factor[k]);
        perp_write(w, "}");
    }
    perp_write(w, "], \"offset\": ");
    perp_write_number(w, bound);
    perp_write(w, "}");
    if (side != 0) {
        perp_write(w, ", \"law\": {\"type\": \"impact\", \"e\": ");
        perp_write_number(w, sum->e);
        perp_write(w, "}");
    }
    perp_write(w, "}");
}

/* Springs, dampers and constant forces are linear: on the rotor they make no rows of the problem of
 * a step, which drives of the joint itself would. */
static int wants_rotor(const perp_robot_joint *joint)
{
    return (joint->motion == PERP_ROBOT_HINGE || joint->motion == PERP_ROBOT_SLIDE) &&
           (joint->armature > 0.0 || joint->stiffness > 0.0 || joint->damping > 0.0 ||
            joint->load != 0.0 || (joint->has_servo && !isfinite(joint->servo_most)));
}

/* Where there is no armature, a small part of what the joint moves. */
static double rotor_mass(const perp_robot_document *d, int j)
{
    const perp_robot_joint *joint = &d->robot->joints[j];
    const perp_robot_link *link = &d->links->link[d->link_of[j]];
    const double *a = link->axis, *I = link->lump.second;
    double arm[3], across[3], moment = 0.0, part = link->small ? 1.0 : PERP_ROBOT_SMALL;

    if (joint->armature > 0.0)
        return joint->armature;
    if (joint->motion == PERP_ROBOT_SLIDE)
        return part * link->lump.mass;
    for (int i = 0; i < 3; i++)
        arm[i] = link->lump.centre[i] - link->anchor[i];
    perp_cross3(across, a, arm);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            moment += a[i] * I[3 * i + k] * a[k];
    return part * (moment + link->lump.mass * perp_dot3(across, across));
}

static void write_entry(perp_text_writer *w, const char *key, double x)
{
    perp_write(w, ", \"%s\": [[", key);
    perp_write_number(w, x);
    perp_write(w, "]]");
}

void perp_document_rotors(perp_robot_document *d)
{
    perp_text_writer *w = &d->out;
    int first = 1;

    for (int j = 0; j < d->robot->njoints; j++) {
        const perp_robot_joint *joint = &d->robot->joints[j];
        int servo = joint->has_servo && !isfinite(joint->servo_most);
        double stiffness = joint->stiffness + (servo ? joint->servo_stiffness : 0.0);
        double damping = joint->damping + (servo ? joint->servo_damping : 0.0);
        double force = joint->load + joint->stiffness * joint->rest +
                       (servo ? joint->servo_stiffness * joint->target : 0.0);
        if (d->link_of[j] < 0 || !wants_rotor(joint))
            continue;
        d->rotor[j] = perp_robot_new_name(
            &d->names, perp_robot_text(d->robot->job, "%s-rotor", d->joint_name[j]));
        perp_write(w, "%s{\"name\": \"%s\", \"type\": \"lagrangian\"",
                   first ? ",\n  \"systems\": [\n    " : ",\n    ", d->rotor[j]);
        first = 0;
        write_entry(w, "M", rotor_mass(d, j));
        if (damping > 0.0)
            write_entry(w, "C", damping);
        if (stiffness > 0.0)
            write_entry(w, "K", stiffness);
        if (force != 0.0) {
            perp_write(w, ", \"F\": ");
            perp_write_numbers(w, &force, 1);
        }
        perp_write(w, ", \"q0\": ");
        perp_write_numbers(w, &joint->start, 1);
        perp_write(w, ", \"v0\": ");
        perp_write_numbers(w, &joint->rate, 1);
        perp_write(w, "}");
    }
    perp_write(w, "%s", first ? "" : "\n  ]");
}

void perp_document_rotor(perp_robot_document *d, int joint, int *count)
{
    perp_text_writer *w = &d->out;
    int list[2], n;

    if (d->rotor[joint] == NULL)
        return;
    n = links_of(list, d, &joint, 1);
    perp_document_begin(d, count);
    perp_write(w, "{\"name\": \"%s\", \"systems\": [",
               perp_robot_new_name(
                   &d->names, perp_robot_text(d->robot->job, "%s-follows", d->joint_name[joint])));
    for (int k = 0; k < n; k++)
        perp_write(w, "\"%s\", ", d->links->link[list[k]].name);
    perp_write(
        w, "\"%s\"],\n     \"relation\": {\"type\": \"coupling\", \"terms\": [{\"joint\": \"%s\"",
        d->rotor[joint], d->joint_name[joint]);
    perp_write(w, "}, {\"system\": \"%s\", \"factor\": -1}]}}", d->rotor[joint]);
}
