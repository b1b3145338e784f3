/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer of every block to a scalar matrix: z with
 *     y = c (z - x),  -(y + s(y)) in N_K(z)
 * does not depend on c > 0.  It is P_K(x) where s = 0; for COULOMB it is
 *     z_N = max(0, x_N),  z_T = x_T cut to the disk of radius mu z_N,
 * the friction law itself, with nothing lagged.  Its fixed points under x = z - c w
 * are the solutions, as those of the De Saxce form P_K(z - c (w + s(w))) are. */
#ifndef PERP_SOLVERS_LAW_RESOLVENT_H
#define PERP_SOLVERS_LAW_RESOLVENT_H

#include "problem/blocks.h"

/* z of one block; z may be x. */
void perp_law_resolvent(double *z, const double *x, const perp_block *block);

#endif
