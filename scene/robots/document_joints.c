/* SPDX-License-Identifier: BSD-3-Clause */
/* The section "interactions": joints with their coordinates, ties and strings. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/document.h"

const char *perp_document_word(const perp_robot_document *d, int joint, const char *field)
{
    static const char *const words[2][3] = {{"angle", "rate", "torque"},
                                            {"slide", "speed", "force"}};
    int slides = d->robot->joints[joint].motion == PERP_ROBOT_SLIDE;

    for (int k = 0; k < 3; k++)
        if (strcmp(words[0][k], field) == 0)
            return words[slides][k];
    return field;
}

static void write_value(perp_text_writer *w, const char *key, double x)
{
    perp_write(w, ", \"%s\": ", key);
    perp_write_number(w, x);
}

/* {"target": ..., "torque": ...}: a spring with a damper, or a brake that holds the start. */
static void write_servo(perp_text_writer *w, const perp_robot_joint *joint)
{
    const char *force = joint->motion == PERP_ROBOT_SLIDE ? "force" : "torque";
    double most = joint->servo_most;

    if (joint->has_servo && isfinite(joint->servo_most)) {
        perp_write(w, ", \"servo\": {\"target\": ");
        if (joint->targets != NULL)
            perp_document_write_table(w, joint->targets);
        else
            perp_write_number(w, joint->target);
        write_value(w, "stiffness", joint->servo_stiffness);
        write_value(w, "damping", joint->servo_damping);
    } else if (joint->holds && !joint->has_servo) {
        perp_write(w, ", \"servo\": {\"target\": ");
        perp_write_number(w, joint->target);
        if (isfinite(joint->speed_limit))
            write_value(w, "speed", joint->speed_limit);
        write_value(w, "acceleration", 10.0);
        most = joint->most;
    } else {
        return;
    }
    if (isfinite(most))
        write_value(w, force, most);
    perp_write(w, "}");
}

/* The keys of the coordinate; 1 where there was one. */
static int write_laws(perp_text_writer *w, const perp_robot_joint *joint, int wanted)
{
    size_t before = w->used;

    if (joint->limited) {
        perp_write(w, ", \"limits\": [");
        for (int k = 0; k < 2; k++) {
            double bound = k == 0 ? joint->low : joint->high;
            perp_write(w, "%s", k == 0 ? "" : ", ");
            if (isfinite(bound))
                perp_write_number(w, bound);
            else
                perp_write(w, "null");
        }
        perp_write(w, "]");
        if (joint->e > 0.0)
            write_value(w, "e", joint->e);
    }
    write_servo(w, joint);
    if (joint->friction > 0.0 || (wanted && w->used == before))
        write_value(w, "friction", joint->friction);
    int has = w->used > before;
    if (joint->start != 0.0)
        write_value(w, "start", joint->start);
    return has;
}

void perp_document_systems(perp_robot_document *d, int a, int b)
{
    perp_write(&d->out, "\"systems\": [\"%s\"", d->links->link[a].name);
    if (b >= 0)
        perp_write(&d->out, ", \"%s\"", d->links->link[b].name);
    perp_write(&d->out, "]");
}

void perp_document_begin(perp_robot_document *d, int *count)
{
    perp_write(&d->out, "%s", (*count)++ == 0 ? ",\n  \"interactions\": [\n    " : ",\n    ");
}

/* What acts on the rates of a ball joint; and its limit: half a turn is none. */
static void write_ball(perp_text_writer *w, const perp_robot_joint *joint, int to_world)
{
    double turned[3];

    if (joint->friction > 0.0)
        write_value(w, "friction", joint->friction);
    if (joint->damping > 0.0 && !to_world && !perp_robot_has_axes(joint))
        write_value(w, "damping", joint->damping);
    if (!joint->limited || joint->high >= 3.14159265358979)
        return;
    perp_write(w, ", \"limits\": [0, ");
    perp_write_number(w, joint->high);
    perp_write(w, "]");
    if (joint->e > 0.0)
        write_value(w, "e", joint->e);
    if (!joint->has_pose)
        return;
    perp_quaternion_log(joint->pose + 3, turned);
    perp_write(w, ", \"turned\": ");
    perp_write_numbers(w, turned, 3);
}

static void write_joint(perp_robot_document *d, int c, int *count)
{
    static const char *const kinds[] = {[PERP_ROBOT_FREE] = "",
                                        [PERP_ROBOT_BALL] = "point",
                                        [PERP_ROBOT_SLIDE] = "prismatic",
                                        [PERP_ROBOT_HINGE] = "pivot",
                                        [PERP_ROBOT_FLAT] = "planar"};
    const perp_robot_link *link = &d->links->link[c];
    const perp_robot_joint *joint = link->joint >= 0 ? &d->robot->joints[link->joint] : NULL;
    perp_text_writer *w = &d->out;

    if (joint == NULL)
        return;
    perp_document_begin(d, count);
    perp_write(w, "{\"name\": \"%s\", ", d->joint_name[link->joint]);
    perp_document_systems(d, c, link->parent);
    perp_write(w, ",\n     \"relation\": {\"type\": \"joint\", \"joint\": \"%s\", \"anchor\": ",
               kinds[joint->motion]);
    perp_write_numbers(w, link->anchor, 3);
    if (joint->motion != PERP_ROBOT_BALL) {
        perp_write(w, ", \"axis\": ");
        perp_write_numbers(w, link->axis, 3);
    }
    if (joint->motion == PERP_ROBOT_BALL)
        write_ball(w, joint, link->parent < 0);
    if (joint->motion == PERP_ROBOT_HINGE || joint->motion == PERP_ROBOT_SLIDE)
        d->coordinate[link->joint] =
            write_laws(w, joint, d->links->count <= 200 && d->rotor[link->joint] == NULL);
    perp_write(w, "}}");
}

/* The links of two bodies, the first one moving: 0 where both stand or are one. */
static int two_links(const perp_robot_document *d, int *a, int *b, const int *body)
{
    *a = body[0] >= 0 ? d->links->carrier[body[0]] : -1;
    *b = body[1] >= 0 ? d->links->carrier[body[1]] : -1;
    if (*a == *b)
        return 0;
    if (*a < 0) {
        *a = *b;
        *b = -1;
    }
    return 1;
}

/* A weld holds its bodies as they start: whether that is the pose that the model gives. */
static int starts_welded(const perp_robot_document *d, const perp_robot_equality *tie)
{
    static const double small = 1e-5; /* digits of a model that a program wrote */
    perp_pose pose[2], within;
    double way = 0.0, size = 1.0, cosine = 0.0;

    for (int k = 0; k < 2; k++)
        pose[k] = tie->body[k] >= 0 ? d->links->pose[tie->body[k]] : perp_pose_identity();
    within = perp_pose_within(&pose[0], &pose[1]);
    for (int i = 0; i < 3; i++) {
        way = fmax(way, fabs(within.p[i] - tie->pose.p[i]));
        size = fmax(size, fabs(tie->pose.p[i]));
    }
    for (int i = 0; i < 4; i++)
        cosine += within.q[i] * tie->pose.q[i];
    return way <= small * size && 1.0 - fabs(cosine) <= small * small;
}

/* Between the coordinates that follow both joints. */
static void write_curve(perp_robot_document *d, const perp_robot_equality *tie, int *count)
{
    const char *a = d->rotor[tie->joint[0]], *b = d->rotor[tie->joint[1]];
    perp_text_writer *w = &d->out;

    if (a == NULL || b == NULL) {
        perp_robot_missing(d->robot->job, tie->at, "polycoef beyond a line, of what does not move");
        return;
    }
    perp_document_begin(d, count);
    perp_write(w,
               "{\"name\": \"%s\", \"systems\": [\"%s\", \"%s\"],\n     \"relation\": "
               "{\"type\": \"curve\", \"of\": {\"system\": \"%s\"}, \"with\": {\"system\": "
               "\"%s\"}, \"polynomial\": ",
               perp_robot_new_name(&d->names, tie->name), a, b, a, b);
    perp_write_numbers(w, tie->poly, 5);
    perp_write(w, "}}");
}

static void write_tie(perp_robot_document *d, const perp_robot_equality *tie, int *count)
{
    perp_text_writer *w = &d->out;
    double anchor[3];
    int a, b;

    if (tie->curved) {
        write_curve(d, tie, count);
        return;
    }
    if (tie->tie == PERP_ROBOT_COUPLE) {
        perp_robot_sum sum = {.name = tie->name,
                              .at = tie->at,
                              .joint = {tie->joint[0], tie->joint[1]},
                              .terms = tie->joint[1] >= 0 ? 2 : 1,
                              .factor = {1.0, -tie->ratio},
                              .low = tie->offset};
        perp_document_sum(d, &sum, 0, count);
        return;
    }
    if (!two_links(d, &a, &b, tie->body)) {
        perp_robot_note(d->robot->job, tie->at, "ties what does not move against each other");
        return;
    }
    if (tie->has_pose && !starts_welded(d, tie)) {
        perp_robot_missing(d->robot->job, tie->at, "relpose: the bodies do not start in it");
        return;
    }
    if (tie->body[0] >= 0)
        perp_pose_apply(anchor, &d->links->pose[tie->body[0]], tie->anchor);
    else
        memcpy(anchor, tie->anchor, sizeof anchor);
    perp_document_begin(d, count);
    perp_write(w, "{\"name\": \"%s\", ", perp_robot_new_name(&d->names, tie->name));
    perp_document_systems(d, a, b);
    perp_write(w, ",\n     \"relation\": {\"type\": \"joint\", \"joint\": \"%s\", \"anchor\": ",
               tie->tie == PERP_ROBOT_CONNECT ? "point" : "fixed");
    perp_write_numbers(w, anchor, 3);
    perp_write(w, "}}");
}

/* A place of a body in the frame of its link, which sits in its centre; or in the world. */
static void place_in(double *out, const perp_robot_document *d, int body, const double *place)
{
    int c = body >= 0 ? d->links->carrier[body] : -1;
    perp_pose frame;
    double at[3];

    memcpy(at, place, sizeof at);
    if (body >= 0)
        perp_pose_apply(at, &d->links->pose[body], place);
    memcpy(out, at, sizeof at);
    if (c < 0)
        return;
    frame = d->links->link[c].pose;
    memcpy(frame.p, d->links->link[c].lump.centre, sizeof frame.p);
    perp_pose in = {{at[0], at[1], at[2]}, {1.0, 0.0, 0.0, 0.0}};
    in = perp_pose_within(&frame, &in);
    memcpy(out, in.p, sizeof in.p);
}

/* The links of the ends of a string and its places in them; 0 where they do not move against each
 * other. */
static int string_ends(const perp_robot_document *d, const perp_robot_string *s, int *link,
                       double place[2][3])
{
    int first;

    if (!two_links(d, &link[0], &link[1], s->body))
        return 0;
    first = s->body[0] >= 0 && d->links->carrier[s->body[0]] == link[0] ? 0 : 1;
    place_in(place[0], d, s->body[first], s->place[first]);
    place_in(place[1], d, s->body[1 - first], s->place[1 - first]);
    return 1;
}

static void write_string(perp_robot_document *d, const perp_robot_string *s, int least, int *count)
{
    perp_text_writer *w = &d->out;
    double place[2][3];
    int link[2];

    if (!string_ends(d, s, link, place)) {
        perp_robot_note(d->robot->job, s->at, "joins what does not move against each other");
        return;
    }
    perp_document_begin(d, count);
    perp_write(w, "{\"name\": \"%s\", ", perp_robot_new_name(&d->names, s->name));
    perp_document_systems(d, link[0], link[1]);
    perp_write(w, ",\n     \"relation\": {\"type\": \"distance\", \"point\": ");
    perp_write_numbers(w, place[0], 3);
    perp_write(w, ", \"%s\": ", link[1] >= 0 ? "to" : "anchor");
    perp_write_numbers(w, place[1], 3);
    write_value(w, "length", least ? s->low : s->high);
    perp_write(w, ", \"side\": \"%s\"}, \"law\": {\"type\": \"impact\", \"e\": ",
               least ? "at-least" : "at-most");
    perp_write_number(w, s->e);
    perp_write(w, "}}");
}

void perp_document_begin_force(perp_robot_document *d, int *count)
{
    perp_write(&d->out, "%s", (*count)++ == 0 ? ",\n  \"forces\": [\n    " : ",\n    ");
}

/* The spring and damper along a string. */
static void write_spring(perp_robot_document *d, const perp_robot_string *s, int *count)
{
    perp_text_writer *w = &d->out;
    double place[2][3];
    int link[2];

    if (!(s->stiffness + s->damping > 0.0) || !string_ends(d, s, link, place))
        return;
    perp_document_begin_force(d, count);
    perp_write(w, "{\"type\": \"spring\", \"from\": {\"system\": \"%s\", \"point\": ",
               d->links->link[link[0]].name);
    perp_write_numbers(w, place[0], 3);
    if (link[1] >= 0)
        perp_write(w, "}, \"to\": {\"system\": \"%s\", \"point\": ", d->links->link[link[1]].name);
    else
        perp_write(w, "}, \"to\": {\"world\": ");
    perp_write_numbers(w, place[1], 3);
    perp_write(w, "}");
    write_value(w, "stiffness", s->stiffness);
    write_value(w, "damping", s->damping);
    if (s->longest > s->rest) {
        const double range[2] = {s->rest, s->longest};
        perp_write(w, ", \"length\": ");
        perp_write_numbers(w, range, 2);
    } else {
        write_value(w, "length", s->rest);
    }
    perp_write(w, "}");
}

static void write_forces(perp_robot_document *d)
{
    int count = 0;

    for (int c = 0; c < d->links->count; c++)
        perp_document_passive_forces(d, c, &count);
    perp_document_pushes(d, &count);
    perp_document_fluid(d, &count);
    perp_document_sum_forces(d, &count);
    for (int k = 0; k < d->robot->nstrings; k++)
        write_spring(d, &d->robot->strings[k], &count);
    perp_write(&d->out, "%s", count > 0 ? "\n  ]" : "");
}

void perp_document_joints(perp_robot_document *d)
{
    const perp_robot *robot = d->robot;
    int count = 0;

    for (int c = 0; c < d->links->count; c++) {
        write_joint(d, c, &count);
        perp_document_passive_rows(d, c, &count);
    }
    for (int k = 0; k < robot->nequalities; k++)
        write_tie(d, &robot->equalities[k], &count);
    perp_document_sums(d, &count);
    for (int j = 0; j < robot->njoints; j++)
        perp_document_rotor(d, j, &count);
    for (int k = 0; k < robot->nstrings; k++) {
        if (robot->strings[k].low > 0.0)
            write_string(d, &robot->strings[k], 1, &count);
        if (isfinite(robot->strings[k].high))
            write_string(d, &robot->strings[k], 0, &count);
    }
    perp_write(&d->out, "%s", count > 0 ? "\n  ]" : "");
    write_forces(d);
}
