/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of what steps work on: schemes and their memory, and the steps of schemes that choose their
 * own instants. */
#include "kernel/step/stepper.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "kernel/step/snapshot.h"
#include "kernel/step/step_certificate.h"

/* A solve that is stopped within its tolerance has other digits than one that ends, and what comes
 * after it in the step is not asked. */
static int ask(void *ctx, const perp_progress *progress)
{
    perp_stepper *stepper = ctx;
    int stops = stepper->progress(stepper->progress_ctx, progress);
    stepper->stopped |= stops != 0;
    return stops;
}

void perp_stepper_init(perp_stepper *stepper, const perp_pool *pool, perp_sim *sim,
                       perp_model *model, const perp_sim_options *options)
{
    memset(stepper, 0, sizeof *stepper);
    stepper->pool = *pool;
    stepper->sim = sim;
    stepper->model = model;
    stepper->options = *options;
    stepper->settings = *options->settings;
    stepper->settings.timing = options->timing;
    stepper->progress = stepper->settings.progress;
    stepper->progress_ctx = stepper->settings.progress_ctx;
    if (stepper->progress) {
        stepper->settings.progress = ask;
        stepper->settings.progress_ctx = stepper;
    }
    stepper->options.settings = &stepper->settings;
    stepper->info.size = sizeof stepper->info;
    stepper->info.t = options->t0;
    stepper->solver_info.size = sizeof stepper->solver_info;
    stepper->info.solver = &stepper->solver_info;
    perp_certificate_init(&stepper->certificate);
    perp_one_step_init(&stepper->one, &stepper->pool, options->form);
    stepper->one.gives = stepper->one.remembers = 1;
    stepper->one.given = &stepper->given;
    stepper->one.spent = &stepper->spent;
    stepper->shown = &stepper->one;
}

int perp_stepper_add_scheme(perp_stepper *stepper, const perp_scheme *scheme,
                            const perp_integrator *integrator)
{
    perp_pool *pool = &stepper->pool;
    int count = stepper->nschemes + 1;
    if (!perp_pool_grow(pool, (void **)&stepper->schemes, &stepper->capacity_schemes, count,
                        sizeof *stepper->schemes) ||
        !perp_pool_grow(pool, (void **)&stepper->integrators, &stepper->capacity_integrators, count,
                        sizeof *stepper->integrators) ||
        !perp_pool_grow(pool, (void **)&stepper->memory, &stepper->capacity_memory, count,
                        sizeof *stepper->memory))
        return 0;
    stepper->schemes[stepper->nschemes] = *scheme;
    stepper->integrators[stepper->nschemes] = integrator;
    stepper->memory[stepper->nschemes++] = NULL;
    return 1;
}

/* Where the memory of an integrator lies. */
static void **memory_of(perp_stepper *stepper, const perp_integrator *integrator)
{
    int k = 0;
    while (k < stepper->nschemes && stepper->integrators[k] != integrator)
        k++;
    return k < stepper->nschemes ? &stepper->memory[k] : NULL;
}

void *perp_stepper_memory(perp_stepper *stepper, int scheme, size_t bytes)
{
    void **memory = memory_of(stepper, stepper->integrators[scheme]);
    if (!*memory && bytes > 0)
        *memory = perp_pool_take(&stepper->pool, bytes);
    return *memory;
}

void *perp_step_memory(perp_step *step, int scheme, size_t bytes)
{
    return perp_stepper_memory(step->stepper, scheme, bytes);
}

static void release_memory(perp_stepper *stepper, int k)
{
    if (stepper->memory[k] && stepper->integrators[k]->release)
        stepper->integrators[k]->release(stepper->memory[k], &stepper->pool);
    perp_pool_give(&stepper->pool, stepper->memory[k]);
    stepper->memory[k] = NULL;
}

void perp_stepper_set_march(perp_stepper *stepper, const perp_integrator *march)
{
    if (march == stepper->march)
        return;
    for (int k = 0; k < stepper->nschemes; k++)
        if (stepper->integrators[k] == stepper->march)
            release_memory(stepper, k);
    stepper->march = march;
    stepper->shown = &stepper->one;
    stepper->beside = 0;
    memset(stepper->carry, 0, sizeof stepper->carry);
}

void perp_stepper_free(perp_stepper *stepper)
{
    for (int k = 0; k < stepper->nschemes; k++)
        release_memory(stepper, k);
    perp_one_step_free(&stepper->one);
}

void perp_stepper_changed(perp_stepper *stepper)
{
    for (int k = 0; k < stepper->nschemes; k++)
        if (stepper->memory[k] && stepper->integrators[k]->changed)
            stepper->integrators[k]->changed(stepper->memory[k]);
}

void perp_stepper_forget(perp_stepper *stepper)
{
    perp_one_step_forget(&stepper->one);
    for (int k = 0; k < stepper->nschemes; k++)
        if (stepper->memory[k] && stepper->integrators[k]->forget)
            stepper->integrators[k]->forget(stepper->memory[k]);
}

perp_status perp_stepper_fail(perp_stepper *stepper, perp_status status, const char *what,
                              int index, const char *detail)
{
    perp_step_info *info = &stepper->info;
    info->status = status;
    info->where.what = what;
    info->where.segment = -1;
    info->where.index = index;
    snprintf(info->detail, sizeof info->detail, "%s", detail ? detail : "");
    return status;
}

perp_status perp_stepper_interrupted(perp_stepper *stepper, const char *what, int index)
{
    perp_status reason = stepper->reason.status;
    if (reason == PERP_SOLVED)
        return perp_stepper_fail(stepper, PERP_INTERRUPTED, what, index,
                                 index >= 0 ? "an event asked to stop"
                                            : "a callback asked to stop");
    perp_stepper_fail(stepper, PERP_INTERRUPTED, what, index, stepper->reason.detail);
    if (stepper->reason.where.what)
        stepper->info.where = stepper->reason.where;
    stepper->info.reason = reason;
    stepper->reason.status = PERP_SOLVED;
    return PERP_INTERRUPTED;
}

perp_status perp_stepper_show(perp_stepper *stepper, double t, double h, perp_instant_kind kind)
{
    perp_instant instant = {fmax(t, stepper->shown_until), h, kind, stepper->instants++};
    stepper->shown_until = instant.t;
    stepper->reason.status = PERP_SOLVED;
    if (stepper->at_instants &&
        stepper->at_instants(stepper->instants_ctx, stepper->sim, stepper->model, &instant))
        return perp_stepper_interrupted(stepper, "at_instants", -1);
    return PERP_SOLVED;
}

perp_step perp_stepper_step(perp_stepper *stepper, double t, double h)
{
    const perp_rest *rest = &stepper->rest;
    int part = rest->resting > 0;
    return (perp_step){.stepper = stepper,
                       .schemes = stepper->schemes,
                       .t = t,
                       .t_end = t + h,
                       .h = h,
                       .global = stepper->options.form == PERP_FORM_DELASSUS,
                       .systems = part ? rest->systems : stepper->systems,
                       .nsystems = part ? rest->nsystems : stepper->nsystems,
                       .links = part ? rest->links : stepper->links,
                       .nlinks = part ? rest->nlinks : stepper->nlinks,
                       .one = &stepper->one};
}

perp_status perp_stepper_guide(perp_stepper *stepper, double t, double h)
{
    for (int k = 0; k < stepper->nguides; k++)
        if (perp_system_prescribe(stepper->guides[k], t, h))
            return perp_stepper_fail(stepper, PERP_INTERRUPTED, "system", stepper->guides[k]->slot,
                                     "the motion of the body refused");
    return PERP_SOLVED;
}

perp_status perp_stepper_stopped(perp_stepper *stepper)
{
    return stepper->stopped ? perp_stepper_fail(stepper, PERP_INTERRUPTED, "solver", -1,
                                                "a solve was asked to stop")
                            : PERP_SOLVED;
}

/* A step by the scheme that chooses its own instants. */
static perp_status march(perp_stepper *stepper, double t, double h)
{
    perp_step step = perp_stepper_step(stepper, t, h);
    double carry[PERP_CARRY];
    memcpy(carry, stepper->carry, sizeof carry);
    if (perp_step_keep(&step, &stepper->start) != PERP_SOLVED)
        return perp_stepper_fail(stepper, PERP_ERR_MEMORY, NULL, -1, NULL);
    perp_step_certificate_begin(&step);
    perp_status status = perp_stepper_guide(stepper, t, h);
    if (status == PERP_SOLVED)
        status = stepper->march->march(&step);
    if (status == PERP_SOLVED)
        status = perp_stepper_stopped(stepper);
    if (status == PERP_SOLVED)
        status = perp_step_finite_states(&step);
    if (status == PERP_SOLVED)
        status = perp_stepper_guide(stepper, step.t_end, 0.0);
    if (status == PERP_SOLVED)
        status = perp_step_outputs(&step, step.t_end);
    if (status == PERP_SOLVED)
        status = perp_step_certificate_march(&step);
    /* The scheme's own steps were accepted one by one. */
    if (status == PERP_SOLVED) {
        for (int k = 0; k < stepper->nsystems; k++)
            stepper->systems[k]->started = 1;
        return status;
    }
    if (status != PERP_ERR_MEMORY && !stepper->info.where.what)
        perp_stepper_fail(stepper, status, "scheme", -1,
                          status == PERP_INTERRUPTED ? "a callback refused"
                                                     : perp_status_text(status));
    perp_step_take_back(&step, &stepper->start);
    memcpy(stepper->carry, carry, sizeof carry);
    return status;
}

/* Instants of a step begin at its start, which may lie some rounding before the end of the last. */
static void begin_instants(perp_stepper *stepper, double t, double h)
{
    double rounding = 8.0 * DBL_EPSILON * fmax(fabs(t), fabs(t + h));
    if (!(stepper->shown_until > t && stepper->shown_until <= t + rounding))
        stepper->shown_until = t;
    stepper->instants = 0;
}

/* Who may stop a solve wants to go on from the start of the step, with all that it began with. */
static perp_status ordinary(perp_stepper *stepper, double t, double h)
{
    perp_step step = perp_stepper_step(stepper, t, h);
    double carry[PERP_CARRY];
    memcpy(carry, stepper->carry, sizeof carry);
    unsigned long listed = stepper->listed;
    if (stepper->progress && perp_step_keep_own(&step, &stepper->start) != PERP_SOLVED)
        return perp_stepper_fail(stepper, PERP_ERR_MEMORY, NULL, -1, NULL);
    perp_status status = perp_step_once(&step, t, h);
    if (status != PERP_SOLVED) {
        memcpy(stepper->carry, carry, sizeof carry);
        if (stepper->progress && listed == stepper->listed)
            perp_step_take_back_own(&step, &stepper->start);
        return status;
    }
    stepper->info.inner = 1;
    perp_rest_settle(&step);
    stepper->info.resting = stepper->rest.resting;
    return status;
}

perp_status perp_stepper_advance(perp_stepper *stepper, double t, double h)
{
    perp_certificate *certificate = &stepper->certificate;
    begin_instants(stepper, t, h);
    stepper->spent = 0.0;
    stepper->stopped = 0;
    certificate->index = stepper->info.step + 1;
    certificate->commits = 0;
    perp_status status = stepper->march ? march(stepper, t, h) : ordinary(stepper, t, h);
    if (status == PERP_SOLVED)
        perp_certificate_stepped(certificate, stepper->info.status, stepper->info.halvings > 0);
    else if (status != PERP_INTERRUPTED)
        perp_certificate_failed(certificate, status, t);
    for (int k = 0; status != PERP_SOLVED && k < stepper->nguides; k++)
        (void)perp_system_prescribe(stepper->guides[k], t, 0.0);
    return status;
}
