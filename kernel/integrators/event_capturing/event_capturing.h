/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of event-capturing-rk: its step at work, and the contacts in it. */
#ifndef PERP_KERNEL_EVENT_CAPTURING_H
#define PERP_KERNEL_EVENT_CAPTURING_H

#include "kernel/flow/mechanics.h"
#include "kernel/flow/rk.h"
#include "kernel/flow/root.h"
#include "kernel/step/integrator.h"

/* What is watched of a contact: its gap; u_T against its direction where it slides; and, where a
 * stage asked for it, lambda - Gamma of the normal row, and what is left of the cone where it
 * sticks. */
typedef enum perp_watch_kind {
    PERP_WATCH_GAP,
    PERP_WATCH_SLIP,
    PERP_WATCH_FORCE,
    PERP_WATCH_CONE
} perp_watch_kind;
typedef struct perp_watched {
    perp_link *link;
    int r, row; /* relation, its normal row */
    perp_watch_kind kind;
} perp_watched;

typedef struct perp_capture {
    perp_mechanics mechanics;
    perp_rk rk;
    perp_root root;
    double *x;          /* state at the start of a piece */
    perp_watched *list; /* with direction, tolerance and value at the start */
    int *direction;
    double *tol, *shift;
    int count, capacity_x, capacity_list, capacity_direction, capacity_tol, capacity_shift;
    const perp_link *hit; /* relation that the next Moreau-Jean step has to take, or NULL */
    int hit_r;
    int released; /* some stage had a closed contact without force, or slipping */
    int forces;   /* something that is watched needs contact forces */
} perp_capture;

/* A step at work. */
typedef struct perp_capture_run {
    perp_step *step;
    const perp_scheme *scheme;
    perp_capture *c;
    double t, w;
    double length, speed; /* largest coordinate and velocity met so far */
    double acceleration;  /* largest one of the free motion in this step */
    perp_rk_from from;
    int held;       /* closed contacts */
    double left_at; /* where a contact was last let go, and how often there */
    int left;
} perp_capture_run;

/* Velocities below these parts of the largest one met count as 0: of a contact that rests, and of
 * one that an impact problem has stopped, where they are what the solver's tolerance leaves. */
#define PERP_CAPTURE_RESTS 1e-12
#define PERP_CAPTURE_STOPPED 1e-6

/* Number of contacts among the relations of a link. */
static inline int perp_capture_contacts(const perp_link *link)
{
    return perp_law_is_impact(&link->law) ? link->relations : 0;
}

/* (79) at a stage, a perp_rate_fn whose ctx is a perp_capture: the bilateral forces where all of
 * them push and stick, else those of the complementarity problem. */
perp_status perp_capture_rate(double *dx, void *ctx, double t, const double *x);
/* Forces for the states at NOW, the end of a step. */
perp_status perp_capture_end_forces(perp_capture_run *r);
/* Lists what is watched over the Runge-Kutta step that was made; its functions for perp_root. */
void perp_capture_watch(perp_capture_run *r);
perp_status perp_capture_events(double *g, void *ctx, double t, const double *x);
/* The mode after an event in which nothing jumps. */
unsigned char perp_capture_next_mode(const perp_watched *which);
/* A closed contact sticks, or slides, by its tangential velocity or acceleration. */
unsigned char perp_capture_closed_mode(double towards, double small);
double perp_capture_tangential(const perp_link *link, int row); /* u_T, 0 without friction */
/* Modes after a Moreau-Jean step, from its velocities before and after; *closed: some rest. */
void perp_capture_modes_after(perp_capture_run *r, int *closed);
/* The closed contacts that are not pressed at the start of a piece (state c->x) open, those that
 * stick but are pulled away slide. */
perp_status perp_capture_sort_closed(perp_capture_run *r);
/* Notes that a contact was let go at r->t. */
void perp_capture_let_go(perp_capture_run *r);
/* 1 where an open contact is met head-on at the start of a piece: no smooth motion before it. */
int perp_capture_meets(const perp_capture_run *r);
/* Closed contacts that somebody has moved since the last step are open, or slide. */
void perp_capture_review(perp_capture_run *r);

#endif
