/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/float_environment.h"
#include "linalg/mass.h"

#include <string.h>

int perp_mass_size(const perp_mass *mass)
{
    return mass ? mass->n : 0;
}

void perp_mass_solve(const perp_mass *mass, const double *b, double *scratch, double *x)
{
    PERP_HOLD_ENVIRONMENT();
    if (x != b)
        memcpy(x, b, (size_t)mass->n * sizeof(double));
    for (int k = 0; k < mass->nblocks; k++)
        perp_mass_block_solve(x, mass, k);
    if (mass->nsparse > 0)
        perp_lu_solve_at(x, &mass->lu, x, mass->dof + (mass->n - mass->nsparse), scratch);
}
