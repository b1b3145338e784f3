/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands at rest: bodies that interactions join, and that hardly move for a while, are left as they
 * are, v = 0, until something disturbs them.  Steps are made with the lists of what is awake.
 *
 * A body is quiet in a step where its velocity and the change of it are below the part `rest` of
 * what its forces give in the step,
 *
 *     sum of M_ii v_i^2 <= rest^2 h^2 sum of F_i^2 / M_ii,
 *
 * so that the impulses of the last step balance its forces but for that part: they are those of the
 * rest, and what they leave is noted in the certificate.  An island rests once all of its bodies
 * were quiet for PERP_REST_STEPS steps.  Nothing may depend on time or on callbacks of others.  It
 * is woken by another state, force, law or step, by an interaction that comes or goes, and by
 * whatever wakes one of its bodies. */
#ifndef PERP_KERNEL_REST_H
#define PERP_KERNEL_REST_H

#include "kernel/relations/link.h"
#include "kernel/systems/pool.h"

struct perp_stepper;
struct perp_step;

enum { PERP_REST_STEPS = 30 };

typedef struct perp_rest {
    int resting; /* systems at rest */
    int stale;   /* the lists are to be made again */
    double h;    /* of the steps in which they came to rest */
    /* What is awake, where something rests. */
    perp_system **systems;
    perp_link **links;
    int nsystems, nlinks, capacity_systems, capacity_links;
    /* Work, by slot of a system. */
    int *parent, *moves;
    int capacity_parent, capacity_moves;
} perp_rest;

/* After a step that stood: what comes to rest. */
void perp_rest_settle(struct perp_step *step);
/* After a checkpoint was read. */
void perp_rest_restore(struct perp_stepper *stepper);
/* Before a step of this h: what was disturbed is awake. */
void perp_rest_wake(struct perp_stepper *stepper, double h);
void perp_rest_wake_all(struct perp_stepper *stepper);
/* The lists of what is awake, from the complete ones; 0: memory is out. */
int perp_rest_list(struct perp_stepper *stepper);

#endif
