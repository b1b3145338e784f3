/* SPDX-License-Identifier: BSD-3-Clause */
/* Friction by contact problems with given friction bounds (Necas, Jarusek and Haslinger 1980;
 * Haslinger 1983): with g = mu z_N frozen each contact is
 *     z_N >= 0,  |z_T| <= g,
 * a convex set, and the new z_N gives the next bounds.  A contraction for small mu. */
#include <string.h>

#include "solvers/outer/outer.h"

static perp_status solve_frozen(perp_outer *outer, perp_work *work, int iteration, double error,
                                double tol)
{
    perp_inner *inner = &outer->inner[0];
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    memcpy(outer->bound, outer->x, (size_t)outer->size * sizeof(double));
    memcpy(inner->q, work->problem->q, bytes);
    return perp_outer_solve_whole(outer, work, iteration, error, tol);
}

static void bounds(double *f, const perp_outer *outer, const perp_work *work)
{
    for (int k = 0; k < outer->contacts; k++) {
        const perp_block *block = &work->blocks.at[outer->contact[k]];
        double normal = work->z[block->row];
        f[k] = normal > 0.0 ? block->par[0] * normal : 0.0;
    }
}

static void fill(perp_outer *outer, const perp_work *work)
{
    perp_inner *inner = &outer->inner[0];
    perp_outer_replace(inner, work->problem, PERP_TRESCA, outer->bound);
    memcpy(inner->q, work->problem->q, (size_t)work->blocks.n * sizeof(double));
}

static const perp_outer_method method = {
    .solve = solve_frozen, .fill = fill, .image = bounds, .per_contact = 1, .nonnegative = 1};

static perp_status setup(perp_work *work)
{
    return perp_outer_setup_whole(work, &method);
}

const perp_solver_type perp_solver_tresca = {
    .name = "tresca",
    .summary = "fixed point on the friction bounds, a contact problem with given bounds inside",
    .reads = "inner inner_iter inner_ratio outer_depth relaxation sweep shuffle seed freeze "
             "check_every local acceleration depth",
    .sets = PERP_ALL_SETS | PERP_BIT(PERP_ROLLING),
    .matrices = PERP_ALL_MATRICES,
    .flags = PERP_READS_BLOCKS,
    .max_iter = 1000,
    .stall = 100,
    .setup = setup,
    .update = perp_outer_update_whole,
    .solve = perp_outer_solve,
    .release = perp_outer_release,
};
