/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/gs/grouping.h"

#include <limits.h>
#include <string.h>

int perp_gs_group_fits(const perp_mass *mass, int group)
{
    int last = 0;
    if (group && mass->n % group != 0)
        return 0;
    for (int b = 0; group && b < mass->nblocks; b++) {
        const int *dof = mass->dof + mass->blocks[b].first;
        for (int i = 1; i < mass->blocks[b].dim; i++)
            if (dof[i] / group != dof[0] / group)
                return 0;
        if (dof[0] / group < last)
            return 0;
        last = dof[0] / group;
    }
    return 1;
}

perp_gs_census perp_gs_count_bodies(const perp_gs *gs, int group, int *first, int *body, int *seen)
{
    const perp_mat *W = &gs->work->problem->M;
    const perp_mass *mass = W->as.delassus.mass;
    const int *colptr = W->as.delassus.colptr, *row = W->as.delassus.row;
    perp_gs_census total = {0, 0};
    memset(seen, 0xff, (size_t)mass->n * sizeof *seen);
    for (int slot = 0; slot < gs->count; slot++) {
        int k = perp_gs_block_of(gs, slot);
        const perp_block *block = &gs->block[k];
        if (first)
            first[slot] = (int)total.supports;
        for (int p = colptr[block->row]; p < colptr[block->row + block->dim]; p++) {
            int b = perp_gs_body_of(mass, group, row[p]);
            if (seen[b] == k)
                continue;
            seen[b] = k;
            if (body)
                body[total.supports] = b;
            total.supports++;
            total.values += (size_t)(group ? group : mass->blocks[b].dim) * (size_t)block->dim;
        }
    }
    if (first)
        first[gs->count] = (int)total.supports;
    return total;
}

perp_status perp_gs_choose_group(perp_gs_grouping *grouping, const perp_gs *gs,
                                 perp_arena *temporary)
{
    static const int groups[] = {0, 3, 6};
    const perp_mass *mass = gs->work->problem->M.as.delassus.mass;
    perp_gs_census best = {0, 0};
    if (grouping->chosen)
        return PERP_SOLVED;
    int *seen = PERP_TAKE(temporary, int, mass->n);
    if (!seen)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < 3; i++) {
        if (perp_gs_group_fits(mass, groups[i])) {
            perp_gs_census c = perp_gs_count_bodies(gs, groups[i], NULL, NULL, seen);
            if (i == 0 || c.values + 2 * c.supports < best.values + 2 * best.supports) {
                best = c;
                grouping->group = groups[i];
            }
        }
    }
    grouping->total = best;
    grouping->chosen = 1;
    return PERP_SOLVED;
}

/* The blocks of each body: a counting sort of what lies under each block. */
static void turn_round(perp_coupling *c, int *group, int *member)
{
    for (int p = 0; p < c->first[c->count]; p++)
        group[c->link[p] + 2]++;
    for (int g = 2; g <= c->groups + 1; g++)
        group[g] += group[g - 1];
    for (int k = 0; k < c->count; k++)
        for (int p = c->first[k]; p < c->first[k + 1]; p++)
            member[group[c->link[p] + 1]++] = k;
    c->group = group;
    c->member = member;
}

perp_status perp_gs_couple_bodies(const perp_gs *gs, perp_coupling *coupling, int group,
                                  perp_arena *temporary)
{
    const perp_mass *mass = gs->work->problem->M.as.delassus.mass;
    perp_gs uncoloured = *gs;
    uncoloured.colouring.pieces = 0;
    int *seen = PERP_TAKE(temporary, int, mass->n);
    if (!seen)
        return PERP_ERR_MEMORY;
    size_t supports = perp_gs_count_bodies(&uncoloured, group, NULL, NULL, seen).supports;
    if (supports > INT_MAX)
        return PERP_ERR_OVERFLOW;
    int groups = group ? mass->n / group : mass->nblocks;
    int *at = perp_arena_take_zero(temporary, (size_t)groups + 2, sizeof(int));
    int *member = PERP_TAKE(temporary, int, supports), *link = PERP_TAKE(temporary, int, supports);
    int *first = PERP_TAKE(temporary, int, (size_t)gs->count + 1);
    if (temporary->failed)
        return PERP_ERR_MEMORY;
    perp_gs_count_bodies(&uncoloured, group, first, link, seen);
    *coupling = (perp_coupling){.count = gs->count, .first = first, .link = link, .groups = groups};
    turn_round(coupling, at, member);
    return PERP_SOLVED;
}
