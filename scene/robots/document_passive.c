/* SPDX-License-Identifier: BSD-3-Clause */
/* What acts on free and ball joints by themselves.  A free joint has the velocity of the origin of
 * its body, in the world, and its angular velocity as rates; a ball joint the relative one. Springs
 * pull to where the model has them; friction is a bound for each rate, dampers of ball joints
 * between two bodies that move are rows, too. */
#include <math.h>
#include <string.h>

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

/* stiffness: NULL, or about the axes of the link. */
static void write_turns_of(perp_robot_document *d, const perp_robot_link *link, int parent,
                           const double *about, double armature, double stiffness, double damping,
                           const double *turned, int *count)
{
    perp_text_writer *w = &d->out;

    perp_document_begin_force(d, count);
    perp_write(w, "{\"type\": \"turn-spring\", \"from\": \"%s\"", link->name);
    if (parent >= 0)
        perp_write(w, ", \"to\": \"%s\"", d->links->link[parent].name);
    if (about != NULL) {
        perp_write(w, ", \"stiffness\": ");
        perp_write_numbers(w, about, 3);
        perp_write(w, parent >= 0 ? ", \"lag\": true" : "");
        if (parent >= 0 && armature > 0.0)
            write_entry(w, "armature", armature);
    } else {
        write_entry(w, "stiffness", stiffness);
        write_entry(w, "damping", damping);
    }
    if (turned[0] != 0.0 || turned[1] != 0.0 || turned[2] != 0.0) {
        perp_write(w, ", \"turned\": ");
        perp_write_numbers(w, turned, 3);
    }
    perp_write(w, "}");
}

static void write_turn_spring(perp_robot_document *d, const perp_robot_link *link, int parent,
                              double stiffness, double damping, const double *turned, int *count)
{
    if (stiffness + damping > 0.0)
        write_turns_of(d, link, parent, NULL, 0.0, stiffness, damping, turned, count);
}

/* A constant force and moment at a place, in the frame of the link (own) or the force in the world.
 */
static void write_load(perp_robot_document *d, const perp_robot_link *link, const double *place,
                       const double *force, const double *moment, int own, int *count)
{
    const double all[6] = {force[0], force[1], force[2], moment[0], moment[1], moment[2]};
    perp_text_writer *w = &d->out;

    if (all[0] == 0.0 && all[1] == 0.0 && all[2] == 0.0 && all[3] == 0.0 && all[4] == 0.0 &&
        all[5] == 0.0)
        return;
    perp_document_begin_force(d, count);
    perp_write(w, "{\"type\": \"load\", \"system\": \"%s\", \"frame\": \"%s\", \"point\": ",
               link->name, own ? "body" : "world");
    perp_write_numbers(w, place, 3);
    perp_write(w, ", \"vector\": ");
    perp_write_numbers(w, all, 6);
    perp_write(w, ", \"polynomial\": [1]}");
}

/* That of a cable, about the axes of its body. */
static void write_elastic(perp_robot_document *d, const perp_robot_link *link, int parent,
                          const perp_robot_joint *joint, int *count)
{
    const double *q = d->links->pose[joint->body].q;
    double since[4] = {1.0, 0.0, 0.0, 0.0}, own[3], turned[3], back[4], axes[4];

    if (joint->has_pose)
        memcpy(since, joint->pose + 3, sizeof since);
    if (joint->flat)
        perp_quaternion_product(d->robot->bodies[joint->body].pose.q, since, since);
    perp_quaternion_log(since, own);
    perp_quaternion_rotate(q, own, turned);
    perp_turn_back(back, link->pose.q);
    perp_quaternion_product(back, q, axes);
    if (fabs(axes[0]) < 1.0 - 1e-12)
        perp_robot_missing(d->robot->job, joint->at, "a cable whose bodies carry others");
    write_turns_of(d, link, parent, joint->elastic, joint->armature, 0.0, 0.0, turned, count);
}

static void write_ball(perp_robot_document *d, const perp_robot_link *link,
                       const perp_robot_joint *joint, int *count)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    double own[3], turned[3] = {0.0, 0.0, 0.0};
    int parent = turning_parent(d, link), two = link->parent >= 0;
    int acts = perp_robot_has_axes(joint) &&
               (two || joint->elastic[0] + joint->elastic[1] + joint->elastic[2] > 0.0);

    if ((joint->stiffness > 0.0 || acts) &&
        (link->small || (parent >= 0 && d->links->link[parent].small))) {
        perp_robot_missing(d->robot->job, joint->at, "a spring of what has no mass");
        return;
    }
    if (joint->has_pose) {
        perp_quaternion_log(joint->pose + 3, own);
        perp_quaternion_rotate(d->links->pose[joint->body].q, own, turned);
    }
    if (!two)
        write_load(d, link, none, none, joint->push + 3, 1, count);
    write_turn_spring(d, link, parent, joint->stiffness, two ? 0.0 : joint->damping, turned, count);
    if (acts)
        write_elastic(d, link, parent, joint, count);
}

void perp_document_into_link(double *out, const perp_robot_document *d, int body, const double *x,
                             int is_place)
{
    const perp_robot_link *link = &d->links->link[d->links->carrier[body]];
    const perp_pose *pose = &d->links->pose[body];
    double world[3];

    perp_quaternion_rotate(pose->q, x, world);
    for (int i = 0; is_place && i < 3; i++)
        world[i] += pose->p[i] - link->lump.centre[i];
    perp_quaternion_rotate_back(link->pose.q, world, out);
}

/* What takes the weight of bodies away, in their centres of mass. */
static void write_lifts(perp_robot_document *d, int *count)
{
    static const double none[3] = {0.0, 0.0, 0.0};

    for (int b = 0; b < d->robot->nbodies; b++) {
        const perp_robot_body *body = &d->robot->bodies[b];
        int c = d->links->carrier[b];
        double place[3], force[3];
        if (c < 0 || body->lift == 0.0 || !(body->mass > 0.0) || !d->links->link[c].lifts_apart)
            continue;
        perp_document_into_link(place, d, b, body->centre, 1);
        for (int i = 0; i < 3; i++)
            force[i] = -body->lift * body->mass * d->robot->gravity[i];
        write_load(d, &d->links->link[c], place, force, none, 0, count);
    }
}

/* The rotation of a body and what is fixed to it in the world; its link, -1: it stands. */
static int turn_of(double *q, const perp_robot_document *d, const perp_robot_site *site)
{
    if (site->body < 0) {
        memcpy(q, site->pose.q, 4 * sizeof *q);
        return -1;
    }
    perp_quaternion_product(d->links->pose[site->body].q, site->pose.q, q);
    return d->links->carrier[site->body];
}

static void write_turns(perp_robot_document *d, int *count)
{
    for (int k = 0; k < d->robot->nturns; k++) {
        const perp_robot_turn *turn = &d->robot->turns[k];
        double q[2][4], back[4], from[4], turned[3];
        int c[2], first;
        for (int i = 0; i < 2; i++)
            c[i] = turn_of(q[i], d, turn->site[i]);
        if (c[0] == c[1])
            continue;
        first = c[0] < 0;
        perp_turn_back(back, q[1 - first]);
        perp_quaternion_product(q[first], back, from);
        perp_quaternion_log(from, turned);
        if (d->links->link[c[first]].small ||
            (c[1 - first] >= 0 && d->links->link[c[1 - first]].small))
            perp_robot_missing(d->robot->job, turn->at, "a spring of what has no mass");
        else
            write_turn_spring(d, &d->links->link[c[first]], c[1 - first], turn->stiffness,
                              turn->damping, turned, count);
    }
}

void perp_document_pushes(perp_robot_document *d, int *count)
{
    write_turns(d, count);
    write_lifts(d, count);
    for (int k = 0; k < d->robot->npushes; k++) {
        const perp_robot_push *push = &d->robot->pushes[k];
        double place[3], force[3], moment[3];
        if (push->body < 0 || d->links->carrier[push->body] < 0)
            continue;
        perp_document_into_link(place, d, push->body, push->place, 1);
        perp_document_into_link(force, d, push->body, push->force, 0);
        perp_document_into_link(moment, d, push->body, push->moment, 0);
        write_load(d, &d->links->link[d->links->carrier[push->body]], place, force, moment, 1,
                   count);
    }
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
    write_load(d, link, place, joint->push, joint->push + 3, 0, count);
    perp_turn_back(back, rest->q);
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

/* A constant moment between two bodies that move. */
static void write_moment(perp_robot_document *d, int c, const perp_robot_joint *joint, int *count)
{
    const perp_robot_link *link = &d->links->link[c];
    perp_text_writer *w = &d->out;
    double axis[3], most = 0.0;

    for (int k = 3; k < 6; k++)
        most = hypot(most, joint->push[k]);
    if (!(most > 0.0) || link->parent < 0)
        return;
    perp_quaternion_rotate(link->pose.q, joint->push + 3, axis);
    perp_document_begin(d, count);
    perp_write(
        w, "{\"name\": \"%s\", ",
        perp_robot_new_name(&d->names, perp_robot_text(d->robot->job, "%s-moment", link->name)));
    perp_document_systems(d, c, link->parent);
    perp_write(w, ",\n     \"relation\": {\"type\": \"rate\", \"about\": ");
    perp_write_numbers(w, axis, 3);
    perp_write(w, "}, \"law\": {\"type\": \"box\"");
    write_entry(w, "lo", most);
    write_entry(w, "hi", most);
    perp_write(w, "}}");
}

static const char *const axes[] = {"x", "y", "z"};

/* Dampers about the axes of a ball joint; with h/2 of the stiffness in them its spring, which is
 * taken where a step begins, is that of the middle of the step, and with 2/h of the armature they
 * take what the turn-spring gives by the rate there, but for the change of the rate. */
static void write_elastic_rows(perp_robot_document *d, int c, const perp_robot_joint *joint,
                               int *count)
{
    const perp_robot_link *link = &d->links->link[c];
    perp_robot_job *job = d->robot->job;
    perp_text_writer *w = &d->out;

    for (int k = 0; k < 3 && link->parent >= 0 && perp_robot_has_axes(joint); k++) {
        const double unit[3] = {k == 0, k == 1, k == 2};
        double axis[3];
        if (!(joint->damping + joint->elastic[k] + joint->armature > 0.0))
            continue;
        perp_quaternion_rotate(link->pose.q, unit, axis);
        perp_document_begin(d, count);
        perp_write(w, "{\"name\": \"%s\", ",
                   perp_robot_new_name(&d->names,
                                       perp_robot_text(job, "%s-turn-%s", link->name, axes[k])));
        perp_document_systems(d, c, link->parent);
        perp_write(w, ",\n     \"relation\": {\"type\": \"rate\", \"about\": ");
        perp_write_numbers(w, axis, 3);
        perp_write(w, "}, \"law\": {\"type\": \"servo\", \"target\": 0");
        write_entry(w, "damping", joint->damping);
        write_entry(w, "lag", joint->elastic[k]);
        write_entry(w, "armature", joint->armature);
        perp_write(w, "}}");
    }
}

void perp_document_passive_rows(perp_robot_document *d, int c, int *count)
{
    const perp_robot_link *link = &d->links->link[c];
    const perp_robot_joint *joint = free_joint(d, link);
    perp_text_writer *w = &d->out;

    if (link->joint >= 0 && d->robot->joints[link->joint].motion == PERP_ROBOT_BALL)
        write_moment(d, c, &d->robot->joints[link->joint], count);
    if (link->joint >= 0)
        write_elastic_rows(d, c, &d->robot->joints[link->joint], count);
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
