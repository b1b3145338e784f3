/* SPDX-License-Identifier: BSD-3-Clause */
/* A masonry vault: semicircular rings of voussoirs side by side, standing on
 * the ground.  Voussoirs touch at the four corners of each joint of their ring
 * and at the four corners of each side that they share with the next ring.
 * Few contacts make one ring, an arch. */
#include <math.h>
#include <string.h>

#include "generators/friction_problems.h"

#define ARCH_INNER 2.0
#define ARCH_OUTER 2.4
#define ARCH_WIDTH 0.4 /* of a ring */
#define ARCH_DENSITY 2400.0

enum { ARCH_USUAL = 24, ARCH_LEAST = 5 }; /* voussoirs of a ring */

static void corner(double point[3], double radius, double angle, double y)
{
    point[0] = radius * cos(angle);
    point[1] = y;
    point[2] = radius * sin(angle);
}

/* Area, centre and second moments of the quadrilateral of a voussoir, by
 * Green's formulas about the origin and then shifted to the centre.
 * moments: of x^2, z^2 and x z. */
static double section(double centre[2], double moments[3], double from, double to)
{
    double x[4], z[4], area = 0.0, at[3];

    for (int k = 0; k < 4; k++) {
        corner(at, k == 0 || k == 3 ? ARCH_INNER : ARCH_OUTER, k < 2 ? from : to, 0.0);
        x[k] = at[0];
        z[k] = at[2];
    }
    centre[0] = centre[1] = moments[0] = moments[1] = moments[2] = 0.0;
    for (int k = 0; k < 4; k++) {
        int n = (k + 1) % 4;
        double cross = x[k] * z[n] - x[n] * z[k];

        area += cross / 2.0;
        centre[0] += (x[k] + x[n]) * cross / 6.0;
        centre[1] += (z[k] + z[n]) * cross / 6.0;
        moments[0] += (x[k] * x[k] + x[k] * x[n] + x[n] * x[n]) * cross / 12.0;
        moments[1] += (z[k] * z[k] + z[k] * z[n] + z[n] * z[n]) * cross / 12.0;
        moments[2] +=
            (2.0 * (x[k] * z[k] + x[n] * z[n]) + x[k] * z[n] + x[n] * z[k]) * cross / 24.0;
    }
    centre[0] /= area;
    centre[1] /= area;
    moments[0] -= area * centre[0] * centre[0];
    moments[1] -= area * centre[1] * centre[1];
    moments[2] -= area * centre[0] * centre[1];
    return area;
}

static void add_voussoir(perp_packing *scene, double from, double to, double y)
{
    double centre[2], moments[3], thickness, scale = ARCH_DENSITY * ARCH_WIDTH;
    perp_body body;

    memset(&body, 0, sizeof body);
    body.mass = scale * section(centre, moments, from, to);
    body.x[0] = centre[0];
    body.x[1] = y;
    body.x[2] = centre[1];
    thickness = body.mass * ARCH_WIDTH * ARCH_WIDTH / 12.0;
    body.inertia[0] = scale * moments[1] + thickness;
    body.inertia[1] = scale * (moments[0] + moments[1]);
    body.inertia[2] = scale * moments[0] + thickness;
    body.inertia[4] = -scale * moments[2];
    perp_packing_add_body(scene, &body);
}

/* The joint at `angle`: voussoir a above, b (or the ground) below it on the side
 * of smaller angles when sign is 1, of larger angles when it is -1. */
static void add_joint(perp_packing *scene, int a, int b, double angle, double sign, double y)
{
    double normal[3] = {-sign * sin(angle), 0.0, sign * cos(angle)};

    for (int k = 0; k < 4; k++) {
        double point[3];

        corner(point, k & 1 ? ARCH_OUTER : ARCH_INNER, angle,
               y + (k & 2 ? 0.5 : -0.5) * ARCH_WIDTH);
        perp_packing_add_touch_at(scene, a, b, normal, point);
    }
}

static void add_side(perp_packing *scene, int a, int b, double from, double to, double y)
{
    static const double along[3] = {0.0, 1.0, 0.0};

    for (int k = 0; k < 4; k++) {
        double point[3];

        corner(point, k & 1 ? ARCH_OUTER : ARCH_INNER, k & 2 ? to : from, y);
        perp_packing_add_touch_at(scene, a, b, along, point);
    }
}

static void add_ring(perp_packing *scene, int ring, int count)
{
    const double pi = acos(-1.0);
    double y = (ring + 0.5) * ARCH_WIDTH;
    int first = scene->bodies;

    for (int k = 0; k < count; k++)
        add_voussoir(scene, pi * k / count, pi * (k + 1) / count, y);
    for (int k = 0; k < count; k++) {
        add_joint(scene, first + k, k > 0 ? first + k - 1 : -1, pi * k / count, 1.0, y);
        if (ring > 0) {
            add_side(scene, first + k, first + k - count, pi * k / count, pi * (k + 1) / count,
                     ring * ARCH_WIDTH);
        }
    }
    add_joint(scene, first + count - 1, -1, pi, -1.0, y);
}

/* size = 4 rings (count + 1) + 4 (rings - 1) count */
void perp_build_arch(perp_packing *scene, const perp_generate_options *options)
{
    double faces = options->size / 4.0;
    int rings = (int)((faces + ARCH_USUAL) / (2 * ARCH_USUAL + 1) + 0.5), count;

    if (rings < 1)
        rings = 1;
    count = (int)((faces - rings) / (2.0 * rings - 1.0) + 0.5);
    if (count < ARCH_LEAST)
        count = ARCH_LEAST;
    for (int ring = 0; ring < rings && scene->status == PERP_SOLVED; ring++)
        add_ring(scene, ring, count);
    perp_packing_shake(scene, 0.005, 0.01);
}
