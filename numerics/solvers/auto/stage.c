/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/stage.h"

#include "core/clock.h"
#include "handle/registry.h"

int perp_stage_takes(const perp_plan_stage *plan, const perp_work *work)
{
    return plan->solver && perp_solver_fits(plan->solver, work->problem) &&
           (!plan->warm || work->settings->warm_start) &&
           (!plan->fresh || !work->settings->warm_start) &&
           (!plan->sets || work->blocks.sets & plan->sets) &&
           (plan->max_rows == 0 || work->blocks.n <= plan->max_rows);
}

int perp_stage_is_gradient(const perp_plan_stage *plan, const perp_work *work)
{
    return plan->solver == &perp_solver_apgd && plan->watch == PERP_WATCH_COST &&
           perp_stage_takes(plan, work);
}

int perp_stage_pays(const perp_auto *state, const perp_plan_stage *plan)
{
    return plan->max_cost == 0 || state->costs.newton <= plan->max_cost * state->costs.sweep;
}

const perp_plan_stage *perp_stage_polishing(const perp_auto *state, const perp_work *work)
{
    const perp_plan_stage *next = &state->plan[1];
    while (next->watch == PERP_WATCH_COST || (next->warm && !work->settings->warm_start))
        next++;
    return next;
}

const perp_plan_stage *perp_stage_second(const perp_auto *state, const perp_work *work)
{
    const perp_plan_stage *interior = perp_plan_from_rest();
    return perp_is_from_rest(work) && perp_stage_takes(interior, work)
               ? interior
               : perp_stage_polishing(state, work);
}

perp_nested *perp_stage_inner(perp_auto *state, const perp_work *work, const perp_solver_type *type)
{
    for (int k = 0; k < state->inners; k++)
        if (state->inner[k]->type == type)
            return state->inner[k];
    perp_nested *made = PERP_TAKE(work->arena, perp_nested, 1);
    if (!made || !perp_nested_init(made, type, work))
        return NULL;
    return state->inner[state->inners++] = made;
}

size_t perp_auto_bytes(const perp_auto *state)
{
    size_t bytes = perp_apart_bytes(&state->apart) + perp_clusters_bytes(&state->clusters);
    for (int k = 0; k < state->inners; k++)
        bytes += state->inner[k]->arena.bytes + state->inner[k]->work.outside_bytes;
    return bytes;
}

int perp_stage_goes_on(perp_status status)
{
    return status == PERP_STALLED || status == PERP_ITERATION_LIMIT || status == PERP_RAY ||
           status == PERP_ERR_MEMORY || status == PERP_ERR_OVERFLOW ||
           status == PERP_ERR_SINGULAR || status == PERP_ERR_NUMERICAL ||
           status == PERP_ERR_UNSUPPORTED;
}

double perp_stage_clock(const perp_work *work)
{
    return work->settings->timing ? perp_clock_seconds() : 0.0;
}

void perp_stage_record(perp_work *work, perp_stage stage)
{
    perp_info *info = work->info;
    int at = info->nstages < PERP_STAGES ? info->nstages++ : PERP_STAGES - 1;
    info->stages[at] = stage;
}

void perp_stage_record_inner(perp_work *work, const perp_nested *inner, const char *why,
                             double first, double start)
{
    perp_stage_record(work, (perp_stage){.solver = inner->type->name,
                                         .why = why,
                                         .iterations = inner->info.iterations,
                                         .factorisations = inner->info.factorisations,
                                         .first = first,
                                         .best = work->monitor.best,
                                         .seconds = perp_stage_clock(work) - start});
}

int perp_stage_sweeps(const perp_plan_stage *plan)
{
    return plan->solver == &perp_solver_gs || plan->solver == &perp_solver_apgd;
}

double perp_stage_least(const perp_auto *state, const perp_plan_stage *plan)
{
    if (perp_stage_sweeps(plan))
        return state->costs.sweep;
    for (int k = 0; k < state->inners; k++)
        if (state->inner[k]->type == plan->solver && state->inner[k]->state == PERP_NESTED_READY)
            return state->costs.newton;
    return state->costs.newton + state->costs.analysis;
}

int perp_stage_allows(const perp_auto *state, const perp_work *work, const perp_plan_stage *plan)
{
    double least = perp_stage_least(state, plan), budget = work->settings->budget;
    if (budget > 0.0 &&
        perp_costs_spent(work, work->info->iterations) + least / state->costs.sweep > budget)
        return 0;
    return perp_deadline_allows(&state->deadline, work, least);
}
