/* SPDX-License-Identifier: BSD-3-Clause */
/* The steps of a Newton system.  Where Fw = 0 and Fz = I ("open" blocks) the step is dz = -F at
 * once, and the fronts of the factorisation leave these rows out, though they were analysed
 * with them.  What the fronts cannot factorise well goes to KLU with all its pivoting. */
#ifndef PERP_SOLVERS_NEWTON_NEWTON_LU_H
#define PERP_SOLVERS_NEWTON_NEWTON_LU_H

#include "linalg/factor/front.h"
#include "solvers/newton/newton_system.h"

typedef struct perp_nsn_lu {
    perp_front front;
    perp_factor *factor; /* the kind that was named, or of last resort; NULL: not made yet */
    perp_allocator allocator;
    perp_ordering_kind ordering;
    int fronts;          /* 1: fronts are tried first */
    int given_up;        /* 1: not any more in this solve */
    double flops;        /* of the whole J */
    int still;           /* 1: there are bodies without contact */
    unsigned char *open; /* lead + n: 1 in the rows of open blocks and still bodies */
} perp_nsn_lu;

/* Analyses the pattern of J.  PERP_FACTOR_AUTO: fronts. */
perp_status perp_nsn_lu_build(perp_nsn_lu *lu, const perp_nsn *nsn, const perp_problem *problem,
                              perp_factor_kind kind, perp_ordering_kind ordering,
                              perp_arena *arena);
/* The next factorisation depends on nothing that came before. */
void perp_nsn_lu_restart(perp_nsn_lu *lu);
/* dz = -J^-1 F for the J of the last perp_nsn_jacobian(). */
perp_status perp_nsn_lu_direction(double *dz, perp_nsn_lu *lu, perp_nsn *nsn);
void perp_nsn_lu_free(perp_nsn_lu *lu);

#endif
