/* SPDX-License-Identifier: BSD-3-Clause */
/* Which steps are worth keeping: "residual>1e-8", "iterations>=500", "rows>100", "status!=0". */
#ifndef PERP_SCENE_DUMP_WHEN_H
#define PERP_SCENE_DUMP_WHEN_H

#include <perp/sim.h>

typedef struct perp_run_when {
    int quantity; /* residual, iterations, rows, status */
    int relation; /* >, <, >=, <=, ==, != */
    double bound;
} perp_run_when;

/* 1 where the text is such an expression; blanks are allowed around its parts. */
int perp_run_parse_when(perp_run_when *when, const char *text);
/* 1 where it holds for a step in which a problem was solved. */
int perp_run_holds(const perp_run_when *when, const perp_step_info *info);

#endif
