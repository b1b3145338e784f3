/* SPDX-License-Identifier: BSD-3-Clause */
/* In a sequence of problems what sweeps leave adds up from one to the next: their answers are
 * polished by Newton steps.  Where what the answer carries begins at rest, an interior method makes
 * it so exact, from any start, that all of it is seen to rest. */
#ifndef PERP_SOLVERS_AUTO_POLISH_H
#define PERP_SOLVERS_AUTO_POLISH_H

#include "solvers/auto/watch.h"

/* Error of a polished answer. */
double perp_auto_polished(const perp_work *work);
/* After the sweeps, which ended with this status.  The best iterate stays; the new status. */
perp_status perp_auto_polish(perp_work *work, perp_status status);

#endif
