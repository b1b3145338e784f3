/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that motors move: a gripper and a nut; a press, a lever and what they push. */
#include <math.h>
#include <string.h>

#include "generators/rigid_scene.h"

static const double pi = 3.14159265358979323846;

static const double across_y[3] = {0.0, 1.0, 0.0}, along_x[3] = {1.0, 0.0, 0.0},
                    upwards[3] = {0.0, 0.0, 1.0};

static void add_joint(rigid_scene *scene, rigid_joint_kind kind, int a, int b, const double at[3],
                      const double axis[3], rigid_drive drive)
{
    int k = rigid_add_joint(scene, kind, a, b, at);

    if (k < 0)
        return;
    memcpy(scene->joint[k].axis, axis, sizeof scene->joint[k].axis);
    scene->joint[k].drive = drive;
}

/* A solid hexagon with two of its flats across x. */
static int add_nut(rigid_scene *scene, double flats, double height)
{
    const double density = 7850.0;
    double point[12][3];

    for (int k = 0; k < 12; k++) {
        double angle = (k % 6 + 0.5) * pi / 3.0, radius = flats / sqrt(3.0);
        point[k][0] = radius * cos(angle);
        point[k][1] = radius * sin(angle);
        point[k][2] = k < 6 ? 0.0 : height;
    }
    return rigid_add_hull(scene, "nut", (const double(*)[3])point, 12, density,
                          (double[3]){0.0, 0.0, 0.0}, 0.0);
}

/* Two fingers close on a nut of 98 g with the given force, the hand lifts it by 10 cm and holds it
 * for 10 s. */
void rigid_fill_grasp(rigid_scene *scene, int count, double force)
{
    const double flats = 0.03, height = 0.016, gap = 1e-4, sides[3] = {0.01, 0.02, 0.05};
    const double out = 0.5 * flats + gap + 0.5 * sides[0], above = 0.5 * height + 0.02;
    int nut, hand;

    (void)count;
    scene->mu = 1.0;
    scene->until = 12.0;
    scene->law = RIGID_LAW_CREEP;
    scene->place = 2.0;
    scene->expected = 0.0;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    nut = add_nut(scene, flats, height);
    hand = rigid_add_bare(scene, "hand", 1.0, (double[3]){0.002, 0.002, 0.002},
                          (double[3]){0.0, 0.0, 0.1}, 0.0);
    add_joint(scene, RIGID_SLIDER, hand, -1, (double[3]){0.0, 0.0, 0.1}, upwards,
              (rigid_drive){.kind = RIGID_TARGET,
                            .largest = 50.0,
                            .target = 0.1,
                            .speed = 0.1,
                            .acceleration = 1.0});
    for (int side = -1; side <= 1; side += 2) {
        double at[3] = {side * out, 0.0, above};
        int finger = rigid_add_box(scene, side < 0 ? "left" : "right", sides, 0.05, at, 0.0);
        add_joint(scene, RIGID_SLIDER, finger, hand, at, along_x,
                  (rigid_drive){.kind = RIGID_SPEED,
                                .largest = force,
                                .speed = -0.02 * side,
                                .limited = 1,
                                .low = -0.02,
                                .high = 0.02});
        scene->reference = finger;
    }
    scene->watched = nut;
}

/* A crank turns at the given rate and pushes a ram, the ram a load along the floor, by its stroke
 * less the gap between them; the load stays where the ram turns back. */
static void add_press(rigid_scene *scene, double rate)
{
    const double r = 0.1, rod = 0.3, z = 0.15, gap = 0.05, ram[3] = {0.1, 0.2, 0.1};
    const double load[3] = {0.2, 0.2, 0.2}, pin = rod - r;
    int crank = rigid_add_bare(scene, "crank", 1.0, (double[3]){0.002, 0.01, 0.01},
                               (double[3]){0.0, 0.0, z}, 0.0);
    int bar = rigid_add_bare(scene, "rod", 0.5, (double[3]){2e-4, 0.004, 0.004},
                             (double[3]){0.5 * rod - r, 0.0, z}, 0.0);
    int block = rigid_add_box(scene, "ram", ram, 2.0, (double[3]){pin + 0.5 * ram[0], 0.0, z}, 0.0);

    add_joint(scene, RIGID_HINGE, crank, -1, (double[3]){0.0, 0.0, z}, across_y,
              (rigid_drive){.kind = RIGID_SPEED, .largest = 20.0, .speed = rate});
    add_joint(scene, RIGID_SLIDER, block, -1, (double[3]){pin, 0.0, z}, along_x,
              (rigid_drive){.limited = 1, .low = -0.001, .high = 2.0 * r + 0.001});
    add_joint(scene, RIGID_HINGE, bar, crank, (double[3]){-r, 0.0, z}, across_y,
              (rigid_drive){.kind = RIGID_FREE});
    add_joint(scene, RIGID_HINGE, block, bar, (double[3]){pin, 0.0, z}, across_y,
              (rigid_drive){.kind = RIGID_FREE});
    scene->watched =
        rigid_add_box(scene, "load", load, 5.0,
                      (double[3]){pin + ram[0] + gap + 0.5 * load[0], 0.0, 0.5 * load[2]}, 0.0);
    scene->along[0] = 1.0;
    scene->expected = 2.0 * r - gap;
}

/* A lever lifts a cube until it is at its limit, against which its motor goes on pushing. */
static void add_lever(rigid_scene *scene)
{
    const double sides[3] = {0.6, 0.1, 0.02}, cube[3] = {0.08, 0.08, 0.08};
    const double at[3] = {0.0, 0.6, 0.3};
    int lever = rigid_add_box(scene, "lever", sides, 1.0, at, 0.0);

    add_joint(scene, RIGID_HINGE, lever, -1, at, across_y,
              (rigid_drive){.kind = RIGID_SPEED,
                            .largest = 4.0,
                            .speed = -0.5,
                            .limited = 1,
                            .low = -0.25,
                            .high = 0.1});
    rigid_add_box(scene, "cube", cube, 0.5,
                  (double[3]){0.25, at[1], at[2] + 0.5 * (sides[2] + cube[2])}, 0.0);
}

void rigid_fill_machine(rigid_scene *scene, int count, double rate)
{
    (void)count;
    scene->until = 4.5 * pi / rate;
    scene->law = RIGID_LAW_WAY;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    add_press(scene, rate);
    add_lever(scene);
}
