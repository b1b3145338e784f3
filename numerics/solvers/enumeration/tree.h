/* SPDX-License-Identifier: BSD-3-Clause */
/* Every complementary choice of a problem whose laws have finitely many modes, depth first: a node
 * fixes some of them, the relaxation of the others (their signs and bounds alone) is solved or
 * refuted with the basis of the node before, and what is refuted is left out.  Branches go where
 * complementarity is broken most.  (Branch and bound on complementarity conditions:
 * [AlKhayyal1987], [Judice1994]; modes as in modes.c, TRESCA as a NONNEG and a BOX.) */
#ifndef PERP_SOLVERS_ENUMERATION_TREE_H
#define PERP_SOLVERS_ENUMERATION_TREE_H

#include "handle/solver_type.h"
#include "solvers/enumeration/dictionary.h"

typedef struct perp_tree perp_tree;

/* What the search met; returns 1 to end it. */
typedef int (*perp_tree_visit)(void *ctx, perp_work *work, int piece);

typedef struct perp_tree_end {
    int stopped;    /* by the visitor or by a limit: not all was seen */
    long undecided; /* choices that rounding kept from a verdict */
    long nodes;
    double reach;   /* what was refuted is so for all |z_i| below this */
    int has_vector; /* the root was refuted: work->certificate may be made the proof */
} perp_tree_end;

/* Rows of the dictionary; 0 where a block has infinitely many modes. */
int perp_tree_rows(const perp_blocks *blocks);
/* Takes memory from work->arena.  NULL: none. */
perp_tree *perp_tree_take(const perp_work *work);
/* M: n x n by columns.  every 0: until a point in work->z is measured within the tolerance; else
 * all solutions, each shown to `visit` (piece 1: it lies in a piece of more of the same modes). */
perp_tree_end perp_tree_search(perp_tree *tree, perp_work *work, const double *M, int every,
                               perp_tree_visit visit, void *ctx);

#endif
