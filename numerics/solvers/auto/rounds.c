/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/rounds.h"

#include <math.h>
#include <string.h>

/* Rounds at most; as many in any case, then while the error has fallen to GAIN of the first. */
enum { ROUNDS = 6, FIRST_ROUNDS = 4 };
static const double GAIN = 0.5;
/* Sweeps after a cluster; steps around the worst contacts, one more after so many rounds. */
enum { SWEEPS = 150, AROUND = 3, WIDER = 3 };

/* Iterations that the user allows yet. */
static int left(const perp_work *work)
{
    return work->monitor.max_iter - work->info->iterations;
}

static perp_status sweep(perp_nested *sweeps, perp_work *work)
{
    int most = left(work) < SWEEPS ? left(work) : SWEEPS;
    sweeps->settings = *work->settings;
    sweeps->settings.warm_start = 1;
    work->monitor.best = INFINITY;
    return perp_nested_solve(sweeps, work, most, NULL, NULL);
}

perp_status perp_auto_rounds(perp_auto *state, perp_work *work, perp_nested *sweeps)
{
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    double first = work->monitor.best, error = first;
    perp_status status = PERP_STALLED;
    if (!state->kept)
        state->kept = PERP_TAKE(work->arena, double, work->blocks.n);
    if (!state->kept)
        return PERP_STALLED;
    memcpy(state->kept, work->best, bytes);
    for (int k = 0; k < ROUNDS && (k < FIRST_ROUNDS || error <= GAIN * first); k++) {
        if (left(work) <= 0)
            break;
        (void)perp_measure(work, work->z);
        perp_status found =
            perp_clusters_solve(&state->clusters, work, AROUND + k / WIDER, left(work));
        if (found == PERP_INTERRUPTED)
            status = found;
        if (found < 0 || found == PERP_INTERRUPTED || left(work) <= 0)
            break;
        status = sweep(sweeps, work);
        if (status == PERP_SOLVED)
            return status;
        if (work->monitor.best < error) {
            memcpy(state->kept, work->best, bytes);
            error = work->monitor.best;
        }
        if (status != PERP_STALLED && status != PERP_ITERATION_LIMIT)
            break;
    }
    memcpy(work->best, state->kept, bytes);
    memcpy(work->z, state->kept, bytes);
    work->monitor.best = error;
    return status == PERP_ITERATION_LIMIT ? PERP_STALLED : status;
}
