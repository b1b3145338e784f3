/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that give way: what they add to the diagonal of the one-step problem. */
#ifndef PERP_KERNEL_ONE_STEP_GIVE_H
#define PERP_KERNEL_ONE_STEP_GIVE_H

#include "kernel/relations/link.h"

/* link->soft from the diagonal block of the link, rows x rows with leading dimension ld: relative
 * compliance times the 2-norm of the block of each relation. */
void perp_one_step_soften(perp_link *link, const double *block, int ld);
/* On row i; 0 outside the index set. */
double perp_one_step_give(const perp_link *link, int i);
/* Of a row of a problem whose owner set `gives`: what it adds to the rate at multipliers lambda. */
double perp_one_step_given(const perp_link *link, int i, const double *lambda);

#endif
