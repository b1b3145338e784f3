/* SPDX-License-Identifier: BSD-3-Clause */
/* The distributed solver "admm": the iteration of numerics/solvers/admm.c with its penalty that adapts,
 * without its Newton steps; each step a solve with W + R on PETSc (shifted.h). */
#include <math.h>
#include <string.h>

#include "distributed/method.h"
#include "distributed/shifted.h"
#include "solvers/projection/law_resolvent.h"

static const double free_share = 1e-3, own_relaxation = 1.8;
static const double balance_point = 3.0, out_of_balance = 5.0, largest_change = 20.0;
static const double gap_growth = 1.5;

typedef struct admm {
    perp_petsc_shifted shifted;
    double *shift;             /* by block */
    double *v, *z, *x, *b; /* rows each; z of the step before */
    double rho, relaxation;
    int steps, next_change, change_gap;
} admm;

static perp_status setup(perp_petsc_run *run, perp_petsc_where *where)
{
    perp_petsc *system = run->system;
    perp_arena *arena = &run->arena;
    int n = system->rows;
    admm *state = perp_arena_take_zero(arena, 1, sizeof *state);
    if (!state)
        return PERP_ERR_MEMORY;
    run->state = state;
    state->shift = PERP_TAKE(arena, double, system->blocks.count);
    state->v = PERP_TAKE(arena, double, n);
    state->z = PERP_TAKE(arena, double, n);
    state->x = PERP_TAKE(arena, double, n);
    state->b = PERP_TAKE(arena, double, n);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    perp_status status = perp_petsc_shifted_take(&state->shifted, system, arena);
    return status == PERP_ERR_SINGULAR ? perp_petsc_at(where, status, "M", -1) : status;
}

static void release(perp_petsc_run *run)
{
    admm *state = run->state;
    if (state && state->shifted.system)
        perp_petsc_shifted_free(&state->shifted);
}

static void resolvent(double *z, const perp_blocks *blocks, const double *v)
{
    for (int k = 0; k < blocks->count; k++)
        perp_law_resolvent(z + blocks->at[k].row, v + blocks->at[k].row, &blocks->at[k]);
}

static perp_status use_penalty(admm *state, const perp_petsc *system, double rho)
{
    for (int k = 0; k < system->blocks.count; k++) {
        double share = system->blocks.at[k].set == PERP_FREE ? free_share : 1.0;
        state->shift[k] = share * rho * system->d[k] * system->d[k];
    }
    state->rho = rho;
    return perp_petsc_shifted_use(&state->shifted, state->shift);
}

static perp_status begin(perp_petsc_run *run)
{
    admm *state = run->state;
    perp_petsc *system = run->system;
    perp_status status = perp_petsc_shifted_begin(&state->shifted);
    if (status == PERP_SOLVED)
        status = use_penalty(state, system, run->settings.penalty);
    if (status != PERP_SOLVED)
        return status;
    state->relaxation =
        run->settings.relaxation > 0.0 ? run->settings.relaxation : own_relaxation;
    state->next_change = state->change_gap = run->settings.check_every;
    for (int k = 0; k < system->blocks.count; k++) {
        const perp_block *block = &system->blocks.at[k];
        for (int i = block->row; i < block->row + block->dim; i++)
            state->v[i] = system->z[i] - system->w[i] / state->shift[k];
    }
    resolvent(system->z, &system->blocks, state->v);
    return status;
}

/* The product belongs to the measurement alone. */
static int is_measured(const perp_petsc_run *run, int step)
{
    int most = run->settings.max_iter > 0 ? run->settings.max_iter : perp_petsc_admm.max_iter;
    return step % run->settings.check_every == 0 || step >= most;
}

static perp_status step(perp_petsc_run *run)
{
    admm *state = run->state;
    perp_petsc *system = run->system;
    const perp_blocks *blocks = &system->blocks;
    for (int k = 0; k < blocks->count; k++)
        for (int i = blocks->at[k].row; i < blocks->at[k].row + blocks->at[k].dim; i++)
            state->b[i] =
                state->shift[k] * (2.0 * system->z[i] - state->v[i]) - system->q[i];
    perp_status status = perp_petsc_shifted_solve(&state->shifted, state->b, state->x);
    if (status != PERP_SOLVED)
        return status;
    for (int i = 0; i < system->rows; i++) {
        state->v[i] += state->relaxation * (state->x[i] - system->z[i]);
        state->z[i] = system->z[i];
    }
    resolvent(system->z, blocks, state->v);
    state->steps++;
    return is_measured(run, state->steps) ? perp_petsc_product(system, system->z, system->w)
                                          : status;
}

/* |x - z+| / (rho |z+ - z|) in the metric of the blocks; of all ranks. */
static double balance(const admm *state, perp_petsc *system)
{
    double x[2] = {0.0, 0.0};
    for (int k = 0; k < system->blocks.count; k++) {
        const perp_block *block = &system->blocks.at[k];
        double d2 = system->d[k] * system->d[k], share = state->shift[k] / d2;
        for (int i = block->row; i < block->row + block->dim; i++) {
            double apart = state->x[i] - system->z[i], moved = system->z[i] - state->z[i];
            x[0] += d2 * apart * apart;
            x[1] += d2 * share * share * moved * moved;
        }
    }
    perp_petsc_total(system, x, 2);
    return sqrt(x[0] / x[1]);
}

/* Another rho, where the balance asks for it; v keeps its z and its w. */
static perp_status watch(perp_petsc_run *run)
{
    admm *state = run->state;
    perp_petsc *system = run->system;
    if (!run->settings.adapt || state->steps < state->next_change)
        return PERP_SOLVED;
    double ratio = balance(state, system) / balance_point, old = state->rho;
    if (!isfinite(ratio) || (ratio < out_of_balance && ratio > 1.0 / out_of_balance))
        return PERP_SOLVED;
    ratio = fmin(fmax(ratio, 1.0 / largest_change), largest_change);
    perp_status status = use_penalty(state, system, old * ratio);
    for (int i = 0; i < system->rows; i++)
        state->v[i] = system->z[i] + (state->v[i] - system->z[i]) * (old / state->rho);
    state->change_gap = (int)(gap_growth * state->change_gap) + 1;
    state->next_change = state->steps + state->change_gap;
    return status;
}

const perp_petsc_method perp_petsc_admm = {
    .name = "admm",
    .summary = "alternating directions (ADMM), each step a sparse solve by PETSc",
    .max_iter = 20000,
    .stall = 1000,
    .setup = setup,
    .begin = begin,
    .step = step,
    .watch = watch,
    .release = release,
};
