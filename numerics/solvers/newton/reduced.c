/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/newton/reduced.h"

#include <string.h>

perp_status perp_nsn_reduced_build(perp_nsn_reduced *reduced, const perp_nsn *nsn,
                                   perp_factor_kind kind, perp_ordering ordering,
                                   double flops_limit, perp_arena *arena)
{
    size_t order = (size_t)nsn->J.cols, entries = (size_t)nsn->J.colptr[order];
    perp_factor_stats stats;
    *reduced =
        (perp_nsn_reduced){.kind = kind, .ordering = ordering, .allocator = arena->allocator};
    perp_status status =
        perp_factor_create(&reduced->factor, kind, ordering, 0, &nsn->J, &arena->allocator);
    if (status != PERP_SOLVED)
        return status;
    perp_factor_stats_get(reduced->factor, &stats);
    reduced->flops = stats.flops;
    reduced->active = stats.flops > flops_limit;
    if (!reduced->active)
        return PERP_SOLVED;
    reduced->open = PERP_TAKE(arena, unsigned char, nsn->blocks->count);
    reduced->map = PERP_TAKE(arena, int, order);
    reduced->rhs = PERP_TAKE(arena, double, order);
    reduced->J.colptr = PERP_TAKE(arena, int, order + 1);
    reduced->J.row = PERP_TAKE(arena, int, entries);
    reduced->J.x = PERP_TAKE(arena, double, entries);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    memset(reduced->open, 0, (size_t)nsn->blocks->count);
    perp_nsn_reduced_restart(reduced);
    return PERP_SOLVED;
}

void perp_nsn_reduced_restart(perp_nsn_reduced *reduced)
{
    if (reduced->active) {
        perp_factor_destroy(reduced->factor);
        reduced->factor = NULL;
    } else {
        reduced->factor->repivot = 1;
    }
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

/* 1 when the set of open blocks is another one than before. */
static int find_open(perp_nsn_reduced *reduced, const perp_nsn *nsn)
{
    int changed = 0;
    for (int k = 0; k < nsn->blocks->count; k++) {
        unsigned char open = (unsigned char)is_open(nsn, k);
        changed |= open != reduced->open[k];
        reduced->open[k] = open;
    }
    return changed;
}

/* Rows and columns of J that are kept, in their order. */
static void extract(perp_nsn_reduced *reduced, const perp_nsn *nsn)
{
    const perp_csc *J = &nsn->J;
    perp_csc *R = &reduced->J;
    int kept = 0, end = 0;
    for (int c = 0; c < J->cols; c++) {
        int open = c >= nsn->lead && reduced->open[nsn->block_of[c - nsn->lead]];
        reduced->map[c] = open ? -1 : kept++;
    }
    for (int c = 0; c < J->cols; c++) {
        if (reduced->map[c] < 0)
            continue;
        R->colptr[reduced->map[c]] = end;
        for (int p = J->colptr[c]; p < J->colptr[c + 1]; p++) {
            if (reduced->map[J->row[p]] >= 0) {
                R->row[end] = reduced->map[J->row[p]];
                R->x[end++] = J->x[p];
            }
        }
    }
    R->rows = R->cols = kept;
    R->colptr[kept] = end;
}

perp_status perp_nsn_reduced_factorise(perp_nsn_reduced *reduced, const perp_nsn *nsn)
{
    if (!reduced->active)
        return perp_factor_numeric(reduced->factor, &nsn->J);
    if (find_open(reduced, nsn))
        perp_nsn_reduced_restart(reduced);
    extract(reduced, nsn);
    if (!reduced->factor) {
        perp_status status = perp_factor_create(&reduced->factor, reduced->kind, reduced->ordering,
                                                0, &reduced->J, &reduced->allocator);
        if (status != PERP_SOLVED)
            return status;
    }
    return perp_factor_numeric(reduced->factor, &reduced->J);
}

void perp_nsn_reduced_direction(double *dz, perp_nsn_reduced *reduced, perp_nsn *nsn)
{
    const perp_csc *J = &nsn->J;
    if (!reduced->active) {
        perp_nsn_direction(dz, nsn, reduced->factor);
        return;
    }
    double *rhs = nsn->rhs;
    memset(rhs, 0, (size_t)nsn->lead * sizeof(double));
    for (int i = 0; i < nsn->n; i++)
        rhs[nsn->lead + i] = -nsn->F[i];
    /* The steps of the open blocks are known: their columns go to the right. */
    for (int i = 0; i < nsn->n; i++) {
        int c = nsn->lead + i;
        if (reduced->map[c] >= 0)
            continue;
        dz[i] = -nsn->F[i];
        for (int p = J->colptr[c]; p < J->colptr[c + 1]; p++)
            if (reduced->map[J->row[p]] >= 0)
                rhs[J->row[p]] -= J->x[p] * dz[i];
    }
    for (int c = 0; c < J->cols; c++)
        if (reduced->map[c] >= 0)
            reduced->rhs[reduced->map[c]] = rhs[c];
    perp_factor_solve(reduced->factor, reduced->rhs);
    for (int i = 0; i < nsn->n; i++)
        if (reduced->map[nsn->lead + i] >= 0)
            dz[i] = reduced->rhs[reduced->map[nsn->lead + i]];
}

void perp_nsn_reduced_free(perp_nsn_reduced *reduced)
{
    perp_factor_destroy(reduced->factor);
    reduced->factor = NULL;
}
