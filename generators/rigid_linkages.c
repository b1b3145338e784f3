/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies on joints: chains, closed loops, a top, a turning table. */
#include <math.h>
#include <string.h>

#include "generators/rigid_scene.h"

static const double length = 0.2, pi = 3.14159265358979323846, g = 9.81;

/* A link of 1 kg from one place to another in the plane y = 0. */
static int add_link(rigid_scene *scene, const char *name, int k, const double from[2],
                    const double to[2])
{
    return rigid_add_bare(scene, rigid_numbered(name, k).text, 1.0,
                          (double[3]){0.0005, 0.0035, 0.0035},
                          (double[3]){0.5 * (from[0] + to[0]), 0.0, 0.5 * (from[1] + to[1])},
                          atan2(from[1] - to[1], to[0] - from[0]));
}

/* From the origin along x; the tip is a ball on a joint of its own. */
void rigid_fill_chain(rigid_scene *scene, int count, double mass)
{
    int before = -1;

    scene->until = 5.0;
    for (int k = 0; k < count; k++) {
        int link = add_link(scene, "link", k, (double[2]){k * length, 0.0},
                            (double[2]){(k + 1) * length, 0.0});
        rigid_add_joint(scene, RIGID_BALL, link, before, (double[3]){k * length, 0.0, 0.0});
        before = link;
    }
    {
        double moment = 0.004 * mass, at[3] = {count * length, 0.0, 0.0};
        int ball =
            rigid_add_bare(scene, "ball", mass, (double[3]){moment, moment, moment}, at, 0.0);
        rigid_add_joint(scene, RIGID_BALL, ball, before, at);
    }
}

/* points 1: hinges, 3 redundant rows; 2: as two ball joints each, 7 of them. */
void rigid_fill_four_bar(rigid_scene *scene, int points, double size)
{
    static const double at[4][2] = {{0.0, 0.0}, {0.3, 1.0}, {1.8, 1.2}, {1.5, 0.0}};
    static const char *const name[3] = {"crank", "coupler", "rocker"};

    (void)size;
    scene->until = 5.0;
    for (int k = 0; k < 3; k++)
        rigid_add_bare(
            scene, name[k], 1.0, (double[3]){0.02, 0.1, 0.1},
            (double[3]){0.5 * (at[k][0] + at[k + 1][0]), 0.0, 0.5 * (at[k][1] + at[k + 1][1])},
            atan2(at[k][1] - at[k + 1][1], at[k + 1][0] - at[k][0]));
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < points; i++)
            rigid_add_joint(scene, points == 2 ? RIGID_BALL : RIGID_HINGE, k < 3 ? k : 2,
                            k == 0 || k == 3 ? -1 : k - 1,
                            (double[3]){at[k][0], points == 2 ? 0.2 * i - 0.1 : 0.0, at[k][1]});
}

/* Platforms that hang below each other on two parallel legs each. */
void rigid_fill_loops(rigid_scene *scene, int count, double size)
{
    const double leg[2] = {0.4 * sin(0.5), -0.4 * cos(0.5)};
    int above = -1;

    (void)size;
    scene->until = 5.0;
    for (int k = 1; k <= count; k++) {
        int legs[2];
        for (int side = -1; side <= 1; side += 2)
            legs[side > 0] = add_link(scene, side < 0 ? "left" : "right", k,
                                      (double[2]){0.3 * side + (k - 1) * leg[0], (k - 1) * leg[1]},
                                      (double[2]){0.3 * side + k * leg[0], k * leg[1]});
        int platform = rigid_add_bare(scene, rigid_numbered("platform", k).text, 2.0,
                                      (double[3]){0.01, 0.06, 0.06},
                                      (double[3]){k * leg[0], 0.0, k * leg[1]}, 0.0);
        for (int side = -1; side <= 1; side += 2) {
            rigid_add_joint(scene, RIGID_HINGE, legs[side > 0], above,
                            (double[3]){0.3 * side + (k - 1) * leg[0], 0.0, (k - 1) * leg[1]});
            rigid_add_joint(scene, RIGID_HINGE, platform, legs[side > 0],
                            (double[3]){0.3 * side + k * leg[0], 0.0, k * leg[1]});
        }
        above = platform;
    }
}

/* Steady precession at the angle th to the vertical, [GoldsteinEtAl2002] sec. 5.7: with the moment
 * I1 about the joint and the spin s about the axis, I1 rate^2 cos(th) - I3 s rate + m g l = 0. */
void rigid_fill_top(rigid_scene *scene, int count, double rate)
{
    const double mass = 1.0, arm = 0.2, tilt = pi / 6.0, I1 = 0.012, I3 = 0.02;
    const double axis[3] = {sin(tilt), 0.0, cos(tilt)};
    double spin =
        ((I1 + mass * arm * arm) * rate * rate * cos(tilt) + mass * g * arm) / (I3 * rate);
    int top = rigid_add_bare(scene, "top", mass, (double[3]){I1, I1, I3},
                             (double[3]){arm * axis[0], 0.0, arm * axis[2]}, tilt);

    (void)count;
    scene->until = 5.0;
    scene->law = RIGID_LAW_PRECESSION;
    scene->expected = rate;
    rigid_add_joint(scene, RIGID_BALL, top, -1, (double[3]){0.0, 0.0, 0.0});
    if (top < 0)
        return;
    scene->body[top].angular[0] = (spin - rate * cos(tilt)) * axis[0];
    scene->body[top].angular[2] = (spin - rate * cos(tilt)) * axis[2] + rate;
    scene->body[top].velocity[1] = rate * arm * axis[0];
}

/* A solid ball that rolls on a table turning at the rate w moves in circles at 2/7 w
 * ([Weltner1979]). */
void rigid_fill_turntable(rigid_scene *scene, int count, double rate)
{
    const double radius = 0.1, out = 1.0, speed = 0.3 * rate;
    int table = rigid_add_box(scene, "table", (double[3]){6.0, 6.0, 0.1}, 1e5,
                              (double[3]){0.0, 0.0, -0.05}, 0.0);
    int ball = rigid_add_sphere(scene, "ball", radius, 1.0, (double[3]){out, 0.0, radius});
    int hinge = rigid_add_joint(scene, RIGID_HINGE, table, -1, (double[3]){0.0, 0.0, -0.05});

    (void)count;
    scene->until = 10.0;
    scene->law = RIGID_LAW_TURNING;
    scene->watched = ball;
    scene->expected = 2.0 / 7.0 * rate;
    if (scene->failed)
        return;
    memcpy(scene->joint[hinge].axis, (double[3]){0.0, 0.0, 1.0}, sizeof(double[3]));
    scene->body[table].angular[2] = rate;
    scene->body[ball].velocity[1] = speed;
    scene->body[ball].angular[0] = (rate * out - speed) / radius;
}
