/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/polish.h"

#include <math.h>
#include <string.h>

#include "solvers/auto/stage.h"

/* Newton steps on an answer of sweeps; part of the tolerance that they aim at; part of the work of
 * one that the sweeps must have taken; errors from which they do not come near. */
enum { POLISH = 10 };
static const double POLISHED = 1e-4, WORTH = 0.1, TOO_FAR = 1e-5;
/* Sweeps of work that what begins at rest is worth: without it all steps that follow have some. */
static const double FROM_REST = 3000.0;

double perp_auto_polished(const perp_work *work)
{
    return fmin(POLISHED, perp_settled(work)) * work->settings->tol;
}

/* Where an answer of sweeps is polished: they were some work, or did not settle what is at rest. */
static int is_worth(const perp_auto *state, const perp_work *work, const perp_plan_stage *next)
{
    double first = work->monitor.best, tol = work->settings->tol;
    double spent = work->info->work * state->costs.sweep;
    int far = first > TOO_FAR && work->settings->warm_start <= 3;
    if (far || first <= perp_auto_polished(work) || state->separable ||
        !perp_stage_takes(next, work) || !perp_stage_allows(state, work, next))
        return 0;
    return spent >= WORTH * perp_stage_least(state, next) ||
           (first > perp_settled(work) * tol && perp_is_at_rest(work)) ||
           (next == perp_plan_from_rest() && state->newton <= FROM_REST * state->costs.sweep);
}

static perp_status run(perp_work *work, const perp_plan_stage *next, int most)
{
    perp_auto *state = work->state;
    double first = work->monitor.best, start = perp_stage_clock(work);
    perp_nested *inner = perp_stage_inner(state, work, next->solver);
    if (!inner)
        return PERP_STALLED;
    inner->settings = *work->settings;
    next->adjust(&inner->settings);
    inner->settings.tol = perp_auto_polished(work);
    inner->settings.warm_start = !next->cold;
    perp_status status = perp_nested_solve(inner, work, most, NULL, state);
    int settled = perp_is_from_rest(work) && work->monitor.best <= inner->settings.tol;
    if (settled || perp_is_at_rest(work))
        work->info->notes |= PERP_NOTE_SETTLED;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->monitor.certified = 0;
    perp_stage_record_inner(work, inner, "what sweeps leave would add up in a sequence", first,
                            start);
    work->outside_bytes = perp_auto_bytes(state);
    return status;
}

/* 1: nobody wants more. */
static int is_told_to_stop(perp_status status)
{
    return status == PERP_INTERRUPTED || status == PERP_TIME_LIMIT;
}

/* 1: sweeps were the first stage of one of a sequence. */
static int is_swept(const perp_work *work)
{
    const perp_auto *state = work->state;
    return !state->led && state->plan[0].watch == PERP_WATCH_COST &&
           perp_stage_polishing(state, work)->warm && work->settings->warm_start > 1 &&
           work->settings->polish > 0;
}

perp_status perp_auto_polish(perp_work *work, perp_status status)
{
    const perp_auto *state = work->state;
    const perp_plan_stage *next = perp_stage_second(state, work);
    int handed_over = status == PERP_STALLED && state->why && perp_is_from_rest(work) &&
                      !state->separable && next == perp_plan_from_rest();
    if (!is_swept(work) || !(handed_over || (status == PERP_SOLVED && is_worth(state, work, next))))
        return status;
    perp_status found = run(work, next, next->cold ? next->max_iter : POLISH);
    const perp_plan_stage *last = perp_stage_polishing(state, work);
    if (next != last && work->monitor.best > perp_auto_polished(work) && !is_told_to_stop(found) &&
        perp_stage_allows(state, work, last))
        found = run(work, last, next->max_iter);
    if (work->monitor.best <= work->settings->tol)
        return PERP_SOLVED;
    return is_told_to_stop(found) ? found : status;
}
