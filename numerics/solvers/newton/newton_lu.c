/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/newton/newton_lu.h"

#include <math.h>
#include <string.h>

#include "linalg/mass.h"

/* Steps are refined to the first backward error, and good enough below the second. */
static const double error_goal = 1e-12, error_limit = 1e-7;

/* The unknowns of a contact, and those of a body, are eliminated together.  Bodies that touch
 * nothing do not move: group -1. */
static int group_rows(int *group, int *name, const perp_nsn *nsn, const perp_problem *problem)
{
    int groups = 0;
    if (nsn->lead > 0) {
        const perp_mass *mass = problem->M.as.delassus.mass;
        memset(name, 0xff, (size_t)mass->nblocks * sizeof(int));
        for (int c = 0; c < nsn->lead; c++)
            if (nsn->tail[c] < nsn->J.colptr[c + 1] && name[mass->block_of[c]] < 0)
                name[mass->block_of[c]] = groups++;
        for (int c = 0; c < nsn->lead; c++)
            group[c] = name[mass->block_of[c]];
    }
    for (int i = 0; i < nsn->n; i++)
        group[nsn->lead + i] = groups + nsn->block_of[i];
    return groups + nsn->blocks->count;
}

perp_status perp_nsn_lu_build(perp_nsn_lu *lu, const perp_nsn *nsn, const perp_problem *problem,
                              perp_factor_kind kind, perp_ordering_kind ordering, perp_arena *arena)
{
    size_t order = (size_t)nsn->J.cols;
    perp_status status;
    *lu = (perp_nsn_lu){.allocator = arena->allocator, .ordering = ordering};
    lu->fronts = kind == PERP_FACTOR_AUTO || kind == PERP_FACTOR_FRONTS;
    if (!lu->fronts) {
        perp_factor_stats stats;
        status = perp_factor_create(&lu->factor, kind, ordering, 0, &nsn->J, &arena->allocator);
        if (status != PERP_SOLVED)
            return status;
        perp_factor_stats_get(lu->factor, &stats);
        lu->flops = stats.flops;
        return PERP_SOLVED;
    }
    int *group = PERP_TAKE(arena, int, order);
    int *name = PERP_TAKE(arena, int, order); /* of the bodies: as many as dofs at most */
    lu->open = PERP_TAKE(arena, unsigned char, order);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    int groups = group_rows(group, name, nsn, problem);
    for (size_t c = 0; c < order; c++) {
        lu->open[c] = group[c] < 0;
        lu->still |= lu->open[c];
    }
    status = perp_front_analyse(&lu->front, &nsn->J, group, groups, ordering, arena);
    lu->flops = lu->front.flops;
    return status;
}

void perp_nsn_lu_restart(perp_nsn_lu *lu)
{
    lu->given_up = 0;
    if (lu->factor)
        lu->factor->repivot = 1;
}

static int is_open(const perp_nsn *nsn, int k)
{
    size_t dim = (size_t)nsn->blocks->at[k].dim;
    const double *Fw = nsn->Fw + nsn->start[k], *Fz = nsn->Fz + nsn->start[k];
    for (size_t i = 0; i < dim * dim; i++)
        if (Fw[i] != 0.0 || Fz[i] != (i % (dim + 1) == 0 ? 1.0 : 0.0))
            return 0;
    return 1;
}

static perp_status solve_fronts(double *dz, perp_nsn_lu *lu, perp_nsn *nsn)
{
    int skipped = 0;
    for (int k = 0; k < nsn->blocks->count; k++) {
        const perp_block *block = &nsn->blocks->at[k];
        int open = is_open(nsn, k);
        skipped += open;
        memset(lu->open + nsn->lead + block->row, open, (size_t)block->dim);
    }
    const unsigned char *skip = lu->still || skipped > 0 ? lu->open : NULL;
    perp_status status = perp_front_factorise(&lu->front, nsn->J.x, skip);
    if (status != PERP_SOLVED)
        return status;
    perp_nsn_rhs(nsn);
    if (!(perp_front_solve(&lu->front, nsn->J.x, skip, nsn->rhs, error_goal) <= error_limit))
        return PERP_ERR_NUMERICAL;
    memcpy(dz, nsn->rhs + nsn->lead, (size_t)nsn->n * sizeof(double));
    return PERP_SOLVED;
}

perp_status perp_nsn_lu_direction(double *dz, perp_nsn_lu *lu, perp_nsn *nsn)
{
    perp_status status;
    if (lu->fronts && !lu->given_up) {
        if (solve_fronts(dz, lu, nsn) == PERP_SOLVED)
            return PERP_SOLVED;
        lu->given_up = 1;
    }
    if (!lu->factor) {
        status = perp_factor_create(&lu->factor, PERP_FACTOR_KLU, lu->ordering, 0, &nsn->J,
                                    &lu->allocator);
        if (status != PERP_SOLVED)
            return status;
    }
    status = perp_factor_numeric(lu->factor, &nsn->J);
    if (status != PERP_SOLVED)
        return status;
    perp_nsn_rhs(nsn);
    perp_factor_solve(lu->factor, nsn->rhs);
    for (int i = 0; i < nsn->n; i++) {
        dz[i] = nsn->rhs[nsn->lead + i];
        if (!isfinite(dz[i]))
            return PERP_ERR_NUMERICAL;
    }
    return PERP_SOLVED;
}

void perp_nsn_lu_free(perp_nsn_lu *lu)
{
    perp_factor_destroy(lu->factor);
    lu->factor = NULL;
}
