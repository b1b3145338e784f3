/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/auto/part.h"

#include <math.h>
#include <string.h>

#include "core/clock.h"

/* Runs of blocks of the same kind. */
static void fill_segments(perp_part *part, const perp_work *work)
{
    int count = 0;
    for (int b = 0; b < part->blocks; b++) {
        const perp_block *block = &work->blocks.at[part->block[b]];
        perp_segment *last = count > 0 ? &part->seg[count - 1] : NULL;
        for (int p = 0; p < PERP_PARAMETERS; p++)
            part->par[p][b] = block->par[p];
        if (last && (int)last->set == block->set && last->dim == block->dim) {
            last->count++;
            continue;
        }
        last = &part->seg[count++];
        *last = (perp_segment){.set = (perp_set)block->set, .dim = block->dim, .count = 1};
        for (int p = 0; p < PERP_PARAMETERS; p++) {
            last->par[p] = part->par[p] + b;
            last->stride[p] = 1;
        }
    }
    part->problem.seg = part->seg;
    part->problem.nseg = count;
}

/* H in the unknowns of the part alone, where they lie in small blocks of the mass. */
static perp_status narrow(perp_part *part, const perp_part_maps *maps, const perp_mat *M,
                          perp_arena *arena)
{
    perp_select *select = &part->select;
    perp_status status = perp_mass_part(&part->mass, select->row, (int)select->capacity,
                                        M->as.delassus.mass, maps->number, arena);
    if (status == PERP_ERR_UNSUPPORTED)
        return PERP_SOLVED;
    if (status == PERP_SOLVED)
        status = perp_mat_init_delassus(&select->mat, part->mass.n, part->rows, select->colptr,
                                        select->row, select->x, &part->mass);
    if (status == PERP_SOLVED)
        select->mat.as.delassus.diagonal = select->diagonal;
    return status;
}

perp_status perp_part_build(perp_part *part, const perp_part_maps *maps, const perp_work *work,
                            perp_arena *arena)
{
    const perp_mat *M = &work->problem->M;
    perp_status status =
        perp_select_take(&part->select, M, part->rows, part->row, maps->map, maps->alone, arena);
    if (status == PERP_SOLVED && M->kind == PERP_DELASSUS)
        status = narrow(part, maps, M, arena);
    part->seg = PERP_TAKE(arena, perp_segment, part->blocks);
    for (int p = 0; p < PERP_PARAMETERS; p++)
        part->par[p] = PERP_TAKE(arena, double, part->blocks);
    part->q = PERP_TAKE(arena, double, part->rows);
    part->z = PERP_TAKE(arena, double, part->rows);
    part->w = PERP_TAKE(arena, double, part->rows);
    if (status != PERP_SOLVED || arena->failed)
        return status != PERP_SOLVED ? status : PERP_ERR_MEMORY;
    fill_segments(part, work);
    part->problem.M = part->select.mat;
    part->problem.q = part->q;
    for (int i = 0; i < part->rows; i++) {
        part->q[i] = work->problem->q[part->row[i]];
        part->z[i] = work->z[part->row[i]];
    }
    return PERP_SOLVED;
}

int perp_part_maps_take(perp_part_maps *maps, const perp_work *work, perp_arena *arena)
{
    const perp_mat *M = &work->problem->M;
    int n = work->blocks.n, small = M->kind == PERP_DELASSUS ? M->as.delassus.mass->nblocks : 0;
    maps->map = PERP_TAKE(arena, int, n);
    maps->alone = perp_arena_take_zero(arena, (size_t)n, 1);
    maps->number = PERP_TAKE(arena, int, small);
    for (int b = 0; !arena->failed && b < small; b++)
        maps->number[b] = -1;
    return !arena->failed;
}

perp_status perp_part_solver(perp_solver **solver, const perp_solver_type *type,
                             perp_settings settings, const perp_work *work, double spent,
                             double share, double most)
{
    settings.timing = 0;
    if (settings.time_limit > 0.0) {
        settings.time_limit -= perp_clock_seconds() - work->monitor.start;
        if (settings.time_limit <= 0.0)
            return PERP_TIME_LIMIT;
    }
    if (settings.budget > 0.0)
        most = fmin(most, (settings.budget - spent) / share);
    if (!(most >= 1.0))
        return PERP_WORK_LIMIT;
    settings.budget = isfinite(most) ? most : 0.0;
    if (*solver)
        return perp_solver_set_settings(*solver, &settings);
    return perp_solver_create(solver, type, &settings, &work->arena->allocator, NULL);
}
