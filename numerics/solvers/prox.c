/* SPDX-License-Identifier: BSD-3-Clause */
/* The classical proximal point method, for comparison with snp: each centre r has its own
 * problem w(z) + alpha (z - r), solved by Alart-Curnier Newton with a line search until the
 * merit has fallen by a hundred.
 *
 * alpha_i = a d_i^2.  a falls by half where Newton was quick and grows threefold where it
 * failed; then the step is taken only if it halved the merit.  Where steps keep their
 * direction (the drift of a hyperstatic z along null directions), the next centre lies
 * further along it. */
#include <math.h>
#include <string.h>

#include "handle/registry.h"
#include "solvers/newton/proximal_newton.h"

enum { SWEEPS = 50, INNER = 20, HALVINGS = 10, WINDOW = 5 };

static const double weight_low = 1e-9, weight_high = 10.0, weight_first = 0.1;
/* Merits are squares: of a hundredth, and of a half. */
static const double solved_share = 1e-4, accepted_share = 0.25;
static const double same_direction = 0.98, reach_high = 1e4;

typedef struct prox_state {
    perp_proximal proximal;
    double *centre, *last;              /* n each: r, and the last step from it */
    double *w, *shifted, *dw, *trial_w; /* n each */
    double weight, reach;
} prox_state;

static perp_status prox_update(perp_work *work)
{
    prox_state *state = work->state;
    return perp_proximal_load(&state->proximal, work);
}

static perp_status prox_setup(perp_work *work)
{
    prox_state *state = perp_arena_take_zero(work->arena, 1, sizeof *state);
    if (!state)
        return PERP_ERR_MEMORY;
    work->state = state;
    double **arrays[] = {&state->centre,  &state->last, &state->w,
                         &state->shifted, &state->dw,   &state->trial_w};
    for (size_t k = 0; k < sizeof arrays / sizeof arrays[0]; k++)
        *arrays[k] = PERP_TAKE(work->arena, double, work->blocks.n);
    if (work->arena->failed)
        return PERP_ERR_MEMORY;
    return perp_proximal_setup(&state->proximal, work, perp_reform_at(work->settings->formulation));
}

static void prox_release(perp_work *work)
{
    prox_state *state = work->state;
    perp_nsn_lu_free(&state->proximal.lu);
}

/* w + alpha (z - r), and the merit there. */
static double merit_at(perp_work *work, const double *w, const double *z)
{
    prox_state *state = work->state;
    perp_nsn *nsn = &state->proximal.system;
    for (int k = 0; k < work->blocks.count; k++) {
        const perp_block *block = &work->blocks.at[k];
        for (int i = 0, at = block->row; i < block->dim; i++, at++)
            state->shifted[at] = w[at] + perp_nsn_weight(nsn, k, i) * (z[at] - state->centre[at]);
    }
    return perp_nsn_residual(nsn, state->shifted, z);
}

/* Halves the step until the merit falls below the reference; 0: never.  line_search=none takes
 * the whole step; goldstein-price is armijo here. */
static int search(perp_work *work, double reference)
{
    prox_state *state = work->state;
    int n = work->blocks.n;
    double step = 1.0, *trial = state->proximal.trial;
    perp_mat_apply(&work->problem->M, state->proximal.dz, work->scratch, state->dw);
    for (int k = 0; k <= HALVINGS; k++, step *= 0.5) {
        for (int i = 0; i < n; i++) {
            trial[i] = work->z[i] + step * state->proximal.dz[i];
            state->trial_w[i] = state->w[i] + step * state->dw[i];
        }
        double merit = merit_at(work, state->trial_w, trial);
        if (work->settings->line_search != PERP_LINE_SEARCH_NONE &&
            !(merit <= (1.0 - 1e-4 * step) * reference))
            continue;
        memcpy(work->z, trial, (size_t)n * sizeof(double));
        memcpy(state->w, state->trial_w, (size_t)n * sizeof(double));
        return 1;
    }
    return 0;
}

/* Newton steps from the centre.  Returns how many; *share: of the first merit that is left.
 * -1: stopped by a limit, or an error in *status. */
static int inner(perp_work *work, double error, double *share, perp_status *status)
{
    prox_state *state = work->state;
    perp_nsn *nsn = &state->proximal.system;
    double first = 0.0, merits[WINDOW], unused;
    int window = work->settings->line_search == PERP_LINE_SEARCH_NONMONOTONE ? WINDOW : 1, k = 0;
    memcpy(state->w, work->w, (size_t)work->blocks.n * sizeof(double));
    for (; k < INNER; k++) {
        perp_nsn_steps(nsn, work->scaling.d, state->weight);
        double merit = merit_at(work, state->w, work->z), reference = merit;
        first = k == 0 ? merit : first;
        *share = first > 0.0 ? merit / first : 0.0;
        if (*share <= solved_share)
            break;
        if (perp_stop_light(work, state->proximal.iteration, error))
            return -1;
        *status =
            perp_proximal_direction(&state->proximal, work, state->shifted, state->weight, &unused);
        if (*status == PERP_ERR_SINGULAR)
            break;
        if (*status != PERP_SOLVED)
            return -1;
        state->proximal.iteration++;
        merits[k % window] = merit;
        for (int i = 0; i < window && i <= k; i++)
            reference = fmax(reference, merits[i]);
        if (!search(work, reference))
            break;
    }
    *status = PERP_SOLVED;
    return k;
}

/* 1 when this step goes on along the last one, which it replaces. */
static int drifts(perp_work *work)
{
    prox_state *state = work->state;
    double along = 0.0, mine = 0.0, other = 0.0;
    for (int i = 0; i < work->blocks.n; i++) {
        double step = work->z[i] - state->centre[i];
        along += step * state->last[i];
        mine += step * step;
        other += state->last[i] * state->last[i];
        state->last[i] = step;
    }
    return along > same_direction * sqrt(mine) * sqrt(other);
}

/* work->z = P_K(r + reach (z - r)). */
static void extrapolate(perp_work *work)
{
    prox_state *state = work->state;
    for (int i = 0; i < work->blocks.n; i++)
        work->z[i] = state->centre[i] + state->reach * state->last[i];
    perp_blocks_project(work->z, &work->blocks, work->z);
}

static perp_status run(perp_work *work)
{
    prox_state *state = work->state;
    perp_status status = PERP_SOLVED;
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    double error, share = 1.0;
    if (perp_measure_and_stop(work, state->proximal.iteration, &error))
        return work->monitor.verdict;
    if (!work->settings->warm_start && perp_proximal_sweep(&state->proximal, work, SWEEPS, &error))
        return work->monitor.verdict;
    memset(state->last, 0, bytes);
    for (double previous = error;; previous = error) {
        memcpy(state->centre, work->z, bytes);
        int steps = inner(work, error, &share, &status);
        if (steps < 0)
            return status == PERP_SOLVED ? work->monitor.verdict : status;
        int solved = share <= solved_share;
        if (!solved && !(share < accepted_share))
            memcpy(work->z, state->centre, bytes);
        int drift = drifts(work);
        if (perp_measure_and_stop(work, state->proximal.iteration, &error))
            return work->monitor.verdict;
        /* A centre that cannot be left even with the largest weight, or solves its problem. */
        if ((!solved && state->weight >= weight_high) || (solved && steps == 0))
            return PERP_STALLED;
        drift = drift && error < 3.0 * previous;
        if (drift && solved) {
            state->reach = fmin(3.0 * state->reach, reach_high);
            extrapolate(work);
            error = perp_measure(work, work->z);
        } else {
            state->reach = 1.0;
        }
        if (!solved)
            state->weight = fmin(3.0 * state->weight, weight_high);
        else if (!drift && steps <= INNER / 2)
            state->weight = fmax(0.5 * state->weight, weight_low);
    }
}

static perp_status prox_solve(perp_work *work)
{
    prox_state *state = work->state;
    state->weight = weight_first;
    state->reach = 1.0;
    perp_proximal_restart(&state->proximal);
    perp_status status = run(work);
    if (status == PERP_STALLED) {
        memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
        work->info->notes |= PERP_NOTE_BEST;
    }
    if (status >= 0)
        perp_project_answer(work, state->proximal.trial);
    return status;
}

static const perp_solver_type *const newtons[] = {&perp_solver_prox, &perp_solver_prox_single,
                                                  &perp_solver_prox_smoothed};

const perp_solver_type perp_solver_prox = {
    .name = "prox",
    .summary = "proximal points, each by semismooth Newton steps",
    .variant = "prox_newton=converged",
    .reads = "prox_newton line_search formulation factor ordering",
    PERP_CHOSEN_BY(prox_newton, newtons),
    .variants_read = "prox_newton prox_weight prox_power prox_steps line_search formulation factor "
                     "ordering",
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR),
    .flags = PERP_ALLOCATES,
    .max_iter = 2500,
    .stall = 0,
    .setup = prox_setup,
    .update = prox_update,
    .solve = prox_solve,
    .release = prox_release,
};
