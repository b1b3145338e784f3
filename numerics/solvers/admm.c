/* SPDX-License-Identifier: BSD-3-Clause */
/* Alternating directions (ADMM), written as Douglas-Rachford splitting of the inclusion
 * into w = M z + q and the law:
 *     z = J(v),  (M + R) x = R (2 z - v) - q,  v+ = v + a (x - z),   R = rho diag(d_k^2).
 * J is the resolvent of the law (law_resolvent.h), s = mu |u_T| of COULOMB included, and
 * R (z - v) becomes w.  One factorisation serves all iterations of one rho (admm/shifted.h).
 *
 * For a monotone M and convex sets it converges from anywhere with any rho and a < 2
 * ([EcksteinBertsekas1992]); with friction nothing is proved.
 * - rho follows the balance of |x - z| and |z+ - z| in the metric of the blocks (Boyd et al.
 *   2011, 3.4.1); it is changed, and M + R factorised again, only when it is out by much, and
 *   less and less often.
 * - Anderson acceleration of v, of the depth `depth`.
 * - Polishing: some proximal Newton steps (newton/proximal_newton.h) from a good iterate.  They are
 *   kept only if the measured error falls. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "handle/solver_type.h"
#include "solvers/acceleration/anderson.h"
#include "solvers/admm/shifted.h"
#include "solvers/newton/proximal_newton.h"
#include "solvers/projection/law_resolvent.h"

/* A FREE row has w = 0, which a small shift says from the start. */
static const double free_share = 1e-3, own_relaxation = 1.8;
/* |x - z| may be so many times |z+ - z|: a primal part that lags harms less. */
static const double balance_point = 3.0, out_of_balance = 5.0, largest_change = 20.0;
static const double polish_below = 1e-3, polish_long_below = 1e-5, gap_growth = 1.5;
enum { REPAIRS = 8, FIRST_POLISH_GAP = 20 };
/* In alternation. */
static const perp_proximal_stage polish_stages[] = {{0, 0, 1e-2, 1.0}, {0, 0, 0.1, 0.75}};
enum { POLISH_STAGES = sizeof polish_stages / sizeof polish_stages[0] };

typedef struct admm_state {
    perp_shifted shifted;
    perp_proximal *proximal; /* NULL: no polishing */
    perp_anderson *anderson; /* NULL: none */
    double *v, *g;           /* n each: the point and its image */
    double *z, *x, *b;       /* n each; z = J(v), and work->z = J(g) */
    double rho, *memory;     /* memory: what the handle remembers */
    int next_change, change_gap, next_polish, polish_gap, polishings;
    int polished; /* work->z is a Newton iterate */
} admm_state;

static perp_status admm_setup(perp_work *work)
{
    int n = work->blocks.n;
    perp_arena *arena = work->arena;
    admm_state *state = perp_arena_take_zero(arena, 1, sizeof *state);
    if (!state)
        return PERP_ERR_MEMORY;
    work->state = state;
    state->v = PERP_TAKE(arena, double, n);
    state->g = PERP_TAKE(arena, double, n);
    state->z = PERP_TAKE(arena, double, n);
    state->x = PERP_TAKE(arena, double, n);
    state->b = PERP_TAKE(arena, double, n);
    state->memory = perp_arena_take_zero(arena, 1, sizeof(double));
    work->memory = state->memory;
    work->memory_bytes = sizeof(double);
    if (perp_depth_or(work->settings, 0) > 0)
        state->anderson = perp_anderson_take(arena, n, work->settings->depth);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    perp_status status = perp_shifted_setup(&state->shifted, work);
    if (status != PERP_SOLVED || !work->settings->polish || state->shifted.kind == PERP_OPERATOR)
        return status;
    state->proximal = perp_arena_take_zero(arena, 1, sizeof *state->proximal);
    if (!state->proximal)
        return PERP_ERR_MEMORY;
    return perp_proximal_setup(state->proximal, work, perp_reform_at(work->settings->formulation));
}

static perp_status admm_update(perp_work *work)
{
    admm_state *state = work->state;
    perp_status status = perp_shifted_load(&state->shifted);
    if (status == PERP_SOLVED && state->proximal)
        status = perp_proximal_load(state->proximal, work);
    return status;
}

static void admm_release(perp_work *work)
{
    admm_state *state = work->state;
    perp_shifted_free(&state->shifted);
    if (state->proximal)
        perp_nsn_lu_free(&state->proximal->lu);
}

static void resolvent(double *z, const perp_blocks *blocks, const double *v)
{
    for (int k = 0; k < blocks->count; k++)
        perp_law_resolvent(z + blocks->at[k].row, v + blocks->at[k].row, &blocks->at[k]);
}

/* Factorises M + R for this rho, or the next larger one for which that is possible. */
static perp_status use_penalty(admm_state *state, perp_work *work, double rho)
{
    const double *d = work->scaling.d;
    perp_status status = PERP_ERR_SINGULAR;
    for (int repair = 0; repair < REPAIRS && status == PERP_ERR_SINGULAR; repair++) {
        for (int k = 0; k < work->blocks.count; k++) {
            const perp_block *block = &work->blocks.at[k];
            double share = block->set == PERP_FREE ? free_share : 1.0;
            double shift = share * rho * (d ? d[k] * d[k] : 1.0);
            for (int i = 0; i < block->dim; i++) {
                double unit = perp_block_unit(block, i);
                state->shifted.shift[block->row + i] = shift / (unit * unit);
            }
        }
        state->rho = rho;
        status = perp_shifted_factorise(&state->shifted);
        rho *= 10.0;
    }
    if (state->anderson)
        perp_anderson_restart(state->anderson);
    return status;
}

/* v from z and w: at a solution they stay. */
static void start_from(admm_state *state, const double *z, const double *w)
{
    const perp_blocks *blocks = &state->shifted.work->blocks;
    for (int i = 0; i < blocks->n; i++)
        state->v[i] = z[i] - w[i] / state->shifted.shift[i];
    resolvent(state->z, blocks, state->v);
    if (state->anderson)
        perp_anderson_restart(state->anderson);
}

/* g = G(v), and work->z = J(g). */
static perp_status split(admm_state *state, perp_work *work)
{
    const perp_blocks *blocks = &work->blocks;
    for (int i = 0; i < blocks->n; i++)
        state->b[i] =
            state->shifted.shift[i] * (2.0 * state->z[i] - state->v[i]) - work->problem->q[i];
    perp_status status = perp_shifted_solve(state->x, &state->shifted, state->b);
    if (status != PERP_SOLVED)
        return status;
    double a = perp_relaxation_or(work->settings, own_relaxation);
    for (int i = 0; i < blocks->n; i++)
        state->g[i] = state->v[i] + a * (state->x[i] - state->z[i]);
    resolvent(work->z, blocks, state->g);
    return PERP_SOLVED;
}

/* The next v, and z. */
static void move_on(admm_state *state, const perp_work *work)
{
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    if (state->anderson) {
        perp_anderson_next(state->anderson, state->v, state->v, state->g);
        resolvent(state->z, &work->blocks, state->v);
    } else {
        memcpy(state->v, state->g, bytes);
        memcpy(state->z, work->z, bytes);
    }
}

/* |x - z+| / (rho |z+ - z|) in the metric of the blocks. */
static double balance(const admm_state *state, const perp_work *work)
{
    const perp_blocks *blocks = &work->blocks;
    const double *d = work->scaling.d;
    double primal = 0.0, dual = 0.0;
    for (int k = 0; k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        double d2 = d ? d[k] * d[k] : 1.0, share = state->shifted.shift[block->row] / d2;
        for (int i = 0, at = block->row; i < block->dim; i++, at++) {
            double unit = perp_block_unit(block, i);
            double apart = (state->x[at] - work->z[at]) / unit;
            double moved = (work->z[at] - state->z[at]) / unit;
            primal += d2 * apart * apart;
            dual += d2 * share * share * moved * moved;
        }
    }
    return sqrt(primal / dual);
}

/* Another rho, where the balance asks for it; g keeps its z and its w. */
static perp_status adapt(admm_state *state, perp_work *work, int iteration)
{
    if (!work->settings->adapt || iteration < state->next_change)
        return PERP_SOLVED;
    double ratio = balance(state, work) / balance_point;
    if (!isfinite(ratio) || (ratio < out_of_balance && ratio > 1.0 / out_of_balance))
        return PERP_SOLVED;
    double old = state->rho;
    ratio = fmin(fmax(ratio, 1.0 / largest_change), largest_change);
    perp_status status = use_penalty(state, work, old * ratio);
    for (int i = 0; i < work->blocks.n; i++)
        state->g[i] = work->z[i] + (state->g[i] - work->z[i]) * (old / state->rho);
    memcpy(state->v, state->g, (size_t)work->blocks.n * sizeof(double));
    state->change_gap = (int)(gap_growth * state->change_gap) + 1;
    state->next_change = iteration + state->change_gap;
    return status;
}

/* Newton steps from work->z; near a solution more of them each time.  1: stopped. */
static int polish(admm_state *state, perp_work *work, int *iteration, double *error,
                  perp_status *status)
{
    perp_proximal_stage stage = polish_stages[state->polishings % POLISH_STAGES];
    double first = *error;
    if (!state->proximal || first > polish_below || *iteration < state->next_polish)
        return 0;
    stage.steps = work->settings->polish;
    if (first < polish_long_below)
        stage.steps *= 1 + state->polishings / POLISH_STAGES;
    state->proximal->iteration = *iteration;
    state->polished = 1;
    state->polishings++;
    memcpy(state->x, work->z, (size_t)work->blocks.n * sizeof(double));
    if (perp_proximal_steps(state->proximal, work, &stage, error, status))
        return 1;
    state->polished = 0;
    *iteration = state->proximal->iteration;
    state->polish_gap = (int)(gap_growth * state->polish_gap);
    state->next_polish = *iteration + state->polish_gap;
    if (*error < first) {
        start_from(state, work->z, work->w);
        memcpy(state->g, state->v, (size_t)work->blocks.n * sizeof(double));
    }
    memcpy(work->z, *error < first ? state->z : state->x, (size_t)work->blocks.n * sizeof(double));
    *error = fmin(*error, first);
    return 0;
}

/* Iterations that are worth one polishing, by the flops of both: at most half of the work is
 * spent on Newton steps.  Factorising makes four times as many flops in a second as solving. */
static int polish_pause(const admm_state *state, const perp_work *work)
{
    perp_factor_stats stats;
    if (!state->proximal)
        return FIRST_POLISH_GAP;
    perp_factor_stats_get(state->shifted.factor, &stats);
    double pause = work->settings->polish * state->proximal->lu.flops / (16.0 * stats.nnz + 1.0);
    return (int)fmin(fmax(pause, FIRST_POLISH_GAP), 1e6);
}

static perp_status begin(admm_state *state, perp_work *work)
{
    const perp_settings *settings = work->settings;
    double remembered = settings->warm_start ? *state->memory : 0.0;
    state->shifted.products = 0;
    state->next_change = state->change_gap = settings->check_every;
    state->polishings = 0;
    state->polish_gap = polish_pause(state, work);
    state->next_polish = state->polish_gap > FIRST_POLISH_GAP ? state->polish_gap : 0;
    state->polished = 0;
    if (state->proximal)
        perp_proximal_restart(state->proximal);
    if (state->anderson)
        perp_anderson_weigh(state->anderson, &work->blocks, work->scaling.d);
    perp_status status = use_penalty(
        state, work, remembered > 0.0 && isfinite(remembered) ? remembered : settings->penalty);
    if (status == PERP_SOLVED)
        start_from(state, work->z, work->w);
    memcpy(state->x, work->z, (size_t)work->blocks.n * sizeof(double));
    return status;
}

static perp_status run(admm_state *state, perp_work *work)
{
    const int every = work->settings->check_every;
    double error = perp_measure(work, work->z);
    int iteration = 0, next_measure = every;
    if (perp_stop(work, 0, error))
        return work->monitor.verdict;
    perp_status status = begin(state, work);
    while (status == PERP_SOLVED) {
        status = split(state, work);
        if (status != PERP_SOLVED)
            break;
        if (++iteration < next_measure) {
            if (perp_stop_light(work, iteration, error))
                return work->monitor.verdict;
        } else {
            error = perp_measure(work, work->z);
            if (perp_stop(work, iteration, error))
                return work->monitor.verdict;
            status = adapt(state, work, iteration);
            if (status == PERP_SOLVED && polish(state, work, &iteration, &error, &status))
                return status == PERP_SOLVED ? work->monitor.verdict : status;
            next_measure = iteration + every;
        }
        move_on(state, work);
    }
    return status;
}

static perp_status admm_solve(perp_work *work)
{
    admm_state *state = work->state;
    state->rho = *state->memory;
    perp_status status = run(state, work);
    if (state->shifted.kind == PERP_OPERATOR)
        snprintf(work->info->detail, sizeof work->info->detail,
                 "%ld products in systems with M + rho", state->shifted.products);
    if (status >= 0) {
        *state->memory = state->rho;
        if (state->polished)
            perp_project_answer(work, state->proximal->trial);
    }
    return status;
}

const perp_solver_type perp_solver_admm = {
    .name = "admm",
    .summary = "alternating directions (ADMM) with one factorisation, finished by Newton steps",
    .reads = "check_every penalty adapt relaxation depth polish formulation factor ordering",
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .matrices = PERP_ALL_MATRICES,
    .flags = PERP_ALLOCATES,
    .max_iter = 20000,
    .stall = 1000,
    .setup = admm_setup,
    .update = admm_update,
    .solve = admm_solve,
    .release = admm_release,
};
