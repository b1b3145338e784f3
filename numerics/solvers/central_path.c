/* SPDX-License-Identifier: BSD-3-Clause */
/* Pseudo-arclength on the central path (see solvers/central/arclength.h), for small
 * problems whose path folds, so that every method that only lowers tau stops at a fold.
 *
 * 1. The point of the path at tau = 1e4, where it is alone, by damped Newton.  (At tau = 1 there
 * may be others, on the way back to infinity.)
 * 2. Steps along the path, up or down in tau.  `tracking`: strict follows one branch with
 *    the exact |w_T| and tight corrections, and leaps, with the same orientation, only where no
 *    step is left; loose smooths |w_T|, takes longer steps and may
 *    jump between branches.
 * 3. Each time that tau has reached a new decade: proximal Newton steps on the Alart-Curnier
 *    equations from there, which end the solve once the branch and all states of the contacts
 *    are right; else the path goes on. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "handle/solver_type.h"
#include "solvers/central/arclength.h"

enum { LEAP = PERP_TRACKING_LOOSE + 1 }; /* limits besides those of the setting `tracking` */
enum { FINISH_STEPS = 10, STARTS = 4, LEAPS = 100, LAST_STEPS = 100 };

static const double finish_from = 1e-7;  /* tau */
static const double finish_below = 1e-3; /* error of the best iterate where the path ends */
static const double weight_low = 1e-10, weight_high = 1e-2;
/* c and p of the weight c error^p of the proximal steps; the others only where the path ends. */
static const double finish_law[][2] = {{1.0, 1.25}, {1.0, 0.75}, {0.1, 0.5}};
enum { LAWS = sizeof finish_law / sizeof finish_law[0] };
static const double too_far = 1e12; /* z in the scaled variables */
static const double tau_start = 1e4, tau_end = 1e-26;
static const double restart_step = 1e-3; /* after loose tracking stalled, or a leap */
static const double leap = 0.5;          /* over a place where strict tracking stalled */

static const perp_arclength_limits limits[] = {
    {.residual = 1e-5,
     .noise = 1e-10,
     .distance = 0.25,
     .contraction = 0.25,
     .cosine = 0.7,
     .corrections = 6,
     .shortest = 1e-9,
     .longest = 2.0},
    {.residual = 1e-2,
     .noise = 1e-3,
     .distance = 0.5,
     .contraction = 0.5,
     .cosine = 0.5,
     .corrections = 4,
     .shortest = 1e-9,
     .longest = 5.0},
    {.residual = 1e-5,
     .noise = 1e-10,
     .distance = 2.0,
     .contraction = 0.7,
     .cosine = -1.0,
     .corrections = 10,
     .shortest = 1e-5,
     .longest = 2.0},
};

typedef struct path_state {
    perp_central central; /* first */
    perp_arclength arc;
    int iteration;
} path_state;

static perp_status path_setup(perp_work *work)
{
    perp_status status = perp_central_setup(work, sizeof(path_state));
    if (status != PERP_SOLVED)
        return status;
    path_state *state = work->state;
    if (work->settings->factor == PERP_FACTOR_AUTO)
        status = perp_central_signed(&state->central, work);
    if (status == PERP_SOLVED)
        status = perp_arclength_take(&state->arc, &state->central, work->arena);
    return status;
}

static int measured_stop(perp_work *work, double *error)
{
    path_state *state = work->state;
    work->info->factorisations = state->arc.factorisations;
    return perp_measure_and_stop(work, state->iteration, error);
}

/* Part 3 from arc->now.  1: stopped. */
static int finish(perp_work *work, const double *law, int steps, double *error, perp_status *status)
{
    path_state *state = work->state;
    perp_central *central = &state->central;
    double first = *error;
    central->reform = perp_reform_at(PERP_FORMULATION_ALART_CURNIER);
    for (int k = 0; k < steps && *error <= 1e4 * first; k++) {
        central->weight = fmin(fmax(law[0] * pow(*error, law[1]), weight_low), weight_high);
        *status = perp_central_factorise(central, work->w, work->z);
        state->arc.factorisations++;
        if (*status != PERP_SOLVED)
            break;
        perp_central_solve(central->dz, central->dw, central, work, central->G);
        for (int i = 0; i < work->blocks.n; i++)
            work->z[i] -= central->dz[i];
        *error = perp_measure(work, work->z);
        if (!isfinite(*error))
            break;
        if (measured_stop(work, error))
            return 1;
    }
    central->reform = NULL;
    central->weight = 0.0;
    int fatal =
        *status != PERP_SOLVED && *status != PERP_ERR_SINGULAR && *status != PERP_ERR_NUMERICAL;
    if (!fatal)
        *status = PERP_SOLVED;
    return fatal;
}

/* 1: z has left every scale of the problem, as it does where there is no solution. */
static int runs_away(const perp_work *work, const double *z)
{
    const path_state *state = work->state;
    double limit = too_far * state->central.smoothing.size;
    for (int k = 0; k < work->blocks.count; k++)
        for (int i = 0; i < work->blocks.at[k].dim; i++)
            if (!(fabs(z[work->blocks.at[k].row + i]) * work->scaling.d[k] <= limit))
                return 1;
    return 0;
}

/* Parts 2 and 3.  1: stopped; 0: the path cannot be followed any further. */
static int follow(perp_work *work, perp_status *status)
{
    path_state *state = work->state;
    perp_arclength *arc = &state->arc;
    double error, decade = log(10.0), next = log(finish_from);
    int leaps = 0;
    while (arc->now.sigma > log(tau_end) && !runs_away(work, arc->now.z)) {
        *status = perp_arclength_step(arc, work);
        if (*status == PERP_STALLED) {
            *status = PERP_SOLVED;
            if (arc->limits == &limits[LEAP] || leaps == LEAPS)
                return 0;
            leaps += arc->limits == &limits[PERP_TRACKING_STRICT];
            arc->step = arc->limits == &limits[PERP_TRACKING_STRICT] ? leap : restart_step;
            arc->limits =
                &limits[arc->limits == &limits[PERP_TRACKING_STRICT] ? LEAP : PERP_TRACKING_STRICT];
            continue;
        }
        if (*status != PERP_SOLVED)
            return 1;
        if (arc->limits == &limits[LEAP]) {
            arc->limits = &limits[PERP_TRACKING_STRICT];
            arc->step = restart_step;
        }
        state->iteration++;
        memcpy(work->z, arc->now.z, (size_t)work->blocks.n * sizeof(double));
        if (measured_stop(work, &error))
            return 1;
        if (arc->now.sigma > next)
            continue;
        next = arc->now.sigma - decade;
        if (finish(work, finish_law[0], FINISH_STEPS, &error, status))
            return 1;
    }
    return 0;
}

static perp_status run(perp_work *work)
{
    path_state *state = work->state;
    perp_arclength *arc = &state->arc;
    perp_status status = PERP_STALLED;
    double error, tau = tau_start;
    if (measured_stop(work, &error))
        return work->monitor.verdict;
    for (int k = 0; k < STARTS && status == PERP_STALLED; k++, tau *= 100.0)
        status = perp_arclength_start(arc, work, tau);
    if (status != PERP_SOLVED && status != PERP_STALLED)
        return status;
    if (status == PERP_SOLVED && follow(work, &status))
        return status == PERP_SOLVED ? work->monitor.verdict : status;
    status = PERP_SOLVED;
    for (int k = 0; k < LAWS && work->monitor.best <= finish_below; k++) {
        memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
        error = perp_measure(work, work->z);
        if (finish(work, finish_law[k], LAST_STEPS, &error, &status))
            return status == PERP_SOLVED ? work->monitor.verdict : status;
    }
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    return PERP_STALLED;
}

static perp_status path_solve(perp_work *work)
{
    path_state *state = work->state;
    perp_central *central = &state->central;
    state->iteration = 0;
    state->arc.factorisations = 0;
    state->arc.folds = 0;
    state->arc.limits = &limits[work->settings->tracking];
    central->factor->repivot = 1;
    central->reform = NULL;
    central->weight = 0.0;
    central->smoothing.kappa = work->settings->tracking == PERP_TRACKING_STRICT ? 0.0 : 1.0;
    central->smoothing.free = 1.0;
    perp_central_size(central, work->problem);
    perp_status status = run(work);
    snprintf(work->info->detail, sizeof work->info->detail, "%d folds, tau %.1e at the end",
             state->arc.folds, exp(state->arc.now.sigma));
    if (status >= 0)
        perp_project_answer(work, central->trial);
    return status;
}

const perp_solver_type perp_solver_central_path = {
    .name = "central-path",
    .summary = "follows the central path by arclength, also through folds; for small problems",
    .reads = "tracking factor ordering",
    .sets = PERP_CENTRAL_SETS,
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR),
    .flags = PERP_ALLOCATES,
    .max_iter = 20000,
    .stall = 0,
    .setup = path_setup,
    .update = perp_central_update,
    .solve = path_solve,
    .release = perp_central_release,
};
