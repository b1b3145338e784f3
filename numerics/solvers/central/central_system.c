/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/central/central_system.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "linalg/dense_lu.h"
#include "linalg/mass.h"
#include "linalg/small.h"
#include "solvers/central/central_bodies.h"

enum { SWEEPS_PER_CHECK = 10, REFINEMENTS = 4 };

/* Largest remainder of a solution in body unknowns, relative. */
static const double refined = 1e-11;

static perp_status take(perp_central *central, perp_arena *arena)
{
    size_t n = (size_t)central->blocks->n, entries = central->nsn.start[central->blocks->count];
    central->G = PERP_TAKE(arena, double, n);
    central->Gt = PERP_TAKE(arena, double, n);
    central->r = PERP_TAKE(arena, double, n);
    central->trial = PERP_TAKE(arena, double, n);
    central->dz = PERP_TAKE(arena, double, n);
    central->dw = PERP_TAKE(arena, double, n);
    central->Pw = PERP_TAKE(arena, double, entries);
    central->Pz = PERP_TAKE(arena, double, entries);
    central->work = perp_arena_take(arena, (size_t)central->blocks->max_dim, 4 * sizeof(double));
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

static perp_status create_factor(perp_central *central, perp_work *work, perp_factor_kind kind)
{
    return perp_factor_create(&central->factor, kind, (perp_ordering_kind)work->settings->ordering,
                              0, central->in_bodies ? &central->form.A : &central->nsn.J,
                              &work->arena->allocator);
}

static perp_status build(perp_central *central, perp_work *work)
{
    const perp_problem *problem = work->problem;
    perp_arena *arena = work->arena;
    *central = (perp_central){.blocks = &work->blocks, .d = work->scaling.d};
    central->nsn.local =
        problem->M.kind == PERP_DELASSUS && problem->M.as.delassus.diagonal != NULL;
    perp_status status = perp_nsn_build(&central->nsn, problem, &work->blocks,
                                        perp_reform_at(PERP_FORMULATION_ALART_CURNIER), arena);
    if (status == PERP_SOLVED)
        status = perp_nsn_sweep_take(&central->sweep, &central->nsn, arena);
    if (status == PERP_SOLVED)
        status = take(central, arena);
    central->in_bodies = central->nsn.lead > 0;
    if (status == PERP_SOLVED && central->in_bodies)
        status = perp_central_bodies_build(central, problem, arena);
    if (status == PERP_SOLVED)
        status = create_factor(central, work, (perp_factor_kind)work->settings->factor);
    return status;
}

perp_status perp_central_signed(perp_central *central, perp_work *work)
{
    if (central->factor->type->sign || !perp_factor_type_of(PERP_FACTOR_KLU))
        return PERP_SOLVED;
    perp_factor_destroy(central->factor);
    central->factor = NULL;
    return create_factor(central, work, PERP_FACTOR_KLU);
}

perp_status perp_central_update(perp_work *work)
{
    perp_central *central = work->state;
    const perp_allocator *memory = &work->arena->allocator;
    perp_status status = perp_nsn_load(&central->nsn, work->problem, memory);
    if (status == PERP_SOLVED)
        status = perp_nsn_sweep_load(&central->sweep, &central->nsn, work->problem, memory);
    if (status == PERP_SOLVED && central->in_bodies)
        status = perp_body_form_load(&central->form, &work->problem->M, central->blocks, NULL);
    return status;
}

perp_status perp_central_setup(perp_work *work, size_t bytes)
{
    work->state = perp_arena_take_zero(work->arena, 1, bytes);
    if (!work->state)
        return PERP_ERR_MEMORY;
    perp_status status = build(work->state, work);
    return status == PERP_SOLVED ? perp_central_update(work) : status;
}

void perp_central_release(perp_work *work)
{
    perp_central *central = work->state;
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

/* The blocks of a reform, with steps that follow the weight. */
static void semismooth(perp_central *central, int k, const double *w, const double *z)
{
    const perp_block *block = &central->blocks->at[k];
    size_t start = central->nsn.start[k], entries = central->nsn.start[k + 1] - start;
    double *Pw = central->Pw + start, *Pz = central->Pz + start;
    double square = central->d[k] * central->d[k], alpha = central->weight * square;
    double rho[2] = {1.0 / (square + alpha), 1.0 / (square + alpha)};
    central->reform->eval(central->G + block->row, Pw, Pz, block, rho, w + block->row,
                          z + block->row);
    for (size_t i = 0; i < entries; i++)
        Pz[i] += alpha * Pw[i];
}

static void smoothed(perp_central *central, int k, const double *w, const double *z)
{
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
    for (int k = 0; k < central->blocks->count; k++)
        if (central->reform)
            semismooth(central, k, w, z);
        else
            smoothed(central, k, w, z);
    if (central->in_bodies)
        return perp_central_bodies_factorise(central);
    assemble(central);
    return perp_factor_numeric(central->factor, &central->nsn.J);
}

void perp_central_apply(double *out, const perp_central *central, const double *dz,
                        const double *dw)
{
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        size_t start = central->nsn.start[k];
        int dim = block->dim, row = block->row;
        memset(out + row, 0, (size_t)dim * sizeof *out);
        perp_small_gemv(out + row, central->Pz + start, dz + row, dim, dim);
        perp_small_gemv(out + row, central->Pw + start, dw + row, dim, dim);
    }
}

void perp_central_precondition(double *dz, perp_central *central, const double *r)
{
    if (central->in_bodies) {
        perp_central_bodies_solve(dz, central, r);
        return;
    }
    memcpy(dz, r, (size_t)central->blocks->n * sizeof *dz);
    perp_factor_solve(central->factor, dz);
}

/* central->r = r - Pz dz - Pw dw; its largest entry over that of r. */
static double remainder_of(perp_central *central, const double *dz, const double *dw,
                           const double *r)
{
    double largest = 0.0, size = 0.0;
    perp_central_apply(central->r, central, dz, dw);
    for (int i = 0; i < central->blocks->n; i++) {
        central->r[i] = r[i] - central->r[i];
        largest = fmax(largest, fabs(central->r[i]));
        size = fmax(size, fabs(r[i]));
    }
    return size > 0.0 ? largest / size : 0.0;
}

void perp_central_solve(double *dz, double *dw, perp_central *central, const perp_work *work,
                        const double *r)
{
    const perp_mat *M = &work->problem->M;
    int n = central->blocks->n;
    perp_central_precondition(dz, central, r);
    perp_mat_apply(M, dz, work->scratch, dw);
    if (!central->in_bodies)
        return;
    double before = INFINITY;
    for (int k = 0; k < REFINEMENTS; k++) {
        double now = remainder_of(central, dz, dw, r);
        if (!(now > refined) || !(now < 0.5 * before))
            return;
        before = now;
        perp_central_bodies_solve(central->trial, central, central->r);
        for (int i = 0; i < n; i++)
            dz[i] += central->trial[i];
        perp_mat_apply(M, dz, work->scratch, dw);
    }
}

int perp_central_sign(const perp_central *central)
{
    int sign = perp_factor_sign(central->factor);
    return central->in_bodies ? sign * central->sign : sign;
}

int perp_central_sweep(perp_central *central, perp_work *work, int count, int iteration,
                       double *error)
{
    perp_nsn_sweep_start(&central->sweep, &central->nsn, work->z, work->w);
    for (int k = 1; k <= count; k++) {
        perp_nsn_sweep_run(&central->sweep, &central->nsn, work->problem, work->z);
        if (k % SWEEPS_PER_CHECK == 0 || k == count) {
            if (perp_measure_and_stop(work, iteration, error))
                return 1;
        } else if (perp_stop_light(work, iteration, *error)) {
            return 1;
        }
    }
    return 0;
}
