/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_FEASIBLE_ROWS_H
#define PERP_FEASIBLE_ROWS_H

#include <perp/feasible.h>

#include "core/arena.h"

/* The caller's struct in the library's own, and its arrays checked. */
perp_status perp_rows_read(perp_linear_rows *own, const perp_linear_rows *callers);

/* Of rows that are sound: PERP_SOLVED with a point in v (cols), PERP_INFEASIBLE with multipliers in
 * y (rows) that are not checked, PERP_STALLED after so many operations, PERP_ERR_MEMORY. */
perp_status perp_rows_refute(const perp_linear_rows *rows, double most, perp_arena *arena,
                             double *v, double *y);

#endif
