/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a simulation. */
#ifndef PERP_KERNEL_SIM_INSIDE_H
#define PERP_KERNEL_SIM_INSIDE_H

#include <math.h>

#include <perp/sim.h>

#include "kernel/assemble/one_step.h"
#include "kernel/integrators/integrator.h"
#include "kernel/model/model_inside.h"

typedef struct perp_sim_event {
    double time;
    perp_step_fn fn;
    void *ctx;
    int done;
} perp_sim_event;

struct perp_sim {
    perp_pool pool;
    perp_model *model;
    perp_sim_options options;

    perp_scheme *schemes;
    const perp_integrator **integrators; /* of each scheme */
    int nschemes, room_schemes, room_integrators;
    int standard[3]; /* scheme of a system that has none, by kind */

    /* Dense lists, made anew where the model changed. */
    perp_system **systems;
    perp_link **links;
    int nsystems, nlinks, room_systems, room_links;
    unsigned long version; /* of the model when they were made; 0: never */
    int linear;            /* one Newton iteration is exact for all of it */

    double origin; /* t = origin + steps h since h was last changed */
    long since;
    double t;
    perp_one_step one;
    struct perp_projection *projection; /* of the projected schemes; NULL before its first use */
    struct perp_alpha *alpha;           /* of generalized-alpha; NULL before its first use */
    perp_step_info info;

    perp_failure_fn on_failure;
    void *failure_ctx;
    perp_step_fn before, after;
    void *before_ctx, *after_ctx;
    perp_sim_event *events;
    int nevents, room_events;

    perp_kept kept; /* states at the start of a step that was halved */

    /* Of the scheme that marches; NULL where none does. */
    const perp_integrator *march;
    void *march_memory;
    double carry[PERP_CARRY];
    perp_kept start;            /* states at the start of its step */
    const perp_one_step *shown; /* the last problem that was posed */

    perp_instant_fn at_instants;
    void *instants_ctx;
};

/* Lists systems and links anew and checks them (sim/check.c). */
perp_status perp_sim_prepare(perp_sim *sim);
/* One step from sim->t to t + h, without hooks (sim/step.c).  On an error the states are
 * those at the start. */
perp_status perp_sim_advance(perp_sim *sim, double h);
/* Solves step->one, and asks what to do where that failed: step->halve may be set. */
perp_status perp_sim_solve(perp_step *step);
/* Keeps the states at hand, and takes them back (sim/checkpoint.c). */
perp_status perp_sim_keep(perp_sim *sim, perp_kept *kept);
void perp_sim_take_back(perp_sim *sim, const perp_kept *kept);
/* A step by the scheme that marches (sim/march.c). */
perp_status perp_sim_march(perp_sim *sim, double t, double h);
void perp_sim_end_march(perp_sim *sim); /* gives its memory back */
/* Outputs at the new state; the largest violation of the constraints there (sim/step.c). */
perp_status perp_sim_outputs(perp_step *step);
/* A force that is not finite shows in the state alone where no residual is taken. */
perp_status perp_sim_finite_states(perp_step *step);
void perp_sim_accepted(perp_step *step);
/* Notes an error: status, field and slot, one sentence more (NULL: none). */
perp_status perp_sim_fail(perp_sim *sim, perp_status status, const char *what, int index,
                          const char *detail);

/* No NaN and no infinity: x - x is 0 for finite x alone. */
static inline int perp_finite(const double *x, int count)
{
    double sum = 0.0;
    for (int k = 0; k < count; k++)
        sum += x[k] - x[k];
    return sum == 0.0;
}

/* y is a number, or the infinite gap of what is far away, and u is finite. */
static inline int perp_link_sound(const perp_link *link)
{
    for (int k = 0; k < link->rows; k++)
        if (isnan(link->y[k]))
            return 0;
    return perp_finite(link->u, link->rows);
}

#endif
