/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/newton/search.h"

#include <math.h>
#include <string.h>

enum { STEPS = 30, WINDOW = 5, TRIALS = 10, SWEEPS_MAX = 200 };

static const double search_weight = 1e-8; /* proximal weight of the Newton steps */
static const double costly_flops = 5e6;   /* of a factorisation */
/* Shares of the slope -2 merit of a Newton step: what a step must gain at least, and, of
 * Goldstein and Price, at most before a longer one is tried. */
static const double gain_least = 5e-5, gain_most = 0.9;

static const perp_proximal_stage first = {20, 60, 1.0, 1.0};

typedef struct search_state {
    perp_proximal proximal;
    double *dw, *trial_w; /* n each */
} search_state;

perp_status perp_nsn_update(perp_work *work)
{
    search_state *state = work->state;
    return perp_proximal_load(&state->proximal, work);
}

perp_status perp_nsn_setup(perp_work *work, const perp_reform *reform)
{
    int n = work->blocks.n;
    search_state *state = perp_arena_take_zero(work->arena, 1, sizeof *state);
    if (!state)
        return PERP_ERR_MEMORY;
    work->state = state;
    state->dw = PERP_TAKE(work->arena, double, n);
    state->trial_w = PERP_TAKE(work->arena, double, n);
    if (work->arena->failed)
        return PERP_ERR_MEMORY;
    return perp_proximal_setup(&state->proximal, work, reform);
}

void perp_nsn_release(perp_work *work)
{
    search_state *state = work->state;
    perp_nsn_lu_free(&state->proximal.lu);
}

/* Merit at z + step dz, which is left in the trial. */
static double merit_at(perp_work *work, double step)
{
    search_state *state = work->state;
    for (int i = 0; i < work->blocks.n; i++) {
        state->proximal.trial[i] = work->z[i] + step * state->proximal.dz[i];
        state->trial_w[i] = work->w[i] + step * state->dw[i];
    }
    return perp_nsn_residual(&state->proximal.system, state->trial_w, state->proximal.trial);
}

/* A step with enough descent below `reference`, into work->z; 0: none.  Halves; Goldstein
 * and Price also lengthen a step that gained more than the slope lets expect. */
static double search(perp_work *work, double merit, double reference)
{
    search_state *state = work->state;
    int lengthen = work->settings->line_search == PERP_LINE_SEARCH_GOLDSTEIN_PRICE;
    double step = 1.0, low = 0.0, high = INFINITY;
    perp_mat_apply(&work->problem->M, state->proximal.dz, work->scratch, state->dw);
    for (int k = 0; k <= TRIALS; k++) {
        double value = merit_at(work, step);
        if (!(value <= reference - 2.0 * gain_least * step * merit))
            high = step;
        else if (lengthen && k < TRIALS && value < merit * (1.0 - 2.0 * gain_most * step))
            low = step;
        else
            break;
        if (k == TRIALS && low == 0.0)
            return 0.0;
        step = k == TRIALS ? low : isfinite(high) ? 0.5 * (low + high) : 2.0 * step;
    }
    if (step == low)
        merit_at(work, step);
    memcpy(work->z, state->proximal.trial, (size_t)work->blocks.n * sizeof(double));
    return step;
}

/* Part 2.  1: stopped; 0: it stalled and work->z is the best iterate so far. */
static int search_newton(perp_work *work, double *error, perp_status *status)
{
    search_state *state = work->state;
    double merits[WINDOW], merit;
    int window = work->settings->line_search == PERP_LINE_SEARCH_NONMONOTONE ? WINDOW : 1, tiny = 0;
    for (int k = 0; k < STEPS && tiny < 2; k++) {
        *status = perp_proximal_direction(&state->proximal, work, work->w, search_weight, &merit);
        if (*status == PERP_ERR_SINGULAR)
            break;
        if (*status != PERP_SOLVED)
            return 1;
        double reference = merit;
        merits[k % window] = merit;
        for (int i = 0; i < window && i <= k; i++)
            reference = fmax(reference, merits[i]);
        double step = search(work, merit, reference);
        if (step == 0.0)
            break;
        tiny = step < 0.01 ? tiny + 1 : 0;
        state->proximal.iteration++;
        if (perp_measure_and_stop(work, state->proximal.iteration, error))
            return 1;
    }
    *status = PERP_SOLVED;
    *error = perp_proximal_best(work);
    return 0;
}

/* A costly problem is swept for about the time of a factorisation. */
static int sweeps_of(const perp_proximal *proximal)
{
    double entries = proximal->system.J.colptr[proximal->system.J.cols];
    double worth = proximal->lu.flops / (8.0 * entries);
    if (proximal->lu.flops < costly_flops || worth < first.sweeps)
        return first.sweeps;
    return worth > SWEEPS_MAX ? SWEEPS_MAX : (int)worth;
}

static perp_status run(perp_work *work)
{
    search_state *state = work->state;
    perp_status status = PERP_SOLVED;
    double error;
    if (perp_measure_and_stop(work, state->proximal.iteration, &error))
        return work->monitor.verdict;
    if (!work->settings->warm_start &&
        perp_proximal_sweep(&state->proximal, work, sweeps_of(&state->proximal), &error))
        return work->monitor.verdict;
    if (work->settings->line_search != PERP_LINE_SEARCH_NONE &&
        search_newton(work, &error, &status))
        return status == PERP_SOLVED ? work->monitor.verdict : status;
    return perp_proximal_search(&state->proximal, work, &first, error);
}

perp_status perp_nsn_solve(perp_work *work)
{
    search_state *state = work->state;
    perp_proximal_restart(&state->proximal);
    perp_status status = run(work);
    if (status >= 0)
        perp_project_answer(work, state->proximal.trial);
    return status;
}
