/* SPDX-License-Identifier: BSD-3-Clause */
/* Paths of tendons between the rigid parts of the scene. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/document.h"

static int link_of(const perp_robot_document *d, int body)
{
    return body >= 0 ? d->links->carrier[body] : -1;
}

/* A place or a direction of a body in the frame of its link, or in the world. */
static void carry(double *out, const perp_robot_document *d, int body, const double *x,
                  int is_place)
{
    if (link_of(d, body) >= 0)
        perp_document_into_link(out, d, body, x, is_place);
    else if (body < 0)
        memcpy(out, x, 3 * sizeof *out);
    else if (is_place)
        perp_pose_apply(out, &d->links->pose[body], x);
    else
        perp_quaternion_rotate(d->links->pose[body].q, x, out);
}

/* The place of a link among those that a path has found. */
static int note_link(perp_document_path *path, int link)
{
    int k = 0;

    if (link < 0)
        return -1;
    while (k < path->nlinks && path->link[k] != link)
        k++;
    path->nlinks += k == path->nlinks;
    path->link[k] = link;
    return k;
}

/* The axis of a part where its link has it, and the side of a round shape. */
static void carry_shape(perp_document_path *path, int k, const perp_robot_document *d,
                        const perp_path_part *of)
{
    static const double z[3] = {0.0, 0.0, 1.0};
    perp_path_part *part = &path->parts[k];
    double turned[3], place[3], *axis = path->axis[k], *side = path->side[k];

    perp_quaternion_rotate(of->turn, z, turned);
    carry(axis, d, of->body, turned, 0);
    perp_turn_from_z(part->turn, axis);
    if (of->side_apart) {
        part->side_body = note_link(path, link_of(d, of->side_body));
        carry(side, d, of->side_body, of->side, 1);
        memcpy(part->side, side, sizeof part->side);
        return;
    }
    perp_quaternion_rotate(of->turn, of->side, turned);
    for (int i = 0; i < 3; i++)
        place[i] = turned[i] + of->place[i];
    carry(side, d, of->body, place, 1);
    for (int i = 0; i < 3; i++)
        place[i] = side[i] - part->place[i];
    perp_quaternion_rotate_back(part->turn, place, part->side);
}

int perp_document_find_path(perp_document_path *path, const perp_robot_document *d,
                            const perp_robot_path *of)
{
    size_t n = (size_t)of->count;

    memset(path, 0, sizeof *path);
    path->count = of->count;
    path->parts = perp_robot_take(d->robot->job, n, sizeof *path->parts);
    path->link = perp_robot_take(d->robot->job, n, sizeof *path->link);
    path->axis = perp_robot_take(d->robot->job, n, sizeof *path->axis);
    path->side = perp_robot_take(d->robot->job, n, sizeof *path->side);
    if (path->parts == NULL || path->link == NULL || path->axis == NULL || path->side == NULL)
        return -1;
    for (int k = 0; k < of->count; k++) {
        perp_path_part *part = &path->parts[k];
        *part = of->parts[k];
        if (part->kind == PERP_PATH_DIVIDE)
            continue;
        part->body = note_link(path, link_of(d, of->parts[k].body));
        carry(part->place, d, of->parts[k].body, of->parts[k].place, 1);
        if (part->kind != PERP_PATH_POINT)
            carry_shape(path, k, d, &of->parts[k]);
    }
    return 0;
}

int perp_document_start_of_path(const perp_document_path *path, const perp_robot_document *d,
                                double *length, double *rate, double *ease)
{
    size_t n = (size_t)path->nlinks;
    perp_pose *pose = perp_robot_take(d->robot->job, n + 1, sizeof *pose);
    double *gradient = perp_robot_take(d->robot->job, n + 1, 6 * sizeof *gradient);

    if (pose == NULL || gradient == NULL)
        return -1;
    for (size_t k = 0; k < n; k++) {
        const perp_robot_link *link = &d->links->link[path->link[k]];
        pose[k] = link->pose;
        memcpy(pose[k].p, link->lump.centre, sizeof pose[k].p);
    }
    *length =
        perp_path_length(path->parts, path->count, (const double *)pose, path->nlinks, gradient);
    *rate = *ease = 0.0;
    for (size_t k = 0; k < n; k++) {
        const perp_robot_link *link = &d->links->link[path->link[k]];
        const double *force = gradient + 6 * k;
        double moment[3];
        perp_quaternion_rotate(pose[k].q, force + 3, moment);
        *rate += perp_dot3(force, link->velocity) + perp_dot3(moment, link->angular);
        *ease += perp_dot3(force, force) / link->lump.mass;
        for (int i = 0; i < 3; i++)
            *ease += moment[i] * moment[i] / link->lump.second[4 * i];
    }
    return 0;
}

static void write_part(perp_robot_document *d, const perp_document_path *path, int k)
{
    static const char *const words[] = {
        [PERP_PATH_SPHERE] = "sphere", [PERP_PATH_CYLINDER] = "cylinder", [PERP_PATH_ROD] = "rod"};
    const perp_path_part *part = &path->parts[k];
    perp_text_writer *w = &d->out;

    if (part->kind == PERP_PATH_DIVIDE) {
        perp_write(w, "{\"divide\": ");
        perp_write_number(w, part->divisor);
        perp_write(w, "}");
        return;
    }
    if (part->body >= 0)
        perp_write(w,
                   "{\"system\": \"%s\", \"point\": ", d->links->link[path->link[part->body]].name);
    else
        perp_write(w, "{\"world\": ");
    perp_write_numbers(w, part->place, 3);
    if (part->kind != PERP_PATH_POINT && part->kind != PERP_PATH_AXIS) {
        perp_write(w, ", \"%s\": ", words[part->kind]);
        perp_write_number(w, part->radius);
    }
    if (part->kind != PERP_PATH_POINT && part->kind != PERP_PATH_SPHERE) {
        perp_write(w, ", \"axis\": ");
        perp_write_numbers(w, path->axis[k], 3);
    }
    if (part->kind != PERP_PATH_POINT && part->has_side) {
        perp_write(w, ", \"side\": ");
        perp_write_numbers(w, path->side[k], 3);
    }
    if (part->side_apart && part->side_body >= 0)
        perp_write(w, ", \"side_of\": \"%s\"", d->links->link[path->link[part->side_body]].name);
    else if (part->side_apart)
        perp_write(w, ", \"side_of\": null");
    perp_write(w, "}");
}

void perp_document_write_path(perp_robot_document *d, const perp_document_path *path,
                              const char *name, const char *rotor, double factor, int *count)
{
    perp_text_writer *w = &d->out;

    perp_document_begin(d, count);
    perp_write(w, "{\"name\": \"%s\", \"systems\": [", perp_robot_new_name(&d->names, name));
    for (int k = 0; k < path->nlinks; k++)
        perp_write(w, "%s\"%s\"", k > 0 ? ", " : "", d->links->link[path->link[k]].name);
    if (rotor != NULL)
        perp_write(w, ", \"%s\"", rotor);
    perp_write(w, "],\n     \"relation\": {\"type\": \"path\", \"points\": [");
    for (int k = 0; k < path->count; k++) {
        perp_write(w, "%s", k > 0 ? ", " : "");
        write_part(d, path, k);
    }
    perp_write(w, "]");
    if (factor != 1.0) {
        perp_write(w, ", \"factor\": ");
        perp_write_number(w, factor);
    }
    if (rotor != NULL)
        perp_write(w, ", \"follower\": {\"system\": \"%s\"}", rotor);
}
