/* SPDX-License-Identifier: BSD-3-Clause */
/* Which steps are worth keeping: "residual>1e-8", "iterations>=500", "rows>100", "status!=0". */
#ifndef PERP_SCENE_HARD_STEPS_H
#define PERP_SCENE_HARD_STEPS_H

#include <perp/scene.h>

typedef struct perp_scene_when {
    int quantity; /* residual, iterations, rows, status */
    int relation; /* >, <, >=, <=, ==, != */
    double bound;
} perp_scene_when;

/* 1 where the text is such an expression; blanks are allowed around its parts. */
int perp_scene_parse_when(perp_scene_when *when, const char *text);
/* 1 where it holds for a step in which a problem was solved. */
int perp_scene_holds(const perp_scene_when *when, const perp_step_info *info);

#endif
