/* SPDX-License-Identifier: BSD-3-Clause */
/* Gauss-Seidel on H' M^-1 H in body space, for masses in small blocks.  With v = M^-1 H z,
 *     u_k = q_k + H_k' v,   and after a step  v += M^-1 H_k dz_k.
 * W is never formed and H is read where it lies, in the caller's arrays. */
#include <limits.h>
#include <string.h>

#include "solvers/gs/grouping.h"

typedef struct bodies {
    double *v;
    double *beside; /* by unknown: 1 / m where the mass is diagonal; else what the current step adds
                       to H z, zero between two steps */
    int diagonal;
    perp_gs_grouping by;
    int *leading; /* mass blocks of body b: leading[b] .. leading[b + 1] - 1; group > 0 only */
    int *first;   /* count + 1: bodies under the block in each slot; not where diagonal */
    int *body;
    int loaded;
} bodies;

typedef struct columns {
    const int *colptr, *row;
    const double *x;
} columns;

static inline columns columns_of(const perp_gs *gs)
{
    const perp_mat *W = &gs->work->problem->M;
    return (columns){W->as.delassus.colptr, W->as.delassus.row, W->as.delassus.x};
}

static inline double gather(columns H, const double *v, int column)
{
    int p = H.colptr[column], end = H.colptr[column + 1];
    double s0 = 0.0, s1 = 0.0;
    for (; p + 1 < end; p += 2) {
        s0 += H.x[p] * v[H.row[p]];
        s1 += H.x[p + 1] * v[H.row[p + 1]];
    }
    if (p < end)
        s0 += H.x[p] * v[H.row[p]];
    return s0 + s1;
}

static inline void scatter_diagonal(columns H, double *v, const double *inverse, int column,
                                    double dz)
{
    const int end = H.colptr[column + 1];
    for (int p = H.colptr[column]; p < end; p++)
        v[H.row[p]] += inverse[H.row[p]] * (H.x[p] * dz);
}

static inline void scatter(columns H, double *sum, int column, double dz)
{
    const int end = H.colptr[column + 1];
    for (int p = H.colptr[column]; p < end; p++)
        sum[H.row[p]] += H.x[p] * dz;
}

/* v += M_b^-1 (what was scattered), which becomes zero. */
static void move_block(const perp_mass *mass, const bodies *s, int number)
{
    const perp_mass_block *block = &mass->blocks[number];
    const double *inverse = mass->inverses + block->inverse;
    const int *dof = mass->dof + block->first;
    double sum[PERP_MASS_BLOCK_MAX] = {0.0};
    for (int j = 0; j < block->dim; j++) {
        double x = s->beside[dof[j]];
        s->beside[dof[j]] = 0.0;
        for (int i = 0; i < block->dim; i++)
            sum[i] += inverse[i + j * block->dim] * x;
    }
    for (int i = 0; i < block->dim; i++)
        s->v[dof[i]] += sum[i];
}

static void add_step(const perp_gs *gs, const bodies *s, int slot, int row, const double *dz,
                     int dim)
{
    const perp_mass *mass = gs->work->problem->M.as.delassus.mass;
    const columns H = columns_of(gs);
    if (s->diagonal) {
        for (int c = 0; c < dim; c++)
            scatter_diagonal(H, s->v, s->beside, row + c, dz[c]);
        return;
    }
    for (int c = 0; c < dim; c++)
        scatter(H, s->beside, row + c, dz[c]);
    for (int p = s->first[slot]; p < s->first[slot + 1]; p++) {
        int b = s->body[p], from = s->by.group ? s->leading[b] : b;
        int to = s->by.group ? s->leading[b + 1] : b + 1;
        for (int number = from; number < to; number++)
            move_block(mass, s, number);
    }
}

static double visit_contact(const perp_gs *gs, const bodies *s, int slot, int k)
{
    const perp_problem *problem = gs->work->problem;
    const columns H = columns_of(gs);
    const double *own = perp_gs_diagonal(gs, slot), *q = problem->q + 3 * (size_t)k;
    double b[3], step[3];
    for (int i = 0; i < 3; i++)
        b[i] = q[i] + gather(H, s->v, 3 * k + i);
    perp_gs_add_compliance(gs, b, 3 * k, 3);
    perp_gs_subtract_own(b, own, gs->z + 3 * (size_t)k, 3);
    if (perp_gs_move_contact(gs, slot, own, b, step))
        add_step(gs, s, slot, 3 * k, step, 3);
    return perp_gs_change(gs, k, step, 3);
}

static double visit_any(const perp_gs *gs, const bodies *s, int slot, int k)
{
    const perp_problem *problem = gs->work->problem;
    const perp_block *block = &gs->block[k];
    const columns H = columns_of(gs);
    for (int i = 0; i < block->dim; i++)
        gs->b[i] = problem->q[block->row + i] + gather(H, s->v, block->row + i);
    perp_gs_add_compliance(gs, gs->b, block->row, block->dim);
    perp_gs_subtract_own(gs->b, perp_gs_diagonal(gs, slot), gs->z + block->row, block->dim);
    if (perp_gs_move(gs, slot))
        add_step(gs, s, slot, block->row, gs->step, block->dim);
    return perp_gs_change(gs, k, gs->step, block->dim);
}

static double run(perp_gs *gs, int from, int to, int backward)
{
    const int contacts = gs->work->blocks.sets == PERP_BIT(PERP_COULOMB) && gs->uniform == 3;
    double change = 0.0;
    for (int i = 0; i < to - from; i++) {
        int slot = perp_gs_visit(gs, i, from, to, backward), k = perp_gs_block_of(gs, slot);
        if (!perp_gs_resting(gs, k))
            change += contacts ? visit_contact(gs, gs->product, slot, k)
                               : visit_any(gs, gs->product, slot, k);
    }
    return change;
}

static void add_steps(perp_gs *gs, int from, int to)
{
    for (int slot = from; slot < to; slot++) {
        const perp_block *block = &gs->block[perp_gs_block_of(gs, slot)];
        add_step(gs, gs->product, slot, block->row, gs->z + block->row, block->dim);
    }
}

static void refresh(perp_gs *gs, int measured)
{
    const bodies *s = gs->product;
    (void)measured;
    memset(s->v, 0, (size_t)gs->work->problem->M.as.delassus.dofs * sizeof(double));
    perp_gs_each_piece(gs, add_steps);
}

static int is_diagonal(const perp_mass *mass)
{
    return mass->nblocks == mass->n;
}

static bodies *take_bodies(perp_gs *gs)
{
    if (!gs->product)
        gs->product = perp_arena_take_zero(gs->work->arena, 1, sizeof(bodies));
    return gs->product;
}

static perp_status couple(perp_gs *gs, perp_coupling *coupling, perp_arena *temporary)
{
    bodies *s = take_bodies(gs);
    perp_status status = s ? perp_gs_choose_group(&s->by, gs, temporary) : PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = perp_gs_couple_bodies(gs, coupling, s->by.group, temporary);
    coupling->runs = 1;
    return status;
}

static perp_status setup(perp_gs *gs)
{
    perp_arena *arena = gs->work->arena, temporary;
    const perp_mass *mass = gs->work->problem->M.as.delassus.mass;
    bodies *s = take_bodies(gs);
    if (!s)
        return PERP_ERR_MEMORY;
    perp_arena_init(&temporary, &arena->allocator);
    perp_status status = perp_gs_choose_group(&s->by, gs, &temporary);
    perp_arena_free(&temporary);
    if (status != PERP_SOLVED)
        return status;
    s->diagonal = is_diagonal(mass);
    s->v = PERP_TAKE(arena, double, mass->n);
    s->beside = perp_arena_take_zero(arena, (size_t)mass->n, sizeof(double));
    gs->kept = s->v;
    gs->kept_n = (size_t)mass->n;
    perp_gs_take_diagonal(gs);
    if (!s->diagonal) {
        s->first = PERP_TAKE(arena, int, (size_t)gs->count + 1);
        s->body = PERP_TAKE(arena, int, s->by.total.supports);
        s->leading =
            s->by.group ? PERP_TAKE(arena, int, (size_t)(mass->n / s->by.group) + 1) : NULL;
    }
    return s->by.total.supports > INT_MAX ? PERP_ERR_OVERFLOW : PERP_SOLVED;
}

/* The bodies under each block may be others than they were in setup, but no more. */
static perp_status load_bodies(perp_gs *gs, bodies *s, perp_arena *temporary)
{
    const perp_mass *mass = gs->work->problem->M.as.delassus.mass;
    int *seen = PERP_TAKE(temporary, int, mass->n);
    if (!seen)
        return PERP_ERR_MEMORY;
    if (perp_gs_count_bodies(gs, s->by.group, NULL, NULL, seen).supports != s->by.total.supports)
        return PERP_ERR_STATE;
    if (s->diagonal)
        return PERP_SOLVED;
    perp_gs_count_bodies(gs, s->by.group, s->first, s->body, seen);
    for (int b = 0, k = 0; s->leading && b <= mass->n / s->by.group; b++) {
        while (k < mass->nblocks && mass->dof[mass->blocks[k].first] < b * s->by.group)
            k++;
        s->leading[b] = k;
    }
    return PERP_SOLVED;
}

/* 1: the colours are good for the bodies that the blocks touch now. */
static int colours_hold(const perp_gs *gs, const bodies *s, perp_arena *temporary)
{
    perp_coupling coupling;
    if (perp_gs_couple_bodies(gs, &coupling, s->by.group, temporary) != PERP_SOLVED)
        return PERP_ERR_MEMORY;
    return perp_colouring_holds(&gs->colouring, &coupling, &temporary->allocator);
}

static perp_status load_new_numbers(perp_gs *gs, bodies *s, perp_arena *temporary)
{
    const perp_mass *mass = gs->work->problem->M.as.delassus.mass;
    if (mass->nsparse > 0 || !perp_gs_group_fits(mass, s->by.group) ||
        is_diagonal(mass) != s->diagonal)
        return PERP_ERR_STATE;
    if (!s->diagonal || s->loaded) {
        perp_status status = load_bodies(gs, s, temporary);
        if (status != PERP_SOLVED)
            return status;
    }
    if (s->loaded && gs->colouring.pieces) {
        int holds = colours_hold(gs, s, temporary);
        if (holds != 1)
            return holds < 0 ? PERP_ERR_MEMORY : PERP_ERR_STATE;
    }
    for (int k = 0; s->diagonal && k < mass->nblocks; k++)
        s->beside[mass->dof[mass->blocks[k].first]] = mass->inverses[mass->blocks[k].inverse];
    s->loaded = 1;
    return PERP_SOLVED;
}

static perp_status load(perp_gs *gs)
{
    perp_arena temporary;
    perp_arena_init(&temporary, &gs->work->arena->allocator);
    perp_status status = load_new_numbers(gs, gs->product, &temporary);
    perp_arena_free(&temporary);
    return status == PERP_SOLVED ? perp_gs_load_diagonal(gs) : status;
}

const perp_gs_kernel perp_gs_inplace = {couple, setup, load, refresh, run, NULL, 0};
