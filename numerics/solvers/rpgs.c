/* SPDX-License-Identifier: BSD-3-Clause */
/* Regularised projected Gauss-Seidel: sweeps for proximal points (gs/proximal.c), for monotone
 * problems that plain sweeps leave: rows with a zero diagonal, unsymmetric M. */
#include "solvers/gs/sweeps.h"

static perp_status setup(perp_work *work)
{
    static const perp_gs_variant variant = {.acceleration = PERP_GS_PLAIN, .regularised = 1};
    return perp_gs_setup(work, &variant);
}

const perp_solver_type perp_solver_rpgs = {
    .name = "rpgs",
    .summary = "projected Gauss-Seidel for proximal points, also where the diagonal is zero",
    .reads = "relaxation sweep shuffle seed freeze check_every order threads storage",
    .sets = PERP_BIT(PERP_FREE) | PERP_BIT(PERP_NONNEG) | PERP_BIT(PERP_BOX),
    .matrices = PERP_ALL_MATRICES,
    .flags = PERP_READS_BLOCKS | PERP_NEEDS_DIAGONAL,
    .max_iter = 50000,
    .stall = 1000,
    .setup = setup,
    .update = perp_gs_update,
    .solve = perp_gs_solve,
};
