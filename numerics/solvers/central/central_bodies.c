/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/central/central_bodies.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/dense_lu.h"
#include "linalg/mass.h"
#include "linalg/small.h"

static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* Unknowns of the bodies that block k touches, into out (NULL: only counted).  stamp:
 * bodies, last block that named each. */
static int touched(const perp_mat *M, const perp_block *block, int k, int *stamp, int *out)
{
    const perp_mass *mass = M->as.delassus.mass;
    int count = 0;
    for (int p = M->as.delassus.colptr[block->row];
         p < M->as.delassus.colptr[block->row + block->dim]; p++) {
        int body = mass->block_of[M->as.delassus.row[p]];
        if (stamp[body] == k)
            continue;
        stamp[body] = k;
        for (int i = 0; i < mass->blocks[body].dim; i++, count++)
            if (out)
                out[count] = mass->dof[mass->blocks[body].first + i];
    }
    if (out)
        qsort(out, (size_t)count, sizeof *out, by_value);
    return count;
}

/* Sizes of all touches; PERP_ERR_OVERFLOW where they cannot be numbered. */
static perp_status measure_touches(perp_central *central, const perp_mat *M, int *stamp,
                                   size_t totals[3])
{
    int bodies = M->as.delassus.mass->nblocks;
    for (int b = 0; b < bodies; b++)
        stamp[b] = -1;
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        perp_central_touch *t = &central->touch[k];
        t->count = touched(M, block, k, stamp, NULL);
        t->dof = totals[0];
        t->place = totals[1];
        t->lever = totals[2];
        size_t count = (size_t)t->count;
        totals[0] += count;
        totals[1] += count * count;
        totals[2] += count * (size_t)block->dim;
        if (totals[1] > INT_MAX / 2)
            return PERP_ERR_OVERFLOW;
    }
    return PERP_SOLVED;
}

/* The pattern of B from the pairs of unknowns of each touch and the diagonal. */
static perp_status pattern(perp_central *central, size_t pairs, perp_arena *arena)
{
    perp_arena temporary;
    perp_arena_init(&temporary, &arena->allocator);
    size_t total = pairs + (size_t)central->bodies, end = 0;
    int *row = PERP_TAKE(&temporary, int, total), *col = PERP_TAKE(&temporary, int, total);
    double *zero = perp_arena_take_zero(&temporary, total, sizeof *zero);
    perp_status status = temporary.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
    for (int k = 0; status == PERP_SOLVED && k < central->blocks->count; k++) {
        const perp_central_touch *t = &central->touch[k];
        const int *dof = central->dof + t->dof;
        for (int j = 0; j < t->count; j++)
            for (int i = 0; i < t->count; i++, end++) {
                row[end] = dof[i];
                col[end] = dof[j];
            }
    }
    for (int i = 0; status == PERP_SOLVED && i < central->bodies; i++, end++)
        row[end] = col[end] = i;
    if (status == PERP_SOLVED)
        status = perp_csc_from_triplets(&central->B, central->bodies, central->bodies, (int)total,
                                        row, col, zero, arena);
    perp_arena_free(&temporary);
    return status;
}

/* Position of each pair of a touch in B. */
static void find_places(perp_central *central)
{
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_central_touch *t = &central->touch[k];
        const int *dof = central->dof + t->dof;
        int *place = central->place + t->place;
        for (int j = 0; j < t->count; j++) {
            int p = central->B.colptr[dof[j]];
            for (int i = 0; i < t->count; i++) {
                while (central->B.row[p] < dof[i])
                    p++;
                *place++ = p;
            }
        }
    }
}

perp_status perp_central_bodies_build(perp_central *central, const perp_problem *problem,
                                      perp_arena *arena)
{
    const perp_mat *M = &problem->M;
    size_t totals[3] = {0, 0, 0}, n = (size_t)central->blocks->n;
    central->bodies = M->as.delassus.dofs;
    central->touch = PERP_TAKE(arena, perp_central_touch, central->blocks->count);
    int *stamp = PERP_TAKE(arena, int, M->as.delassus.mass->nblocks);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    perp_status status = measure_touches(central, M, stamp, totals);
    if (status != PERP_SOLVED || (size_t)central->bodies > INT_MAX / 2)
        return PERP_ERR_OVERFLOW;
    central->dof = PERP_TAKE(arena, int, totals[0]);
    central->place = PERP_TAKE(arena, int, totals[1]);
    central->H = PERP_TAKE(arena, double, totals[2]);
    central->MinvH = PERP_TAKE(arena, double, totals[2]);
    central->pivots = PERP_TAKE(arena, int, n);
    central->C = PERP_TAKE(arena, double, central->nsn.start[central->blocks->count]);
    central->lu = PERP_TAKE(arena, double, central->nsn.start[central->blocks->count]);
    central->dv = PERP_TAKE(arena, double, central->bodies);
    if (arena->failed)
        return PERP_ERR_MEMORY;
    for (int b = 0; b < M->as.delassus.mass->nblocks; b++)
        stamp[b] = -1;
    for (int k = 0; k < central->blocks->count; k++)
        touched(M, &central->blocks->at[k], k, stamp, central->dof + central->touch[k].dof);
    status = pattern(central, totals[1], arena);
    if (status == PERP_SOLVED)
        find_places(central);
    return status;
}

void perp_central_bodies_load(perp_central *central, const perp_problem *problem)
{
    const perp_mat *M = &problem->M;
    const perp_csc *J = &central->nsn.J;
    double *v = central->dv;
    memset(v, 0, (size_t)central->bodies * sizeof *v);
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        const perp_central_touch *t = &central->touch[k];
        const int *dof = central->dof + t->dof;
        double *H = central->H + t->lever, *MinvH = central->MinvH + t->lever;
        for (int j = block->row; j < block->row + block->dim;
             j++, H += t->count, MinvH += t->count) {
            for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++)
                v[M->as.delassus.row[p]] += M->as.delassus.x[p];
            for (int i = 0; i < t->count; i++) {
                H[i] = v[dof[i]];
                v[dof[i]] = 0.0;
            }
            int column = central->bodies + j;
            for (int p = J->colptr[column]; J->row[p] < central->bodies; p++)
                v[J->row[p]] = -central->nsn.fixed[p];
            for (int i = 0; i < t->count; i++) {
                MinvH[i] = v[dof[i]];
                v[dof[i]] = 0.0;
            }
        }
    }
}

/* The entries of B from C of block k; column is space for one column of C H'. */
static void add_block(perp_central *central, int k, double *column)
{
    const perp_block *block = &central->blocks->at[k];
    const perp_central_touch *t = &central->touch[k];
    const int *place = central->place + t->place;
    const double *C = central->C + central->nsn.start[k];
    const double *H = central->H + t->lever, *MinvH = central->MinvH + t->lever;
    int dim = block->dim;
    for (int j = 0; j < t->count; j++, place += t->count) {
        for (int i = 0; i < dim; i++)
            column[i] = 0.0;
        for (int l = 0; l < dim; l++)
            for (int i = 0; i < dim; i++)
                column[i] += C[i + l * dim] * H[j + l * t->count];
        for (int l = 0; l < dim; l++) {
            const double *lever = MinvH + (size_t)l * (size_t)t->count;
            for (int i = 0; i < t->count; i++)
                central->B.x[place[i]] += lever[i] * column[l];
        }
    }
}

perp_status perp_central_bodies_factorise(perp_central *central)
{
    perp_csc *B = &central->B;
    size_t entries = central->nsn.start[central->blocks->count];
    memcpy(central->lu, central->Pz, entries * sizeof(double));
    memcpy(central->C, central->Pw, entries * sizeof(double));
    for (int c = 0; c < B->cols; c++)
        for (int p = B->colptr[c]; p < B->colptr[c + 1]; p++)
            B->x[p] = B->row[p] == c ? 1.0 : 0.0;
    central->sign = 1;
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        double *C = central->C + central->nsn.start[k], *lu = central->lu + central->nsn.start[k];
        int *pivots = central->pivots + block->row;
        if (!perp_dense_lu_factor(lu, pivots, block->dim))
            return PERP_ERR_SINGULAR;
        for (int j = 0; j < block->dim; j++) {
            if ((lu[j * (block->dim + 1)] < 0.0) != (pivots[j] != j + 1))
                central->sign = -central->sign;
            perp_dense_lu_solve(C + j * block->dim, lu, pivots, block->dim);
        }
        add_block(central, k, central->work);
    }
    return perp_factor_numeric(central->factor, B);
}

void perp_central_bodies_solve(double *dz, perp_central *central, const double *r)
{
    double *v = central->dv, *u = central->work;
    memset(v, 0, (size_t)central->bodies * sizeof *v);
    memcpy(dz, r, (size_t)central->blocks->n * sizeof *dz);
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        const perp_central_touch *t = &central->touch[k];
        const int *dof = central->dof + t->dof;
        double *g = dz + block->row;
        perp_dense_lu_solve(g, central->lu + central->nsn.start[k], central->pivots + block->row,
                            block->dim);
        for (int l = 0; l < block->dim; l++)
            for (int i = 0; i < t->count; i++)
                v[dof[i]] += central->MinvH[t->lever + (size_t)(i + l * t->count)] * g[l];
    }
    perp_factor_solve(central->factor, v);
    for (int k = 0; k < central->blocks->count; k++) {
        const perp_block *block = &central->blocks->at[k];
        const perp_central_touch *t = &central->touch[k];
        const int *dof = central->dof + t->dof;
        int dim = block->dim;
        for (int l = 0; l < dim; l++) {
            u[l] = 0.0;
            for (int i = 0; i < t->count; i++)
                u[l] -= central->H[t->lever + (size_t)(i + l * t->count)] * v[dof[i]];
        }
        perp_small_gemv(dz + block->row, central->C + central->nsn.start[k], u, dim, dim);
    }
}
