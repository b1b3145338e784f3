/* SPDX-License-Identifier: BSD-3-Clause */
/* Projected Gauss-Seidel: sweeps of gs over rows, in four variants.
 *
 *   plain  [CottlePangStone1992] section 5.2
 *   psor   successive over-relaxation [Cryer1971].  The setting relaxation is omega; where it is 0,
 *          omega is found from the rate of the sweeps (gs/gs_relaxation.c).
 *   nncg   nonsmooth nonlinear conjugate gradients between the sweeps (acceleration/nncg.h)
 *          [SilcowitzEtAl2010]
 *   rpgs   sweeps for proximal points (gs/gs_proximal.c), for monotone problems that plain sweeps
 *          leave: rows with a zero diagonal, unsymmetric M
 */
#include "handle/registry.h"
#include "solvers/gs/sweeps.h"

static perp_status setup_plain(perp_work *work)
{
    static const perp_gs_variant variant = {.acceleration = PERP_ACCELERATION_NONE};
    return perp_gs_setup(work, &variant);
}

static perp_status setup_psor(perp_work *work)
{
    static const perp_gs_variant variant = {.acceleration = PERP_ACCELERATION_NONE, .relaxes = 1};
    return perp_gs_setup(work, &variant);
}

static perp_status setup_nncg(perp_work *work)
{
    static const perp_gs_variant variant = {.acceleration = PERP_ACCELERATION_NNCG};
    return perp_gs_setup(work, &variant);
}

static perp_status setup_rpgs(perp_work *work)
{
    static const perp_gs_variant variant = {.acceleration = PERP_ACCELERATION_NONE,
                                            .regularised = 1};
    return perp_gs_setup(work, &variant);
}

static const perp_solver_type *const variants[] = {&perp_solver_pgs, &perp_solver_pgs_psor,
                                                   &perp_solver_pgs_nncg, &perp_solver_pgs_rpgs};

#define READS "pgs_variant relaxation sweep shuffle seed freeze check_every order threads storage"

#define SHARED                                                                                     \
    .name = "pgs", .summary = "Gauss-Seidel row by row with projection, in four variants",         \
    .reads = READS, .sets = PERP_LINEAR_SETS, .matrices = PERP_ALL_MATRICES,                       \
    .flags = PERP_READS_BLOCKS | PERP_NEEDS_DIAGONAL, .max_iter = 50000, .stall = 1000,            \
    .update = perp_gs_update, .solve = perp_gs_solve

const perp_solver_type perp_solver_pgs = {
    SHARED,
    .variant = "pgs_variant=plain",
    PERP_CHOSEN_BY(pgs_variant, variants),
    .variants_read = READS,
    .setup = setup_plain,
};

const perp_solver_type perp_solver_pgs_psor = {
    SHARED,
    .variant = "pgs_variant=psor",
    .setup = setup_psor,
};

const perp_solver_type perp_solver_pgs_nncg = {
    SHARED,
    .variant = "pgs_variant=nncg",
    .setup = setup_nncg,
};

const perp_solver_type perp_solver_pgs_rpgs = {
    SHARED,
    .variant = "pgs_variant=rpgs",
    .setup = setup_rpgs,
};
