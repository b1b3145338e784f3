/* SPDX-License-Identifier: BSD-3-Clause */
#include <perp/enumerate.h>

#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "core/float_environment.h"
#include "core/sized.h"
#include "handle/explain.h"
#include "handle/refute.h"
#include "handle/settings_table.h"
#include "solvers/enumeration/enumeration.h"
#include "solvers/enumeration/tree.h"

enum { NODES = 100000000 };

static const perp_solver_type all_modes = {.name = "enumerative", .reads = "", .max_iter = NODES};

typedef struct listing {
    perp_solution_call call;
    void *ctx;
    perp_enumerate_info *info;
    perp_status status; /* of a call that asked to stop */
} listing;

static int show(void *ctx, perp_work *work, int piece)
{
    listing *list = ctx;
    perp_enumerate_info *info = list->info;
    info->pieces += piece;
    info->worst = fmax(info->worst, perp_error_of(work));
    if (list->call(list->ctx, info->solutions++, work->z, work->w, piece) == 0)
        return 0;
    list->status = PERP_INTERRUPTED;
    return 1;
}

/* What a handle has, without one. */
static perp_status prepare(perp_work *work, const perp_problem *problem, perp_arena *arena)
{
    work->problem = problem;
    work->arena = arena;
    perp_status status = perp_blocks_build(&work->blocks, problem, arena);
    if (status == PERP_SOLVED)
        status = perp_scaling_build(&work->scaling, problem, &work->blocks, arena);
    if (status != PERP_SOLVED)
        return status;
    if (work->blocks.n > 0 && perp_tree_rows(&work->blocks) == 0)
        return PERP_ERR_UNSUPPORTED;
    size_t n = (size_t)work->blocks.n;
    work->z = perp_arena_take_zero(arena, 3 * n + 1, sizeof(double));
    work->scratch = work->scaling.low;
    if (arena->failed)
        return PERP_ERR_MEMORY;
    work->w = work->z + n;
    work->best = work->w + n;
    return PERP_SOLVED;
}

static perp_status list_all(listing *list, perp_work *work)
{
    perp_enumeration *few = perp_enumeration_take(work, 1, 0.0);
    perp_tree *tree = perp_tree_take(work);
    if (!few || !tree || work->arena->failed)
        return PERP_ERR_MEMORY;
    perp_status status = perp_enumeration_fill(few, work);
    if (status != PERP_SOLVED)
        return status;
    work->monitor = (perp_monitor){.solver = all_modes.name, .best = INFINITY};
    work->monitor.start = perp_clock_seconds();
    perp_monitor_begin(&work->monitor, work->settings, &all_modes, 0);
    perp_tree_end end = perp_tree_search(tree, work, few->M, 1, show, list);
    list->info->nodes = (int)end.nodes;
    list->info->undecided = end.undecided;
    list->info->reach = end.stopped || end.undecided > 0 ? 0.0 : end.reach;
    if (list->status != PERP_SOLVED)
        return list->status;
    if (end.stopped)
        return work->monitor.verdict;
    if (end.undecided > 0)
        return PERP_STALLED;
    return list->info->solutions > 0 ? PERP_SOLVED : perp_reach_status(end.reach);
}

static perp_status enumerate(listing *list, const perp_problem *problem,
                             const perp_settings *settings, const perp_allocator *allocator)
{
    perp_info solve_info = {.solver = all_modes.name};
    perp_arena arena;
    perp_status status = perp_problem_check(problem, allocator, &list->info->where);
    if (status != PERP_SOLVED)
        return status;
    if (problem->M.kind == PERP_OPERATOR) {
        list->info->where.what = "M";
        return PERP_ERR_UNSUPPORTED;
    }
    perp_work work = {.settings = settings, .info = &solve_info};
    perp_allocator memory = perp_allocator_or_malloc(allocator);
    perp_arena_init(&arena, &memory);
    status = prepare(&work, problem, &arena);
    if (status == PERP_SOLVED)
        status = list_all(list, &work);
    perp_arena_free(&arena);
    return status;
}

perp_status perp_enumerate(const perp_problem *problem, const perp_settings *settings,
                           perp_solution_call call, void *ctx, const perp_allocator *allocator,
                           perp_enumerate_info *info)
{
    PERP_HOLD_ENVIRONMENT();
    perp_enumerate_info own = {.size = sizeof own, .where = {NULL, -1, -1}};
    perp_settings read;
    listing list = {call, ctx, &own, PERP_SOLVED};
    if (!problem || !call || (info && !perp_sized_claim(info)))
        return PERP_ERR_ARGUMENT;
    perp_status status = perp_settings_read(&read, settings, &own.where);
    if (status == PERP_SOLVED)
        status = enumerate(&list, problem, &read, allocator);
    perp_explain(own.detail, status, &own.where, problem, settings, "perp_enumerate()");
    if (info)
        perp_sized_write(info, &own, sizeof own);
    return status;
}
