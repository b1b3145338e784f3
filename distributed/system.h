/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a perp_petsc: what one rank holds. */
#ifndef PERP_DISTRIBUTED_SYSTEM_H
#define PERP_DISTRIBUTED_SYSTEM_H

#include <perp/numerics.h>
#include <perp/petsc.h>

#include "core/arena.h"
#include "distributed/agreement.h"
#include "problem/blocks.h"

/* Unknowns of a body, a block of M. */
enum { PERP_BODY_MOST = 12 };

typedef struct perp_body {
    int first, dim; /* its unknowns: dof[first .. first + dim - 1] */
    int ranks;      /* that touch it */
    size_t inverse; /* where its dim x dim inverse begins, column-major */
} perp_body;

typedef struct perp_exchange_counts {
    int neighbours;         /* ranks to which a product sends */
    double messages, bytes; /* sent in one product */
} perp_exchange_counts;

struct perp_petsc {
    MPI_Comm comm;
    int rank, size;
    perp_arena arena;
    double *sums; /* size * PERP_SUM_MOST: for perp_petsc_sum() */
    int *peers;   /* 2 * size */

    /* The own rows in the rank's own numbering of the unknowns that its bodies have. */
    int rows, dofs;
    PetscInt rows_before, all_rows;
    int *colptr, *row; /* H' by columns */
    double *x, *q;
    double *C; /* NULL: none */
    perp_segment *seg;
    int nseg;
    perp_blocks blocks;
    double *d; /* by block: sqrt |W_kk|_2, 1 where that is 0 */

    /* Bodies that the rows touch.  global: number of an unknown among all, ascending. */
    PetscInt *global;
    int nbodies, *dof, *body_of;
    perp_body *bodies;
    double *inverses;
    /* The same with M divided by the number of ranks that touch the body, and the problem in it. */
    perp_mass *split;
    perp_problem local;

    /* Momenta H'z summed at the owners of the unknowns, and brought back. */
    Vec all, own; /* of all unknowns; of `global` */
    VecScatter exchange;
    perp_exchange_counts each;
    double product_flops;

    double *z, *w, *best; /* rows each, of the solve */
    perp_petsc_load load; /* counted since the last solve began */
};

/* M, q and, where it is there, C lie on comm, and there are segments; else the status and where. */
perp_status perp_petsc_check_objects(MPI_Comm comm, const perp_petsc_problem *p,
                                     perp_petsc_where *where);
/* Rows of the segments; -1: not a number of rows. */
long long perp_petsc_segment_rows(const perp_petsc_problem *p);
/* Copies H, q, C, the segments and the masses of the bodies touched into the arena. */
perp_status perp_petsc_take_rows(perp_petsc *system, const perp_petsc_problem *problem,
                                 perp_petsc_where *where);
/* The bodies from the rows of M: collective, and all ranks return alike. */
perp_status perp_petsc_take_bodies(perp_petsc *system, Mat M, perp_petsc_where *where);
/* d_k of each block with the masses as they are, or as they are split. */
perp_status perp_petsc_scales(perp_petsc *system, int split, double *d);
/* Vectors and scatter over system->global; this rank owns so many unknowns.  Collective. */
perp_status perp_petsc_take_exchange(perp_petsc *system, PetscInt owned);
/* For each unknown of `global` the number of ranks that have it too; collective. */
perp_status perp_petsc_touching_ranks(perp_petsc *system, double *ranks);

/* w = W z + q; collective. */
perp_status perp_petsc_product(perp_petsc *system, const double *z, double *w);

/* Residuals of z with its w. */
void perp_petsc_measure(perp_petsc *system, const double *z, const double *w,
                        perp_residuals *residuals);

/* Sum in the order of the ranks, counted. */
static inline void perp_petsc_total(perp_petsc *system, double *x, int n)
{
    system->load.sums += 1.0;
    system->load.sum_bytes += 8.0 * n;
    perp_petsc_sum(system->comm, x, n, system->sums);
}

#endif
