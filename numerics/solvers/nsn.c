/* SPDX-License-Identifier: BSD-3-Clause */
/* Semismooth Newton on the whole problem, every set through its reformulation ([SDN], chapter on
 * Newton methods for frictional contact), in local variables, or in global ones for a Delassus
 * matrix (see newton/newton_system.h).  The setting formulation names the equation of a contact:
 *
 *   alart-curnier       friction disk of radius mu max(0, z_N - rho w_N)
 *   jean-moreau         friction disk of radius mu max(0, z_N) [ChristensenEtAl1998]
 *   natural-map         z - P_K(z - rho (w + s(w))), the projection on the whole cone instead of
 *                       one on its axis and one on a disk
 *   fischer-burmeister  the Fischer-Burmeister function of the second-order cone on the De Saxce
 *                       form (reform/fischer_burmeister.c), and that of two bounds for BOX; TRESCA
 *                       and ROLLING are refused
 */
#include "handle/registry.h"
#include "solvers/newton/search.h"

static perp_status setup_alart_curnier(perp_work *work)
{
    return perp_nsn_setup(work, &perp_reform_alart_curnier);
}

static perp_status setup_jean_moreau(perp_work *work)
{
    return perp_nsn_setup(work, &perp_reform_jean_moreau);
}

static perp_status setup_natural_map(perp_work *work)
{
    return perp_nsn_setup(work, &perp_reform_natural_map);
}

static perp_status setup_fischer_burmeister(perp_work *work)
{
    return perp_nsn_setup(work, &perp_reform_fischer_burmeister);
}

static const perp_solver_type *const formulations[] = {
    &perp_solver_nsn, &perp_solver_nsn_jean_moreau, &perp_solver_nsn_natural_map,
    &perp_solver_nsn_fischer_burmeister};

#define READS "formulation line_search factor ordering"

#define SHARED                                                                                     \
    .name = "nsn", .summary = "semismooth Newton on the whole problem, with sparse factorisation", \
    .reads = READS, .matrices = PERP_ALL_MATRICES & ~PERP_BIT(PERP_OPERATOR), .max_iter = 2500,    \
    .stall = 0, .update = perp_nsn_update, .solve = perp_nsn_solve, .release = perp_nsn_release

const perp_solver_type perp_solver_nsn = {
    SHARED,
    .variant = "formulation=alart-curnier",
    PERP_CHOSEN_BY(formulation, formulations),
    .variants_read = READS,
    .everyday = 1,
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .flags = PERP_ALLOCATES | PERP_READS_BLOCKS,
    .setup = setup_alart_curnier,
};

const perp_solver_type perp_solver_nsn_jean_moreau = {
    SHARED,
    .variant = "formulation=jean-moreau",
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .flags = PERP_ALLOCATES,
    .setup = setup_jean_moreau,
};

const perp_solver_type perp_solver_nsn_natural_map = {
    SHARED,
    .variant = "formulation=natural-map",
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .flags = PERP_ALLOCATES,
    .setup = setup_natural_map,
};

const perp_solver_type perp_solver_nsn_fischer_burmeister = {
    SHARED,
    .variant = "formulation=fischer-burmeister",
    .sets = PERP_LINEAR_SETS | PERP_BIT(PERP_COULOMB) | PERP_BIT(PERP_SOC),
    .flags = PERP_ALLOCATES,
    .setup = setup_fischer_burmeister,
};
