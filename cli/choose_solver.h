/* SPDX-License-Identifier: BSD-3-Clause */
/* Which solver: by name, or one that fits the problem. */
#ifndef PERP_CLI_CHOOSE_SOLVER_H
#define PERP_CLI_CHOOSE_SOLVER_H

#include <perp/numerics.h>

/* The solver called `name`; with NULL that of perp_solver_choose().  NULL after
 * a message: unknown, unfit, or none fits. */
const perp_solver_type *perp_choose_solver(const char *name, const perp_problem *problem);

#endif
