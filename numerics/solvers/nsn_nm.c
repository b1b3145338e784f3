/* SPDX-License-Identifier: BSD-3-Clause */
/* As nsn-ac, with the natural map of the De Saxce form: z - P_K(z - rho (w + s(w))), the
 * projection on the whole cone instead of one on its axis and one on a disk. */
#include "solvers/newton/search.h"

static perp_status setup(perp_work *work)
{
    return perp_nsn_setup(work, &perp_reform_natural_map);
}

const perp_solver_type perp_solver_nsn_nm = {
    .name = "nsn-nm",
    .summary = "semismooth Newton on the whole problem, natural map",
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
