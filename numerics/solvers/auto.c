/* SPDX-License-Identifier: BSD-3-Clause */
/* The solver "auto": tries several solvers in turn, each from the best iterate so far.
 *
 * A plan (auto/plan.c) lists the stages for the sets and the matrix given.  Gauss-Seidel comes
 * first wherever it can: it hands over as soon as its observed rate promises to cost more than
 * Newton steps, counted in sweeps, entries and flops (handle/costs.c), and never later than when it
 * has cost as much as they would.  A stage after that gets a share of the work, a multiple of what
 * was spent before it, but for the last ones; and what comes to more than a hundred times the work
 * of the cheapest stage is said.  What a stage did is recorded in the info.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "handle/registry.h"
#include "solvers/auto/lead.h"
#include "solvers/auto/polish.h"
#include "solvers/auto/rounds.h"
#include "solvers/auto/stage.h"

/* Newton steps whose work each stage may spend in any case, in runs of PERP_AUTO_NEWTON_STEPS; the
 * last stages have no limit of this kind. */
static const double LEAST_SHARE = 20.0;
enum { LAST = 2 };
/* Operations of the search for a proof at the end. */
static const double MUCH_WORK = 3e8;
/* Of the error, and of the dual part, which divides by |q| alone. */
static const double LAST_DIGITS = 64.0 * DBL_EPSILON;
/* Problems of so few blocks begin with a sweep that needs next to no set-up, those of so few rows
 * also with Newton steps and, where there are so few, all combinations of modes. */
enum { FEW_BLOCKS = 64, FEW_ROWS = 6, FEW_MODES = 64 };

static perp_status prepare(perp_auto *state, const perp_work *work, const perp_solver_type *type)
{
    perp_nested *inner = perp_stage_inner(state, work, type);
    return inner ? perp_nested_prepare(inner, work) : PERP_ERR_MEMORY;
}

/* 1 when every q_N >= 0, so that z = 0 is an answer; sets of other kinds are not looked at. */
static int zero_solves(const perp_work *work)
{
    const double *q = work->problem->q;
    if (work->settings->warm_start)
        return 0;
    for (int k = 0; k < work->blocks.count; k++) {
        const perp_block *block = &work->blocks.at[k];
        int unilateral =
            block->set == PERP_COULOMB || block->set == PERP_NONNEG || block->set == PERP_ROLLING;
        if (!unilateral || !(q[block->row] >= 0.0))
            return 0;
    }
    return 1;
}

static int begins_small(const perp_work *work)
{
    return !work->settings->warm_start && work->blocks.count <= FEW_BLOCKS &&
           perp_sweep_is_stored(work) && perp_solver_fits(&perp_solver_enumerative, work->problem);
}

/* The first stage of the plan is all that most problems need: once it is prepared no memory is
 * taken in their solves. */
static perp_status get_ready(perp_work *work)
{
    perp_auto *state = work->state;
    state->ready = 1;
    if (!perp_stage_takes(&state->plan[0], work))
        return PERP_SOLVED;
    state->separable = perp_apart_possible(work);
    perp_status status = prepare(state, work, state->plan[0].solver);
    work->outside_bytes = perp_auto_bytes(state);
    return perp_stage_goes_on(status) && status != PERP_ERR_MEMORY ? PERP_SOLVED : status;
}

static perp_status auto_setup(perp_work *work)
{
    perp_auto *state = perp_arena_take_zero(work->arena, 1, sizeof *state);
    if (!state)
        return PERP_ERR_MEMORY;
    state->plan = perp_plan_of(work);
    state->coupled = -1;
    work->state = state;
    perp_apart_init(&state->apart, &work->arena->allocator);
    perp_clusters_init(&state->clusters, &work->arena->allocator);
    while (state->plan[state->count].solver)
        state->count++;
    if (zero_solves(work) || perp_lead_is_wanted(work))
        return PERP_SOLVED;
    if (state->plan[0].solver != &perp_solver_gs || !begins_small(work))
        return get_ready(work);
    state->few = perp_enumeration_take(work, work->blocks.n <= FEW_ROWS, FEW_MODES);
    return state->few ? PERP_SOLVED : PERP_ERR_MEMORY;
}

/* As a part of another one. */
static perp_status whole_setup(perp_work *work)
{
    perp_status status = auto_setup(work);
    if (work->state)
        ((perp_auto *)work->state)->whole = 1;
    return status;
}

static perp_status auto_update(perp_work *work)
{
    perp_auto *state = work->state;
    for (int k = 0; k < state->inners; k++)
        perp_nested_outdate(state->inner[k]);
    /* Of other storages the pattern tells, which has stayed. */
    if (state->ready && work->problem->M.kind == PERP_DENSE)
        state->separable = perp_apart_possible(work);
    if (work->problem->M.kind == PERP_DENSE)
        state->coupled = -1;
    return PERP_SOLVED;
}

static perp_status auto_update_q(perp_work *work)
{
    perp_auto *state = work->state;
    for (int k = 0; k < state->inners; k++)
        perp_nested_new_q(state->inner[k], work);
    return PERP_SOLVED;
}

static void auto_release(perp_work *work)
{
    perp_auto *state = work->state;
    for (int k = 0; k < state->inners; k++)
        perp_nested_release(state->inner[k]);
    perp_apart_release(&state->apart);
    perp_clusters_release(&state->clusters);
}

static const char *words(const perp_auto *state, perp_status status)
{
    if (status != PERP_STALLED)
        return perp_status_text(status);
    return state->why ? state->why : "stalled";
}

/* What a run has taken tells how fast this machine is. */
static void learn_pace(perp_auto *state, const perp_work *work, const perp_plan_stage *plan,
                       const perp_nested *inner, double since)
{
    if (!(work->settings->time_limit > 0.0))
        return;
    double done = perp_stage_sweeps(plan) ? inner->info.iterations * state->costs.sweep
                                          : inner->info.factorisations * state->costs.newton;
    perp_deadline_seen(&state->deadline, since - perp_deadline_left(work), done);
}

static void begin_share(perp_auto *state, const perp_work *work, const perp_nested *inner, int k)
{
    if (!(state->costs.sweep > 0.0))
        perp_auto_estimate(state, work, 0.0);
    perp_shares_begin(&state->shares, work, inner, LEAST_SHARE * state->newton / state->costs.sweep,
                      state->plan[k].share, k == 0 || k + LAST >= state->count);
}

/* One run of a stage; the watched history goes on from the run before where `again` is 1. */
static perp_status run_once(perp_work *work, int k, int left, int again)
{
    perp_auto *state = work->state;
    const perp_plan_stage *plan = &state->plan[k];
    perp_nested *inner = perp_stage_inner(state, work, plan->solver);
    double first = work->monitor.best, start = perp_stage_clock(work);
    double since = perp_deadline_left(work);
    if (!inner)
        return PERP_ERR_MEMORY;
    inner->settings = *work->settings;
    if (plan->adjust)
        plan->adjust(&inner->settings);
    inner->settings.warm_start = work->info->nstages > 0 ? !plan->cold : work->settings->warm_start;
    state->why = NULL;
    state->tol = perp_is_from_rest(work) ? perp_auto_polished(work) : work->settings->tol;
    if (!again) {
        state->swept = 0;
        perp_rate_start(&state->rate);
    }
    begin_share(state, work, inner, k);
    int most = plan->max_iter ? plan->max_iter : inner->type->max_iter;
    perp_status status = perp_nested_solve(inner, work, most < left ? most : left,
                                           perp_auto_watch_of(plan->watch), state);
    perp_shares_end(&state->shares, work, again);
    perp_stage_record_inner(work, inner, words(state, status), first, start);
    state->swept += inner->info.iterations;
    learn_pace(state, work, plan, inner, since);
    work->outside_bytes = perp_auto_bytes(state);
    return status;
}

/* The sweeps go on, where nothing else ends in time to the limit. */
static perp_status hold(perp_work *work, int k, int left)
{
    perp_auto *state = work->state;
    state->held = 1;
    return left > 0 ? run_once(work, k, left, 1) : PERP_ITERATION_LIMIT;
}

/* The costs of the stage after the sweeps, by its analysis, which is made where it was not; 0:
 * there is none. */
static int analyse(perp_work *work, const perp_plan_stage *next)
{
    perp_auto *state = work->state;
    perp_nested *newton = perp_stage_inner(state, work, next->solver);
    if (!newton)
        return 0;
    newton->settings = *work->settings;
    if (perp_nested_prepare(newton, work) != PERP_SOLVED)
        return 0;
    perp_auto_estimate(state, work, newton->info.flops);
    return 1;
}

/* The first sweeps of what begins at rest: as many as the analysis of the interior method costs,
 * which then tells whether sweeps are to go on. */
static perp_status run_from_rest(perp_work *work, int k, int left)
{
    perp_auto *state = work->state;
    const perp_plan_stage *next = perp_stage_second(state, work);
    double worth = ceil(state->costs.analysis / state->costs.sweep);
    int first = worth < left ? (int)worth : left;
    perp_status status = run_once(work, k, first, 0);
    left -= state->swept;
    int swept = status == PERP_ITERATION_LIMIT && left > 0;
    if (!(swept || status == PERP_SOLVED) || state->separable || next != perp_plan_from_rest())
        return status;
    if (swept && !perp_stage_allows(state, work, next))
        return hold(work, k, left);
    (void)analyse(work, next);
    return swept ? run_once(work, k, left, 1) : status;
}

/* Sweeps that hand over on a guess of what a factorisation costs continue where its analysis, made
 * then, says that it costs more. */
static perp_status run(perp_work *work, int k, int left)
{
    perp_auto *state = work->state;
    if (state->plan[k].watch != PERP_WATCH_COST)
        return run_once(work, k, left, 0);
    const perp_plan_stage *next = perp_stage_second(state, work);
    perp_auto_estimate(state, work, 0.0);
    state->gradient = perp_stage_is_gradient(&state->plan[k + 1], work);
    if (perp_is_from_rest(work))
        return run_from_rest(work, k, left);
    perp_status status = run_once(work, k, left, 0);
    if (status != PERP_STALLED || !state->why || state->separable || state->gradient ||
        !perp_stage_takes(next, work))
        return status;
    if (!perp_stage_allows(state, work, next))
        return hold(work, k, left - state->swept);
    if (!analyse(work, next))
        return status;
    left -= state->swept;
    if (!perp_stage_allows(state, work, next))
        return hold(work, k, left);
    if (perp_auto_newton_pays(state, state->swept) || left <= 0)
        return status;
    return run_once(work, k, left, 1);
}

/* perp_stop() for what the islands came to; a callback that has said stop is not asked again. */
static int stops_apart(perp_work *work, perp_status status, int iterations)
{
    double error = perp_measure(work, work->z);
    if (status != PERP_INTERRUPTED || error <= work->settings->tol)
        return perp_stop(work, iterations, error);
    work->info->iterations = iterations;
    if (error < work->monitor.best) {
        work->monitor.best = error;
        memcpy(work->best, work->z, (size_t)work->blocks.n * sizeof(double));
    }
    return 0;
}

/* What resists the first stage, island by island.  PERP_ERR_UNSUPPORTED: go on with the whole. */
static perp_status run_apart(perp_work *work)
{
    int left = work->monitor.max_iter - work->info->iterations;
    perp_auto *state = work->state;
    perp_apart *apart = &state->apart;
    double first = work->monitor.best, start = perp_stage_clock(work);
    if (left <= 0 || perp_apart_find(apart, work) != PERP_SOLVED)
        return PERP_ERR_UNSUPPORTED;
    perp_status status = perp_apart_solve(apart, work, left);
    work->outside_bytes = perp_auto_bytes(state);
    work->info->factorisations += apart->factorisations;
    work->info->work =
        perp_costs_spent(work, work->info->iterations) - work->monitor.spent + apart->work;
    int stop = stops_apart(work, status, work->info->iterations + apart->iterations);
    perp_stage_record(work, (perp_stage){.solver = "auto",
                                         .why = status == PERP_SOLVED
                                                    ? "islands, each apart: all of them"
                                                    : "islands, each apart: some of them",
                                         .iterations = apart->iterations,
                                         .factorisations = apart->factorisations,
                                         .first = first,
                                         .best = work->monitor.best,
                                         .seconds = perp_stage_clock(work) - start});
    snprintf(work->info->detail, sizeof work->info->detail,
             "%d islands, %d of them apart, %d of these solved", apart->islands.count,
             apart->opened, apart->solved);
    if (stop)
        return work->monitor.verdict;
    return status == PERP_SOLVED ? PERP_ERR_UNSUPPORTED : status;
}

static perp_status run_few(perp_work *work)
{
    perp_auto *state = work->state;
    perp_status status = perp_enumeration_solve(state->few, work);
    double end = perp_stage_goes_on(status) ? perp_stage_clock(work) : work->monitor.start;
    state->why = NULL;
    perp_stage_record(
        work, (perp_stage){.solver = perp_solver_enumerative.name,
                           .why = words(state, status),
                           .iterations = work->info->iterations,
                           .first = INFINITY,
                           .best = work->monitor.best,
                           .seconds = work->settings->timing ? end - work->monitor.start : 0.0});
    if (perp_stage_goes_on(status))
        memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    return status;
}

/* In small problems two cheap attempts on the whole come first. */
static int has_clusters(const perp_auto *state, const perp_work *work, int stages)
{
    int after = work->blocks.n > PERP_PLAN_SMALL_ROWS ? 0 : 2;
    return stages == after && !state->whole && work->settings->warm_start &&
           state->plan[0].watch == PERP_WATCH_COST && perp_clusters_possible(work);
}

/* Rounds of clusters and sweeps, in a sequence of problems, where what resists has often gone
 * astray in a few places of a heap in motion; packings at rest resist as a whole.
 * PERP_ERR_UNSUPPORTED: go on with the next stage. */
static perp_status run_clusters(perp_work *work)
{
    perp_auto *state = work->state;
    double first = work->monitor.best, start = perp_stage_clock(work);
    int iterations = work->info->iterations, factorisations = work->info->factorisations;
    perp_nested *sweeps = perp_stage_inner(state, work, &perp_solver_gs);
    perp_status status = sweeps ? perp_auto_rounds(state, work, sweeps) : PERP_STALLED;
    work->outside_bytes = perp_auto_bytes(state);
    if (work->info->iterations == iterations && perp_stage_goes_on(status))
        return PERP_ERR_UNSUPPORTED;
    perp_stage_record(work,
                      (perp_stage){.solver = "clusters",
                                   .why = words(state, status),
                                   .iterations = work->info->iterations - iterations,
                                   .factorisations = work->info->factorisations - factorisations,
                                   .first = first,
                                   .best = work->monitor.best,
                                   .seconds = perp_stage_clock(work) - start});
    return perp_stage_goes_on(status) ? PERP_ERR_UNSUPPORTED : status;
}

/* 1: a later stage of the plan is worth trying though the error is that of rounding. */
static int goes_past_floor(const perp_auto *state, const perp_work *work, int k, int floor)
{
    while (++k < state->count)
        if (state->plan[k].past_floor >= floor && perp_stage_takes(&state->plan[k], work))
            return 1;
    return 0;
}

/* 1: the best error is that of rounding z; 2: and z is a solution but for its last digits.  Not
 * asked where the next stages are run all the same. */
static int at_floor(const perp_auto *state, perp_work *work, int k)
{
    double error = work->monitor.best;
    if (error > LAST_DIGITS && goes_past_floor(state, work, k, 1))
        return 0;
    if (error > PERP_FLOORS * perp_floor(work)) /* the residual is that of the best from here on */
        return 0;
    return error <= LAST_DIGITS && work->info->residual.dual <= LAST_DIGITS ? 2 : 1;
}

/* After two stages without success, and after the last: 1 where there is a proof. */
static int search_between(perp_auto *state, perp_work *work, int last)
{
    double start = perp_stage_clock(work), error = work->monitor.best;
    double spent = perp_costs_spent(work, work->info->iterations);
    int found = 0;
    if (error > PERP_AUTO_SEARCH_ERROR)
        found = last ? perp_auto_search(state, work, fmax(MUCH_WORK, spent * state->costs.sweep))
                     : perp_auto_search_due(state, spent);
    if (found)
        perp_stage_record(work, (perp_stage){.solver = "auto",
                                             .why = state->why,
                                             .first = error,
                                             .best = error,
                                             .seconds = perp_stage_clock(work) - start});
    return found;
}

/* The proof of the search is that of the solve. */
static perp_status refuted(const perp_auto *state, perp_work *work)
{
    work->certificate = state->proof;
    work->certificate_kind = PERP_CERTIFICATE_INFEASIBLE;
    work->reach = state->reach;
    work->info->notes |= PERP_NOTE_BEST;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    return state->proved;
}

/* 1: the start is the answer, seen before anything is prepared. */
static int starts_at_rest(perp_work *work)
{
    perp_auto *state = work->state;
    double start = perp_stage_clock(work);
    if (work->settings->warm_start < 3 || !perp_stop(work, 0, perp_measure(work, work->z)))
        return 0;
    perp_stage_record(work, (perp_stage){.solver = state->plan[0].solver->name,
                                         .why = words(state, work->monitor.verdict),
                                         .first = work->monitor.best,
                                         .best = work->monitor.best,
                                         .seconds = perp_stage_clock(work) - start});
    return 1;
}

/* The best iterate is all that is wanted. */
static perp_status end_with_best(perp_work *work)
{
    work->info->notes |= PERP_NOTE_BEST;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    return PERP_STALLED;
}

static perp_status auto_solve(perp_work *work)
{
    perp_auto *state = work->state;
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    perp_status status = PERP_STALLED;
    int stages = 0, floor = 0;
    perp_deadline_start(&state->deadline);
    state->held = 0;
    state->ray = NULL;
    perp_shares_start(&state->shares);
    state->costs.sweep = 0.0;
    state->work = work;
    state->growth = (perp_growth){0};
    state->searches = state->hopeless = 0;
    state->searched = 0.0;
    state->proved = PERP_STALLED;
    if (work->settings->time_limit > 0.0 || work->settings->budget > 0.0)
        perp_auto_estimate(state, work, 0.0);
    if (zero_solves(work) && perp_stop(work, 0, perp_measure(work, work->z)))
        return work->monitor.verdict;
    if (starts_at_rest(work))
        return work->monitor.verdict;
    state->led = perp_lead_is_wanted(work);
    if (state->led)
        status = perp_lead_run(work);
    else if (state->few && !work->settings->warm_start)
        status = run_few(work);
    if (!perp_stage_goes_on(status) || (state->led && perp_lead_is_enough(work)))
        return status;
    if (!state->ready)
        get_ready(work);
    for (int k = 0; k < state->count; k++) {
        int left = work->monitor.max_iter - work->info->iterations;
        if (left <= 0)
            return PERP_ITERATION_LIMIT;
        if (!perp_stage_takes(&state->plan[k], work) || !perp_stage_pays(state, &state->plan[k]) ||
            (floor && state->plan[k].past_floor < floor))
            continue;
        if (stages > 0 && !perp_stage_allows(state, work, &state->plan[k])) {
            status = work->settings->budget > 0.0 ? PERP_WORK_LIMIT : PERP_TIME_LIMIT;
            break;
        }
        status = run(work, k, left);
        if (k == 0)
            status = perp_auto_polish(work, status);
        if (status == PERP_STALLED && state->proved != PERP_STALLED)
            return refuted(state, work);
        if (!perp_stage_goes_on(status))
            return status;
        if (!perp_stage_sweeps(&state->plan[k]) && perp_lead_is_enough(work))
            return end_with_best(work);
        if (stages > 0 && search_between(state, work, 0))
            return refuted(state, work);
        if (status == PERP_RAY)
            state->ray = work->certificate;
        floor = at_floor(state, work, k);
        if (floor && !goes_past_floor(state, work, k, floor))
            break;
        perp_status apart = stages == 0 ? run_apart(work) : PERP_ERR_UNSUPPORTED;
        if (apart == PERP_SOLVED)
            return apart;
        if (stages == 0 || has_clusters(state, work, stages))
            memcpy(work->z, work->best, bytes);
        if (apart == PERP_ERR_UNSUPPORTED && has_clusters(state, work, stages))
            apart = run_clusters(work);
        stages++;
        if (apart >= 0)
            return apart;
        if (apart != PERP_ERR_UNSUPPORTED) {
            status = apart;
            break;
        }
    }
    if (perp_stage_goes_on(status) && search_between(state, work, 1))
        return refuted(state, work);
    work->info->notes |= PERP_NOTE_BEST;
    if (state->ray && perp_stage_goes_on(status)) {
        work->certificate_kind = PERP_CERTIFICATE_RAY;
        work->certificate = state->ray;
        return PERP_RAY;
    }
    return status < 0 ? PERP_STALLED : status;
}

#define SHARED                                                                                     \
    .name = "auto",                                                                                \
    .summary = "tries several solvers, chosen by size, fill and measured convergence",             \
    .reads =                                                                                       \
        "relaxation sweep shuffle seed freeze check_every local acceleration depth order "         \
        "threads storage formulation prox_weight prox_power prox_steps factor ordering polish "    \
        "enough finish",                                                                           \
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING), .matrices = PERP_ALL_MATRICES,                 \
    .flags = PERP_ALLOCATES | PERP_ROWS_FIRST, .max_iter = 200000, .stall = 0,                     \
    .update = auto_update, .update_q = auto_update_q, .solve = auto_solve, .release = auto_release

const perp_solver_type perp_solver_auto = {SHARED, .everyday = 1, .setup = auto_setup};
const perp_solver_type perp_solver_auto_whole = {SHARED, .setup = whole_setup};
