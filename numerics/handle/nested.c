/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/nested.h"

#include <math.h>
#include <string.h>

#include "handle/costs.h"

/* Of its arena's first chunk, which lies in that of the outer one: a small problem needs no more.
 */
enum { FIRST_BYTES = 6144 };

int perp_nested_init(perp_nested *nested, const perp_solver_type *type, const perp_work *outer)
{
    void *memory = perp_arena_take(outer->arena, FIRST_BYTES, 1);
    if (!memory)
        return 0;
    nested->type = type;
    nested->settings = *outer->settings;
    nested->work = (perp_work){0};
    nested->info = (perp_info){.solver = NULL};
    nested->state = PERP_NESTED_EMPTY;
    perp_arena_init_with(&nested->arena, &outer->arena->allocator, memory, FIRST_BYTES);
    return 1;
}

void perp_nested_outdate(perp_nested *nested)
{
    if (nested->state == PERP_NESTED_READY)
        nested->state = PERP_NESTED_STALE;
}

static void forget(perp_nested *nested)
{
    if (nested->type && nested->type->release && nested->work.state)
        nested->type->release(&nested->work);
    nested->work = (perp_work){0};
    nested->state = PERP_NESTED_EMPTY;
}

void perp_nested_release(perp_nested *nested)
{
    forget(nested);
    perp_arena_free(&nested->arena);
}

/* All but what is its own. */
static void share(perp_nested *nested, const perp_work *outer)
{
    perp_work *work = &nested->work;
    perp_work own = *work;
    *work = *outer;
    work->state = own.state;
    work->memory = own.memory;
    work->memory_bytes = own.memory_bytes;
    work->certificate = own.certificate;
    work->outside_bytes = own.outside_bytes;
    work->settings = &nested->settings;
    work->arena = &nested->arena;
    work->info = &nested->info;
}

static perp_status build(perp_nested *nested, const perp_work *outer)
{
    forget(nested);
    perp_arena_reset(&nested->arena);
    share(nested, outer);
    perp_status status = nested->type->setup(&nested->work);
    if (status == PERP_SOLVED && nested->arena.failed)
        status = PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        nested->state = PERP_NESTED_READY;
    else
        forget(nested);
    return status;
}

void perp_nested_new_q(perp_nested *nested, const perp_work *outer)
{
    if (nested->state != PERP_NESTED_READY || !nested->type->update_q)
        return;
    share(nested, outer);
    if (nested->type->update_q(&nested->work) != PERP_SOLVED)
        forget(nested);
}

perp_status perp_nested_prepare(perp_nested *nested, const perp_work *outer)
{
    perp_status status = PERP_ERR_STATE;
    if (nested->state == PERP_NESTED_READY)
        return PERP_SOLVED;
    if (nested->state == PERP_NESTED_STALE && nested->type->update) {
        share(nested, outer);
        status = nested->type->update(&nested->work);
    }
    /* Zeros of a dense matrix come and go. */
    int dense = outer->problem->M.kind == PERP_DENSE;
    if (status == PERP_ERR_STATE || (status == PERP_ERR_STRUCTURE && dense))
        return build(nested, outer);
    if (status == PERP_SOLVED)
        nested->state = PERP_NESTED_READY;
    else
        forget(nested);
    return status;
}

perp_status perp_nested_solve(perp_nested *nested, perp_work *outer, int max_iter,
                              int (*watch)(void *ctx, int iteration, double error), void *ctx)
{
    perp_status status = perp_nested_prepare(nested, outer);
    if (status != PERP_SOLVED)
        return status;
    double flops = nested->info.flops;
    perp_monitor *monitor = &nested->work.monitor;
    share(nested, outer);
    nested->info = (perp_info){.size = sizeof nested->info,
                               .solver = nested->type->name,
                               .residual = {.size = sizeof nested->info.residual},
                               .where = {NULL, -1, -1},
                               .flops = flops};
    monitor->watch = watch;
    monitor->watch_ctx = ctx;
    monitor->before = outer->monitor.before + outer->info->iterations;
    monitor->spent = perp_costs_spent(outer, outer->info->iterations);
    perp_monitor_begin(monitor, &nested->settings, nested->type, max_iter);
    if (!nested->settings.warm_start)
        memset(outer->z, 0, (size_t)outer->blocks.n * sizeof(double));
    status = nested->type->solve(&nested->work);
    outer->monitor.best = monitor->best;
    outer->monitor.first = fmin(outer->monitor.first, monitor->first);
    outer->monitor.measures = monitor->measures;
    outer->monitor.certified = monitor->certified;
    outer->monitor.of_iterate = monitor->of_iterate;
    outer->info->residual = nested->info.residual;
    double before = outer->monitor.spent;
    nested->spent = perp_costs_spent(&nested->work, nested->info.iterations) - monitor->spent;
    outer->info->work = monitor->spent - before + nested->spent;
    outer->info->iterations += nested->info.iterations;
    outer->info->factorisations += nested->info.factorisations;
    outer->info->notes |= nested->info.notes;
    if (nested->info.detail[0])
        memcpy(outer->info->detail, nested->info.detail, sizeof outer->info->detail);
    outer->certificate_kind = nested->work.certificate_kind;
    if (outer->certificate_kind != PERP_CERTIFICATE_NONE)
        outer->certificate = nested->work.certificate;
    outer->reach = nested->work.reach;
    if (nested->info.flops > outer->info->flops)
        outer->info->flops = nested->info.flops;
    return status;
}
