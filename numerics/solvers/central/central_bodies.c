/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/central/central_bodies.h"

#include <string.h>

#include "core/clones.h"
#include "linalg/dense_lu.h"
#include "linalg/small.h"

perp_status perp_central_bodies_build(perp_central *central, const perp_problem *problem,
                                      perp_arena *arena)
{
    size_t entries = central->nsn.start[central->blocks->count];
    perp_status status = perp_body_form_build(&central->form, &problem->M, central->blocks, arena);
    if (status != PERP_SOLVED)
        return status;
    central->pivots = PERP_TAKE(arena, int, central->blocks->n);
    central->C = PERP_TAKE(arena, double, entries);
    central->lu = PERP_TAKE(arena, double, entries);
    central->dv = PERP_TAKE(arena, double, central->form.order);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_central_bodies_factorise(perp_central *central)
{
    size_t entries = central->nsn.start[central->blocks->count];
    memcpy(central->lu, central->Pz, entries * sizeof(double));
    memcpy(central->C, central->Pw, entries * sizeof(double));
    central->sign = 1;
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        double *C = central->C + central->nsn.start[k], *lu = central->lu + central->nsn.start[k];
        int *pivots = central->pivots + block->row;
        if (!perp_dense_lu_factor(lu, pivots, block->dim))
            return PERP_ERR_SINGULAR;
        for (int j = 0; j < block->dim; j++) {
            if ((lu[j * (block->dim + 1)] < 0.0) != (pivots[j] != j + 1))
                central->sign = -central->sign;
            perp_dense_lu_solve(C + j * block->dim, lu, pivots, block->dim);
        }
    }
    perp_body_form_add(&central->form, central->blocks, central->C, 0.0);
    return perp_factor_numeric(central->factor, &central->form.A);
}

PERP_CLONES void perp_central_bodies_solve(double *dz, perp_central *central, const double *r)
{
    double *v = central->dv, *u = central->work;
    memset(v, 0, (size_t)central->form.order * sizeof *v);
    memcpy(dz, r, (size_t)central->blocks->n * sizeof *dz);
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        double *g = dz + block->row;
        perp_dense_lu_solve(g, central->lu + central->nsn.start[k], central->pivots + block->row,
                            block->dim);
        perp_body_form_push(v, &central->form, k, block->dim, g);
    }
    perp_factor_solve(central->factor, v);
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        memset(u, 0, (size_t)block->dim * sizeof *u);
        perp_body_form_add_rates(u, &central->form, k, block->dim, v);
        for (int l = 0; l < block->dim; l++)
            u[l] = -u[l];
        perp_small_gemv(dz + block->row, central->C + central->nsn.start[k], u, block->dim,
                        block->dim);
    }
}
