/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "linalg/small.h"
#include "local/convex.h"

/* z of one kappa = norm 2^t, and |z_T| - mu z_N over their sum. */
static double at(double *z, double *M, const perp_convex *block, double t)
{
    const int dim = block->dim;
    const size_t n = (size_t)dim;
    const double mu = block->par[0], kappa = block->norm * exp2(t);
    memcpy(M, block->A, n * n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        M[i * n + i] += i == 0 ? -kappa * mu * mu : kappa;
        z[i] = -block->b[i];
    }
    perp_convex_eliminate(M, z, dim);
    const double tangent = perp_norm(z + 1, dim - 1), normal = mu * fabs(z[0]);
    return (tangent - normal) / (tangent + normal);
}

double perp_soc_boundary(double *z, const perp_convex *block, double error, double *scratch)
{
    const size_t n = (size_t)block->dim;
    double *M = scratch, *x = scratch + 2 * n * n, *work = x + n;
    double from = -44.0, at_from = at(x, M, block, from);
    for (double to = from + 0.5; to <= 44.0; to += 0.5) {
        const double at_to = at(x, M, block, to);
        double lo = from, hi = to;
        const int negative = at_from < 0.0, crosses = negative != (at_to < 0.0);
        from = to;
        at_from = at_to;
        if (!crosses)
            continue;
        for (int k = 0; k < 50; k++) {
            const double t = 0.5 * (lo + hi);
            *((at(x, M, block, t) < 0.0) == negative ? &lo : &hi) = t;
        }
        (void)at(x, M, block, 0.5 * (lo + hi));
        if (!(x[0] > 0.0))
            continue;
        const double now = perp_convex_error(block, x, work);
        if (now < error) {
            error = now;
            memcpy(z, x, n * sizeof(double));
        }
    }
    return error;
}
