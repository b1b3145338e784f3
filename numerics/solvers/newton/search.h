/* SPDX-License-Identifier: BSD-3-Clause */
/* Semismooth Newton with a line search on one reformulation: all of the solver nsn
 * but the equation.
 *
 * 1. Symmetric Gauss-Seidel sweeps from 0, or the z of a warm start.
 * 2. Newton steps with a line search on sum_i |F_i|^2 / (2 rho_i) until it stalls (setting
 *    line_search; none leaves this out): Armijo, the same against the largest of the last
 *    five values ([GrippoEtAl1986]), or [GoldsteinPrice1967].
 * 3. Proximal Newton with restarts (newton/proximal_newton.h).
 * A singular matrix gets more weight until it can be factorised. */
#ifndef PERP_SOLVERS_NSN_SEARCH_H
#define PERP_SOLVERS_NSN_SEARCH_H

#include "solvers/newton/proximal_newton.h"

/* The setup of a descriptor, for an equation; and the rest of it. */
perp_status perp_nsn_setup(perp_work *work, const perp_reform *reform);
perp_status perp_nsn_update(perp_work *work);
perp_status perp_nsn_solve(perp_work *work);
void perp_nsn_release(perp_work *work);

#endif
