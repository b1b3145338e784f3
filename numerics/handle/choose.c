/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/registry.h"

/* Pivoting is exact but dense; Newton is the sturdiest as long as its
 * factorisations are cheap. */
enum { LEMKE_ROWS = 1000, NEWTON_ROWS = 6000 };

int perp_solver_fits(const perp_solver_type *type, const perp_problem *problem)
{
    if (!perp_solver_takes_matrix(type, problem->M.kind))
        return 0;
    for (int k = 0; k < problem->nseg; k++)
        if (problem->seg[k].count > 0 && !perp_solver_takes_set(type, problem->seg[k].set))
            return 0;
    return 1;
}

const perp_solver_type *perp_solver_choose(const perp_problem *problem)
{
    const perp_solver_type *preferred[] = {&perp_solver_lemke, &perp_solver_nsn_ac, &perp_solver_gs,
                                           &perp_solver_nsn_ac};
    const perp_solver_type *type;
    if (!problem || (problem->nseg > 0 && !problem->seg))
        return NULL;
    int first = problem->M.rows <= LEMKE_ROWS ? 0 : problem->M.rows <= NEWTON_ROWS ? 1 : 2;
    for (int k = first; k < (int)(sizeof preferred / sizeof preferred[0]); k++)
        if (perp_solver_fits(preferred[k], problem))
            return preferred[k];
    for (int k = 0; (type = perp_solver_at(k)) != NULL; k++)
        if (perp_solver_fits(type, problem))
            return type;
    return NULL;
}
