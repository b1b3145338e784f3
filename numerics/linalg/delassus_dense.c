/* SPDX-License-Identifier: BSD-3-Clause */
/* The product W = H' M^-1 H as a dense matrix, for few rows: of each small block of the mass the
 * product of all rows that touch it, at once. */
#include <string.h>

#include "core/clones.h"
#include "linalg/csc.h"
#include "linalg/mass.h"

/* The rows of one block of the mass: `count` of them, dim x count numbers each, by dim. */
typedef struct gathered {
    int count, *row;      /* n */
    double *left, *right; /* of W_ij = sum of left_i right_j; the same with roots */
} gathered;

/* Rows of problem by block: first[b] ... first[b + 1] in rows, ascending. */
static void list_rows(int *first, int *rows, int *seen, const perp_mat *W, const perp_mass *mass)
{
    const int *colptr = W->as.delassus.colptr, *row = W->as.delassus.row;
    for (int pass = 0; pass < 2; pass++) {
        memset(seen, 0xff, (size_t)mass->nblocks * sizeof(int));
        for (int j = 0; j < W->cols; j++) {
            for (int p = colptr[j]; p < colptr[j + 1]; p++) {
                int b = mass->block_of[row[p]];
                if (seen[b] == j)
                    continue;
                seen[b] = j;
                if (pass == 0)
                    first[b + 2]++;
                else
                    rows[first[b + 1]++] = j;
            }
        }
        for (int b = 0; pass == 0 && b < mass->nblocks; b++)
            first[b + 2] += first[b + 1];
    }
}

static void gather(gathered *g, const perp_mat *W, const perp_mass *mass, int block,
                   const int *local)
{
    const int *colptr = W->as.delassus.colptr, *row = W->as.delassus.row;
    const perp_mass_block *b = &mass->blocks[block];
    size_t count = (size_t)g->count;
    const double *F = mass->roots ? mass->roots + b->root : mass->inverses + b->inverse;
    double *plain = g->left, *product = g->right;
    memset(plain, 0, (size_t)b->dim * count * sizeof(double));
    memset(product, 0, (size_t)b->dim * count * sizeof(double));
    for (size_t k = 0; k < count; k++)
        for (int p = colptr[g->row[k]]; p < colptr[g->row[k] + 1]; p++)
            if (mass->block_of[row[p]] == block)
                plain[(size_t)local[row[p]] * count + k] = W->as.delassus.x[p];
    for (int s = 0; s < b->dim; s++)
        for (int r = 0; r < b->dim; r++)
            for (size_t k = 0; k < count; k++)
                product[(size_t)r * count + k] += F[r + s * b->dim] * plain[(size_t)s * count + k];
}

/* sum = row i of left' right. */
PERP_CLONES static void one_row(double *restrict sum, const double *restrict left,
                                const double *restrict right, int i, int dim, int count)
{
    memset(sum, 0, (size_t)count * sizeof(double));
    for (int d = 0; d < dim; d++)
        for (int k = 0; k < count; k++)
            sum[k] += left[d * count + i] * right[d * count + k];
}

static perp_status fill(double *x, const perp_mat *W, const perp_mass *mass, perp_arena *local)
{
    size_t n = (size_t)W->cols;
    int longest = 0, *first = perp_arena_take_zero(local, (size_t)mass->nblocks + 2, sizeof(int));
    int *rows = PERP_TAKE(local, int, W->as.delassus.colptr[n]);
    int *seen = PERP_TAKE(local, int, mass->nblocks), *place = PERP_TAKE(local, int, mass->n);
    if (local->failed)
        return PERP_ERR_MEMORY;
    list_rows(first, rows, seen, W, mass);
    for (int b = 0; b < mass->nblocks; b++) {
        int count = first[b + 1] - first[b];
        longest = count > longest ? count : longest;
        for (int k = 0; k < mass->blocks[b].dim; k++)
            place[mass->dof[mass->blocks[b].first + k]] = k;
    }
    gathered g = {.left = PERP_TAKE(local, double, PERP_MASS_BLOCK_MAX *(size_t)longest),
                  .right = PERP_TAKE(local, double, PERP_MASS_BLOCK_MAX *(size_t)longest)};
    double *sum = PERP_TAKE(local, double, longest);
    if (local->failed)
        return PERP_ERR_MEMORY;
    for (int b = 0; b < mass->nblocks; b++) {
        g.count = first[b + 1] - first[b];
        g.row = rows + first[b];
        gather(&g, W, mass, b, place);
        for (int i = 0; i < g.count; i++) {
            one_row(sum, mass->roots ? g.right : g.left, g.right, i, mass->blocks[b].dim, g.count);
            for (int k = 0; k < g.count; k++)
                x[(size_t)g.row[i] + (size_t)g.row[k] * n] += sum[k];
        }
    }
    return PERP_SOLVED;
}

perp_status perp_dense_from_delassus(perp_mat *B, const perp_mat *W, perp_arena *arena)
{
    const perp_mass *mass = W->as.delassus.mass;
    const double *diagonal = W->as.delassus.diagonal;
    size_t n = (size_t)W->cols;
    if (mass->nsparse > 0)
        return PERP_ERR_UNSUPPORTED;
    double *x = perp_arena_take_zero(arena, n * n, sizeof(double));
    if (!x)
        return PERP_ERR_MEMORY;
    perp_arena local;
    perp_arena_init(&local, &arena->allocator);
    perp_status status = fill(x, W, mass, &local);
    perp_arena_free(&local);
    for (size_t i = 0; diagonal && i < n; i++)
        x[i + i * n] += diagonal[i];
    return status == PERP_SOLVED ? perp_mat_init_dense(B, W->cols, W->cols, x, W->cols) : status;
}
