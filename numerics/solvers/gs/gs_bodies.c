/* SPDX-License-Identifier: BSD-3-Clause */
/* Gauss-Seidel on H' M^-1 H in body space, for masses in small positive
 * definite blocks M_b = L_b L_b'.  With y = L^-1 H z and B_k = L^-1 H_k, which
 * has rows only where block k touches a body,
 *     u_k = q_k + B_k' y,   and after a step  y += B_k dz_k.
 * W is never formed; one array of blocks, packed in the order of the sweep, is read. */
#include <limits.h>
#include <string.h>

#include "solvers/gs/grouping.h"

typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

/* A body under a block: dim numbers of y from `at` on. */
typedef struct support {
    int at, dim;
} support;

typedef struct bodies {
    int *first;    /* count + 1: supports of the block in each slot */
    size_t *value; /* count: its B_k, support after support, dim x block.dim column-major */
    support *support;
    double *B;
    double *y; /* in the order of the grouping */
    perp_gs_grouping by;
    int rigid; /* 1: nothing but contacts of three rows on bodies of six unknowns */
} bodies;

/* u += B' y and y += B dz for one body of six unknowns and three rows. */
static inline void gather_6(pair s[3], const double *B, const double *y)
{
    const pair y0 = *(const pair *)y, y1 = *(const pair *)(y + 2), y2 = *(const pair *)(y + 4);
    for (int c = 0; c < 3; c++) {
        const double *x = B + 6 * c;
        s[c] += *(const pair *)x * y0 + *(const pair *)(x + 2) * y1 + *(const pair *)(x + 4) * y2;
    }
}

static inline void scatter_6(double *y, const double *B, const double *dz)
{
    const pair d0 = {dz[0], dz[0]}, d1 = {dz[1], dz[1]}, d2 = {dz[2], dz[2]};
    for (int i = 0; i < 6; i += 2) {
        *(pair *)(y + i) += *(const pair *)(B + i) * d0 + *(const pair *)(B + i + 6) * d1 +
                            *(const pair *)(B + i + 12) * d2;
    }
}

static void gather(double *u, const double *B, const double *y, int rows, int cols)
{
    for (int c = 0; c < cols; c++) {
        double sum = 0.0;
        for (int i = 0; i < rows; i++)
            sum += B[c * rows + i] * y[i];
        u[c] += sum;
    }
}

static void scatter(double *y, const double *B, const double *dz, int rows, int cols)
{
    for (int c = 0; c < cols; c++)
        for (int i = 0; i < rows; i++)
            y[i] += B[c * rows + i] * dz[c];
}

static double visit_rigid(const perp_gs *gs, const bodies *s, const double *q, int slot, int k)
{
    const support *from = s->support + s->first[slot], *to = s->support + s->first[slot + 1];
    const double *B = s->B + s->value[slot], *at = B, *own = perp_gs_diagonal(gs, slot);
    pair sum[3] = {{0.0, 0.0}, {0.0, 0.0}, {0.0, 0.0}};
    for (const support *p = from; p < to; p++, at += 18)
        gather_6(sum, at, s->y + p->at);
    const double *z = gs->z + 3 * (size_t)k, *qk = q + 3 * (size_t)k;
    double b[3], step[3];
    for (int i = 0; i < 3; i++)
        b[i] = qk[i] + (sum[i][0] + sum[i][1]);
    perp_gs_add_compliance(gs, b, 3 * k, 3);
    perp_gs_subtract_own(b, own, z, 3);
    if (perp_gs_move_contact(gs, slot, own, b, step))
        for (const support *p = from; p < to; p++, B += 18)
            scatter_6(s->y + p->at, B, step);
    return perp_gs_change(gs, k, step, 3);
}

static void add_step(const bodies *s, int slot, const double *dz, int dim)
{
    const double *B = s->B + s->value[slot];
    for (int p = s->first[slot]; p < s->first[slot + 1]; p++) {
        if (s->rigid)
            scatter_6(s->y + s->support[p].at, B, dz);
        else
            scatter(s->y + s->support[p].at, B, dz, s->support[p].dim, dim);
        B += s->support[p].dim * dim;
    }
}

static double visit_any(const perp_gs *gs, const bodies *s, const double *q, int slot, int k)
{
    const perp_block *block = &gs->block[k];
    const double *B = s->B + s->value[slot];
    int dim = block->dim;
    memcpy(gs->b, q + block->row, (size_t)dim * sizeof(double));
    for (int p = s->first[slot]; p < s->first[slot + 1]; p++) {
        gather(gs->b, B, s->y + s->support[p].at, s->support[p].dim, dim);
        B += s->support[p].dim * dim;
    }
    perp_gs_add_compliance(gs, gs->b, block->row, dim);
    perp_gs_subtract_own(gs->b, perp_gs_diagonal(gs, slot), gs->z + block->row, dim);
    if (perp_gs_move(gs, slot))
        add_step(s, slot, gs->step, dim);
    return perp_gs_change(gs, k, gs->step, dim);
}

static double run(perp_gs *gs, int from, int to, int backward)
{
    const bodies *s = gs->product;
    const double *q = gs->work->problem->q;
    double change = 0.0;
    for (int i = 0; i < to - from; i++) {
        int slot = perp_gs_visit(gs, i, from, to, backward), k = perp_gs_block_of(gs, slot);
        if (!perp_gs_resting(gs, k))
            change += s->rigid ? visit_rigid(gs, s, q, slot, k) : visit_any(gs, s, q, slot, k);
    }
    return change;
}

static void add_steps(perp_gs *gs, int from, int to)
{
    for (int slot = from; slot < to; slot++) {
        const perp_block *block = &gs->block[perp_gs_block_of(gs, slot)];
        add_step(gs->product, slot, gs->z + block->row, block->dim);
    }
}

static void refresh(perp_gs *gs, int measured)
{
    const bodies *s = gs->product;
    (void)measured;
    memset(s->y, 0, (size_t)gs->work->problem->M.as.delassus.mass->n * sizeof(double));
    perp_gs_each_piece(gs, add_steps);
}

static support extent(const perp_mass *mass, int group, int body)
{
    if (group)
        return (support){body * group, group};
    return (support){mass->blocks[body].first, mass->blocks[body].dim};
}

/* Where each body of a block lies in y, and its numbers in B. */
static void place_bodies(const perp_gs *gs, const bodies *s, const int *body)
{
    const perp_mass *mass = gs->work->problem->M.as.delassus.mass;
    size_t values = 0;
    for (int slot = 0; slot < gs->count; slot++) {
        s->value[slot] = values;
        for (int p = s->first[slot]; p < s->first[slot + 1]; p++) {
            s->support[p] = extent(mass, s->by.group, body[p]);
            values += (size_t)s->support[p].dim * (size_t)gs->block[perp_gs_block_of(gs, slot)].dim;
        }
    }
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
    return status;
}

static perp_status setup(perp_gs *gs)
{
    perp_arena *arena = gs->work->arena, temporary;
    size_t n = (size_t)gs->work->problem->M.as.delassus.mass->n;
    int *body = NULL;
    perp_arena_init(&temporary, &arena->allocator);
    int *seen = PERP_TAKE(&temporary, int, n);
    bodies *s = take_bodies(gs);
    if (s && seen && perp_gs_choose_group(&s->by, gs, &temporary) == PERP_SOLVED) {
        body = PERP_TAKE(&temporary, int, s->by.total.supports);
        s->first = PERP_TAKE(arena, int, (size_t)gs->count + 1);
        s->value = PERP_TAKE(arena, size_t, gs->count);
        s->y = PERP_TAKE(arena, double, n);
        s->B = PERP_TAKE(arena, double, s->by.total.values);
        gs->kept = s->y;
        gs->kept_n = n;
        perp_gs_take_diagonal(gs);
        s->support = PERP_TAKE(arena, support, s->by.total.supports);
    }
    if (body && !arena->failed) {
        perp_gs_count_bodies(gs, s->by.group, s->first, body, seen);
        place_bodies(gs, s, body);
        s->rigid = gs->work->blocks.sets == PERP_BIT(PERP_COULOMB) && gs->uniform == 3;
        for (size_t i = 0; i < s->by.total.supports; i++)
            s->rigid &= s->support[i].dim == 6;
    }
    perp_arena_free(&temporary);
    if (!body)
        return PERP_ERR_MEMORY;
    return s->by.total.supports > INT_MAX ? PERP_ERR_OVERFLOW : PERP_SOLVED;
}

/* Where the numbers of a body begin in B_k, and how many unknowns it has; dim 0:
 * it is not under block k. */
typedef struct place {
    size_t start;
    int dim;
} place;

typedef struct filler {
    const perp_mat *W;
    place *slot; /* by position in y */
    int *place;  /* of an unknown in its block of the mass */
} filler;

/* Column c of B_k: each entry of H brings a column of its block's root.  0: it
 * touches a body that it did not touch in setup. */
static int load_column(double *B, const bodies *s, const filler *f, int column, int c)
{
    const perp_mass *mass = f->W->as.delassus.mass;
    const int *colptr = f->W->as.delassus.colptr, *row = f->W->as.delassus.row;
    for (int p = colptr[column]; p < colptr[column + 1]; p++) {
        const perp_mass_block *block = &mass->blocks[mass->block_of[row[p]]];
        support body = extent(mass, s->by.group, perp_gs_body_of(mass, s->by.group, row[p]));
        const double *root = mass->roots + block->root + f->place[row[p]] * block->dim;
        const place *into = &f->slot[body.at];
        if (into->dim != body.dim)
            return 0;
        double *out = B + into->start + (size_t)c * (size_t)body.dim;
        for (int i = 0; i < block->dim; i++) {
            int at = s->by.group ? mass->dof[block->first + i] % s->by.group : i;
            out[at] += root[i] * f->W->as.delassus.x[p];
        }
    }
    return 1;
}

static int load_block(const perp_gs *gs, const bodies *s, const filler *f, int slot)
{
    const perp_block *block = &gs->block[perp_gs_block_of(gs, slot)];
    double *B = s->B + s->value[slot];
    size_t size = 0;
    int good = 1;
    for (int p = s->first[slot]; p < s->first[slot + 1]; p++) {
        f->slot[s->support[p].at] = (place){size, s->support[p].dim};
        size += (size_t)s->support[p].dim * (size_t)block->dim;
    }
    memset(B, 0, size * sizeof(double));
    for (int c = 0; good && c < block->dim; c++)
        good = load_column(B, s, f, block->row + c, c);
    for (int p = s->first[slot]; p < s->first[slot + 1]; p++)
        f->slot[s->support[p].at].dim = 0;
    return good;
}

static perp_status load(perp_gs *gs)
{
    const bodies *s = gs->product;
    const perp_mass *mass = gs->work->problem->M.as.delassus.mass;
    perp_arena temporary;
    if (!mass->roots || mass->nsparse > 0 || !perp_gs_group_fits(mass, s->by.group))
        return PERP_ERR_STRUCTURE;
    perp_arena_init(&temporary, &gs->work->arena->allocator);
    filler f = {.W = &gs->work->problem->M};
    f.slot = perp_arena_take_zero(&temporary, (size_t)mass->n, sizeof *f.slot);
    f.place = PERP_TAKE(&temporary, int, mass->n);
    perp_status status = temporary.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
    if (status == PERP_SOLVED) {
        for (int b = 0; b < mass->nblocks; b++)
            for (int i = 0; i < mass->blocks[b].dim; i++)
                f.place[mass->dof[mass->blocks[b].first + i]] = i;
        for (int slot = 0; status == PERP_SOLVED && slot < gs->count; slot++)
            status = load_block(gs, s, &f, slot) ? PERP_SOLVED : PERP_ERR_STRUCTURE;
    }
    perp_arena_free(&temporary);
    return status == PERP_SOLVED ? perp_gs_load_diagonal(gs) : status;
}

const perp_gs_kernel perp_gs_bodies = {couple, setup, load, refresh, run, NULL, 0};
