/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/pose.h"

#include <math.h>
#include <string.h>

#include <perp/rotation.h>

perp_pose perp_pose_identity(void)
{
    return (perp_pose){{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0, 0.0}};
}

void perp_pose_apply(double *out, const perp_pose *a, const double *x)
{
    double turned[3];

    perp_quaternion_rotate(a->q, x, turned);
    for (int i = 0; i < 3; i++)
        out[i] = a->p[i] + turned[i];
}

perp_pose perp_pose_product(const perp_pose *a, const perp_pose *b)
{
    perp_pose out;

    perp_pose_apply(out.p, a, b->p);
    perp_quaternion_product(a->q, b->q, out.q);
    (void)perp_quaternion_normalise(out.q);
    return out;
}

void perp_turn_back(double *out, const double *q)
{
    out[0] = q[0];
    for (int k = 1; k < 4; k++)
        out[k] = -q[k];
}

perp_pose perp_pose_within(const perp_pose *a, const perp_pose *b)
{
    double inverse[4], way[3];
    perp_pose out;

    perp_turn_back(inverse, a->q);
    for (int i = 0; i < 3; i++)
        way[i] = b->p[i] - a->p[i];
    perp_quaternion_rotate_back(a->q, way, out.p);
    perp_quaternion_product(inverse, b->q, out.q);
    (void)perp_quaternion_normalise(out.q);
    return out;
}

double perp_dot3(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void perp_cross3(double *out, const double *a, const double *b)
{
    double made[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                      a[0] * b[1] - a[1] * b[0]};

    memcpy(out, made, sizeof made);
}

double perp_unit3(double *a)
{
    double largest = fmax(fabs(a[0]), fmax(fabs(a[1]), fabs(a[2]))), length;

    if (!(largest > 0.0))
        return 0.0;
    for (int i = 0; i < 3; i++)
        a[i] /= largest;
    length = sqrt(perp_dot3(a, a));
    for (int i = 0; i < 3; i++)
        a[i] /= length;
    return length * largest;
}

void perp_turn_from_z(double *q, const double *v)
{
    double unit[3] = {v[0], v[1], v[2]};

    perp_unit3(unit);
    /* (1 + cos, z x v), of norm 2 cos(angle/2) before it is scaled. */
    q[0] = 1.0 + unit[2];
    q[1] = -unit[1];
    q[2] = unit[0];
    q[3] = 0.0;
    if (q[0] < 1e-12 || perp_quaternion_normalise(q) != 0) {
        q[0] = q[2] = q[3] = 0.0;
        q[1] = 1.0;
    }
}

int perp_turn_from_xy(double *q, const double *x, const double *y)
{
    double X[3] = {x[0], x[1], x[2]}, Y[3] = {y[0], y[1], y[2]}, Z[3], m[3][3];
    int a = 0;

    if (!(perp_unit3(X) > 0.0) || !(perp_unit3(Y) > 0.0))
        return -1;
    perp_cross3(Z, X, Y);
    if (!(perp_unit3(Z) > 0.0))
        return -1;
    perp_cross3(Y, Z, X);
    for (int i = 0; i < 3; i++) {
        m[i][0] = X[i];
        m[i][1] = Y[i];
        m[i][2] = Z[i];
    }
    /* Shepperd: by the largest entry of the quaternion. */
    double trace = m[0][0] + m[1][1] + m[2][2];
    if (trace > 0.0) {
        q[0] = 1.0 + trace;
        q[1] = m[2][1] - m[1][2];
        q[2] = m[0][2] - m[2][0];
        q[3] = m[1][0] - m[0][1];
    } else {
        for (int i = 1; i < 3; i++)
            a = m[i][i] > m[a][a] ? i : a;
        int b = (a + 1) % 3, c = (a + 2) % 3;
        q[1 + a] = 1.0 + m[a][a] - m[b][b] - m[c][c];
        q[1 + b] = m[b][a] + m[a][b];
        q[1 + c] = m[c][a] + m[a][c];
        q[0] = m[c][b] - m[b][c];
    }
    return perp_quaternion_normalise(q) == 0 ? 0 : -1;
}

void perp_turn_about(double *q, const double *axis, double angle)
{
    double turn[3] = {axis[0], axis[1], axis[2]};

    perp_unit3(turn);
    for (int i = 0; i < 3; i++)
        turn[i] *= angle;
    perp_quaternion_exp(turn, q);
}

void perp_turn_tensor(double *out, const double *q, const double *A)
{
    double R[9], AR[9], made[9]; /* R column by column */

    perp_quaternion_matrix(q, R);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) { /* (A R')_ij = sum_k A_ik R_jk */
            AR[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++)
                AR[3 * i + j] += A[3 * i + k] * R[j + 3 * k];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            made[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++)
                made[3 * i + j] += R[i + 3 * k] * AR[3 * k + j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = 0.5 * (made[3 * i + j] + made[3 * j + i]);
}

void perp_tensor_axes(double *value, double *axes, const double *A)
{
    double m[9];

    memcpy(m, A, sizeof m);
    for (int k = 0; k < 9; k++)
        axes[k] = k % 4 == 0 ? 1.0 : 0.0;
    for (int sweep = 0; sweep < 30; sweep++) {
        for (int p = 0; p < 2; p++)
            for (int r = p + 1; r < 3; r++) {
                double off = m[3 * p + r], theta, t, c, s;
                if (off == 0.0)
                    continue;
                theta = 0.5 * (m[4 * r] - m[4 * p]) / off;
                t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + hypot(1.0, theta));
                c = 1.0 / sqrt(1.0 + t * t);
                s = c * t;
                for (int k = 0; k < 3; k++) {
                    double a = m[3 * k + p], b = m[3 * k + r];
                    m[3 * k + p] = c * a - s * b;
                    m[3 * k + r] = s * a + c * b;
                }
                for (int k = 0; k < 3; k++) {
                    double a = m[3 * p + k], b = m[3 * r + k];
                    m[3 * p + k] = c * a - s * b;
                    m[3 * r + k] = s * a + c * b;
                    a = axes[3 * p + k], b = axes[3 * r + k];
                    axes[3 * p + k] = c * a - s * b;
                    axes[3 * r + k] = s * a + c * b;
                }
            }
    }
    for (int k = 0; k < 3; k++)
        value[k] = m[4 * k];
}

void perp_tensor_eigenvalues(double *value, const double *A)
{
    double axes[9];

    perp_tensor_axes(value, axes, A);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i + 1 < 3 - k; i++)
            if (value[i] > value[i + 1]) {
                double kept = value[i];
                value[i] = value[i + 1];
                value[i + 1] = kept;
            }
}

void perp_tensor_box(double *side, const double *value, double mass)
{
    for (int k = 0; k < 3; k++) {
        double square = 6.0 * (value[(k + 1) % 3] + value[(k + 2) % 3] - value[k]) / mass;
        side[k] = sqrt(fmax(square, 0.0));
    }
}
