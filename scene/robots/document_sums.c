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

/* The beginning of a row on a sum: its name, what it moves, its terms; with `rotor` the sum less
 * its coordinate. */
static void write_terms(perp_robot_document *d, const perp_robot_sum *sum, const char *name,
                        const char *rotor, double sign, int *count)
{
    perp_text_writer *w = &d->out;

    if (sum->path != NULL) {
        perp_document_path path;
        if (perp_document_find_path(&path, d, sum->path) == 0)
            perp_document_write_path(d, &path, name, rotor, sign * sum->path_factor, count);
        return;
    }
    int list[2 * PERP_ROBOT_TERMS], n = links_of(list, d, sum->joint, sum->terms);
    perp_document_begin(d, count);
    perp_write(w, "{\"name\": \"%s\", \"systems\": [", perp_robot_new_name(&d->names, name));
    for (int k = 0; k < n; k++)
        perp_write(w, "%s\"%s\"", k > 0 ? ", " : "", d->links->link[list[k]].name);
    if (rotor != NULL)
        perp_write(w, ", \"%s\"", rotor);
    perp_write(w, "],\n     \"relation\": {\"type\": \"coupling\", \"terms\": [");
    for (int k = 0; k < sum->terms; k++) {
        perp_write(w, "%s{\"joint\": \"%s\", \"factor\": ", k > 0 ? ", " : "",
                   d->joint_name[sum->joint[k]]);
        perp_write_number(w, sign * sum->factor[k]);
        perp_write(w, "}");
    }
    if (rotor != NULL)
        perp_write(w, ", {\"system\": \"%s\", \"factor\": -1}", rotor);
    perp_write(w, "]");
}

static int all_move(const perp_robot_document *d, const perp_robot_sum *sum)
{
    int moved = sum->terms > 0;

    if (sum->path != NULL) { /* something moves against something else */
        perp_document_path path;
        int still = 0;
        if (perp_document_find_path(&path, d, sum->path) != 0)
            return 0;
        for (int k = 0; k < path.count; k++)
            still |= path.parts[k].kind != PERP_PATH_DIVIDE && path.parts[k].body < 0;
        return path.nlinks + still >= 2;
    }

    for (int k = 0; k < sum->terms; k++)
        moved &= d->link_of[sum->joint[k]] >= 0;
    return moved;
}

void perp_document_sum(perp_robot_document *d, const perp_robot_sum *sum, int side, int *count)
{
    perp_text_writer *w = &d->out;

    if (!all_move(d, sum)) {
        perp_robot_note(d->robot->job, sum->at, "one of its joints does not move");
        return;
    }
    write_terms(d, sum, sum->name, NULL, side < 0 ? -1.0 : 1.0, count);
    perp_write(w, ", \"offset\": ");
    perp_write_number(w, side < 0 ? -sum->high : sum->low);
    perp_write(w, "}");
    if (side != 0) {
        perp_write(w, ", \"law\": {\"type\": \"impact\", \"e\": ");
        perp_write_number(w, sum->e);
        perp_write(w, "}");
    }
    perp_write(w, "}");
}

static void write_friction(perp_robot_document *d, const perp_robot_sum *sum, int *count)
{
    if (!all_move(d, sum)) {
        perp_robot_missing(d->robot->job, sum->at, "friction along joints that do not move");
        return;
    }
    write_terms(d, sum, perp_robot_text(d->robot->job, "%s-friction", sum->name), NULL, 1.0, count);
    perp_write(&d->out, "}, \"law\": {\"type\": \"dry-friction\", \"force\": ");
    perp_write_number(&d->out, sum->friction);
    perp_write(&d->out, "}}");
}

static void write_drive(perp_robot_document *d, const perp_robot_sum *sum, int *count)
{
    perp_text_writer *w = &d->out;

    if (!all_move(d, sum)) {
        perp_robot_missing(d->robot->job, sum->at, "forces along joints that do not move");
        return;
    }
    write_terms(d, sum, sum->name, NULL, 1.0, count);
    perp_write(w, "}, \"law\": {\"type\": \"servo\", \"target\": ");
    perp_write_number(w, sum->target);
    perp_write(w, ", \"stiffness\": ");
    perp_write_number(w, sum->drive_stiffness);
    perp_write(w, ", \"damping\": ");
    perp_write_number(w, sum->drive_damping);
    perp_write(w, ", \"force\": [");
    for (int k = 0; k < 2; k++) {
        perp_write(w, "%s", k == 0 ? "" : ", ");
        if (isfinite(sum->most[k]))
            perp_write_number(w, sum->most[k]);
        else
            perp_write(w, "null");
    }
    perp_write(w, "]}}");
}

void perp_document_sums(perp_robot_document *d, int *count)
{
    for (int k = 0; k < d->robot->nsums; k++) {
        const perp_robot_sum *sum = &d->robot->sums[k];
        if (sum->equal)
            perp_document_sum(d, sum, 0, count);
        if (!sum->equal && isfinite(sum->low))
            perp_document_sum(d, sum, 1, count);
        if (!sum->equal && isfinite(sum->high))
            perp_document_sum(d, sum, -1, count);
        if (sum->friction > 0.0)
            write_friction(d, sum, count);
        if (sum->drives)
            write_drive(d, sum, count);
        if (sum->rotor == NULL)
            continue;
        write_terms(d, sum, perp_robot_text(d->robot->job, "%s-follows", sum->name), sum->rotor,
                    1.0, count);
        perp_write(&d->out, "}}");
    }
}

static int is_bent(const double *bend, const double *brake)
{
    return bend[0] != 0.0 || bend[1] != 0.0 || brake[0] != 0.0 || brake[1] != 0.0;
}

/* Springs, dampers and constant forces are linear: on the rotor they make no rows of the problem of
 * a step, which drives of the joint itself would. */
static int wants_rotor(const perp_robot_joint *joint)
{
    return (joint->motion == PERP_ROBOT_HINGE || joint->motion == PERP_ROBOT_SLIDE) &&
           (joint->wants_rotor || joint->armature > 0.0 || joint->stiffness > 0.0 ||
            joint->damping > 0.0 || joint->load != 0.0 || is_bent(joint->bend, joint->brake) ||
            (joint->has_servo && !isfinite(joint->servo_most)));
}

/* A small part of what the joint moves. */
static double light_mass(const perp_robot_document *d, int j)
{
    const perp_robot_joint *joint = &d->robot->joints[j];
    const perp_robot_link *link = &d->links->link[d->link_of[j]];
    const double *a = link->axis, *I = link->lump.second;
    double arm[3], across[3], moment = 0.0, part = link->small ? 1.0 : PERP_ROBOT_SMALL;

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

static double rotor_mass(const perp_robot_document *d, int j)
{
    double armature = d->robot->joints[j].armature;

    return armature > 0.0 ? armature : light_mass(d, j);
}

static void write_entry(perp_text_writer *w, const char *key, double x)
{
    perp_write(w, ", \"%s\": [[", key);
    perp_write_number(w, x);
    perp_write(w, "]]");
}

/* A coordinate of its own: mass, damper, spring, constant force, and where it starts. */
typedef struct rotor {
    const char *name;
    double mass, damping, stiffness, force, start, rate;
} rotor;

static void write_rotor(perp_robot_document *d, const rotor *r, int *first)
{
    perp_text_writer *w = &d->out;

    perp_write(w, "%s{\"name\": \"%s\", \"type\": \"lagrangian\"",
               *first ? ",\n  \"systems\": [\n    " : ",\n    ", r->name);
    *first = 0;
    write_entry(w, "M", r->mass);
    if (r->damping > 0.0)
        write_entry(w, "C", r->damping);
    if (r->stiffness > 0.0)
        write_entry(w, "K", r->stiffness);
    if (r->force != 0.0) {
        perp_write(w, ", \"F\": ");
        perp_write_numbers(w, &r->force, 1);
    }
    perp_write(w, ", \"q0\": ");
    perp_write_numbers(w, &r->start, 1);
    perp_write(w, ", \"v0\": ");
    perp_write_numbers(w, &r->rate, 1);
    perp_write(w, "}");
}

static void write_rotor_of_joint(perp_robot_document *d, int j, int *first)
{
    const perp_robot_joint *joint = &d->robot->joints[j];
    int servo = joint->has_servo && !isfinite(joint->servo_most);
    rotor r = {.mass = rotor_mass(d, j), .start = joint->start, .rate = joint->rate};

    r.stiffness = joint->stiffness + (servo ? joint->servo_stiffness : 0.0);
    r.damping = joint->damping + (servo ? joint->servo_damping : 0.0);
    r.force = joint->load + joint->stiffness * joint->rest +
              (servo ? joint->servo_stiffness * joint->target : 0.0);
    r.name = d->rotor[j] = perp_robot_new_name(
        &d->names, perp_robot_text(d->robot->job, "%s-rotor", d->joint_name[j]));
    write_rotor(d, &r, first);
}

/* Where the sum has no armature, a small part of what it moves: 1 / sum(factor^2 / mass). */
static void write_rotor_of_sum(perp_robot_document *d, perp_robot_sum *sum, int *first)
{
    rotor r = {.damping = sum->damping, .stiffness = sum->stiffness, .force = sum->load};
    double ease = 0.0;

    if (!all_move(d, sum)) {
        perp_robot_missing(d->robot->job, sum->at, "forces along joints that do not move");
        return;
    }
    if (sum->path != NULL) {
        perp_document_path path;
        if (perp_document_find_path(&path, d, sum->path) != 0 ||
            perp_document_start_of_path(&path, d, &r.start, &r.rate, &ease) != 0)
            return;
        r.start *= sum->path_factor;
        r.rate *= sum->path_factor;
        ease *= sum->path_factor * sum->path_factor / PERP_ROBOT_SMALL;
    }
    for (int k = 0; k < sum->terms; k++) {
        const perp_robot_joint *joint = &d->robot->joints[sum->joint[k]];
        double f = sum->factor[k];
        ease += f * f / light_mass(d, sum->joint[k]);
        r.start += f * joint->start;
        r.rate += f * joint->rate;
    }
    r.mass = sum->armature > 0.0 ? sum->armature : 1.0 / ease;
    if (!(ease > 0.0) || !(r.mass > 0.0) || !isfinite(r.mass))
        return;
    r.name = sum->rotor =
        perp_robot_new_name(&d->names, perp_robot_text(d->robot->job, "%s-rotor", sum->name));
    write_rotor(d, &r, first);
}

static void write_entries(perp_text_writer *w, const perp_robot_table *table)
{
    perp_write(w, "\"table\": [");
    for (int k = 0; k < table->count; k++) {
        const double entry[2] = {table->entries[k].t, table->entries[k].value};
        perp_write(w, "%s", k > 0 ? ", " : "");
        perp_write_numbers(w, entry, 2);
    }
    perp_write(w, table->straight ? "], \"between\": \"linear\"" : "]");
}

void perp_document_write_table(perp_text_writer *w, const perp_robot_table *table)
{
    if (table->count == 1) {
        perp_write_number(w, table->entries[0].value);
        return;
    }
    perp_write(w, "{");
    write_entries(w, table);
    perp_write(w, "}");
}

static void write_muscle(perp_robot_document *d, const perp_robot_sum *sum)
{
    const perp_muscle *m = &sum->muscle->muscle;
    const double lengths[2] = {m->shortest, m->longest}, range[2] = {m->low, m->high};
    const double values[] = {m->strength, m->least, m->most, m->fastest, m->passive, m->eccentric};
    static const char *const keys[] = {"force", "lmin", "lmax", "vmax", "fpmax", "fvmax"};
    perp_text_writer *w = &d->out;

    perp_write(w, "{\"type\": \"muscle\", \"system\": \"%s\", \"lengths\": ", sum->rotor);
    perp_write_numbers(w, lengths, 2);
    perp_write(w, ", \"range\": ");
    perp_write_numbers(w, range, 2);
    for (int k = 0; k < 6; k++) {
        perp_write(w, ", \"%s\": ", keys[k]);
        perp_write_number(w, values[k]);
    }
    if (m->bounded) {
        perp_write(w, ", \"bounds\": ");
        perp_write_numbers(w, m->bound, 2);
    }
    perp_write(w, ", \"activation\": ");
    perp_document_write_table(w, &sum->muscle->activation);
    perp_write(w, "}");
}

/* What of springs and dampers is no line, on a rotor. */
static void write_bent(perp_robot_document *d, const char *name, const double *bend,
                       const double *brake, double rest, int *count)
{
    perp_text_writer *w = &d->out;

    if (name == NULL || !is_bent(bend, brake))
        return;
    perp_document_begin_force(d, count);
    perp_write(w, "{\"type\": \"spring\", \"from\": {\"system\": \"%s\", \"coordinate\": 0}", name);
    for (int k = 0; k < 2; k++) {
        const double *more = k == 0 ? bend : brake;
        const double values[3] = {0.0, more[0], more[1]};
        if (more[0] == 0.0 && more[1] == 0.0)
            continue;
        perp_write(w, ", \"%s\": ", k == 0 ? "stiffness" : "damping");
        perp_write_numbers(w, values, 3);
    }
    perp_write(w, ", \"length\": ");
    perp_write_number(w, rest);
    perp_write(w, "}");
}

void perp_document_sum_forces(perp_robot_document *d, int *count)
{
    for (int j = 0; j < d->robot->njoints; j++) {
        const perp_robot_joint *joint = &d->robot->joints[j];
        write_bent(d, d->rotor[j], joint->bend, joint->brake, joint->rest, count);
    }
    for (int k = 0; k < d->robot->nsums; k++)
        write_bent(d, d->robot->sums[k].rotor, d->robot->sums[k].bend, d->robot->sums[k].brake,
                   d->robot->sums[k].rest, count);
    for (int k = 0; k < d->robot->nsums; k++) {
        const perp_robot_sum *sum = &d->robot->sums[k];
        if (sum->rotor == NULL || (sum->muscle == NULL && sum->force == NULL))
            continue;
        perp_document_begin_force(d, count);
        if (sum->muscle != NULL) {
            write_muscle(d, sum);
            continue;
        }
        perp_write(&d->out, "{\"type\": \"load\", \"system\": \"%s\", \"vector\": [1], ",
                   sum->rotor);
        write_entries(&d->out, sum->force);
        perp_write(&d->out, "}");
    }
}

void perp_document_rotors(perp_robot_document *d)
{
    int first = 1;

    for (int j = 0; j < d->robot->njoints; j++)
        if (d->link_of[j] >= 0 && wants_rotor(&d->robot->joints[j]))
            write_rotor_of_joint(d, j, &first);
    for (int k = 0; k < d->robot->nsums; k++) {
        perp_robot_sum *sum = &d->robot->sums[k];
        if (sum->stiffness > 0.0 || sum->damping > 0.0 || sum->armature > 0.0 || sum->load != 0.0 ||
            sum->muscle != NULL || sum->force != NULL || is_bent(sum->bend, sum->brake))
            write_rotor_of_sum(d, sum, &first);
    }
    perp_write(&d->out, "%s", first ? "" : "\n  ]");
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
