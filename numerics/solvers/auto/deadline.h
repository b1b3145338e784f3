/* SPDX-License-Identifier: BSD-3-Clause */
/* What `auto` still begins under a time limit.  Costs are counted in nanoseconds of a common
 * machine (handle/costs.h); what has run in this solve tells how long such a nanosecond is here.
 * Without a limit nothing is looked at, and no decision reads a clock. */
#ifndef PERP_SOLVERS_AUTO_DEADLINE_H
#define PERP_SOLVERS_AUTO_DEADLINE_H

#include "handle/solver_type.h"

typedef struct perp_deadline {
    double pace; /* seconds for a counted nanosecond */
} perp_deadline;

void perp_deadline_start(perp_deadline *deadline);

/* Something that was counted as so many nanoseconds has taken so many seconds. */
void perp_deadline_seen(perp_deadline *deadline, double seconds, double counted);

/* Seconds to the limit of this solve; INFINITY without one. */
double perp_deadline_left(const perp_work *work);

/* 1: something that is counted as so many nanoseconds ends before the limit, with a margin. */
int perp_deadline_allows(const perp_deadline *deadline, const perp_work *work, double counted);

#endif
