/* SPDX-License-Identifier: BSD-3-Clause */
/* Chains of rods in three crossed layers: the rods of a chain hang together by
 * ball joints, its first one is pinned to the ground.  A rod of the lowest
 * layer touches the ground twice; above, each rod touches the rod that it
 * crosses.  Chains are shifted sideways, so that crossings lie off the middle. */
#include <string.h>

#include "generators/friction_problems.h"

#define ROD_LENGTH 0.2
#define ROD_RADIUS 0.02
#define ROD_DENSITY 7800.0
#define ROD_PI 3.14159265358979323846

enum { CHAIN_LAYERS = 3 };

/* Sideways place of chain c, with its own shift of up to a fifth of a rod. */
static double chain_place(int c, double shift)
{
    return (c + 0.5 + 0.2 * (2.0 * shift - 1.0)) * ROD_LENGTH;
}

static void add_rod(perp_packing *scene, int axis, int i, double place, double z)
{
    const double r2 = ROD_RADIUS * ROD_RADIUS, l2 = ROD_LENGTH * ROD_LENGTH;
    perp_body body;

    memset(&body, 0, sizeof body);
    body.x[axis] = (i + 0.5) * ROD_LENGTH;
    body.x[1 - axis] = place;
    body.x[2] = z;
    body.mass = ROD_DENSITY * ROD_PI * r2 * ROD_LENGTH;
    for (int k = 0; k < 3; k++)
        body.inertia[k] = k == axis ? 0.5 * body.mass * r2 : body.mass * (3.0 * r2 + l2) / 12.0;
    perp_packing_add_body(scene, &body);
}

/* One chain of n rods along `axis`, joined and pinned. */
static void add_chain(perp_packing *scene, int axis, int n, double place, double z)
{
    int first = scene->bodies;

    for (int i = 0; i < n; i++)
        add_rod(scene, axis, i, place, z);
    for (int i = 0; i < n; i++) {
        double point[3];

        point[axis] = i * ROD_LENGTH;
        point[1 - axis] = place;
        point[2] = z;
        perp_packing_add_joint_at(scene, first + i, i > 0 ? first + i - 1 : -1, point);
    }
}

static void touch_ground(perp_packing *scene, int body, int axis)
{
    static const double up[3] = {0.0, 0.0, 1.0};

    for (int end = -1; end <= 1; end += 2) {
        double point[3];

        if (scene->status != PERP_SOLVED)
            return;
        memcpy(point, scene->body[body].x, sizeof point);
        point[axis] += 0.35 * end * ROD_LENGTH;
        point[2] -= ROD_RADIUS;
        perp_packing_add_touch_at(scene, body, -1, up, point);
    }
}

/* Rod i of chain c in this layer lies on rod c of chain i in the layer below. */
static void touch_below(perp_packing *scene, int first, int below, int n, int axis)
{
    static const double up[3] = {0.0, 0.0, 1.0};

    for (int c = 0; c < n; c++) {
        for (int i = 0; i < n; i++) {
            int a = first + c * n + i, b = below + i * n + c;
            double point[3];

            if (scene->status != PERP_SOLVED)
                return;
            point[axis] = scene->body[b].x[axis];
            point[1 - axis] = scene->body[a].x[1 - axis];
            point[2] = scene->body[a].x[2] - ROD_RADIUS;
            perp_packing_add_touch_at(scene, a, b, up, point);
        }
    }
}

/* size = n^2 (2 + CHAIN_LAYERS - 1) */
void perp_build_chains(perp_packing *scene, const perp_generate_options *options)
{
    int n = 1, below = 0;

    while ((n + 0.5) * (n + 0.5) * (CHAIN_LAYERS + 1) < options->size)
        n++;
    for (int layer = 0; layer < CHAIN_LAYERS && scene->status == PERP_SOLVED; layer++) {
        int axis = layer % 2, first = scene->bodies;
        double z = ROD_RADIUS * (1.0 + 2.0 * layer);

        for (int c = 0; c < n; c++)
            add_chain(scene, axis, n, chain_place(c, perp_rng_uniform(&scene->rng)), z);
        if (layer > 0)
            touch_below(scene, first, below, n, axis);
        else
            for (int k = 0; k < n * n; k++)
                touch_ground(scene, k, axis);
        below = first;
    }
    perp_packing_shake(scene, 0.05, 0.1);
}
