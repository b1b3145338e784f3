/* SPDX-License-Identifier: BSD-3-Clause */
/* Newton on the Fischer-Burmeister function of the rows. */
#include "solvers/newton/linear.h"

static perp_status setup(perp_work *work)
{
    return perp_newton_linear_setup(work, 0);
}

const perp_solver_type perp_solver_newton_fb = {
    .name = "newton-fb",
    .summary = "globalised semismooth Newton, Fischer-Burmeister with boxes",
    .reads = PERP_NEWTON_LINEAR_READS,
    .sets = PERP_NEWTON_LINEAR_SETS,
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR),
    .flags = PERP_ALLOCATES,
    .max_iter = 500,
    .stall = 0,
    .setup = setup,
    .update = perp_newton_linear_update,
    .solve = perp_newton_linear_solve,
    .release = perp_newton_linear_release,
};
