/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/central/system.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "linalg/dense_lu.h"
#include "linalg/mass.h"
#include "linalg/small.h"
#include "solvers/central/bodies.h"

static perp_status take(perp_central *central, perp_arena *arena)
{
    size_t n = (size_t)central->blocks->n, entries = central->nsn.start[central->blocks->count];
    central->G = PERP_TAKE(arena, double, n);
    central->Gt = PERP_TAKE(arena, double, n);
    central->dw = PERP_TAKE(arena, double, n);
    central->trial = PERP_TAKE(arena, double, n);
    central->Pw = PERP_TAKE(arena, double, entries);
    central->Pz = PERP_TAKE(arena, double, entries);
    central->work = perp_arena_take(arena, (size_t)central->blocks->max_dim, 4 * sizeof(double));
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_central_build(perp_central *central, perp_work *work)
{
    const perp_problem *problem = work->problem;
    perp_arena *arena = work->arena;
    *central = (perp_central){.blocks = &work->blocks, .d = work->scaling.d};
    perp_status status =
        perp_nsn_build(&central->nsn, problem, &work->blocks, perp_reform_at(0), arena);
    if (status == PERP_SOLVED)
        status = perp_nsn_sweep_take(&central->sweep, &central->nsn, arena);
    if (status == PERP_SOLVED)
        status = take(central, arena);
    if (status == PERP_SOLVED && central->nsn.lead > 0)
        status = perp_central_bodies_build(central, problem, arena);
    const perp_csc *matrix = central->bodies > 0 ? &central->B : &central->nsn.J;
    if (status == PERP_SOLVED)
        status = perp_factor_create(&central->factor, (perp_factor_kind)work->settings->factor,
                                    (perp_ordering)work->settings->ordering, 0, matrix,
                                    &arena->allocator);
    return status;
}

perp_status perp_central_load(perp_central *central, perp_work *work)
{
    const perp_allocator *memory = &work->arena->allocator;
    perp_status status = perp_nsn_load(&central->nsn, work->problem, memory);
    if (status == PERP_SOLVED)
        status = perp_nsn_sweep_load(&central->sweep, &central->nsn, work->problem, memory);
    if (status == PERP_SOLVED && central->bodies > 0)
        perp_central_bodies_load(central, work->problem);
    return status;
}

void perp_central_free(perp_central *central)
{
    perp_factor_destroy(central->factor);
    central->factor = NULL;
}

void perp_central_size(perp_central *central, const perp_problem *problem)
{
    double size = 0.0;
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        for (int i = 0; i < block->dim; i++)
            size = fmax(size, fabs(problem->q[block->row + i]) / central->d[k]);
        for (int p = 0; block->set == PERP_BOX && p < 2; p++)
            if (isfinite(block->par[p]))
                size = fmax(size, fabs(block->par[p]) * central->d[k]);
    }
    central->smoothing.size = size > 0.0 ? size : 1.0;
}

double perp_central_residual(perp_central *central, const double *w, const double *z)
{
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        perp_smoothing_eval(central->G + block->row, NULL, NULL, NULL, block, &central->smoothing,
                            central->d[k], w + block->row, z + block->row, central->work);
    }
    int count = central->blocks->count > 0 ? central->blocks->count : 1;
    return 0.5 * perp_norm(central->G, central->blocks->n) / sqrt((double)count);
}

static void linearise(perp_central *central, const double *w, const double *z)
{
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        size_t start = central->nsn.start[k], entries = central->nsn.start[k + 1] - start;
        double *Pw = central->Pw + start, *Pz = central->Pz + start;
        perp_smoothing_eval(central->G + block->row, Pw, Pz,
                            central->smoothing.tau > 0.0 ? central->Gt + block->row : NULL, block,
                            &central->smoothing, central->d[k], w + block->row, z + block->row,
                            central->work);
        double alpha = central->weight * central->d[k] * central->d[k];
        int cone = block->set == PERP_COULOMB || block->set == PERP_SOC;
        double normal = cone && block->par[0] > 0.0 ? block->par[0] * block->par[0] : 1.0;
        for (size_t i = 0; i < entries; i++)
            Pz[i] += (i < (size_t)block->dim ? normal : 1.0) * alpha * Pw[i];
    }
}

/* The matrix of the local form. */
static void assemble(perp_central *central)
{
    const perp_csc *J = &central->nsn.J;
    for (int c = 0; c < J->cols; c++) {
        int p = J->colptr[c];
        while (p < J->colptr[c + 1]) {
            int k = central->nsn.block_of[J->row[p]];
            const perp_block *block = &central->blocks->at[k];
            size_t start = central->nsn.start[k];
            double *out = J->x + p;
            int own = c - block->row, dim = block->dim;
            memset(out, 0, (size_t)dim * sizeof *out);
            perp_small_gemv(out, central->Pw + start, central->nsn.fixed + p, dim, dim);
            for (int i = 0; own >= 0 && own < dim && i < dim; i++)
                out[i] += central->Pz[start + (size_t)(i + own * dim)];
            p += dim;
        }
    }
}

perp_status perp_central_factorise(perp_central *central, const double *w, const double *z)
{
    linearise(central, w, z);
    if (central->bodies > 0)
        return perp_central_bodies_factorise(central);
    assemble(central);
    return perp_factor_numeric(central->factor, &central->nsn.J);
}

void perp_central_solve(double *dz, perp_central *central, const double *r)
{
    if (central->bodies > 0) {
        perp_central_bodies_solve(dz, central, r);
        return;
    }
    memcpy(dz, r, (size_t)central->blocks->n * sizeof *dz);
    perp_factor_solve(central->factor, dz);
}
