/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_FEASIBLE_ROWS_H
#define PERP_FEASIBLE_ROWS_H

#include <perp/feasible.h>

/* The caller's struct in the library's own, and its arrays checked. */
perp_status perp_rows_read(perp_linear_rows *own, const perp_linear_rows *callers);

#endif
