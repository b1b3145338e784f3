/* SPDX-License-Identifier: BSD-3-Clause */
#include "distributed/chain.h"

#include <math.h>
#include <string.h>

/* Of the pair that holds unknown i: {{2, 1/2}, {1/2, 1}}. */
static double mass_entry(int i, int j)
{
    return i != j ? 0.5 : i % 2 ? 1.0 : 2.0;
}

double chain_q(int row)
{
    return sin(1.0 + 3.0 * row) - 0.3;
}

/* Rows are set by ranks in turn, whoever owns them. */
static void fill(chain *c)
{
    int rows = c->bodies - 1;
    for (int i = rank; i < rows; i += size) {
        const PetscInt cols[2] = {i, i + 1};
        const PetscScalar x[2] = {-1.0, 1.0};
        PetscInt row = i;
        MatSetValues(c->part.H, 1, &row, 2, cols, x, INSERT_VALUES);
        VecSetValue(c->part.q, i, chain_q(i), INSERT_VALUES);
    }
    for (int i = rank; i < c->bodies; i += size) {
        int other = i % 2 ? i - 1 : i + 1;
        MatSetValue(c->part.M, i, i, mass_entry(i, i), INSERT_VALUES);
        if (other < c->bodies)
            MatSetValue(c->part.M, i, other, mass_entry(i, other), INSERT_VALUES);
    }
}

static int share_of(int count, layout where, int rows)
{
    if (where == EVEN)
        return count / size + (rank < count % size);
    int at_last = where == APART ? rows : where == (rows ? ROWS_LAST : BODIES_LAST);
    if (where == APART && size > 1)
        return rank == (at_last ? size - 1 : 0) ? count : 0;
    return at_last ? (rank == size - 1 ? count : 0) : count / size + (rank < count % size);
}

static Mat new_matrix(int rows, int cols)
{
    Mat A;
    MatCreate(MPI_COMM_WORLD, &A);
    MatSetSizes(A, rows, cols, PETSC_DETERMINE, PETSC_DETERMINE);
    MatSetType(A, MATAIJ);
    MatSetUp(A);
    return A;
}

void chain_make(chain *c, int bodies, layout where)
{
    memset(c, 0, sizeof *c);
    c->bodies = bodies;
    c->own_rows = share_of(bodies - 1, where, 1);
    c->own_bodies = share_of(bodies, where, 0);
    c->part.H = new_matrix(c->own_rows, c->own_bodies);
    c->part.M = new_matrix(c->own_bodies, c->own_bodies);
    VecCreateMPI(MPI_COMM_WORLD, c->own_rows, PETSC_DETERMINE, &c->part.q);
    fill(c);
    MatAssemblyBegin(c->part.H, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(c->part.H, MAT_FINAL_ASSEMBLY);
    MatAssemblyBegin(c->part.M, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(c->part.M, MAT_FINAL_ASSEMBLY);
    VecAssemblyBegin(c->part.q);
    VecAssemblyEnd(c->part.q);
    c->seg[0] = (perp_segment){.set = PERP_NONNEG, .dim = 1, .count = c->own_rows};
    c->part.seg = c->seg;
    c->part.nseg = 1;
}

void chain_free(chain *c)
{
    MatDestroy(&c->part.H);
    MatDestroy(&c->part.M);
    VecDestroy(&c->part.q);
    VecDestroy(&c->part.C);
}

/* Entry of M^-1. */
static double inverse_entry(int bodies, int i, int j)
{
    if (i / 2 != j / 2)
        return 0.0;
    if (i == bodies - 1 && i % 2 == 0)
        return i == j ? 1.0 / mass_entry(i, i) : 0.0;
    double determinant = 2.0 * 1.0 - 0.25;
    return (i != j ? -0.5 : i % 2 ? 2.0 : 1.0) / determinant;
}

void chain_dense(int bodies, double *W, double *q)
{
    int n = bodies - 1;
    for (int i = 0; i < n; i++) {
        q[i] = chain_q(i);
        for (int j = 0; j < n; j++)
            W[i + j * n] = inverse_entry(bodies, i, j) - inverse_entry(bodies, i + 1, j) -
                           inverse_entry(bodies, i, j + 1) + inverse_entry(bodies, i + 1, j + 1);
    }
}
