/* SPDX-License-Identifier: BSD-3-Clause */
/* What acts on free and ball joints by themselves.  A free joint has the velocity of the origin of
 * its body, in the world, and its angular velocity as rates; a ball joint the relative one. Springs
 * pull to where the model has them; friction is a bound for each rate, dampers of ball joints
 * between two bodies that move are rows, too. */
#include <math.h>

#include <perp/rotation.h>

#include "scene/robots/document.h"

/* The joint of a free link; NULL: it hangs on another one. */
static const perp_robot_joint *free_joint(const perp_robot_document *d, const perp_robot_link *link)
{
    const perp_robot_body *body = &d->robot->bodies[link->body];
    const perp_robot_joint *joint = body->joints == 1 ? &d->robot->joints[body->first_joint] : NULL;

    return link->joint < 0 && joint != NULL && joint->motion == PERP_ROBOT_FREE ? joint : NULL;
}

static void write_entry(perp_text_writer *w, const char *key, double x)
{
    perp_write(w, ", \"%s\": ", key);
    perp_write_number(w, x);
}

/* The link whose orientation the parent has: small parts between joints that slide alone turn with
 * what carries them. */
static int turning_parent(const perp_robot_document *d, const perp_robot_link *link)
{
    int up = link->parent;

    while (up >= 0 && d->links->link[up].small && d->links->link[up].joint >= 0 &&
           d->robot->joints[d->links->link[up].joint].motion == PERP_ROBOT_SLIDE)
        up = d->links->link[up].parent;
    return up;
}

static void write_turn_spring(perp_robot_document *d, const perp_robot_link *link, int parent,
                              double stiffness, double damping, const double *turned, int *count)
{
    perp_text_writer *w = &d->out;

    if (!(stiffness + damping > 0.0))
        return;
    perp_document_begin_force(d, count);
    perp_write(w, "{\"type\": \"turn-spring\", \"from\": \"%s\"", link->name);
    if (parent >= 0)
        perp_write(w, ", \"to\": \"%s\"", d->links->link[parent].name);
    write_entry(w, "stiffness", stiffness);
    write_entry(w, "damping", damping);
    if (turned[0] != 0.0 || turned[1] != 0.0 || turned[2] != 0.0) {
        perp_write(w, ", \"turned\": ");
        perp_write_numbers(w, turned, 3);
    }
    perp_write(w, "}");
}

static void write_ball(perp_robot_document *d, const perp_robot_link *link,
                       const perp_robot_joint *joint, int *count)
{
    double own[3], turned[3] = {0.0, 0.0, 0.0};
    int parent = turning_parent(d, link), two = link->parent >= 0;

    if (joint->stiffness > 0.0 && (link->small || (parent >= 0 && d->links->link[parent].small))) {
        perp_robot_missing(d->robot->job, joint->at, "a spring of what has no mass");
        return;
    }
    if (joint->has_pose) {
        perp_quaternion_log(joint->pose + 3, own);
        perp_quaternion_rotate(d->links->pose[joint->body].q, own, turned);
    }
    write_turn_spring(d, link, parent, joint->stiffness, two ? 0.0 : joint->damping, turned, count);
}

/* The origin of the body in the frame of the link. */
static void origin_of(double *place, const perp_robot_link *link)
{
    double off[3];

    for (int i = 0; i < 3; i++)
        off[i] = link->pose.p[i] - link->lump.centre[i];
    perp_quaternion_rotate_back(link->pose.q, off, place);
}

static void write_free(perp_robot_document *d, const perp_robot_link *link,
                       const perp_robot_joint *joint, int *count)
{
    const perp_pose *rest = &d->robot->bodies[link->body].pose;
    double place[3], own[3], turned[3], back[4], turn[4];
    perp_text_writer *w = &d->out;

    origin_of(place, link);
    for (int k = 0; k < 4; k++)
        back[k] = k == 0 ? rest->q[0] : -rest->q[k];
    perp_quaternion_product(back, link->pose.q, turn);
    perp_quaternion_log(turn, own);
    perp_quaternion_rotate(link->pose.q, own, turned);
    if (joint->damping > 0.0) {
        perp_document_begin_force(d, count);
        perp_write(w, "{\"type\": \"drag\", \"system\": \"%s\", \"point\": ", link->name);
        perp_write_numbers(w, place, 3);
        write_entry(w, "damping", joint->damping);
        perp_write(w, "}");
    }
    if (joint->stiffness > 0.0) {
        perp_document_begin_force(d, count);
        perp_write(w,
                   "{\"type\": \"spring\", \"from\": {\"system\": \"%s\", \"point\": ", link->name);
        perp_write_numbers(w, place, 3);
        perp_write(w, "}, \"to\": {\"world\": ");
        perp_write_numbers(w, rest->p, 3);
        perp_write(w, "}");
        write_entry(w, "stiffness", joint->stiffness);
        perp_write(w, "}");
    }
    write_turn_spring(d, link, -1, joint->stiffness, joint->damping, turned, count);
}

void perp_document_passive_forces(perp_robot_document *d, int c, int *count)
{
    const perp_robot_link *link = &d->links->link[c];
    const perp_robot_joint *joint = free_joint(d, link);

    if (joint != NULL)
        write_free(d, link, joint, count);
    else if (link->joint >= 0 && d->robot->joints[link->joint].motion == PERP_ROBOT_BALL)
        write_ball(d, link, &d->robot->joints[link->joint], count);
}

void perp_document_passive_rows(perp_robot_document *d, int c, int *count)
{
    static const char *const axes[] = {"x", "y", "z"};
    const perp_robot_link *link = &d->links->link[c];
    const perp_robot_joint *joint = free_joint(d, link);
    perp_text_writer *w = &d->out;

    for (int k = 0; joint != NULL && joint->friction > 0.0 && k < 6; k++) {
        const double unit[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        double axis[3] = {unit[0], unit[1], unit[2]};
        if (k >= 3)
            perp_quaternion_rotate(link->pose.q, unit, axis);
        perp_document_begin(d, count);
        perp_write(
            w, "{\"name\": \"%s\", ",
            perp_robot_new_name(&d->names, perp_robot_text(d->robot->job, "%s-%s-%s", link->name,
                                                           k < 3 ? "slip" : "turn", axes[k % 3])));
        perp_document_systems(d, c, -1);
        perp_write(w, ",\n     \"relation\": {\"type\": \"rate\", \"anchor\": ");
        perp_write_numbers(w, link->pose.p, 3);
        perp_write(w, ", \"%s\": ", k < 3 ? "along" : "about");
        perp_write_numbers(w, axis, 3);
        perp_write(w, "}, \"law\": {\"type\": \"dry-friction\"");
        write_entry(w, "force", joint->friction);
        perp_write(w, "}}");
    }
}
