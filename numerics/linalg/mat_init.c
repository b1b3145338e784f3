/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>

#include <perp/matrix.h>

perp_status perp_mat_init_dense(perp_mat *A, int rows, int cols, const double *x, int ld)
{
    if (!A || !x || rows < 0 || cols < 0 || ld < rows)
        return PERP_ERR_ARGUMENT;
    *A = (perp_mat){.kind = PERP_DENSE, .rows = rows, .cols = cols};
    A->as.dense.x = x;
    A->as.dense.ld = ld;
    return PERP_SOLVED;
}

perp_status perp_mat_init_csc(perp_mat *A, int rows, int cols, const int *colptr, const int *row,
                              const double *x)
{
    if (!A || !colptr || !row || !x || rows < 0 || cols < 0)
        return PERP_ERR_ARGUMENT;
    *A = (perp_mat){.kind = PERP_CSC, .rows = rows, .cols = cols};
    A->as.csc.colptr = colptr;
    A->as.csc.row = row;
    A->as.csc.x = x;
    return PERP_SOLVED;
}

perp_status perp_mat_init_bsr(perp_mat *A, int block_rows, int block, const int *rowptr,
                              const int *col, const double *x)
{
    if (!A || !rowptr || !col || !x || block_rows < 0 || block < 1 || block > 6)
        return PERP_ERR_ARGUMENT;
    if (block_rows > INT_MAX / block)
        return PERP_ERR_OVERFLOW;
    *A = (perp_mat){.kind = PERP_BSR, .rows = block_rows * block, .cols = block_rows * block};
    A->as.bsr.block = block;
    A->as.bsr.rowptr = rowptr;
    A->as.bsr.col = col;
    A->as.bsr.x = x;
    return PERP_SOLVED;
}

perp_status perp_mat_init_operator(perp_mat *A, int n, perp_apply apply, void *ctx,
                                   const double *diagonal)
{
    if (!A || !apply || n < 0)
        return PERP_ERR_ARGUMENT;
    *A = (perp_mat){.kind = PERP_OPERATOR, .rows = n, .cols = n};
    A->as.op.apply = apply;
    A->as.op.ctx = ctx;
    A->as.op.diagonal = diagonal;
    return PERP_SOLVED;
}

perp_status perp_mat_init_delassus(perp_mat *A, int dofs, int n, const int *colptr, const int *row,
                                   const double *x, const perp_mass *mass)
{
    if (!A || !colptr || !row || !x || !mass || dofs < 0 || n < 0 || perp_mass_size(mass) != dofs)
        return PERP_ERR_ARGUMENT;
    *A = (perp_mat){.kind = PERP_DELASSUS, .rows = n, .cols = n};
    A->as.delassus.dofs = dofs;
    A->as.delassus.colptr = colptr;
    A->as.delassus.row = row;
    A->as.delassus.x = x;
    A->as.delassus.mass = mass;
    return PERP_SOLVED;
}

perp_status perp_mat_set_compliance(perp_mat *A, const double *diagonal)
{
    if (!A || A->kind != PERP_DELASSUS)
        return PERP_ERR_ARGUMENT;
    A->as.delassus.diagonal = diagonal;
    return PERP_SOLVED;
}
