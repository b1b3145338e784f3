/* SPDX-License-Identifier: BSD-3-Clause */
/* One solve of the one-step problem, on a handle that is kept from step to step. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/step/one_step.h"

/* Up to so many rows Newton's method is the default: where gaps decide, and where the law keeps
 * them. */
enum { NEWTON_ROWS = 6000, FEW_ROWS = 48 };

static const double LINEAR_TOL = 1e-12;

perp_one_step_handle *perp_one_step_handle_of(perp_one_step *one, const perp_solver_type *type)
{
    int k = 0;
    while (k < PERP_ONE_STEP_HANDLES - 1 && one->handles[k].type && one->handles[k].type != type)
        k++;
    perp_one_step_handle *handle = &one->handles[k];
    if (handle->type != type) {
        perp_solver_destroy(handle->solver);
        perp_pool_give(one->pool, handle->memory);
        *handle = (perp_one_step_handle){.type = type};
    }
    return handle;
}

/* Bytes of what a solver remembers between problems, at most: more is dropped with their shape. */
enum { REMEMBERED = 256 };

/* A setup, after which the solver remembers what it did, or what a checkpoint says of it, where the
 * problem has as many rows as before. */
static perp_status set_up(perp_one_step *one, perp_one_step_handle *handle)
{
    char kept[REMEMBERED];
    size_t bytes = sizeof kept;
    int has = !handle->memory &&
              perp_solver_save(handle->solver, kept, &bytes) == PERP_SOLVED;
    perp_status status = perp_solver_setup(handle->solver, &one->problem);
    if (status != PERP_SOLVED)
        return status;
    if (has)
        (void)perp_solver_load(handle->solver, kept, bytes);
    if (handle->memory)
        (void)perp_solver_load(handle->solver, handle->memory, handle->memory_bytes);
    perp_pool_give(one->pool, handle->memory);
    handle->memory = NULL;
    return PERP_SOLVED;
}

static perp_status prepare(perp_one_step *one, perp_one_step_handle *handle,
                           const perp_settings *settings)
{
    perp_status status = PERP_SOLVED;
    if (!handle->solver)
        status = perp_solver_create(&handle->solver, handle->type, settings, &one->allocator, NULL);
    else if (handle->warm != settings->warm_start || handle->tol != settings->tol ||
             handle->max_iter != settings->max_iter || handle->budget != settings->budget)
        status = perp_solver_set_settings(handle->solver, settings);
    if (status != PERP_SOLVED)
        return status;
    handle->warm = settings->warm_start;
    handle->tol = settings->tol;
    handle->budget = settings->budget;
    handle->max_iter = settings->max_iter;
    int old = handle->pattern == one->pattern, known = handle->fills == one->fills;
    handle->fills = one->fills;
    if (old) {
        status = known ? perp_solver_update_q(handle->solver, one->q)
                       : perp_solver_update(handle->solver, &one->problem);
        if (status == PERP_SOLVED)
            return status;
    }
    status = set_up(one, handle);
    handle->pattern = status == PERP_SOLVED ? one->pattern : 0;
    return status;
}

/* Without friction the solver that remembers the active sets of the steps before, else the one that
 * the library chooses.  Its sweeps end at the tolerance: gaps that open by what they leave would
 * take resting contacts out of the next step of schemes that look at the sign of a gap, which get
 * Newton's method, that ends at rounding, up to a size; the others where it costs next to nothing,
 * or where contacts give way, which makes its way short. */
static const perp_solver_type *default_type(const perp_one_step *one,
                                            const perp_settings *settings)
{
    const perp_problem *problem = &one->problem;
    const perp_solver_type *direct = perp_solver_find("direct");
    const perp_solver_type *newton = perp_solver_find("nsn");
    if (one->linear && perp_solver_fits(direct, problem))
        return direct;
    const perp_solver_type *chosen = perp_solver_choose(problem);
    int newton_is_short = !one->gaps_kept || perp_one_step_gives_way(one);
    int to_rounding = problem->M.rows <= (newton_is_short ? NEWTON_ROWS : FEW_ROWS);
    if (settings->budget > 0.0) /* a Newton method has nothing before it has all */
        to_rounding = 0;
    if (!chosen || !to_rounding || strcmp(perp_solver_name(chosen), "auto") != 0)
        return chosen;
    return perp_solver_fits(newton, problem) ? newton : chosen;
}

perp_status perp_one_step_solve(perp_one_step *one, const char *name, const perp_settings *settings,
                                int warm, perp_info *info)
{
    const perp_solver_type *type = name ? perp_solver_find(name) : default_type(one, settings);
    if (!type) {
        info->where = (perp_where){"solver", -1, -1};
        info->detail[0] = '\0';
        return name ? PERP_ERR_SETTING : PERP_ERR_UNSUPPORTED;
    }
    perp_settings used = *settings;
    used.warm_start = warm && one->strict_start ? 1 + one->strict_start : warm;
    if (one->linear && used.tol > LINEAR_TOL)
        used.tol = LINEAR_TOL;
    /* Each solve of a step may have half of what is left: the next begins where it ends.  A start that
     * is only judged costs nothing. */
    if (used.budget > 0.0 && one->spent)
        used.budget = fmax(
            0.5 * ((one->part > 0.0 ? one->part : 1.0) * used.budget - *one->spent), DBL_MIN);
    perp_one_step_handle *handle = perp_one_step_handle_of(one, type);
    perp_status status = prepare(one, handle, &used);
    if (status != PERP_SOLVED) {
        info->detail[0] = '\0';
        info->where = (perp_where){NULL, -1, -1};
        if (handle->solver)
            *info = *perp_solver_info(handle->solver);
        return status;
    }
    status = perp_solver_solve(handle->solver, one->z, one->w, info);
    if (one->spent)
        *one->spent += info->work;
    if (status > 0 && info->error <= settings->tol)
        status = info->status = PERP_SOLVED;
    return status;
}
