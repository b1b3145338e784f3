/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/shares.h"

#include <math.h>

#include "handle/costs.h"

/* Of the work spent before a stage: its share.  Times the work of the cheapest stage: it is said. */
static const double SHARE = 30.0, DEAR = 100.0;

void perp_shares_start(perp_shares *shares)
{
    *shares = (perp_shares){NULL, INFINITY, INFINITY, INFINITY, 0.0};
}

void perp_shares_begin(perp_shares *shares, const perp_work *work, const perp_nested *running,
                       double least, int times, int endless)
{
    double share = times > 0 ? times : SHARE;
    shares->running = running;
    shares->share =
        endless ? INFINITY : fmax(share * perp_costs_spent(work, work->info->iterations), least);
}

int perp_shares_over(const perp_shares *shares, int iteration)
{
    const perp_work *work = &shares->running->work;
    return perp_costs_spent(work, iteration) - work->monitor.spent > shares->share;
}

void perp_shares_end(perp_shares *shares, perp_work *work, int again)
{
    double own = shares->running->spent + (again ? shares->last : 0.0);
    shares->before_last = again ? shares->before_last : shares->cheapest;
    shares->cheapest = own > 0.0 ? fmin(shares->before_last, own) : shares->before_last;
    shares->last = own;
    if (work->info->work > DEAR * shares->cheapest)
        work->info->notes |= PERP_NOTE_DEAR;
}
