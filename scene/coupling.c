/* SPDX-License-Identifier: BSD-3-Clause */
/* Relation "coupling": a sum of factors times coordinates of joints and of Lagrangian systems.  An angle
 * is the one nearest to where its joint starts, or, with `follows`, to the coordinate of a system. */
#include <math.h>
#include <string.h>

#include "scene/relations.h"

typedef struct term {
    double factor, start;
    int first, second; /* offsets of the states in x; -1: the world */
    int entry;         /* of a Lagrangian coordinate in x; -1: a joint */
    int follows;       /* entry that the angle is nearest to; -1: start */
    int is_angle;
    double axis[3];              /* in the frame of the second body, or the world */
    double relative[4];          /* turn of the first body in that frame at the start */
    double anchor[2][3];         /* of a slide, in both frames */
    const perp_scene_named_interaction *joint;
} term;

typedef struct coupling {
    int terms, entries;
    double offset;
    term *term;
} coupling;

static const double pi = 3.14159265358979323846;
static const double at_rest[7] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(double *out, const double *a, const double *b)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static const double *state(const double *x, int at)
{
    return at >= 0 ? x + at : at_rest;
}

/* The turn of the first body against the second one since the start is about the axis: its angle. */
static double angle(const term *c, const double *x)
{
    const double *a = state(x, c->first) + 3, *b = state(x, c->second) + 3;
    double back[4] = {b[0], -b[1], -b[2], -b[3]}, since[4], relative[4], turned[4], raw, near;

    perp_quaternion_product(back, a, relative);
    memcpy(since, c->relative, sizeof since);
    for (int i = 1; i < 4; i++)
        since[i] = -since[i];
    perp_quaternion_product(relative, since, turned);
    raw = c->start + 2.0 * atan2(dot(turned + 1, c->axis), turned[0]);
    near = c->follows >= 0 ? x[c->follows] : c->start;
    return near + remainder(raw - near, 2.0 * pi);
}

/* From the anchor on the second body to that on the first, and the arms of both from the centres. */
static void way(double *out, double arm[2][3], const term *c, const double *x)
{
    const double *q[2] = {state(x, c->first), state(x, c->second)};

    for (int k = 0; k < 2; k++)
        perp_quaternion_rotate(q[k] + 3, c->anchor[k], arm[k]);
    for (int i = 0; i < 3; i++)
        out[i] = q[0][i] + arm[0][i] - q[1][i] - arm[1][i];
}

static double value(const term *c, const double *x)
{
    double line[3], arm[2][3], axis[3];

    if (c->entry >= 0)
        return x[c->entry];
    if (c->is_angle)
        return angle(c, x);
    way(line, arm, c, x);
    perp_quaternion_rotate(state(x, c->second) + 3, c->axis, axis);
    return c->start + dot(axis, line);
}

static int output(double *out, double t, const double *x, const double *lambda, const double *z,
                  void *user)
{
    const coupling *c = user;

    (void)t, (void)lambda, (void)z;
    out[0] = -c->offset;
    for (int k = 0; k < c->terms; k++)
        out[0] += c->term[k].factor * value(&c->term[k], x);
    return 0;
}

/* A covector on (velocity, angular velocity in the world) as one on the seven coordinates: a turn moves
 * the unit quaternion p by p o (0, w) / 2, w in the frame of the body. */
static void add_body(double *out, const double *x, int at, double factor, const double *straight,
                     const double *turning)
{
    double w[4] = {0.0, 0.0, 0.0, 0.0}, moved[4];

    if (at < 0)
        return;
    perp_quaternion_rotate_back(x + at + 3, turning, w + 1);
    perp_quaternion_product(x + at + 3, w, moved);
    for (int i = 0; i < 3; i++)
        out[at + i] += factor * straight[i];
    for (int i = 0; i < 4; i++)
        out[at + 3 + i] += factor * 2.0 * moved[i];
}

static int gradient(double *out, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    const coupling *c = user;

    (void)t, (void)lambda, (void)z;
    memset(out, 0, (size_t)c->entries * sizeof *out);
    for (int k = 0; k < c->terms; k++) {
        const term *one = &c->term[k];
        double axis[3], line[3], arm[2][3], first[3], second[3], none[3] = {0.0, 0.0, 0.0};
        if (one->entry >= 0) {
            out[one->entry] += one->factor;
            continue;
        }
        perp_quaternion_rotate(state(x, one->second) + 3, one->axis, axis);
        if (one->is_angle) {
            add_body(out, x, one->first, one->factor, none, axis);
            add_body(out, x, one->second, -one->factor, none, axis);
            continue;
        }
        way(line, arm, one, x);
        cross(first, arm[0], axis);
        for (int i = 0; i < 3; i++)
            line[i] += arm[1][i]; /* the axis turns with the second body */
        cross(second, line, axis);
        add_body(out, x, one->first, one->factor, axis, first);
        add_body(out, x, one->second, -one->factor, axis, second);
    }
    return 0;
}

/* The offset of a system of the relation in x; -1: it does not take part. */
static int offset_of(const perp_scene_link *link, const perp_scene_member *s)
{
    int at = 0;

    for (int k = 0; k < link->nsystems; k++) {
        if (link->systems[k] == s)
            return at;
        at += link->systems[k]->nx;
    }
    return -1;
}

/* A Lagrangian coordinate: {"system", "coordinate"}; its entry, or -1 after a message. */
static int read_entry(const perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene_node name = perp_scene_get(at, "system");
    perp_scene_member *s = perp_scene_named(link->scene, &name);
    int coordinate = 0, offset;

    if (s == NULL)
        return -1;
    offset = offset_of(link, s);
    if (offset < 0 || s->kind != PERP_SCENE_LAGRANGIAN)
        return perp_scene_fail(&name, "it is to be one of 'systems', with coordinates");
    if (perp_scene_integer(&coordinate, at, "coordinate", 0, s->nx - 1) != 0)
        return -1;
    return offset + coordinate;
}

/* Frames of a joint that was read before. */
static int take_joint(const perp_scene_link *link, term *c, const perp_scene_node *name)
{
    perp_scene *scene = link->scene;
    const char *word = json_string_value(name->json);
    int k = word != NULL ? perp_scene_number_of(&scene->interaction_names, word) : -1;
    const perp_scene_named_interaction *joint = k >= 0 ? &scene->interactions[k] : NULL;

    if (joint == NULL || joint->frame.kind == 0)
        return perp_scene_fail(name, "a pivot or prismatic joint that stands before is expected");
    c->joint = joint;
    c->is_angle = joint->frame.kind == 1;
    c->start = joint->frame.start;
    for (int b = 0; b < 2; b++) {
        const perp_scene_member *s = b < joint->nsystems ? joint->systems[b] : NULL;
        double still[4] = {1.0, 0.0, 0.0, 0.0}, place[3] = {0.0, 0.0, 0.0}, line[3];
        int at = s != NULL ? offset_of(link, s) : -1;
        if (s != NULL && at < 0)
            return perp_scene_fail(name, "'%s', which it moves, is not among 'systems'", s->name);
        if (s != NULL) {
            memcpy(still, s->as.body.quaternion, sizeof still);
            memcpy(place, s->as.body.position, sizeof place);
        }
        for (int i = 0; i < 3; i++)
            line[i] = joint->frame.anchor[i] - place[i];
        perp_quaternion_rotate_back(still, line, c->anchor[b]);
        if (b == 0) {
            c->first = at;
            memcpy(c->relative, still, sizeof still);
        } else {
            double back[4] = {still[0], -still[1], -still[2], -still[3]}, relative[4], length;
            c->second = at;
            perp_quaternion_product(back, c->relative, relative);
            memcpy(c->relative, relative, sizeof relative);
            perp_quaternion_rotate_back(still, joint->frame.axis, c->axis);
            length = sqrt(dot(c->axis, c->axis));
            for (int i = 0; i < 3; i++)
                c->axis[i] /= length;
        }
    }
    return 0;
}

static int read_term(perp_scene_link *link, term *c, const perp_scene_node *at)
{
    perp_scene_node joint = perp_scene_get(at, "joint"), follows = perp_scene_get(at, "follows");

    c->factor = 1.0;
    c->entry = c->follows = -1;
    if (perp_scene_object(at, joint.json != NULL ? "joint factor follows" : "system coordinate factor") !=
            0 ||
        perp_scene_real(&c->factor, at, "factor", -1e300, 1e300) != 0)
        return -1;
    if (joint.json == NULL) {
        c->entry = read_entry(link, at);
        return c->entry < 0 ? -1 : 0;
    }
    if (take_joint(link, c, &joint) != 0)
        return -1;
    if (follows.json == NULL)
        return 0;
    if (perp_scene_object(&follows, "system coordinate") != 0)
        return -1;
    c->follows = read_entry(link, &follows);
    return c->follows < 0 ? -1 : 0;
}

static int place_of(const perp_scene_link *link, const perp_scene_member *s)
{
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k] == s)
            return k;
    return -1;
}

/* Joints alone, and few of them: the relation of the kernel, whose angles turn any number of times. */
static int tie_joints(perp_scene_link *link, const coupling *c)
{
    perp_relation *relation = &link->def.relation;
    perp_joint_term *terms = perp_scene_take(link->scene, (size_t)c->terms, sizeof *terms);

    if (terms == NULL)
        return -1;
    relation->origin = c->offset;
    for (int k = 0; k < c->terms; k++) {
        const term *one = &c->term[k];
        perp_joint_term *made = &terms[k];
        made->coordinate = one->is_angle ? PERP_JOINT_ANGLE : PERP_JOINT_SLIDE;
        made->first = place_of(link, one->joint->systems[0]);
        made->second = one->joint->nsystems > 1 ? place_of(link, one->joint->systems[1]) : -1;
        memcpy(made->anchor, one->joint->frame.anchor, sizeof made->anchor);
        memcpy(made->axis, one->joint->frame.axis, sizeof made->axis);
        made->factor = one->factor;
        relation->origin -= one->factor * one->start;
    }
    relation->kind = PERP_RELATION_COUPLING;
    relation->nterms = c->terms;
    relation->terms = terms;
    return 0;
}

int perp_scene_read_coupling(perp_scene_link *link, const perp_scene_node *at)
{
    perp_scene_node list = perp_scene_get(at, "terms");
    coupling *c = perp_scene_take(link->scene, 1, sizeof *c);
    size_t count = 0;

    if (c == NULL || perp_scene_object(at, "type terms offset") != 0 ||
        perp_scene_array(&list, &count) != 0 ||
        perp_scene_real(&c->offset, at, "offset", -1e300, 1e300) != 0)
        return -1;
    if (count < 1 || count > 1000)
        return perp_scene_fail(&list, "1 to 1000 terms are expected");
    if (link->has_law && link->def.law.dim != 1)
        return perp_scene_fail(at, "it has one row, its law %d", link->def.law.dim);
    if (!link->has_law)
        link->def.law = perp_law_equality();
    link->has_law = 1;
    c->terms = (int)count;
    c->entries = link->entries;
    c->term = perp_scene_take(link->scene, count, sizeof *c->term);
    for (size_t k = 0; c->term != NULL && k < count; k++) {
        perp_scene_node one = perp_scene_at(&list, k);
        if (read_term(link, &c->term[k], &one) != 0)
            return -1;
    }
    int joints = c->term != NULL && count <= PERP_JOINT_TERMS;
    for (size_t k = 0; joints && k < count; k++)
        joints = c->term[k].entry < 0 && c->term[k].follows < 0 && c->term[k].factor != 0.0;
    link->def.relation.rows = 1;
    if (joints)
        return tie_joints(link, c);
    link->def.relation.kind = PERP_RELATION_SCLERONOMOUS;
    link->def.relation.h = output;
    link->def.relation.h_x = gradient;
    link->def.relation.user = c;
    return c->term != NULL ? 0 : -1;
}
