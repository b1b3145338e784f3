/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit quaternions ([SDN] sec. 11.3). */
#include <perp/rotation.h>

#include <math.h>
#include <string.h>

void perp_quaternion_product(const double *a, const double *b, double *out)
{
    double a0 = a[0], a1 = a[1], a2 = a[2], a3 = a[3], b0 = b[0], b1 = b[1], b2 = b[2], b3 = b[3];
    out[0] = a0 * b0 - a1 * b1 - a2 * b2 - a3 * b3;
    out[1] = a0 * b1 + a1 * b0 + a2 * b3 - a3 * b2;
    out[2] = a0 * b2 - a1 * b3 + a2 * b0 + a3 * b1;
    out[3] = a0 * b3 + a1 * b2 - a2 * b1 + a3 * b0;
}

/* Scaled by the largest entry first, so that squares neither overflow nor vanish. */
perp_status perp_quaternion_normalise(double *p)
{
    double largest = 0.0, sum = 0.0;
    for (int i = 0; i < 4; i++) {
        if (!isfinite(p[i]))
            return PERP_ERR_ARGUMENT;
        largest = fmax(largest, fabs(p[i]));
    }
    if (largest == 0.0)
        return PERP_ERR_ARGUMENT;
    for (int i = 0; i < 4; i++)
        sum += p[i] / largest * (p[i] / largest);
    double norm = sqrt(sum);
    for (int i = 0; i < 4; i++)
        p[i] = p[i] / largest / norm;
    return PERP_SOLVED;
}

void perp_quaternion_matrix(const double *p, double *R)
{
    double p0 = p[0], p1 = p[1], p2 = p[2], p3 = p[3];
    R[0] = 1.0 - 2.0 * (p2 * p2 + p3 * p3);
    R[1] = 2.0 * (p1 * p2 + p3 * p0);
    R[2] = 2.0 * (p1 * p3 - p2 * p0);
    R[3] = 2.0 * (p1 * p2 - p3 * p0);
    R[4] = 1.0 - 2.0 * (p1 * p1 + p3 * p3);
    R[5] = 2.0 * (p2 * p3 + p1 * p0);
    R[6] = 2.0 * (p1 * p3 + p2 * p0);
    R[7] = 2.0 * (p2 * p3 - p1 * p0);
    R[8] = 1.0 - 2.0 * (p1 * p1 + p2 * p2);
}

/* x + 2 p0 e x x + 2 e x (e x x) with e the vector part: (11.45) for a unit quaternion. */
static void rotate(double *out, double p0, const double *e, const double *x)
{
    double c0 = 2.0 * (e[1] * x[2] - e[2] * x[1]);
    double c1 = 2.0 * (e[2] * x[0] - e[0] * x[2]);
    double c2 = 2.0 * (e[0] * x[1] - e[1] * x[0]);
    double x0 = x[0], x1 = x[1], x2 = x[2], e0 = e[0], e1 = e[1], e2 = e[2];
    out[0] = x0 + p0 * c0 + (e1 * c2 - e2 * c1);
    out[1] = x1 + p0 * c1 + (e2 * c0 - e0 * c2);
    out[2] = x2 + p0 * c2 + (e0 * c1 - e1 * c0);
}

void perp_quaternion_rotate(const double *p, const double *x, double *out)
{
    rotate(out, p[0], p + 1, x);
}

void perp_quaternion_rotate_back(const double *p, const double *x, double *out)
{
    rotate(out, -p[0], p + 1, x);
}

/* cos a and sin(a)/a from a squared; series where they hold to the last digit. */
static void cos_and_sinc(double *c, double *sinc, double square)
{
    if (square < 1e-2) {
        double x = square;
        *c = 1.0 - x * (1.0 / 2 -
                        x * (1.0 / 24 - x * (1.0 / 720 - x * (1.0 / 40320 - x * (1.0 / 3628800)))));
        *sinc = 1.0 -
                x * (1.0 / 6 - x * (1.0 / 120 -
                                    x * (1.0 / 5040 - x * (1.0 / 362880 - x * (1.0 / 39916800)))));
        return;
    }
    double a = sqrt(square);
    *c = cos(a);
    *sinc = sin(a) / a;
}

void perp_quaternion_exp(const double *r, double *p)
{
    double c, sinc, r0 = 0.5 * r[0], r1 = 0.5 * r[1], r2 = 0.5 * r[2];
    cos_and_sinc(&c, &sinc, r0 * r0 + r1 * r1 + r2 * r2);
    p[0] = c;
    p[1] = sinc * r0;
    p[2] = sinc * r1;
    p[3] = sinc * r2;
}

void perp_quaternion_log(const double *p, double *r)
{
    double sign = p[0] < 0.0 ? -1.0 : 1.0, p0 = sign * p[0];
    double norm = hypot(hypot(p[1], p[2]), p[3]);
    double factor = norm > 0.0 ? 2.0 * atan2(norm, p0) / norm : 0.0;
    if (norm < 1e-150)
        factor = p0 > 0.0 ? 2.0 / p0 : 0.0;
    for (int i = 0; i < 3; i++)
        r[i] = sign * factor * p[i + 1];
}

void perp_body_move(const double *q, const double *v, double h, double *q_out)
{
    double r[3] = {h * v[3], h * v[4], h * v[5]}, turn[4], p[4];
    for (int i = 0; i < 3; i++)
        q_out[i] = q[i] + h * v[i];
    perp_quaternion_exp(r, turn);
    perp_quaternion_product(q + 3, turn, p);
    double scale = 1.0 / sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 4; i++)
        q_out[3 + i] = p[i] * scale;
}

void perp_body_rates(const double *q, double *T)
{
    const double *p = q + 3;
    memset(T, 0, 42 * sizeof(double));
    T[0] = T[8] = T[16] = 1.0;
    const double psi[12] = {-p[1], p[0], p[3],  -p[2], -p[2], -p[3],
                            p[0],  p[1], -p[3], p[2],  -p[1], p[0]};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 4; i++)
            T[7 * (3 + j) + 3 + i] = 0.5 * psi[4 * j + i];
}
