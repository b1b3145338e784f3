/* SPDX-License-Identifier: BSD-3-Clause */
/* Nonsmooth equations F(w, z) = 0 of one block, with one element of their
 * generalised Jacobian: the reformulations that semismooth Newton solves. */
#ifndef PERP_REFORM_REFORM_H
#define PERP_REFORM_REFORM_H

#include "problem/blocks.h"

/* F (dim), dF/dw and dF/dz (dim x dim, column-major) at (w, z) with the
 * positive step rho[0] for the normal row, rho[1] for the others (rows R of
 * ROLLING: rho[1] times the square of the block's length).  Fw and Fz
 * may be NULL when only F is wanted. */
typedef struct perp_reform {
    const char *name;
    unsigned sets; /* bit per set that it takes */
    void (*eval)(double *F, double *Fw, double *Fz, const perp_block *block, const double *rho,
                 const double *w, const double *z);
} perp_reform;

/* Order of the setting `formulation`, fischer-burmeister behind it.
 * Alart-Curnier ([SDN] ch. 16): friction disk of radius mu max(0, z_N - rho_N w_N).
 * Jean-Moreau: radius mu max(0, z_N).  ROLLING: rolling.h.  Sets without friction: the
 * natural map z - P_K(z - rho w).
 * Natural map: z - P_K(z - rho_N (w + s(w))).  Fischer-Burmeister on the cone: FREE,
 * NONNEG, BOX, COULOMB, SOC only. */
extern const perp_reform perp_reform_alart_curnier, perp_reform_jean_moreau,
    perp_reform_natural_map, perp_reform_fischer_burmeister;

/* Fischer-Burmeister of FREE, NONNEG and BOX rows, smoothed: rho[1] is the product z w rho[0] of
 * a pair at F = 0 ([Kanzow1996]). */
extern const perp_reform perp_reform_smooth_rows;

const perp_reform *perp_reform_at(int k);

#endif
