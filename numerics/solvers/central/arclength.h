/* SPDX-License-Identifier: BSD-3-Clause */
/* Pseudo-arclength continuation on the central path G(z, tau) = 0 in (z, sigma), sigma =
 * log tau ([AllgowerGeorg1990], chapters 2 to 7).
 *
 * Lengths are measured in body velocities, |dz|^2 = dz' M dz / (size^2 blocks tau): a drift
 * of z in the null space of M costs nothing.  A predictor is the tangent, or the
 * cubic through two points and their tangents; each corrector step is a full Newton step in
 * the plane across the tangent, one factorisation.  Folds are passed: the direction
 * of a tangent is the one in which the bordered determinant keeps its sign, which is
 * constant along a path and differs between neighbouring ones. */
#ifndef PERP_SOLVERS_CENTRAL_ARCLENGTH_H
#define PERP_SOLVERS_CENTRAL_ARCLENGTH_H

#include "solvers/central/krylov.h"
#include "solvers/central/precise.h"

/* What a step must keep. */
typedef struct perp_arclength_limits {
    double residual;    /* |G| / (2 sqrt(blocks)) of an accepted point, in units of sqrt(tau) */
    double noise;       /* what corrections without a new factorisation go on to, the same */
    double distance;    /* first correction, in units of the step */
    double contraction; /* of two corrections */
    double cosine;      /* of two tangents */
    int corrections;
    double shortest, longest; /* step */
} perp_arclength_limits;

typedef struct perp_arclength_point {
    double *z, *low, *tz, *tw; /* n: point z + low, tangent, M tangent */
    double sigma, ts;
} perp_arclength_point;

typedef struct perp_arclength {
    perp_central *central;
    const perp_arclength_limits *limits;
    perp_arclength_point now, old;
    perp_precise precise;
    perp_krylov krylov;
    double *w, *z, *low, *G; /* n: trial z + low, and M z + q and G there */
    double *a, *wa, *b, *wb; /* n: Newton step and d z / d sigma, and M times them */
    double *old_z, *old_low; /* n */
    double step, last_step;  /* of the next predictor; between old and now, 0: there is no old */
    int orientation;         /* sign of the bordered determinant; 0: not known */
    int folds;               /* sign changes of the tangent's sigma */
    int factorisations;
} perp_arclength;

perp_status perp_arclength_take(perp_arclength *arc, perp_central *central, perp_arena *arena);
/* A point of the path at tau, by Newton from its start there; the tangent points to smaller tau.
 * PERP_STALLED when it does not converge. */
perp_status perp_arclength_start(perp_arclength *arc, perp_work *work, double tau);
/* One accepted step into arc->now.  PERP_STALLED when none is possible; errors of the
 * factorisation other than singular ones. */
perp_status perp_arclength_step(perp_arclength *arc, perp_work *work);

#endif
