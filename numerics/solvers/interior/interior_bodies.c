/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/interior/interior_bodies.h"

#include <string.h>

#include "core/clones.h"
#include "linalg/mass.h"

/* 1: E + C can be inverted cone by cone, see divide_block(). */
static int is_even(const perp_mat *M, const perp_blocks *blocks)
{
    const double *c = M->as.delassus.diagonal;
    for (int k = 0; c && k < blocks->count; k++) {
        const perp_block *block = &blocks->at[k];
        if (block->set == PERP_ROLLING)
            return 0;
        for (int i = 2; i < block->dim; i++)
            if (c[block->row + i] != c[block->row + 1])
                return 0;
    }
    return 1;
}

/* Entries of the two matrices, those of one body counted once and the overlap of two bodies
 * twice. */
int perp_interior_bodies_pay(const perp_mat *M, const perp_blocks *blocks, perp_arena *temporary)
{
    double contact = 0.0, body = 0.0;
    if (!perp_body_form_takes(M) || !is_even(M, blocks))
        return 0;
    const perp_mass *mass = M->as.delassus.mass;
    size_t count = (size_t)mass->nblocks;
    int *rows = perp_arena_take_zero(temporary, count, sizeof(int));
    int *seen = PERP_TAKE(temporary, int, count);
    if (temporary->failed)
        return 0;
    memset(seen, 0xff, count * sizeof(int));
    for (int k = 0; k < blocks->count; k++) {
        double dofs = 0.0;
        for (int j = blocks->at[k].row; j < blocks->at[k].row + blocks->at[k].dim; j++)
            for (int p = M->as.delassus.colptr[j]; p < M->as.delassus.colptr[j + 1]; p++) {
                int b = mass->block_of[M->as.delassus.row[p]];
                if (seen[b] != k) {
                    rows[b] += blocks->at[k].dim;
                    dofs += mass->blocks[b].dim;
                }
                seen[b] = k;
            }
        body += dofs * dofs;
    }
    for (size_t b = 0; b < count; b++)
        contact += (double)rows[b] * rows[b];
    return body <= 2.0 * contact;
}

perp_status perp_interior_bodies_build(perp_interior_bodies *b, const perp_mat *M,
                                       const perp_interior *in, perp_arena *arena)
{
    *b = (perp_interior_bodies){0};
    perp_status status = perp_body_form_build(&b->form, M, in->blocks, arena);
    if (status != PERP_SOLVED)
        return status;
    if (M->as.delassus.diagonal)
        b->soft = PERP_TAKE(arena, double, in->n);
    b->v = PERP_TAKE(arena, double, b->form.order);
    return arena->failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_interior_bodies_load(perp_interior_bodies *b, const perp_mat *M,
                                      const perp_interior *in)
{
    const double *c = M->as.delassus.diagonal;
    if ((b->soft != NULL) != (c != NULL) || !is_even(M, in->blocks))
        return PERP_ERR_STATE;
    for (int i = 0; c && i < in->n; i++)
        b->soft[i] = c[i] * in->scale[i] * in->scale[i];
    return perp_body_form_load(&b->form, M, in->blocks, in->scale);
}

PERP_CLONES void perp_interior_bodies_forth(perp_interior_bodies *b, const perp_interior *in,
                                            const double *x)
{
    memset(b->v, 0, (size_t)b->form.order * sizeof *b->v);
    for (int k = 0; k < in->blocks->count; k++)
        perp_body_form_push(b->v, &b->form, k, in->blocks->at[k].dim, x + in->blocks->at[k].row);
}

PERP_CLONES void perp_interior_bodies_back(double *y, const perp_interior_bodies *b,
                                           const perp_interior *in)
{
    for (int k = 0; k < in->blocks->count; k++)
        perp_body_form_add_rates(y + in->blocks->at[k].row, &b->form, k, in->blocks->at[k].dim,
                                 b->v);
}

void perp_interior_bodies_apply(double *y, perp_interior_bodies *b, const perp_interior *in,
                                const double *x)
{
    perp_interior_bodies_forth(b, in, x);
    memset(y, 0, (size_t)in->n * sizeof *y);
    perp_interior_bodies_back(y, b, in);
    for (int i = 0; b->soft && i < in->n; i++)
        y[i] += b->soft[i] * x[i];
}
