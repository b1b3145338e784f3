/* SPDX-License-Identifier: BSD-3-Clause */
/* A wall of grains: disks in hexagonal rows between two upright walls, on a
 * floor.  Radii within 2 %, centres jittered by 1 % of 0.05 m. */
#include <math.h>

#include "generators/ball_contacts.h"
#include "generators/friction_problems.h"

#define GRAIN_RADIUS 0.05
#define GRAIN_DENSITY 2000.0

void perp_build_grains(perp_packing *scene, const perp_generate_options *options)
{
    static const double normals[3][3] = {{0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}};
    const double r = GRAIN_RADIUS;
    double grains = options->size / 2.2;
    int wide = 1, high;

    /* About 2.2 contacts a grain. */
    while ((wide + 0.5) * (wide + 0.5) < grains)
        wide++;
    high = (int)(grains / wide + 0.5);
    if (high < 1)
        high = 1;
    for (int k = 0; k < high; k++) {
        for (int i = 0; i < wide; i++) {
            double x[3] = {r * (2 * i + k % 2), r * (1.0 + k * sqrt(3.0)), 0.0};
            double radius = r * (1.0 + 0.02 * (2.0 * perp_rng_uniform(&scene->rng) - 1.0));

            x[0] += 0.01 * r * perp_rng_normal(&scene->rng);
            x[1] += 0.01 * r * perp_rng_normal(&scene->rng);
            perp_packing_add_ball(scene, x, radius, GRAIN_DENSITY);
        }
    }
    perp_packing_touch_balls(scene, 1.02 * r, 0.015 * r);
    perp_packing_touch_plane(scene, normals[0], 0.0, 0.03 * r);
    perp_packing_touch_plane(scene, normals[1], -r, 0.03 * r);
    perp_packing_touch_plane(scene, normals[2], -r * (2.0 * wide - 1.0 + (high > 1)), 0.03 * r);
    perp_packing_shake(scene, 0.05, 0.1);
}
