/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the one-step problem on systems that joints tie together: an impulse on one of them
 * moves its whole island. */
#ifndef PERP_KERNEL_ONE_STEP_TIED_H
#define PERP_KERNEL_ONE_STEP_TIED_H

#include "kernel/step/one_step.h"

/* Memory for the columns of the widest active link; 0 when memory is out. */
int perp_one_step_reserve_tied(perp_one_step *one);
/* For all active links: half solves, where their matrix can be made from them; 0 when memory is
 * out.  After perp_one_step_reserve_tied(). */
int perp_one_step_halve_tied(perp_one_step *one);
/* Columns of the inverse times right of active link b, on the islands that it touches. */
void perp_one_step_solve_tied(perp_one_step *one, int b);
/* block += left of active link a times these columns. */
void perp_one_step_add_tied(const perp_one_step *one, double *block, int ld, int a, int b);
/* free += the inverse times the bias, on all islands that an active link touches; 0 when memory is
 * out. */
int perp_one_step_bias_tied(perp_one_step *one, perp_system *const *systems, int nsystems);

#endif
