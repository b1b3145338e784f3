/* SPDX-License-Identifier: BSD-3-Clause */
/* A few rows of intervals, solved by the handle before it sets up the solver that was asked for:
 * only for those flagged PERP_ROWS_FIRST. */
#ifndef PERP_HANDLE_FEW_ROWS_H
#define PERP_HANDLE_FEW_ROWS_H

#include "handle/solver_type.h"

/* Of a problem whose blocks and scaling are there. */
int perp_few_rows(const perp_work *work);
/* From z = 0.  PERP_SOLVED: z, w and the residual are there, as perp_stop() leaves them, and a
 * stage is recorded.  PERP_STALLED: work->z is 0 again, and nothing else was done. */
perp_status perp_few_rows_solve(perp_work *work);

#endif
