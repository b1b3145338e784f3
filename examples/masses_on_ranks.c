/* SPDX-License-Identifier: BSD-3-Clause */
/* A row of unit masses that is pushed from the left, by all processes of an MPI run: neighbours may
 * not approach each other.  Each rank sets the rows that are its own.
 *
 *     mpirun -n 4 masses_on_ranks */
#include <perp/petsc.h>

/* Row k of H: the speed at which mass k + 1 leaves mass k. */
static void fill_rows(Mat H, Vec q)
{
    PetscInt first, end;
    MatGetOwnershipRange(H, &first, &end);
    for (PetscInt k = first; k < end; k++) {
        const PetscInt pair[2] = {k, k + 1};
        const PetscScalar one[2] = {-1.0, 1.0};
        MatSetValues(H, 1, &k, 2, pair, one, INSERT_VALUES);
        VecSetValue(q, k, k == 0 ? -1.0 : 0.0, INSERT_VALUES);
    }
    MatAssemblyBegin(H, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(H, MAT_FINAL_ASSEMBLY);
    VecAssemblyBegin(q);
    VecAssemblyEnd(q);
}

static void fill_masses(Mat M)
{
    PetscInt first, end;
    MatGetOwnershipRange(M, &first, &end);
    for (PetscInt k = first; k < end; k++)
        MatSetValue(M, k, k, 1.0, INSERT_VALUES);
    MatAssemblyBegin(M, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(M, MAT_FINAL_ASSEMBLY);
}

static perp_status solve(const perp_petsc_problem *part, Vec z, perp_petsc_info *info)
{
    perp_petsc *system;
    perp_petsc_where where;
    perp_status status = perp_petsc_create(&system, PETSC_COMM_WORLD, part, NULL, &where);
    if (status == PERP_SOLVED)
        status = perp_petsc_solve(system, "schwarz", NULL, z, NULL, info, &where);
    if (status < 0)
        PetscPrintf(PETSC_COMM_WORLD, "rank %d: %s %s\n", where.rank, where.what, where.text);
    perp_petsc_destroy(system);
    return status;
}

int main(int argc, char **argv)
{
    const PetscInt masses = 300;
    perp_petsc_problem part = {.nseg = 1};
    perp_petsc_info info = {.size = sizeof info};
    PetscInt rows, columns;
    Vec z;

    if (PetscInitialize(&argc, &argv, NULL, NULL))
        return 1;
    MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, masses - 1, masses, 2, NULL, 2, NULL,
                 &part.H);
    MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, masses, masses, 1, NULL, 0, NULL,
                 &part.M);
    MatCreateVecs(part.H, NULL, &part.q);
    VecDuplicate(part.q, &z);
    fill_rows(part.H, part.q);
    fill_masses(part.M);

    MatGetLocalSize(part.H, &rows, &columns);
    perp_segment contacts = {.set = PERP_NONNEG, .dim = 1, .count = (int)rows};
    part.seg = &contacts;
    perp_status status = solve(&part, z, &info);
    PetscPrintf(PETSC_COMM_WORLD, "%s, residual %.1e\n", perp_status_text(status), info.error);

    VecDestroy(&z);
    VecDestroy(&part.q);
    MatDestroy(&part.M);
    MatDestroy(&part.H);
    PetscFinalize();
    return status != PERP_SOLVED;
}
