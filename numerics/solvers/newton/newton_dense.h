/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a Newton system of a few contacts between the same bodies, whose J is full: lists of
 * what is not 0 cost more there than the elimination. */
#ifndef PERP_SOLVERS_NEWTON_NEWTON_DENSE_H
#define PERP_SOLVERS_NEWTON_NEWTON_DENSE_H

#include "solvers/newton/newton_system.h"

/* Begins as zeros. */
typedef struct perp_nsn_dense {
    int ready;
    int m;                 /* rows of the last step: those that are not open */
    int *row;              /* m, of n: which */
    int *place;            /* n: which of them, -1 none */
    int *pivots;           /* m */
    double *A, *lu;        /* m x m */
    double *x, *r, *known; /* m; known: right-hand side without the columns that are left out */
    double *weight;        /* m: |A| |x| + |known| */
} perp_nsn_dense;

/* ready = 0: not worth it. */
perp_status perp_nsn_dense_build(perp_nsn_dense *dense, const perp_nsn *nsn, perp_arena *arena);
/* dz = -J^-1 F; the entries of the rows with open[i] are -F at once.  PERP_ERR_SINGULAR,
 * PERP_ERR_NUMERICAL: with a backward error above `limit` after refinement to `goal`. */
perp_status perp_nsn_dense_direction(double *dz, perp_nsn_dense *dense, perp_nsn *nsn,
                                     const unsigned char *open, double goal, double limit);

#endif
