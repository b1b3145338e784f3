/* SPDX-License-Identifier: BSD-3-Clause */
/* Regularised projected Gauss-Seidel: sweeps for proximal points (gs/proximal.c), for monotone
 * problems that plain sweeps leave: rows with a zero diagonal, unsymmetric M. */
#include "solvers/gs/sweeps.h"

static perp_status setup(perp_work *work)
{
    static const perp_gs_variant variant = {.acceleration = PERP_ACCELERATION_NONE, .regularised = 1};
    return perp_gs_setup(work, &variant);
}

const perp_solver_type perp_solver_rpgs = {
    .name = "rpgs",
    .summary = "projected Gauss-Seidel for proximal points, also where the diagonal is zero",
    .setup = setup,
    PERP_GS_OF_ROWS,
};
