/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors of three, and rows of Jacobians in twist coordinates: the velocity in direction n
 * of a point at `arm` from the centre of mass (inertial frame) is
 *     n . (v + (R omega) x arm) = n . v + (R'(arm x n)) . omega. */
#ifndef PERP_KERNEL_TWIST_H
#define PERP_KERNEL_TWIST_H

static inline double perp_dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* out is neither a nor b. */
static inline void perp_cross3(double *out, const double *a, const double *b)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* out = R x and R' x, R column-major; out is not x. */
static inline void perp_rotate3(double *out, const double *R, const double *x)
{
    for (int k = 0; k < 3; k++)
        out[k] = R[k] * x[0] + R[k + 3] * x[1] + R[k + 6] * x[2];
}

static inline void perp_rotate_back3(double *out, const double *R, const double *x)
{
    for (int k = 0; k < 3; k++)
        out[k] = perp_dot3(R + 3 * k, x);
}

/* Row of H (leading dimension rows) = sign (n', (R' moment)'); R column-major. */
static inline void perp_twist_row(double *H, int rows, double sign, const double *n,
                                  const double *moment, const double *R)
{
    for (int k = 0; k < 3; k++) {
        H[k * rows] = sign * n[k];
        H[(3 + k) * rows] = sign * perp_dot3(R + 3 * k, moment);
    }
}

#endif
