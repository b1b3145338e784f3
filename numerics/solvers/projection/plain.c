/* SPDX-License-Identifier: BSD-3-Clause */
/* The projection method without correction, a fixed-point iteration with self-adaptive step:
 *     z+ = P_K(z - rho T (w + s(w))),
 * accepted when rho |F(z) - F(z+)|_T <= L |z - z+|_(1/T), F = w + s; else rho
 * shrinks.  A ratio below L_min lets rho grow.  One product per step and one
 * more per rejection. */
#include <string.h>

#include "handle/registry.h"
#include "solvers/projection/projected_step.h"

/* One accepted step: work->z and projector->y move together. */
static perp_status advance(perp_projector *projector, perp_work *work, double *rho)
{
    double next;
    perp_status status = perp_projector_predict(projector, work, rho, &next);
    if (status != PERP_SOLVED)
        return status;
    *rho = next;
    double *y = projector->y;
    projector->y = projector->y_trial;
    projector->y_trial = y;
    memcpy(work->z, projector->z_trial, (size_t)work->blocks.n * sizeof(double));
    return PERP_SOLVED;
}

static perp_status plain_solve(perp_work *work)
{
    perp_projector *projector = work->state;
    const int every = work->settings->check_every;
    double rho, error = 0.0;
    perp_status status = perp_projector_start(projector, work, &rho);
    for (int iteration = 0; status == PERP_SOLVED; iteration++) {
        if (iteration % every == 0) {
            error = perp_measure(work, work->z);
            if (iteration == 0)
                perp_add_shift(projector->y, projector->blocks, work->w);
            if (perp_stop(work, iteration, error))
                break;
        } else if (perp_stop_light(work, iteration, error)) {
            break;
        }
        status = advance(projector, work, &rho);
    }
    *projector->rho = rho;
    return status == PERP_SOLVED ? work->monitor.verdict : status;
}

const perp_solver_type perp_solver_projection_plain = {
    .name = "projection",
    .summary = "projected steps of self-adaptive length, one product each",
    .variant = "correction=none",
    .reads = "correction check_every step",
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .matrices = PERP_ALL_MATRICES,
    .flags = PERP_READS_BLOCKS,
    .max_iter = 100000,
    .stall = 2000,
    .setup = perp_projector_setup,
    .update = perp_projector_update,
    .solve = plain_solve,
};
