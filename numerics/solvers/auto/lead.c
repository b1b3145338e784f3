/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/lead.h"

#include <math.h>
#include <string.h>

#include "handle/registry.h"
#include "problem/islands.h"
#include "solvers/auto/stage.h"

/* Newton's methods end at rounding: up to so many rows where that is asked for, and where it is to
 * cost next to nothing.  Of more rows that are all coupled a Newton step costs as much as ten to
 * fifty sweeps up to so many. */
enum { NEWTON_ROWS = 6000, FEW_ROWS = 48, COUPLED_ROWS = 400 };
/* Part of the entries that full blocks of the islands would have. */
static const double COUPLED = 0.8;

/* Steps in which a method is to halve its error: of Newton's where rounding may be what is left of
 * it, from where that is enough, and among bounds; of proximal ones. */
enum { STANDING = 10, POLISHING = 3, CIRCLING = 20, WANDERING = 4 };
/* Most steps of an interior method, of Newton's after it, and of Newton's before it, where the
 * error is at most so many times the tolerance. */
enum { INTERIOR_STEPS = 35, MORE_STEPS = 60, LAST_STEPS = 20 };
static const double NEARLY = 2.0;
/* Of proximal steps: the weight is this times error^power. */
static const double WEIGHT = 1.0, POWER = 0.75;

typedef struct step_plan {
    const perp_solver_type *solver;
    void (*adjust)(perp_settings *settings); /* NULL: nothing */
    int max_iter;                            /* 0: the solver's own limit */
    int window;                              /* 0: that of the user */
    int cold;                                /* 1: from zero */
    double tol;
} step_plan;

static void one_attempt(perp_settings *settings)
{
    settings->attempts = 1;
}

static void falling_weight(perp_settings *settings)
{
    settings->prox_weight = WEIGHT;
    settings->prox_power = POWER;
}

int perp_lead_is_enough(const perp_work *work)
{
    return work->monitor.best <= work->settings->enough;
}

/* A contact alone is one block, which a sweep solves. */
static int is_one_contact(const perp_work *work)
{
    return work->blocks.count == 1 && work->blocks.sets & ~PERP_LINEAR_SETS;
}

static int begins_with_newton(const perp_work *work)
{
    int finish = work->settings->finish, rows = work->blocks.n;
    int most = finish == PERP_FINISH_ROUNDING ? NEWTON_ROWS : finish ? FEW_ROWS : 0;
    return rows <= most && perp_solver_fits(&perp_solver_nsn, work->problem);
}

static double entries_of(const perp_mat *M)
{
    double entries = 0.0;
    switch (M->kind) {
    case PERP_DENSE:
        for (int j = 0; j < M->cols; j++)
            for (int i = 0; i < M->rows; i++)
                entries += M->as.dense.x[(size_t)j * (size_t)M->as.dense.ld + (size_t)i] != 0.0;
        return entries;
    case PERP_CSC:
        return M->as.csc.colptr[M->cols];
    case PERP_BSR:
        return (double)M->as.bsr.rowptr[M->rows / M->as.bsr.block] * M->as.bsr.block *
               M->as.bsr.block;
    default:
        return 0.0;
    }
}

/* The rows of the largest island where each row meets nearly all others of its island, else 0. */
static int look_for_coupling(const perp_work *work)
{
    const perp_blocks *blocks = &work->blocks;
    perp_islands islands;
    perp_arena arena;
    double full = 0.0, largest = 0.0, entries = entries_of(&work->problem->M);
    if (!(entries > 0.0))
        return 0;
    perp_arena_init(&arena, &work->arena->allocator);
    int found = perp_islands_find(&islands, &work->problem->M, blocks, &arena) == PERP_SOLVED;
    for (int k = 0; found && k < islands.count; k++) {
        double rows = 0.0;
        for (int b = islands.first[k]; b < islands.first[k + 1]; b++)
            rows += blocks->at[islands.block[b]].dim;
        full += rows * rows;
        largest = fmax(largest, rows);
    }
    perp_arena_free(&arena);
    return found && entries >= COUPLED * full ? (int)largest : 0;
}

/* 1: so many rows that are all coupled, and a start that may be nearly an answer. */
static int is_coupled(const perp_work *work, int least)
{
    perp_auto *state = work->state;
    if (!work->settings->warm_start || state->whole || work->blocks.n < least ||
        work->blocks.n > COUPLED_ROWS || state->plan[0].watch != PERP_WATCH_COST)
        return 0;
    if (state->coupled < 0)
        state->coupled = look_for_coupling(work);
    return state->coupled >= least;
}

/* A Newton method has nothing before it has all: a budget must hold what it mostly takes twice. */
static int is_affordable(const perp_work *work)
{
    perp_auto *state = work->state;
    if (!(work->settings->budget > 0.0))
        return 1;
    perp_auto_estimate(state, work, 0.0);
    return 2.0 * state->newton <= work->settings->budget * state->costs.sweep;
}

int perp_lead_is_wanted(perp_work *work)
{
    if (is_one_contact(work) || !is_affordable(work))
        return 0;
    return begins_with_newton(work) || is_coupled(work, FEW_ROWS + 1);
}

static perp_status run(perp_work *work, const step_plan *plan)
{
    perp_auto *state = work->state;
    double first = work->monitor.best, start = perp_stage_clock(work);
    int left = work->monitor.max_iter - work->info->iterations;
    perp_nested *inner = perp_stage_inner(state, work, plan->solver);
    if (!inner)
        return PERP_ERR_MEMORY;
    if (left <= 0)
        return PERP_ITERATION_LIMIT;
    perp_settings *own = &inner->settings;
    *own = *work->settings;
    own->tol = plan->tol;
    if (plan->adjust)
        plan->adjust(own);
    own->stall_window = plan->window ? plan->window : own->stall_window;
    own->warm_start = plan->cold ? 0 : work->info->nstages > 0 ? 1 : own->warm_start;
    int most = plan->max_iter ? plan->max_iter : inner->type->max_iter;
    perp_status status = perp_nested_solve(inner, work, most < left ? most : left, NULL, NULL);
    perp_stage_record_inner(work, inner, perp_status_text(status), first, start);
    work->outside_bytes = perp_auto_bytes(state);
    if (status != PERP_SOLVED)
        memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    return status;
}

/* 1: another method is asked. */
static int is_open(const perp_work *work, perp_status status)
{
    return perp_stage_goes_on(status) && !perp_lead_is_enough(work) &&
           work->monitor.best > work->settings->tol;
}

/* The interior method ends inside of the sets, far from their edges. */
static perp_status from_inside(perp_work *work)
{
    return run(work, &(step_plan){.solver = &perp_solver_ipm,
                                  .adjust = one_attempt,
                                  .max_iter = INTERIOR_STEPS,
                                  .cold = 1,
                                  .tol = work->settings->tol});
}

/* Newton's method circles where q is not, but for rounding, what the rows allow: where its error
 * stands it goes on to what is enough, and some steps from there.  It circles among many bounds
 * that are reached together, too: there others go on. */
static perp_status run_newton(perp_work *work)
{
    double tol = work->settings->tol, enough = work->settings->enough;
    int stands = enough > tol, circles = !stands && work->blocks.sets & PERP_BIT(PERP_BOX);
    step_plan newton = {.solver = &perp_solver_nsn, .tol = tol};
    if (!work->settings->stall_window)
        newton.window = stands ? STANDING : circles ? CIRCLING : 0;
    perp_status status = run(work, &newton);
    if (status != PERP_STALLED || !newton.window || perp_lead_is_enough(work))
        return status;
    if (circles)
        return is_coupled(work, 1) ? from_inside(work) : status;
    newton.window = 0;
    newton.tol = enough;
    status = run(work, &newton);
    if (status != PERP_SOLVED || work->monitor.best <= tol)
        return status;
    newton.window = POLISHING;
    newton.tol = tol;
    return run(work, &newton);
}

/* Single proximal steps, whose weight falls with the error, from a start that is nearly an answer.
 * Where impulses are not unique they may wander among those on the edges of their sets, and a start
 * that is on edges leads to others; after the interior method next starts are answers but for a
 * step.  Just above the tolerance, where there is nothing left to find, Newton's method comes
 * before it, as from farther away would lead back to the edges; what it cannot end, as impacts of
 * next to nothing, Newton's method does in some more steps. */
static perp_status run_coupled(perp_work *work)
{
    double tol = work->settings->tol;
    step_plan newton = {.solver = &perp_solver_nsn, .max_iter = LAST_STEPS, .tol = tol};
    perp_status status = run(work, &(step_plan){.solver = &perp_solver_prox_single,
                                                .adjust = falling_weight,
                                                .window = WANDERING,
                                                .tol = tol});
    if (is_open(work, status) && work->monitor.best <= NEARLY * tol)
        status = run(work, &newton);
    newton.max_iter = MORE_STEPS;
    if (is_open(work, status))
        status = from_inside(work);
    if (is_open(work, status))
        status = run(work, &newton);
    return status;
}

perp_status perp_lead_run(perp_work *work)
{
    perp_status status = begins_with_newton(work) ? run_newton(work) : run_coupled(work);
    int ends = perp_stage_goes_on(status) && perp_lead_is_enough(work);
    return ends && status < 0 ? PERP_STALLED : status;
}
