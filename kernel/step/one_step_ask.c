/* SPDX-License-Identifier: BSD-3-Clause */
/* The one-step problem given to a solver of the caller; its answer is measured here. */
#include <math.h>
#include <string.h>

#include "kernel/step/one_step.h"

static double error_of(const perp_residuals *r, int measure)
{
    if (measure == (int)PERP_MEASURE_NATURAL || isnan(r->scaled))
        return r->natural;
    return measure == (int)PERP_MEASURE_SCALED ? r->scaled : fmax(r->natural, r->scaled);
}

static perp_status judge(perp_one_step *one, const perp_settings *settings, perp_status status,
                         perp_info *info)
{
    info->residual.size = sizeof info->residual;
    perp_status measured =
        perp_residual(&one->problem, one->z, &one->allocator, one->w, &info->residual);
    if (measured < 0)
        return measured;
    info->error = error_of(&info->residual, settings->measure);
    if (info->error <= settings->tol)
        return PERP_SOLVED;
    return status == PERP_SOLVED ? PERP_STALLED : status;
}

/* PERP_ERR_UNSUPPORTED: the problem is left to the solvers here. */
static perp_status ask(perp_one_step *one, const perp_settings *settings, int warm, perp_info *info)
{
    const perp_one_step_asked *given = one->given;
    perp_info own = {.size = sizeof own};
    perp_settings used = *settings;
    perp_mat mass;
    int global = one->form == PERP_FORM_DELASSUS;
    if (!given || !given->fn || one->rows < given->rows || settings->budget > 0.0)
        return PERP_ERR_UNSUPPORTED;
    used.warm_start = warm && one->strict_start ? 1 + one->strict_start : warm;
    if (global)
        perp_mat_init_csc(&mass, one->mass_dofs, one->mass_dofs, one->mass_column, one->mass_row,
                          one->mass_x);
    perp_status status =
        given->fn(given->ctx, &one->problem, global ? &mass : NULL, &used, one->z, &own);
    memcpy(info->detail, own.detail, sizeof info->detail);
    if (status < 0 || status == PERP_INTERRUPTED)
        return status;
    *info = (perp_info){.size = info->size,
                        .solver = own.solver,
                        .iterations = own.iterations,
                        .where = {NULL, -1, -1}};
    status = judge(one, settings, status, info);
    info->status = status;
    return status;
}

perp_status perp_one_step_solve_first(perp_one_step *one, const char *name,
                                      const perp_settings *settings, int warm, perp_info *info)
{
    perp_status status = ask(one, settings, warm, info);
    if (status == PERP_SOLVED || status == PERP_INTERRUPTED ||
        (status < 0 && status != PERP_ERR_UNSUPPORTED))
        return status;
    return perp_one_step_solve(one, name, settings, status > 0 ? 1 : warm, info);
}

perp_status perp_one_step_solve_part(perp_one_step *one, const perp_sim_parts *parts,
                                     const perp_settings *settings, int warm, perp_info *info)
{
    perp_settings used = *settings;
    perp_info own = {.size = sizeof own};
    perp_mat mass = {.kind = PERP_CSC};
    used.warm_start = warm;
    if (one->mass_dofs > 0)
        perp_mat_init_csc(&mass, one->mass_dofs, one->mass_dofs, one->mass_column, one->mass_row,
                          one->mass_x);
    perp_status status =
        parts->solve(parts->ctx, &one->problem, &mass, &used, one->z, one->w, &own);
    *info = own;
    info->where = (perp_where){NULL, -1, -1};
    info->status = status;
    return status;
}
