/* SPDX-License-Identifier: BSD-3-Clause */
/* Friction by convex cone problems ([Cadoux2009]; [AcaryEtAl2011]): with
 * s = mu |w_T| frozen, w + s e_N is a velocity for which the law of each contact is
 * K* and K in duality, a second-order cone problem; its w_T gives the next s. */
#include <string.h>

#include "sets/set.h"
#include "solvers/outer/laws.h"

static perp_status solve_frozen(perp_outer *outer, perp_work *work, int iteration, double error,
                                double tol)
{
    perp_inner *inner = &outer->inner[0];
    size_t bytes = (size_t)work->blocks.n * sizeof(double);
    memcpy(inner->q, work->problem->q, bytes);
    for (int k = 0; k < outer->contacts; k++)
        inner->q[work->blocks.at[outer->contact[k]].row] += outer->x[k];
    return perp_outer_solve_whole(outer, work, iteration, error, tol);
}

static void shifts(double *f, const perp_outer *outer, const perp_work *work)
{
    for (int k = 0; k < outer->contacts; k++) {
        const perp_block *block = &work->blocks.at[outer->contact[k]];
        f[k] = perp_set_type_of(PERP_COULOMB)->shift(work->w + block->row, block->par, block->dim);
    }
}

static void fill(perp_outer *outer, const perp_work *work)
{
    perp_inner *inner = &outer->inner[0];
    perp_outer_replace(inner, work->problem, PERP_SOC, NULL);
    memcpy(inner->q, work->problem->q, (size_t)work->blocks.n * sizeof(double));
}

static const perp_outer_method method = {.solve = solve_frozen,
                                         .fill = fill,
                                         .image = shifts,
                                         .per_contact = 1,
                                         .nonnegative = 1,
                                         .velocity = 1};

perp_status perp_sliding_speeds_setup(perp_work *work)
{
    return perp_outer_setup_whole(work, &method);
}
