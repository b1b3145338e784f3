/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/projection/law_resolvent.h"

#include "sets/cone.h"
#include "sets/set.h"

void perp_law_resolvent(double *z, const double *x, const perp_block *block)
{
    if (block->set != PERP_COULOMB) {
        perp_set_type_of(block->set)->project(z, x, block->par, block->dim);
        return;
    }
    z[0] = fmax(0.0, x[0]);
    double radius = block->par[0] * z[0];
    double length = perp_cone_length(x + 1, block->dim - 1);
    double share = length > radius ? radius / length : 1.0;
    for (int i = 1; i < block->dim; i++)
        z[i] = share * x[i];
}
