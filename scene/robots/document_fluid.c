/* SPDX-License-Identifier: BSD-3-Clause */
/* The fluid that an MJCF moves in, by its model of inertia boxes: each body that weighs is the box
 * of the same inertia, along whose axes every velocity has a drag of its own, linear by the
 * viscosity (a ball of the mean side) and quadratic by the density.  Or each of its shapes with
 * fluidshape ellipsoid, for all of it. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "scene/robots/document.h"
#include "scene/robots/inertia.h"

static const double pi = 3.14159265358979323846;

/* The sides of the box, and its axes in the body. */
static void find_box(double side[3], double axes[4], const perp_robot_body *body)
{
    double value[3], own[9], back[4];

    memcpy(axes, body->axes, sizeof body->axes);
    perp_turn_back(back, axes);
    perp_turn_tensor(own, back, body->inertia);
    for (int k = 0; k < 3; k++)
        value[k] = own[4 * k];
    perp_tensor_box(side, value, body->mass);
}

static void write_three(perp_text_writer *w, const char *key, const double *x)
{
    if (x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0)
        return;
    perp_write(w, ", \"%s\": ", key);
    perp_write_numbers(w, x, 3);
}

/* A force on body b, with its point and axes in the frame of that body. */
static void begin_fluid(perp_robot_document *d, int b, const double *point, const double *turn,
                        int *count)
{
    const perp_robot_link *link = &d->links->link[d->links->carrier[b]];
    double axes[4], back[4], place[3], rotation[3];

    perp_document_into_link(place, d, b, point, 1);
    perp_turn_back(back, link->pose.q);
    perp_quaternion_product(d->links->pose[b].q, turn, axes);
    perp_quaternion_product(back, axes, axes);
    perp_quaternion_log(axes, rotation);
    perp_document_begin_force(d, count);
    perp_write(&d->out, "{\"type\": \"fluid\", \"system\": \"%s\"", link->name);
    write_three(&d->out, "point", place);
    write_three(&d->out, "wind", d->robot->wind);
    write_three(&d->out, "rotation", rotation);
}

static void write_body(perp_robot_document *d, int b, int *count)
{
    const perp_robot *robot = d->robot;
    perp_text_writer *w = &d->out;
    double side[3], axes[4], mean;
    double damping[3], turn_damping[3], drag[3], turn_drag[3];

    find_box(side, axes, &robot->bodies[b]);
    mean = (side[0] + side[1] + side[2]) / 3.0;
    for (int k = 0; k < 3; k++) {
        double y = side[(k + 1) % 3], z = side[(k + 2) % 3];
        damping[k] = 3.0 * pi * mean * robot->viscosity;
        turn_damping[k] = pi * mean * mean * mean * robot->viscosity;
        drag[k] = 0.5 * robot->density * y * z;
        turn_drag[k] = robot->density * side[k] * (y * y * y * y + z * z * z * z) / 64.0;
    }
    begin_fluid(d, b, robot->bodies[b].centre, axes, count);
    write_three(w, "damping", damping);
    write_three(w, "turn_damping", turn_damping);
    write_three(w, "drag", drag);
    write_three(w, "turn_drag", turn_drag);
    perp_write(w, "}");
}

/* A mesh has its principal axes, and reaches as far along them. */
static void radii_of_mesh(double radii[3], perp_pose *pose, const perp_robot_mesh *mesh)
{
    perp_pose own = perp_pose_identity();
    double value[3];

    memcpy(own.p, mesh->centre, sizeof own.p);
    perp_robot_principal_turn(own.q, value, mesh->second);
    for (int k = 0; k < 3; k++)
        radii[k] = 0.0;
    for (int i = 0; i < mesh->npoints; i++) {
        double arm[3], x[3];
        for (int k = 0; k < 3; k++)
            arm[k] = mesh->points[3 * i + k] - own.p[k];
        perp_quaternion_rotate_back(own.q, arm, x);
        for (int k = 0; k < 3; k++)
            radii[k] = fmax(radii[k], fabs(x[k]));
    }
    *pose = perp_pose_product(pose, &own);
}

/* Half axes of the ellipsoid that stands for a shape. */
static void radii_of(double radii[3], perp_pose *pose, const perp_robot_geom *geom)
{
    double round = geom->size[0];

    if (geom->form == PERP_ROBOT_MESH) {
        radii_of_mesh(radii, pose, geom->mesh);
        return;
    }
    memcpy(radii, geom->size, 3 * sizeof *radii);
    if (geom->form == PERP_ROBOT_BOX || geom->form == PERP_ROBOT_ELLIPSOID)
        return;
    radii[0] = radii[1] = round;
    radii[2] = geom->form == PERP_ROBOT_CAPSULE    ? geom->size[1] + round
               : geom->form == PERP_ROBOT_CYLINDER ? geom->size[1]
                                                   : round;
}

static void write_ellipsoid(perp_robot_document *d, const perp_robot_geom *geom, int *count)
{
    perp_text_writer *w = &d->out;
    double radii[3];
    perp_pose pose = geom->pose;

    radii_of(radii, &pose, geom);
    begin_fluid(d, geom->body, pose.p, pose.q, count);
    perp_write(w, ", \"ellipsoid\": ");
    perp_write_numbers(w, radii, 3);
    perp_write(w, ", \"density\": ");
    perp_write_number(w, d->robot->density);
    perp_write(w, ", \"viscosity\": ");
    perp_write_number(w, d->robot->viscosity);
    perp_write(w, ", \"coefficients\": ");
    perp_write_numbers(w, geom->flow, 5);
    perp_write(w, "}");
}

void perp_document_fluid(perp_robot_document *d, int *count)
{
    if (!(d->robot->density > 0.0 || d->robot->viscosity > 0.0))
        return;
    for (int b = 0; b < d->robot->nbodies; b++)
        if (d->links->carrier[b] >= 0 && d->robot->bodies[b].mass > 0.0 &&
            !d->robot->bodies[b].slender)
            write_body(d, b, count);
    for (int g = 0; g < d->robot->ngeoms; g++) {
        const perp_robot_geom *geom = &d->robot->geoms[g];
        if (geom->slender && d->links->carrier[geom->body] >= 0)
            write_ellipsoid(d, geom, count);
    }
}
