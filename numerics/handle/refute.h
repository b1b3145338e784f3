/* SPDX-License-Identifier: BSD-3-Clause */
/* A vector that a solver takes for a proof, judged. */
#ifndef PERP_HANDLE_REFUTE_H
#define PERP_HANDLE_REFUTE_H

#include <math.h>

#include "handle/solver_type.h"

/* Memory for work->certificate and all that perp_refute() needs behind it.  NULL: none. */
double *perp_refute_take(const perp_work *work, perp_arena *arena);

/* work->certificate, which perp_refute_take() gave, is nearly a proof.  It is checked, and where
 * rounding alone stands in its way, made one: by the small integers that it stands for, or by a
 * step into the proofs where it lies on their edge.
 *     PERP_INFEASIBLE         no solution exists
 *     PERP_INFEASIBLE_WITHIN  none with all |z_i| below work->reach
 *     PERP_STALLED            it shows nothing of use
 * The kind of the certificate and the reach are set; nothing is allocated. */
perp_status perp_refute(perp_work *work);

/* The status of a reach: of use from `least` on. */
static inline perp_status perp_reach_status(double reach)
{
    return isinf(reach) ? PERP_INFEASIBLE : reach > 0.0 ? PERP_INFEASIBLE_WITHIN : PERP_STALLED;
}

/* x (n entries) as integers of at most 2^40 with these ratios, where they have such to a relative
 * 1e-9.  0: they have none. */
int perp_small_integers(double *to, const double *x, int n);

#endif
