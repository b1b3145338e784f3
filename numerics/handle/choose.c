/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/registry.h"

/* Pivoting is exact but dense: from here on the sparse factorisations of Newton's method
 * are several times faster (docs/solvers.md).  Newton is the sturdiest as long as they
 * are cheap. */
enum { LEMKE_ROWS = 1000, LEMKE_SPARSE_ROWS = 50, NEWTON_ROWS = 6000 };

static int is_sparse(const perp_mat *M)
{
    return M->kind == PERP_CSC || M->kind == PERP_BSR || M->kind == PERP_DELASSUS;
}

/* One block alone, which Gauss-Seidel solves in one step. */
static int is_one_contact(const perp_problem *problem)
{
    int contacts = 0, others = 0;
    for (int k = 0; k < problem->nseg; k++) {
        perp_set set = problem->seg[k].set;
        if (set == PERP_COULOMB || set == PERP_TRESCA)
            contacts += problem->seg[k].count;
        else
            others += problem->seg[k].count;
    }
    return contacts == 1 && others == 0;
}

/* 1: linear complementarity (Newton's method takes it, too). */
static int is_linear(const perp_problem *problem)
{
    return perp_solver_fits(&perp_solver_lemke, problem);
}

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
    if (is_one_contact(problem) && perp_solver_fits(&perp_solver_gs, problem))
        return &perp_solver_gs;
    int pivots = is_sparse(&problem->M) ? LEMKE_SPARSE_ROWS : LEMKE_ROWS, rows = problem->M.rows;
    int first = rows <= pivots ? 0 : rows <= NEWTON_ROWS || is_linear(problem) ? 1 : 2;
    for (int k = first; k < (int)(sizeof preferred / sizeof preferred[0]); k++)
        if (perp_solver_fits(preferred[k], problem))
            return preferred[k];
    for (int k = 0; (type = perp_solver_at(k)) != NULL; k++)
        if (perp_solver_fits(type, problem))
            return type;
    return NULL;
}
