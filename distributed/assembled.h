/* SPDX-License-Identifier: BSD-3-Clause */
/* A matrix M of a problem, written as H N^-1 H' so that it can be divided. */
#ifndef PERP_DISTRIBUTED_ASSEMBLED_H
#define PERP_DISTRIBUTED_ASSEMBLED_H

#include "core/arena.h"
#include "problem/blocks.h"

/* Rows of a block at most. */
enum { PERP_ASSEMBLED_ROWS = 6 };

typedef struct perp_factored {
    perp_mat W;    /* DELASSUS without its mass: H' by columns */
    perp_mat mass; /* N, CSC */
    int *block_of; /* of each unknown: the block of rows that it lies with */
} perp_factored;

/* whole: DENSE, CSC or BSR, checked.  PERP_ERR_UNSUPPORTED: another kind, or a block of more than
 * six rows, or one that is singular, not 0, and coupled to nothing; PERP_ERR_OVERFLOW.  Memory from
 * the arena. */
perp_status perp_factor_assembled(perp_factored *made, const perp_problem *whole,
                                  const perp_blocks *blocks, perp_arena *arena);

#endif
