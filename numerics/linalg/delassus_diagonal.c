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
    if (arena.failed) {
        perp_arena_free(&arena);
        return PERP_ERR_MEMORY;
    }
    memset(s.seen, 0xff, (size_t)mass->nblocks * sizeof(int));

    for (int k = 0; k < count; k++) {
        double *block = out + start[k];
        for (int j = offset[k]; j < offset[k + 1]; j++) {
            column_open(&s, j);
            for (int i = offset[k]; i < offset[k + 1]; i++)
                *block++ = column_product(&s, i);
            if (W->as.delassus.diagonal)
                block[j - offset[k + 1]] += W->as.delassus.diagonal[j];
            column_close(&s);
        }
    }
    perp_arena_free(&arena);
    return PERP_SOLVED;
}
