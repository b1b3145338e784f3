/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a problem file. */
#ifndef PERP_CLI_VIEW_PROBLEM_H
#define PERP_CLI_VIEW_PROBLEM_H

#include "cli/arguments.h"

/* 1: the file begins as a problem does, not as JSON or XML. */
int perp_is_problem(const char *path);
/* Solves the problem in `path` and writes its page to `out`; an exit status, after a message. */
int perp_view_problem(const perp_shared *shared, const char *path, const char *out);

#endif
