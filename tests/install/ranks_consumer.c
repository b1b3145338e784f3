/* SPDX-License-Identifier: BSD-3-Clause */
/* A stranger's program on PETSc: one contact of one body, on one rank. */
#include <math.h>
#include <perp/numerics.h>
#include <perp/petsc.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    /* Sliding: the closed form is r = (1, -0.3, 0). */
    const double q[3] = {-1, 2, 0}, mu = 0.3;
    const perp_segment contact = {PERP_COULOMB, 3, 1, {&mu, NULL}, {0, 0}};
    perp_petsc_problem part = {.seg = &contact, .nseg = 1};
    perp_petsc_info info = {.size = sizeof info};
    perp_petsc_where where;
    perp_petsc *system = NULL;
    Mat *identity[2] = {&part.H, &part.M};
    const PetscScalar *r;
    Vec z;
    if (PetscInitialize(&argc, &argv, NULL, NULL))
        return 2;
    for (int k = 0; k < 2; k++) {
        MatCreateSeqAIJ(PETSC_COMM_WORLD, 3, 3, 1, NULL, identity[k]);
        for (int i = 0; i < 3; i++)
            MatSetValue(*identity[k], i, i, 1.0, INSERT_VALUES);
        MatAssemblyBegin(*identity[k], MAT_FINAL_ASSEMBLY);
        MatAssemblyEnd(*identity[k], MAT_FINAL_ASSEMBLY);
    }
    VecCreateSeq(PETSC_COMM_WORLD, 3, &part.q);
    for (int i = 0; i < 3; i++)
        VecSetValue(part.q, i, q[i], INSERT_VALUES);
    VecAssemblyBegin(part.q);
    VecAssemblyEnd(part.q);
    VecDuplicate(part.q, &z);
    perp_status status = perp_petsc_create(&system, PETSC_COMM_WORLD, &part, NULL, &where);
    if (status == PERP_SOLVED)
        status = perp_petsc_solve(system, NULL, NULL, z, NULL, &info, &where);
    VecGetArrayRead(z, &r);
    printf("%s: r = (%g, %g, %g)\n", perp_status_text(status), r[0], r[1], r[2]);
    int wrong = status != PERP_SOLVED || fabs(r[0] - 1) > 1e-7 || fabs(r[1] + 0.3) > 1e-7;
    VecRestoreArrayRead(z, &r);
    perp_petsc_destroy(system);
    VecDestroy(&z);
    VecDestroy(&part.q);
    for (int k = 0; k < 2; k++)
        MatDestroy(identity[k]);
    PetscFinalize();
    return wrong;
}
