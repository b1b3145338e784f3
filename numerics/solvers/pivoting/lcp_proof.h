/* SPDX-License-Identifier: BSD-3-Clause */
/* Proofs that a mixed LCP has no solution because its linear part has none. */
#ifndef PERP_SOLVERS_LCP_PROOF_H
#define PERP_SOLVERS_LCP_PROOF_H

#include "solvers/pivoting/lcp_form.h"

/* y.b < 0, y >= 0 on pairs, A' y <= 0 in pairs and = 0 in free columns, beyond rounding.  y (size,
 * scaled) is cleaned of entries that are rounding themselves. */
int perp_lcp_proves_infeasible(double *y, const perp_lcp *lcp);
/* One row alone is such a proof: <= 0 in every column, and b_i < 0; y becomes it. */
int perp_lcp_row_proves(double *y, const perp_lcp *lcp);
/* y as a certificate for the problem: n entries. */
void perp_lcp_to_multipliers(double *certificate, const perp_lcp *lcp, const double *y);

#endif
