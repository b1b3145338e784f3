/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_CLI_EQUALITIES_H
#define PERP_CLI_EQUALITIES_H

#include <perp/numerics.h>

/* Prints what the equality rows say of each other; nothing where they are independent, or
 * too many to look at. */
void perp_report_equalities(const perp_problem *problem);

#endif
