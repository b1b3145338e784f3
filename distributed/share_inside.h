/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a perp_petsc_share: a problem in parts, and the way back to its first order. */
#ifndef PERP_DISTRIBUTED_SHARE_INSIDE_H
#define PERP_DISTRIBUTED_SHARE_INSIDE_H

#include "distributed/share.h"

struct perp_petsc_share {
    perp_arena arena;
    MPI_Comm comm;
    int rank, size, all_rows;
    perp_petsc_problem problem;
    perp_petsc_cut cut;
    int *row_order, *rows_of, *rows_before; /* rank 0 */
    double *packed;                         /* rank 0: a whole vector in the order of the ranks */
};

/* An empty one, on all ranks or on none. */
perp_status perp_petsc_share_begin(perp_petsc_share **made, MPI_Comm comm,
                                   const perp_allocator *memory, perp_petsc_where *where);

/* What calls that make a share begin with: *made = NULL, *at nowhere, PETSc quiet from here on
 * where it is PERP_SOLVED. */
perp_status perp_petsc_share_enter(perp_petsc_share **made, perp_petsc_where *at);
/* What they end with: PETSc is as it was, and *where (may be NULL) is told. */
perp_status perp_petsc_share_leave(perp_status status, const perp_petsc_where *at,
                                   perp_petsc_where *where);

/* Blocks of rows of this rank in any layout, neighbours of one set and dimension as one segment of
 * share->problem.  set and dim: one each a block, par: two; they stay where they are. */
perp_status perp_petsc_share_segments(perp_petsc_share *share, const int *set, const int *dim,
                                      const double *par, int blocks);

/* A problem in its first layout, whose unknowns are bodies of `group` neighbours, each in one rank.
 */
typedef struct perp_layout {
    Mat H, M;
    Vec q, order; /* order: of each row its number in the whole */
    int group, blocks;
    int *set, *dim;
    double *par;
} perp_layout;

/* Divides it once more by MatPartitioning on all ranks, and fills share->problem and share->cut.  H
 * and M are destroyed on the way, so that two of them are never there. */
perp_status perp_petsc_redivide(perp_petsc_share *share, perp_layout *first);

#endif
