/* SPDX-License-Identifier: BSD-3-Clause */
/* Event-driven scheme (004, event-tracking schemes): smooth motion by a Runge-Kutta method with the
 * forces of the bilateral dynamics (29), up to the first event; there impacts (27), new index sets
 * by the laws on accelerations (28), and on.  Events of a relation, all falling through 0:
 *
 *     open     y
 *     closed   F_N; where it sticks mu F_N - F_T and mu F_N + F_T
 *     slides   F_N; |u_T|
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/flow/cvode.h"
#include "kernel/flow/index_sets.h"
#include "kernel/flow/rk.h"
#include "kernel/flow/root.h"
#include "kernel/sim/sim_inside.h"

typedef enum event_kind {
    EVENT_GAP,
    EVENT_FORCE,
    EVENT_CONE_LEFT,
    EVENT_CONE_RIGHT,
    EVENT_SLIP
} event_kind;

typedef struct event {
    perp_link *link;
    int relation;
    event_kind kind;
} event;

typedef struct event_driven {
    perp_scheme scheme; /* thresholds as used */
    perp_mechanics m;
    perp_index_sets sets;
    perp_rk rk;
    perp_cvode *cvode; /* makes the steps in place of the tableau; or NULL */
    int cvode_kind, cvode_n;
    perp_root root;
    perp_rk_control control;
    event *events;
    double *tol, *g, *x;
    int *direction;
    int nevents, room_events, room_tol, room_g, room_x, room_direction;
    int forces; /* some event function needs contact forces */
    int plain;  /* 1: no contact pushes and nothing is bilateral: no drift */
} event_driven;

/* What perp_step_carry() holds. */
enum { CARRY_H, CARRY_LENGTH, CARRY_SPEED };

static perp_status accepts(const perp_link *link, const perp_scheme *scheme, const char **why)
{
    return perp_mechanics_accepts(link, why) ? perp_mj_accepts(link, scheme, why)
                                             : PERP_ERR_UNSUPPORTED;
}

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

static int grow(event_driven *ed, perp_pool *pool)
{
    int count = 0;
    const perp_step *step = ed->m.step;
    for (int k = 0; k < step->nlinks; k++)
        count += 3 * step->links[k]->relations;
    return perp_pool_grow(pool, (void **)&ed->events, &ed->room_events, count,
                          sizeof *ed->events) &&
           perp_pool_grow(pool, (void **)&ed->tol, &ed->room_tol, count, sizeof(double)) &&
           perp_pool_grow(pool, (void **)&ed->g, &ed->room_g, count, sizeof(double)) &&
           perp_pool_grow(pool, (void **)&ed->direction, &ed->room_direction, count, sizeof(int)) &&
           perp_pool_grow(pool, (void **)&ed->x, &ed->room_x, ed->m.nx, sizeof(double));
}

/* kind: as in scheme.def, `smooth`. */
static perp_status prepare_cvode(event_driven *ed, int kind)
{
    if (ed->cvode && (kind != ed->cvode_kind || ed->m.nx != ed->cvode_n)) {
        perp_cvode_destroy(ed->cvode);
        ed->cvode = NULL;
    }
    if (kind == 0 || ed->cvode)
        return PERP_SOLVED;
    ed->cvode_kind = kind;
    ed->cvode_n = ed->m.nx;
    perp_status status = perp_cvode_create(&ed->cvode, ed->m.nx, kind == 2);
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

static perp_status prepare(event_driven *ed, perp_step *step)
{
    perp_pool *pool = &step->sim->pool;
    const perp_scheme *scheme = &ed->scheme;
    ed->scheme = *perp_step_scheme(step, step->systems[0]);
    if (scheme->smooth != 0)
        widen_thresholds(&ed->scheme);
    perp_status status = perp_mechanics_prepare(&ed->m, step);
    if (status == PERP_SOLVED)
        status = perp_index_sets_prepare(&ed->sets, &ed->m, scheme);
    if (status == PERP_SOLVED)
        status = perp_rk_prepare(&ed->rk, perp_tableau_at(scheme->tableau), ed->m.nx, pool);
    if (status == PERP_SOLVED && !grow(ed, pool))
        status = PERP_ERR_MEMORY;
    if (status == PERP_SOLVED)
        status = perp_root_prepare(&ed->root, ed->room_events, ed->m.nx, pool);
    if (status == PERP_SOLVED)
        status = prepare_cvode(ed, scheme->smooth);
    ed->control = (perp_rk_control){scheme->alpha, scheme->alpha_min, scheme->alpha_max};
    return status;
}

static void release(void *memory, perp_pool *pool)
{
    event_driven *ed = memory;
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

static void add_event(event_driven *ed, perp_link *link, int r, event_kind kind, double tol)
{
    ed->tol[ed->nevents] = tol;
    ed->direction[ed->nevents] = -1;
    ed->events[ed->nevents++] = (event){link, r, kind};
    ed->forces |= kind >= EVENT_FORCE && kind <= EVENT_CONE_RIGHT;
}

/* 1 where some relation of the modes at hand pushes. */
static int pushes(const perp_step *step)
{
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        if (link->law.kind == PERP_LAW_EQUALITY)
            return 1;
        for (int r = 0; r < link->relations; r++)
            if (link->mode[r] != PERP_MODE_OPEN)
                return 1;
    }
    return 0;
}

/* Event functions of the modes at hand, contact forces in link->lambda. */
static perp_status list_events(event_driven *ed)
{
    const perp_step *step = ed->m.step;
    ed->nevents = ed->forces = 0;
    ed->plain = !pushes(step);
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        for (int r = 0; perp_law_is_impact(&link->law) && r < link->relations; r++) {
            if (link->mode[r] == PERP_MODE_OPEN) {
                /* After an impact y is 0 but for noise, of which this is the measure; what opened
                 * from rest stays near 0 for a while. */
                double noise = perp_gap_noise(&ed->sets), y = link->y[r * link->law.dim];
                int flies = link->u[r * link->law.dim] > perp_rate_zero(&ed->sets);
                add_event(ed, link, r, EVENT_GAP, flies ? fmin(noise, 4.0 * fabs(y)) : noise);
                continue;
            }
            int row = r * link->law.dim;
            double force = fabs(link->lambda[row]);
            double tol = ed->sets.scheme->force_tol * force +
                         perp_acceleration_zero(&ed->sets, 0.0) / perp_row_mobility(link, row);
            add_event(ed, link, r, EVENT_FORCE, tol);
            if (link->law.kind != PERP_LAW_FRICTION)
                continue;
            if (perp_link_slides(link, r)) {
                add_event(ed, link, r, EVENT_SLIP, perp_rate_zero(&ed->sets));
            } else {
                add_event(ed, link, r, EVENT_CONE_LEFT, tol);
                add_event(ed, link, r, EVENT_CONE_RIGHT, tol);
            }
        }
    }
    return perp_root_prepare(&ed->root, ed->nevents, ed->m.nx, &step->sim->pool);
}

static double value(const event *e)
{
    const perp_link *link = e->link;
    int row = e->relation * link->law.dim;
    switch (e->kind) {
    case EVENT_GAP:
        return link->y[row];
    case EVENT_FORCE:
        return link->lambda[row];
    case EVENT_CONE_LEFT:
        return link->law.mu * link->lambda[row] - link->lambda[row + 1];
    case EVENT_CONE_RIGHT:
        return link->law.mu * link->lambda[row] + link->lambda[row + 1];
    default:
        return link->mode[e->relation] == PERP_MODE_FORWARD ? link->u[row + 1] : -link->u[row + 1];
    }
}

/* A perp_event_fn. */
static perp_status event_functions(double *g, void *ctx, double t, const double *x)
{
    event_driven *ed = ctx;
    perp_mechanics_unpack(&ed->m, x);
    perp_status status = PERP_SOLVED;
    if (ed->forces)
        status = perp_mechanics_forces(&ed->m, t, PERP_LEVEL_BILATERAL);
    if (status == PERP_SOLVED)
        status = perp_step_outputs(ed->m.step, t);
    for (int k = 0; k < ed->nevents && status == PERP_SOLVED; k++)
        g[k] = value(&ed->events[k]);
    return status;
}

/* A status of the smooth motion as one of the step. */
static perp_status flow_status(event_driven *ed, perp_status status)
{
    if (status <= 0 || status == PERP_INTERRUPTED)
        return status;
    return perp_step_refuse(ed->m.step, PERP_FLOW_FAILED, "system", -1,
                            "the forces of the smooth motion were not found");
}

static perp_status try_step(event_driven *ed, double t, double h, perp_rk_from from)
{
    ed->m.level = PERP_LEVEL_BILATERAL;
    return ed->rk.tableau->b_embedded
               ? perp_rk_step(&ed->rk, perp_mechanics_rate, &ed->m, t, h, ed->x, from)
               : perp_rk_step_doubled(&ed->rk, perp_mechanics_rate, &ed->m, t, h, ed->x, from);
}

/* Times that differ by what rounding of them leaves of the time of a corner. */
static int same_time(double a, double b)
{
    return fabs(a - b) <= 256.0 * DBL_EPSILON * fabs(a);
}

/* Where the step that was refused came upon a corner of a relation the next one ends there, or
 * begins after it. */
static int meet_corner(event_driven *ed, double t, double h, perp_rk_from *from)
{
    double corner = ed->m.corner;
    if (!(corner < t + h))
        return 0;
    if (same_time(corner, t)) {
        ed->m.from = corner;
        *from = PERP_RK_ANEW;
    } else {
        ed->m.until = corner;
    }
    return 1;
}

/* The same by CVODE, which chooses *h. */
static perp_status multistep(event_driven *ed, double t, double rest, double *h, perp_rk_from from)
{
    const perp_scheme *scheme = ed->sets.scheme;
    perp_status status = PERP_SOLVED;
    ed->m.level = PERP_LEVEL_BILATERAL;
    if (from == PERP_RK_ANEW)
        status = perp_cvode_start(ed->cvode, perp_mechanics_rate, &ed->m, t, ed->x, scheme->atol,
                                  scheme->rtol);
    if (status == PERP_SOLVED)
        status = perp_cvode_step(ed->cvode, &ed->rk, rest);
    *h = ed->rk.h >= rest * (1.0 - 1e-12) ? rest : ed->rk.h;
    if (status == PERP_STEP_LIMIT)
        return perp_step_refuse(ed->m.step, status, "rtol", -1,
                                "CVODE cannot meet the tolerance of the smooth motion");
    return status == PERP_FLOW_FAILED
               ? perp_step_refuse(ed->m.step, status, "smooth", -1, "CVODE gave up")
               : flow_status(ed, status);
}

/* One step within the tolerance from ed->x at t, at most of length rest; *h its length, *next that
 * of the one after it. */
static perp_status smooth_step(event_driven *ed, double t, double rest, double *h, double *next,
                               perp_rk_from from)
{
    if (ed->cvode)
        return multistep(ed, t, rest, h, from);
    const perp_step *step = ed->m.step;
    const perp_scheme *scheme = ed->sets.scheme;
    const perp_tableau *tableau = ed->rk.tableau;
    int order = tableau->embedded ? tableau->embedded : tableau->order, corners = 0;
    *h = *next;
    for (;;) {
        int cut = *h >= rest - 1e-3 * *h || t + *h > ed->m.until;
        if (cut)
            *h = fmin(rest, ed->m.until - t);
        ed->m.corner = HUGE_VAL;
        perp_status status = try_step(ed, t, *h, from);
        if (status < 0 && status != PERP_ERR_NUMERICAL)
            return status;
        if (status > 0 && status != PERP_STALLED)
            return flow_status(ed, status);
        double error = status == PERP_SOLVED
                           ? perp_rk_error_norm(ed->rk.error, ed->rk.x0, ed->rk.x1, scheme->atol,
                                                scheme->rtol, ed->m.nx)
                           : HUGE_VAL;
        double wanted = perp_rk_next_h(&ed->control, *h, error, order);
        if (error <= 1.0) {
            /* Where it was cut short the step says nothing of how long steps may be. */
            *next = cut ? fmax(*next, wanted) : wanted;
            return PERP_SOLVED;
        }
        step->sim->info.rejected++;
        from = PERP_RK_SAME;
        if (corners == 0 && meet_corner(ed, t, *h, &from)) {
            corners = 1;
            continue;
        }
        *next = *h = fmin(wanted, 0.9 * *h);
        if (*h < scheme->h_min * step->h)
            return perp_step_refuse(ed->m.step, PERP_STEP_LIMIT, "rtol", -1,
                                    "the tolerance of the smooth motion asks for too short steps");
    }
}

/* The event function `which` after a step of length s from ed->x. */
static perp_status value_after(double *g, event_driven *ed, double t, double s, int which)
{
    perp_status status = try_step(ed, t, s, PERP_RK_SAME);
    if (status == PERP_SOLVED)
        status = event_functions(ed->g, ed, t + s, ed->rk.x1);
    *g = ed->g[which];
    return status;
}

/* The same by moving the end of the last step by delta. */
static perp_status value_moved(double *g, event_driven *ed, double delta, int which)
{
    perp_status status = perp_rk_nudge(&ed->rk, delta);
    if (status == PERP_SOLVED)
        status = event_functions(ed->g, ed, ed->rk.t + ed->rk.h, ed->rk.x1);
    *g = ed->g[which];
    return status;
}

/* The solution of CVODE inside its step is as good as at its end. */
static perp_status read_event(event_driven *ed, double t, double *h)
{
    *h *= ed->root.after;
    perp_status status = perp_rk_dense(ed->sets.x, &ed->rk, ed->root.after);
    memcpy(ed->rk.x1, ed->sets.x, sizeof(double) * (size_t)ed->m.nx);
    if (status == PERP_SOLVED)
        status = event_functions(ed->g, ed, t + *h, ed->rk.x1);
    return flow_status(ed, status);
}

enum { REFINEMENTS = 12 };
/* Parts of a step whose third power is rounding. */
static const double little = 1e-5;

/* Steps of the method itself that end at the event, by secants: the dense output is of lower
 * order.  The last bits of the way from the end of such a step.  *h: length; rk->x1 and the outputs
 * belong to its end. */
static perp_status localise(event_driven *ed, double t, double *h)
{
    if (ed->cvode)
        return read_event(ed, t, h);
    int which = ed->root.which;
    double whole = *h, sigma = ed->root.sigma, near = sigma > 0.5 ? sigma - 0.05 : sigma + 0.05;
    double g, slope, best = HUGE_VAL, before = NAN, s_before = NAN;
    perp_status status = perp_rk_dense(ed->sets.x, &ed->rk, near);
    if (status == PERP_SOLVED)
        status = event_functions(ed->g, ed, t + near * whole, ed->sets.x);
    slope = ed->g[which] / ((near - sigma) * whole);
    double s = sigma * whole, s_best = s;
    for (int k = 0; k < REFINEMENTS && status == PERP_SOLVED; k++) {
        status = isfinite(before) && fabs(s - s_before) <= little * whole
                     ? value_moved(&g, ed, s - s_before, which)
                     : value_after(&g, ed, t, s, which);
        if (status != PERP_SOLVED)
            break;
        if (isfinite(before) && s != s_before && g != before)
            slope = (g - before) / (s - s_before);
        if (fabs(g) < best) {
            best = fabs(g);
            s_best = s;
        } else if (k > 1) {
            break;
        }
        before = g;
        s_before = s;
        s = fmin(fmax(s - g / slope, 0.5 * s), whole);
        if (best == 0.0 || fabs(s - s_before) <= 2.0 * DBL_EPSILON * s)
            break;
    }
    if (status == PERP_SOLVED && s_best != s_before)
        status = value_after(&g, ed, t, s_best, which);
    *h = s_best;
    double tol = ed->events[which].kind == EVENT_GAP ? perp_gap_zero(&ed->sets) : ed->tol[which];
    if (status == PERP_SOLVED && !(best <= fmax(tol, DBL_MIN)))
        return perp_step_refuse(ed->m.step, PERP_EVENT_LOST, "interaction",
                                ed->events[which].link->slot,
                                "its event could not be localised within the thresholds");
    return flow_status(ed, status);
}

/* Drift of the constraints that are bilateral at the moment, outputs at hand: projected where
 * it shows. */
static perp_status control_drift(event_driven *ed, double t, int *moved)
{
    const perp_step *step = ed->m.step;
    double part = ed->cvode ? 0.1 : 1e-3, least = ed->cvode ? 10.0 * ed->scheme.atol : 0.0;
    double gap = part * perp_gap_zero(&ed->sets) + least;
    double rate = part * perp_rate_zero(&ed->sets) + least;
    *moved = 0;
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        for (int i = 0; i < link->rows; i++) {
            int bilateral = link->law.kind == PERP_LAW_EQUALITY;
            int normal = i % link->law.dim == 0;
            if (!bilateral && (!normal || link->mode[i / link->law.dim] == PERP_MODE_OPEN))
                continue;
            *moved |= fabs(link->y[i]) > gap || fabs(link->u[i]) > rate;
        }
    }
    if (!*moved)
        return PERP_SOLVED;
    perp_status status = perp_mechanics_project(&ed->m, t);
    return status == PERP_SOLVED ? perp_step_outputs(ed->m.step, t) : flow_status(ed, status);
}

/* Takes the end of the step as the state at NOW, at t. */
static perp_status arrive(event_driven *ed, double t, double h, int *moved)
{
    perp_step *step = ed->m.step;
    *moved = 0;
    perp_mechanics_unpack(&ed->m, ed->rk.x1);
    perp_status status = PERP_SOLVED;
    if (!ed->plain || step->sim->at_instants || ed->nevents > 0)
        status = perp_step_outputs(step, t);
    if (status == PERP_SOLVED && !ed->plain)
        status = control_drift(ed, t, moved);
    return status == PERP_SOLVED ? perp_step_instant(step, t, h, PERP_INSTANT_SMOOTH) : status;
}

/* Forces, where there are any, and event functions of a smooth phase that begins at t. */
static perp_status begin_phase(event_driven *ed, double t)
{
    perp_status status = PERP_SOLVED;
    if (pushes(ed->m.step))
        status = flow_status(ed, perp_mechanics_forces(&ed->m, t, PERP_LEVEL_BILATERAL));
    return status == PERP_SOLVED ? list_events(ed) : status;
}

/* 1 where an open contact, outputs at hand, is below 0 and goes down: a flight so short that
 * rounding of y hid its end. */
static int sinks(const event_driven *ed)
{
    double noise = perp_gap_noise(&ed->sets);
    for (int k = 0; k < ed->nevents; k++) {
        const perp_link *link = ed->events[k].link;
        int row = ed->events[k].relation * link->law.dim;
        if (ed->events[k].kind == EVENT_GAP && link->y[row] < -noise && link->u[row] < 0.0)
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
static perp_status settle(event_driven *ed, double *past)
{
    const perp_step *step = ed->m.step;
    if (same_time(step->t + *past, ed->m.until))
        ed->m.from = ed->m.until;
    ed->m.until = HUGE_VAL;
    perp_status status = perp_index_sets_settle(&ed->sets, past);
    if (status == PERP_SOLVED && ed->m.step->sim->info.events > ed->sets.scheme->max_events)
        status = perp_step_refuse(ed->m.step, PERP_ZENO, "max_events", -1,
                                  "the step has more events than max_events");
    return status == PERP_SOLVED ? begin_phase(ed, step->t + *past) : status;
}

/* An event at the start of a step that changed nothing: the motion comes back within the first
 * sample of the step.  A flight that is not higher than rounding of y is taken as rest. */
static perp_status look_closer(event_driven *ed, double h, double *past, double *carry,
                               const event *e)
{
    perp_step *step = ed->m.step;
    perp_link *link = e->link;
    double *u = link->u + e->relation * link->law.dim;
    step->sim->info.events--;
    step->sim->info.rejected++;
    perp_status status = PERP_SOLVED;
    int rests = 0;
    if (e->kind == EVENT_GAP && fabs(*u) * h <= perp_gap_noise(&ed->sets)) {
        *u = 0.0;
        status = settle(ed, past);
        rests = link->mode[e->relation] != PERP_MODE_OPEN;
    }
    carry[CARRY_H] = rests ? h : 0.1 * h;
    if (status != PERP_SOLVED || carry[CARRY_H] >= ed->sets.scheme->h_min * step->h)
        return status;
    return perp_step_refuse(step, PERP_EVENT_LOST, "interaction", link->slot,
                            "it leaves its mode at once and no mode follows");
}

/* To the event in the last step, of length h, and what follows from it. */
static perp_status pass_event(event_driven *ed, double h, double *past, double *carry)
{
    perp_step *step = ed->m.step;
    event which = ed->events[ed->root.which];
    double t = step->t + *past;
    int at_start = ed->root.sigma == 0.0, moved = 0;
    perp_status status;
    if (at_start) {
        perp_mechanics_unpack(&ed->m, ed->x);
        status = perp_step_outputs(step, t);
    } else {
        double whole = h;
        status = localise(ed, t, &h);
        if (status == PERP_SOLVED)
            status = arrive(ed, t + h, h, &moved);
        *past += h;
        h = whole;
    }
    unsigned long modes = fingerprint(step);
    int impacts = step->sim->info.impacts;
    if (status == PERP_SOLVED)
        status = settle(ed, past);
    if (status == PERP_SOLVED && at_start && impacts == step->sim->info.impacts &&
        modes == fingerprint(step))
        status = look_closer(ed, h, past, carry, &which);
    return status;
}

enum { STILL = 1000 }; /* events without a step between them */

/* From event to event; carry[CARRY_H] is the step that the controller wants.  Time is counted from
 * the start of the step, so that rounding of t does not add up over the events. */
static perp_status go(event_driven *ed, double past, double *carry)
{
    perp_step *step = ed->m.step;
    double h = 0.0, before = -1.0;
    perp_rk_from from = PERP_RK_ANEW;
    perp_status status = PERP_SOLVED;
    for (int still = 0; past < step->h && status == PERP_SOLVED; before = past) {
        int moved = 0;
        double t = step->t + past;
        perp_mechanics_pack(ed->x, &ed->m);
        status = smooth_step(ed, t, step->h - past, &h, &carry[CARRY_H], from);
        ed->root.which = -1;
        if (status == PERP_SOLVED && ed->nevents > 0)
            status = flow_status(ed, perp_root_first(&ed->root, &ed->rk, event_functions, ed,
                                                     ed->direction, ed->tol, 1e-12));
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
        status = arrive(ed, last ? step->t_end : t + h, h, &moved);
        if (status == PERP_SOLVED && (sinks(ed) || same_time(step->t + past, ed->m.until)))
            status = settle(ed, &past);
        else if (!moved)
            from = PERP_RK_NEXT;
    }
    return status;
}

static perp_status march(perp_step *step)
{
    event_driven *ed = perp_step_memory(step, sizeof *ed);
    double *carry = perp_step_carry(step);
    if (!ed || step->nsystems == 0)
        return ed ? PERP_SOLVED : PERP_ERR_MEMORY;
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
        status = flow_status(ed, perp_mechanics_forces(&ed->m, step->t_end, PERP_LEVEL_BILATERAL));
    carry[CARRY_LENGTH] = ed->sets.extent.length;
    carry[CARRY_SPEED] = ed->sets.extent.speed;
    return status;
}

const perp_integrator perp_event_driven = {
    .name = "event-driven",
    .summary = "smooth motion from event to event, impacts between (event tracking, any order)",
    .reads =
        "smooth tableau atol rtol alpha alpha_min alpha_max h_min gap_tol rate_tol force_tol zeno "
        "zeno_time undetermined max_events theta",
    .kinds = 1u << PERP_SYSTEM_LAGRANGIAN | 1u << PERP_SYSTEM_BODY,
    .accepts = accepts,
    .begin = perp_mj_begin,
    .activate = activate,
    .iterate = perp_mj_iterate,
    .rows = perp_mj_rows,
    .advance = perp_mj_advance,
    .residual = perp_mj_residual,
    .relation_residual = perp_mj_relation_residual,
    .output = perp_mj_output,
    .is_linear = perp_mj_is_linear,
    .march = march,
    .release = release};
