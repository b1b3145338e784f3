/* SPDX-License-Identifier: BSD-3-Clause */
/* perp run --view: the run in a browser while it goes on. */
#ifndef PERP_CLI_RUN_VIEW_H
#define PERP_CLI_RUN_VIEW_H

#include <pthread.h>

#include <perp/scene.h>

#include "viewer/live.h"

typedef struct perp_run_view {
    int wanted, paused; /* of the command line, as are port and plain */
    int port, plain;    /* plain: no browser is opened */
    char folder[256];   /* what opens one lies here; "": nothing */
    perp_live *live; /* NULL: nobody looks on */
    perp_motion_stream *stream;
    pthread_t thread; /* the one that serves */
    double held;      /* seconds that the run stood in pauses between its steps */
} perp_run_view;

/* Says the address; 0, or an exit status after a message. */
int perp_run_view_open(perp_run_view *view, perp_scene *scene);
/* The state after so many steps, from which the run goes on; holds it where it is to begin in pause.
 * 1: the run is to end. */
int perp_run_view_start(perp_run_view *view, long step);
/* After each step; 1: the run is to end. */
int perp_run_view_step(perp_run_view *view, const perp_scene_run_info *info);
/* In a step that takes long, from any thread; 1: the run is to end. */
int perp_run_view_within(perp_run_view *view);
/* Says to browsers how the run ended. */
void perp_run_view_end(perp_run_view *view, const perp_scene_run_info *info, perp_status status);

#endif
