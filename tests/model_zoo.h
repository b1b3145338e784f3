/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems of each kind with callbacks whose Jacobians are written by hand. */
#ifndef PERP_TESTS_MODEL_ZOO_H
#define PERP_TESTS_MODEL_ZOO_H

#include <perp/model.h>

enum { ZOO_N = 3 };

/* n = 3, z = (scale):  out_i = z sin(x_i x_k + t) + v_i v_k cos x_i with k = i + 1 (cyclic). */
static inline int zoo_f(double *out, double t, const double *x, const double *v, const double *z,
                        void *user)
{
    (void)user;
    for (int i = 0; i < ZOO_N; i++) {
        int k = (i + 1) % ZOO_N;
        out[i] = z[0] * sin(x[i] * x[k] + t) + (v ? v[i] * v[k] * cos(x[i]) : 0.0);
    }
    return 0;
}

static inline int zoo_f_x(double *out, double t, const double *x, const double *v, const double *z,
                          void *user)
{
    (void)user;
    memset(out, 0, sizeof(double) * ZOO_N * ZOO_N);
    for (int i = 0; i < ZOO_N; i++) {
        int k = (i + 1) % ZOO_N;
        double slope = z[0] * cos(x[i] * x[k] + t);
        out[i + ZOO_N * i] = slope * x[k] - (v ? v[i] * v[k] * sin(x[i]) : 0.0);
        out[i + ZOO_N * k] = slope * x[i];
    }
    return 0;
}

static inline int zoo_f_v(double *out, double t, const double *x, const double *v, const double *z,
                          void *user)
{
    (void)t;
    (void)z;
    (void)user;
    memset(out, 0, sizeof(double) * ZOO_N * ZOO_N);
    for (int i = 0; i < ZOO_N; i++) {
        int k = (i + 1) % ZOO_N;
        out[i + ZOO_N * i] = v[k] * cos(x[i]);
        out[i + ZOO_N * k] = v[i] * cos(x[i]);
    }
    return 0;
}

/* Two controls: T(x) is 3 x 2, u(t, x, v) has 2 entries. */
static inline int zoo_T(double *out, double t, const double *x, const double *v, const double *z,
                        void *user)
{
    (void)t;
    (void)v;
    (void)z;
    (void)user;
    for (int i = 0; i < ZOO_N; i++) {
        out[i] = 1.0 + x[i] * x[i];
        out[i + ZOO_N] = x[(i + 1) % ZOO_N];
    }
    return 0;
}

static inline int zoo_u(double *out, double t, const double *x, const double *v, const double *z,
                        void *user)
{
    (void)user;
    out[0] = z[0] * x[0] * t + (v ? v[1] * v[1] : 0.0);
    out[1] = sin(x[2]) + (v ? 2.0 * v[0] : 0.0);
    return 0;
}

/* d(T u)/dx. */
static inline int zoo_control_x(double *out, double t, const double *x, const double *v,
                                const double *z, void *user)
{
    double u[2];
    zoo_u(u, t, x, v, z, user);
    for (int i = 0; i < ZOO_N; i++)
        for (int j = 0; j < ZOO_N; j++) {
            double d = 0.0;
            if (j == i)
                d += 2.0 * x[i] * u[0];
            if (j == (i + 1) % ZOO_N)
                d += u[1];
            if (j == 0)
                d += (1.0 + x[i] * x[i]) * z[0] * t;
            if (j == 2)
                d += x[(i + 1) % ZOO_N] * cos(x[2]);
            out[i + ZOO_N * j] = d;
        }
    return 0;
}

static inline int zoo_control_v(double *out, double t, const double *x, const double *v,
                                const double *z, void *user)
{
    (void)t;
    (void)z;
    (void)user;
    memset(out, 0, sizeof(double) * ZOO_N * ZOO_N);
    for (int i = 0; i < ZOO_N; i++) {
        out[i + ZOO_N] = (1.0 + x[i] * x[i]) * 2.0 * v[1];
        out[i] = x[(i + 1) % ZOO_N] * 2.0;
    }
    return 0;
}

/* M(q) = diag(2 + cos q_i) + 0.3 sin(q_0) (e_0 e_1' + e_1 e_0'). */
static inline int zoo_mass(double *out, double t, const double *q, const double *v, const double *z,
                           void *user)
{
    (void)t;
    (void)v;
    (void)z;
    (void)user;
    memset(out, 0, sizeof(double) * ZOO_N * ZOO_N);
    for (int i = 0; i < ZOO_N; i++)
        out[i + ZOO_N * i] = 2.0 + cos(q[i]);
    out[1] = out[ZOO_N] = 0.3 * sin(q[0]);
    return 0;
}

/* d(M(q) w)/dq. */
static inline int zoo_mass_q(double *out, double t, const double *q, const double *w,
                             const double *z, void *user)
{
    (void)t;
    (void)z;
    (void)user;
    memset(out, 0, sizeof(double) * ZOO_N * ZOO_N);
    for (int i = 0; i < ZOO_N; i++)
        out[i + ZOO_N * i] = -sin(q[i]) * w[i];
    out[0] += 0.3 * cos(q[0]) * w[1];
    out[1] += 0.3 * cos(q[0]) * w[0];
    return 0;
}

static inline int zoo_A_at(double *out, double t, const double *x, const double *v, const double *z,
                           void *user)
{
    (void)x;
    (void)v;
    (void)user;
    for (int k = 0; k < ZOO_N * ZOO_N; k++)
        out[k] = z[0] * cos(t + k) - (k % (ZOO_N + 1) == 0 ? 2.0 : 0.0);
    return 0;
}

static inline int zoo_b_at(double *out, double t, const double *x, const double *v, const double *z,
                           void *user)
{
    (void)x;
    (void)v;
    (void)user;
    for (int i = 0; i < ZOO_N; i++)
        out[i] = z[0] * sin(t + i);
    return 0;
}

/* Of a body: 3 from (t, q: 7, v: 6). */
static inline int zoo_wrench(double *out, double t, const double *q, const double *v,
                             const double *z, void *user)
{
    (void)user;
    for (int i = 0; i < 3; i++)
        out[i] = z[0] * sin(q[i] * q[3 + i] + t) + q[6] * q[6] * v[i] * v[3 + i];
    return 0;
}

static inline int zoo_wrench_q(double *out, double t, const double *q, const double *v,
                               const double *z, void *user)
{
    (void)user;
    memset(out, 0, sizeof(double) * 21);
    for (int i = 0; i < 3; i++) {
        double slope = z[0] * cos(q[i] * q[3 + i] + t);
        out[i + 3 * i] = slope * q[3 + i];
        out[i + 3 * (3 + i)] = slope * q[i];
        out[i + 3 * 6] += 2.0 * q[6] * v[i] * v[3 + i];
    }
    return 0;
}

static inline int zoo_wrench_v(double *out, double t, const double *q, const double *v,
                               const double *z, void *user)
{
    (void)t;
    (void)z;
    (void)user;
    memset(out, 0, sizeof(double) * 18);
    for (int i = 0; i < 3; i++) {
        out[i + 3 * i] = q[6] * q[6] * v[3 + i];
        out[i + 3 * (3 + i)] = q[6] * q[6] * v[i];
    }
    return 0;
}

static inline int zoo_refuses(double *out, double t, const double *q, const double *v,
                              const double *z, void *user)
{
    (void)out;
    (void)t;
    (void)q;
    (void)v;
    (void)z;
    (void)user;
    return 7;
}

#endif
