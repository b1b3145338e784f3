/* SPDX-License-Identifier: BSD-3-Clause */
/* phi(a, b) = sqrt(a^2 + b^2) - a - b row by row:
 *     lo <= z          phi(z - lo, F)
 *     z <= hi          phi(hi - z, -F)
 *     lo <= z <= hi    phi(z - lo, phi(hi - z, -F))
 *     FREE            -F */
#include <math.h>
#include <string.h>

#include "ncp/state.h"

typedef struct branch {
    double value, da, db;
} branch;

static branch phi(double a, double b)
{
    double r = hypot(a, b), half = 1.0 / sqrt(2.0) - 1.0;
    /* Without cancellation where both are positive. */
    double value = a > 0.0 && b > 0.0 ? -2.0 * a * (b / (r + a + b)) : r - a - b;
    return r > 0.0 ? (branch){value, a / r - 1.0, b / r - 1.0} : (branch){0.0, half, half};
}

/* Of one row with bounds lo <= hi; da: by z, db: by F. */
static branch row_of(double lo, double hi, double z, double F)
{
    if (lo >= hi)
        return (branch){lo - z, -1.0, 0.0};
    if (isinf(lo) && isinf(hi))
        return (branch){-F, 0.0, -1.0};
    if (isinf(hi))
        return phi(z - lo, F);
    branch upper = phi(hi - z, -F);
    if (isinf(lo))
        return (branch){upper.value, -upper.da, -upper.db};
    branch outer = phi(z - lo, upper.value);
    return (branch){outer.value, outer.da - outer.db * upper.da, -outer.db * upper.db};
}

double perp_ncp_fischer(double *value, double *dz, double *dF, const perp_blocks *blocks,
                        const double *z, const double *F)
{
    double sum = 0.0;
    for (int i = 0; i < blocks->n; i++) {
        const perp_block *block = &blocks->at[i];
        double lo = block->set == PERP_BOX      ? block->par[0]
                    : block->set == PERP_NONNEG ? 0.0
                                                : -INFINITY;
        double hi = block->set == PERP_BOX ? block->par[1] : INFINITY;
        branch here = row_of(lo, hi, z[i], F[i]);
        value[i] = here.value;
        sum += here.value * here.value;
        if (dz) {
            dz[i] = here.da;
            dF[i] = here.db;
        }
    }
    return 0.5 * sum;
}

void perp_ncp_fischer_matrix(perp_ncp_solver *h)
{
    for (int p = 0; p < h->J.colptr[h->J.cols]; p++)
        h->V.x[p] = h->dF[h->J.row[p]] * h->J.x[p];
    for (int i = 0; i < h->J.cols; i++)
        h->V.x[h->diagonal[i]] += h->dz[i];
}

void perp_ncp_fischer_gradient(perp_ncp_solver *h)
{
    for (int j = 0; j < h->J.cols; j++) {
        double sum = h->dz[j] * h->fischer[j];
        for (int p = h->J.colptr[j]; p < h->J.colptr[j + 1]; p++)
            sum += h->dF[h->J.row[p]] * h->J.x[p] * h->fischer[h->J.row[p]];
        h->gradient[j] = sum;
    }
}

double perp_ncp_natural(const perp_blocks *blocks, const double *z, const double *F)
{
    double sum = 0.0;
    for (int i = 0; i < blocks->n; i++) {
        const perp_block *block = &blocks->at[i];
        double e = F[i], x = z[i] - F[i];
        if (block->set == PERP_NONNEG && x < 0.0)
            e = z[i];
        else if (block->set == PERP_BOX && x < block->par[0])
            e = z[i] - block->par[0];
        else if (block->set == PERP_BOX && x > block->par[1])
            e = z[i] - block->par[1];
        sum += e * e;
    }
    return sqrt(sum);
}
