/* SPDX-License-Identifier: BSD-3-Clause */
/* Boxes on each other: at rest, hit, falling over. */
#include <math.h>

#include "generators/rigid_scene.h"

static const double pi = 3.14159265358979323846;
static const double g = 9.81;

/* Cubes of half a metre; all of 1 kg but the one on top. */
void rigid_fill_heavy(rigid_scene *scene, int count, double ratio)
{
    const double side = 0.5;

    scene->rests = 1;
    scene->until = 5.0;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    for (int k = 0; k < count; k++)
        rigid_add_box(scene, rigid_numbered("cube", k).text, (double[3]){side, side, side},
                      k == count - 1 ? ratio : 1.0, (double[3]){0.0, 0.0, (k + 0.5) * side}, 0.0);
}

/* Each box half a metre away from the next, in the plane's own frame. */
void rigid_fill_ramp(rigid_scene *scene, int count, double degrees)
{
    const double sides[3] = {0.4, 0.4, 0.2}, angle = degrees * pi / 180.0;
    const double up[3] = {sin(angle), 0.0, cos(angle)};

    scene->rests = 1;
    scene->until = 10.0;
    rigid_add_plane(scene, up[0], up[1], up[2], 0.0);
    for (int k = 0; k < count; k++)
        rigid_add_box(scene, rigid_numbered("box", k).text, sides, 10.0,
                      (double[3]){0.5 * sides[2] * up[0], 0.5 * k, 0.5 * sides[2] * up[2]}, angle);
}

/* Running bond with half bricks at the ends; 5 mm between the bricks of a row. */
void rigid_fill_wall(rigid_scene *scene, int count, double speed)
{
    const double sides[3] = {0.4, 0.2, 0.2}, half[3] = {0.195, 0.2, 0.2}, joint = 0.005;
    const double pitch = sides[0] + joint, density = 2000.0, width = count * pitch - joint;
    int k = 0;

    scene->rests = !(speed > 0.0);
    scene->h = 0.005;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    for (int row = 0; row < count; row++) {
        double z = (row + 0.5) * sides[2], first = 0.5 * sides[0] - 0.5 * width;
        int odd = row % 2, bricks = odd ? count - 1 : count;
        for (int i = 0; i < bricks; i++)
            rigid_add_box(scene, rigid_numbered("brick", k++).text, sides,
                          density * sides[0] * sides[1] * sides[2],
                          (double[3]){first + (i + 0.5 * odd) * pitch, 0.0, z}, 0.0);
        for (int end = -1; odd && end <= 1; end += 2)
            rigid_add_box(scene, rigid_numbered("brick", k++).text, half,
                          density * half[0] * half[1] * half[2],
                          (double[3]){end * (0.5 * width - 0.5 * half[0]), 0.0, z}, 0.0);
    }
    if (speed > 0.0) {
        int ball = rigid_add_sphere(scene, "ball", 0.2, 50.0,
                                    (double[3]){0.03, -0.6, 0.5 * count * sides[2] + 0.02});
        if (ball >= 0)
            scene->body[ball].velocity[1] = speed;
    }
}

/* Two cards lean on each other at x; their feet stand at the height z. */
static void add_tent(rigid_scene *scene, int *k, double x, double z, const double card[3],
                     double lean)
{
    double across = 0.5 * (card[2] * sin(lean) + card[0] * cos(lean));
    double height = z + 0.5 * (card[2] * cos(lean) + card[0] * sin(lean));
    double mass = 1000.0 * card[0] * card[1] * card[2];

    for (int side = -1; side <= 1; side += 2, (*k)++)
        rigid_add_box(scene, rigid_numbered("card", *k).text, card, mass,
                      (double[3]){x + side * across, 0.0, height}, -side * lean);
}

/* Levels of leaning cards with cards across between them; cubes above. */
void rigid_fill_cards(rigid_scene *scene, int levels, double cubes)
{
    const double card[3] = {0.01, 0.2, 0.3}, across[3] = {0.235, 0.2, 0.01}, lean = 0.35;
    const double apart = 0.24, level = card[2] * cos(lean) + card[0] * sin(lean) + across[2];
    int k = 0;

    scene->rests = !(cubes >= 1.0);
    scene->mu = 0.7;
    scene->until = 2.5;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    for (int i = 0; i < levels; i++) {
        int tents = levels - i;
        for (int n = 0; n < tents; n++)
            add_tent(scene, &k, (n + 0.5 * i) * apart, i * level, card, lean);
        for (int n = 0; n + 1 < tents; n++, k++)
            rigid_add_box(
                scene, rigid_numbered("card", k).text, across,
                1000.0 * across[0] * across[1] * across[2],
                (double[3]){(n + 0.5 * (i + 1)) * apart, 0.0, (i + 1) * level - 0.5 * across[2]},
                0.0);
    }
    for (int n = 0; n < (int)cubes; n++)
        rigid_add_box(scene, rigid_numbered("cube", n).text, (double[3]){0.06, 0.06, 0.06},
                      1000.0 * 0.06 * 0.06 * 0.06,
                      (double[3]){apart * n + 0.01, 0.01 * n, levels * level + 0.3 + 0.1 * n}, 0.0);
}

/* Cubes of 1 m, 5 cm apart. */
void rigid_fill_pyramid(rigid_scene *scene, int count, double size)
{
    int k = 0;

    (void)size;
    scene->rests = 1;
    scene->until = 1.0;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    for (int row = 0; row < count; row++)
        for (int i = 0; i < count - row; i++)
            rigid_add_box(scene, rigid_numbered("cube", k++).text, (double[3]){1.0, 1.0, 1.0},
                          1000.0, (double[3]){1.05 * (i - 0.5 * (count - row - 1)), 0.0, row + 0.5},
                          0.0);
}

/* The first one leans over far enough to fall. */
void rigid_fill_dominoes(rigid_scene *scene, int count, double size)
{
    const double sides[3] = {0.02, 0.1, 0.2}, lean = 0.2;

    (void)size;
    scene->mu = 0.4;
    scene->law = RIGID_LAW_WAVE;
    scene->place = sqrt(g * sides[2]);
    scene->watched = count - 1;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    for (int k = 0; k < count; k++) {
        double turn = k == 0 ? lean : 0.0;
        rigid_add_box(scene, rigid_numbered("domino", k).text, sides,
                      1000.0 * sides[0] * sides[1] * sides[2],
                      (double[3]){0.07 * k + 0.5 * (sides[2] * sin(turn) - sides[0] * cos(turn)),
                                  0.0, 0.5 * (sides[2] * cos(turn) + sides[0] * sin(turn))},
                      turn);
    }
}
