/* SPDX-License-Identifier: BSD-3-Clause */
/* Alart-Curnier semismooth Newton on the whole problem, every set through its
 * reformulation: 002 chapter 16, in local variables, or in global ones for a
 * Delassus matrix (see newton/system.h).
 *
 * 1. Symmetric Gauss-Seidel sweeps from 0, or the z of a warm start.
 * 2. Newton steps with a line search on sum_i |F_i|^2 / (2 rho_i), until it
 *    stalls (setting line_search; none leaves this out).
 * 3. Proximal Newton with restarts (newton/proximal.h), as snp.
 * A singular matrix gets more weight until it can be factorised. */
#include <math.h>
#include <string.h>

#include "handle/solver_type.h"
#include "solvers/newton/proximal.h"

enum { SEARCH_NONE, SEARCH_ARMIJO, SEARCH_NONMONOTONE };
enum { SEARCH_STEPS = 30, SEARCH_WINDOW = 5, HALVINGS = 10 };

static const double search_weight = 1e-8; /* proximal weight of the Newton steps of part 2 */

static const perp_proximal_stage first = {20, 150, 1.0, 0.75};
enum { SWEEPS_MAX = 200 };
static const double costly_flops = 5e6; /* of a factorisation */

typedef struct nsn_state {
    perp_proximal proximal;
    double *dw, *trial_w; /* n each */
} nsn_state;

static perp_status nsn_update(perp_work *work)
{
    nsn_state *state = work->state;
    return perp_proximal_load(&state->proximal, work);
}

static perp_status nsn_setup(perp_work *work)
{
    int n = work->blocks.n;
    nsn_state *state = perp_arena_take_zero(work->arena, 1, sizeof *state);
    if (!state)
        return PERP_ERR_MEMORY;
    work->state = state;
    state->dw = PERP_TAKE(work->arena, double, n);
    state->trial_w = PERP_TAKE(work->arena, double, n);
    if (work->arena->failed)
        return PERP_ERR_MEMORY;
    return perp_proximal_setup(&state->proximal, work);
}

static void nsn_release(perp_work *work)
{
    nsn_state *state = work->state;
    perp_nsn_lu_free(&state->proximal.lu);
}

/* Largest step 2^-k with enough descent of the merit, into work->z; 0: none. */
static double search(perp_work *work, double reference)
{
    nsn_state *state = work->state;
    size_t n = (size_t)work->blocks.n;
    double step = 1.0;
    perp_mat_apply(state->dw, &work->problem->M, state->proximal.dz, work->scratch);
    for (int k = 0; k <= HALVINGS; k++, step *= 0.5) {
        for (size_t i = 0; i < n; i++) {
            state->proximal.trial[i] = work->z[i] + step * state->proximal.dz[i];
            state->trial_w[i] = work->w[i] + step * state->dw[i];
        }
        double merit =
            perp_nsn_residual(&state->proximal.system, state->trial_w, state->proximal.trial);
        if (merit <= (1.0 - 1e-4 * step) * reference) {
            memcpy(work->z, state->proximal.trial, n * sizeof(double));
            return step;
        }
    }
    return 0.0;
}

/* Part 2.  1: stopped; 0: it stalled and work->z is the best iterate so far. */
static int search_newton(perp_work *work, double *error, perp_status *status)
{
    nsn_state *state = work->state;
    double merits[SEARCH_WINDOW], merit;
    int window = work->settings->line_search == SEARCH_NONMONOTONE ? SEARCH_WINDOW : 1, tiny = 0;
    for (int k = 0; k < SEARCH_STEPS && tiny < 2; k++) {
        *status = perp_proximal_direction(&state->proximal, work, search_weight, &merit);
        if (*status == PERP_ERR_SINGULAR)
            break;
        if (*status != PERP_SOLVED)
            return 1;
        merits[k % window] = merit;
        for (int i = 0; i < window && i <= k; i++)
            merit = fmax(merit, merits[i]);
        double step = search(work, merit);
        if (step == 0.0)
            break;
        tiny = step < 0.01 ? tiny + 1 : 0;
        state->proximal.iteration++;
        if (perp_proximal_stop(&state->proximal, work, error))
            return 1;
    }
    *status = PERP_SOLVED;
    *error = perp_proximal_best(work);
    return 0;
}

/* A costly problem is swept for about the time of a factorisation. */
static int sweeps_of(const nsn_state *state)
{
    double entries = state->proximal.system.J.colptr[state->proximal.system.J.cols];
    double worth = state->proximal.lu.flops / (8.0 * entries);
    if (state->proximal.lu.flops < costly_flops || worth < first.sweeps)
        return first.sweeps;
    return worth > SWEEPS_MAX ? SWEEPS_MAX : (int)worth;
}

static perp_status run(perp_work *work)
{
    nsn_state *state = work->state;
    perp_status status = PERP_SOLVED;
    double error;
    if (perp_proximal_stop(&state->proximal, work, &error))
        return work->monitor.verdict;
    if (!work->settings->warm_start &&
        perp_proximal_sweep(&state->proximal, work, sweeps_of(state), &error))
        return work->monitor.verdict;
    if (work->settings->line_search != SEARCH_NONE && search_newton(work, &error, &status))
        return status == PERP_SOLVED ? work->monitor.verdict : status;
    return perp_proximal_search(&state->proximal, work, &first, error);
}

static perp_status nsn_solve(perp_work *work)
{
    nsn_state *state = work->state;
    perp_proximal_restart(&state->proximal);
    perp_status status = run(work);
    if (status >= 0)
        perp_proximal_project(&state->proximal, work);
    return status;
}

const perp_solver_type perp_solver_nsn_ac = {
    .name = "nsn-ac",
    .summary = "semismooth Newton on the whole problem, sparse LU, proximal globalisation",
    .reads = "line_search formulation factor ordering",
    .sets = PERP_ALL_SETS,
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR),
    .flags = PERP_ALLOCATES | PERP_READS_BLOCKS,
    .max_iter = 2500,
    .stall = 0,
    .setup = nsn_setup,
    .update = nsn_update,
    .solve = nsn_solve,
    .release = nsn_release,
};
