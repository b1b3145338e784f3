/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/projection/law_resolvent.h"

#include "sets/cone.h"
#include "sets/rolling.h"
#include "sets/set.h"

/* x cut to the disk of this radius. */
static void cut(double *z, const double *x, int rows, double radius)
{
    double length = perp_cone_length(x, rows);
    double share = length > radius ? radius / length : 1.0;
    for (int i = 0; i < rows; i++)
        z[i] = share * x[i];
}

void perp_law_resolvent(double *z, const double *x, const perp_block *block)
{
    int dim = block->dim;
    if (block->set != PERP_COULOMB && block->set != PERP_ROLLING) {
        perp_set_type_of(block->set)->project(z, x, block->par, dim);
        return;
    }
    z[0] = fmax(0.0, x[0]);
    if (block->set == PERP_COULOMB)
        cut(z + 1, x + 1, dim - 1, block->par[0] * z[0]);
    for (int k = 0; block->set == PERP_ROLLING && k < perp_rolling_disks(dim); k++) {
        int first = perp_rolling_first(dim, k);
        cut(z + first, x + first, perp_rolling_count(dim, k), block->par[k] * z[0]);
    }
}
