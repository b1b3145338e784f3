/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/outer/inner.h"

#include <math.h>
#include <string.h>

#include "handle/registry.h"
#include "handle/solver_handle.h"

enum { ITERATIONS = 1000 };           /* of one inner solve, where inner_iter is 0 */
enum { WINDOW = 20 };                 /* stall_window of solvers that sweep or project */
static const double finest = 1e-14;   /* what doubles can resolve */
static const double impatience = 0.1; /* tol falls by this after a solve that did nothing */

const perp_solver_type *perp_inner_type(const perp_work *work, const perp_problem *problem)
{
    const char *name = work->settings->inner;
    int chosen = name && strcmp(name, perp_solver_auto.name) != 0;
    const perp_solver_type *type = chosen ? perp_solver_find(name) : &perp_solver_gs;
    if (!chosen && !perp_solver_fits(type, problem))
        type = &perp_solver_projection;
    type = perp_solver_method(type, work->settings);
    /* A lagged solver inside would be its own inner solver. */
    int lagged = type && strcmp(type->name, perp_solver_lagged.name) == 0;
    return type && !lagged && perp_solver_fits(type, problem) ? type : NULL;
}

perp_status perp_inner_take(perp_inner *inner, int n, int nseg, perp_arena *arena)
{
    size_t apart = ((size_t)n + 7) & ~(size_t)7;
    *inner = (perp_inner){.info = {.size = sizeof inner->info}};
    inner->seg = PERP_TAKE(arena, perp_segment, nseg);
    inner->q = perp_arena_take_zero(arena, 3 * apart, sizeof(double));
    if (!inner->seg || !inner->q)
        return PERP_ERR_MEMORY;
    inner->z = inner->q + apart;
    inner->w = inner->z + apart;
    inner->problem.q = inner->q;
    inner->problem.seg = inner->seg;
    return PERP_SOLVED;
}

/* The method settings are those of the outer solve. */
static perp_settings inner_settings(const perp_work *work, const perp_solver_type *type, double tol)
{
    perp_settings settings = *work->settings;
    settings.tol = fmin(fmax(tol, finest), 1.0);
    settings.max_iter = settings.inner_iter ? settings.inner_iter : ITERATIONS;
    settings.time_limit = 0.0;
    settings.warm_start = 1;
    settings.stall_window = perp_solver_allocates(type) ? 0 : WINDOW;
    settings.timing = 0;
    settings.progress = NULL;
    settings.progress_ctx = NULL;
    return settings;
}

/* Of the handle inside, without the header that a checkpoint has: the header of the outer one says
 * what this is. */
static perp_status take_memory(perp_inner *inner, perp_arena *arena)
{
    const perp_work *work = &inner->solver->work;
    inner->memory_bytes = work->memory ? work->memory_bytes : 0;
    inner->fresh = perp_arena_take(arena, inner->memory_bytes, 1);
    inner->kept = perp_arena_take(arena, inner->memory_bytes, 1);
    if (!inner->fresh || !inner->kept)
        return PERP_ERR_MEMORY;
    if (inner->memory_bytes > 0) {
        memcpy(inner->fresh, work->memory, inner->memory_bytes);
        memcpy(inner->kept, work->memory, inner->memory_bytes);
    }
    return PERP_SOLVED;
}

perp_status perp_inner_setup(perp_inner *inner, perp_work *work)
{
    const perp_solver_type *type = perp_inner_type(work, &inner->problem);
    if (!type) {
        work->info->where = (perp_where){"inner", -1, -1};
        return PERP_ERR_UNSUPPORTED;
    }
    inner->type = type;
    const perp_settings settings = inner_settings(work, type, 1.0);
    perp_status status =
        perp_solver_create(&inner->solver, type, &settings, &work->arena->allocator, NULL);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(inner->solver, &inner->problem);
    if (status != PERP_SOLVED)
        return status;
    work->outside_bytes += perp_solver_info(inner->solver)->bytes;
    return take_memory(inner, work->arena);
}

perp_status perp_inner_update(perp_inner *inner)
{
    const perp_problem problem = inner->problem;
    return perp_solver_update(inner->solver, &problem);
}

void perp_inner_release(perp_inner *inner)
{
    perp_solver_destroy(inner->solver);
    inner->solver = NULL;
}

void perp_inner_begin(perp_inner *inner, int warm)
{
    inner->idle = 0;
    if (inner->memory_bytes > 0)
        memcpy(inner->solver->work.memory, warm ? inner->kept : inner->fresh, inner->memory_bytes);
}

void perp_inner_end(perp_inner *inner)
{
    if (inner->memory_bytes > 0)
        memcpy(inner->kept, inner->solver->work.memory, inner->memory_bytes);
}

/* What an inner measurement says to the outer solve. */
typedef struct watch {
    perp_work *work;
    int iteration, stopped;
    double error;
} watch;

static int look(void *ctx, const perp_progress *progress)
{
    watch *w = ctx;
    (void)progress;
    w->stopped = perp_stop_light(w->work, w->iteration, w->error);
    return w->stopped;
}

perp_status perp_inner_solve(perp_inner *inner, perp_work *work, int iteration, double error,
                             double tol)
{
    watch outer = {work, iteration, 0, error};
    perp_settings settings = inner_settings(work, inner->type, tol * pow(impatience, inner->idle));
    if (work->settings->progress || work->settings->time_limit > 0.0) {
        settings.progress = look;
        settings.progress_ctx = &outer;
    }
    if (settings.budget > 0.0)
        settings.budget = fmax(settings.budget - work->monitor.spent, 1.0);
    perp_status status = perp_solver_set_settings(inner->solver, &settings);
    if (status == PERP_SOLVED)
        status = perp_solver_refresh(inner->solver);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(inner->solver, inner->z, inner->w, &inner->info);
    if (status == PERP_INTERRUPTED && !outer.stopped)
        work->monitor.verdict = PERP_INTERRUPTED;
    inner->idle = status == PERP_SOLVED && inner->info.iterations == 0 ? inner->idle + 1 : 0;
    work->info->factorisations += inner->info.factorisations;
    work->monitor.spent += inner->info.work; /* its iterations are not those of the outer loop */
    return status;
}
