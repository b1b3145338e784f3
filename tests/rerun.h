/* SPDX-License-Identifier: BSD-3-Clause */
/* A handle that is used again gives the bits of a new one. */
#ifndef PERP_TESTS_RERUN_H
#define PERP_TESTS_RERUN_H

#include <perp/numerics.h>

/* Solves `before` twice and, after an update, `after`, which has its shape and pattern. */
void rerun_check(const char *solver, const perp_problem *before, const perp_problem *after);

#endif
