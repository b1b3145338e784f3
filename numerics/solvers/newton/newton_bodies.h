/* SPDX-License-Identifier: BSD-3-Clause */
/* A step of the proximal Newton system, by the velocities of the bodies.  For M = H' Minv H with
 * Minv = B' B by bodies and G = B H, a step of nsn's local form (newton_system.h) is
 *
 *     dz_k = -S_k (F_k + Fw_k G_k' u),    S_k = (Fz_k + Fw_k A_k)^-1,    u = G dz,
 *     (I + sum_k G_k S_k Fw_k G_k') u = -sum_k G_k S_k F_k,
 *
 * one block of rows for each body that touches something, coupled where bodies touch.  A is > 0,
 * so that the small inverses exist.  It costs least where contacts are many and bodies few. */
#ifndef PERP_SOLVERS_NEWTON_NEWTON_BODIES_H
#define PERP_SOLVERS_NEWTON_NEWTON_BODIES_H

#include "linalg/factor/front.h"
#include "solvers/newton/newton_system.h"

/* A body in a block of z. */
typedef struct perp_nsn_touch {
    int body;  /* its number here */
    size_t G;  /* offset in G: rows of the body x dim, column-major */
    size_t at; /* offset in `place`: of its pairs with the bodies of the block */
} perp_nsn_touch;

/* A body is what the same blocks touch: of a diagonal mass each row is a component of its own. */
typedef struct perp_nsn_bodies {
    int bodies;
    int *first;            /* bodies + 1: rows of u */
    int *body, *offset;    /* components of the mass: body, or -1; place in its rows */
    int *touch_ptr;        /* blocks + 1 */
    perp_nsn_touch *touch; /* body by body in each block */
    int *place;            /* of each pair (a, b) of a block: entry (0, 0) of its rows in K.x */
    perp_csc K;
    perp_front front;
    double *G, *diagonal; /* of touches; n: of M beside H' Minv H */
    double *S, *C;        /* as Fw of nsn: S_k, S_k Fw_k */
    unsigned char *couples; /* of each block: C is not 0 */
    double *u, *residual; /* rows of u; n */
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
