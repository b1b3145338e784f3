/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/deadline.h"

#include <math.h>

#include "core/clock.h"

/* Counts of fill and flops before an analysis are guesses. */
static const double MARGIN = 1.5;

void perp_deadline_start(perp_deadline *deadline)
{
    deadline->pace = 1e-9;
}

void perp_deadline_seen(perp_deadline *deadline, double seconds, double counted)
{
    if (counted > 0.0 && seconds > 0.0)
        deadline->pace = seconds / counted;
}

double perp_deadline_left(const perp_work *work)
{
    if (!(work->settings->time_limit > 0.0))
        return INFINITY;
    return work->settings->time_limit - (perp_clock_seconds() - work->monitor.start);
}

int perp_deadline_allows(const perp_deadline *deadline, const perp_work *work, double counted)
{
    return !(work->settings->time_limit > 0.0) ||
           MARGIN * deadline->pace * counted < perp_deadline_left(work);
}
