/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/apart.h"

#include <math.h>
#include <string.h>

#include "core/clock.h"
#include "handle/costs.h"
#include "handle/refute.h"
#include "handle/registry.h"
#include "sets/set.h"

static const double SHARE = 0.5;    /* of tol^2, for all islands together */
static const double LOOSEST = 1e-1; /* tol of an island */

void perp_apart_init(perp_apart *apart, const perp_allocator *allocator)
{
    memset(apart, 0, sizeof *apart);
    perp_arena_init(&apart->arena, allocator);
    perp_arena_init(&apart->part, allocator);
}

void perp_apart_release(perp_apart *apart)
{
    perp_solver_destroy(apart->solver);
    apart->solver = NULL;
    perp_arena_free(&apart->part);
    perp_arena_free(&apart->arena);
}

size_t perp_apart_bytes(const perp_apart *apart)
{
    size_t handle = apart->solver ? perp_solver_info(apart->solver)->bytes : 0;
    return apart->arena.bytes + apart->part.bytes + handle;
}

int perp_apart_possible(const perp_work *work)
{
    const perp_blocks *blocks = &work->blocks;
    perp_islands islands;
    perp_arena arena;
    int possible = 0;
    if (blocks->count < PERP_APART_BLOCKS || work->problem->M.kind == PERP_OPERATOR)
        return 0;
    perp_arena_init(&arena, &work->arena->allocator);
    if (perp_islands_find(&islands, &work->problem->M, blocks, &arena) == PERP_SOLVED)
        possible = 1;
    for (int k = 0; possible && k < islands.count; k++) {
        long long rows = 0;
        for (int b = islands.first[k]; b < islands.first[k + 1]; b++)
            rows += blocks->at[islands.block[b]].dim;
        possible = 2 * rows <= blocks->n;
    }
    perp_arena_free(&arena);
    return possible;
}

/* rows, island by island, and each row's place in its island. */
static perp_status list_rows(perp_apart *apart, const perp_work *work)
{
    const perp_islands *islands = &apart->islands;
    perp_arena *arena = &apart->arena;
    int n = work->blocks.n, at = 0;
    apart->rows = PERP_TAKE(arena, int, n);
    apart->start = PERP_TAKE(arena, int, (size_t)islands->count + 1);
    apart->open = PERP_TAKE(arena, int, islands->count);
    apart->limit = PERP_TAKE(arena, double, islands->count);
    apart->certificate = PERP_TAKE(arena, double, n);
    if (!perp_part_maps_take(&apart->maps, work, arena))
        return PERP_ERR_MEMORY;
    for (int k = 0; k < islands->count; k++) {
        apart->start[k] = at;
        for (int b = islands->first[k]; b < islands->first[k + 1]; b++) {
            const perp_block *block = &work->blocks.at[islands->block[b]];
            for (int i = block->row; i < block->row + block->dim; i++, at++) {
                apart->rows[at] = i;
                apart->maps.map[i] = at - apart->start[k];
            }
        }
    }
    apart->start[islands->count] = at;
    return PERP_SOLVED;
}

/* Squared maps may add up to SHARE tol^2 times the base of all, each island in proportion to its
 * blocks.  1: this one exceeds its part; *limit is the tol that it should meet. */
static int exceeds(double *limit, const perp_residual_squares *own,
                   const perp_residual_squares *all, double part, const perp_work *work)
{
    double tol = work->settings->tol, loosest = LOOSEST;
    int open = 0;
    for (int m = 0; m < 2; m++) {
        if (!perp_reads_measure(work, m))
            continue;
        double share = SHARE * part * perp_residual_base(all, m), base = perp_residual_base(own, m);
        open |= !(own->map[m] <= tol * tol * share);
        if (base > 0.0)
            loosest = fmin(loosest, tol * fmax(sqrt(share / base), sqrt(SHARE)));
    }
    *limit = loosest;
    return open;
}

/* Fills open and limit, for z and w of the last measurement; 1 where that is worth it. */
static int list_open(perp_apart *apart, const perp_work *work, perp_residual_squares *own)
{
    const perp_islands *islands = &apart->islands;
    perp_residual_squares all = {{0.0}, {0.0}, {0.0}, {0.0}}, one;
    for (int k = 0; k < islands->count; k++) {
        own[k] = (perp_residual_squares){{0.0}, {0.0}, {0.0}, {0.0}};
        for (int b = islands->first[k]; b < islands->first[k + 1]; b++) {
            perp_residual_of_block(&one, work->problem, &work->blocks, &work->scaling,
                                   islands->block[b], work->z, work->w);
            perp_residual_add(&own[k], &one);
        }
        perp_residual_add(&all, &own[k]);
    }
    apart->opened = 0;
    for (int k = 0; k < islands->count; k++) {
        double part =
            (double)(islands->first[k + 1] - islands->first[k]) / (double)work->blocks.count;
        if (!exceeds(&apart->limit[k], &own[k], &all, part, work))
            continue;
        apart->open[apart->opened++] = k;
        if (2 * (long long)(apart->start[k + 1] - apart->start[k]) > work->blocks.n)
            return 0;
    }
    return apart->opened > 0;
}

perp_status perp_apart_find(perp_apart *apart, perp_work *work)
{
    perp_arena_reset(&apart->arena);
    apart->opened = apart->solved = apart->iterations = apart->factorisations = 0;
    apart->work = 0.0;
    perp_status status =
        perp_islands_find(&apart->islands, &work->problem->M, &work->blocks, &apart->arena);
    if (status != PERP_SOLVED)
        return status;
    if (apart->islands.count < 2 || !isfinite(work->monitor.best))
        return PERP_ERR_UNSUPPORTED;
    perp_residual_squares *own =
        PERP_TAKE(&apart->arena, perp_residual_squares, apart->islands.count);
    status = list_rows(apart, work);
    if (status != PERP_SOLVED)
        return status;
    return list_open(apart, work, own) ? PERP_SOLVED : PERP_ERR_UNSUPPORTED;
}

/* What the callback of the user is told of an island. */
typedef struct relay {
    const perp_work *work;
    int before; /* the whole's */
    int most;   /* of the islands so far */
} relay;

static int tell(void *ctx, const perp_progress *progress)
{
    const relay *r = ctx;
    const perp_settings *settings = r->work->settings;
    perp_progress whole = *progress;
    whole.iteration = r->before + (progress->iteration > r->most ? progress->iteration : r->most);
    whole.seconds = perp_clock_seconds() - r->work->monitor.start;
    return settings->progress(settings->progress_ctx, &whole);
}

/* The settings of the whole, from the current iterate, in the time and with the work that is left;
 * share: of the rows of the whole. */
static perp_status adjust(perp_apart *apart, const perp_work *work, double tol, int max_iter,
                          double share, relay *r)
{
    perp_settings settings = *work->settings;
    settings.tol = tol;
    settings.max_iter = max_iter;
    settings.warm_start = settings.warm_start > 1 ? settings.warm_start : 1;
    if (settings.progress) {
        settings.progress = tell;
        settings.progress_ctx = r;
    }
    double spent = perp_costs_spent(work, work->info->iterations) + apart->work;
    return perp_part_solver(&apart->solver, &perp_solver_auto, settings, work, spent, share,
                            INFINITY);
}

/* Rows and columns of the others vanish in its own. */
static perp_status take_certificate(perp_apart *apart, perp_work *work, const perp_part *part)
{
    perp_status status =
        perp_solver_certificate(apart->solver, part->rows, &work->certificate_kind, part->w);
    if (status != PERP_SOLVED)
        return status;
    memset(apart->certificate, 0, (size_t)work->blocks.n * sizeof(double));
    for (int i = 0; i < part->rows; i++)
        apart->certificate[part->row[i]] = part->w[i];
    work->certificate = apart->certificate;
    work->reach = perp_solver_info(apart->solver)->reach;
    return perp_reach_status(work->reach);
}

static perp_status solve_island(perp_apart *apart, perp_work *work, int k, int max_iter)
{
    const perp_islands *islands = &apart->islands;
    relay r = {work, work->monitor.before + work->info->iterations, apart->iterations};
    perp_info info = {.size = sizeof info};
    perp_part part = {.block = islands->block + islands->first[k]};
    part.blocks = islands->first[k + 1] - islands->first[k];
    part.row = apart->rows + apart->start[k];
    part.rows = apart->start[k + 1] - apart->start[k];
    double share = (double)part.rows / work->blocks.n;
    perp_arena_reset(&apart->part);
    perp_status status = perp_part_build(&part, &apart->maps, work, &apart->part);
    if (status == PERP_SOLVED)
        status = adjust(apart, work, apart->limit[k], max_iter, share, &r);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(apart->solver, &part.problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(apart->solver, part.z, part.w, &info);
    else
        return status;
    if (info.iterations > apart->iterations)
        apart->iterations = info.iterations;
    apart->factorisations += info.factorisations;
    apart->work += share * info.work;
    for (int i = 0; status >= 0 && i < part.rows; i++)
        work->z[part.row[i]] = part.z[i];
    return status == PERP_INFEASIBLE || status == PERP_INFEASIBLE_WITHIN
               ? take_certificate(apart, work, &part)
               : status;
}

perp_status perp_apart_solve(perp_apart *apart, perp_work *work, int max_iter)
{
    for (int i = 0; i < apart->opened; i++) {
        perp_status status = solve_island(apart, work, apart->open[i], max_iter);
        if (status == PERP_TIME_LIMIT || status == PERP_WORK_LIMIT || status == PERP_INTERRUPTED ||
            status == PERP_INFEASIBLE || status == PERP_INFEASIBLE_WITHIN)
            return status;
        apart->solved += status == PERP_SOLVED;
    }
    return apart->solved == apart->opened ? PERP_SOLVED : PERP_STALLED;
}
