/* SPDX-License-Identifier: BSD-3-Clause */
/* Gap, normal and points of a contact for any configuration, and the rows of flat ones. */
#include <math.h>

#include <perp/rotation.h>

#include "kernel/collide/collider.h"

void perp_contact_turn(double *out, const double *q, int flat, const double *local)
{
    double x = local[0], y = local[1], z = local[2];
    out[0] = x;
    out[1] = y;
    out[2] = z;
    if (!q || (x == 0.0 && y == 0.0 && z == 0.0))
        return;
    if (flat) {
        double cosine = cos(q[2]), sine = sin(q[2]);
        out[0] = cosine * x - sine * y;
        out[1] = sine * x + cosine * y;
    } else {
        perp_quaternion_rotate(q + 3, out, out);
    }
}

void perp_contact_outside(double *out, const double *q, int flat, const double *local)
{
    perp_contact_turn(out, q, flat, local);
    if (!q)
        return;
    for (int i = 0; i < (flat ? 2 : 3); i++)
        out[i] += q[i];
}

void perp_contact_inside(double *local, const double *q, int flat, const double *out)
{
    double from[3] = {out[0], out[1], out[2]};
    for (int i = 0; q && i < (flat ? 2 : 3); i++)
        from[i] -= q[i];
    for (int i = 0; i < 3; i++)
        local[i] = from[i];
    if (!q)
        return;
    if (flat) {
        double cosine = cos(q[2]), sine = sin(q[2]);
        local[0] = cosine * from[0] + sine * from[1];
        local[1] = -sine * from[0] + cosine * from[1];
    } else {
        perp_quaternion_rotate_back(q + 3, from, local);
    }
}

/* Two balls with one centre: any normal will do; up, so that it does not depend on the past. */
static void between_balls(perp_contact_point *point, const perp_contact *contact, const double *a,
                          const double *b)
{
    double n[3], square = 0.0;
    for (int i = 0; i < 3; i++) {
        n[i] = a[i] - b[i];
        square += n[i] * n[i];
    }
    double distance = sqrt(square);
    if (distance > 0.0) {
        for (int i = 0; i < 3; i++)
            n[i] /= distance;
    } else {
        n[0] = 0.0;
        n[1] = contact->flat ? 1.0 : 0.0;
        n[2] = contact->flat ? 0.0 : 1.0;
    }
    point->gap = distance - contact->radius - contact->other_radius;
    for (int i = 0; i < 3; i++) {
        point->normal[i] = n[i];
        point->point_a[i] = a[i] - contact->radius * n[i];
        point->point_b[i] = b[i] + contact->other_radius * n[i];
    }
}

/* From the centre of the ellipsoid to where it is lowest above a plane of normal n. */
static void lowest(double *out, const perp_contact *contact, const double *q, const double *n)
{
    double axes[4], local[3], square = 0.0;
    for (int i = 0; i < 4; i++)
        axes[i] = contact->turn[i];
    if (q)
        perp_quaternion_product(q + 3, axes, axes);
    perp_quaternion_rotate_back(axes, n, local);
    for (int i = 0; i < 3; i++) {
        local[i] *= contact->semi[i];
        square += local[i] * local[i];
    }
    for (int i = 0; i < 3; i++)
        local[i] *= -contact->semi[i] / sqrt(square);
    perp_quaternion_rotate(axes, local, out);
}

/* near: points of ball and plane, n of the plane, the ball's centre at a. */
static double above_plane(double near[2][3], const perp_contact *contact, const double *q,
                          const double *a, const double *b, const double *n)
{
    double height = 0.0, gap = 0.0, down[3];
    for (int i = 0; i < 3; i++)
        height += n[i] * (a[i] - b[i]);
    if (contact->semi[0] == 0.0) {
        for (int i = 0; i < 3; i++) {
            near[0][i] = a[i] - contact->radius * n[i];
            near[1][i] = a[i] - height * n[i];
        }
        return height - contact->radius;
    }
    lowest(down, contact, q, n);
    gap = height + n[0] * down[0] + n[1] * down[1] + n[2] * down[2];
    for (int i = 0; i < 3; i++) {
        near[0][i] = a[i] + down[i];
        near[1][i] = near[0][i] - gap * n[i];
    }
    return gap;
}

static void take_skin(perp_contact_point *point, double skin)
{
    point->gap -= skin;
    for (int i = 0; i < 3; i++) {
        point->point_a[i] -= 0.5 * skin * point->normal[i];
        point->point_b[i] += 0.5 * skin * point->normal[i];
    }
}

static void between_surfaces(perp_contact_point *point, const perp_contact *contact,
                             const double *q_a, const double *q_b)
{
    const double *q_ball = contact->reversed ? q_b : q_a, *q_other = contact->reversed ? q_a : q_b;
    double a[3], b[3], n[3], near[2][3];
    perp_contact_outside(a, q_ball, contact->flat, contact->ball);
    perp_contact_outside(b, q_other, contact->flat, contact->other);
    if (!contact->plane) {
        between_balls(point, contact, a, b);
        return;
    }
    perp_contact_turn(n, q_other, contact->flat, contact->normal);
    point->gap = above_plane(near, contact, q_ball, a, b, n);
    double sign = contact->reversed ? -1.0 : 1.0;
    for (int i = 0; i < 3; i++) {
        point->normal[i] = sign * n[i];
        point->point_a[i] = near[contact->reversed][i];
        point->point_b[i] = near[!contact->reversed][i];
    }
}

void perp_contact_at(perp_contact_point *point, const perp_contact *contact, const double *q_a,
                     const double *q_b)
{
    between_surfaces(point, contact, q_a, q_b);
    if (contact->skin != 0.0)
        take_skin(point, contact->skin);
}

int perp_contact_callback(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                          const double *z, void *user)
{
    (void)t;
    (void)z;
    perp_contact_at(point, user, q_a, q_b);
    return 0;
}

int perp_contact_flat_output(double *y, double t, const double *x, const double *lambda,
                             const double *z, void *user)
{
    const perp_contact *contact = user;
    perp_contact_point point;
    (void)t;
    (void)lambda;
    (void)z;
    perp_contact_at(&point, contact, x, contact->nsystems == 2 ? x + 3 : NULL);
    y[0] = point.gap;
    for (int i = 1; i < contact->law.dim; i++)
        y[i] = 0.0;
    return 0;
}

/* One row: the velocity along `direction` of a point of the system at q, with this sign. */
static void flat_row(double *H, int rows, const double *direction, const double *point,
                     const double *q, double sign)
{
    double arm_x = point[0] - q[0], arm_y = point[1] - q[1];
    H[0] = sign * direction[0];
    H[rows] = sign * direction[1];
    H[2 * rows] = sign * (direction[1] * arm_x - direction[0] * arm_y);
}

int perp_contact_flat_jacobian(double *H, double t, const double *x, const double *lambda,
                               const double *z, void *user)
{
    const perp_contact *contact = user;
    int rows = contact->law.dim, two = contact->nsystems == 2;
    perp_contact_point point;
    (void)t;
    (void)lambda;
    (void)z;
    perp_contact_at(&point, contact, x, two ? x + 3 : NULL);
    double tangent[2] = {-point.normal[1], point.normal[0]};
    for (int row = 2; row < rows; row++) /* the relative turn */
        for (int j = 0; j < (two ? 6 : 3); j++)
            H[row + j * rows] = j == 2 ? 1.0 : j == 5 ? -1.0 : 0.0;
    for (int row = 0; row < rows && row < 2; row++) {
        const double *direction = row == 0 ? point.normal : tangent;
        flat_row(H + row, rows, direction, point.point_a, x, 1.0);
        if (two)
            flat_row(H + row + 3 * rows, rows, direction, point.point_b, x + 3, -1.0);
    }
    return 0;
}
