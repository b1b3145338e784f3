/* SPDX-License-Identifier: BSD-3-Clause */
/* NONNEG: 0 <= z perp w >= 0. */
#include <math.h>
#include <stddef.h>

#include "sets/set.h"

static void project(double *p, const double *x, const double *par, int dim)
{
    (void)par;
    (void)dim;
    p[0] = x[0] < 0.0 ? 0.0 : x[0];
}

static void jacobian(double *J, const double *x, const double *par, int dim)
{
    (void)par;
    (void)dim;
    J[0] = x[0] < 0.0 ? 0.0 : 1.0;
}

static double dual_distance(const double *y, const double *par, int dim)
{
    (void)par;
    (void)dim;
    return y[0] >= 0.0 ? 0.0 : -y[0];
}

static double gap(const double *z, const double *y, const double *par, int dim)
{
    (void)par;
    (void)dim;
    return fabs(z[0] * y[0]);
}

static int admissible(const double *par)
{
    (void)par;
    return 1;
}

const perp_set_type perp_set_nonneg = {
    .name = "NONNEG",
    .parameters = 0,
    .min_dim = 1,
    .max_dim = 1,
    .project = project,
    .jacobian = jacobian,
    .dual_distance = dual_distance,
    .gap = gap,
    .admissible = admissible,
};
