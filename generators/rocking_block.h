/* SPDX-License-Identifier: BSD-3-Clause */
/* The lower corners of a block of half width `half` and half height 1, rows (gap, tangential) each:
 * q is its centre and its angle. */
#ifndef PERP_GENERATORS_ROCKING_BLOCK_H
#define PERP_GENERATORS_ROCKING_BLOCK_H

#include <math.h>

static const double half = 0.25;

static inline int corners(double *y, double t, const double *q, const double *lambda,
                          const double *z, void *u)
{
    (void)t, (void)lambda, (void)z, (void)u;
    for (int k = 0; k < 2; k++) {
        double x = k ? half : -half;
        y[2 * k] = q[1] + sin(q[2]) * x - cos(q[2]);
        y[2 * k + 1] = q[0] + cos(q[2]) * x + sin(q[2]);
    }
    return 0;
}
static inline int corners_q(double *H, double t, const double *q, const double *lambda,
                            const double *z, void *u)
{
    (void)t, (void)lambda, (void)z, (void)u;
    for (int k = 0; k < 2; k++) {
        double x = k ? half : -half;
        double *row = H + 2 * k;
        row[0] = row[5] = 0.0;
        row[1] = row[4] = 1.0;
        row[8] = cos(q[2]) * x + sin(q[2]);
        row[9] = -sin(q[2]) * x + cos(q[2]);
    }
    return 0;
}

#endif
