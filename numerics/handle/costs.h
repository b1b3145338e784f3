/* SPDX-License-Identifier: BSD-3-Clause */
/* What sweeps and factorisations cost, in nanoseconds of one core of a common machine, from sizes
 * alone: decisions rest on counts and on these constants, never on a clock. */
#ifndef PERP_HANDLE_COSTS_H
#define PERP_HANDLE_COSTS_H

#include "handle/solver_type.h"

typedef struct perp_costs {
    double sweep;    /* one Gauss-Seidel sweep */
    double newton;   /* one Newton step, factorisation included */
    double analysis; /* set-up of the Newton system */
} perp_costs;

/* flops: of one factorisation where an analysis has told, 0: they are guessed from the
 * couplings between blocks. */
void perp_costs_estimate(perp_costs *costs, const perp_work *work, double flops);

/* Counted work, in sweeps over the problem: each iteration is one, and a factorisation as many as
 * its entries and flops say.  flops: as above. */
double perp_costs_work(const perp_work *work, double flops, double iterations,
                       double factorisations);
/* Of this solver and those inside it so far, at its present iteration. */
double perp_costs_spent(const perp_work *work, double iteration);

#endif
