/* SPDX-License-Identifier: BSD-3-Clause */
/* One solve of the one-step problem, on a handle that is kept from step to step. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/step/one_step.h"
#include "kernel/step/one_step_islands.h"

static const double LINEAR_TOL = 1e-12;

perp_one_step_handle *perp_one_step_handle_in(perp_one_step_handle *handles, perp_pool *pool,
                                              const perp_solver_type *type)
{
    int k = 0;
    while (k < PERP_ONE_STEP_HANDLES - 1 && handles[k].type && handles[k].type != type)
        k++;
    perp_one_step_handle *handle = &handles[k];
    if (handle->type != type) {
        perp_solver_destroy(handle->solver);
        perp_pool_give(pool, handle->memory);
        *handle = (perp_one_step_handle){.type = type};
    }
    return handle;
}

perp_one_step_handle *perp_one_step_handle_of(perp_one_step *one, const perp_solver_type *type)
{
    return perp_one_step_handle_in(one->handles, one->pool, type);
}

static int is_auto(const perp_solver_type *type)
{
    return type && strcmp(perp_solver_name(type), "auto") == 0;
}

/* The settings of a solver of this kind, which `auto` alone has more of. */
static perp_settings settings_for(const perp_one_step *one, const perp_solver_type *type,
                                  const perp_settings *settings)
{
    perp_settings own = *settings;
    if (!is_auto(type))
        return own;
    /* Rows change with the next iterate: no start is worth more than the tolerance. */
    own.polish = settings->warm_start == 2 ? 0 : own.polish;
    own.enough = one->enough;
    /* Gaps that open by what sweeps leave would take resting contacts out of the next step of
     * schemes that look at the sign of a gap; contacts that give way make the way of Newton's
     * method short. */
    own.finish =
        one->gaps_kept && !perp_one_step_gives_way(one) ? PERP_FINISH_CHEAP : PERP_FINISH_ROUNDING;
    return own;
}

static perp_status prepare(perp_one_step *one, perp_one_step_handle *handle,
                           const perp_problem *problem, const perp_settings *settings)
{
    perp_settings own = settings_for(one, handle->type, settings);
    perp_status status = handle->solver ? perp_solver_set_settings(handle->solver, &own)
                                        : perp_solver_create(&handle->solver, handle->type, &own,
                                                             &one->allocator, NULL);
    if (status != PERP_SOLVED)
        return status;
    handle->tol = own.tol;
    int old = handle->pattern == one->pattern, known = handle->fills == one->fills;
    handle->fills = one->fills;
    if (old) {
        perp_one_step_renew(one, handle);
        status = known ? perp_solver_update_q(handle->solver, problem->q)
                       : perp_solver_update(handle->solver, problem);
        if (status == PERP_SOLVED)
            return status;
    }
    perp_one_step_keep(one, handle);
    status = perp_solver_setup(handle->solver, problem);
    handle->pattern = status == PERP_SOLVED ? one->pattern : 0;
    if (status == PERP_SOLVED)
        perp_one_step_recall(one, handle);
    return status;
}

perp_status perp_one_step_run(perp_one_step *one, perp_one_step_handle *handle,
                              const perp_problem *problem, const perp_settings *settings, double *z,
                              double *w, perp_info *info)
{
    perp_status status = prepare(one, handle, problem, settings);
    if (status == PERP_SOLVED)
        return perp_solver_solve(handle->solver, z, w, info);
    info->detail[0] = '\0';
    info->where = (perp_where){NULL, -1, -1};
    if (handle->solver)
        *info = *perp_solver_info(handle->solver);
    return status;
}

/* Without friction the solver that remembers the active sets of the steps before, else the one that
 * the library chooses. */
const perp_solver_type *perp_one_step_type(const perp_one_step *one, const perp_problem *problem)
{
    const perp_solver_type *direct = perp_solver_find("direct");
    return one->linear && perp_solver_fits(direct, problem) ? direct : perp_solver_choose(problem);
}

/* Small islands among many rows are ended each by Newton's method, as few rows are. */
static int is_for_islands(const perp_one_step *one, const perp_solver_type *type,
                          const perp_settings *settings)
{
    return is_auto(type) && one->rows > PERP_ONE_STEP_FEW_ROWS && one->gaps_kept &&
           !perp_one_step_gives_way(one) && !(settings->budget > 0.0);
}

perp_status perp_one_step_solve(perp_one_step *one, const char *name, const perp_settings *settings,
                                int warm, perp_info *info)
{
    const perp_solver_type *type =
        name ? perp_solver_find(name) : perp_one_step_type(one, &one->problem);
    int apart = name ? one->apart : is_for_islands(one, type, settings);
    if (!type) {
        info->where = (perp_where){"solver", -1, -1};
        info->detail[0] = '\0';
        return name ? PERP_ERR_SETTING : PERP_ERR_UNSUPPORTED;
    }
    perp_settings used = *settings;
    used.warm_start = warm && one->strict_start ? 1 + one->strict_start : warm;
    if (one->linear && used.tol > LINEAR_TOL)
        used.tol = LINEAR_TOL;
    /* Each solve of a step may have half of what is left: the next begins where it ends.  A start
     * that is only judged costs nothing. */
    if (used.budget > 0.0 && one->spent)
        used.budget =
            fmax(0.5 * ((one->part > 0.0 ? one->part : 1.0) * used.budget - *one->spent), DBL_MIN);
    perp_status status = apart && perp_one_step_has_islands(one)
                             ? perp_one_step_solve_islands(one, name ? type : NULL, &used, info)
                             : perp_one_step_run(one, perp_one_step_handle_of(one, type),
                                                 &one->problem, &used, one->z, one->w, info);
    if (status < 0)
        return status;
    if (one->spent)
        *one->spent += info->work;
    if (status > 0 && info->error <= settings->tol)
        status = info->status = PERP_SOLVED;
    int ended = status == PERP_STALLED || status == PERP_ITERATION_LIMIT;
    return ended && info->error <= one->enough ? PERP_SOLVED : status;
}
