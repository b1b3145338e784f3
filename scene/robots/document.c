/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/robots/document.h"
#include "scene/robots/floor.h"

#include <math.h>
#include <string.h>

/* Names in the order of the model: bodies first, so that joints of the same name give way. */
static int name_links(perp_robot_document *d)
{
    perp_robot *robot = d->robot;

    for (int c = 0; c < d->links->count; c++) {
        perp_robot_link *link = &d->links->link[c];
        const char *wanted = robot->bodies[link->body].name;
        if (link->small && d->links->carrier[link->body] != c) {
            wanted = perp_robot_text(robot->job, "%s-%s", wanted,
                                     link->joint >= 0 ? robot->joints[link->joint].name : "free");
            if (wanted == NULL)
                return -1;
        }
        link->name = perp_robot_new_name(&d->names, wanted);
        if (link->name == NULL)
            return -1;
    }
    for (int j = 0; j < robot->njoints; j++) {
        d->joint_name[j] = perp_robot_new_name(&d->names, robot->joints[j].name);
        if (d->joint_name[j] == NULL)
            return -1;
    }
    return 0;
}

static void write_law(perp_text_writer *w, const perp_contact_law *law)
{
    perp_write(w, "\"e\": ");
    perp_write_number(w, law->e);
    perp_write(w, ", \"mu\": ");
    perp_write_number(w, law->mu);
    if (law->rolling > 0.0) {
        perp_write(w, ", \"rolling\": ");
        perp_write_number(w, law->rolling);
    }
    if (law->torsion > 0.0) {
        perp_write(w, ", \"torsion\": ");
        perp_write_number(w, law->torsion);
    }
    if (law->skin < 0.0) {
        perp_write(w, ", \"skin\": ");
        perp_write_number(w, law->skin);
    }
}

static void write_contacts(perp_robot_document *d)
{
    const perp_contact_rules *rules = &d->rules;
    perp_text_writer *w = &d->out;
    perp_contact_law law = {d->robot->mu, 0.0, 0.0, d->robot->e, 0.0};
    int first = 1;

    if (d->robot->no_contacts || rules->count == 0)
        return;
    if (rules->count == 1)
        perp_contact_rules_law(&law, rules, d->robot, 0, 0);
    perp_write(w, ",\n  \"contacts\": {");
    write_law(w, &law);
    for (int a = 0; a < rules->count && rules->count > 1; a++)
        for (int b = a; b < rules->count; b++) {
            perp_contact_rules_law(&law, rules, d->robot, a, b);
            perp_write(w, "%s{\"between\": [\"m%d\", \"m%d\"], ",
                       first ? ", \"materials\": [\n    " : ",\n    ", a, b);
            first = 0;
            write_law(w, &law);
            perp_write(w, "}");
        }
    perp_write(w, "%s", first ? "" : "]");
    first = 1;
    for (int k = 0; k < d->rules.napart; k++)
        perp_document_pair(d, rules->apart[k].a, rules->apart[k].b, &first);
    d->robot->exclude_at = w->used;
    d->robot->excludes_none = first;
    perp_write(w, "%s}", first ? "" : "]");
}

/* One of the first records of the model is this one, or has it: bodies that are held together have
 * their quantities in common. */
static int is_recorded(const perp_robot_document *d, int records, int link, int joint,
                       const char *field)
{
    for (int k = 0; k < records; k++) {
        const perp_robot_record *r = &d->robot->records[k];
        if (strcmp(r->field, field) == 0 && r->joint == joint &&
            (r->body >= 0 ? d->links->carrier[r->body] : -1) == link)
            return 1;
    }
    return 0;
}

/* Where what no joint holds is, if it is not too many. */
static void record_free(perp_robot_document *d)
{
    enum { MOST_FREE = 20 };
    static const char *const fields[] = {"q", "v"};
    int count = 0;

    for (int c = 0; c < d->links->count; c++)
        count += d->links->link[c].joint < 0;
    for (int c = 0; c < d->links->count && count <= MOST_FREE; c++)
        for (int k = 0; k < 2 && d->links->link[c].joint < 0; k++)
            if (!is_recorded(d, d->robot->nrecords, c, -1, fields[k]))
                perp_write(&d->out, ", \"%s.%s\"", d->links->link[c].name, fields[k]);
}

static void write_record(perp_robot_document *d)
{
    perp_robot *robot = d->robot;
    perp_text_writer *w = &d->out;

    perp_write(w, ",\n  \"record\": {\"quantities\": [\"energy\"");
    for (int j = 0; j < robot->njoints; j++)
        if (d->rotor[j] != NULL && d->links->count <= 200)
            perp_write(w, ", \"%s.q\", \"%s.v\"", d->rotor[j], d->rotor[j]);
        else if (d->coordinate[j])
            perp_write(w, ", \"%s.%s\", \"%s.%s\"", d->joint_name[j],
                       perp_document_word(d, j, "angle"), d->joint_name[j],
                       perp_document_word(d, j, "rate"));
    for (int k = 0; k < robot->nrecords; k++) {
        const perp_robot_record *r = &robot->records[k];
        int c = r->body >= 0 ? d->links->carrier[r->body] : -1;
        if (is_recorded(d, k, c, r->joint, r->field))
            continue;
        if (r->joint < 0 && r->body < 0)
            perp_write(w, ", \"%s\"", r->field);
        else if (r->joint >= 0 && d->coordinate[r->joint] && strcmp(r->field, "torque") == 0)
            perp_write(w, ", \"%s.%s\"", d->joint_name[r->joint],
                       perp_document_word(d, r->joint, r->field));
        else if (c >= 0)
            perp_write(w, ", \"%s.%s\"", d->links->link[c].name, r->field);
    }
    record_free(d);
    perp_write(w, "]}");
}

static void write_head(perp_robot_document *d)
{
    const perp_robot *robot = d->robot;
    const perp_robot_options *options = robot->job->options;
    perp_text_writer *w = &d->out;

    perp_write(w, "{\n  \"version\": 1,\n  \"title\": ");
    perp_write_string(w, robot->title != NULL ? robot->title : "robot");
    perp_write(w, ",\n  \"time\": {\"until\": ");
    perp_write_number(w, isnan(options->until) ? 10.0 : options->until);
    perp_write(w, ", \"step\": ");
    perp_write_number(w, isnan(options->step) ? robot->step : options->step);
    perp_write(w, "},\n  \"gravity\": ");
    perp_write_numbers(w, robot->gravity, 3);
}

const char *perp_robot_document_text(perp_robot *robot)
{
    static void (*const parts[])(perp_robot_document *) = {
        write_head,           perp_document_rotors, perp_document_bodies,
        perp_document_joints, write_contacts,       write_record};
    perp_robot_job *job = robot->job;
    perp_robot_document *d = perp_robot_take(job, 1, sizeof *d);
    size_t n = (size_t)robot->njoints;

    if (d == NULL)
        return NULL;
    d->robot = robot;
    d->out.job = d->names.job = job;
    robot->links = d->links = perp_robot_take(job, 1, sizeof *d->links);
    d->joint_name = perp_robot_take(job, n, sizeof *d->joint_name);
    d->coordinate = perp_robot_take(job, n, sizeof *d->coordinate);
    d->link_of = perp_robot_take(job, n, sizeof *d->link_of);
    d->rotor = perp_robot_take(job, n, sizeof *d->rotor);
    if (d->links == NULL || d->joint_name == NULL || d->coordinate == NULL || d->link_of == NULL ||
        d->rotor == NULL || perp_robot_new_name(&d->names, "world") == NULL ||
        perp_robot_make_links(d->links, robot) != 0 || perp_robot_add_floor(robot, d->links) != 0 ||
        perp_contact_rules_make(&d->rules, robot, d->links) != 0 || name_links(d) != 0)
        return NULL;
    if (d->links->count == 0 && (robot->ngeoms == 0 || robot->no_contacts)) {
        if (perp_robot_tell(job) != 0) /* what is missing may be why */
            return NULL;
        perp_robot_fail_status(
            job, PERP_ERR_UNSUPPORTED, NULL,
            "nothing in it moves and has a mass, and it has no shape that could be "
            "touched: nothing to simulate");
        return NULL;
    }
    if (d->links->count == 0)
        perp_robot_note(job, NULL, "nothing in it moves");
    for (int j = 0; j < robot->njoints; j++)
        d->link_of[j] = -1;
    for (int c = 0; c < d->links->count; c++)
        if (d->links->link[c].joint >= 0)
            d->link_of[d->links->link[c].joint] = c;
    for (size_t k = 0; k < sizeof parts / sizeof parts[0] && job->status == PERP_SOLVED; k++)
        parts[k](d); /* each needs what those before it made */
    perp_write(&d->out, "\n}\n");
    return job->status == PERP_SOLVED ? d->out.text : NULL;
}
