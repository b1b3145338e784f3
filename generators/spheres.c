/* SPDX-License-Identifier: BSD-3-Clause */
/* Hexagonal close packing of spheres in a box: layers along z, radii within 2 %
 * and centres jittered by 1 % of 0.1 m, floor and four walls.  Pairs closer
 * than 1.5 % of the radius touch, about three quarters of all neighbours. */
#include <math.h>

#include "generators/ball_contacts.h"
#include "generators/friction_problems.h"

#define SPHERE_RADIUS 0.1
#define SPHERE_DENSITY 2500.0

/* A cube of n^3 spheres has about n^2 (4.5 n - 3.5) contacts: 4.5 for a sphere
 * inside, fewer near the faces. */
static double contacts_of(double side)
{
    return side * side * (4.5 * side - 3.5);
}

static void choose_layout(int count[3], int contacts)
{
    int side = 1;

    while (contacts_of(side + 0.5) < contacts)
        side++;
    count[0] = count[1] = side;
    count[2] = (int)(contacts * side / contacts_of(side) + 0.5);
    if (count[2] < 1)
        count[2] = 1;
}

static void add_walls(perp_packing *scene, const int count[3])
{
    static const double normals[5][3] = {
        {0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {-1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, -1.0, 0.0}};
    const double r = SPHERE_RADIUS, gap = 0.03 * r;
    int odd = count[1] > 1 || count[2] > 1;
    double wide = r * (2.0 * count[0] - 1.0 + odd);
    double deep = r * (sqrt(3.0) * (count[1] - 1 + (count[2] > 1 ? 1.0 / 3.0 : 0.0)) + 1.0);
    const double offsets[5] = {0.0, -r, -wide, -r, -deep};

    for (int k = 0; k < 5; k++)
        perp_packing_touch_plane(scene, normals[k], offsets[k], gap);
}

/* Numbers that a sphere takes from the generator for its place, and later for its velocities. */
enum { OF_PLACE = 1 + 3 * 12, OF_VELOCITY = 6 * 12 };

static void add_sphere(perp_packing *scene, const int count[3], int number)
{
    const double r = SPHERE_RADIUS;
    int i = number % count[0], j = number / count[0] % count[1], k = number / count[0] / count[1];
    double x[3] = {r * (2 * i + (j + k) % 2), r * sqrt(3.0) * (j + (k % 2) / 3.0),
                   r * (1.0 + k * 2.0 * sqrt(6.0) / 3.0)};
    double radius = r * (1.0 + 0.02 * (2.0 * perp_rng_uniform(&scene->rng) - 1.0));

    for (int d = 0; d < 3; d++)
        x[d] += 0.01 * r * perp_rng_normal(&scene->rng);
    perp_packing_add_ball(scene, x, radius, SPHERE_DENSITY);
}

int perp_spheres_layout(int count[3], int size)
{
    choose_layout(count, size);
    return count[0] * count[1] * count[2];
}

void perp_build_spheres_range(perp_packing *scene, const int count[3], int from, int to)
{
    const double r = SPHERE_RADIUS;
    uint64_t seed = scene->rng.state, bodies = (uint64_t)count[0] * (uint64_t)count[1];

    bodies *= (uint64_t)count[2];
    perp_rng_skip(&scene->rng, (uint64_t)from * OF_PLACE);
    for (int number = from; number < to; number++)
        add_sphere(scene, count, number);
    perp_packing_touch_balls(scene, 1.02 * r, 0.015 * r);
    add_walls(scene, count);
    scene->rng.state = seed;
    perp_rng_skip(&scene->rng, bodies * OF_PLACE + (uint64_t)from * OF_VELOCITY);
    perp_packing_shake(scene, 0.05, 0.1);
}

void perp_build_spheres(perp_packing *scene, const perp_generate_options *options)
{
    int count[3], bodies = perp_spheres_layout(count, options->size);

    perp_build_spheres_range(scene, count, 0, bodies);
}
