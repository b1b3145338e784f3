/* SPDX-License-Identifier: BSD-3-Clause */
/* TRESCA: z_N >= 0 and |z_T| <= r, a half-line times a disk. */
#include <math.h>
#include <string.h>

#include "sets/cone.h"
#include "sets/set.h"

static void project(double *p, const double *x, const double *par, int dim)
{
    double tangent = perp_cone_length(x + 1, dim - 1);
    double f = tangent <= par[0] ? 1.0 : par[0] / tangent;
    p[0] = x[0] < 0.0 ? 0.0 : x[0];
    for (int i = 1; i < dim; i++)
        p[i] = f * x[i];
}

static void jacobian(double *J, const double *x, const double *par, int dim)
{
    double tangent = perp_cone_length(x + 1, dim - 1);
    memset(J, 0, (size_t)(dim * dim) * sizeof(double));
    J[0] = x[0] < 0.0 ? 0.0 : 1.0;
    int inside = tangent <= par[0];
    double f = inside ? 1.0 : par[0] / tangent;
    for (int j = 1; j < dim; j++) {
        if (!inside)
            for (int i = 1; i < dim; i++)
                J[i + j * dim] = -f * (x[i] / tangent) * (x[j] / tangent);
        J[j + j * dim] += f;
    }
}

static double dual_distance(const double *y, const double *par, int dim)
{
    (void)par;
    (void)dim;
    return y[0] >= 0.0 ? 0.0 : -y[0];
}

static double gap(const double *z, const double *y, const double *par, int dim)
{
    double sum = z[0] * y[0] + par[0] * perp_cone_length(y + 1, dim - 1);
    for (int i = 1; i < dim; i++)
        sum += z[i] * y[i];
    return fabs(sum);
}

static int admissible(const double *par)
{
    return par[0] >= 0.0 && par[0] < INFINITY;
}

const perp_set_type perp_set_tresca = {
    .name = "TRESCA",
    .parameters = 1,
    .parameter = {"r"},
    .min_dim = 2,
    .max_dim = 3,
    .project = project,
    .jacobian = jacobian,
    .dual_distance = dual_distance,
    .gap = gap,
    .admissible = admissible,
};
