/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_CLI_SOLVE_ALL_H
#define PERP_CLI_SOLVE_ALL_H

#include "cli/arguments.h"

/* Prints every solution of the problem of this file and says whether these are all.  Exit code. */
int perp_solve_all(const char *file, const perp_problem *problem, const perp_shared *shared);

#endif
