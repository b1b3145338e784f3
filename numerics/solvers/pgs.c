/* SPDX-License-Identifier: BSD-3-Clause */
/* Projected Gauss-Seidel: plain sweeps of gs over rows (Cottle, Pang, Stone, The Linear
 * Complementarity Problem, 5.2). */
#include "solvers/gs/sweeps.h"

static perp_status setup(perp_work *work)
{
    static const perp_gs_variant variant = {.acceleration = PERP_ACCELERATION_NONE};
    return perp_gs_setup(work, &variant);
}

const perp_solver_type perp_solver_pgs = {
    .name = "pgs",
    .summary = "projected Gauss-Seidel row by row, without acceleration",
    .setup = setup,
    PERP_GS_OF_ROWS,
};
