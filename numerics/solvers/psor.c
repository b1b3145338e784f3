/* SPDX-License-Identifier: BSD-3-Clause */
/* Projected successive over-relaxation (Cryer 1971).  The setting relaxation is omega; where it
 * is 1, omega is found from the rate of the sweeps (gs/relaxation.c). */
#include "solvers/gs/sweeps.h"

static perp_status setup(perp_work *work)
{
    static const perp_gs_variant variant = {.acceleration = PERP_ACCELERATION_NONE, .relaxes = 1};
    return perp_gs_setup(work, &variant);
}

const perp_solver_type perp_solver_psor = {
    .name = "psor",
    .summary = "projected successive over-relaxation, omega found from the rate",
    .setup = setup,
    PERP_GS_OF_ROWS,
};
