/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run records: quantities, each some neighbouring columns of the table that the recorder
 * holds.  All writers share this description. */
#ifndef PERP_SCENE_QUANTITIES_H
#define PERP_SCENE_QUANTITIES_H

#include <perp/recorder.h>
#include <perp/scene.h>

#include "scene/name_table.h"

/* Columns first, first + 1, ... of the recorder belong together. */
typedef struct perp_scene_quantity {
    const char *label; /* "ball.q", "ball.q[0]", "energy" */
    int first, count;
} perp_scene_quantity;

typedef struct perp_scene_record {
    perp_recorder *recorder;
    perp_scene_quantity *quantities;
    int nquantities;
    perp_scene_name_table labels; /* to places in quantities */
    int stride;   /* steps between two rows */
    int certify;  /* all that perp verify asks for */
    int contacts; /* the contacts of every step */
    int instants; /* every instant that the scheme shows, instead of every stride-th step */
} perp_scene_record;

/* Reads the section "record"; without it all that a small scene has.  0, or -1 with the report. */
int perp_scene_read_record(perp_scene *scene);

#endif
