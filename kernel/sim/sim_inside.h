/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a simulation. */
#ifndef PERP_KERNEL_SIM_INSIDE_H
#define PERP_KERNEL_SIM_INSIDE_H

#include <perp/sim.h>

#include "kernel/model/model_inside.h"
#include "kernel/step/stepper.h"

typedef struct perp_sim_event {
    double time;
    perp_step_fn fn;
    void *ctx;
    int done;
} perp_sim_event;

typedef struct perp_sim_sampler {
    double period;
    perp_step_fn fn;
    void *ctx;
    int64_t taken; /* samples */
} perp_sim_sampler;

/* Multipliers of least norm, found when they are asked for: of the step and the model of then. */
typedef struct perp_reactions {
    long step;
    unsigned long version;
    int all;           /* of what is absent, too */
    int *slot, nlinks; /* of the interactions, in their order */
    int *up, *around, *loops, *first, *lambda_at, *dependent;
    int capacity_slot, capacity_up, capacity_around, capacity_loops, capacity_first,
        capacity_lambda_at, capacity_dependent;
    double *lambda, *vector, *sum, *H;
    int capacity_lambda, capacity_vector, capacity_sum, capacity_H;
} perp_reactions;

/* Who looks at each step that was made, before the hook after it; it changes nothing. */
typedef struct perp_sim_witness {
    void (*taken)(void *ctx, perp_sim *sim); /* NULL: nobody */
    void (*gone)(void *ctx);                 /* the simulation ends */
    void *ctx;
} perp_sim_witness;

struct perp_sim {
    perp_sim_witness witness;
    perp_reactions reactions;
    perp_stepper stepper;
    int default_scheme[3]; /* of a system that has none, by kind */

    double origin; /* t = origin + steps h since h was last changed */
    long since;
    double t;

    perp_step_fn before, after;
    void *before_ctx, *after_ctx;
    perp_sim_sampler *samplers;
    int nsamplers, capacity_samplers;
    perp_sim_event *events;
    int nevents, capacity_events;
};

/* 1: no simulation of the model was made after this one. */
int perp_sim_has_model(const perp_sim *sim);
/* 1: the scheme of some system asks who looks out for contacts that a step makes itself. */
int perp_sim_looks_out(const perp_sim *sim);
/* Lists systems and links and checks them, where the model changed (sim/sim_check.c). */
perp_status perp_sim_prepare(perp_sim *sim);
/* all = 1: with lists that hold what is absent, too, in a simulation that is a part. */
perp_status perp_sim_list_all(perp_sim *sim, int all);

#endif
