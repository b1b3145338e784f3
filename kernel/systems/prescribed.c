/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies whose motion is a function of time. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/systems/dynamic_system.h"

int perp_system_prescribed(double *pose, double *twist, const perp_system *s, double t)
{
    int refused = s->as.body.motion(pose, twist, t, s->user);
    for (int i = 0; i < 6 && !refused; i++)
        refused = !isfinite(pose[i]) || !isfinite(twist[i]);
    return refused || perp_quaternion_normalise(pose + 3) != PERP_SOLVED;
}

int perp_system_prescribe(perp_system *s, double t, double h)
{
    double *start = s->q[PERP_START], *now = s->q[PERP_NOW], *mean = s->v[PERP_GUESS];
    if (perp_system_prescribed(start, s->v[PERP_START], s, t) ||
        (h > 0.0 && perp_system_prescribed(now, s->v[PERP_NOW], s, t + h)))
        return 1;
    if (h > 0.0) {
        double back[4] = {start[3], -start[4], -start[5], -start[6]}, turn[4];
        perp_quaternion_product(back, now + 3, turn);
        perp_quaternion_log(turn, mean + 3);
        for (int i = 0; i < 3; i++) {
            mean[i] = (now[i] - start[i]) / h;
            mean[3 + i] /= h;
        }
        perp_body_move(start, mean, 0.5 * h, s->q[PERP_GUESS]);
        return 0;
    }
    memcpy(now, start, 7 * sizeof(double));
    memcpy(s->q[PERP_GUESS], start, 7 * sizeof(double));
    memcpy(s->v[PERP_NOW], s->v[PERP_START], 6 * sizeof(double));
    memcpy(mean, s->v[PERP_START], 6 * sizeof(double));
    return 0;
}
