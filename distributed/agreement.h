/* SPDX-License-Identifier: BSD-3-Clause */
/* What all ranks know alike: whether one of them failed, and sums in the order of the ranks. */
#ifndef PERP_DISTRIBUTED_AGREEMENT_H
#define PERP_DISTRIBUTED_AGREEMENT_H

#include <perp/petsc.h>

/* Between these PETSc neither prints nor aborts: its errors are returned. */
void perp_petsc_quiet(void);
void perp_petsc_loud(void);

/* The status that a PETSc error stands for. */
perp_status perp_petsc_status(PetscErrorCode code);

/* 1: there is such an object, on the ranks of comm. */
int perp_petsc_lies_on(PetscObject object, MPI_Comm comm);

/* Fills *where; returns status. */
perp_status perp_petsc_at(perp_petsc_where *where, perp_status status, const char *what, int index);

/* Collective.  The first rank whose `own` is an error decides: its status is returned on all, and
 * its *where (with its number) goes to all.  Else PERP_SOLVED, and *where is cleared. */
perp_status perp_petsc_agree(MPI_Comm comm, perp_status own, perp_petsc_where *where);

/* Collective: the n doubles of all ranks, at most PERP_SUM_MOST.  Sums are taken in the order of
 * the ranks by all of them, so that they have the same bits everywhere and in each run.  memory:
 * size of comm times n doubles. */
enum { PERP_SUM_MOST = 32 };
void perp_petsc_sum(MPI_Comm comm, double *x, int n, double *memory);
void perp_petsc_largest(MPI_Comm comm, double *x, int n);

#endif
