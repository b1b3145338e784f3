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
    .setup = setup,
    PERP_NEWTON_LINEAR,
};
