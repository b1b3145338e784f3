/* SPDX-License-Identifier: BSD-3-Clause */
/* Anderson acceleration, type II ([Anderson1965]; [WalkerNi2011]), of a fixed-point
 * iteration x <- G(x):
 *
 *     f = weight (g - x),  g = G(x);   gamma = argmin |f - dF gamma|;   x+ = g - dG gamma
 *
 * dF, dG: the last `depth` differences of f and g.  The minimum is that of the normal
 * equations with 1e-10 of their trace on the diagonal.  When |f| is more than twice the
 * lowest since the last restart, or not finite, the differences are forgotten and x+ is
 * the g of the lowest.  x+ lies at most 1000 |f| from g, so that an iteration without a
 * fixed point does not run away faster than that.
 *
 * The next point need not lie in the sets: the caller projects it, hands the point that
 * it used to the next call as x, and takes the image g for its answer, never x+.
 */
#ifndef PERP_SOLVERS_ACCELERATION_ANDERSON_H
#define PERP_SOLVERS_ACCELERATION_ANDERSON_H

#include "core/arena.h"
#include "problem/blocks.h"

enum { PERP_ANDERSON_DEPTH_MAX = 12 };

typedef enum perp_anderson_step {
    PERP_ANDERSON_PLAIN,    /* x+ = g */
    PERP_ANDERSON_MIXED,    /* x+ = g - dG gamma */
    PERP_ANDERSON_RESTARTED /* x+ = the best g */
} perp_anderson_step;

typedef struct perp_anderson {
    int threads; /* 1 unless the caller changes it; the bits are the same */
    double norm; /* |f| of the last call */
    double best; /* lowest |f| since the restart */
    int n, depth;
    int stored, newest, started; /* differences held; the last one's column; 1: f, g are there */
    double *weight;              /* n, ones at first */
    double *f, *g, *best_g;      /* n, of the last and of the best call */
    double *dF, *dG;             /* depth columns of n */
    double *gram;                /* depth x depth, dF' dF */
    double *partial;             /* sums of each chunk */
} perp_anderson;

/* Takes all memory, (2 depth + 4) n doubles and a little; look at arena->failed.  depth: 1
 * to PERP_ANDERSON_DEPTH_MAX.  NULL when memory is out. */
perp_anderson *perp_anderson_take(perp_arena *arena, int n, int depth);

/* The weight of each row: weight[k] for the rows of block k.  NULL: ones. */
void perp_anderson_weigh(perp_anderson *a, const perp_blocks *blocks, const double *weight);

/* Forgets all that was seen; before the first call of each solve, too. */
void perp_anderson_restart(perp_anderson *a);

/* The next point after x with g = G(x).  x_out may be x or g. */
perp_anderson_step perp_anderson_next(perp_anderson *a, double *x_out, const double *x,
                                      const double *g);

#endif
