/* SPDX-License-Identifier: BSD-3-Clause */
/* Projected Gauss-Seidel with nonsmooth nonlinear conjugate gradients between the sweeps
 * (acceleration/nncg.h; Silcowitz, Niebe and Erleben 2010). */
#include "solvers/gs/sweeps.h"

static perp_status setup(perp_work *work)
{
    static const perp_gs_variant variant = {.acceleration = PERP_ACCELERATION_NNCG};
    return perp_gs_setup(work, &variant);
}

const perp_solver_type perp_solver_nncg = {
    .name = "nncg",
    .summary = "projected Gauss-Seidel with nonsmooth nonlinear conjugate gradients",
    .setup = setup,
    PERP_GS_OF_ROWS,
};
