/* SPDX-License-Identifier: BSD-3-Clause */
/* Which solver: by name, or one that fits the problem. */
#ifndef PERP_CLI_CHOOSE_H
#define PERP_CLI_CHOOSE_H

#include <perp/numerics.h>

/* 1 when the solver takes every set and the matrix of the problem. */
int perp_solver_fits(const perp_solver_type *type, const perp_problem *problem);

/* The solver called `name`; with NULL "auto" where the library has it, "lemke"
 * for linear complementarity, else the first that fits of "gs", "nsn-ac", and
 * all others.  NULL after a message: unknown, unfit, or none fits. */
const perp_solver_type *perp_choose_solver(const char *name, const perp_problem *problem);

#endif
