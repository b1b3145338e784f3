/* SPDX-License-Identifier: BSD-3-Clause */
/* Event-driven scheme ([ACA10], event-tracking schemes): smooth motion by a Runge-Kutta method with
 * the forces of the bilateral dynamics (29), up to the first event; there impacts (27), new index
 * sets by the laws on accelerations (28), and on.  Events of a relation, all falling through 0:
 *
 *     open     y
 *     closed   F_N; where it sticks mu F_N - F_T and mu F_N + F_T
 *     slides   F_N; |u_T|
 */
#include "kernel/integrators/event_driven/event_driven.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/integrators/moreau_jean.h"
#include "kernel/step/stepper.h"

/* What perp_step_carry() holds. */
enum { CARRY_H, CARRY_LENGTH, CARRY_SPEED };

/* Of the Moreau-Jean step through an accumulation: the contacts with a mode are closed. */
static perp_status activate(perp_step *step, perp_link *link)
{
    perp_status status = perp_mj_activate(step, link);
    for (int r = 0; perp_law_is_impact(&link->law) && r < link->relations; r++) {
        link->on[r] |= link->mode[r] != PERP_MODE_OPEN;
        link->active |= link->on[r];
    }
    return status;
}

static int grow(perp_event_driver *ed, perp_pool *pool)
{
    int count = 0;
    const perp_step *step = ed->m.step;
    for (int k = 0; k < step->nlinks; k++)
        count += 3 * step->links[k]->relations;
    return perp_pool_grow(pool, (void **)&ed->events, &ed->capacity_events, count,
                          sizeof *ed->events) &&
           perp_pool_grow(pool, (void **)&ed->tol, &ed->capacity_tol, count, sizeof(double)) &&
           perp_pool_grow(pool, (void **)&ed->g, &ed->capacity_g, count, sizeof(double)) &&
           perp_pool_grow(pool, (void **)&ed->direction, &ed->capacity_direction, count,
                          sizeof(int)) &&
           perp_pool_grow(pool, (void **)&ed->x, &ed->capacity_x, ed->m.nx, sizeof(double));
}

/* kind: a perp_smooth_kind. */
static perp_status prepare_cvode(perp_event_driver *ed, int kind)
{
    if (ed->cvode && (kind != ed->cvode_kind || ed->m.nx != ed->cvode_n)) {
        perp_cvode_destroy(ed->cvode);
        ed->cvode = NULL;
    }
    if (kind == PERP_SMOOTH_RUNGE_KUTTA || ed->cvode)
        return PERP_SOLVED;
    ed->cvode_kind = kind;
    ed->cvode_n = ed->m.nx;
    perp_status status = perp_cvode_create(&ed->cvode, ed->m.nx, kind == PERP_SMOOTH_BDF);
    return status == PERP_ERR_UNSUPPORTED
               ? perp_step_refuse(ed->m.step, status, "smooth", -1,
                                  "this build is without CVODE: configure --with-cvode")
               : status;
}

/* A multistep method begins at order 1 after each projection, so that what its tolerance leaves
 * must stay below the thresholds. */
static void widen_thresholds(perp_scheme *scheme)
{
    double least = 100.0 * fmax(scheme->rtol, scheme->atol);
    scheme->gap_tol = fmax(scheme->gap_tol, least);
    scheme->rate_tol = fmax(scheme->rate_tol, least);
    scheme->force_tol = fmax(scheme->force_tol, least);
}

static perp_status prepare(perp_event_driver *ed, perp_step *step)
{
    perp_pool *pool = &step->stepper->pool;
    const perp_scheme *scheme = &ed->scheme;
    ed->scheme = *perp_step_scheme(step, step->systems[0]);
    if (scheme->smooth != PERP_SMOOTH_RUNGE_KUTTA)
        widen_thresholds(&ed->scheme);
    perp_status status = perp_mechanics_prepare(&ed->m, step);
    if (status == PERP_SOLVED)
        status = perp_index_sets_prepare(&ed->sets, &ed->m, scheme);
    if (status == PERP_SOLVED)
        status = perp_rk_prepare(&ed->rk, perp_tableau_at(scheme->tableau), ed->m.nx, pool);
    if (status == PERP_SOLVED && !grow(ed, pool))
        status = PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = perp_root_prepare(&ed->root, ed->capacity_events, ed->m.nx, pool);
    if (status == PERP_SOLVED)
        status = prepare_cvode(ed, scheme->smooth);
    ed->control = (perp_rk_control){scheme->alpha, scheme->alpha_min, scheme->alpha_max};
    return status;
}

static void release(void *memory, perp_pool *pool)
{
    perp_event_driver *ed = memory;
    perp_mechanics_release(&ed->m, pool);
    perp_index_sets_release(&ed->sets, pool);
    perp_rk_free(&ed->rk, pool);
    perp_root_free(&ed->root, pool);
    perp_cvode_destroy(ed->cvode);
    perp_pool_give(pool, ed->events);
    perp_pool_give(pool, ed->tol);
    perp_pool_give(pool, ed->g);
    perp_pool_give(pool, ed->direction);
    perp_pool_give(pool, ed->x);
}

/* Drift of the constraints that are bilateral at the moment, outputs up to date: projected where
 * it shows. */
static perp_status control_drift(perp_event_driver *ed, double t, int *moved)
{
    double part = ed->cvode ? 0.1 : 1e-3, least = ed->cvode ? 10.0 * ed->scheme.atol : 0.0;
    double gap = part * perp_gap_zero(&ed->sets) + least;
    double rate = part * perp_rate_zero(&ed->sets) + least;
    *moved = perp_mechanics_drifted(ed->m.step, gap, rate, 0);
    if (!*moved)
        return PERP_SOLVED;
    perp_status status = perp_mechanics_project(&ed->m, t);
    return status == PERP_SOLVED ? perp_step_outputs(ed->m.step, t) : perp_event_status(ed, status);
}

/* Takes the end of the step as the state at NOW, at t. */
static perp_status arrive(perp_event_driver *ed, double t, double h, int *moved)
{
    perp_step *step = ed->m.step;
    *moved = 0;
    perp_mechanics_unpack(&ed->m, ed->rk.x1);
    perp_status status = PERP_SOLVED;
    if (!ed->plain || step->stepper->at_instants || ed->nevents > 0)
        status = perp_step_outputs(step, t);
    if (status == PERP_SOLVED && !ed->plain)
        status = control_drift(ed, t, moved);
    /* lambda is that of the last look along the step, or of the projection. */
    if (status == PERP_SOLVED && !ed->plain && step->stepper->at_instants)
        status = perp_event_status(ed, perp_mechanics_forces(&ed->m, t, PERP_LEVEL_BILATERAL));
    return status == PERP_SOLVED ? perp_step_instant(step, t, h, PERP_INSTANT_SMOOTH) : status;
}

/* Forces, where there are any, and event functions of a smooth phase that begins at t. */
static perp_status begin_phase(perp_event_driver *ed, double t)
{
    perp_status status = PERP_SOLVED;
    if (perp_mechanics_pushes(ed->m.step))
        status = perp_event_status(ed, perp_mechanics_forces(&ed->m, t, PERP_LEVEL_BILATERAL));
    return status == PERP_SOLVED ? perp_events_list(ed) : status;
}

/* 1 where an open contact, outputs up to date, is below 0 and goes down: a flight so short that
 * rounding of y hid its end. */
static int sinks(const perp_event_driver *ed)
{
    double noise = perp_gap_noise(&ed->sets);
    for (int k = 0; k < ed->nevents; k++) {
        const perp_link *link = ed->events[k].link;
        int row = ed->events[k].relation * link->law.dim;
        if (ed->events[k].kind == PERP_EVENT_GAP && link->y[row] < -noise && link->u[row] < 0.0)
            return 1;
    }
    return 0;
}

/* A number that changes with the modes. */
static unsigned long fingerprint(const perp_step *step)
{
    unsigned long sum = 5381;
    for (int k = 0; k < step->nlinks; k++)
        for (int r = 0; r < step->links[k]->relations; r++)
            sum = 33 * sum + step->links[k]->mode[r];
    return sum;
}

/* Settles what happened at past; afterwards forces and event functions are those of past. */
static perp_status settle(perp_event_driver *ed, double *past)
{
    const perp_step *step = ed->m.step;
    if (perp_event_same_time(step->t + *past, ed->m.until))
        ed->m.from = ed->m.until;
    ed->m.until = HUGE_VAL;
    perp_status status = perp_index_sets_settle(&ed->sets, past);
    if (status == PERP_SOLVED && ed->m.step->stepper->info.events > ed->sets.scheme->max_events)
        status = perp_step_refuse(ed->m.step, PERP_ZENO, "max_events", -1,
                                  "the step has more events than max_events");
    return status == PERP_SOLVED ? begin_phase(ed, step->t + *past) : status;
}

/* An event at the start of a step that changed nothing: the motion comes back within the first
 * sample of the step.  A flight that is not higher than rounding of y is taken as rest. */
static perp_status look_closer(perp_event_driver *ed, double h, double *past, double *carry,
                               const perp_event *e)
{
    perp_step *step = ed->m.step;
    perp_link *link = e->link;
    double *u = link->u + e->relation * link->law.dim;
    step->stepper->info.events--;
    step->stepper->info.rejected++;
    perp_status status = PERP_SOLVED;
    int rests = 0;
    if (e->kind == PERP_EVENT_GAP && fabs(*u) * h <= perp_gap_noise(&ed->sets)) {
        *u = 0.0;
        status = settle(ed, past);
        rests = link->mode[e->relation] != PERP_MODE_OPEN;
    }
    carry[CARRY_H] = rests ? h : 0.1 * h;
    if (status != PERP_SOLVED || carry[CARRY_H] >= ed->sets.scheme->h_min * step->h)
        return status;
    /* Where forces jump neither mode may last: Moreau-Jean chooses as it goes. */
    double leap = fmin(ed->sets.scheme->zeno_time * step->h, step->h - *past);
    if (ed->sets.scheme->zeno == PERP_ZENO_SWITCH && leap > 0.0) {
        carry[CARRY_H] = leap;
        status = perp_index_sets_leap(&ed->sets, past, leap);
        return status == PERP_SOLVED ? settle(ed, past) : status;
    }
    return perp_step_refuse(step, PERP_EVENT_LOST, "interaction", link->slot,
                            "it leaves its mode at once and no mode follows");
}

/* To the event in the last step, of length h, and what follows from it. */
static perp_status pass_event(perp_event_driver *ed, double h, double *past, double *carry)
{
    perp_step *step = ed->m.step;
    perp_event which = ed->events[ed->root.which];
    double t = step->t + *past;
    int at_start = ed->root.sigma == 0.0, moved = 0;
    perp_status status;
    if (at_start) {
        perp_mechanics_unpack(&ed->m, ed->x);
        status = perp_step_outputs(step, t);
    } else {
        double whole = h;
        status = perp_event_localise(ed, t, &h);
        *past += h;
        if (status == PERP_SOLVED) /* at the time that what follows is shown at */
            status = arrive(ed, step->t + *past, h, &moved);
        h = whole;
    }
    unsigned long modes = fingerprint(step);
    int impacts = step->stepper->info.impacts;
    if (status == PERP_SOLVED)
        status = settle(ed, past);
    if (status == PERP_SOLVED && at_start && impacts == step->stepper->info.impacts &&
        modes == fingerprint(step))
        status = look_closer(ed, h, past, carry, &which);
    return status;
}

enum { STILL = 1000 }; /* events without a step between them */

/* From event to event; carry[CARRY_H] is the step that the controller wants.  Time is counted from
 * the start of the step, so that rounding of t does not add up over the events. */
static perp_status go(perp_event_driver *ed, double past, double *carry)
{
    perp_step *step = ed->m.step;
    double h = 0.0, before = -1.0;
    perp_rk_from from = PERP_RK_ANEW;
    perp_status status = PERP_SOLVED;
    for (int still = 0; past < step->h && status == PERP_SOLVED; before = past) {
        int moved = 0;
        double t = step->t + past;
        perp_mechanics_pack(ed->x, &ed->m);
        status = perp_event_step(ed, t, step->h - past, &h, &carry[CARRY_H], from);
        ed->root.which = -1;
        if (status == PERP_SOLVED && ed->nevents > 0)
            status = perp_event_status(ed, perp_root_first(&ed->root, &ed->rk, perp_events_values,
                                                           ed, ed->direction, ed->tol, 1e-12));
        if (status != PERP_SOLVED)
            break;
        from = PERP_RK_ANEW;
        if (ed->root.which >= 0) {
            status = pass_event(ed, h, &past, carry);
            still = past == before ? still + 1 : 0;
            if (status == PERP_SOLVED && still > STILL)
                status = perp_step_refuse(step, PERP_EVENT_LOST, "interaction", -1,
                                          "events follow each other at one instant");
            continue;
        }
        int last = h >= step->h - past;
        past = last ? step->h : past + h;
        status = arrive(ed, last ? step->t_end : step->t + past, h, &moved);
        if (status == PERP_SOLVED &&
            (sinks(ed) || perp_event_same_time(step->t + past, ed->m.until)))
            status = settle(ed, &past);
        else if (!moved)
            from = PERP_RK_NEXT;
    }
    return status;
}

static perp_status march(perp_step *step)
{
    perp_event_driver *ed = perp_step_memory(step, step->systems[0]->scheme, sizeof *ed);
    double *carry = perp_step_carry(step);
    if (!ed)
        return PERP_ERR_MEMORY;
    perp_status status = prepare(ed, step);
    if (status != PERP_SOLVED)
        return status;
    if (!(carry[CARRY_H] > 0.0))
        carry[CARRY_H] = step->h;
    ed->sets.extent = (perp_extent){carry[CARRY_LENGTH], carry[CARRY_SPEED]};
    perp_index_sets_measure(&ed->sets);
    ed->sets.error =
        ed->cvode ? 10.0 * (ed->scheme.atol + ed->scheme.rtol * ed->sets.extent.length) : 0.0;
    double past = 0.0;
    if (perp_index_sets_stale(&ed->sets))
        status = settle(ed, &past);
    else
        status = begin_phase(ed, step->t);
    if (status == PERP_SOLVED)
        status = go(ed, past, carry);
    if (status == PERP_SOLVED && !ed->plain)
        status =
            perp_event_status(ed, perp_mechanics_forces(&ed->m, step->t_end, PERP_LEVEL_BILATERAL));
    carry[CARRY_LENGTH] = ed->sets.extent.length;
    carry[CARRY_SPEED] = ed->sets.extent.speed;
    return status;
}

static void defaults(perp_scheme *scheme)
{
    scheme->tableau = PERP_TABLEAU_DORMAND_PRINCE8;
    scheme->atol = 1e-9;
    scheme->rtol = 1e-9;
}

const perp_integrator perp_event_driven = {
    .name = "event-driven",
    .summary = "smooth motion from event to event, impacts between (event tracking, any order)",
    .reads =
        "smooth tableau atol rtol alpha alpha_min alpha_max h_min gap_tol rate_tol force_tol zeno "
        "zeno_time undetermined max_events theta",
    .kinds = 1u << PERP_SYSTEM_LAGRANGIAN | 1u << PERP_SYSTEM_BODY,
    .accepts = perp_mechanics_accepts,
    PERP_MJ_STEP,
    .activate = activate,
    .march = march,
    .defaults = defaults,
    .release = release,
    .between = 1,
    .unstated = "no statement by event-driven: between events its motion is that of an integrator "
                "of higher order, no sum of impulses"};
