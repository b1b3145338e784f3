/* SPDX-License-Identifier: BSD-3-Clause */
/* The answer of every block to a scalar matrix: z with
 *     y = c (z - x),  -(y + s(y)) in N_K(z)
 * does not depend on c > 0.  It is P_K(x) where s = 0; for COULOMB it is
 *     z_N = max(0, x_N),  z_T = x_T cut to the disk of radius mu z_N,
 * the friction law itself, with nothing lagged; for ROLLING each disk is cut so by its parameter,
 * and rows N, T and R may have a c each.  Its fixed points under x = z - c w are the solutions, as
 * those of the De Saxce form P_K(z - c (w + s(w))) are. */
#ifndef PERP_SOLVERS_LAW_RESOLVENT_H
#define PERP_SOLVERS_LAW_RESOLVENT_H

#include "problem/blocks.h"

/* z of one block; z may be x. */
void perp_law_resolvent(double *z, const double *x, const perp_block *block);

/* T of row i of a block: t, and t l^2 for the moments of ROLLING. */
static inline double perp_row_step(const perp_block *block, double t, int i)
{
    double unit = perp_block_unit(block, i);
    return unit == 1.0 ? t : t * (unit * unit);
}

#endif
