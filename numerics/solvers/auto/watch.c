/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/watch.h"

#include <math.h>

#include "handle/refute.h"

enum { STARTING_SWEEPS = 10, STANDSTILL = 150, SLOW_STANDSTILL = 1500 };
/* Sweeps over all islands together, where none has more than half of the rows. */
enum { ISLAND_SWEEPS = 30 };
/* Sweeps before gradient steps: from where these are faster. */
enum { GRADIENT_SWEEPS = 100 };
/* Proofs are looked for so often in a solve; where a stage that should end in some steps has made
 * so many. */
enum { SEARCHES = 4, LATE = 25 };
/* Operations of a search while a stage goes on, beside a part of the work so far: in a sequence of
 * problems, which begins near an answer, there is seldom a proof.  How much more must have been done
 * before the next search. */
static const double SOME_WORK = 1e7, SEARCH_SHARE = 0.25, NEXT_SEARCH = 4.0;
static const double LITTLE_WORK = 1e6, WARM_SHARE = 0.02;
/* The same part where impulses have grown for long, as they do from zero in what stands. */
static const double GROWN = 5.0, GROWN_FROM_REST = 0.25;

void perp_auto_estimate(perp_auto *state, const perp_work *work, double flops)
{
    perp_costs_estimate(&state->costs, work, flops);
    state->newton = PERP_AUTO_NEWTON_STEPS * state->costs.newton + state->costs.analysis;
}

const char *perp_auto_newton_pays(const perp_auto *state, int sweeps)
{
    double worth = 3.0 * state->costs.newton / state->costs.sweep;
    if (sweeps < STARTING_SWEEPS || sweeps < fmin(worth, 200.0))
        return NULL;
    double spent = sweeps * state->costs.sweep;
    double missing = perp_rate_missing(&state->rate, state->tol) * state->costs.sweep;
    if (missing > state->newton && spent > 0.25 * state->newton)
        return "handed over: Newton steps cost less than the sweeps that are missing";
    if (spent > 2.0 * state->newton && missing > 0.5 * state->newton)
        return "handed over: as many sweeps as Newton steps would cost";
    return NULL;
}

/* 1: the stage that runs has had its share of the work. */
static int has_had_its_share(perp_auto *state, int iteration)
{
    if (!perp_shares_over(&state->shares, iteration))
        return 0;
    state->why = "its share of the work is spent";
    return 1;
}

int perp_auto_search(perp_auto *state, perp_work *work, double most)
{
    if (state->hopeless)
        return 0;
    if (!state->proof)
        state->proof = perp_refute_take(work, work->arena);
    state->proved = perp_farkas_search(work, state->proof, most, &state->hopeless);
    if (state->proved == PERP_STALLED)
        return 0;
    state->reach = work->reach;
    state->why = "a proof that there is no solution was found";
    return 1;
}

int perp_auto_search_due(perp_auto *state, double sweeps)
{
    if (!(state->costs.sweep > 0.0))
        perp_auto_estimate(state, state->work, 0.0);
    double spent = sweeps * state->costs.sweep;
    if (state->hopeless || !(spent >= NEXT_SEARCH * state->searched))
        return 0;
    state->searched = spent;
    double most = state->work->settings->warm_start ? LITTLE_WORK + WARM_SHARE * spent
                                                    : SOME_WORK + SEARCH_SHARE * spent;
    return perp_auto_search(state, state->work, most);
}

/* The same while a stage runs, from some iterations on. */
static int search_within(perp_auto *state, int iteration, double error)
{
    return iteration >= LATE && error > PERP_AUTO_SEARCH_ERROR &&
           perp_auto_search_due(state, perp_costs_spent(&state->shares.running->work, iteration));
}

static int watch_cost(void *ctx, int iteration, double error)
{
    perp_auto *state = ctx;
    perp_rate_add(&state->rate, iteration + state->swept, error);
    iteration += state->swept;
    if (error > PERP_AUTO_SEARCH_ERROR && state->searches < SEARCHES &&
        perp_growth_is_endless(&state->growth, state->work, iteration)) {
        state->searches++;
        double part = perp_is_from_rest(state->work) ? GROWN_FROM_REST : GROWN;
        if (perp_auto_search(state, state->work, SOME_WORK + part * iteration * state->costs.sweep))
            return 1;
    }
    iteration -= state->swept;
    if (state->held)
        return 0;
    if (state->separable)
        state->why = iteration >= ISLAND_SWEEPS ? "handed over: islands are solved apart" : NULL;
    else if (state->gradient && iteration >= GRADIENT_SWEEPS)
        state->why = "handed over: gradient steps gain more than sweeps";
    else
        state->why = perp_auto_newton_pays(state, iteration + state->swept);
    return state->why != NULL;
}

/* Of a stage that ends in some steps or not at all. */
static int watch_late(void *ctx, int iteration, double error)
{
    perp_auto *state = ctx;
    if (has_had_its_share(state, iteration))
        return 1;
    return search_within(state, iteration, error);
}

/* Looks for an error that has not been halved for so many iterations. */
static int stands_still(perp_auto *state, int iteration, double error, int many)
{
    perp_rate_add(&state->rate, iteration, error);
    if (has_had_its_share(state, iteration) || search_within(state, iteration, error))
        return 1;
    if (iteration < many)
        return 0;
    int last = state->rate.count - 1, from = last;
    while (from > 0 && state->rate.iteration[from] > iteration - many)
        from--;
    if (state->rate.best[last] > state->rate.best[from] - 0.69) {
        state->why = "the error stands still";
        return 1;
    }
    return 0;
}

static int watch_floor(void *ctx, int iteration, double error)
{
    return stands_still(ctx, iteration, error, STANDSTILL);
}

static int watch_slow(void *ctx, int iteration, double error)
{
    return stands_still(ctx, iteration, error, SLOW_STANDSTILL);
}

perp_auto_watch *perp_auto_watch_of(perp_stage_watch watch)
{
    switch (watch) {
    case PERP_WATCH_COST:
        return watch_cost;
    case PERP_WATCH_FLOOR:
        return watch_floor;
    case PERP_WATCH_SLOW:
        return watch_slow;
    default:
        return watch_late;
    }
}
