/* SPDX-License-Identifier: BSD-3-Clause */
/* M'y with a bound of all that rounding took from it. */
#ifndef PERP_PROBLEM_PROOF_COLUMNS_H
#define PERP_PROBLEM_PROOF_COLUMNS_H

#include <perp/matrix.h>

#include "linalg/exact_sum.h"

/* c = M'y and the sums of its absolute terms, n each; work: perp_proof_work(M) doubles less 3 n.  Not
 * for an OPERATOR.  DELASSUS: of the inverses and factors that the mass holds. */
void perp_proof_columns(perp_exact_sum *c, double *size, const perp_mat *M, const double *y,
                        double *work);

#endif
