/* SPDX-License-Identifier: BSD-3-Clause */
/* (W + R)^-1 with R diagonal, on PETSc's solvers for sparse matrices over the bodies:
 *     (H M^-1 H' + S)^-1 = S^-1 - S^-1 H A^-1 H' S^-1,   A = M + H' S^-1 H,   S = C + R. */
#ifndef PERP_DISTRIBUTED_SHIFTED_H
#define PERP_DISTRIBUTED_SHIFTED_H

#include <petscksp.h>

#include "distributed/system.h"

typedef struct perp_petsc_shifted {
    perp_petsc *system;
    Mat A;
    KSP ksp;
    Vec rhs, answer;   /* over all unknowns */
    double *inverse;   /* rows: 1 / S */
    double *masses;    /* of the bodies, divided by the ranks that touch them */
    double *local;     /* of one block of rows */
    int *unknown;      /* of that block */
    PetscScalar *x;    /* entries of A that this rank adds */
    PetscCount entries;
} perp_petsc_shifted;

/* Memory from the arena; the rest is collective. */
perp_status perp_petsc_shifted_take(perp_petsc_shifted *s, perp_petsc *system, perp_arena *arena);
perp_status perp_petsc_shifted_begin(perp_petsc_shifted *s);
/* For a shift by block.  Collective. */
perp_status perp_petsc_shifted_use(perp_petsc_shifted *s, const double *shift);
/* x = (W + R)^-1 b; collective. */
perp_status perp_petsc_shifted_solve(perp_petsc_shifted *s, const double *b, double *x);
void perp_petsc_shifted_free(perp_petsc_shifted *s);

#endif
