/* SPDX-License-Identifier: BSD-3-Clause */
/* Which rank gets which bodies and rows of a problem that rank 0 has. */
#ifndef PERP_DISTRIBUTED_SHARE_H
#define PERP_DISTRIBUTED_SHARE_H

#include "distributed/assembled.h"
#include "distributed/system.h"

/* The partitioner of this PETSc, where it has one. */
#if defined(PETSC_HAVE_PTSCOTCH)
#define PERP_PARTITIONER MATPARTITIONINGPTSCOTCH
#elif defined(PETSC_HAVE_PARMETIS)
#define PERP_PARTITIONER MATPARTITIONINGPARMETIS
#endif

/* On rank 0. */
typedef struct perp_division {
    const perp_problem *whole; /* DELASSUS: as given, or `with_bodies` */
    const perp_mat *mass;      /* CSC */
    perp_problem with_bodies;
    perp_factored factored;
    perp_blocks blocks;
    int nbodies, *body_of; /* of each unknown */
    int group;             /* unknowns of every body, side by side; 0: bodies differ */
    int *home;             /* body of each block, -1: none */
    int *rank_of_body, *rank_of_block;
    int *new_unknown; /* numbers by rank */
    int *row_order;   /* rows in the order of the ranks: their first numbers */
    int *rows_of, *blocks_of, *unknowns_of, *bodies_of; /* by rank */
} perp_division;

/* Divides among `size` ranks; fills the figures of the graph in *cut.  Memory from the arena. */
perp_status perp_divide(perp_division *division, int size, perp_arena *arena, perp_petsc_cut *cut,
                        perp_petsc_where *where);

#endif
