/* SPDX-License-Identifier: BSD-3-Clause */
/* Globalised semismooth Newton for rows (newton/newton_rows.h), on one of two equations.
 *
 *   natural map         Newton on it, which ends in finitely many steps, as long as the merit of
 *                       Fischer-Burmeister falls; else on that function.  For single rows the
 *                       formulations alart-curnier and jean-moreau are this equation, too.
 *   fischer-burmeister  Newton on the Fischer-Burmeister function of the rows
 */
#include "handle/registry.h"
#include "solvers/newton/newton_rows.h"

static perp_status setup_natural_map(perp_work *work)
{
    return perp_newton_linear_setup(work, 1);
}

static perp_status setup_fischer_burmeister(perp_work *work)
{
    return perp_newton_linear_setup(work, 0);
}

static const perp_solver_type *const formulations[] = {&perp_solver_newton, &perp_solver_newton,
                                                       &perp_solver_newton,
                                                       &perp_solver_newton_fischer_burmeister};

#define READS "formulation line_search factor ordering"

#define SHARED                                                                                     \
    .name = "newton", .summary = "globalised semismooth Newton for linear complementarity",        \
    .reads = READS, .sets = PERP_LINEAR_SETS,                                                      \
    .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR), .flags = PERP_ALLOCATES,             \
    .max_iter = 500, .stall = 0, .update = perp_newton_linear_update,                              \
    .solve = perp_newton_linear_solve, .release = perp_newton_linear_release

const perp_solver_type perp_solver_newton = {
    SHARED,
    .variant = "formulation=natural-map",
    PERP_CHOSEN_BY(formulation, formulations),
    .variants_read = READS,
    .setup = setup_natural_map,
};

const perp_solver_type perp_solver_newton_fischer_burmeister = {
    SHARED,
    .variant = "formulation=fischer-burmeister",
    .setup = setup_fischer_burmeister,
};
