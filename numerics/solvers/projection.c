/* SPDX-License-Identifier: BSD-3-Clause */
/* Extragradient of Korpelevich with the self-adaptive step of Khobotov and of
 * Han and Lo:  z' = P_K(z - rho T F(z)),  z+ = P_K(z - rho T F(z')),  F = w + s(w).
 * The prediction is accepted when rho |F(z) - F(z')|_T <= L |z - z'|_(1/T); a
 * ratio below L_min lets rho grow.  Two products per step, one per rejection. */
#include "handle/registry.h"
#include "solvers/projection/projected_step.h"

static perp_status extragradient_solve(perp_work *work)
{
    perp_projector *projector = work->state;
    const int every = work->settings->check_every;
    double rho, error = 0.0;
    perp_status status = perp_projector_start(projector, work, &rho);
    for (int iteration = 0; status == PERP_SOLVED; iteration++) {
        if (iteration % every == 0) {
            error = perp_measure(work, work->z);
            if (perp_stop(work, iteration, error))
                break;
            perp_add_shift(projector->y, projector->blocks, work->w);
        } else {
            if (perp_stop_light(work, iteration, error))
                break;
            status = perp_projector_value(projector->y, projector, work, work->z);
        }
        if (status == PERP_SOLVED)
            status = perp_projector_correct(projector, work, &rho);
    }
    *projector->rho = rho;
    return status == PERP_SOLVED ? work->monitor.verdict : status;
}

static const perp_solver_type *const corrections[] = {&perp_solver_projection,
                                                      &perp_solver_projection_plain};

const perp_solver_type perp_solver_projection = {
    .name = "projection",
    .summary = "projected steps of self-adaptive length, with products only",
    .variant = "correction=extragradient",
    .reads = "correction check_every step",
    PERP_CHOSEN_BY(correction, corrections),
    .variants_read = "correction check_every step",
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .matrices = PERP_ALL_MATRICES,
    .flags = PERP_READS_BLOCKS,
    .max_iter = 100000,
    .stall = 2000,
    .setup = perp_projector_setup,
    .update = perp_projector_update,
    .solve = extragradient_solve,
};
