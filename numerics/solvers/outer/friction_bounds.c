/* SPDX-License-Identifier: BSD-3-Clause */
/* Friction by contact problems with given friction bounds ([NecasEtAl1980];
 * [Haslinger1983]): with g = mu z_N frozen each contact is
 *     z_N >= 0,  |z_T| <= g,
 * a convex set, and the new z_N gives the next bounds.  A contraction for small mu. */
#include <string.h>

#include "solvers/outer/laws.h"

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

perp_status perp_friction_bounds_setup(perp_work *work)
{
    return perp_outer_setup_whole(work, &method);
}
