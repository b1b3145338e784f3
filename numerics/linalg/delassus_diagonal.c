/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "linalg/delassus.h"
#include "linalg/mass.h"

typedef struct column_solver {
    const perp_mat *W;
    const perp_mass *mass;
    double *v;    /* dofs, zero outside the touched unknowns */
    double *work; /* dofs */
    int *touched; /* mass blocks of the present column */
    int *seen;    /* column that last touched a mass block */
    int ntouched;
    int sparse; /* the column reaches the sparse part */
} column_solver;

/* v = M^-1 h_j: scatter, then one product per touched mass block. */
static void column_open(column_solver *s, int j)
{
    const int *colptr = s->W->as.delassus.colptr, *row = s->W->as.delassus.row;
    const perp_mass *mass = s->mass;
    s->ntouched = 0;
    s->sparse = 0;
    for (int p = colptr[j]; p < colptr[j + 1]; p++) {
        int b = mass->block_of[row[p]];
        s->v[row[p]] = s->W->as.delassus.x[p];
        if (b < 0) {
            s->sparse = 1;
        } else if (s->seen[b] != j) {
            s->seen[b] = j;
            s->touched[s->ntouched++] = b;
        }
    }
    for (int t = 0; t < s->ntouched; t++)
        perp_mass_block_solve(s->v, mass, s->touched[t]);
    if (s->sparse)
        perp_lu_solve_at(s->v, &mass->lu, s->v, mass->dof + (mass->n - mass->nsparse), s->work);
}

static void column_close(column_solver *s)
{
    const perp_mass *mass = s->mass;
    for (int t = 0; t < s->ntouched; t++) {
        const perp_mass_block *b = &mass->blocks[s->touched[t]];
        for (int i = 0; i < b->dim; i++)
            s->v[mass->dof[b->first + i]] = 0.0;
    }
    for (int i = mass->n - mass->nsparse; s->sparse && i < mass->n; i++)
        s->v[mass->dof[i]] = 0.0;
}

static double column_product(const column_solver *s, int i)
{
    const int *colptr = s->W->as.delassus.colptr, *row = s->W->as.delassus.row;
    double sum = 0.0;
    for (int p = colptr[i]; p < colptr[i + 1]; p++)
        sum += s->W->as.delassus.x[p] * s->v[row[p]];
    return sum;
}

/* Inverses of a diagonal mass, by unknown; NULL: it has larger blocks. */
static double *scalar_inverses(const perp_mass *mass, perp_arena *arena)
{
    if (mass->nblocks != mass->n)
        return NULL;
    double *inverse = PERP_TAKE(arena, double, mass->n);
    for (int b = 0; inverse && b < mass->nblocks; b++)
        inverse[mass->dof[mass->blocks[b].first]] = mass->inverses[mass->blocks[b].inverse];
    return inverse;
}

/* Columns first .. last - 1 have the same rows, as those of a contact. */
static int share_rows(const perp_mat *W, int first, int last)
{
    const int *colptr = W->as.delassus.colptr, *row = W->as.delassus.row;
    int from = colptr[first], count = colptr[first + 1] - from;
    for (int j = first + 1; j < last; j++)
        if (colptr[j + 1] - colptr[j] != count ||
            memcmp(row + from, row + colptr[j], sizeof(int) * (size_t)count) != 0)
            return 0;
    return 1;
}

/* A block of `dim` columns that share their rows, with a diagonal mass: no vector is scattered. */
static inline void sum_block(double *block, const perp_mat *W, const double *inverse, int first,
                             int dim)
{
    const int *colptr = W->as.delassus.colptr, *row = W->as.delassus.row + colptr[first];
    int count = colptr[first + 1] - colptr[first];
    const double *x = W->as.delassus.x + colptr[first];
    memset(block, 0, sizeof(double) * (size_t)(dim * dim));
    for (int p = 0; p < count; p++)
        for (int j = 0; j < dim; j++) {
            double v = x[p + j * count] * inverse[row[p]];
            for (int i = 0; i < dim; i++)
                block[i + j * dim] += x[p + i * count] * v;
        }
}

static void scalar_block(double *block, const perp_mat *W, const double *inverse, int first,
                         int dim)
{
    double three[9];
    if (dim != 3) {
        sum_block(block, W, inverse, first, dim);
        return;
    }
    sum_block(three, W, inverse, first, 3);
    memcpy(block, three, sizeof three);
}

static void general_block(double *block, column_solver *s, int first, int last)
{
    for (int j = first; j < last; j++) {
        column_open(s, j);
        for (int i = first; i < last; i++)
            *block++ = column_product(s, i);
        column_close(s);
    }
}

perp_status perp_delassus_diagonal_blocks(double *out, const perp_mat *W, const int *offset,
                                          const size_t *start, int count,
                                          const perp_allocator *allocator)
{
    const perp_mass *mass = W->as.delassus.mass;
    char stack[PERP_ARENA_STACK];
    perp_arena arena;
    perp_arena_init_with(&arena, allocator, stack, sizeof stack);
    column_solver s = {.W = W, .mass = mass};
    s.v = perp_arena_take_zero(&arena, (size_t)mass->n, sizeof(double));
    s.work = PERP_TAKE(&arena, double, mass->n);
    s.touched = PERP_TAKE(&arena, int, mass->nblocks);
    s.seen = PERP_TAKE(&arena, int, mass->nblocks);
    const double *inverse = scalar_inverses(mass, &arena);
    if (arena.failed) {
        perp_arena_free(&arena);
        return PERP_ERR_MEMORY;
    }
    memset(s.seen, 0xff, (size_t)mass->nblocks * sizeof(int));

    const double *added = W->as.delassus.diagonal;
    for (int k = 0; k < count; k++) {
        double *block = out + start[k];
        int first = offset[k], last = offset[k + 1], dim = last - first;
        if (inverse && share_rows(W, first, last))
            scalar_block(block, W, inverse, first, dim);
        else
            general_block(block, &s, first, last);
        for (int i = 0; added && i < dim; i++)
            block[i + i * dim] += added[first + i];
    }
    perp_arena_free(&arena);
    return PERP_SOLVED;
}
