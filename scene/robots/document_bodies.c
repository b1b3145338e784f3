/* SPDX-License-Identifier: BSD-3-Clause */
/* The section "bodies": what moves, and shapes that stand. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/document.h"

/* A pose without what rounding left of a zero, for lengths of about this size. */
static perp_pose tidy(const perp_pose *pose, double size)
{
    perp_pose out = *pose;

    for (int i = 0; i < 3; i++)
        if (fabs(out.p[i]) < 1e-15 * size)
            out.p[i] = 0.0;
    for (int i = 0; i < 4; i++)
        if (fabs(out.q[i]) < 1e-15)
            out.q[i] = 0.0;
    if (out.q[0] < 0.0)
        for (int i = 0; i < 4; i++)
            out.q[i] = -out.q[i];
    if (out.q[1] == 0.0 && out.q[2] == 0.0 && out.q[3] == 0.0)
        out.q[0] = 1.0;
    return out;
}

static void write_pose(perp_text_writer *w, const perp_pose *pose)
{
    if (pose->p[0] != 0.0 || pose->p[1] != 0.0 || pose->p[2] != 0.0) {
        perp_write(w, ", \"position\": ");
        perp_write_numbers(w, pose->p, 3);
    }
    if (pose->q[0] != 1.0) {
        perp_write(w, ", \"quaternion\": ");
        perp_write_numbers(w, pose->q, 4);
    }
}

/* Its points are not those of the file, but for their scale. */
static int is_moved(const perp_robot_mesh *mesh)
{
    const perp_pose *p = &mesh->pose;

    return p->p[0] != 0.0 || p->p[1] != 0.0 || p->p[2] != 0.0 || p->q[0] != 1.0;
}

static void write_mesh(perp_text_writer *w, const perp_robot_mesh *mesh)
{
    perp_write(w, "{\"type\": \"hull\", ");
    if (mesh->file != NULL && !is_moved(mesh)) {
        perp_write(w, "\"file\": ");
        perp_write_string(w, mesh->file);
        if (mesh->scale[0] != 1.0 || mesh->scale[1] != 1.0 || mesh->scale[2] != 1.0) {
            perp_write(w, ", \"scale\": ");
            perp_write_numbers(w, mesh->scale, 3);
        }
        return;
    }
    perp_write(w, "\"points\": [");
    for (int k = 0; k < mesh->npoints; k++) {
        perp_write(w, "%s", k > 0 ? ", " : "");
        perp_write_numbers(w, mesh->points + 3 * k, 3);
    }
    perp_write(w, "]");
}

static void write_field(perp_text_writer *w, const perp_robot_field *field)
{
    perp_write(w, "{\"type\": \"height-field\", \"spacing\": ");
    perp_write_numbers(w, field->spacing, 2);
    perp_write(w, ", \"heights\": [");
    for (int i = 0; i < field->rows; i++) {
        perp_write(w, "%s", i > 0 ? ",\n        " : "");
        perp_write_numbers(w, field->height + (size_t)i * (size_t)field->columns, field->columns);
    }
    perp_write(w, "]");
}

/* {"type": ... without the brace at the end. */
static void write_form(perp_text_writer *w, const perp_robot_geom *geom)
{
    double whole[3];
    const char *names[] = {[PERP_ROBOT_CAPSULE] = "capsule", [PERP_ROBOT_CYLINDER] = "cylinder"};

    switch (geom->form) {
    case PERP_ROBOT_SPHERE:
        perp_write(w, "{\"type\": \"sphere\", \"radius\": ");
        perp_write_number(w, geom->size[0]);
        break;
    case PERP_ROBOT_CAPSULE:
    case PERP_ROBOT_CYLINDER:
        perp_write(w, "{\"type\": \"%s\", \"radius\": ", names[geom->form]);
        perp_write_number(w, geom->size[0]);
        perp_write(w, ", \"length\": ");
        perp_write_number(w, 2.0 * geom->size[1]);
        break;
    case PERP_ROBOT_ELLIPSOID:
        perp_write(w, "{\"type\": \"ellipsoid\", \"radii\": ");
        perp_write_numbers(w, geom->size, 3);
        break;
    case PERP_ROBOT_BOX:
        for (int i = 0; i < 3; i++)
            whole[i] = 2.0 * geom->size[i];
        perp_write(w, "{\"type\": \"box\", \"sides\": ");
        perp_write_numbers(w, whole, 3);
        break;
    case PERP_ROBOT_MESH:
        write_mesh(w, geom->mesh);
        break;
    case PERP_ROBOT_FIELD:
        write_field(w, geom->field);
        break;
    case PERP_ROBOT_PLANE:
        break;
    }
}

/* Materials have names where there is more than one. */
static int one_material(const perp_robot_document *d, int c)
{
    int first = d->first_shape[c];

    for (int g = first; g >= 0; g = d->next_shape[g])
        if (d->rules.material[g] != d->rules.material[first])
            return 0;
    return 1;
}

/* What a shape touches. */
static void write_filter(perp_robot_document *d, int g)
{
    perp_text_writer *w = &d->out;

    if (d->rules.group[g] > 0)
        perp_write(w, ", \"group\": %d", d->rules.group[g]);
    if (d->rules.masked)
        perp_write(w, ", \"category\": %d, \"touches\": %d", d->rules.category[g],
                   d->rules.meets[g]);
}

static void write_shapes(perp_robot_document *d, int c, const perp_pose *frame)
{
    perp_text_writer *w = &d->out;
    int g = d->first_shape[c], several, same;

    if (g < 0)
        return;
    several = d->next_shape[g] >= 0;
    same = one_material(d, c);
    perp_write(w, several ? ",\n     \"shapes\": [" : ",\n     \"shape\": ");
    for (int first = 1; g >= 0; g = d->next_shape[g], first = 0) {
        const perp_robot_geom *geom = &d->robot->geoms[g];
        perp_pose at = perp_pose_product(&d->links->pose[geom->body], &geom->pose), in;
        in = perp_pose_within(frame, &at);
        in = tidy(&in, 1.0 + fabs(frame->p[0]) + fabs(frame->p[1]) + fabs(frame->p[2]));
        if (geom->form == PERP_ROBOT_SPHERE)
            memcpy(in.q, perp_pose_identity().q, sizeof in.q);
        perp_write(w, "%s", first ? "" : ",\n       ");
        write_form(w, geom);
        write_pose(w, &in);
        write_filter(d, g);
        if (d->rules.count > 1 && !same)
            perp_write(w, ", \"material\": \"m%d\"", d->rules.material[g]);
        perp_write(w, "}");
    }
    perp_write(w, "%s", several ? "]" : "");
    if (d->rules.count > 1 && same)
        perp_write(w, ", \"material\": \"m%d\"", d->rules.material[d->first_shape[c]]);
}

static void write_inertia(perp_text_writer *w, const double *inertia)
{
    double diagonal[3] = {inertia[0], inertia[4], inertia[8]}, off = 0.0;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < i; j++)
            off = fmax(off, fabs(inertia[3 * i + j]));
    perp_write(w, ", \"inertia\": ");
    if (off <= 1e-15 * fmax(diagonal[0], fmax(diagonal[1], diagonal[2]))) {
        perp_write_numbers(w, diagonal, 3);
        return;
    }
    for (int i = 0; i < 3; i++) {
        perp_write(w, "%s", i == 0 ? "[" : ", ");
        perp_write_numbers(w, inertia + 3 * i, 3);
    }
    perp_write(w, "]");
}

static void write_vector(perp_text_writer *w, const char *key, const double *x)
{
    if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0)
        return;
    perp_write(w, ", \"%s\": ", key);
    perp_write_numbers(w, x, 3);
}

static void write_link(perp_robot_document *d, int c)
{
    const perp_robot_link *link = &d->links->link[c];
    const double *q = link->pose.q;
    double back[4] = {q[0], -q[1], -q[2], -q[3]}, inertia[9], lift[3], angular[3];
    perp_text_writer *w = &d->out;
    perp_pose frame = link->pose, shown;

    memcpy(frame.p, link->lump.centre, sizeof frame.p);
    perp_turn_tensor(inertia, back, link->lump.second);
    shown = tidy(&frame, 1.0);
    perp_write(w, "%s\n    {\"name\": \"%s\", \"mass\": ", c > 0 ? "," : "", link->name);
    perp_write_number(w, link->lump.mass);
    write_inertia(w, inertia);
    write_pose(w, &shown);
    perp_quaternion_rotate_back(q, link->angular, angular);
    write_vector(w, "velocity", link->velocity);
    write_vector(w, "angular", angular);
    for (int i = 0; i < 3; i++)
        lift[i] = link->lift == 0.0 ? 0.0 : -link->lift * d->robot->gravity[i];
    write_vector(w, "force", lift);
    write_shapes(d, c, &frame);
    perp_write(w, "}");
}

/* A surface that runs: in the frame of its body, which for planes is that of the world. */
static void write_surface(perp_text_writer *w, const perp_robot_geom *geom, const perp_pose *at)
{
    double way[6], off[3];
    int runs = 0;

    memcpy(way, geom->surface, sizeof way);
    for (int k = 0; k < 6; k++)
        runs |= way[k] != 0.0;
    if (!runs)
        return;
    if (geom->form == PERP_ROBOT_PLANE) {
        perp_quaternion_rotate(at->q, geom->surface, way);
        perp_quaternion_rotate(at->q, geom->surface + 3, way + 3);
        perp_cross3(off, way + 3, at->p);
        for (int i = 0; i < 3; i++)
            way[i] -= off[i];
    }
    perp_write(w, ", \"surface\": {\"velocity\": ");
    perp_write_numbers(w, way, 3);
    perp_write(w, ", \"spin\": ");
    perp_write_numbers(w, way + 3, 3);
    perp_write(w, "}");
}

/* A shape that stands is a body of its own. */
static void write_still(perp_robot_document *d, int g, int *first)
{
    const perp_robot_geom *geom = &d->robot->geoms[g];
    perp_text_writer *w = &d->out;
    perp_pose at = geom->pose;
    double normal[3], z[3] = {0.0, 0.0, 1.0};

    if (geom->body >= 0)
        at = perp_pose_product(&d->links->pose[geom->body], &geom->pose);
    d->still_name[g] = perp_robot_new_name(&d->names, geom->name);
    if (d->still_name[g] == NULL)
        return;
    perp_write(w, "%s\n    {\"name\": \"%s\", \"fixed\": true, \"shape\": ", *first ? "" : ",",
               d->still_name[g]);
    *first = 0;
    if (geom->form == PERP_ROBOT_PLANE) {
        perp_quaternion_rotate(at.q, z, normal);
        for (int i = 0; i < 3; i++)
            normal[i] = fabs(normal[i]) < 1e-15 ? 0.0 : normal[i];
        perp_write(w, "{\"type\": \"plane\", \"normal\": ");
        perp_write_numbers(w, normal, 3);
        perp_write(w, ", \"offset\": ");
        perp_write_number(w, perp_dot3(normal, at.p));
    } else {
        write_form(w, geom);
    }
    write_filter(d, g);
    perp_write(w, "}");
    at = tidy(&at, 1.0);
    if (geom->form != PERP_ROBOT_PLANE)
        write_pose(w, &at);
    if (d->rules.count > 1)
        perp_write(w, ", \"material\": \"m%d\"", d->rules.material[g]);
    write_surface(w, geom, &at);
    perp_write(w, "}");
}

static int sort_shapes(perp_robot_document *d)
{
    perp_robot *robot = d->robot;
    size_t n = (size_t)robot->ngeoms;

    d->first_shape = perp_robot_take(robot->job, (size_t)d->links->count, sizeof(int));
    d->next_shape = perp_robot_take(robot->job, n, sizeof(int));
    d->first_still = perp_robot_take(robot->job, (size_t)robot->nbodies + 1, sizeof(int));
    d->still_name = perp_robot_take(robot->job, n, sizeof *d->still_name);
    if (d->first_shape == NULL || d->next_shape == NULL || d->still_name == NULL ||
        d->first_still == NULL)
        return -1;
    memset(d->first_still, 0xff, ((size_t)robot->nbodies + 1) * sizeof(int));
    for (int c = 0; c < d->links->count; c++)
        d->first_shape[c] = -1;
    for (int g = robot->ngeoms - 1; g >= 0; g--) {
        const perp_robot_geom *geom = &robot->geoms[g];
        int c = geom->body >= 0 ? d->links->carrier[geom->body] : -1;
        if (!d->rules.touches[g])
            continue;
        if (c < 0) {
            d->next_shape[g] = d->first_still[geom->body + 1];
            d->first_still[geom->body + 1] = g;
            continue;
        }
        if (geom->form == PERP_ROBOT_PLANE || geom->form == PERP_ROBOT_FIELD)
            return perp_robot_fail(robot->job, geom->at, "a %s does not move",
                                   geom->form == PERP_ROBOT_PLANE ? "plane" : "height field");
        d->next_shape[g] = d->first_shape[c];
        d->first_shape[c] = g;
    }
    return 0;
}

void perp_document_bodies(perp_robot_document *d)
{
    const perp_robot *robot = d->robot;
    int first = d->links->count == 0;

    if (sort_shapes(d) != 0)
        return;
    perp_write(&d->out, ",\n  \"bodies\": [");
    for (int c = 0; c < d->links->count; c++)
        write_link(d, c);
    for (int g = 0; g < robot->ngeoms && !robot->no_contacts; g++)
        if (d->rules.touches[g] &&
            (robot->geoms[g].body < 0 || d->links->carrier[robot->geoms[g].body] < 0))
            write_still(d, g, &first);
    perp_write(&d->out, "\n  ]");
}

/* The names of a side, one after another: k from 0; NULL: no more. */
static const char *name_of_side(const perp_robot_document *d, int side, int k)
{
    if (side >= 0)
        return k == 0 && d->first_shape[side] >= 0 ? d->links->link[side].name : NULL;
    int g = d->first_still[-1 - side];
    while (g >= 0 && k-- > 0)
        g = d->next_shape[g];
    return g >= 0 ? d->still_name[g] : NULL;
}

void perp_document_pair(perp_robot_document *d, int a, int b, int *first)
{
    const char *one, *other;

    for (int i = 0; (one = name_of_side(d, a, i)) != NULL; i++)
        for (int j = 0; (other = name_of_side(d, b, j)) != NULL; j++) {
            perp_write(&d->out, "%s[\"%s\", \"%s\"]", *first ? ",\n   \"exclude\": [" : ", ", one,
                       other);
            *first = 0;
        }
}
