/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_CLI_EQUALITY_REPORT_H
#define PERP_CLI_EQUALITY_REPORT_H

#include <perp/numerics.h>

#include "cli/json.h"

/* Prints what the equality rows say of each other; nothing where they are independent, or
 * too many to look at. */
void perp_report_equalities(const perp_problem *problem);
/* "equalities": the same, null where there is nothing to say. */
void perp_json_equalities(perp_json *json, const perp_problem *problem);

#endif
