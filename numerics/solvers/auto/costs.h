/* SPDX-License-Identifier: BSD-3-Clause */
/* What the stages of `auto` will cost, in nanoseconds of one core of a common machine, from sizes
 * alone: decisions rest on counts and on these constants, never on a clock. */
#ifndef PERP_SOLVERS_AUTO_COSTS_H
#define PERP_SOLVERS_AUTO_COSTS_H

#include "handle/solver_type.h"

typedef struct perp_costs {
    double sweep;    /* one Gauss-Seidel sweep */
    double newton;   /* one Newton step, factorisation included */
    double analysis; /* set-up of the Newton system */
} perp_costs;

/* flops: of one factorisation where an analysis has told, 0: they are guessed from the
 * couplings between blocks. */
void perp_costs_estimate(perp_costs *costs, const perp_work *work, double flops);

#endif
