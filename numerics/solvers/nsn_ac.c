/* SPDX-License-Identifier: BSD-3-Clause */
/* Semismooth Newton on the whole problem, every set through its reformulation: 002 chapter 16,
 * in local variables, or in global ones for a Delassus matrix (see newton/system.h).
 * Alart-Curnier's equation of a contact: friction disk of radius mu max(0, z_N - rho w_N). */
#include "solvers/newton/search.h"

static perp_status setup(perp_work *work)
{
    return perp_nsn_setup(work, &perp_reform_alart_curnier);
}

const perp_solver_type perp_solver_nsn_ac = {
    .name = "nsn-ac",
    .summary = "semismooth Newton on the whole problem, Alart-Curnier equation",
    .reads = PERP_NSN_READS,
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR),
    .flags = PERP_ALLOCATES | PERP_READS_BLOCKS,
    .max_iter = 2500,
    .stall = 0,
    .setup = setup,
    .update = perp_nsn_update,
    .solve = perp_nsn_solve,
    .release = perp_nsn_release,
};
