/* SPDX-License-Identifier: BSD-3-Clause */
#include "local/local.h"
#include "solvers/enumeration/enumeration.h"

static const double no_block[9];

int perp_sweep_is_stored(const perp_work *work)
{
    const perp_mat *M = &work->problem->M;
    return M->kind == PERP_BSR && M->as.bsr.block == work->blocks.uniform &&
           work->blocks.uniform <= 3;
}

/* b = q + M z on the rows of block k without its own block, which is returned.  The compiler
 * sees m where it is a constant. */
static inline __attribute__((always_inline)) const double *others(double *b, const perp_work *work,
                                                                  int k, const int m)
{
    const perp_mat *M = &work->problem->M;
    const int *col = M->as.bsr.col;
    const double *x = M->as.bsr.x + (size_t)(m * m) * (size_t)M->as.bsr.rowptr[k], *own = no_block;
    for (int i = 0; i < m; i++)
        b[i] = work->problem->q[m * k + i];
    for (int p = M->as.bsr.rowptr[k]; p < M->as.bsr.rowptr[k + 1]; p++, x += m * m) {
        const double *r = work->z + (size_t)m * (size_t)col[p];
        if (col[p] == k) {
            own = x;
            continue;
        }
        for (int c = 0; c < m; c++)
            for (int i = 0; i < m; i++)
                b[i] += x[i + c * m] * r[c];
    }
    return own;
}

/* The same from the dense copy; the own block goes to A. */
static const double *others_dense(double *b, double *A, const perp_enumeration *e,
                                  const perp_work *work, const perp_block *block)
{
    int dim = block->dim, row = block->row;
    for (int i = 0; i < dim; i++) {
        const double *x = e->M + row + i;
        b[i] = work->problem->q[row + i];
        for (int j = 0; j < e->n; j++)
            if (j < row || j >= row + dim)
                b[i] += x[(size_t)j * (size_t)e->n] * work->z[j];
        for (int c = 0; c < dim; c++)
            A[i + c * dim] = x[(size_t)(row + c) * (size_t)e->n];
    }
    return A;
}

/* Block k to its solution; it stays where it has none. */
static inline void move(const perp_work *work, int k, const double *A, const double *b)
{
    const perp_block *block = &work->blocks.at[k];
    double *z = work->z + block->row, r[3], d = work->scaling.d[k];
    perp_local_prep prep;
    int contact = block->set == PERP_COULOMB && block->dim == 3;
    if (block->set == PERP_COULOMB && b[0] >= 0.0) {
        for (int i = 0; i < block->dim; i++)
            z[i] = 0.0;
        return;
    }
    if (contact && work->scaling.substituted)
        perp_local_prepare(&prep, A, 3);
    else if (contact)
        perp_local_prepare_given(&prep, A, d * d);
    for (int i = 0; i < block->dim; i++)
        r[i] = z[i];
    if (perp_local_solve(r, block, A, contact ? &prep : NULL, b, PERP_LOCAL_HYBRID, NULL) ==
        PERP_SOLVED)
        for (int i = 0; i < block->dim; i++)
            z[i] = r[i];
}

void perp_enumeration_sweep(const perp_enumeration *e, perp_work *work)
{
    int m = e->stored ? work->blocks.uniform : 0;
    double b[3], A[9];
    for (int k = 0; k < work->blocks.count; k++) {
        const double *own = m == 3   ? others(b, work, k, 3)
                            : m == 2 ? others(b, work, k, 2)
                            : m == 1 ? others(b, work, k, 1)
                                     : others_dense(b, A, e, work, &work->blocks.at[k]);
        move(work, k, own, b);
    }
}
