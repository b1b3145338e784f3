/* SPDX-License-Identifier: BSD-3-Clause */
/* BOX: lo <= z <= hi; either bound, or both, may be infinite. */
#include <math.h>
#include <stddef.h>

#include "sets/set.h"

static void project(double *p, const double *x, const double *par, int dim)
{
    (void)dim;
    p[0] = x[0] < par[0] ? par[0] : x[0] > par[1] ? par[1] : x[0];
}

static void jacobian(double *J, const double *x, const double *par, int dim)
{
    (void)dim;
    J[0] = x[0] < par[0] || x[0] > par[1] ? 0.0 : 1.0;
}

/* The recession cone is spanned by the directions without a bound. */
static double dual_distance(const double *y, const double *par, int dim)
{
    (void)dim;
    if (y[0] > 0.0 && isinf(par[0]))
        return y[0];
    if (y[0] < 0.0 && isinf(par[1]))
        return -y[0];
    return 0.0;
}

/* Product with the distance to the bound that y presses on; where that one is
 * infinite, to the other one; where both are, z y as for FREE. */
static double gap(const double *z, const double *y, const double *par, int dim)
{
    (void)dim;
    double near = y[0] > 0.0 ? par[0] : par[1];
    double far = y[0] > 0.0 ? par[1] : par[0];
    double bound = isfinite(near) ? near : isfinite(far) ? far : 0.0;
    return fabs((z[0] - bound) * y[0]);
}

static int admissible(const double *par)
{
    return par[0] <= par[1] && par[0] < INFINITY && par[1] > -INFINITY;
}

const perp_set_type perp_set_box = {
    .name = "BOX",
    .parameters = 2,
    .parameter = {"lo", "hi"},
    .min_dim = 1,
    .max_dim = 1,
    .project = project,
    .jacobian = jacobian,
    .dual_distance = dual_distance,
    .gap = gap,
    .admissible = admissible,
};
