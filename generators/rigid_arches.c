/* SPDX-License-Identifier: BSD-3-Clause */
/* Semicircular arches of wedges without mortar. */
#include <math.h>

#include "generators/rigid_scene.h"

static const double pi = 3.14159265358979323846;
static const double middle = 2.0, width = 0.5, density = 2400.0; /* radius half way, m */

/* The stone between two joints, given in axes along the chord, y and the radius. */
static void add_stone(rigid_scene *scene, int k, int count, double thickness)
{
    double half = 0.5 * pi / count, angle = pi - (2 * k + 1) * half;
    double inner = middle - 0.5 * thickness, outer = middle + 0.5 * thickness, point[8][3];

    for (int i = 0; i < 8; i++) {
        double r = i & 1 ? outer : inner;
        point[i][0] = (i & 2 ? 1 : -1) * r * sin(half);
        point[i][1] = (i & 4 ? 0.5 : -0.5) * width;
        point[i][2] = r * cos(half);
    }
    rigid_add_hull(scene, rigid_numbered("stone", k).text, (const double(*)[3])point, 8, density,
                   (double[3]){0.0, 0.0, 0.0}, 0.5 * pi - angle);
}

static void add_arch(rigid_scene *scene, int count, double thickness)
{
    scene->mu = 0.7;
    scene->h = 0.005;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    for (int k = 0; k < count; k++)
        add_stone(scene, k, count, thickness);
}

/* Thickness 0.15 of the radius; a ball of 20 kg from the side hits it half way up. */
void rigid_fill_arch(rigid_scene *scene, int count, double speed)
{
    const double radius = 0.125, thickness = 0.15 * middle;

    scene->rests = !(speed > 0.0);
    scene->until = 5.0;
    add_arch(scene, count, thickness);
    if (speed > 0.0) {
        double out = middle + 0.5 * thickness + 2.0 * radius;
        int ball = rigid_add_sphere(scene, "ball", radius, 20.0,
                                    (double[3]){-out * sqrt(0.5), 0.0, out * sqrt(0.5)});
        if (ball >= 0)
            scene->body[ball].velocity[0] = speed;
    }
}

/* [Milankovitch1907]: an arch of many stones stands from 0.1075 of its radius on. */
void rigid_fill_thin_arch(rigid_scene *scene, int count, double ratio)
{
    scene->until = 5.0;
    scene->law = RIGID_LAW_COLLAPSED;
    scene->expected = ratio > 0.1075 ? 0.0 : 1.0;
    add_arch(scene, count, ratio * middle);
}
