/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of time: a polynomial and a sine. */
#include <math.h>

#include "scene/numbers.h"

int perp_scene_read_motion(perp_scene *scene, perp_scene_motion *motion, const perp_scene_node *at)
{
    double frequency = 0.0;

    motion->coefficients = -1;
    if (perp_scene_real(&motion->amplitude, at, "amplitude", -INFINITY, INFINITY) != 0 ||
        perp_scene_real(&frequency, at, "frequency", 0.0, INFINITY) != 0 ||
        perp_scene_real(&motion->phase, at, "phase", -INFINITY, INFINITY) != 0 ||
        perp_scene_vector(scene, &motion->coefficient, &motion->coefficients, at, "polynomial") !=
            0)
        return -1;
    if (motion->coefficient == NULL)
        motion->coefficients = 0;
    motion->omega = 2.0 * 3.14159265358979323846 * frequency;
    if (motion->coefficients == 0 && !perp_scene_has(at, "amplitude"))
        return perp_scene_fail(at, "needs amplitude (with frequency and phase) or polynomial");
    return 0;
}

double perp_scene_motion_value(const perp_scene_motion *motion, double t)
{
    double value = 0.0;

    for (int k = motion->coefficients - 1; k >= 0; k--)
        value = value * t + motion->coefficient[k];
    if (motion->amplitude != 0.0)
        value += motion->amplitude * sin(motion->omega * t + motion->phase);
    return value;
}

double perp_scene_motion_rate(const perp_scene_motion *motion, double t)
{
    double rate = 0.0;

    for (int k = motion->coefficients - 1; k >= 1; k--)
        rate = rate * t + k * motion->coefficient[k];
    if (motion->amplitude != 0.0)
        rate += motion->amplitude * motion->omega * cos(motion->omega * t + motion->phase);
    return rate;
}
