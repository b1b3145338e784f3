/* SPDX-License-Identifier: BSD-3-Clause */
/* Which blocks the matrix of the one-step problem has. */
#ifndef PERP_KERNEL_PATTERN_H
#define PERP_KERNEL_PATTERN_H

#include "kernel/step/one_step.h"

/* Common size of all blocks, 0 where they differ. */
int perp_one_step_block(const perp_one_step *one);
/* Neighbours, index arrays and space for the values, for one->form.
 * PERP_ERR_UNSUPPORTED: BSR with blocks of several sizes, DELASSUS with a link whose input
 * is not the transpose of its output. */
perp_status perp_one_step_pattern(perp_one_step *one, perp_system *const *systems, int nsystems);

#endif
