/* SPDX-License-Identifier: BSD-3-Clause */
/* A step of the proximal Newton system, by the velocities of the bodies (bodies/body_form.h).  A
 * step of nsn's local form (newton_system.h) is, with u = P dz,
 *
 *     dz_k = -S_k (F_k + Fw_k Q_k u),    S_k = (Fz_k + Fw_k A_k)^-1,
 *     (I + sum_k P_k S_k Fw_k Q_k) u = -sum_k P_k S_k F_k.
 *
 * A is > 0, so that the small inverses exist.  It costs least where contacts are many and bodies
 * few. */
#ifndef PERP_SOLVERS_NEWTON_NEWTON_BODIES_H
#define PERP_SOLVERS_NEWTON_NEWTON_BODIES_H

#include "linalg/factor/front.h"
#include "solvers/bodies/body_form.h"
#include "solvers/newton/newton_system.h"

typedef struct perp_nsn_bodies {
    int ready; /* built */
    perp_body_form form;
    perp_front front;     /* of form.A */
    double *diagonal;     /* n: of M beside H' Minv H */
    double *S, *C;        /* as Fw of nsn: S_k, S_k Fw_k */
    double *u, *residual; /* unknowns of the bodies; n */
    double flops;         /* of a step */
} perp_nsn_bodies;

/* 1: the matrix has the form above, and all blocks are small. */
int perp_nsn_bodies_take(const perp_mat *M, const perp_blocks *blocks);
/* Pattern and memory, from the arena, for a system that was built for the same problem. */
perp_status perp_nsn_bodies_build(perp_nsn_bodies *bodies, const perp_nsn *nsn,
                                  const perp_problem *problem, perp_ordering_kind ordering,
                                  perp_arena *arena);
/* The numbers of H and of the mass; 0: they do not have this form any more. */
int perp_nsn_bodies_load(perp_nsn_bodies *bodies, const perp_nsn *nsn, const perp_problem *problem);
/* dz for F, Fw, Fz of the last perp_nsn_evaluate().  PERP_ERR_SINGULAR, PERP_ERR_NUMERICAL. */
perp_status perp_nsn_bodies_direction(double *dz, perp_nsn_bodies *bodies, const perp_nsn *nsn);

#endif
