/* SPDX-License-Identifier: BSD-3-Clause */
/* Many spheres. */
#include <math.h>
#include <stdint.h>

#include "core/rng.h"
#include "generators/rigid_scene.h"

static const double radius = 0.05, density = 1000.0, pi = 3.14159265358979323846;

static double mass_of(double r)
{
    return density * 4.0 / 3.0 * pi * r * r * r;
}

/* Layers of a square lattice, shifted a little, above the ground between four walls. */
void rigid_fill_heap(rigid_scene *scene, int count, double size)
{
    const double pitch = 2.3 * radius;
    int across = (int)ceil(cbrt((double)count));
    double half = 0.5 * across * pitch;
    perp_rng rng = {1};

    (void)size;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    rigid_add_plane(scene, 1.0, 0.0, 0.0, -half);
    rigid_add_plane(scene, -1.0, 0.0, 0.0, -half);
    rigid_add_plane(scene, 0.0, 1.0, 0.0, -half);
    rigid_add_plane(scene, 0.0, -1.0, 0.0, -half);
    for (int k = 0; k < count && !scene->failed; k++) {
        int layer = k / (across * across), row = k / across % across, i = k % across;
        double shift[3];
        for (int c = 0; c < 3; c++)
            shift[c] = 0.1 * radius * perp_rng_signed(&rng);
        rigid_add_sphere(scene, rigid_numbered("sphere", k).text, radius, mass_of(radius),
                         (double[3]){(i + 0.5) * pitch - half + shift[0],
                                     (row + 0.5) * pitch - half + shift[1],
                                     (layer + 0.5) * pitch + shift[2]});
    }
}

/* Spheres in a square of `count` x `count`, let go at once.  [LubeEtAl2004]: a column of radius r0
 * and height a r0 runs out by 1.24 a r0 up to a = 1.7, by 1.6 sqrt(a) r0 above. */
void rigid_fill_column(rigid_scene *scene, int count, double aspect)
{
    const double pitch = 2.02 * radius;
    double start = count * pitch / sqrt(pi); /* radius of the circle of the same area */
    int layers = (int)fmax(1.0, round(aspect * start / pitch)), k = 0;
    perp_rng rng = {1};

    scene->law = RIGID_LAW_RUN_OUT;
    scene->place = start;
    scene->expected = aspect < 1.7 ? 1.24 * aspect : 1.6 * sqrt(aspect);
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    for (int layer = 0; layer < layers; layer++)
        for (int row = 0; row < count; row++)
            for (int i = 0; i < count; i++) {
                double shift[3];
                for (int c = 0; c < 3; c++)
                    shift[c] = 0.009 * radius * perp_rng_signed(&rng);
                rigid_add_sphere(scene, rigid_numbered("sphere", k++).text, radius, mass_of(radius),
                                 (double[3]){(i + 0.5 - 0.5 * count) * pitch + shift[0],
                                             (row + 0.5 - 0.5 * count) * pitch + shift[1],
                                             (layer + 0.5) * pitch + shift[2]});
            }
}

/* The same of spheres that lie in the gaps of the layer below, with rolling friction, which stands
 * for grains that are not round. */
void rigid_fill_grains(rigid_scene *scene, int count, double aspect)
{
    const double pitch = 2.02 * radius, rise = 1.43 * radius;
    double start = count * pitch / sqrt(pi);
    int layers = (int)fmax(1.0, round(aspect * start / rise)), k = 0;

    scene->rolling = 0.1 * radius;
    scene->until = 3.0;
    scene->law = RIGID_LAW_RUN_OUT;
    scene->place = start;
    scene->expected = aspect < 1.7 ? 1.24 * aspect : 1.6 * sqrt(aspect);
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    for (int layer = 0; layer < layers; layer++) {
        int across = layer % 2 ? count - 1 : count;
        for (int i = 0; i < across * across; i++)
            rigid_add_sphere(scene, rigid_numbered("sphere", k++).text, radius, mass_of(radius),
                             (double[3]){(i % across + 0.5 - 0.5 * across) * pitch,
                                         (i / across + 0.5 - 0.5 * across) * pitch,
                                         radius + layer * rise});
    }
}
