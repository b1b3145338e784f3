/* SPDX-License-Identifier: BSD-3-Clause */
/* Alart-Curnier semismooth Newton on the whole problem, every set through its
 * reformulation: 002 chapter 16, in local variables, or in global ones for a
 * Delassus matrix (see nsn_system.h).
 *
 * 1. Symmetric Gauss-Seidel sweeps from 0, or the z of a warm start.
 * 2. Newton steps with a line search on sum_i |F_i|^2 / (2 rho_i), until it
 *    stalls (setting line_search; none leaves this out).
 * 3. Proximal Newton: one full step for each centre, without line search, where
 *    the proximal weight follows the error, alpha_i = c error^p d_i^2.  The
 *    error may jump up; the weight grows with it and brings the iterate back.
 *    When a stage spends its steps, some more go from the best iterate so far,
 *    with a weight that falls faster: a degenerate solution is often nearer than
 *    the path that passed it.  Then the next stage starts again from more sweeps
 *    with other c and p.
 * A singular matrix gets more weight until it can be factorised. */
#include <math.h>
#include <string.h>

#include "handle/solver_type.h"
#include "sets/set.h"
#include "solvers/newton/reduced.h"
#include "solvers/newton/sweep.h"
#include "solvers/newton/system.h"

enum { SEARCH_NONE, SEARCH_ARMIJO, SEARCH_NONMONOTONE };
enum { SEARCH_STEPS = 30, SEARCH_WINDOW = 5, HALVINGS = 10, REPAIRS = 8, SWEEPS_PER_CHECK = 10 };

static const double search_weight = 1e-8; /* proximal weight of the Newton steps of part 2 */
/* Open blocks are left out of a system whose factorisation costs more than this. */
static const double reduce_flops = 5e6;
static const double weight_low = 1e-10, weight_high = 10.0;

typedef struct stage {
    int sweeps, steps;
    double c, p;
} stage;

static const stage stages[] = {
    {20, 150, 1.0, 0.75}, {200, 250, 1.0, 0.75}, {500, 200, 1.0, 1.0},
    {500, 700, 0.1, 0.5}, {1000, 700, 0.3, 0.5},
};
enum { STAGES = sizeof stages / sizeof stages[0] };
/* From the best iterate, after each stage. */
static const stage finish = {0, 60, 1.0, 1.25};

typedef struct nsn_state {
    perp_nsn system;
    perp_nsn_sweep sweep;
    perp_nsn_reduced reduced;
    double *dz, *dw, *trial, *trial_w; /* n each */
    int iteration;
} nsn_state;

static perp_status nsn_update(perp_work *work)
{
    nsn_state *state = work->state;
    const perp_allocator *memory = &work->arena->allocator;
    perp_status status = perp_nsn_load(&state->system, work->problem, memory);
    if (status != PERP_SOLVED)
        return status;
    return perp_nsn_sweep_load(&state->sweep, &state->system, work->problem, memory);
}

static perp_status nsn_setup(perp_work *work)
{
    int n = work->blocks.n;
    nsn_state *state = perp_arena_take_zero(work->arena, 1, sizeof *state);
    if (!state)
        return PERP_ERR_MEMORY;
    work->state = state;
    perp_status status = perp_nsn_build(&state->system, work->problem, &work->blocks,
                                        perp_reform_at(work->settings->formulation), work->arena);
    if (status == PERP_SOLVED)
        status = perp_nsn_sweep_take(&state->sweep, &state->system, work->arena);
    state->dz = PERP_TAKE(work->arena, double, n);
    state->dw = PERP_TAKE(work->arena, double, n);
    state->trial = PERP_TAKE(work->arena, double, n);
    state->trial_w = PERP_TAKE(work->arena, double, n);
    if (status == PERP_SOLVED && work->arena->failed)
        status = PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = perp_nsn_reduced_build(
            &state->reduced, &state->system, (perp_factor_kind)work->settings->factor,
            (perp_ordering)work->settings->ordering, reduce_flops, work->arena);
    return status == PERP_SOLVED ? nsn_update(work) : status;
}

static void nsn_release(perp_work *work)
{
    nsn_state *state = work->state;
    perp_nsn_reduced_free(&state->reduced);
}

/* dz = -J^-1 F at (work->w, work->z); the weight grows until J can be factorised. */
static perp_status newton_direction(perp_work *work, double weight, double *merit)
{
    nsn_state *state = work->state;
    for (int repair = 0; repair < REPAIRS; repair++) {
        perp_nsn_steps(&state->system, work->scaling.d, weight);
        *merit = perp_nsn_jacobian(&state->system, work->w, work->z);
        perp_status status = perp_nsn_reduced_factorise(&state->reduced, &state->system);
        work->info->factorisations++;
        if (status != PERP_SOLVED && status != PERP_ERR_SINGULAR && status != PERP_ERR_NUMERICAL)
            return status;
        if (status == PERP_SOLVED) {
            int finite = 1;
            perp_nsn_reduced_direction(state->dz, &state->reduced, &state->system);
            for (int i = 0; i < work->blocks.n; i++)
                finite = finite && isfinite(state->dz[i]);
            if (finite)
                return PERP_SOLVED;
        }
        weight = fmax(100.0 * weight, 1e-12);
    }
    return PERP_ERR_SINGULAR;
}

static int measured_stop(perp_work *work, double *error)
{
    nsn_state *state = work->state;
    *error = perp_measure(work, work->z);
    return perp_stop(work, state->iteration, *error);
}

/* Sweeps from work->z; an end that is worse than the start is not kept. */
static int sweep(perp_work *work, int count, double *error)
{
    nsn_state *state = work->state;
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    double first = *error;
    memcpy(state->trial, work->z, bytes);
    perp_nsn_sweep_start(&state->sweep, &state->system, work->z, work->w);
    for (int k = 1; k <= count; k++) {
        perp_nsn_sweep_run(&state->sweep, &state->system, work->problem, work->z);
        /* One sweep of a large problem takes long: the limits are looked at after each. */
        if (k % SWEEPS_PER_CHECK == 0 || k == count) {
            if (measured_stop(work, error))
                return 1;
            if (*error < 0.1 * work->settings->tol)
                break;
        } else if (perp_stop_light(work, state->iteration, *error)) {
            return 1;
        }
    }
    if (*error <= first)
        return 0;
    memcpy(work->z, state->trial, bytes);
    return measured_stop(work, error);
}

/* Largest step 2^-k with enough descent of the merit, into work->z; 0: none. */
static double search(perp_work *work, double reference)
{
    nsn_state *state = work->state;
    size_t n = (size_t)work->blocks.n;
    double step = 1.0;
    perp_mat_apply(state->dw, &work->problem->M, state->dz, work->scratch);
    for (int k = 0; k <= HALVINGS; k++, step *= 0.5) {
        for (size_t i = 0; i < n; i++) {
            state->trial[i] = work->z[i] + step * state->dz[i];
            state->trial_w[i] = work->w[i] + step * state->dw[i];
        }
        double merit = perp_nsn_residual(&state->system, state->trial_w, state->trial);
        if (merit <= (1.0 - 1e-4 * step) * reference) {
            memcpy(work->z, state->trial, n * sizeof(double));
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
        *status = newton_direction(work, search_weight, &merit);
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
        state->iteration++;
        if (measured_stop(work, error))
            return 1;
    }
    *status = PERP_SOLVED;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    *error = perp_measure(work, work->z);
    return 0;
}

/* Part 3 from work->z with the error there.  1: stopped; 0: the steps are spent. */
static int proximal_newton(perp_work *work, const stage *now, double *error, perp_status *status)
{
    nsn_state *state = work->state;
    double merit;
    for (int k = 0; k < now->steps; k++) {
        double weight = fmin(fmax(now->c * pow(*error, now->p), weight_low), weight_high);
        *status = newton_direction(work, weight, &merit);
        if (*status == PERP_ERR_SINGULAR)
            break;
        if (*status != PERP_SOLVED)
            return 1;
        for (int i = 0; i < work->blocks.n; i++)
            work->z[i] += state->dz[i];
        state->iteration++;
        if (measured_stop(work, error))
            return 1;
    }
    *status = PERP_SOLVED;
    return 0;
}

/* A stage, and the finish from the best iterate so far.  As proximal_newton(). */
static int run_stage(perp_work *work, const stage *now, double *error, perp_status *status)
{
    if (proximal_newton(work, now, error, status))
        return 1;
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    *error = perp_measure(work, work->z);
    return proximal_newton(work, &finish, error, status);
}

/* Newton iterates lie beside K by a rounding or by the tolerance: the projected
 * one is returned where it is as good. */
static void project_answer(perp_work *work)
{
    nsn_state *state = work->state;
    double limit = fmax(perp_measure(work, work->z), work->settings->tol);
    for (int k = 0; k < work->blocks.count; k++) {
        const perp_block *block = &work->blocks.at[k];
        perp_set_type_of(block->set)
            ->project(state->trial + block->row, work->z + block->row, block->par, block->dim);
    }
    if (perp_measure(work, state->trial) <= limit)
        memcpy(work->z, state->trial, (size_t)work->blocks.n * sizeof(double));
}

/* The first stage of a costly problem sweeps for about the time of a factorisation. */
static int sweeps_of(const nsn_state *state, int k)
{
    double entries = state->system.J.colptr[state->system.J.cols];
    double worth = state->reduced.flops / (8.0 * entries);
    if (k > 0 || !state->reduced.active || worth < stages[0].sweeps)
        return stages[k].sweeps;
    return worth > stages[1].sweeps ? stages[1].sweeps : (int)worth;
}

static perp_status run(perp_work *work)
{
    nsn_state *state = work->state;
    perp_status status = PERP_SOLVED;
    double error;
    if (measured_stop(work, &error))
        return work->monitor.verdict;
    for (int k = 0; k < STAGES; k++) {
        if (k > 0) {
            memset(work->z, 0, (size_t)work->blocks.n * sizeof(double));
            if (measured_stop(work, &error))
                return work->monitor.verdict;
        }
        if ((k > 0 || !work->settings->warm_start) && sweep(work, sweeps_of(state, k), &error))
            return work->monitor.verdict;
        if (k == 0 && work->settings->line_search != SEARCH_NONE &&
            search_newton(work, &error, &status))
            return status == PERP_SOLVED ? work->monitor.verdict : status;
        if (run_stage(work, &stages[k], &error, &status))
            return status == PERP_SOLVED ? work->monitor.verdict : status;
    }
    memcpy(work->z, work->best, (size_t)work->blocks.n * sizeof(double));
    work->info->notes |= PERP_NOTE_BEST;
    return PERP_STALLED;
}

static perp_status nsn_solve(perp_work *work)
{
    nsn_state *state = work->state;
    state->iteration = 0;
    perp_nsn_reduced_restart(&state->reduced);
    perp_status status = run(work);
    if (status >= 0)
        project_answer(work);
    return status;
}

const perp_solver_type perp_solver_nsn_ac = {
    .name = "nsn-ac",
    .summary = "semismooth Newton on the whole problem, sparse LU, proximal globalisation",
    .reads = "line_search formulation factor ordering",
    .sets = PERP_ALL_SETS,
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR),
    .flags = PERP_ALLOCATES,
    .max_iter = 2500,
    .stall = 0,
    .setup = nsn_setup,
    .update = nsn_update,
    .solve = nsn_solve,
    .release = nsn_release,
};
