/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/ellipsoid_drag.h"

#include <math.h>

#include "scene/cross.h"

static const double pi = 3.14159265358979323846;

/* Carlson's integral R_D by duplication. */
static double carlson(double x, double y, double z)
{
    double sum = 0.0, factor = 1.0, mean, a, b, c, e2, e3, e4, e5;

    for (int k = 0;; k++) {
        double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), more = rx * (ry + rz) + ry * rz;
        mean = 0.2 * (x + y + 3.0 * z);
        a = (mean - x) / mean;
        b = (mean - y) / mean;
        c = (mean - z) / mean;
        if (k == 60 || fmax(fabs(a), fmax(fabs(b), fabs(c))) < 1e-3)
            break;
        sum += factor / (rz * (z + more));
        factor *= 0.25;
        x = 0.25 * (x + more);
        y = 0.25 * (y + more);
        z = 0.25 * (z + more);
    }
    e2 = a * b - 6.0 * c * c;
    e3 = (3.0 * a * b - 8.0 * c * c) * c;
    e4 = 3.0 * (a * b - c * c) * c * c;
    e5 = a * b * c * c * c;
    return 3.0 * sum + factor / (mean * sqrt(mean)) *
                           (1.0 - 3.0 * e2 / 14.0 + e3 / 6.0 + 9.0 * e2 * e2 / 88.0 -
                            3.0 * e4 / 22.0 - 9.0 * e2 * e3 / 52.0 + 3.0 * e5 / 26.0);
}

void perp_ellipsoid_drag_begin(perp_ellipsoid_drag *e)
{
    const double *r = e->radii;
    double volume = 4.0 / 3.0 * pi * r[0] * r[1] * r[2], kappa[3];

    for (int k = 0; k < 3; k++) {
        double x = r[k], y = r[(k + 1) % 3], z = r[(k + 2) % 3];
        kappa[k] = 2.0 / 3.0 * x * y * z * carlson(y * y, z * z, x * x);
        e->mass[k] = volume * kappa[k] / fmax(1e-15, 2.0 - kappa[k]);
    }
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        double less = r[i] * r[i] - r[j] * r[j], more = r[i] * r[i] + r[j] * r[j];
        double other = kappa[j] - kappa[i];
        e->inertia[k] = 0.2 * volume * less * less * fabs(other) /
                        fmax(1e-15, fabs(2.0 * less + more * -other));
    }
}

static double size_of(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

/* The momentum of the fluid around it turns with it. */
static void add_momentum(double force[3], double moment[3], const perp_ellipsoid_drag *e,
                         const double u[3], const double w[3])
{
    double p[3], l[3], out[3];

    for (int k = 0; k < 3; k++) {
        p[k] = e->density * e->mass[k] * u[k];
        l[k] = e->density * e->inertia[k] * w[k];
    }
    perp_scene_cross(out, p, w);
    for (int k = 0; k < 3; k++)
        force[k] += out[k];
    perp_scene_cross(out, p, u);
    for (int k = 0; k < 3; k++)
        moment[k] += out[k];
    perp_scene_cross(out, l, w);
    for (int k = 0; k < 3; k++)
        moment[k] += out[k];
}

/* Lift by a spin and by a slanted flow; drag by the area across the flow and the rest of the
 * largest one. */
static void add_flow(double force[3], const perp_ellipsoid_drag *e, const double u[3],
                     const double w[3], double widest)
{
    const double *r = e->radii;
    double volume = 4.0 / 3.0 * pi * r[0] * r[1] * r[2], speed = size_of(u);
    double normal[3], around[3], lift[3], spin[3], high = 0.0, low = 0.0, area, slant, drag;

    for (int k = 0; k < 3; k++) {
        double side = r[(k + 1) % 3] * r[(k + 2) % 3] * r[(k + 1) % 3] * r[(k + 2) % 3];
        normal[k] = side * u[k];
        high += side * side * u[k] * u[k];
        low += side * u[k] * u[k];
    }
    area = low > 0.0 ? pi * sqrt(high / low) : 0.0;
    slant = speed * high > 0.0 ? low / (speed * high) : 0.0;
    perp_scene_cross(around, normal, u);
    perp_scene_cross(lift, around, u);
    perp_scene_cross(spin, w, u);
    drag = 2.0 * pi * (r[0] + r[1] + r[2]) * e->viscosity +
           e->density * speed * (e->blunt * area + e->slender * (widest - area));
    for (int k = 0; k < 3; k++)
        force[k] += e->density * (e->lift * slant * area * lift[k] + e->magnus * volume * spin[k]) -
                    drag * u[k];
}

void perp_ellipsoid_drag_add(double force[3], double moment[3], const perp_ellipsoid_drag *e,
                             const double u[3], const double w[3])
{
    const double *r = e->radii;
    double longest = fmax(r[0], fmax(r[1], r[2])), shortest = fmin(r[0], fmin(r[1], r[2]));
    double middle = r[0] + r[1] + r[2] - longest - shortest;
    double mean = 2.0 / 3.0 * (r[0] + r[1] + r[2]), turning[3], drag;
    double most = 8.0 / 15.0 * pi * middle * longest * longest * longest * longest;

    add_momentum(force, moment, e, u, w);
    add_flow(force, e, u, w, pi * longest * middle);
    for (int k = 0; k < 3; k++) {
        double far = fmax(r[(k + 1) % 3], r[(k + 2) % 3]);
        double own = 8.0 / 15.0 * pi * r[k] * far * far * far * far;
        turning[k] = w[k] * (e->angular * own + e->slender * (most - own));
    }
    drag = pi * mean * mean * mean * e->viscosity + e->density * size_of(turning);
    for (int k = 0; k < 3; k++)
        moment[k] -= drag * w[k];
}
