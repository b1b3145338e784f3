/* SPDX-License-Identifier: BSD-3-Clause */
/* One body or a few, most of them with a closed form. */
#include <math.h>

#include "generators/rigid_scene.h"

static const double g = 9.81, pi = 3.14159265358979323846;

/* Equal balls in a row without gravity; the last takes the whole velocity. */
void rigid_fill_cradle(rigid_scene *scene, int count, double gap)
{
    const double radius = 0.05, speed = 6.0;

    scene->gravity[2] = 0.0;
    scene->e = 1.0;
    scene->mu = 0.0;
    scene->h = 0.001;
    scene->until = 0.2;
    scene->law = RIGID_LAW_SPEED;
    scene->watched = count - 1;
    scene->along[0] = 1.0;
    scene->expected = speed;
    for (int k = 0; k < count; k++) {
        int ball =
            rigid_add_sphere(scene, rigid_numbered("ball", k).text, radius, 1.0,
                             (double[3]){k == 0 ? -0.05 : k * (2.0 * radius + gap), 0.0, 0.0});
        if (k == 0 && ball >= 0)
            scene->body[ball].velocity[0] = speed;
    }
}

/* A slender rod slides on its lower end against the way it leans: with mu above 4/3 it jams
 * ([GenotBrogliato1999]). */
void rigid_fill_rod(rigid_scene *scene, int count, double mu)
{
    const double sides[3] = {0.02, 0.02, 1.0}, lean = pi / 6.0;
    double height = 0.5 * (sides[2] * cos(lean) + sides[0] * sin(lean));

    scene->mu = mu;
    scene->until = 1.0;
    scene->h = 0.001;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    for (int k = 0; k < count; k++) {
        int rod = rigid_add_box(scene, rigid_numbered("rod", k).text, sides, 1.0,
                                (double[3]){0.0, 0.5 * k, height}, -lean);
        if (rod >= 0)
            scene->body[rod].velocity[0] = 3.0;
    }
}

/* v0 = 2 m/s forwards; once it rolls its speed is (5 v0 - 2 r spin)/7. */
void rigid_fill_backspin(rigid_scene *scene, int count, double spin)
{
    const double radius = 0.1, speed = 2.0;
    int ball = rigid_add_sphere(scene, "ball", radius, 1.0, (double[3]){0.0, 0.0, radius});

    (void)count;
    scene->mu = 0.3;
    scene->law = RIGID_LAW_SPEED;
    scene->along[0] = 1.0;
    scene->expected = (5.0 * speed - 2.0 * radius * spin) / 7.0;
    scene->until = fmax(2.0, 1.5 * (speed + radius * spin) / (3.5 * scene->mu * g));
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    if (ball < 0)
        return;
    scene->body[ball].velocity[0] = speed;
    scene->body[ball].angular[1] = -spin;
}

/* The bullet crosses the plate's thickness many times in a step. */
void rigid_fill_bullet(rigid_scene *scene, int count, double speed)
{
    const double thick = 0.02;
    int bullet = rigid_add_sphere(scene, "bullet", 0.01, 0.01, (double[3]){0.0, 0.0, 1.0});

    (void)count;
    scene->law = RIGID_LAW_STOPPED;
    scene->watched = bullet;
    scene->place = 5.0;
    scene->expected = 1.0;
    scene->until = 0.25;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    rigid_add_box(scene, "plate", (double[3]){thick, 2.0, 2.0}, 500.0, (double[3]){5.0, 0.0, 1.0},
                  0.0);
    if (bullet >= 0)
        scene->body[bullet].velocity[0] = speed;
}

/* From rest: 5/7 g sin(a) where it rolls, g (sin(a) - mu cos(a)) where it slips. */
void rigid_fill_rolling(rigid_scene *scene, int count, double mu)
{
    const double angle = pi / 9.0, radius = 0.1;
    const double up[3] = {sin(angle), 0.0, cos(angle)};

    (void)count;
    scene->mu = mu;
    scene->law = RIGID_LAW_ACCELERATION;
    scene->along[0] = cos(angle);
    scene->along[2] = -sin(angle);
    scene->expected = g * fmax(5.0 / 7.0 * sin(angle), sin(angle) - mu * cos(angle));
    rigid_add_plane(scene, up[0], up[1], up[2], 0.0);
    rigid_add_sphere(scene, "ball", radius, 1.0, (double[3]){radius * up[0], 0.0, radius * up[2]});
}

/* A ball whose centre of mass is 0.3 of its radius below its middle, equal moments, spinning about
 * its axis: friction turns it over ([CiocciLangerock2007]: (1 - 0.3) I3 < I1 < (1 + 0.3) I3, and
 * fast enough). */
void rigid_fill_tippe_top(rigid_scene *scene, int count, double rate)
{
    const double radius = 0.02, mass = 0.03, below = 0.3 * radius, tilt = 0.1;
    const double axis[3] = {sin(tilt), 0.0, cos(tilt)};
    double moment = 0.4 * mass * radius * radius;
    int top = rigid_add_bare(scene, "top", mass, (double[3]){moment, moment, moment},
                             (double[3]){-below * axis[0], 0.0, radius - below * axis[2]}, tilt);

    (void)count;
    scene->mu = 0.3;
    scene->h = 0.001;
    scene->until = 8.0;
    scene->law = RIGID_LAW_AXIS;
    scene->expected = -1.0;
    rigid_add_plane(scene, 0.0, 0.0, 1.0, 0.0);
    if (top < 0)
        return;
    scene->body[top].shape = RIGID_SPHERE;
    scene->body[top].radius = radius;
    scene->body[top].shape_at[2] = below;
    for (int i = 0; i < 3; i++)
        scene->body[top].angular[i] = rate * axis[i];
}
