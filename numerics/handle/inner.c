/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/inner.h"

#include <math.h>
#include <string.h>

void perp_inner_init(perp_inner *inner, const perp_solver_type *type, const perp_work *outer)
{
    memset(inner, 0, sizeof *inner);
    inner->type = type;
    inner->settings = *outer->settings;
    perp_arena_init(&inner->arena, &outer->arena->allocator);
}

void perp_inner_outdate(perp_inner *inner)
{
    if (inner->state == PERP_INNER_READY)
        inner->state = PERP_INNER_STALE;
}

static void forget(perp_inner *inner)
{
    if (inner->type && inner->type->release && inner->work.state)
        inner->type->release(&inner->work);
    inner->work = (perp_work){0};
    inner->state = PERP_INNER_EMPTY;
}

void perp_inner_release(perp_inner *inner)
{
    forget(inner);
    perp_arena_free(&inner->arena);
}

/* All but what is its own. */
static void share(perp_inner *inner, const perp_work *outer)
{
    perp_work *work = &inner->work;
    perp_work own = *work;
    *work = *outer;
    work->state = own.state;
    work->memory = own.memory;
    work->memory_bytes = own.memory_bytes;
    work->certificate = own.certificate;
    work->settings = &inner->settings;
    work->arena = &inner->arena;
    work->info = &inner->info;
}

static perp_status build(perp_inner *inner, const perp_work *outer)
{
    forget(inner);
    perp_arena_reset(&inner->arena);
    share(inner, outer);
    perp_status status = inner->type->setup(&inner->work);
    if (status == PERP_SOLVED && inner->arena.failed)
        status = PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        inner->state = PERP_INNER_READY;
    else
        forget(inner);
    return status;
}

perp_status perp_inner_prepare(perp_inner *inner, const perp_work *outer)
{
    perp_status status = PERP_ERR_STATE;
    if (inner->state == PERP_INNER_READY)
        return PERP_SOLVED;
    if (inner->state == PERP_INNER_STALE && inner->type->update) {
        share(inner, outer);
        status = inner->type->update(&inner->work);
    }
    if (status == PERP_ERR_STATE)
        return build(inner, outer);
    if (status == PERP_SOLVED)
        inner->state = PERP_INNER_READY;
    else
        forget(inner);
    return status;
}

perp_status perp_inner_solve(perp_inner *inner, perp_work *outer, int max_iter,
                             int (*watch)(void *ctx, int iteration, double error), void *ctx)
{
    perp_status status = perp_inner_prepare(inner, outer);
    if (status != PERP_SOLVED)
        return status;
    double flops = inner->info.flops;
    perp_monitor *monitor = &inner->work.monitor;
    share(inner, outer);
    inner->info = (perp_info){.solver = inner->type->name, .where = {NULL, -1, -1}, .flops = flops};
    monitor->watch = watch;
    monitor->watch_ctx = ctx;
    monitor->before = outer->monitor.before + outer->info->iterations;
    monitor->reference = INFINITY;
    monitor->since = 0;
    monitor->verdict = PERP_SOLVED;
    monitor->window =
        outer->settings->stall_window ? outer->settings->stall_window : inner->type->stall;
    monitor->max_iter = max_iter ? max_iter : inner->type->max_iter;
    if (!inner->settings.warm_start)
        memset(outer->z, 0, (size_t)outer->blocks.n * sizeof(double));
    status = inner->type->solve(&inner->work);
    outer->monitor.best = monitor->best;
    outer->info->iterations += inner->info.iterations;
    outer->info->factorisations += inner->info.factorisations;
    outer->info->notes |= inner->info.notes;
    outer->certificate_kind = inner->work.certificate_kind;
    if (outer->certificate_kind != PERP_CERTIFICATE_NONE)
        outer->certificate = inner->work.certificate;
    if (inner->info.flops > outer->info->flops)
        outer->info->flops = inner->info.flops;
    return status;
}
