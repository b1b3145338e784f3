/* SPDX-License-Identifier: BSD-3-Clause */
/* <composite> of the type cable: bodies in a row, each with its x along its edge and a ball joint
 * at its origin, as elements that are read as others are.  Beside the model's defaults: what is not
 * given has the values that it has without any.  The plugin mujoco.elasticity.cable makes springs
 * of the joints, E I / L and G J / L. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/mjcf.h"

enum { MOST_VERTICES = 2000 };

typedef struct cable {
    perp_mjcf *m;
    const perp_xml *at;
    const char *prefix, *initial;
    double *vertex, offset[3];
    int vertices;
    double normal[3], before[4]; /* of the edge before: its y, its orientation */
    const perp_xml *joint, *geom, *site;
    double length[2], bend, twist; /* of this edge and the one before; Pa */
    int elastic, flat;
} cable;

static double length_of(const double *a)
{
    return sqrt(perp_dot3(a, a));
}

/* A child of `up` with the attributes of `like` (NULL: none), but for its kind. */
static perp_xml *add_element(const cable *c, perp_xml *up, const char *name, const perp_xml *like)
{
    perp_xml *made = perp_robot_take(c->m->job, 1, sizeof *made);

    if (made == NULL || ++c->m->job->elements > PERP_ROBOT_MOST_ELEMENTS)
        return NULL;
    *made = *c->at;
    made->name = name;
    made->line = like != NULL ? like->line : c->at->line;
    made->attributes = NULL;
    made->first = made->last = made->next = NULL;
    made->up = up;
    for (const perp_xml_attribute *a = like != NULL ? like->attributes : NULL; a != NULL;
         a = a->next)
        if (strcmp(a->name, "kind") != 0 &&
            perp_mjcf_add_attribute(c->m, made, a->name, a->value) != 0)
            return NULL;
    if (up != NULL && up->first == NULL)
        up->first = made;
    else if (up != NULL)
        up->last->next = made;
    if (up != NULL)
        up->last = made;
    return made;
}

static const char *numbers(const cable *c, const double *x, int count)
{
    const char *text = "";

    for (int i = 0; i < count && text != NULL; i++)
        text = perp_robot_text(c->m->job, "%s%s%.17g", text, i > 0 ? " " : "", x[i]);
    return text;
}

/* Along one axis of the curve, s from 0 to 1; 0: no such word. */
static int along(double *out, const char *word, size_t length, double s, const double *size)
{
    static const double pi = 3.14159265358979323846;

    if (length == 1 && word[0] == 's')
        *out = s * size[0];
    else if (length == 6 && strncmp(word, "cos(s)", 6) == 0)
        *out = size[1] * cos(pi * s * size[2]);
    else if (length == 6 && strncmp(word, "sin(s)", 6) == 0)
        *out = size[1] * sin(pi * s * size[2]);
    else if (length == 1 && word[0] == '0')
        *out = 0.0;
    else
        return 0;
    return 1;
}

/* Vertices by "curve", "count" and "size", turned by "quat". */
static int read_curve(cable *c, const perp_mjcf_reader *r)
{
    const char *curve = perp_xml_get(c->at, "curve");
    double count[3] = {0.0, 1.0, 1.0}, size[3] = {1.0, 1.0, 1.0}, q[4] = {1.0, 0.0, 0.0, 0.0};

    if (perp_mjcf_numbers(r, "count", count, 3) < 0 || perp_mjcf_numbers(r, "size", size, 3) < 0 ||
        perp_mjcf_exactly(r, "quat", q, 4) < 0)
        return -1;
    if (!(count[0] >= 3.0 && count[0] <= MOST_VERTICES) || count[0] != floor(count[0]) ||
        count[1] != 1.0 || count[2] != 1.0)
        return perp_robot_fail(c->m->job, c->at, "count: of a cable 3 to %d vertices, and 1 1",
                               MOST_VERTICES);
    (void)perp_quaternion_normalise(q);
    c->vertices = (int)count[0];
    c->vertex = perp_robot_take(c->m->job, 3 * (size_t)c->vertices, sizeof *c->vertex);
    if (c->vertex == NULL)
        return -1;
    for (int k = 0; k < c->vertices; k++) {
        const char *word = curve != NULL ? curve : "";
        double v[3] = {0.0, 0.0, 0.0};
        int given = 0;
        for (word += strspn(word, " "); *word != '\0'; word += strspn(word, " ")) {
            size_t length = strcspn(word, " ");
            if (given == 3 || !along(&v[given], word, length, k / (count[0] - 1.0), size))
                return perp_robot_fail(c->m->job, c->at,
                                       "curve: at most three of s, cos(s), sin(s) and 0");
            given++;
            word += length;
        }
        perp_quaternion_rotate(q, v, c->vertex + 3 * k);
    }
    return 0;
}

static int read_vertices(cable *c, const perp_mjcf_reader *r)
{
    const char *text = perp_xml_get(c->at, "vertex");
    int count;

    if (text == NULL)
        return read_curve(c, r);
    c->vertex = perp_robot_take(c->m->job, 3 * MOST_VERTICES, sizeof *c->vertex);
    if (c->vertex == NULL || (count = perp_xml_numbers(c->m->job, c->vertex, 3 * MOST_VERTICES,
                                                       c->at, "vertex", text)) < 0)
        return -1;
    if (count < 9 || count % 3 != 0)
        return perp_robot_fail(c->m->job, c->at, "vertex: three numbers of three points or more");
    c->vertices = count / 3;
    return 0;
}

/* Along the edge, and about it as the edge before is carried along by the least turn; the normal of
 * the first one lies in the plane of both, or is where the least turn from x has y. */
static void turn_frame(cable *c, double *q, int k)
{
    static const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
    double edge[3][3], axis[3], turn[4], columns[6];

    for (int e = 0; e < 3; e++)
        for (int i = 0; i < 3; i++) {
            int from = k + e - 1;
            edge[e][i] = from >= 0 && from + 1 < c->vertices
                             ? c->vertex[3 * from + 3 + i] - c->vertex[3 * from + i]
                             : 0.0;
        }
    c->length[0] = length_of(edge[0]);
    c->length[1] = length_of(edge[1]);
    (void)perp_unit3(edge[1]);
    if (k == 0) {
        memcpy(edge[0], x, sizeof x);
        memcpy(c->normal, y, sizeof y);
    }
    (void)perp_unit3(edge[0]);
    perp_cross3(axis, edge[0], edge[1]);
    double angle = atan2(length_of(axis), perp_dot3(edge[0], edge[1]));
    if (!(perp_unit3(axis) > 0.0)) {
        axis[0] = axis[1] = 0.0;
        axis[2] = 1.0;
    }
    perp_turn_about(turn, axis, angle);
    perp_quaternion_rotate(turn, c->normal, axis);
    memcpy(c->normal, axis, sizeof axis);
    if (k == 0) {
        (void)perp_unit3(edge[2]);
        perp_cross3(axis, edge[1], edge[2]);
        if (length_of(axis) > 1e-12)
            perp_cross3(c->normal, axis, edge[1]);
    }
    (void)perp_unit3(c->normal);
    memcpy(columns, edge[1], sizeof edge[1]);
    (void)perp_turn_from_xy(q, columns, c->normal);
}

static const char *name_of(const cable *c, const char *kind, int k)
{
    if (k == 0 || k == c->vertices - 2)
        return perp_robot_text(c->m->job, "%s%s_%s", c->prefix, kind, k == 0 ? "first" : "last");
    return perp_robot_text(c->m->job, "%s%s_%d", c->prefix, kind, k);
}

static int add_geom(const cable *c, perp_xml *body, int k)
{
    perp_xml *geom = add_element(c, body, "geom", c->geom);
    const char *type = perp_xml_get(c->geom, "type");
    double half = 0.5 * c->length[1], ends[6] = {0.0, 0.0, 0.0, c->length[1], 0.0, 0.0};
    double size[3] = {0.0}, place[3] = {half, 0.0, 0.0};
    const char *text = perp_xml_get(c->geom, "size");

    if (geom == NULL ||
        perp_mjcf_add_attribute(c->m, geom, "name",
                                perp_robot_text(c->m->job, "%sG%d", c->prefix, k)) != 0)
        return -1;
    if (strcmp(type, "box") != 0)
        return perp_mjcf_add_attribute(c->m, geom, "fromto", numbers(c, ends, 6));
    if (text == NULL || perp_xml_numbers(c->m->job, size, 3, c->geom, "size", text) != 3)
        return perp_robot_fail(c->m->job, c->geom, "size: 3 numbers are expected");
    size[0] = half;
    return perp_mjcf_add_attribute(c->m, geom, "size", numbers(c, size, 3)) != 0 ||
                   perp_mjcf_add_attribute(c->m, geom, "pos", numbers(c, place, 3)) != 0
               ? -1
               : 0;
}

static int add_site(const cable *c, perp_xml *body, const char *name, double x)
{
    perp_xml *site = add_element(c, body, "site", c->site);
    double place[3] = {x, 0.0, 0.0};

    return site == NULL || perp_mjcf_add_attribute(c->m, site, "pos", numbers(c, place, 3)) != 0 ||
                   perp_mjcf_add_attribute(c->m, site, "name",
                                           perp_robot_text(c->m->job, "%sS_%s", c->prefix, name)) !=
                       0
               ? -1
               : 0;
}

/* Neighbours never touch, also where the first one stands. */
static int add_exclude(cable *c, int k)
{
    perp_xml *section = perp_xml_child(c->m->root, "contact", NULL), *made;

    if (section == NULL) {
        section = add_element(c, (perp_xml *)c->m->root, "contact", NULL);
        if (section == NULL)
            return -1;
    }
    made = add_element(c, section, "exclude", NULL);
    return made == NULL || perp_mjcf_add_attribute(c->m, made, "body1", name_of(c, "B", k)) != 0 ||
                   perp_mjcf_add_attribute(c->m, made, "body2", name_of(c, "B", k + 1)) != 0
               ? -1
               : 0;
}

/* One more body in the one before; NULL: no memory. */
static perp_xml *add_body(cable *c, perp_xml *up, int k)
{
    perp_xml *body = add_element(c, up, "body", NULL), *joint;
    int first = k == 0, last = k == c->vertices - 2;
    int is_free = first && strcmp(c->initial, "free") == 0;
    double place[3] = {0.0, 0.0, 0.0}, q[4], back[4], turn[4];

    turn_frame(c, q, k);
    memcpy(turn, q, sizeof q);
    place[0] = c->length[0];
    for (int i = 0; first && i < 3; i++)
        place[i] = c->offset[i] + c->vertex[i];
    if (!first) {
        perp_turn_back(back, c->before);
        perp_quaternion_product(back, q, turn);
    }
    memcpy(c->before, q, sizeof q);
    if (body == NULL || perp_mjcf_add_attribute(c->m, body, "quat", numbers(c, turn, 4)) != 0 ||
        perp_mjcf_add_attribute(c->m, body, "pos", numbers(c, place, 3)) != 0 ||
        perp_mjcf_add_attribute(c->m, body, "name", name_of(c, "B", k)) != 0 ||
        add_geom(c, body, k) != 0)
        return NULL;
    if (!first || strcmp(c->initial, "none") != 0) {
        joint = add_element(c, body, "joint", is_free ? NULL : c->joint);
        if (joint == NULL ||
            perp_mjcf_add_attribute(c->m, joint, "type", is_free ? "free" : "ball") != 0 ||
            perp_mjcf_add_attribute(c->m, joint, "name", name_of(c, "J", k)) != 0)
            return NULL;
    }
    if ((first && add_site(c, body, "first", 0.0) != 0) ||
        (last && add_site(c, body, "last", c->length[1]) != 0) || (!last && add_exclude(c, k) != 0))
        return NULL;
    return body;
}

static int read_config(cable *c, const perp_xml *plugin)
{
    for (const perp_xml *at = plugin->first; at != NULL; at = at->next) {
        const char *key = perp_xml_get(at, "key"), *value = perp_xml_get(at, "value");
        double *number = key == NULL                 ? NULL
                         : strcmp(key, "twist") == 0 ? &c->twist
                         : strcmp(key, "bend") == 0  ? &c->bend
                                                     : NULL;
        if (number != NULL &&
            (value == NULL || perp_xml_numbers(c->m->job, number, 1, at, "value", value) != 1))
            return perp_robot_fail(c->m->job, at, "value: one number is expected");
        if (number != NULL && !(*number >= 0.0))
            return perp_robot_fail(c->m->job, at, "value: less than 0");
        if (key != NULL && strcmp(key, "flat") == 0)
            c->flat = value != NULL && strcmp(value, "true") == 0;
        else if (number == NULL && (key == NULL || strcmp(key, "vmax") != 0))
            perp_robot_missing(c->m->job, at, "this part of a plugin");
    }
    return 0;
}

/* The plugin itself, or its instance in <extension>. */
static int read_plugin(cable *c, const perp_xml *at)
{
    static const char known[] = "mujoco.elasticity.cable";
    const char *name = perp_xml_get(at, "plugin"), *wanted = perp_xml_get(at, "instance");
    const perp_xml *section = NULL, *plugin, *one;

    while (wanted != NULL && (section = perp_xml_child(c->m->root, "extension", section)) != NULL)
        for (plugin = NULL; (plugin = perp_xml_child(section, "plugin", plugin)) != NULL;)
            for (one = NULL; (one = perp_xml_child(plugin, "instance", one)) != NULL;)
                if (perp_xml_get(one, "name") != NULL &&
                    strcmp(perp_xml_get(one, "name"), wanted) == 0) {
                    name = perp_xml_get(plugin, "plugin");
                    at = one;
                }
    if (name == NULL || strcmp(name, known) != 0) {
        perp_robot_missing(c->m->job, at, "a plugin that is not mujoco.elasticity.cable");
        return 0;
    }
    c->elastic = 1;
    return read_config(c, at);
}

static int read_parts(cable *c)
{
    const char *type;

    for (const perp_xml *at = c->at->first; at != NULL; at = at->next) {
        const char *kind = perp_xml_get(at, "kind");
        if (perp_xml_is(at, "joint") && (kind == NULL || strcmp(kind, "main") == 0))
            c->joint = at;
        else if (perp_xml_is(at, "geom"))
            c->geom = at;
        else if (perp_xml_is(at, "site"))
            c->site = at;
        else if (perp_xml_is(at, "plugin")) {
            if (read_plugin(c, at) != 0)
                return -1;
        } else if (!perp_xml_is(at, "skin"))
            perp_robot_missing(c->m->job, at, "this part of a composite");
    }
    type = c->geom != NULL ? perp_xml_get(c->geom, "type") : NULL;
    if (type == NULL ||
        (strcmp(type, "capsule") != 0 && strcmp(type, "cylinder") != 0 && strcmp(type, "box") != 0))
        return perp_robot_fail(c->m->job, c->geom != NULL ? c->geom : c->at,
                               "a cable is of capsules, cylinders or boxes");
    return 0;
}

/* G J / L about the edge, E I / L about the others, L the edge before. */
static void stiffen(const cable *c, int first_joint)
{
    static const double pi = 3.14159265358979323846;
    perp_robot *robot = c->m->robot;

    for (int j = first_joint; j < robot->njoints && c->elastic; j++) {
        perp_robot_joint *joint = &robot->joints[j];
        const perp_robot_body *body = &robot->bodies[joint->body];
        const perp_robot_geom *geom = robot->geoms;
        double length = length_of(body->pose.p), J, I[2];
        if (joint->motion != PERP_ROBOT_BALL || (j == first_joint && strcmp(c->initial, "none")))
            continue;
        while (geom->body != joint->body)
            geom++;
        if (geom->form == PERP_ROBOT_BOX) {
            double h = geom->size[1], w = geom->size[2], a = fmax(h, w), b = fmin(h, w);
            J = a * pow(b, 3) * (16.0 / 3.0 - 3.36 * b / a * (1.0 - pow(b / a, 4) / 12.0));
            I[0] = 4.0 / 3.0 * pow(w, 3) * h;
            I[1] = 4.0 / 3.0 * pow(h, 3) * w;
        } else {
            J = 0.5 * pi * pow(geom->size[0], 4);
            I[0] = I[1] = 0.5 * J;
        }
        joint->elastic[0] = c->twist * J / length;
        joint->elastic[1] = c->bend * I[0] / length;
        joint->elastic[2] = c->bend * I[1] / length;
        joint->flat = c->flat;
    }
}

int perp_mjcf_read_composite(perp_mjcf *m, const perp_xml *at, const perp_mjcf_place *place)
{
    static const perp_xml nothing = {.name = "default"};
    static const perp_mjcf_class plain = {.name = "composite", .at = &nothing};
    perp_mjcf_reader r = {m, at, NULL, NULL};
    perp_mjcf_place inside = *place;
    const char *type = perp_xml_get(at, "type");
    cable c = {.m = m, .at = at, .prefix = perp_xml_get(at, "prefix")};
    perp_xml *whole = NULL, *body = NULL;
    int first_joint = m->robot->njoints;

    if (type == NULL || strcmp(type, "cable") != 0) {
        perp_robot_missing(m->job, at, "type '%.40s': of composites cables alone",
                           type != NULL ? type : "");
        return 0;
    }
    c.initial = perp_xml_get(at, "initial");
    c.initial = c.initial != NULL ? c.initial : "ball";
    c.prefix = c.prefix != NULL ? c.prefix : "";
    perp_mjcf_check(&r, "prefix type count offset vertex initial curve size quat", "");
    if (strcmp(c.initial, "none") != 0 && strcmp(c.initial, "ball") != 0 &&
        strcmp(c.initial, "free") != 0)
        return perp_robot_fail(m->job, at, "initial: '%.40s' is none of none, ball, free",
                               c.initial);
    if (perp_mjcf_exactly(&r, "offset", c.offset, 3) < 0 || read_vertices(&c, &r) != 0 ||
        read_parts(&c) != 0)
        return -1;
    for (int k = 0; k + 1 < c.vertices; k++) {
        body = add_body(&c, body, k);
        whole = whole != NULL ? whole : body;
        if (body == NULL)
            return m->job->status != PERP_SOLVED
                       ? -1
                       : perp_robot_fail(m->job, at, "more than %d elements",
                                         PERP_ROBOT_MOST_ELEMENTS);
        if (!(c.length[1] > 0.0))
            return perp_robot_fail(m->job, at, "two vertices at one place");
    }
    inside.childclass = &plain;
    if (perp_mjcf_read_child(m, whole, &inside) != 0)
        return -1;
    stiffen(&c, first_joint);
    return 0;
}
