/* SPDX-License-Identifier: BSD-3-Clause */
/* Gauss-Seidel on H' M^-1 H for masses that are unsymmetric or not in small
 * blocks.  With v = M^-1 H z and P_k = M^-1 H_k,
 *     u_k = q_k + H_k' v,   and after a step  v += P_k dz_k.
 * Only the unknowns that H touches are kept in v and P: nobody reads the others.
 * P_k has a row for each of those in the components of the mass under block k. */
#include <limits.h>
#include <string.h>

#include "linalg/mass.h"
#include "linalg/partition.h"
#include "solvers/gs/sweeps.h"

typedef struct pairs {
    int *first;    /* count + 1: rows of P_k in `row` */
    size_t *value; /* count: P_k in P, block.dim numbers for each row */
    int *row;      /* unknown of each row, component by component */
    double *P;
    double *v; /* by unknown; right where H touches */
} pairs;

static void add_step(const pairs *s, int k, const double *dz, int dim)
{
    const double *P = s->P + s->value[k];
    for (int p = s->first[k]; p < s->first[k + 1]; p++, P += dim) {
        double sum = 0.0;
        for (int c = 0; c < dim; c++)
            sum += P[c] * dz[c];
        s->v[s->row[p]] += sum;
    }
}

static double visit(const perp_gs *gs, const pairs *s, int k)
{
    const perp_block *block = &gs->block[k];
    const perp_problem *problem = gs->work->problem;
    const int *colptr = problem->M.as.delassus.colptr, *row = problem->M.as.delassus.row;
    for (int c = 0; c < block->dim; c++) {
        double sum = problem->q[block->row + c];
        for (int p = colptr[block->row + c]; p < colptr[block->row + c + 1]; p++)
            sum += problem->M.as.delassus.x[p] * s->v[row[p]];
        gs->b[c] = sum;
    }
    perp_gs_add_compliance(gs, gs->b, block->row, block->dim);
    perp_gs_subtract_own(gs->b, perp_gs_diagonal(gs, k), gs->z + block->row, block->dim);
    if (perp_gs_move(gs, k))
        add_step(s, k, gs->step, block->dim);
    return perp_gs_change(gs, k, gs->step, block->dim);
}

static double run(perp_gs *gs, int from, int to, int backward)
{
    double change = 0.0;
    for (int i = 0; i < to - from; i++) {
        int slot = perp_gs_visit(gs, i, from, to, backward), k = perp_gs_block_of(gs, slot);
        if (!perp_gs_resting(gs, k))
            change += visit(gs, gs->product, k);
    }
    return change;
}

static void refresh(perp_gs *gs, int measured)
{
    const pairs *s = gs->product;
    (void)measured;
    memset(s->v, 0, (size_t)gs->work->problem->M.as.delassus.dofs * sizeof(double));
    for (int k = 0; k < gs->count; k++)
        add_step(s, k, gs->z + gs->block[k].row, gs->block[k].dim);
}

/* Unknowns touched by H, sorted by components of the mass. */
typedef struct components {
    int count;
    int *of;    /* of an unknown */
    int *first; /* count + 1, in member */
    int *member;
    int *seen; /* by component */
} components;

/* Parts of the sparse factors that are not coupled: row p[i] and column q[i]
 * belong together, and so do i and j where L or U has an entry (i, j). */
static void split_sparse(int *of, const perp_mass *mass, int *parent, int *at)
{
    const perp_lu *lu = &mass->lu;
    const int *tail = mass->dof + (mass->n - mass->nsparse);
    for (int i = 0; i < lu->n; i++) {
        parent[i] = i;
        at[lu->p[i]] = i;
    }
    for (int j = 0; j < lu->n; j++) {
        for (int p = lu->lp[j]; p < lu->lp[j + 1]; p++)
            perp_partition_join(parent, lu->li[p], j);
        for (int p = lu->up ? lu->up[j] : 0; p < (lu->up ? lu->up[j + 1] : 0); p++)
            perp_partition_join(parent, lu->ui[p], j);
        perp_partition_join(parent, at[lu->q[j]], j);
    }
    for (int i = 0; i < lu->n; i++)
        of[tail[i]] = mass->nblocks + perp_partition_root(parent, at[i]);
}

static int components_find(components *c, const perp_mat *W, perp_arena *arena)
{
    const perp_mass *mass = W->as.delassus.mass;
    int n = mass->n, nnz = W->as.delassus.colptr[W->cols];
    c->count = mass->nblocks + mass->nsparse;
    c->of = PERP_TAKE(arena, int, n);
    c->first = perp_arena_take_zero(arena, (size_t)c->count + 2, sizeof(int));
    c->member = PERP_TAKE(arena, int, n);
    c->seen = PERP_TAKE(arena, int, c->count);
    char *touched = perp_arena_take_zero(arena, (size_t)n, 1);
    int *parent = PERP_TAKE(arena, int, mass->nsparse), *at = PERP_TAKE(arena, int, mass->nsparse);
    if (arena->failed)
        return 0;
    memcpy(c->of, mass->block_of, (size_t)n * sizeof(int));
    if (mass->nsparse > 0)
        split_sparse(c->of, mass, parent, at);
    for (int p = 0; p < nnz; p++)
        touched[W->as.delassus.row[p]] = 1;
    /* Counting sort: first[i + 2] counts, then first[i + 1] runs. */
    for (int i = 0; i < n; i++)
        c->first[c->of[i] + 2] += touched[i];
    for (int i = 2; i <= c->count + 1; i++)
        c->first[i] += c->first[i - 1];
    for (int i = 0; i < n; i++)
        if (touched[i])
            c->member[c->first[c->of[i] + 1]++] = i;
    return 1;
}

/* Rows of every P_k, counted, and written where `row` is there. */
static size_t list_rows(const perp_gs *gs, pairs *s, const components *c, size_t *values)
{
    const perp_mat *W = &gs->work->problem->M;
    const int *colptr = W->as.delassus.colptr, *touched = W->as.delassus.row;
    size_t rows = 0;
    *values = 0;
    memset(c->seen, 0xff, (size_t)c->count * sizeof(int));
    for (int k = 0; k < gs->count; k++) {
        const perp_block *block = &gs->block[k];
        size_t before = rows;
        for (int p = colptr[block->row]; p < colptr[block->row + block->dim]; p++) {
            int component = c->of[touched[p]],
                length = c->first[component + 1] - c->first[component];
            if (c->seen[component] == k)
                continue;
            c->seen[component] = k;
            if (s->row) {
                memcpy(s->row + rows, c->member + c->first[component],
                       (size_t)length * sizeof(int));
            }
            rows += (size_t)length;
        }
        if (s->row) {
            s->first[k] = (int)before;
            s->first[k + 1] = (int)rows;
            s->value[k] = *values;
        }
        *values += (rows - before) * (size_t)block->dim;
    }
    return rows;
}

static perp_status setup(perp_gs *gs)
{
    perp_arena *arena = gs->work->arena, temporary;
    const perp_mat *W = &gs->work->problem->M;
    pairs *s = perp_arena_take_zero(arena, 1, sizeof *s);
    components c;
    size_t values;
    perp_status status = PERP_ERR_MEMORY;
    perp_arena_init(&temporary, &arena->allocator);
    if (s && components_find(&c, W, &temporary)) {
        size_t rows = list_rows(gs, s, &c, &values);
        gs->product = s;
        status = rows > INT_MAX ? PERP_ERR_OVERFLOW : PERP_SOLVED;
        s->first = perp_arena_take_zero(arena, (size_t)gs->count + 1, sizeof(int));
        s->value = PERP_TAKE(arena, size_t, gs->count);
        s->v = PERP_TAKE(arena, double, W->as.delassus.dofs);
        s->P = PERP_TAKE(arena, double, values);
        s->row = PERP_TAKE(arena, int, rows);
        perp_gs_take_diagonal(gs);
        if (status == PERP_SOLVED && !arena->failed)
            list_rows(gs, s, &c, &values);
    }
    perp_arena_free(&temporary);
    return status;
}

/* x = M^-1 h on the rows of P_k, 0 on entry and elsewhere on return. */
static void solve_column(double *x, const perp_mat *W, int column, const int *row, int rows,
                         double *scratch)
{
    const perp_mass *mass = W->as.delassus.mass;
    int sparse = 0, last = -1;
    for (int p = W->as.delassus.colptr[column]; p < W->as.delassus.colptr[column + 1]; p++)
        x[W->as.delassus.row[p]] = W->as.delassus.x[p];
    for (int i = 0; i < rows; i++) {
        int block = mass->block_of[row[i]];
        if (block >= 0 && block != last) {
            perp_mass_block_solve(x, mass, block);
            last = block;
        }
        sparse |= block < 0;
    }
    if (sparse)
        perp_lu_solve_at(x, &mass->lu, x, mass->dof + (mass->n - mass->nsparse), scratch);
}

enum { UNTOUCHED = -2, UNLISTED = -1 };

/* x[dof] = 0.  0: a number stood in a row that H touches, but not P_k. */
static int clear_row(double *x, int dof, const int *listed, int k)
{
    int good = x[dof] == 0.0 || listed[dof] == k || listed[dof] == UNTOUCHED;
    x[dof] = 0.0;
    return good;
}

static int clear_column(double *x, const perp_mass *mass, const int *row, int rows,
                        const int *listed, int k)
{
    int sparse = 0, last = -1, good = 1;
    for (int i = 0; i < rows; i++) {
        int block = mass->block_of[row[i]];
        for (int j = 0; block >= 0 && block != last && j < mass->blocks[block].dim; j++)
            good &= clear_row(x, mass->dof[mass->blocks[block].first + j], listed, k);
        last = block;
        sparse |= block < 0;
    }
    for (int i = mass->n - mass->nsparse; sparse && i < mass->n; i++)
        good &= clear_row(x, mass->dof[i], listed, k);
    return good;
}

/* Column c of the diagonal block k: H_k' x and what the matrix has beside H' M^-1 H. */
static void load_diagonal(const perp_gs *gs, int k, int c, const double *x)
{
    const perp_mat *W = &gs->work->problem->M;
    const int *colptr = W->as.delassus.colptr, *row = W->as.delassus.row;
    const double *added = W->as.delassus.diagonal;
    const perp_block *block = &gs->block[k];
    size_t dim = (size_t)block->dim;
    double *column = gs->diagonal + (gs->start ? gs->start[k] : dim * dim * (size_t)k);
    column += dim * (size_t)c;
    for (int i = 0; i < block->dim; i++) {
        double sum = 0.0;
        for (int p = colptr[block->row + i]; p < colptr[block->row + i + 1]; p++)
            sum += W->as.delassus.x[p] * x[row[p]];
        column[i] = sum;
    }
    if (added)
        column[c] += added[block->row + c];
}

/* P_k and its diagonal block.  0: an update came with another pattern of H or of the mass. */
static int load_block(const perp_gs *gs, const pairs *s, int k, double *x, double *scratch,
                      int *listed)
{
    const perp_mat *W = &gs->work->problem->M;
    const int *colptr = W->as.delassus.colptr, *row = s->row + s->first[k];
    const perp_block *block = &gs->block[k];
    int rows = s->first[k + 1] - s->first[k];
    for (int i = 0; i < rows; i++)
        listed[row[i]] = k;
    for (int p = colptr[block->row]; p < colptr[block->row + block->dim]; p++)
        if (listed[W->as.delassus.row[p]] != k)
            return 0;
    int good = 1;
    for (int c = 0; good && c < block->dim; c++) {
        double *P = s->P + s->value[k] + c;
        solve_column(x, W, block->row + c, row, rows, scratch);
        for (int i = 0; i < rows; i++, P += block->dim)
            *P = x[row[i]];
        load_diagonal(gs, k, c, x);
        good = clear_column(x, W->as.delassus.mass, row, rows, listed, k);
    }
    return good;
}

static perp_status load(perp_gs *gs)
{
    const pairs *s = gs->product;
    size_t n = (size_t)gs->work->problem->M.as.delassus.mass->n;
    perp_arena temporary;
    perp_arena_init(&temporary, &gs->work->arena->allocator);
    double *x = perp_arena_take_zero(&temporary, n, sizeof(double));
    double *scratch = PERP_TAKE(&temporary, double, n);
    int *listed = PERP_TAKE(&temporary, int, n);
    perp_status status = temporary.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
    for (size_t i = 0; status == PERP_SOLVED && i < n; i++)
        listed[i] = UNTOUCHED;
    for (int i = 0; status == PERP_SOLVED && i < s->first[gs->count]; i++)
        listed[s->row[i]] = UNLISTED;
    for (int k = 0; status == PERP_SOLVED && k < gs->count; k++)
        status = load_block(gs, s, k, x, scratch, listed) ? PERP_SOLVED : PERP_ERR_STRUCTURE;
    perp_arena_free(&temporary);
    return status;
}

const perp_gs_kernel perp_gs_pairs = {NULL, setup, load, refresh, run, NULL, 0};
