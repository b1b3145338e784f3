/* SPDX-License-Identifier: BSD-3-Clause */
/* COULOMB: the friction cone |z_T| <= mu z_N with the De Saxce shift
 * s(w) = mu |w_T| e_N. */
#include <stddef.h>

#include "sets/cone.h"
#include "sets/set.h"

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

const perp_set_type perp_set_coulomb = {
    .name = "COULOMB",
    .parameters = 1,
    .parameter = {"mu"},
    .min_dim = 2,
    .max_dim = 3,
    .project = perp_cone_project,
    .jacobian = perp_cone_jacobian,
    .shift = shift,
    .shift_gradient = shift_gradient,
    .dual_distance = perp_cone_dual_distance,
    .gap = perp_cone_gap,
    .admissible = perp_cone_admissible,
};
