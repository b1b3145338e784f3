/* SPDX-License-Identifier: BSD-3-Clause */
/* The two examples of 004 in closed form. */
#ifndef PERP_TESTS_EXACT_IMPACTS_H
#define PERP_TESTS_EXACT_IMPACTS_H

#include <math.h>

/* q'' = -2 above q >= 0 with e = 1/2, from q = 1 at rest: at rest again from t = 3 on. */
static inline void exact_ball(double *q, double *v, double t)
{
    double start = 1.0, speed = 1.0;
    if (t < 1.0) {
        *q = 1.0 - t * t;
        *v = -2.0 * t;
        return;
    }
    while (t >= start + speed && speed > 1e-12) {
        start += speed;
        speed *= 0.5;
    }
    if (speed <= 1e-12) {
        *q = *v = 0.0;
        return;
    }
    t -= start;
    *q = speed * t - t * t;
    *v = speed - 2.0 * t;
}

/* q'' = -q above q >= 0, from q = 1 at rest. */
static inline void exact_oscillator(double *q, double *v, double t, double e)
{
    const double pi = acos(-1.0);
    if (t < 0.5 * pi) {
        *q = cos(t);
        *v = -sin(t);
        return;
    }
    double bounce = floor((t - 0.5 * pi) / pi), amplitude = pow(e, bounce + 1.0);
    t -= 0.5 * pi + bounce * pi;
    *q = amplitude * sin(t);
    *v = amplitude * cos(t);
}

#endif
