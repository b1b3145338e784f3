/* SPDX-License-Identifier: BSD-3-Clause */
/* Newton on the natural map, which ends in finitely many steps, as long as the merit of
 * Fischer-Burmeister falls; else on that function. */
#include "solvers/newton/linear.h"

static perp_status setup(perp_work *work)
{
    return perp_newton_linear_setup(work, 1);
}

const perp_solver_type perp_solver_newton_min = {
    .name = "newton-min",
    .summary = "globalised semismooth Newton, natural map on the Fischer-Burmeister merit",
    .setup = setup,
    PERP_NEWTON_LINEAR,
};
