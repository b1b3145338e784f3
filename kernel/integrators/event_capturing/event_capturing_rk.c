/* SPDX-License-Identifier: BSD-3-Clause */
/* Time stepping of any order by Mannshardt's principle ([ACA10] (76)-(82), corrected in
 * docs/theory.md): a Runge-Kutta method on [t, t_a] with complementarity of contact forces and gap
 * accelerations at its stages (79), one step of Moreau-Jean across [t_a, t_b], which holds the
 * impact and is w = h (h / locate)^p long, and the same on what is left of the step, until its
 * end or until `repetitions`, after which Moreau-Jean takes the rest.
 *
 * A contact whose next bounce would last less than 8 w is closed: the error in q is of the order of
 * w^2.  Closed ones let go where the force of (79) comes to zero, which is located too. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/integrators/event_capturing/event_capturing.h"
#include "kernel/integrators/moreau_jean.h"
#include "kernel/step/stepper.h"

enum { CARRY_LENGTH, CARRY_SPEED };
enum { REFINEMENTS = 60 };

/* Of the Moreau-Jean steps: what closes by half of the step, what is closed, and what was hit. */
static perp_status activate(perp_step *step, perp_link *link)
{
    const perp_capture *c = perp_step_memory(step, link->systems[0]->scheme, sizeof *c);
    link->active = 0;
    for (int r = 0; r < link->relations; r++) {
        int row = r * link->law.dim;
        int on = link->law.kind == PERP_LAW_EQUALITY || link->mode[r] != PERP_MODE_OPEN ||
                 link->y_start[row] + 0.5 * step->h * link->u_start[row] <= 0.0;
        link->on[r] = (unsigned char)(on || (c && c->hit == link && c->hit_r == r));
        link->active |= link->on[r];
    }
    return PERP_SOLVED;
}

static perp_status prepare(perp_capture *c, perp_step *step, const perp_scheme *scheme)
{
    perp_pool *pool = &step->stepper->pool;
    int count = 0;
    perp_status status = perp_mechanics_prepare(&c->mechanics, step);
    if (status == PERP_SOLVED)
        status = perp_rk_prepare(&c->rk, perp_tableau_at(scheme->tableau), c->mechanics.nx, pool);
    for (int k = 0; k < step->nlinks; k++)
        count += 3 * step->links[k]->relations;
    if (status == PERP_SOLVED)
        status = perp_root_prepare(&c->root, count, c->mechanics.nx, pool);
    if (status == PERP_SOLVED &&
        !(perp_pool_grow(pool, (void **)&c->list, &c->capacity_list, count, sizeof *c->list) &&
          perp_pool_grow(pool, (void **)&c->tol, &c->capacity_tol, count, sizeof(double)) &&
          perp_pool_grow(pool, (void **)&c->shift, &c->capacity_shift, count, sizeof(double)) &&
          perp_pool_grow(pool, (void **)&c->direction, &c->capacity_direction, count,
                         sizeof(int)) &&
          perp_pool_grow(pool, (void **)&c->x, &c->capacity_x, c->mechanics.nx, sizeof(double))))
        status = PERP_ERR_MEMORY;
    c->hit = NULL;
    c->root.intervals = 2;
    return status;
}

static void release(void *memory, perp_pool *pool)
{
    perp_capture *c = memory;
    perp_mechanics_release(&c->mechanics, pool);
    perp_rk_free(&c->rk, pool);
    perp_root_free(&c->root, pool);
    perp_pool_give(pool, c->x);
    perp_pool_give(pool, c->list);
    perp_pool_give(pool, c->direction);
    perp_pool_give(pool, c->tol);
    perp_pool_give(pool, c->shift);
}

static perp_status refuse(perp_capture_run *r, perp_status status, const char *detail)
{
    return perp_step_refuse(r->step, status, "scheme", -1, detail);
}

/* Ends the step with a failure of one of the parts, which leave no word of their own. */
static perp_status failed(perp_capture_run *r, perp_status status)
{
    if (status == PERP_INTERRUPTED)
        return refuse(r, status, "a callback refused");
    if (status == PERP_ERR_MEMORY)
        return refuse(r, status, NULL);
    return refuse(r, status, status > 0 ? "contact forces were not found" : "a problem failed");
}

static void measure(perp_capture_run *r)
{
    const perp_capture *c = r->c;
    int nx = c->mechanics.nx, nq = nx - c->mechanics.nv;
    for (int i = 0; i < nq; i++)
        r->length = fmax(r->length, fabs(c->x[i]));
    for (int i = nq; i < nx; i++)
        r->speed = fmax(r->speed, fabs(c->x[i]));
}

/* Forces make velocities over the step: a scale for what is at rest, from the accelerations of the
 * free motion that were found last. */
static void measure_forces(perp_capture_run *r)
{
    double h = r->step->h;
    r->acceleration = fmax(r->acceleration, perp_mechanics_free_acceleration(r->step));
    r->speed = fmax(r->speed, h * r->acceleration);
    r->length = fmax(r->length, h * r->speed);
}

static perp_status outputs(perp_capture_run *r)
{
    perp_status status = perp_step_outputs(r->step, r->t);
    r->held = 0;
    for (int k = 0; k < r->step->nlinks; k++) {
        const perp_link *link = r->step->links[k];
        for (int i = 0; i < perp_capture_contacts(link); i++)
            r->held += link->mode[i] != PERP_MODE_OPEN;
    }
    return status;
}

static perp_status instant(perp_capture_run *r, double h, perp_instant_kind kind)
{
    return perp_step_instant(r->step, r->t, h, kind);
}

/* Closed contacts onto y = 0 and u = 0 where they are off by more than rounding; outputs up to
 * date before and after. */
static perp_status settle(perp_capture_run *r)
{
    double far = DBL_EPSILON * r->length, fast = DBL_EPSILON * r->speed;
    perp_status status = PERP_SOLVED;
    if (perp_mechanics_drifted(r->step, far, fast, 1))
        status = perp_mechanics_project(&r->c->mechanics, r->t);
    return status == PERP_SOLVED ? outputs(r) : failed(r, status);
}

/* Moreau-Jean over [t_a, t_b], states and outputs those of t_a; the rest of the step where less
 * than twice the length is left. */
static perp_status across(perp_capture_run *r, double length)
{
    perp_stepper *stepper = r->step->stepper;
    double left = r->step->t_end - r->t, t_b = r->t + length;
    int closed;
    if (left < 2.0 * length) {
        length = left;
        t_b = r->step->t_end;
    }
    perp_status status = instant(r, 0.0, PERP_INSTANT_BEFORE);
    if (status == PERP_SOLVED)
        status = perp_step_once(r->step, r->t, length);
    r->c->hit = NULL;
    r->from = PERP_RK_ANEW;
    if (status != PERP_SOLVED)
        return status;
    r->t = t_b;
    perp_capture_modes_after(r, &closed);
    stepper->info.events++;
    stepper->info.impacts++;
    /* Before settle(), whose multipliers are no impulses. */
    status = instant(r, length, PERP_INSTANT_AFTER);
    if (status != PERP_SOLVED)
        return status;
    return closed ? settle(r) : outputs(r);
}

/* The state at the end of the last Runge-Kutta step becomes that at NOW. */
static perp_status take(perp_capture_run *r, double t)
{
    perp_capture *c = r->c;
    perp_mechanics_normalise(&c->mechanics, c->rk.x1);
    perp_mechanics_unpack(&c->mechanics, c->rk.x1);
    r->t = t;
    return outputs(r);
}

/* The last step again with another length. */
static perp_status again(perp_capture_run *r, double t, double h)
{
    perp_capture *c = r->c;
    perp_step_reject(r->step);
    perp_status status = perp_rk_step(&c->rk, perp_capture_rate, c, t, h, c->x, PERP_RK_SAME);
    if (status == PERP_SOLVED) {
        r->from = PERP_RK_NEXT;
        return take(r, t + h);
    }
    return status == PERP_STALLED ? refuse(r, PERP_FLOW_FAILED, "Newton's method at the stages")
                                  : failed(r, status);
}

/* One that starts on its gap's zero and is back within 8 w does not bounce any more. */
static perp_status close_contact(perp_capture_run *r, double start, const perp_watched *which)
{
    perp_capture *c = r->c;
    perp_step_reject(r->step);
    perp_mechanics_unpack(&c->mechanics, c->x);
    r->t = start;
    perp_status status = outputs(r);
    if (status != PERP_SOLVED)
        return status;
    which->link->mode[which->r] = perp_capture_closed_mode(
        perp_capture_tangential(which->link, which->row), PERP_CAPTURE_RESTS * r->speed);
    r->step->stepper->info.events++;
    r->from = PERP_RK_ANEW;
    return settle(r);
}

/* Steps up to the zero of a gap, moved by Newton's method within what brackets it until it is
 * within w/4; then across it. */
static perp_status up_to_impact(perp_capture_run *r, const perp_watched *which, double tau,
                                double h)
{
    perp_capture *c = r->c;
    double start = r->t, shift = c->shift[which - c->list], low = 0.0, high = h;
    int rising = which->link->u[which->row] >= -PERP_CAPTURE_RESTS * r->speed;
    double small = 64.0 * DBL_EPSILON * r->length;
    for (int k = 0; k < REFINEMENTS; k++) {
        if (rising && tau <= 8.0 * r->w)
            return close_contact(r, start, which);
        if (tau > 0.0) {
            perp_status status = again(r, start, tau);
            if (status != PERP_SOLVED)
                return status;
        }
        double y = which->link->y[which->row] - shift, u = which->link->u[which->row];
        if (u >= 0.0 && y >= -small && tau > 0.0)
            return instant(r, tau, PERP_INSTANT_SMOOTH); /* it only touched */
        if (tau <= 0.0 || fabs(y) <= fmax(0.25 * r->w * fabs(u), small)) {
            perp_status status = tau > 0.0 ? instant(r, tau, PERP_INSTANT_SMOOTH) : PERP_SOLVED;
            c->hit = which->link;
            c->hit_r = which->r;
            return status == PERP_SOLVED ? across(r, r->w) : status;
        }
        if (y > 0.0)
            low = tau;
        else
            high = tau;
        double next = tau - y / u;
        tau = next > low && next < high ? next : 0.5 * (low + high);
    }
    return perp_step_refuse(r->step, PERP_EVENT_LOST, "interaction", which->link->slot,
                            "the time of an impact does not converge");
}

/* Just behind an event in which nothing jumps.  The contact is on y = 0, u = 0 there. */
static perp_status up_to_change(perp_capture_run *r, const perp_watched *which, double tau)
{
    perp_status status = PERP_SOLVED;
    unsigned char next = perp_capture_next_mode(which);
    if (tau > 0.0) {
        status = again(r, r->t, tau);
        if (status == PERP_SOLVED)
            status = instant(r, tau, PERP_INSTANT_SMOOTH);
    }
    if (which->kind == PERP_WATCH_SLIP)
        which->link->mode[which->r] = next;
    r->step->stepper->info.events++;
    r->from = PERP_RK_ANEW;
    if (status == PERP_SOLVED)
        status = settle(r);
    which->link->mode[which->r] = next;
    if (next == PERP_MODE_OPEN)
        perp_capture_let_go(r);
    return status == PERP_SOLVED ? outputs(r) : status;
}

/* The smooth step over what is left, or over less where its method fails. */
static perp_status smooth(perp_capture_run *r, double *h)
{
    perp_capture *c = r->c;
    for (*h = r->step->t_end - r->t;; *h *= 0.5) {
        c->released = 0;
        perp_status status = perp_rk_step(&c->rk, perp_capture_rate, c, r->t, *h, c->x, r->from);
        r->from = PERP_RK_SAME;
        if (status == PERP_SOLVED) {
            measure_forces(r);
            return status;
        }
        if (status == PERP_INTERRUPTED || status == PERP_ERR_MEMORY)
            return failed(r, status);
        if (*h < r->scheme->h_min * r->step->h || *h <= 4.0 * r->w)
            return status < 0 ? failed(r, status)
                              : refuse(r, PERP_FLOW_FAILED, "the Runge-Kutta step has no solution");
        perp_step_reject(r->step);
    }
}

/* From r->t to the end of the step or to the other side of the first event. */
static perp_status piece(perp_capture_run *r)
{
    perp_capture *c = r->c;
    double h;
    perp_mechanics_pack(c->x, &c->mechanics);
    measure(r);
    if (perp_capture_meets(r))
        return across(r, r->w);
    perp_status status = perp_capture_sort_closed(r);
    if (status != PERP_SOLVED)
        return failed(r, status);
    status = smooth(r, &h);
    if (status != PERP_SOLVED)
        return status;
    perp_capture_watch(r);
    status = perp_root_prepare(&c->root, c->count, c->mechanics.nx, &r->step->stepper->pool);
    if (status == PERP_SOLVED)
        status = perp_root_first(&c->root, &c->rk, perp_capture_events, c, c->direction, c->tol,
                                 fmin(0.01 * r->w / h, 1e-13));
    if (status != PERP_SOLVED)
        return failed(r, status);
    if (c->root.which < 0) {
        double left = r->step->t_end - r->t;
        r->from = PERP_RK_NEXT;
        status = take(r, h == left ? r->step->t_end : r->t + h);
        return status == PERP_SOLVED ? instant(r, h, PERP_INSTANT_SMOOTH) : status;
    }
    const perp_watched *which = &c->list[c->root.which];
    double tau = c->root.sigma * h;
    perp_mechanics_unpack(&c->mechanics, c->x);
    status = outputs(r);
    if (status != PERP_SOLVED)
        return status;
    if (which->kind != PERP_WATCH_GAP)
        return up_to_change(r, which, c->root.after * h);
    return up_to_impact(r, which, tau, h);
}

/* Drift off, and the contact forces of the end. */
static perp_status finish(perp_capture_run *r)
{
    perp_status status = PERP_SOLVED;
    perp_capture *c = r->c;
    if (perp_mechanics_pushes(r->step))
        status = settle(r);
    if (status != PERP_SOLVED)
        return status;
    perp_mechanics_pack(c->x, &c->mechanics);
    measure(r);
    if (perp_mechanics_pushes(r->step))
        status = perp_capture_end_forces(r);
    else
        perp_mechanics_no_forces(r->step);
    if (status != PERP_SOLVED)
        return failed(r, status);
    for (int k = 0; k < r->step->nlinks; k++) {
        perp_link *link = r->step->links[k];
        for (int i = 0; i < perp_capture_contacts(link); i++)
            link->on[i] = link->mode[i] != PERP_MODE_OPEN;
    }
    return status;
}

static perp_status march(perp_step *step)
{
    double *carry = perp_step_carry(step);
    const perp_scheme *scheme = perp_step_scheme(step, step->systems[0]);
    perp_capture_run r = {.step = step,
                          .scheme = scheme,
                          .c = perp_step_memory(step, step->systems[0]->scheme, sizeof *r.c),
                          .t = step->t,
                          .length = carry[CARRY_LENGTH],
                          .speed = carry[CARRY_SPEED],
                          .from = PERP_RK_ANEW,
                          .left_at = -INFINITY};
    if (!r.c)
        return refuse(&r, PERP_ERR_MEMORY, NULL);
    perp_status status = prepare(r.c, step, scheme);
    if (status != PERP_SOLVED)
        return refuse(&r, status, NULL);
    double h = step->h, reach = fmax(fabs(step->t), fabs(step->t_end));
    r.w = fmin(h * pow(h / scheme->locate, r.c->rk.tableau->order), 0.01 * h);
    r.w = fmax(r.w, 64.0 * DBL_EPSILON * reach);
    if (r.speed <= 0.0) {
        status = perp_mechanics_forces(&r.c->mechanics, r.t, PERP_LEVEL_FREE);
        if (status != PERP_SOLVED)
            return failed(&r, status);
        measure_forces(&r);
    }
    status = outputs(&r);
    perp_mechanics_pack(r.c->x, &r.c->mechanics);
    measure(&r);
    if (status == PERP_SOLVED)
        perp_capture_review(&r);
    for (int k = 0; r.t < step->t_end && status == PERP_SOLVED; k++)
        status = k < scheme->repetitions ? piece(&r) : across(&r, step->t_end - r.t);
    if (status == PERP_SOLVED)
        status = finish(&r);
    carry[CARRY_LENGTH] = r.length;
    carry[CARRY_SPEED] = r.speed;
    return status;
}

const perp_integrator perp_event_capturing_rk = {
    .name = "event-capturing-rk",
    .summary = "Runge-Kutta of any order, with Moreau-Jean across the impacts that it locates",
    .reads = "tableau locate repetitions h_min theta configuration prediction forces",
    .kinds = 1u << PERP_SYSTEM_LAGRANGIAN | 1u << PERP_SYSTEM_BODY,
    .accepts = perp_mechanics_accepts,
    PERP_MJ_STEP,
    .activate = activate,
    .march = march,
    .release = release,
    .between = 1,
    .unstated = "no statement by event-capturing-rk: between impacts its motion is that of a "
                "Runge-Kutta method, no sum of impulses"};
