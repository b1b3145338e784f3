/* SPDX-License-Identifier: BSD-3-Clause */
/* The smoothed complementarity function of Chen, Harker, Kanzow and Smale, block
 * by block.  In the scaled variables of a block with weight d > 0
 *
 *     x = d (mu z_N, z_T) / size,    y = (w_N / mu + s, w_T) / (d size),
 *     s = sqrt(|w_T|^2 + e^2) - e for COULOMB, 0 for SOC,  e = kappa sqrt(tau) d size,
 *
 * it is G = x + y - ((x - y)^2 + 4 tau e_0)^(1/2) with the square root of the Jordan
 * algebra of the Lorentz cone: G = 0 says x o y = tau e_0 with both inside the
 * cone, the central path, and at tau = 0 the problem itself.  NONNEG and BOX have the
 * scalar function for one and two bounds (Chen, Mangasarian), FREE has
 * 2 (y + free tau x).
 * A cone with mu = 0 is a half-line: NONNEG in the normal row, z_T = 0. */
#ifndef PERP_SOLVERS_CENTRAL_SMOOTHING_H
#define PERP_SOLVERS_CENTRAL_SMOOTHING_H

#include "problem/blocks.h"

enum {
    PERP_CENTRAL_SETS =
        1u << PERP_FREE | 1u << PERP_NONNEG | 1u << PERP_BOX | 1u << PERP_COULOMB | 1u << PERP_SOC
};

typedef struct perp_smoothing {
    double size;  /* of the problem, in units of w / d */
    double tau;   /* >= 0 */
    double kappa; /* smoothing of |w_T|, in units of sqrt(tau); 0: none */
    double free;  /* weight of x in a FREE row, in units of tau */
} perp_smoothing;

/* G (dim) at (w, z), its derivatives Gw and Gz (dim x dim, column-major) and the
 * derivative with respect to log(tau) Gt (dim, tau > 0); any but G may be NULL, Gw and
 * Gz together.  work: 4 dim doubles. */
void perp_smoothing_eval(double *G, double *Gw, double *Gz, double *Gt, const perp_block *block,
                         const perp_smoothing *smoothing, double d, const double *w,
                         const double *z, double *work);

#endif
