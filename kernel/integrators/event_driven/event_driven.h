/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of the event-driven scheme: its memory, the event functions of the present modes
 * (event_functions.c), smooth steps and the way to an event (event_motion.c). */
#ifndef PERP_KERNEL_EVENT_DRIVEN_H
#define PERP_KERNEL_EVENT_DRIVEN_H

#include "kernel/flow/cvode.h"
#include "kernel/flow/index_sets.h"
#include "kernel/flow/rk.h"
#include "kernel/flow/root.h"

typedef enum perp_event_kind {
    PERP_EVENT_GAP,
    PERP_EVENT_FORCE,
    PERP_EVENT_CONE_LEFT,
    PERP_EVENT_CONE_RIGHT,
    PERP_EVENT_SLIP
} perp_event_kind;

typedef struct perp_event {
    perp_link *link;
    int relation;
    perp_event_kind kind;
} perp_event;

typedef struct perp_event_driver {
    perp_scheme scheme; /* thresholds as used */
    perp_mechanics m;
    perp_index_sets sets;
    perp_rk rk;
    perp_cvode *cvode; /* makes the steps in place of the tableau; or NULL */
    int cvode_kind, cvode_n;
    perp_root root;
    perp_rk_control control;
    perp_event *events;
    double *tol, *g, *x;
    int *direction;
    int nevents, capacity_events, capacity_tol, capacity_g, capacity_x, capacity_direction;
    int forces; /* some event function needs contact forces */
    int plain;  /* 1: no contact pushes and nothing is bilateral: no drift */
} perp_event_driver;

/* Event functions of the present modes, contact forces in link->lambda. */
perp_status perp_events_list(perp_event_driver *ed);
/* A perp_event_fn whose ctx is a driver; states at NOW and outputs become those of x. */
perp_status perp_events_values(double *g, void *ctx, double t, const double *x);

/* A status of the smooth motion as one of the step. */
perp_status perp_event_status(perp_event_driver *ed, perp_status status);
/* Times that differ by what rounding of them leaves of the time of a corner. */
int perp_event_same_time(double a, double b);
/* One step within the tolerance from ed->x at t, of length `rest` at most; *h its length, *next
 * that of the one after it.  PERP_STEP_LIMIT, PERP_FLOW_FAILED. */
perp_status perp_event_step(perp_event_driver *ed, double t, double rest, double *h, double *next,
                            perp_rk_from from);
/* To the event that ed->root found in that step of length *h, by steps of the method itself: *h its
 * length, ed->rk.x1 and the outputs those of its end.  PERP_EVENT_LOST. */
perp_status perp_event_localise(perp_event_driver *ed, double t, double *h);

#endif
