/* SPDX-License-Identifier: BSD-3-Clause */
/* The curves of MuJoCo's muscles: quadratic pieces with continuous slopes. */
#include "scene/muscle.h"

#include <math.h>

void perp_muscle_init(perp_muscle *muscle)
{
    *muscle = (perp_muscle){.strength = 1.0,
                            .shortest = 0.0,
                            .longest = 1.0,
                            .low = 0.75,
                            .high = 1.05,
                            .least = 0.5,
                            .most = 1.6,
                            .fastest = 1.5,
                            .passive = 1.3,
                            .eccentric = 1.2};
}

/* 1 at 1, 0 at and beyond both ends. */
static double of_length(const perp_muscle *m, double l)
{
    double end = l <= 1.0 ? m->least : m->most;
    double part = (l - end) / (1.0 - end); /* 0 at the end, 1 at the optimum */

    if (part <= 0.0)
        return 0.0;
    return part <= 0.5 ? 2.0 * part * part : 1.0 - 2.0 * (1.0 - part) * (1.0 - part);
}

/* 0 at -1, 1 at 0, the largest from there on where it is reached with a slope of 0. */
static double of_speed(const perp_muscle *m, double v)
{
    double more = m->eccentric - 1.0;

    if (v <= -1.0)
        return 0.0;
    if (v <= 0.0)
        return (v + 1.0) * (v + 1.0);
    return v < more ? m->eccentric - (more - v) * (more - v) / more : m->eccentric;
}

static double passive(const perp_muscle *m, double l)
{
    double half = 0.5 * (m->most - 1.0);

    if (l <= 1.0 || !(half > 0.0))
        return 0.0;
    double x = (l - 1.0) / half;
    return m->passive * (x <= 1.0 ? 0.5 * x * x : x - 0.5);
}

double perp_muscle_force(const perp_muscle *muscle, double length, double rate, double activation)
{
    double scale = (muscle->high - muscle->low) / (muscle->longest - muscle->shortest);
    double l = muscle->low + (length - muscle->shortest) * scale;
    double v = rate * scale / muscle->fastest;
    double force = -muscle->strength *
                   (activation * of_length(muscle, l) * of_speed(muscle, v) + passive(muscle, l));

    return muscle->bounded ? fmin(fmax(force, muscle->bound[0]), muscle->bound[1]) : force;
}
