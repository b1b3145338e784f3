/* SPDX-License-Identifier: BSD-3-Clause */
/* What `auto` runs before its plan: Newton's method where an answer is to end at rounding, or where
 * rows are so few that it costs next to nothing; proximal Newton steps and an interior method where
 * all rows are coupled, as those at a mechanism, of which sweeps see little. */
#ifndef PERP_SOLVERS_AUTO_LEAD_H
#define PERP_SOLVERS_AUTO_LEAD_H

#include "solvers/auto/watch.h"

/* 1: something comes before the plan. */
int perp_lead_is_wanted(perp_work *work);
/* Runs it.  What goes on begins from the best iterate, in z and best. */
perp_status perp_lead_run(perp_work *work);
/* 1: the error is one that the settings say will do where a solve does not come to tol. */
int perp_lead_is_enough(const perp_work *work);

#endif
