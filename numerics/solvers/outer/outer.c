/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/outer/outer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CALM = 5, FUTILE = 5, DEPTH = 5 };
static const double theta_low = 0.125;

static int entries(const perp_block *block, int per_contact)
{
    return per_contact ? per_contact : block->dim - 1;
}

static void list_contacts(perp_outer *outer, const perp_blocks *blocks)
{
    int contacts = 0;
    for (int k = 0; k < blocks->count; k++)
        if (blocks->at[k].set == PERP_COULOMB)
            outer->contact[contacts++] = k;
}

perp_outer *perp_outer_take(perp_work *work, const perp_outer_method *method, int ninner)
{
    perp_arena *arena = work->arena;
    const perp_blocks *blocks = &work->blocks;
    int depth = perp_depth_or(work->settings, DEPTH);
    perp_outer *outer = perp_arena_take_zero(arena, 1, sizeof *outer);
    perp_inner *inner = perp_arena_take_zero(arena, (size_t)ninner, sizeof *inner);
    if (!outer || !inner)
        return NULL;
    work->state = outer;
    outer->method = method;
    outer->inner = inner;
    outer->ninner = ninner;
    for (int k = 0; k < blocks->count; k++) {
        if (blocks->at[k].set != PERP_COULOMB)
            continue;
        outer->contacts++;
        outer->size += entries(&blocks->at[k], method->per_contact);
    }
    outer->contact = PERP_TAKE(arena, int, outer->contacts);
    outer->bound = perp_arena_take_zero(arena, (size_t)outer->contacts, sizeof(double));
    outer->x = PERP_TAKE(arena, double, outer->size);
    outer->f = PERP_TAKE(arena, double, outer->size);
    outer->anderson = depth ? perp_anderson_take(arena, outer->size, depth) : NULL;
    if (arena->failed)
        return NULL;
    list_contacts(outer, blocks);
    return outer;
}

/* The memory of the handle is that of its inner solvers, in turn. */
static perp_status take_memory(perp_outer *outer, perp_work *work)
{
    size_t bytes = 0;
    for (int k = 0; k < outer->ninner; k++)
        bytes += outer->inner[k].memory_bytes;
    char *memory = perp_arena_take(work->arena, bytes, 1);
    if (!memory)
        return PERP_ERR_MEMORY;
    work->memory = memory;
    work->memory_bytes = bytes;
    for (int k = 0; k < outer->ninner; k++) {
        outer->inner[k].kept = memory;
        memcpy(memory, outer->inner[k].fresh, outer->inner[k].memory_bytes);
        memory += outer->inner[k].memory_bytes;
    }
    return PERP_SOLVED;
}

perp_status perp_outer_setup(perp_outer *outer, perp_work *work)
{
    for (int k = 0; k < outer->ninner; k++) {
        perp_status status = perp_inner_setup(&outer->inner[k], work);
        if (status != PERP_SOLVED)
            return status;
    }
    return take_memory(outer, work);
}

void perp_outer_release(perp_work *work)
{
    perp_outer *outer = work->state;
    for (int k = 0; k < outer->ninner; k++)
        perp_inner_release(&outer->inner[k]);
}

void perp_outer_replace(perp_inner *inner, const perp_problem *problem, perp_set set,
                        const double *bound)
{
    inner->problem.M = problem->M;
    inner->problem.nseg = problem->nseg;
    for (int s = 0; s < problem->nseg; s++) {
        perp_segment *seg = &inner->seg[s];
        *seg = problem->seg[s];
        if (seg->set != PERP_COULOMB)
            continue;
        seg->set = set;
        if (bound) {
            seg->par[0] = bound;
            seg->stride[0] = 1;
            bound += seg->count;
        }
    }
}

/* Makes the entries of x commensurable. */
static void weigh(perp_outer *outer, const perp_work *work)
{
    int entry = 0;
    if (!outer->anderson)
        return;
    perp_anderson_restart(outer->anderson);
    for (int k = 0; k < outer->contacts; k++) {
        const perp_block *block = &work->blocks.at[outer->contact[k]];
        double d = work->scaling.d ? work->scaling.d[outer->contact[k]] : 1.0;
        for (int i = 0; i < entries(block, outer->method->per_contact); i++)
            outer->anderson->weight[entry++] = outer->method->velocity ? 1.0 / d : d;
    }
}

/* The next x from x and f. */
static void advance(perp_outer *outer)
{
    if (outer->size == 0)
        return;
    for (int i = 0; i < outer->size; i++)
        outer->f[i] = outer->x[i] + outer->theta * (outer->f[i] - outer->x[i]);
    if (!outer->anderson) {
        memcpy(outer->x, outer->f, (size_t)outer->size * sizeof(double));
        return;
    }
    perp_anderson_step step = perp_anderson_next(outer->anderson, outer->x, outer->x, outer->f);
    for (int i = 0; outer->method->nonnegative && i < outer->size; i++)
        outer->x[i] = fmax(outer->x[i], 0.0);
    if (step != PERP_ANDERSON_RESTARTED) {
        if (++outer->calm % CALM == 0 && outer->theta < 1.0) {
            outer->theta *= 2.0;
            perp_anderson_restart(outer->anderson);
        }
        return;
    }
    if (outer->calm < CALM)
        outer->theta = fmax(0.5 * outer->theta, theta_low);
    outer->calm = 0;
}

static void begin(perp_outer *outer, perp_work *work)
{
    outer->theta = 1.0;
    outer->calm = outer->futile = 0;
    outer->sweeps = 0;
    weigh(outer, work);
    memset(outer->x, 0, (size_t)outer->size * sizeof(double));
    for (int k = 0; k < outer->ninner; k++)
        perp_inner_begin(&outer->inner[k], work->settings->warm_start);
}

/* A start that is worse than none is dropped. */
static double first_error(perp_work *work)
{
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    double error = perp_measure(work, work->z);
    if (!work->settings->warm_start || error <= 0.1)
        return error;
    memset(work->z, 0, bytes);
    double cold = perp_measure(work, work->z);
    if (cold < error)
        return cold;
    memcpy(work->z, work->best, bytes);
    return perp_measure(work, work->z);
}

/* What the inner solver is asked for. */
static double inner_tol(const perp_outer *outer, const perp_work *work, double error)
{
    if (outer->size == 0)
        return 0.5 * work->settings->tol;
    return work->settings->inner_ratio * fmin(error, 1.0);
}

/* 1: the end, for reasons of the inner solves. */
static int gives_up(perp_outer *outer, perp_work *work, int iteration, perp_status status,
                    double error)
{
    int leads_on = status == PERP_SOLVED || error < 0.9 * outer->lowest;
    outer->futile = leads_on ? 0 : outer->futile + 1;
    outer->lowest = fmin(outer->lowest, error);
    if (outer->futile < FUTILE && status >= 0)
        return 0;
    work->monitor.verdict = PERP_STALLED;
    return perp_stop(work, iteration, error);
}

/* An inner solve that ends early leaves an iterate that is good enough to go on. */
static perp_status iterate(perp_outer *outer, perp_work *work)
{
    double error = first_error(work);
    if (perp_stop(work, 0, error))
        return work->monitor.verdict;
    outer->lowest = error;
    if (work->settings->warm_start)
        outer->method->image(outer->x, outer, work);
    for (int iteration = 1;; iteration++) {
        perp_status status =
            outer->method->solve(outer, work, iteration - 1, error, inner_tol(outer, work, error));
        if (status == PERP_ERR_MEMORY)
            return status;
        if (work->monitor.verdict != PERP_SOLVED)
            return work->monitor.verdict;
        error = perp_measure(work, work->z);
        if (perp_stop(work, iteration, error) || gives_up(outer, work, iteration, status, error))
            return work->monitor.verdict;
        outer->method->image(outer->f, outer, work);
        advance(outer);
    }
}

perp_status perp_outer_solve(perp_work *work)
{
    perp_outer *outer = work->state;
    begin(outer, work);
    perp_status status = iterate(outer, work);
    for (int k = 0; k < outer->ninner; k++)
        perp_inner_end(&outer->inner[k]);
    snprintf(work->info->detail, sizeof work->info->detail, "%ld iterations of %s inside",
             outer->sweeps, outer->inner[0].info.solver ? outer->inner[0].info.solver : "nothing");
    return status;
}

perp_status perp_outer_setup_whole(perp_work *work, const perp_outer_method *method)
{
    perp_outer *outer = perp_outer_take(work, method, 1);
    if (!outer || perp_inner_take(&outer->inner[0], work->blocks.n, work->problem->nseg,
                                  work->arena) != PERP_SOLVED)
        return PERP_ERR_MEMORY;
    method->fill(outer, work);
    return perp_outer_setup(outer, work);
}

perp_status perp_outer_update_whole(perp_work *work)
{
    perp_outer *outer = work->state;
    outer->method->fill(outer, work);
    return perp_inner_update(&outer->inner[0]);
}

perp_status perp_outer_solve_whole(perp_outer *outer, perp_work *work, int iteration, double error,
                                   double tol)
{
    perp_inner *inner = &outer->inner[0];
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    memcpy(inner->z, work->z, bytes);
    perp_status status = perp_inner_solve(inner, work, iteration, error, tol);
    outer->sweeps += inner->info.iterations;
    if (status >= 0 && work->monitor.verdict == PERP_SOLVED)
        memcpy(work->z, inner->z, bytes);
    return status;
}
