/* SPDX-License-Identifier: BSD-3-Clause */
/* COULOMB: the friction cone |z_T| <= mu z_N with the De Saxce shift
 * s(w) = mu |w_T| e_N. */
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

static double shift(const double *w, const double *par, int dim)
{
    return par[0] * perp_cone_length(w + 1, dim - 1);
}

/* Not differentiable at w_T = 0, where 0 is taken from the disk of radius mu. */
static void shift_gradient(double *g, const double *w, const double *par, int dim)
{
    double tangent = perp_cone_length(w + 1, dim - 1);
    g[0] = 0.0;
    for (int i = 1; i < dim; i++)
        g[i] = tangent > 0.0 ? par[0] * (w[i] / tangent) : 0.0;
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

const perp_set_type perp_set_coulomb = {
    .name = "COULOMB",
    .parameters = 1,
    .min_dim = 2,
    .max_dim = 3,
    .project = project,
    .jacobian = jacobian,
    .shift = shift,
    .shift_gradient = shift_gradient,
    .dual_distance = dual_distance,
    .gap = gap,
    .admissible = admissible,
};
