/* SPDX-License-Identifier: BSD-3-Clause */
/* Single-step Newton-prox on the smoothed complementarity function (see
 * solvers/central/smoothing.h), in contact or in body unknowns.
 *
 * Each step: tau = share nr^2 with nr = |G(tau = 0)| / (2 sqrt(blocks)), weight
 * c error^p, centre the current z, one full Newton step, no line search.  Both
 * parameters follow the iterate and may grow again.  Excellent where the central path
 * does not fold; where it does, tau and nr hold each other up and the error stays. */
#include <math.h>
#include <string.h>

#include "handle/registry.h"
#include "solvers/central/central_system.h"

enum { REPAIRS = 6 };

static const double weight_low = 1e-10, weight_high = 10.0;
static const double tau_share = 0.3, tau_low = 1e-30;

typedef struct stage {
    int sweeps, steps;
    double c, p;
} stage;

static const stage stages[] = {
    {200, 100, 0.1, 0.5}, {200, 100, 1.0, 0.75}, {500, 100, 1.0, 0.75}, {1000, 100, 0.1, 0.5}};
enum { STAGES = sizeof stages / sizeof stages[0] };

typedef struct smooth_state {
    perp_central central; /* first */
    int iteration;
} smooth_state;

static perp_status smooth_setup(perp_work *work)
{
    return perp_central_setup(work, sizeof(smooth_state));
}

/* dz at (work->w, work->z); the weight grows until the system can be solved. */
static perp_status direction(perp_work *work, double weight)
{
    smooth_state *state = work->state;
    perp_central *central = &state->central;
    for (int repair = 0; repair < REPAIRS; repair++, weight *= 100.0) {
        int finite = 1;
        central->weight = weight;
        perp_status status = perp_central_factorise(central, work->w, work->z);
        work->info->factorisations++;
        if (status != PERP_SOLVED && status != PERP_ERR_SINGULAR && status != PERP_ERR_NUMERICAL)
            return status;
        if (status != PERP_SOLVED)
            continue;
        perp_central_solve(central->dz, central->dw, central, work, central->G);
        for (int i = 0; i < work->blocks.n; i++)
            finite = finite && isfinite(central->dz[i]);
        if (finite)
            return PERP_SOLVED;
    }
    return PERP_ERR_SINGULAR;
}

/* 1: stopped; 0: the steps are spent, or no step could be made. */
static int run_stage(perp_work *work, const stage *now, double *error, perp_status *status)
{
    smooth_state *state = work->state;
    perp_central *central = &state->central;
    for (int k = 0; k < now->steps; k++) {
        central->smoothing.tau = 0.0;
        double nr = perp_central_residual(central, work->w, work->z);
        central->smoothing.tau = fmax(tau_share * nr * nr, tau_low);
        double weight = fmin(fmax(now->c * pow(*error, now->p), weight_low), weight_high);
        *status = direction(work, weight);
        if (*status == PERP_ERR_SINGULAR)
            break;
        if (*status != PERP_SOLVED)
            return 1;
        for (int i = 0; i < work->blocks.n; i++)
            work->z[i] -= central->dz[i];
        state->iteration++;
        if (perp_measure_and_stop(work, state->iteration, error))
            return 1;
    }
    *status = PERP_SOLVED;
    return 0;
}

static perp_status run(perp_work *work)
{
    smooth_state *state = work->state;
    perp_status status = PERP_SOLVED;
    double error;
    if (perp_measure_and_stop(work, state->iteration, &error))
        return work->monitor.verdict;
    for (int k = 0; k < STAGES; k++) {
        if (k > 0) {
            memset(work->z, 0, (size_t)work->blocks.n * sizeof(double));
            if (perp_measure_and_stop(work, state->iteration, &error))
                return work->monitor.verdict;
        }
        if ((k > 0 || !work->settings->warm_start) &&
            perp_central_sweep(&state->central, work, stages[k].sweeps, state->iteration, &error))
            return work->monitor.verdict;
        if (run_stage(work, &stages[k], &error, &status))
            return status == PERP_SOLVED ? work->monitor.verdict : status;
    }
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    return PERP_STALLED;
}

static perp_status smooth_solve(perp_work *work)
{
    smooth_state *state = work->state;
    perp_central *central = &state->central;
    state->iteration = 0;
    central->factor->repivot = 1;
    central->smoothing.kappa = 1.0;
    central->smoothing.free = 0.0;
    perp_central_size(central, work->problem);
    perp_status status = run(work);
    if (status >= 0)
        perp_project_answer(work, central->trial);
    return status;
}

const perp_solver_type perp_solver_prox_smoothed = {
    .name = "prox",
    .summary = "proximal points, each by one full Newton step on the smoothed equations",
    .variant = "prox_newton=smoothed",
    .reads = "prox_newton factor ordering",
    .sets = PERP_CENTRAL_SETS,
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR),
    .flags = PERP_ALLOCATES,
    .max_iter = 2500,
    .stall = 0,
    .setup = smooth_setup,
    .update = perp_central_update,
    .solve = smooth_solve,
    .release = perp_central_release,
};
