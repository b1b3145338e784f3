/* SPDX-License-Identifier: BSD-3-Clause */
/* Life of a simulation: options, schemes, hooks, the order of a step. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/float_environment.h"
#include "kernel/model/away.h"
#include "kernel/sim/scheme_list.h"
#include "kernel/sim/sim_inside.h"
#include "kernel/step/step_parts.h"
#include "numerics/core/sized.h"

void perp_sim_options_init(perp_sim_options *options, size_t size)
{
    const perp_sim_options begun = {
        .h = 1e-3, .warm_start = 1, .newton_tol = 1e-10, .newton_iter = 20};
    perp_sized_init(options, size, &begun, sizeof begun);
}

/* The caller's options and settings over the defaults. */
static perp_status read_options(perp_sim_options *options, perp_settings *settings,
                                const perp_sim_options *callers, perp_where *where)
{
    const char *what = NULL;
    perp_where of_settings = {NULL, -1, -1};
    perp_status status = PERP_ERR_ARGUMENT;
    perp_sim_options_init(options, sizeof *options);
    perp_settings_init(settings, sizeof *settings);
    if (perp_sized_read(options, sizeof *options, callers) != PERP_SOLVED)
        what = "size";
    else if (!isfinite(options->t0))
        what = "t0";
    else if (!(options->h > 0.0) || !isfinite(options->h))
        what = "h";
    else if (options->warm_start < 0 || options->warm_start > 2)
        what = "warm_start";
    else if (!(options->newton_tol >= 0.0))
        what = "newton_tol";
    else if (options->newton_iter < 1)
        what = "newton_iter";
    else if ((int)options->on_unsolved < 0 || options->on_unsolved > PERP_UNSOLVED_LEAST)
        what = "on_unsolved";
    else if ((int)options->form < 0 || options->form > PERP_FORM_DELASSUS)
        what = "form";
    else if (options->solver && !perp_solver_find(options->solver))
        what = "solver";
    else if (options->settings)
        status = perp_settings_check(options->settings, &of_settings);
    what = what ? what : of_settings.what;
    if (!what && options->settings)
        perp_sized_read(settings, sizeof *settings, options->settings);
    options->settings = settings;
    if (where)
        *where = (perp_where){what, -1, -1};
    return what ? status : PERP_SOLVED;
}

static perp_status add_scheme(perp_sim *sim, const perp_scheme *callers, int *index)
{
    const char *wrong;
    perp_stepper *stepper = &sim->stepper;
    perp_scheme scheme;
    perp_status status = perp_scheme_read(&scheme, callers, &wrong);
    if (status != PERP_SOLVED)
        return status;
    for (*index = 0; *index < stepper->nschemes; ++*index)
        if (perp_scheme_same(&stepper->schemes[*index], &scheme))
            return PERP_SOLVED;
    return perp_stepper_add_scheme(stepper, &scheme, perp_integrator_find(scheme.name))
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

/* Those that the list says, in its order. */
static perp_status add_defaults(perp_sim *sim)
{
    perp_scheme scheme;
    perp_status status = PERP_SOLVED;
    const perp_integrator *integrator;
    for (int k = 0; status == PERP_SOLVED && (integrator = perp_integrator_at(k)); k++) {
        int index = -1;
        if (!integrator->default_for)
            continue;
        status = perp_scheme_init(&scheme, integrator->name, sizeof scheme);
        if (status == PERP_SOLVED)
            status = add_scheme(sim, &scheme, &index);
        for (int kind = 0; kind < 3; kind++)
            if (integrator->default_for & 1u << (unsigned)kind)
                sim->default_scheme[kind] = index;
    }
    return status;
}

perp_status perp_sim_create(perp_sim **sim, perp_model *model, const perp_sim_options *options,
                            const perp_allocator *allocator, perp_where *where)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim)
        return PERP_ERR_ARGUMENT;
    *sim = NULL;
    if (!model || !options) {
        if (where)
            *where = (perp_where){model ? "options" : "model", -1, -1};
        return PERP_ERR_ARGUMENT;
    }
    perp_sim_options own;
    perp_settings settings;
    perp_status status = read_options(&own, &settings, options, where);
    if (status != PERP_SOLVED)
        return status;
    perp_pool pool;
    perp_pool_init(&pool, allocator);
    perp_sim *made = pool.allocator.allocate(pool.allocator.ctx, sizeof *made);
    if (!made)
        return PERP_ERR_MEMORY;
    memset(made, 0, sizeof *made);
    made->t = made->origin = own.t0;
    perp_stepper_init(&made->stepper, &pool, made, model, &own);
    status = add_defaults(made);
    if (status != PERP_SOLVED) {
        perp_sim_destroy(made);
        return status;
    }
    for (int k = 0; k < model->nsystems; k++) {
        if (model->systems[k].system) {
            model->systems[k].system->scheme = -1;
            model->systems[k].system->started = 0;
            model->systems[k].system->quiet = 0;
            model->systems[k].system->resting = PERP_REST_NONE;
        }
        if (model->systems[k].away)
            perp_away_restart(model->systems[k].away);
    }
    perp_model_changed(model);
    model->sim = made;
    *sim = made;
    return PERP_SOLVED;
}

void perp_sim_destroy(perp_sim *sim)
{
    if (!sim)
        return;
    if (sim->witness.gone)
        sim->witness.gone(sim->witness.ctx);
    perp_stepper_free(&sim->stepper);
    perp_allocator memory = sim->stepper.pool.allocator;
    perp_pool_free(&sim->stepper.pool);
    memory.release(memory.ctx, sim);
}

static void set_index(perp_system *s, perp_away *away, int index)
{
    if (s) {
        s->started = s->scheme == index && s->started;
        s->scheme = index;
    } else if (away) {
        away->started = away->scheme == index && away->started;
        away->scheme = index;
    }
}

perp_status perp_sim_set_scheme(perp_sim *sim, perp_system_id id, const perp_scheme *scheme)
{
    PERP_HOLD_ENVIRONMENT();
    int index = -1;
    if (!sim || !scheme)
        return PERP_ERR_ARGUMENT;
    perp_system *s = perp_model_system(sim->stepper.model, id);
    perp_away *away = perp_model_away(sim->stepper.model, id);
    if (!perp_sim_has_model(sim) || (id.generation && !s && !away))
        return PERP_ERR_STATE;
    perp_status status = add_scheme(sim, scheme, &index);
    if (status != PERP_SOLVED)
        return status;
    unsigned kinds = sim->stepper.integrators[index]->kinds;
    unsigned kind_of = s ? (unsigned)s->kind : (unsigned)PERP_SYSTEM_BODY;
    if (id.generation && !(kinds & 1u << kind_of))
        return PERP_ERR_UNSUPPORTED;
    sim->stepper.version = 0;
    perp_rest_wake_all(&sim->stepper);
    perp_stepper_changed(&sim->stepper);
    if (id.generation) {
        set_index(s, away, index);
        return PERP_SOLVED;
    }
    for (int kind = 0; kind < 3; kind++)
        if (kinds & 1u << (unsigned)kind)
            sim->default_scheme[kind] = index;
    for (int k = 0; k < sim->stepper.model->nsystems; k++) {
        s = sim->stepper.model->systems[k].system;
        away = sim->stepper.model->systems[k].away;
        if (kinds & 1u << (s ? (unsigned)s->kind : (unsigned)PERP_SYSTEM_BODY))
            set_index(s, away, index);
    }
    return PERP_SOLVED;
}

perp_status perp_sim_scheme(const perp_sim *sim, perp_system_id id, perp_scheme *scheme)
{
    if (!sim || !scheme)
        return PERP_ERR_ARGUMENT;
    const perp_system *s = perp_model_system(sim->stepper.model, id);
    const perp_away *away = perp_model_away(sim->stepper.model, id);
    if (!perp_sim_has_model(sim) || (!s && !away))
        return PERP_ERR_STATE;
    int index = s ? s->scheme : away->scheme;
    if (index < 0)
        index = sim->default_scheme[s ? s->kind : PERP_SYSTEM_BODY];
    return perp_sized_write(scheme, &sim->stepper.schemes[index], sizeof *sim->stepper.schemes);
}

static void clear_info(perp_sim *sim)
{
    perp_stepper *stepper = &sim->stepper;
    stepper->info = (perp_step_info){.size = sizeof stepper->info,
                                     .step = stepper->info.step,
                                     .unsolved = stepper->info.unsolved,
                                     .infeasible = stepper->info.infeasible,
                                     .t = sim->t,
                                     .h = stepper->options.h,
                                     .solver = &stepper->solver_info,
                                     .where = {NULL, -1, -1}};
    /* The list of the last step may have systems that are gone. */
    for (int k = 0; k < stepper->model->nsystems; k++)
        if (stepper->model->systems[k].system)
            stepper->model->systems[k].system->evaluations = 0;
}

/* Calls a hook (fn may be NULL); what and index say which where it stops the step. */
static perp_status call(perp_sim *sim, perp_step_fn fn, void *ctx, const char *what, int index)
{
    sim->stepper.reason.status = PERP_SOLVED;
    if (fn && fn(ctx, sim, sim->stepper.model, sim->t, sim->stepper.options.h))
        return perp_stepper_interrupted(&sim->stepper, what, index);
    return PERP_SOLVED;
}

/* Hooks and events at the start of a step. */
/* Prescribed bodies are where the step begins, for hooks that look at them. */
static perp_status place_prescribed(perp_sim *sim)
{
    const perp_model *model = sim->stepper.model;
    for (int k = 0; model->prescribed > 0 && k < model->nsystems; k++) {
        perp_system *s = model->systems[k].system;
        if (s && perp_system_is_prescribed(s) && perp_system_prescribe(s, sim->t, 0.0))
            return perp_stepper_fail(&sim->stepper, PERP_INTERRUPTED, "system", k,
                                     "the motion of the body refused");
    }
    return PERP_SOLVED;
}

static perp_status take_samples(perp_sim *sim)
{
    for (int k = 0; k < sim->nsamplers; k++) {
        perp_sim_sampler *one = &sim->samplers[k];
        double due = (sim->t - sim->stepper.options.t0) / one->period + 1e-6;
        if ((double)one->taken > due)
            continue;
        perp_status status = sim->stepper.version == 0 ? perp_sim_prepare(sim) : PERP_SOLVED;
        if (status != PERP_SOLVED) /* outputs before the first step */
            return status;
        one->taken = (int64_t)floor(due) + 1;
        status = call(sim, one->fn, one->ctx, "sampler", k);
        if (status != PERP_SOLVED)
            return status;
    }
    return PERP_SOLVED;
}

static perp_status before_step(perp_sim *sim)
{
    double h = sim->stepper.options.h;
    perp_status placed = place_prescribed(sim);
    if (placed != PERP_SOLVED)
        return placed;
    for (int k = 0; k < sim->nevents; k++) {
        perp_sim_event *event = &sim->events[k];
        if (event->done || sim->t < event->time - 1e-6 * h)
            continue;
        event->done = 1;
        perp_status status = call(sim, event->fn, event->ctx, "event", k);
        if (status != PERP_SOLVED)
            return status;
    }
    perp_status sampled = take_samples(sim);
    return sampled == PERP_SOLVED ? call(sim, sim->before, sim->before_ctx, "before_step", -1)
                                  : sampled;
}

perp_status perp_sim_check(perp_sim *sim)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim)
        return PERP_ERR_ARGUMENT;
    clear_info(sim);
    return perp_sim_prepare(sim);
}

/* The common problem of the step, where another was solved after it; NULL: none. */
static const perp_one_step *beside(const perp_stepper *stepper)
{
    const perp_one_step *one = &stepper->one;
    int counts = stepper->beside && stepper->shown != one && one->posed && one->rows > 0;
    return counts ? one : NULL;
}

/* Schemes that certify themselves have their interactions in the later problem. */
static void count_rows(perp_stepper *stepper)
{
    perp_step_info *info = &stepper->info;
    const perp_one_step *common = beside(stepper);
    info->rows = stepper->shown->rows;
    info->active = stepper->shown->nactive;
    for (int k = 0; k < stepper->nearlier; k++) {
        info->rows += stepper->earlier[k]->rows;
        info->active += stepper->earlier[k]->nactive;
    }
    for (int k = 0; common && k < common->nactive; k++) {
        const perp_link *link = common->active[k];
        if (link->second_order && stepper->integrators[link->systems[0]->scheme]->certifies)
            continue;
        info->rows += link->rows + link->inner;
        info->active++;
    }
}

/* A callback that refused is an error of the step unless it was the user's wish to stop. */
perp_status perp_sim_step(perp_sim *sim)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim)
        return PERP_ERR_ARGUMENT;
    clear_info(sim);
    sim->stepper.pool.steps++;
    sim->stepper.lookout = (perp_step_lookout){0};
    perp_status status = perp_sim_has_model(sim) ? before_step(sim) : PERP_SOLVED;
    if (status == PERP_SOLVED)
        status = perp_sim_prepare(sim);
    if (status == PERP_SOLVED)
        status = perp_stepper_advance(&sim->stepper, sim->t, sim->stepper.options.h);
    perp_step_info *info = &sim->stepper.info;
    count_rows(&sim->stepper);
    for (int k = 0; k < sim->stepper.nsystems; k++)
        info->evaluations += sim->stepper.systems[k]->evaluations;
    if (status == PERP_SOLVED && sim->stepper.parts.total)
        status = perp_stepper_share_info(&sim->stepper);
    if (status != PERP_SOLVED)
        return info->status = status;
    sim->since++;
    sim->t = sim->origin + (double)sim->since * sim->stepper.options.h;
    info->step++;
    info->t = sim->t;
    info->unsolved += info->status > 0;
    info->infeasible += info->status == PERP_INFEASIBLE_STEP;
    if (sim->witness.taken)
        sim->witness.taken(sim->witness.ctx, sim);
    if (!sim->stepper.march)
        status =
            perp_stepper_show(&sim->stepper, sim->t, sim->stepper.options.h, PERP_INSTANT_SMOOTH);
    if (status == PERP_SOLVED)
        status = call(sim, sim->after, sim->after_ctx, "after_step", -1);
    if (status != PERP_SOLVED)
        return status;
    return info->status;
}

perp_status perp_sim_run(perp_sim *sim, double t_end)
{
    PERP_HOLD_ENVIRONMENT();
    perp_status worst = PERP_SOLVED;
    if (!sim || !isfinite(t_end))
        return PERP_ERR_ARGUMENT;
    while (sim->t < t_end - 0.5 * sim->stepper.options.h) {
        long step = sim->stepper.info.step;
        perp_status status = perp_sim_step(sim);
        if (status < 0 || sim->stepper.info.step == step || status == PERP_INTERRUPTED)
            return status;
        worst = status > worst ? status : worst;
    }
    return worst;
}

double perp_sim_time(const perp_sim *sim)
{
    return sim ? sim->t : NAN;
}

perp_status perp_sim_set_h(perp_sim *sim, double h)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim || !(h > 0.0) || !isfinite(h))
        return PERP_ERR_ARGUMENT;
    sim->stepper.options.h = h;
    sim->origin = sim->t;
    sim->since = 0;
    return PERP_SOLVED;
}

const perp_step_info *perp_sim_info(const perp_sim *sim)
{
    return sim ? &sim->stepper.info : NULL;
}

static void lend(const perp_one_step *one, perp_problem *problem, const double **z,
                 const double **w)
{
    memset(problem, 0, sizeof *problem);
    if (one->posed)
        *problem = one->problem;
    if (z)
        *z = one->posed ? one->z : NULL;
    if (w)
        *w = one->posed ? one->w : NULL;
}

perp_status perp_sim_last_problem(const perp_sim *sim, perp_problem *problem, const double **z,
                                  const double **w)
{
    if (!sim || !problem)
        return PERP_ERR_ARGUMENT;
    const perp_one_step *last = sim->stepper.shown, *common = beside(&sim->stepper);
    lend(last->rows == 0 && common ? common : last, problem, z, w);
    return PERP_SOLVED;
}

int perp_sim_problems(const perp_sim *sim)
{
    if (!sim)
        return 0;
    const perp_one_step *last = sim->stepper.shown;
    return (beside(&sim->stepper) != NULL) + sim->stepper.nearlier +
           (last->posed && last->rows > 0);
}

perp_status perp_sim_problem(const perp_sim *sim, int k, perp_problem *problem, const double **z,
                             const double **w)
{
    PERP_HOLD_ENVIRONMENT();
    int count = perp_sim_problems(sim);
    if (!problem || k < 0 || k >= count)
        return PERP_ERR_ARGUMENT;
    const perp_stepper *stepper = &sim->stepper;
    const perp_one_step *common = beside(stepper);
    if (common && k-- == 0)
        lend(common, problem, z, w);
    else
        lend(k < stepper->nearlier ? stepper->earlier[k] : stepper->shown, problem, z, w);
    return PERP_SOLVED;
}

perp_status perp_sim_infeasibility(const perp_sim *sim, perp_infeasibility *found)
{
    PERP_HOLD_ENVIRONMENT();
    perp_infeasibility own = {.size = sizeof own};
    if (!sim)
        return PERP_ERR_ARGUMENT;
    const perp_squeeze *squeeze = &sim->stepper.squeeze;
    if (sim->stepper.info.status == PERP_INFEASIBLE_STEP) {
        own.rows = squeeze->proved;
        own.interaction = squeeze->interaction;
        own.component = squeeze->of;
        own.weight = squeeze->share;
        own.systems = squeeze->squeezed;
        own.system = squeeze->body;
        own.speed = squeeze->figures.speed;
        own.breach = squeeze->figures.breach;
        own.reach = squeeze->figures.reach;
    }
    return perp_sized_write(found, &own, sizeof own);
}

void perp_sim_set_on_failure(perp_sim *sim, perp_failure_fn fn, void *ctx)
{
    if (!sim)
        return;
    sim->stepper.on_failure = fn;
    sim->stepper.failure_ctx = ctx;
}

void perp_sim_set_solve(perp_sim *sim, int rows, perp_solve_fn fn, void *ctx)
{
    if (!sim)
        return;
    sim->stepper.given = (perp_one_step_asked){fn, ctx, rows};
}

perp_status perp_sim_set_parts(perp_sim *sim, const perp_sim_parts *parts)
{
    perp_sim_parts own = {.size = sizeof own};
    if (!sim || (parts && perp_sized_read(&own, sizeof own, parts) != PERP_SOLVED) ||
        (parts && (!own.total || !own.add != !own.solve)))
        return PERP_ERR_ARGUMENT;
    sim->stepper.parts = own;
    int was = sim->stepper.one.of_parts;
    sim->stepper.one.of_parts = own.solve != NULL;
    if (was || own.solve)
        sim->stepper.one.wanted = sim->stepper.options.form =
            own.solve ? PERP_FORM_DELASSUS : PERP_FORM_AUTO;
    sim->stepper.version = 0;
    return PERP_SOLVED;
}

void perp_sim_set_before_step(perp_sim *sim, perp_step_fn fn, void *ctx)
{
    if (!sim)
        return;
    sim->before = fn;
    sim->before_ctx = ctx;
}

void perp_sim_set_after_step(perp_sim *sim, perp_step_fn fn, void *ctx)
{
    if (!sim)
        return;
    sim->after = fn;
    sim->after_ctx = ctx;
}

void perp_sim_set_at_instants(perp_sim *sim, perp_instant_fn fn, void *ctx)
{
    if (!sim)
        return;
    sim->stepper.at_instants = fn;
    sim->stepper.instants_ctx = ctx;
}

void perp_sim_set_reason(perp_sim *sim, perp_status status, const perp_where *where,
                         const char *detail)
{
    if (!sim)
        return;
    sim->stepper.reason.status = status;
    sim->stepper.reason.where = where ? *where : (perp_where){NULL, -1, -1};
    snprintf(sim->stepper.reason.detail, sizeof sim->stepper.reason.detail, "%s",
             detail ? detail : "");
}

perp_status perp_sim_add_sampler(perp_sim *sim, double period, perp_step_fn fn, void *ctx)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim || !fn || !isfinite(period) || !(period > 0.0))
        return PERP_ERR_ARGUMENT;
    if (!perp_pool_grow(&sim->stepper.pool, (void **)&sim->samplers, &sim->capacity_samplers,
                        sim->nsamplers + 1, sizeof *sim->samplers))
        return PERP_ERR_MEMORY;
    sim->samplers[sim->nsamplers++] = (perp_sim_sampler){period, fn, ctx, 0};
    return PERP_SOLVED;
}

perp_status perp_sim_schedule(perp_sim *sim, double time, perp_step_fn fn, void *ctx)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim || !fn || !isfinite(time))
        return PERP_ERR_ARGUMENT;
    if (!perp_pool_grow(&sim->stepper.pool, (void **)&sim->events, &sim->capacity_events,
                        sim->nevents + 1, sizeof *sim->events))
        return PERP_ERR_MEMORY;
    sim->events[sim->nevents++] = (perp_sim_event){time, fn, ctx, 0};
    return PERP_SOLVED;
}
