/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors and unit quaternions (w, x, y, z), of the verification alone. */
#ifndef PERP_SCENE_VERIFY_SPACE_H
#define PERP_SCENE_VERIFY_SPACE_H

#include <math.h>

static inline double space_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double space_length(const double *a)
{
    return sqrt(space_dot(a, a));
}

static inline void space_cross(double *out, const double *a, const double *b)
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2];

    out[2] = a[0] * b[1] - a[1] * b[0];
    out[0] = x;
    out[1] = y;
}

static inline void space_times(double *out, const double *p, const double *q)
{
    double r[4] = {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
                   p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
                   p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
                   p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};

    for (int i = 0; i < 4; i++)
        out[i] = r[i];
}

static inline void space_conjugate(double *out, const double *q)
{
    out[0] = q[0];
    for (int i = 1; i < 4; i++)
        out[i] = -q[i];
}

/* From the frame of the body to that of the world. */
static inline void space_turn(double *out, const double *q, const double *a)
{
    double p[4] = {0.0, a[0], a[1], a[2]}, back[4];

    space_conjugate(back, q);
    space_times(p, q, p);
    space_times(p, p, back);
    for (int i = 0; i < 3; i++)
        out[i] = p[i + 1];
}

static inline void space_turn_back(double *out, const double *q, const double *a)
{
    double back[4];

    space_conjugate(back, q);
    space_turn(out, back, a);
}

/* q exp(w), w a rotation vector in the frame of the body. */
static inline void space_move(double *out, const double *q, const double *w)
{
    double angle = space_length(w), part = angle > 1e-8 ? sin(0.5 * angle) / angle : 0.5;
    const double turn[4] = {cos(0.5 * angle), part * w[0], part * w[1], part * w[2]};

    space_times(out, q, turn);
}

#endif
