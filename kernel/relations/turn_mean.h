/* SPDX-License-Identifier: BSD-3-Clause */
/* Means along a turn by the rotation vector w (body axes), t = |w|, in closed form.  With R_m, q_m
 * half way, the turns R_m exp(s w), q_m exp(s w) for s in [-1/2, 1/2] have the means
 *
 *     P = sinc(t/2) R_m + (1 - sinc(t/2)) / t^2 (R_m w) w'        and        sinc(t/4) q_m,
 *
 * so that R_1 r - R_0 r = P (w x r) and q_1 - q_0 = sinc(t/4) T(q_m) w without an error of order,
 * for turns of any size (t = pi too, where tan(t/2) has its pole).  Across the axis
 * P = tan(t/2)/(t/2) (R_0 + R_1)/2. */
#ifndef PERP_KERNEL_TURN_MEAN_H
#define PERP_KERNEL_TURN_MEAN_H

#include <math.h>

/* (1 - sin(a)/a) / a^2 from a squared. */
static inline double perp_sinc_defect(double square)
{
    double x = square;
    if (x < 0.25)
        return (1.0 / 6) *
               (1.0 - x * (1.0 / 20) *
                          (1.0 - x * (1.0 / 42) *
                                     (1.0 - x * (1.0 / 72) *
                                                (1.0 - x * (1.0 / 110) *
                                                           (1.0 - x * (1.0 / 156) *
                                                                      (1.0 - x * (1.0 / 210)))))));
    double a = sqrt(x);
    return (1.0 - sin(a) / a) / x;
}

static inline double perp_sinc(double square)
{
    return 1.0 - square * perp_sinc_defect(square);
}

/* P (column-major) from R_m and the rotation vector w. */
static inline void perp_turn_mean(double *P, const double *R_m, const double *w)
{
    double square = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
    double defect = 0.25 * perp_sinc_defect(0.25 * square), sinc = 1.0 - square * defect;
    for (int i = 0; i < 3; i++) {
        double along = defect * (R_m[i] * w[0] + R_m[i + 3] * w[1] + R_m[i + 6] * w[2]);
        for (int k = 0; k < 3; k++)
            P[i + 3 * k] = sinc * R_m[i + 3 * k] + along * w[k];
    }
}

#endif
