/* SPDX-License-Identifier: BSD-3-Clause */
/* Clusters (clusters.h) in turn with sweeps over the whole, each round from the best iterate of the
 * one before, which need not be better than what was there first: a cluster that goes to another
 * answer makes the error larger around it, and the sweeps that follow make it small. */
#ifndef PERP_SOLVERS_AUTO_ROUNDS_H
#define PERP_SOLVERS_AUTO_ROUNDS_H

#include "solvers/auto/watch.h"

/* From work->z and work->best.  PERP_SOLVED, what ended the sweeps for good, or, with the best of
 * all iterates, PERP_STALLED. */
perp_status perp_auto_rounds(perp_auto *state, perp_work *work, perp_nested *sweeps);

#endif
