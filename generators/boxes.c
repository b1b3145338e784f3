/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes stacked in running bond: each rests on two of the course below, with
 * four contacts at the corners of every face where two boxes overlap.  Odd
 * courses end in half boxes.  Boxes are moved by up to 2 % of their length, so
 * that no two faces overlap alike.  Many more contact rows than unknowns. */
#include <math.h>
#include <string.h>

#include "generators/friction_problems.h"

#define BOX_LENGTH 0.4
#define BOX_DEPTH 0.2
#define BOX_HEIGHT 0.2
#define BOX_DENSITY 2000.0

typedef struct course {
    int first, count; /* bodies */
} course;

static double half_length(const perp_packing *scene, int body, double density)
{
    return 0.5 * scene->body[body].mass / (density * BOX_DEPTH * BOX_HEIGHT);
}

static void add_box(perp_packing *scene, double x, double z, double length, double density)
{
    perp_body body;
    double square[3] = {length * length, BOX_DEPTH * BOX_DEPTH, BOX_HEIGHT * BOX_HEIGHT};

    memset(&body, 0, sizeof body);
    body.x[0] = x + 0.02 * BOX_LENGTH * (2.0 * perp_rng_uniform(&scene->rng) - 1.0);
    body.x[1] = 0.02 * BOX_LENGTH * (2.0 * perp_rng_uniform(&scene->rng) - 1.0);
    body.x[2] = z;
    body.mass = density * length * BOX_DEPTH * BOX_HEIGHT;
    for (int k = 0; k < 3; k++)
        body.inertia[k] = body.mass * (square[(k + 1) % 3] + square[(k + 2) % 3]) / 12.0;
    perp_packing_add_body(scene, &body);
}

/* `across` boxes in an even course; in an odd one two of them are halved. */
static course add_course(perp_packing *scene, int level, int across, double density)
{
    double z = (level + 0.5) * BOX_HEIGHT;
    course made = {scene->bodies, across + level % 2};

    for (int i = 0; i < made.count; i++)
        if (level % 2 == 0)
            add_box(scene, (i + 0.5) * BOX_LENGTH, z, BOX_LENGTH, density);
        else if (i == 0)
            add_box(scene, 0.25 * BOX_LENGTH, z, 0.5 * BOX_LENGTH, density);
        else if (i == across)
            add_box(scene, (i - 0.25) * BOX_LENGTH, z, 0.5 * BOX_LENGTH, density);
        else
            add_box(scene, i * BOX_LENGTH, z, BOX_LENGTH, density);
    return made;
}

/* Contacts at the corners of [x0, x1] x [y0, y1] on the underside of box a. */
static void add_face(perp_packing *scene, int a, int b, double x0, double x1, double y0, double y1)
{
    static const double up[3] = {0.0, 0.0, 1.0};
    double z = scene->body[a].x[2] - 0.5 * BOX_HEIGHT;

    for (int k = 0; k < 4; k++) {
        double point[3] = {k & 1 ? x1 : x0, k & 2 ? y1 : y0, z};

        perp_packing_add_touch_at(scene, a, b, up, point);
    }
}

static void add_overlaps(perp_packing *scene, course upper, double upper_density, course lower,
                         double lower_density)
{
    for (int a = upper.first; a < upper.first + upper.count; a++) {
        double xa = scene->body[a].x[0], ya = scene->body[a].x[1];
        double ha = half_length(scene, a, upper_density);
        int near = a - upper.first + lower.first;

        for (int b = near - 1; b <= near + 1; b++) {
            double hb, x0, x1, y0, y1;

            if (b < lower.first || b >= lower.first + lower.count)
                continue;
            hb = half_length(scene, b, lower_density);
            x0 = fmax(xa - ha, scene->body[b].x[0] - hb);
            x1 = fmin(xa + ha, scene->body[b].x[0] + hb);
            y0 = fmax(ya, scene->body[b].x[1]) - 0.5 * BOX_DEPTH;
            y1 = fmin(ya, scene->body[b].x[1]) + 0.5 * BOX_DEPTH;
            if (x1 - x0 > 0.1 * BOX_LENGTH)
                add_face(scene, a, b, x0, x1, y0, y1);
        }
    }
}

void perp_build_boxes(perp_packing *scene, const perp_generate_options *options)
{
    int courses = 1, across;
    double below_density = 0.0;
    course below = {0, 0};

    /* size = 4 across (2 courses - 1), about as many courses as boxes across. */
    while (8.0 * (courses + 0.5) * (courses + 0.5) < options->size)
        courses++;
    across = (int)(options->size / (4.0 * (2 * courses - 1)) + 0.5);
    if (across < 1)
        across = 1;
    for (int level = 0; level < courses && scene->status == PERP_SOLVED; level++) {
        double height = courses > 1 ? level / (courses - 1.0) : 0.0;
        double density = BOX_DENSITY * (1.0 + (options->ratio - 1.0) * height);
        course here = add_course(scene, level, across, density);

        if (scene->status != PERP_SOLVED)
            return;
        if (level > 0) {
            add_overlaps(scene, here, density, below, below_density);
        } else {
            for (int a = 0; a < here.count; a++) {
                const double *x = scene->body[a].x;

                add_face(scene, a, -1, x[0] - 0.5 * BOX_LENGTH, x[0] + 0.5 * BOX_LENGTH,
                         x[1] - 0.5 * BOX_DEPTH, x[1] + 0.5 * BOX_DEPTH);
            }
        }
        below = here;
        below_density = density;
    }
    perp_packing_shake(scene, 0.01, 0.02);
}
