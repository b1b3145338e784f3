/* SPDX-License-Identifier: BSD-3-Clause */
/* As nsn-ac, with Jean and Moreau's equation of a contact: friction disk of radius
 * mu max(0, z_N).  Christensen, Klarbring, Pang, Stromberg 1998. */
#include "solvers/newton/search.h"

static perp_status setup(perp_work *work)
{
    return perp_nsn_setup(work, &perp_reform_jean_moreau);
}

const perp_solver_type perp_solver_nsn_jm = {
    .name = "nsn-jm",
    .summary = "semismooth Newton on the whole problem, Jean-Moreau equation",
    .reads = PERP_NSN_READS,
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR),
    .flags = PERP_ALLOCATES,
    .max_iter = 2500,
    .stall = 0,
    .setup = setup,
    .update = perp_nsn_update,
    .solve = perp_nsn_solve,
    .release = perp_nsn_release,
};
