/* SPDX-License-Identifier: BSD-3-Clause */
/* As nsn-ac, with the Fischer-Burmeister function of the second-order cone on the De Saxce
 * form (reform/fischer_burmeister.c), and that of two bounds for BOX.  The disk of TRESCA is
 * refused. */
#include "solvers/newton/search.h"

static perp_status setup(perp_work *work)
{
    return perp_nsn_setup(work, &perp_reform_fischer_burmeister);
}

const perp_solver_type perp_solver_nsn_fb = {
    .name = "nsn-fb",
    .summary = "semismooth Newton on the whole problem, Fischer-Burmeister function of the cone",
    .reads = PERP_NSN_READS,
    .sets = PERP_BIT(PERP_FREE) | PERP_BIT(PERP_NONNEG) | PERP_BIT(PERP_BOX) |
            PERP_BIT(PERP_COULOMB) | PERP_BIT(PERP_SOC),
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR),
    .flags = PERP_ALLOCATES,
    .max_iter = 2500,
    .stall = 0,
    .setup = setup,
    .update = perp_nsn_update,
    .solve = perp_nsn_solve,
    .release = perp_nsn_release,
};
