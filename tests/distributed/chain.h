/* SPDX-License-Identifier: BSD-3-Clause */
/* A row of `bodies` unknowns with a half-line between neighbours, filled in by all ranks. */
#ifndef PERP_TESTS_CHAIN_H
#define PERP_TESTS_CHAIN_H

#include "distributed/on_ranks.h"

/* Who owns what; the rows are bodies - 1. */
typedef enum layout { EVEN, ROWS_LAST, BODIES_LAST, APART } layout;

typedef struct chain {
    int bodies, own_rows, own_bodies;
    perp_petsc_problem part;
    perp_segment seg[2];
} chain;

/* Pairs of unknowns are coupled in M, over the borders of ranks too. */
void chain_make(chain *c, int bodies, layout where);
void chain_free(chain *c);
/* The whole as a dense matrix and q; (bodies - 1)^2 and bodies - 1 doubles. */
void chain_dense(int bodies, double *W, double *q);
double chain_q(int row);

#endif
