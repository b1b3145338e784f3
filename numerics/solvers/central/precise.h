/* SPDX-License-Identifier: BSD-3-Clause */
/* The equations of the central path with 31 digits.  Close to its end x + y - |x - y|
 * loses all the digits of the smaller of the two, and with double alone the path of a
 * hyperstatic problem cannot be told from its neighbours below tau = 1e-10. */
#ifndef PERP_SOLVERS_CENTRAL_PRECISE_H
#define PERP_SOLVERS_CENTRAL_PRECISE_H

#include "linalg/twofold.h"
#include "solvers/central/central_system.h"

typedef struct perp_precise {
    perp_twofold *w, *v; /* n; unknowns of the bodies */
    perp_twofold *x, *y; /* largest dim */
} perp_precise;

perp_status perp_precise_take(perp_precise *precise, const perp_central *central,
                              perp_arena *arena);
/* G (n) and w = M z + q (n, rounded) at z + low; returns |G| / (2 sqrt(blocks)). */
double perp_precise_residual(double *G, double *w, perp_precise *precise,
                             const perp_central *central, const double *q, const double *z,
                             const double *low);
/* out = M (z + low), rounded.  n each. */
void perp_precise_product(double *out, perp_precise *precise, const perp_central *central,
                          const double *z, const double *low);

#endif
