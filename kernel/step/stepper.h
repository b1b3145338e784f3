/* SPDX-License-Identifier: BSD-3-Clause */
/* What steps work on: the systems and interactions of a model with the scheme of each, options,
 * report, the one-step problem, memory.  A simulation owns one, fills its lists (sim/sim_check.c)
 * and advances it; schemes see it as step->stepper. */
#ifndef PERP_KERNEL_STEPPER_H
#define PERP_KERNEL_STEPPER_H

#include <math.h>

#include <perp/sim.h>

#include "kernel/certificate/certificate.h"
#include "kernel/step/integrator.h"
#include "kernel/step/one_step.h"
#include "kernel/step/rest.h"
#include "kernel/step/squeeze.h"
#include "kernel/systems/pool.h"

/* Who looks at the parts of a step while it is made; it changes nothing. */
typedef struct perp_step_follower {
    void (*part)(void *ctx, perp_step *step, int scheme, perp_step_part part); /* NULL: nobody */
    void *ctx;
} perp_step_follower;

/* Who finds contacts that nobody could foresee when the step began.  `look` sees the states at the
 * end of a step from t to t + h: how many contacts it missed, -1: no memory.  `add` puts them into
 * the model, the states at the start again, and the lists of the simulation in order; `leave` takes
 * all that were added in this step out again, since it could not be solved with them. */
typedef struct perp_step_lookout {
    int (*look)(void *ctx, double t, double h); /* NULL: nobody, or no scheme asks for it */
    perp_status (*add)(void *ctx, perp_sim *sim);
    perp_status (*leave)(void *ctx, perp_sim *sim);
    void *ctx;
} perp_step_lookout;

typedef struct perp_stepper {
    perp_pool pool;
    perp_sim *sim; /* these two for callbacks of the user alone */
    perp_model *model;
    perp_sim_options options;
    perp_settings settings; /* of the solver; options.settings points to them */
    perp_progress_fn progress; /* of the user, which those of the solver ask by way of `stopped` */
    void *progress_ctx;
    int stopped; /* it stopped a solve of this step: what came of it is not the step, solved or not */
    perp_step_info info;
    perp_info solver_info; /* what info.solver points to */
    struct {               /* given by a hook that is about to stop the step */
        perp_status status;
        perp_where where;
        char detail[160];
    } reason;

    perp_scheme *schemes;                /* by perp_system.scheme */
    const perp_integrator **integrators; /* of each scheme */
    void **memory; /* of the integrator, at the first scheme that has it; else NULL */
    int nschemes, capacity_schemes, capacity_integrators, capacity_memory;

    /* Dense lists, made again where the model changed. */
    perp_system **systems;
    perp_link **links;
    int nsystems, nlinks, capacity_systems, capacity_links;
    perp_system **guides; /* bodies with a prescribed motion */
    int nguides, capacity_guides;
    unsigned long version; /* of the model when they were made; 0: never */
    unsigned long listed;  /* grows where those of a step change: then, and where bodies rest or wake */
    perp_rest rest;
    int linear;            /* one Newton iteration is exact for all of it */

    perp_one_step_asked given; /* by the user */
    perp_sim_parts parts;      /* of a step that several processes make; total NULL: it is whole */
    int all;                   /* lists hold what is absent, too */
    double *shared;            /* what they add up */
    int capacity_shared;
    int *islands;              /* of the systems that several have */
    int capacity_islands;
    perp_one_step one;
    const perp_one_step *shown; /* the last problem that was posed */
    const perp_one_step **earlier; /* with rows, of the same step: of clusters made before it */
    int nearlier, capacity_earlier;
    int beside;                 /* 1: `one` is of the same step, too */
    double spent;               /* counted work of the solves of this step */
    perp_kept halved;           /* states at the start of a step that was halved */
    perp_squeeze squeeze;       /* the last proof that a step has no solution */

    const perp_integrator *march; /* of the scheme that chooses its own instants, or NULL */
    double carry[PERP_CARRY];     /* of that scheme; the last is discrete-gradient's */
    perp_kept start;              /* states at the start of its step */

    perp_certificate certificate;

    perp_step_follower follower;
    perp_step_lookout lookout; /* of this step */
    perp_failure_fn on_failure;
    void *failure_ctx;
    perp_instant_fn at_instants;
    void *instants_ctx;
    double shown_until; /* time of the last instant */
    int instants;       /* shown so far in this step */
} perp_stepper;

static inline const perp_integrator *perp_step_integrator(const perp_step *step,
                                                          const perp_system *s)
{
    return step->stepper->integrators[s->scheme];
}

void perp_stepper_init(perp_stepper *stepper, const perp_pool *pool, perp_sim *sim,
                       perp_model *model, const perp_sim_options *options);
/* All but the pool. */
void perp_stepper_free(perp_stepper *stepper);
/* Adds a scheme that was checked; its name is borrowed.  0 when memory is out. */
int perp_stepper_add_scheme(perp_stepper *stepper, const perp_scheme *scheme,
                            const perp_integrator *integrator);
/* The scheme that chooses its own instants for the whole model, NULL: none. */
void perp_stepper_set_march(perp_stepper *stepper, const perp_integrator *march);
/* Tells the schemes that systems got other schemes, and that a checkpoint was made or read. */
void perp_stepper_changed(perp_stepper *stepper);
void perp_stepper_forget(perp_stepper *stepper);
/* PERP_INTERRUPTED where a solve of this step was stopped. */
perp_status perp_stepper_stopped(perp_stepper *stepper);
/* perp_step_memory() outside of steps; bytes 0: NULL where there is none yet. */
void *perp_stepper_memory(perp_stepper *stepper, int scheme, size_t bytes);

/* A step from t to t + h, its lists those of now. */
perp_step perp_stepper_step(perp_stepper *stepper, double t, double h);
/* The states of the prescribed bodies for a step of h from t; h = 0: at t. */
perp_status perp_stepper_guide(perp_stepper *stepper, double t, double h);
/* One step without hooks.  On an error the states are those at the start. */
perp_status perp_stepper_advance(perp_stepper *stepper, double t, double h);
/* Notes an error: status, field and slot, one sentence more (NULL: none). */
perp_status perp_stepper_fail(perp_stepper *stepper, perp_status status, const char *what,
                              int index, const char *detail);
/* Shows an instant to the user. */
perp_status perp_stepper_show(perp_stepper *stepper, double t, double h, perp_instant_kind kind);
/* Ends a step because a hook said so: its reason, or `what` and a common sentence. */
perp_status perp_stepper_interrupted(perp_stepper *stepper, const char *what, int index);
/* The same where a callback refused or W could not be factored: says which. */
perp_status perp_step_callback_refused(perp_step *step, perp_status status, const char *what,
                                       int slot);
/* The new state is finite: a force that is not shows there alone where no residual is taken. */
perp_status perp_step_finite_states(perp_step *step);

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

/* Much of the budget of the step is spent: what can be left out is. */
static inline int perp_stepper_is_spent(const perp_stepper *stepper)
{
    double budget = stepper->settings.budget;
    return budget > 0.0 && stepper->spent >= 0.4 * budget;
}

#endif
