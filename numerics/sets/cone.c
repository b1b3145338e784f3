/* SPDX-License-Identifier: BSD-3-Clause */
#include "sets/cone.h"

#include <string.h>

#include "linalg/small.h"

double perp_cone_length(const double *x, int n)
{
    if (n == 1)
        return fabs(x[0]);
    if (n == 2)
        return perp_length2(x[0], x[1]);
    return perp_norm(x, n);
}

void perp_cone_project(double *p, const double *x, const double *par, int dim)
{
    double mu = par[0];
    double tangent = perp_cone_length(x + 1, dim - 1);
    if (x[0] >= 0.0 && tangent <= mu * x[0]) {
        if (p != x)
            memcpy(p, x, (size_t)dim * sizeof(double));
        return;
    }
    if (mu * tangent <= -x[0]) {
        memset(p, 0, (size_t)dim * sizeof(double));
        return;
    }
    double h = perp_length2(1.0, mu), c = 1.0 / h, s = mu / h;
    double a = c * x[0] + s * tangent;
    a = a < 0.0 ? 0.0 : a; /* rounding on the polar's boundary */
    double f = s * a / tangent;
    p[0] = c * a;
    for (int i = 1; i < dim; i++)
        p[i] = f * x[i];
}

void perp_cone_jacobian(double *J, const double *x, const double *par, int dim)
{
    double mu = par[0];
    size_t n = (size_t)dim;
    double tangent = perp_cone_length(x + 1, dim - 1);
    memset(J, 0, n * n * sizeof(double));
    if (x[0] >= 0.0 && tangent <= mu * x[0]) {
        for (size_t i = 0; i < n; i++)
            J[i + i * n] = 1.0;
        return;
    }
    if (mu * tangent <= -x[0])
        return;
    double h = perp_length2(1.0, mu), c = 1.0 / h, s = mu / h;
    double f = s * (c * x[0] + s * tangent) / tangent;
    J[0] = c * c;
    for (size_t j = 1; j < n; j++) {
        double tj = x[j] / tangent;
        J[j] = c * s * tj;
        J[j * n] = c * s * tj;
        for (size_t i = 1; i < n; i++)
            J[i + j * n] = (s * s - f) * tj * (x[i] / tangent);
        J[j + j * n] += f;
    }
}

double perp_cone_dual_distance(const double *y, const double *par, int dim)
{
    double mu = par[0];
    double tangent = perp_cone_length(y + 1, dim - 1);
    if (mu * tangent <= y[0])
        return 0.0;
    if (tangent <= -mu * y[0])
        return perp_length2(y[0], tangent);
    double h = perp_length2(1.0, mu);
    return mu / h * tangent - y[0] / h;
}

double perp_cone_gap(const double *z, const double *y, const double *par, int dim)
{
    (void)par;
    double sum = 0.0;
    for (int i = 0; i < dim; i++)
        sum += z[i] * y[i];
    return fabs(sum);
}

int perp_cone_admissible(const double *par)
{
    return par[0] >= 0.0 && par[0] < INFINITY;
}
