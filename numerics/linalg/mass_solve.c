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

static void block_solve_transposed(double *v, const perp_mass *mass, int block)
{
    const perp_mass_block *b = &mass->blocks[block];
    const double *inverse = mass->inverses + b->inverse;
    const int *dof = mass->dof + b->first;
    double in[PERP_MASS_BLOCK_MAX];
    for (int i = 0; i < b->dim; i++)
        in[i] = v[dof[i]];
    for (int j = 0; j < b->dim; j++) {
        double sum = 0.0;
        for (int i = 0; i < b->dim; i++)
            sum += inverse[i + j * b->dim] * in[i];
        v[dof[j]] = sum;
    }
}

void perp_mass_solve_transposed(const perp_mass *mass, const double *b, double *scratch, double *x)
{
    PERP_HOLD_ENVIRONMENT();
    if (x != b)
        memcpy(x, b, (size_t)mass->n * sizeof(double));
    for (int k = 0; k < mass->nblocks; k++)
        block_solve_transposed(x, mass, k);
    if (mass->nsparse > 0)
        perp_lu_solve_transposed(x, &mass->lu, x, mass->dof + (mass->n - mass->nsparse), scratch);
}
