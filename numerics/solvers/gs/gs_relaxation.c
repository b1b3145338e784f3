/* SPDX-License-Identifier: BSD-3-Clause */
/* Over-relaxation from the rate r at which the changes of the sweeps shrink: where the active rows
 * have settled and are consistently ordered,
 *
 *     (r + omega - 1)^2 = r omega^2 mu^2,   best omega = 2 / (1 + sqrt(1 - mu^2))
 *
 * ([Young1971], with mu the spectral radius of Jacobi's iteration).  Where the changes grow, omega
 * falls, and does not rise as high again. */
#include <math.h>

#include "solvers/gs/sweeps.h"

/* A new omega may make the changes grow for a while. */
enum { SWEEPS = 15, GROWN = 2 };
static const double highest = 1.95, lowest = 0.02, fall = 0.7;

void perp_gs_begin_pace(perp_gs *gs)
{
    gs->pace = (perp_gs_pace){.ceiling = highest};
}

static double best_omega(double omega, double rate)
{
    double mu2 = (rate + omega - 1.0) * (rate + omega - 1.0) / (rate * omega * omega);
    return 2.0 / (1.0 + sqrt(1.0 - fmin(mu2, 0.9999)));
}

void perp_gs_pace_on(perp_gs *gs, double change)
{
    perp_gs_pace *pace = &gs->pace;
    if (!gs->variant->relaxes || gs->work->settings->relaxation > 0.0)
        return;
    if (pace->sweeps++ % SWEEPS)
        return;
    double rate = pow(change / pace->mark, 1.0 / SWEEPS);
    int first = pace->sweeps == 1;
    pace->mark = change;
    if (first || !isfinite(rate) || !(rate > 0.0))
        return;
    pace->grown = rate > 1.0 ? pace->grown + 1 : 0;
    if (pace->grown > GROWN) {
        double down = gs->omega > 1.05 ? 0.5 * (1.0 + gs->omega) : fall * gs->omega;
        gs->omega = pace->ceiling = fmax(down, lowest);
    } else if (rate < 1.0) {
        gs->omega = fmin(best_omega(gs->omega, rate), pace->ceiling);
    }
}
