/* SPDX-License-Identifier: BSD-3-Clause */
/* One solve of the one-step problem, on a handle that is kept from step to step. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/laws/law.h"
#include "kernel/step/one_step.h"
#include "kernel/step/one_step_islands.h"

/* Up to so many rows Newton's method is the default where gaps decide. */
enum { NEWTON_ROWS = 6000 };

static const double LINEAR_TOL = 1e-12;

/* Steps in which Newton's method is to halve its error: where rounding may be what is left of it,
 * from where that is enough, and before another method goes on. */
enum { STANDING = 10, POLISHING = 3, CIRCLING = 20 };

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

static perp_status prepare(perp_one_step *one, perp_one_step_handle *handle,
                           const perp_problem *problem, const perp_settings *settings)
{
    perp_status status = PERP_SOLVED;
    perp_settings own = *settings;
    /* Rows change with the next iterate: no start is worth more than the tolerance. */
    own.polish = settings->warm_start == 2 && is_auto(handle->type) ? 0 : own.polish;
    if (!handle->solver)
        status = perp_solver_create(&handle->solver, handle->type, &own, &one->allocator, NULL);
    else if (handle->warm != settings->warm_start || handle->tol != settings->tol ||
             handle->max_iter != settings->max_iter || handle->budget != settings->budget ||
             handle->window != settings->stall_window)
        status = perp_solver_set_settings(handle->solver, &own);
    if (status != PERP_SOLVED)
        return status;
    handle->warm = settings->warm_start;
    handle->tol = settings->tol;
    handle->budget = settings->budget;
    handle->max_iter = settings->max_iter;
    handle->window = settings->stall_window;
    int old = handle->pattern == one->pattern, known = handle->fills == one->fills;
    handle->fills = one->fills;
    if (old) {
        status = known ? perp_solver_update_q(handle->solver, problem->q)
                       : perp_solver_update(handle->solver, problem);
        if (status == PERP_SOLVED)
            return status;
    }
    status = perp_solver_setup(handle->solver, problem);
    handle->pattern = status == PERP_SOLVED ? one->pattern : 0;
    if (status == PERP_SOLVED && handle->memory) {
        /* Of another size of problem where the active contacts changed: then it is dropped. */
        (void)perp_solver_load(handle->solver, handle->memory, handle->memory_bytes);
        perp_pool_give(one->pool, handle->memory);
        handle->memory = NULL;
    }
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

/* What the library chooses; but a contact alone, one in each of many steps, is a sweep. */
static const perp_solver_type *chosen_for(const perp_problem *problem)
{
    int contacts = 0, others = 0;
    for (int k = 0; k < problem->nseg; k++) {
        perp_set set = problem->seg[k].set;
        int is_contact = set == PERP_COULOMB || set == PERP_TRESCA || set == PERP_ROLLING;
        *(is_contact ? &contacts : &others) += problem->seg[k].count;
    }
    if (contacts != 1 || others != 0)
        return perp_solver_choose(problem);
    const perp_solver_type *sweeps = perp_solver_find("gs");
    return perp_solver_fits(sweeps, problem) ? sweeps : perp_solver_choose(problem);
}

/* Newton's method where it takes the problem and the library would choose sweeps. */
static const perp_solver_type *newton_or(const perp_solver_type *chosen,
                                         const perp_problem *problem)
{
    const perp_solver_type *newton = perp_solver_find("nsn");
    return is_auto(chosen) && perp_solver_fits(newton, problem) ? newton : chosen;
}

const perp_solver_type *perp_one_step_small_type(const perp_one_step *one,
                                                 const perp_problem *problem)
{
    const perp_solver_type *direct = perp_solver_find("direct");
    if (one->linear && perp_solver_fits(direct, problem))
        return direct;
    return newton_or(chosen_for(problem), problem);
}

/* Without friction the solver that remembers the active sets of the steps before, else the one that
 * the library chooses.  Its sweeps end at the tolerance: gaps that open by what they leave would
 * take resting contacts out of the next step of schemes that look at the sign of a gap, which get
 * Newton's method, that ends at rounding, up to a size; the others where it costs next to nothing,
 * or where contacts give way, which makes its way short.  *apart = 1: where it costs next to
 * nothing for islands. */
static const perp_solver_type *default_type(const perp_one_step *one, const perp_settings *settings,
                                            int *apart)
{
    const perp_problem *problem = &one->problem;
    const perp_solver_type *direct = perp_solver_find("direct");
    if (one->linear && perp_solver_fits(direct, problem))
        return direct;
    const perp_solver_type *chosen = chosen_for(problem);
    int newton_is_short = !one->gaps_kept || perp_one_step_gives_way(one);
    if (settings->budget > 0.0) /* a Newton method has nothing before it has all */
        return chosen;
    if (problem->M.rows <= (newton_is_short ? NEWTON_ROWS : PERP_ONE_STEP_FEW_ROWS))
        return newton_or(chosen, problem);
    *apart = !newton_is_short && is_auto(chosen);
    return chosen;
}

/* A run from where the one before has ended; both are counted. */
static perp_status run_on(perp_one_step *one, perp_one_step_handle *handle, perp_settings *settings,
                          double tol, perp_info *info)
{
    int iterations = info->iterations, factorisations = info->factorisations;
    double work = info->work;
    settings->tol = tol;
    settings->warm_start = 1;
    perp_status status =
        perp_one_step_run(one, handle, &one->problem, settings, one->z, one->w, info);
    info->iterations += iterations;
    info->factorisations += factorisations;
    info->work += work;
    return status;
}

/* Servos, dry friction: forces between bounds. */
static int has_bounds(const perp_one_step *one)
{
    int found = 0;
    for (int a = 0; a < one->nactive && !found; a++)
        found = perp_law_set(&one->active[a]->law) == PERP_BOX;
    return found;
}

/* Joints couple all rows at a mechanism, of which sweeps see little, while a step of Newton's
 * method costs as much as ten to fifty of them up to so many rows.  Steps in which it is to halve
 * its error, those of an interior method, and those of Newton's after it. */
enum { TIED_ROWS = 400, WANDERING = 4, INTERIOR_STEPS = 35, MORE_STEPS = 60 };
/* Of Newton-prox: its weight is this times error^power. */
static const double TIED_WEIGHT = 1.0, TIED_POWER = 0.75;

/* Nearly an answer to begin with, more rows than cost next to nothing, but not many. */
static int is_tied(const perp_one_step *one, const perp_solver_type *type,
                   const perp_settings *settings)
{
    return one->tied && one->gaps_kept && one->rows <= TIED_ROWS && is_auto(type) &&
           settings->warm_start > 0 && !(settings->budget > 0.0);
}

/* 1: another method may do better. */
static int goes_on(perp_status status)
{
    return status == PERP_STALLED || status == PERP_ITERATION_LIMIT || status == PERP_RAY ||
           status == PERP_ERR_SINGULAR || status == PERP_ERR_NUMERICAL ||
           status == PERP_ERR_UNSUPPORTED || status == PERP_ERR_OVERFLOW;
}

static perp_settings at_most(const perp_settings *given, int steps)
{
    perp_settings settings = *given;
    if (given->max_iter == 0 || given->max_iter > steps)
        settings.max_iter = steps;
    return settings;
}

/* One more attempt; where it does not end the better ones of both z and w are kept. */
static perp_status try_again(perp_one_step *one, const char *name, const perp_settings *settings,
                             perp_info *info)
{
    size_t bytes = sizeof(double) * (size_t)one->rows;
    if (!perp_pool_grow(one->pool, (void **)&one->kept, &one->capacity_kept, 2 * one->rows,
                        sizeof(double)))
        return PERP_ERR_MEMORY;
    memcpy(one->kept, one->z, bytes);
    memcpy(one->kept + one->rows, one->w, bytes);
    perp_one_step_handle *handle = perp_one_step_handle_of(one, perp_solver_find(name));
    perp_info before = *info;
    perp_status status =
        perp_one_step_run(one, handle, &one->problem, settings, one->z, one->w, info);
    info->iterations += before.iterations;
    info->factorisations += before.factorisations;
    info->work += before.work;
    if (status != PERP_SOLVED && !(status > 0 && info->error < before.error)) {
        memcpy(one->z, one->kept, bytes);
        memcpy(one->w, one->kept + one->rows, bytes);
        info->error = before.error;
        info->residual = before.residual;
    }
    return status;
}

/* An interior method from nothing. */
static perp_status from_inside(perp_one_step *one, const perp_settings *given, perp_info *info)
{
    perp_settings settings = at_most(given, INTERIOR_STEPS);
    settings.attempts = 1;
    settings.warm_start = 0;
    return try_again(one, "ipm", &settings, info);
}

/* An interior method at mechanisms, then what the library chooses goes on, and where that does not
 * end Newton's method again. */
static perp_status give_way(perp_one_step *one, const perp_solver_type *newton,
                            perp_settings *settings, perp_info *info)
{
    const perp_solver_type *other = chosen_for(&one->problem);
    perp_status status = PERP_STALLED;
    double tol = settings->tol;
    if (one->tied && one->gaps_kept) {
        status = from_inside(one, settings, info);
        if (!goes_on(status) || info->error <= one->enough)
            return status;
    }
    if (other != newton)
        status = run_on(one, perp_one_step_handle_of(one, other), settings, tol, info);
    return status > 0 && status != PERP_INTERRUPTED
               ? run_on(one, perp_one_step_handle_of(one, newton), settings, tol, info)
               : status;
}

/* Newton's method circles where the q of stresses that change no rate is not, but for rounding,
 * what the rows allow: where its error stands it goes on to what is enough, and some steps from
 * there.  It circles among many bounds that are reached together, too: there, and where nobody
 * named it, what the library chooses goes on. */
static perp_status run(perp_one_step *one, const perp_solver_type *type, int named,
                       perp_settings *settings, perp_info *info)
{
    perp_one_step_handle *handle = perp_one_step_handle_of(one, type);
    double tol = settings->tol;
    int newton = !settings->stall_window && type == perp_solver_find("nsn");
    int may_stand = newton && one->enough > tol;
    int gives_way = newton && !may_stand && !named && has_bounds(one);
    settings->stall_window = may_stand ? STANDING : gives_way ? CIRCLING : settings->stall_window;
    perp_status status =
        perp_one_step_run(one, handle, &one->problem, settings, one->z, one->w, info);
    if (status != PERP_STALLED || !(may_stand || gives_way) ||
        info->error <= fmax(tol, one->enough))
        return status;
    settings->stall_window = 0;
    if (gives_way)
        return give_way(one, type, settings, info);
    status = run_on(one, handle, settings, one->enough, info);
    if (status != PERP_SOLVED || info->error <= tol)
        return status;
    settings->stall_window = POLISHING;
    return run_on(one, handle, settings, tol, info);
}

/* Steps of Newton-prox, whose weight falls with the error, from a start that is nearly an answer.
 * Where impulses are not unique they may wander among those on the edges of their sets, and a start
 * that is on edges leads to others.  The interior method ends inside, far from the edges, where
 * next starts are answers but for a step.  What it cannot end, as impacts of next to nothing,
 * Newton's method does in some more steps; then what the library chooses. */
static perp_status solve_tied(perp_one_step *one, const perp_settings *given, perp_info *info)
{
    perp_settings settings = *given;
    settings.prox_newton = PERP_PROX_NEWTON_SINGLE;
    settings.prox_weight = TIED_WEIGHT;
    settings.prox_power = TIED_POWER;
    settings.stall_window = WANDERING;
    perp_one_step_handle *handle = perp_one_step_handle_of(one, perp_solver_find("prox"));
    perp_status status =
        perp_one_step_run(one, handle, &one->problem, &settings, one->z, one->w, info);
    if (status < 0)
        info->error = HUGE_VAL;
    if (goes_on(status) && info->error > one->enough)
        status = from_inside(one, given, info);
    settings = at_most(given, MORE_STEPS);
    settings.warm_start = 1;
    if (goes_on(status) && info->error > one->enough)
        status = try_again(one, "nsn", &settings, info);
    if (!goes_on(status) || info->error <= one->enough)
        return status;
    settings.max_iter = given->max_iter;
    return run_on(one, perp_one_step_handle_of(one, chosen_for(&one->problem)), &settings,
                  given->tol, info);
}

perp_status perp_one_step_solve(perp_one_step *one, const char *name, const perp_settings *settings,
                                int warm, perp_info *info)
{
    int apart = name && one->apart;
    const perp_solver_type *type =
        name ? perp_solver_find(name) : default_type(one, settings, &apart);
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
    perp_status status = PERP_SOLVED;
    if (apart && perp_one_step_has_islands(one))
        status = perp_one_step_solve_islands(one, name ? type : NULL, &used, info);
    else if (!name && is_tied(one, type, &used))
        status = solve_tied(one, &used, info);
    else
        status = run(one, type, name != NULL, &used, info);
    if (status < 0)
        return status;
    if (one->spent)
        *one->spent += info->work;
    if (status > 0 && info->error <= settings->tol)
        status = info->status = PERP_SOLVED;
    int ended = status == PERP_STALLED || status == PERP_ITERATION_LIMIT;
    return ended && info->error <= one->enough ? PERP_SOLVED : status;
}
