/* SPDX-License-Identifier: BSD-3-Clause */
/* The search for a proof that a problem has no solution, for every set.
 *
 * What any solution satisfies are linear rows once the round cones are given a polygon around them:
 * signs of w, bounds of z, mu z_N - d.z_T >= 0 for directions d.  Their Farkas multipliers, those
 * of the rows of w, are the certificate (docs/theory.md); where the rows have a point outside a
 * cone, a direction is added there.  Where M is symmetric the signs of w are tried alone before, first
 * those of blocks where z is large; of a DELASSUS matrix H' B H as rows over motions v, w = H' v + q,
 * which decide whether there is a proof of this kind: M y = 0 is H y = 0 then. */
#ifndef PERP_SOLVERS_AUTO_FARKAS_H
#define PERP_SOLVERS_AUTO_FARKAS_H

#include "handle/solver_type.h"

/* certificate: from perp_refute_take(); most: operations.  PERP_INFEASIBLE,
 * PERP_INFEASIBLE_WITHIN (the certificate and its reach are those of work), or PERP_STALLED: no
 * proof was found; *hopeless becomes 1 where there is none of this kind.  work->scratch is lost.  Memory for
 * the time of the search. */
perp_status perp_farkas_search(perp_work *work, double *certificate, double most, int *hopeless);

/* Asked at each measurement of an iteration, 1 at some of them where |d z| has grown nearly in
 * proportion to the iterations since the last look: so does a z that tends to no solution. */
typedef struct perp_growth {
    double size;
    int seen; /* iteration of size */
} perp_growth;
int perp_growth_is_endless(perp_growth *growth, const perp_work *work, int iteration);

#endif
