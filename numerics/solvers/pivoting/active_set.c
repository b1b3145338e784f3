/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/pivoting/active_set.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/dense_lu.h"
#include "linalg/mat.h"

/* Where a row is: in S, or at its lower or upper bound. */
enum { INSIDE, LOWER, UPPER };

int perp_active_set_takes(const perp_mat *M)
{
    return M->kind == PERP_DENSE || M->kind == PERP_CSC || M->kind == PERP_BSR;
}

size_t perp_active_set_bytes(size_t n)
{
    return (n * n + n) * sizeof(double) + 3 * n * sizeof(int) + n;
}

static double lower(const perp_block *block)
{
    return block->set == PERP_BOX ? block->par[0] : 0.0;
}

static void list(perp_active_set *set)
{
    set->count = 0;
    set->bounded = 0;
    for (int i = 0; i < set->n; i++) {
        const perp_block *block = &set->blocks->at[i];
        if (set->side[i] == INSIDE)
            set->row[set->count++] = i;
        else
            set->bounded |= set->side[i] == UPPER || lower(block) != 0.0;
    }
}

int perp_active_set_start(perp_active_set *set, const perp_problem *problem,
                          const perp_blocks *blocks, const double *z, perp_arena *arena)
{
    size_t n = (size_t)blocks->n;
    *set = (perp_active_set){.problem = problem, .blocks = blocks, .n = blocks->n};
    set->lu = perp_arena_take(arena, perp_active_set_bytes(n), 1);
    if (!set->lu)
        return 0;
    set->r = set->lu + n * n;
    set->row = (int *)(set->r + n);
    set->at = set->row + n;
    set->pivots = set->at + n;
    set->side = (unsigned char *)(set->pivots + n);
    for (int i = 0; i < blocks->n; i++) {
        const perp_block *block = &blocks->at[i];
        int box = block->set == PERP_BOX;
        set->side[i] = block->set == PERP_FREE        ? INSIDE
                       : z[i] <= lower(block)         ? LOWER
                       : box && z[i] >= block->par[1] ? UPPER
                                                      : INSIDE;
    }
    list(set);
    return 1;
}

/* M_SS by columns. */
static void gather(perp_active_set *set)
{
    const perp_mat *M = &set->problem->M;
    int m = set->count;
    size_t columns = (size_t)m;
    if (M->kind == PERP_DENSE) {
        for (int j = 0; j < m; j++) {
            const double *x = M->as.dense.x + (size_t)set->row[j] * (size_t)M->as.dense.ld;
            for (int i = 0; i < m; i++)
                set->lu[(size_t)i + (size_t)j * columns] = x[set->row[i]];
        }
        return;
    }
    memset(set->lu, 0, columns * columns * sizeof(double));
    for (int i = 0, k = 0; i < set->n; i++)
        set->at[i] = set->side[i] == INSIDE ? k++ : -1;
    if (M->kind == PERP_CSC) {
        for (int j = 0; j < m; j++)
            for (int p = M->as.csc.colptr[set->row[j]]; p < M->as.csc.colptr[set->row[j] + 1]; p++)
                if (set->at[M->as.csc.row[p]] >= 0)
                    set->lu[(size_t)set->at[M->as.csc.row[p]] + (size_t)j * columns] =
                        M->as.csc.x[p];
        return;
    }
    int b = M->as.bsr.block;
    for (int i = 0; i < m; i++) {
        int block_row = set->row[i] / b, r = set->row[i] % b;
        for (int p = M->as.bsr.rowptr[block_row]; p < M->as.bsr.rowptr[block_row + 1]; p++)
            for (int c = 0; c < b; c++) {
                int at = set->at[M->as.bsr.col[p] * b + c];
                if (at >= 0)
                    set->lu[(size_t)i + (size_t)at * columns] =
                        M->as.bsr.x[(size_t)p * (size_t)(b * b) + (size_t)(r + c * b)];
            }
    }
}

int perp_active_set_solve(double *z, perp_active_set *set, double *w)
{
    const double *offset = set->problem->q;
    for (int i = 0; i < set->n; i++) {
        const perp_block *block = &set->blocks->at[i];
        z[i] = set->side[i] == INSIDE ? 0.0 : set->side[i] == LOWER ? lower(block) : block->par[1];
    }
    if (set->bounded) {
        perp_mat_apply(&set->problem->M, z, NULL, w);
        for (int i = 0; i < set->n; i++)
            w[i] += offset[i];
        offset = w;
    }
    if (set->count == 0)
        return 1;
    gather(set);
    if (!perp_dense_lu_factor(set->lu, set->pivots, set->count))
        return 0;
    for (int i = 0; i < set->count; i++)
        set->r[i] = -offset[set->row[i]];
    perp_dense_lu_solve(set->r, set->lu, set->pivots, set->count);
    for (int i = 0; i < set->count; i++)
        z[set->row[i]] = set->r[i];
    return 1;
}

void perp_active_set_refine(double *z, perp_active_set *set, const double *w)
{
    for (int i = 0; i < set->count; i++)
        set->r[i] = -w[set->row[i]];
    if (set->count > 0)
        perp_dense_lu_solve(set->r, set->lu, set->pivots, set->count);
    for (int i = 0; i < set->count; i++)
        z[set->row[i]] += set->r[i];
}

int perp_active_set_holds(const perp_active_set *set, const double *z, const double *d)
{
    double given = 0.0, size = 0.0;
    for (int i = 0; i < set->n; i++) {
        double q = fabs(set->problem->q[i]) / d[i], term = d[i] * fabs(z[i]);
        if (set->side[i] == INSIDE)
            size += term;
        else
            q = term > q ? term : q;
        given = q > given ? q : given;
    }
    return size * DBL_EPSILON <= 1e-5 * given;
}

/* Where row i ought to be. */
static int wanted(const perp_active_set *set, int i, const double *z, const double *w)
{
    const perp_block *block = &set->blocks->at[i];
    int box = block->set == PERP_BOX, side = set->side[i];
    if (block->set == PERP_FREE || (box && block->par[0] == block->par[1]))
        return side;
    if (side == INSIDE)
        return z[i] < lower(block) ? LOWER : box && z[i] > block->par[1] ? UPPER : INSIDE;
    return (side == LOWER ? w[i] < 0.0 : w[i] > 0.0) ? INSIDE : side;
}

int perp_active_set_next(perp_active_set *set, const double *z, const double *w)
{
    int changed = 0;
    for (int i = 0; i < set->n; i++) {
        int side = wanted(set, i, z, w);
        changed |= side != set->side[i];
        set->side[i] = (unsigned char)side;
    }
    if (changed)
        list(set);
    return changed;
}

int perp_active_set_count(const perp_active_set *set, const double *z, const double *w, int *last)
{
    int count = 0;
    for (int i = 0; i < set->n; i++) {
        if (wanted(set, i, z, w) != set->side[i]) {
            count++;
            *last = i;
        }
    }
    return count;
}

void perp_active_set_flip(perp_active_set *set, int i, const double *z, const double *w)
{
    set->side[i] = (unsigned char)wanted(set, i, z, w);
    list(set);
}

int perp_active_set_clip(double *z, const perp_active_set *set)
{
    int clipped = 0;
    for (int i = 0; i < set->n; i++) {
        const perp_block *block = &set->blocks->at[i];
        if (block->set == PERP_FREE)
            continue;
        double inside = z[i] < lower(block) ? lower(block) : z[i];
        inside = block->set == PERP_BOX && inside > block->par[1] ? block->par[1] : inside;
        clipped |= inside != z[i];
        z[i] = inside;
    }
    return clipped;
}
