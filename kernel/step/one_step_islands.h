/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands of a one-step problem, each solved alone where it is small: what suits a problem of few
 * rows does not depend on how many others stand beside it. */
#ifndef PERP_KERNEL_ONE_STEP_ISLANDS_H
#define PERP_KERNEL_ONE_STEP_ISLANDS_H

#include "kernel/step/link_groups.h"
#include "kernel/step/one_step_part.h"

/* Up to so many rows a Newton method costs next to nothing. */
enum { PERP_ONE_STEP_FEW_ROWS = 48 };

/* Begins as zeros; memory from the pool, kept. */
struct perp_one_step_islands {
    perp_link_groups groups;
    unsigned long pattern; /* of which the groups are */
    int small;             /* islands of few rows */
    int *first_block;      /* of each active link */
    int *rest;             /* active links of the other islands */
    int nrest, capacity_first_block, capacity_rest;
    perp_one_step_part alone, others;
    perp_one_step_handle handles[PERP_ONE_STEP_HANDLES]; /* set up for each island */
    perp_one_step_handle kept;                           /* of the others together */
};

/* 1: there are several islands, one of them of few rows at least.  0: also where memory is out. */
int perp_one_step_has_islands(perp_one_step *one);

/* z and w, from the first iterate z: each small island by itself, the others together, by this
 * solver; NULL: by those that suit them.  info: of the whole, whose residual was computed. */
perp_status perp_one_step_solve_islands(perp_one_step *one, const perp_solver_type *type,
                                        const perp_settings *settings, perp_info *info);

void perp_one_step_islands_forget(perp_one_step *one);
void perp_one_step_islands_free(perp_one_step *one);

#endif
