/* SPDX-License-Identifier: BSD-3-Clause */
/* One sentence about an error of the interface, for info.detail. */
#ifndef PERP_HANDLE_EXPLAIN_H
#define PERP_HANDLE_EXPLAIN_H

#include <perp/solver.h>

enum { PERP_DETAIL = sizeof((perp_info *)0)->detail };

/* problem and settings are those that were given, or NULL; solver: its name.  "" where the status
 * is no error. */
void perp_explain(char detail[PERP_DETAIL], perp_status status, const perp_where *where,
                  const perp_problem *problem, const perp_settings *settings, const char *solver);

/* Of an iterate whose residual is not finite; w: its M z + q, n entries. */
void perp_explain_not_finite(perp_info *info, const double *w, int n);

#endif
