/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/float_environment.h"
#include "handle/registry.h"

int perp_solver_misses_diagonal(const perp_solver_type *type, const perp_mat *M)
{
    return type->flags & PERP_NEEDS_DIAGONAL && M->kind == PERP_OPERATOR && !M->as.op.diagonal;
}

int perp_solver_fits(const perp_solver_type *type, const perp_problem *problem)
{
    PERP_HOLD_ENVIRONMENT();
    if (!type || !problem || !perp_method_takes_matrix(type, problem->M.kind) ||
        perp_solver_misses_diagonal(type, &problem->M))
        return 0;
    for (int k = 0; k < problem->nseg; k++)
        if (problem->seg[k].count > 0 && !perp_method_takes_set(type, problem->seg[k].set))
            return 0;
    return 1;
}

const perp_solver_type *perp_solver_choose(const perp_problem *problem)
{
    PERP_HOLD_ENVIRONMENT();
    if (!problem || (problem->nseg > 0 && !problem->seg))
        return NULL;
    return perp_solver_fits(&perp_solver_auto, problem) ? &perp_solver_auto : NULL;
}
