/* SPDX-License-Identifier: BSD-3-Clause */
/* The nonlinear conjugate gradients of [SilcowitzEtAl2010] about a
 * fixed-point iteration x <- G(x), with g = G(x) and the step f = g - x:
 *
 *     beta = |f|^2 / |f_old|^2;   beta > 1:  p = f,             x+ = g
 *                                 else:      x+ = g + beta p,   p = beta p + f
 *
 * One vector where Anderson acceleration keeps a dozen.  The next point need not lie in
 * the sets; the image g is the answer.
 */
#ifndef PERP_SOLVERS_ACCELERATION_NNCG_H
#define PERP_SOLVERS_ACCELERATION_NNCG_H

#include "core/arena.h"
#include "problem/blocks.h"

typedef struct perp_nncg {
    int threads; /* 1 unless the caller changes it; the bits are the same */
    int n;
    double square; /* |f|^2 of the last call, 0 after a restart */
    double beta;   /* of the last call; 0: x+ = g */
    double *p;
    double *partial; /* sums of each chunk */
} perp_nncg;

/* Takes n doubles and a little; NULL when memory is out. */
perp_nncg *perp_nncg_take(perp_arena *arena, int n);

/* Forgets the direction; before the first call of each solve, too. */
void perp_nncg_restart(perp_nncg *c);

/* |f|^2 as sum (weight[k] f_k)^2 over blocks. */
double perp_nncg_square(perp_nncg *c, const double *x, const double *g, const perp_blocks *blocks,
                        const double *weight);
/* What follows the iterate as a linear function of it: x that of x, g that of g, p that of p, which
 * is kept by the caller; n numbers each. */
typedef struct perp_nncg_follower {
    double *x, *g, *p;
    size_t n;
} perp_nncg_follower;

/* From x, with g = G(x) and |f|^2 in any norm, to the next point, in both; the follower, which may
 * be NULL, takes the same step.  1: it is not g. */
int perp_nncg_next(perp_nncg *c, double *x, double *g, double square,
                   const perp_nncg_follower *follower);

#endif
