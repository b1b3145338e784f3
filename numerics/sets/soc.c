/* SPDX-License-Identifier: BSD-3-Clause */
/* SOC: the second-order cone |z_T| <= mu z_N of any size, without shift. */
#include <math.h>
#include <stddef.h>

#include "sets/cone.h"
#include "sets/set.h"

static void project(double *p, const double *x, const double *par, int dim)
{
    perp_cone_project(p, x, par[0], dim);
}

static void jacobian(double *J, const double *x, const double *par, int dim)
{
    perp_cone_jacobian(J, x, par[0], dim);
}

static double dual_distance(const double *y, const double *par, int dim)
{
    return perp_cone_dual_distance(y, par[0], dim);
}

static double gap(const double *z, const double *y, const double *par, int dim)
{
    (void)par;
    double sum = 0.0;
    for (int i = 0; i < dim; i++)
        sum += z[i] * y[i];
    return fabs(sum);
}

static int admissible(const double *par)
{
    return par[0] >= 0.0 && par[0] < INFINITY;
}

const perp_set_type perp_set_soc = {
    .name = "SOC",
    .parameters = 1,
    .min_dim = 2,
    .max_dim = 0,
    .project = project,
    .jacobian = jacobian,
    .dual_distance = dual_distance,
    .gap = gap,
    .admissible = admissible,
};
