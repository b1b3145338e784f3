/* SPDX-License-Identifier: BSD-3-Clause */
/* A fluid around an ellipsoid, from its definitions: integrals by Simpson's rule, vectors by their
 * products. */
#include <math.h>
#include <string.h>

#include "scene/verify/space.h"
#include "scene/verify/verify_inside.h"

enum { PARTS = 4000 };
static const double pi = 3.14159265358979323846;

/* x y z times the integral of ((x^2 + l)^3 (y^2 + l) (z^2 + l))^(-1/2) over l > 0, by
 * l = (x t / (1 - t))^2. */
static double kappa(double x, double y, double z)
{
    double sum = 0.0;

    for (int k = 1; k < PARTS; k++) {
        double t = (double)k / PARTS, s = t / (1.0 - t), l = x * x * s * s;
        double dl = 2.0 * x * x * s / ((1.0 - t) * (1.0 - t));
        sum += (k % 2 == 1 ? 4.0 : 2.0) * dl /
               ((x * x + l) * sqrt((x * x + l) * (y * y + l) * (z * z + l)));
    }
    return x * y * z * sum / (3.0 * PARTS);
}

void perp_verify_read_ellipsoid(perp_verify_spring *p, const json_t *at)
{
    double *r = p->radii, k[3], volume;

    memset(r, 0, sizeof p->radii);
    perp_verify_reals(r, json_object_get(at, "ellipsoid"), 3);
    if (!(r[0] > 0.0 && r[1] > 0.0 && r[2] > 0.0)) {
        r[0] = 0.0;
        return;
    }
    p->density = json_number_value(json_object_get(at, "density"));
    p->viscosity = json_number_value(json_object_get(at, "viscosity"));
    perp_verify_reals(p->shares, json_object_get(at, "coefficients"), 5);
    volume = 4.0 * pi / 3.0 * r[0] * r[1] * r[2];
    for (int i = 0; i < 3; i++) {
        k[i] = kappa(r[i], r[(i + 1) % 3], r[(i + 2) % 3]);
        p->added[i] = volume * k[i] / (2.0 - k[i]);
    }
    for (int i = 0; i < 3; i++) {
        double y = r[(i + 1) % 3] * r[(i + 1) % 3], z = r[(i + 2) % 3] * r[(i + 2) % 3];
        double across = k[(i + 1) % 3] - k[(i + 2) % 3];
        double below = fabs(2.0 * (y - z) + (y + z) * across);
        p->added[3 + i] = below > 0.0
                              ? volume / 5.0 * (y - z) * (y - z) * fabs(across) / fmax(below, 1e-15)
                              : 0.0;
    }
}

/* Of the largest ellipsoid of revolution about an axis that its radii give. */
static double moment_about(const double *r, int axis)
{
    return 8.0 * pi / 15.0 * r[axis] * pow(fmax(r[(axis + 1) % 3], r[(axis + 2) % 3]), 4.0);
}

void perp_verify_ellipsoid(double *force, double *moment, const perp_verify_spring *p,
                           const double *u, const double *w)
{
    const double *r = p->radii, *c = p->shares;
    double momentum[3], turning[3], out[3], normal[3], rate[3], nn = 0.0, un = 0.0;
    double uu = space_dot(u, u), big = fmax(r[0], fmax(r[1], r[2]));
    double small = fmin(r[0], fmin(r[1], r[2])), mid = r[0] + r[1] + r[2] - big - small;
    double whole = 8.0 * pi / 15.0 * mid * pow(big, 4.0), sum = r[0] + r[1] + r[2], area, cosine;

    for (int k = 0; k < 3; k++) {
        double own = moment_about(r, k);
        momentum[k] = p->density * p->added[k] * u[k];
        turning[k] = p->density * p->added[3 + k] * w[k];
        normal[k] = pow(r[0] * r[1] * r[2] / r[k], 2.0) * u[k];
        rate[k] = (c[2] * own + c[1] * (whole - own)) * w[k];
    }
    nn = space_dot(normal, normal);
    un = space_dot(normal, u);
    area = un > 0.0 ? pi * sqrt(nn / un) : 0.0;
    cosine = uu * nn > 0.0 ? un / (sqrt(uu) * nn) : 0.0;
    /* (n x u) x u = u (n.u) - n (u.u) */
    space_cross(out, w, u);
    for (int k = 0; k < 3; k++)
        force[k] += p->density * (c[4] * 4.0 * pi / 3.0 * r[0] * r[1] * r[2] * out[k] +
                                  c[3] * cosine * area * (u[k] * un - normal[k] * uu)) -
                    u[k] * (2.0 * pi * sum * p->viscosity +
                            p->density * sqrt(uu) * (c[0] * area + c[1] * (pi * big * mid - area)));
    space_cross(out, momentum, w);
    for (int k = 0; k < 3; k++)
        force[k] += out[k];
    space_cross(out, momentum, u);
    for (int k = 0; k < 3; k++)
        moment[k] += out[k];
    space_cross(out, turning, w);
    for (int k = 0; k < 3; k++)
        moment[k] += out[k] - w[k] * (8.0 / 27.0 * pi * sum * sum * sum * p->viscosity +
                                      p->density * sqrt(space_dot(rate, rate)));
}
