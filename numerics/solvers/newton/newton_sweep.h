/* SPDX-License-Identifier: BSD-3-Clause */
/* Symmetric block Gauss-Seidel sweeps on the arrays of a Newton system: they
 * bring semismooth Newton near enough to a solution. */
#ifndef PERP_SOLVERS_NEWTON_NEWTON_SWEEP_H
#define PERP_SOLVERS_NEWTON_NEWTON_SWEEP_H

#include "local/local.h"
#include "solvers/newton/newton_system.h"

typedef struct perp_nsn_sweep {
    double *A;             /* diagonal blocks of M, at nsn->start[k] */
    perp_local_prep *prep; /* per block, of the matrices that `prepared` says */
    int prepared;
    double *value;      /* n: w (local form); or lead: v = G z (global form) */
    double *b, *change; /* largest block each */
    double *scratch;    /* for a large block */
} perp_nsn_sweep;

perp_status perp_nsn_sweep_take(perp_nsn_sweep *sweep, const perp_nsn *nsn, perp_arena *arena);

/* Diagonal blocks of M, after perp_nsn_load().  What a sweep needs to know of them is found
 * by perp_nsn_sweep_start(): a warm start makes none. */
perp_status perp_nsn_sweep_load(perp_nsn_sweep *sweep, const perp_nsn *nsn,
                                const perp_problem *problem, const perp_allocator *allocator);

/* Sets `value` for this z; w = M z + q. */
void perp_nsn_sweep_start(perp_nsn_sweep *sweep, const perp_nsn *nsn, const double *z,
                          const double *w);

/* All blocks once forward and once backward.  Blocks without a solution of their
 * own, and those whose diagonal vanishes, keep their z. */
void perp_nsn_sweep_run(perp_nsn_sweep *sweep, const perp_nsn *nsn, const perp_problem *problem,
                        double *z);

#endif
