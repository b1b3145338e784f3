/* SPDX-License-Identifier: BSD-3-Clause */
/* Single-step Newton-prox: proximal point steps z+ solving
 *     -(w(z+) + s(w(z+)) + alpha (z+ - z)) in N_K(z+),
 * each by one full Alart-Curnier Newton step from its centre z, without line search or
 * merit function.  The weight follows the error, alpha_i = c error^p d_i^2, and below 1e-6
 * falls with the error itself where p < 1 and rows are many: the error may jump up, and the
 * weight that grows with it brings the iterate back; near a solution the weight vanishes and
 * the steps are Newton's.
 *
 * 200 symmetric Gauss-Seidel sweeps from 0, or the z of a warm start and no sweep; then the
 * stages of newton/proximal_newton.h. */
#include "handle/registry.h"
#include "solvers/newton/proximal_newton.h"

enum { SWEEPS = 200 };

static perp_status single_update(perp_work *work)
{
    return perp_proximal_load(work->state, work);
}

static perp_status single_setup(perp_work *work)
{
    work->state = perp_arena_take_zero(work->arena, 1, sizeof(perp_proximal));
    if (!work->state)
        return PERP_ERR_MEMORY;
    return perp_proximal_setup(work->state, work, perp_reform_at(work->settings->formulation));
}

static void single_release(perp_work *work)
{
    perp_proximal *proximal = work->state;
    perp_nsn_lu_free(&proximal->lu);
}

static perp_status run(perp_work *work)
{
    perp_proximal *proximal = work->state;
    perp_proximal_stage first = {SWEEPS, work->settings->prox_steps, work->settings->prox_weight,
                                 work->settings->prox_power};
    double error;
    if (perp_measure_and_stop(work, proximal->iteration, &error))
        return work->monitor.verdict;
    if (!work->settings->warm_start && perp_proximal_sweep(proximal, work, first.sweeps, &error))
        return work->monitor.verdict;
    return perp_proximal_search(proximal, work, &first, error);
}

static perp_status single_solve(perp_work *work)
{
    perp_proximal *proximal = work->state;
    perp_proximal_restart(proximal);
    perp_status status = run(work);
    if (status >= 0)
        perp_project_answer(work, proximal->trial);
    return status;
}

const perp_solver_type perp_solver_prox_single = {
    .name = "prox",
    .summary = "proximal points, each by one full semismooth Newton step",
    .variant = "prox_newton=single",
    .reads = "prox_newton prox_weight prox_power prox_steps formulation factor ordering",
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR),
    .flags = PERP_ALLOCATES,
    .max_iter = 2500,
    .stall = 0,
    .setup = single_setup,
    .update = single_update,
    .solve = single_solve,
    .release = single_release,
};
