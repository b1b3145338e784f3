/* SPDX-License-Identifier: BSD-3-Clause */
/* The Newton system without its open blocks.  Where Fw = 0 and Fz = I the step
 * is dz = -F at once, and what is left fills much less.  The pattern then
 * follows the set of open blocks: it is ordered and analysed anew when that set
 * has changed, which pays where a factorisation costs more than an analysis. */
#ifndef PERP_SOLVERS_NSN_REDUCED_H
#define PERP_SOLVERS_NSN_REDUCED_H

#include "solvers/newton/system.h"

typedef struct perp_nsn_reduced {
    perp_factor_kind kind;
    perp_ordering ordering;
    perp_allocator allocator;
    perp_factor *factor; /* of the whole J, or of what is left */
    int active;          /* 1: open blocks are left out */
    double flops;        /* of the whole J */
    unsigned char *open; /* per block, of the last analysis */
    int *map;            /* lead + n: row in the reduced system, -1 in an open block */
    perp_csc J;          /* room for all of J */
    double *rhs;         /* lead + n */
} perp_nsn_reduced;

/* Analyses the whole J; leaves open blocks out later when its factorisation costs
 * more than `flops_limit`. */
perp_status perp_nsn_reduced_build(perp_nsn_reduced *reduced, const perp_nsn *nsn,
                                   perp_factor_kind kind, perp_ordering ordering,
                                   double flops_limit, perp_arena *arena);
/* The next factorisation depends on nothing that came before. */
void perp_nsn_reduced_restart(perp_nsn_reduced *reduced);
/* Factorises the J of the last perp_nsn_jacobian(). */
perp_status perp_nsn_reduced_factorise(perp_nsn_reduced *reduced, const perp_nsn *nsn);
/* dz = -J^-1 F. */
void perp_nsn_reduced_direction(double *dz, perp_nsn_reduced *reduced, perp_nsn *nsn);
void perp_nsn_reduced_free(perp_nsn_reduced *reduced);

#endif
