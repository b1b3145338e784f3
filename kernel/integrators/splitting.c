/* SPDX-License-Identifier: BSD-3-Clause */
/* Splitting ([ACA10] (83)-(89)): smooth motion over the step by a Runge-Kutta method, in one step
 * or in steps under its own control, then the impulses at the positions that it reached, over the
 * contacts with y <= 0:
 *
 *     M v' = F + r, q' = v from (q_k, v_k) to (q_1, v_1)      (86) r = 0, (88) 0 <= r perp y' >= 0
 *     M (v_k+1 - v_1) = H' P, 0 <= u+ + e u- perp P >= 0      (87), (89), at q_k+1 = q_1
 *
 * Forces of EQUALITY belong to the smooth motion.  (88) holds at the level of accelerations over
 * the contacts that have y <= 0 and u = 0; one with y <= 0 and u > 0 is caught when u falls to 0.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernel/flow/mechanics.h"
#include "kernel/flow/rk.h"
#include "kernel/flow/root.h"
#include "kernel/integrators/moreau_jean.h"
#include "kernel/step/stepper.h"

enum { CARRY_H, CARRY_SPEED, CARRY_LENGTH };
/* Parts of the largest velocity and coordinate met that count as 0. */
static const double RESTS = 1e-12, MOVED = 1e-6;

/* A velocity that is watched: u_N of a contact to be caught, or u_T of one that slides. */
typedef struct watched {
    perp_link *link;
    int r, row;
    double sign;
} watched;

typedef struct splitting {
    perp_mechanics mechanics;
    perp_rk rk;
    perp_root root;
    double *x, *tol;
    watched *list;
    int *direction;
    int count, capacity_x, capacity_tol, capacity_list, capacity_direction;
} splitting;

typedef struct runner {
    perp_step *step;
    const perp_scheme *scheme;
    splitting *s;
    double t, h; /* reached; wanted next */
    double speed, length;
    perp_rk_from from;
    int held, bilateral;
} runner;

static perp_status accepts(const perp_link *link, const perp_scheme *scheme, const char **why)
{
    if (scheme->contact_forces == PERP_CONTACT_FORCES_CONTINUOUS)
        return perp_mechanics_accepts(link, scheme, why);
    return perp_mechanics_takes(link, why) ? PERP_SOLVED : PERP_ERR_UNSUPPORTED;
}

static perp_status prepare(splitting *s, perp_step *step, const perp_scheme *scheme)
{
    perp_pool *pool = &step->stepper->pool;
    int count = 0;
    for (int k = 0; k < step->nlinks; k++)
        count += step->links[k]->relations;
    perp_status status = perp_mechanics_prepare(&s->mechanics, step);
    if (status == PERP_SOLVED)
        status = perp_rk_prepare(&s->rk, perp_tableau_at(scheme->tableau), s->mechanics.nx, pool);
    if (status == PERP_SOLVED)
        status = perp_root_prepare(&s->root, count, s->mechanics.nx, pool);
    if (status == PERP_SOLVED &&
        !(perp_pool_grow(pool, (void **)&s->x, &s->capacity_x, s->mechanics.nx, sizeof(double)) &&
          perp_pool_grow(pool, (void **)&s->tol, &s->capacity_tol, count, sizeof(double)) &&
          perp_pool_grow(pool, (void **)&s->list, &s->capacity_list, count, sizeof *s->list) &&
          perp_pool_grow(pool, (void **)&s->direction, &s->capacity_direction, count, sizeof(int))))
        status = PERP_ERR_MEMORY;
    s->root.intervals = 2;
    return status;
}

static void release(void *memory, perp_pool *pool)
{
    splitting *s = memory;
    perp_mechanics_release(&s->mechanics, pool);
    perp_rk_free(&s->rk, pool);
    perp_root_free(&s->root, pool);
    perp_pool_give(pool, s->x);
    perp_pool_give(pool, s->tol);
    perp_pool_give(pool, s->list);
    perp_pool_give(pool, s->direction);
}

static perp_status failed(runner *r, perp_status status)
{
    const char *detail = status == PERP_INTERRUPTED   ? "a callback refused"
                         : status == PERP_ERR_MEMORY  ? NULL
                         : status == PERP_FLOW_FAILED ? "Newton's method at the stages"
                                                      : "a problem of the smooth motion failed";
    return perp_step_refuse(r->step, status, "scheme", -1, detail);
}

/* States at NOW for r->t: outputs, and the largest coordinate and velocity so far. */
static perp_status look(runner *r)
{
    splitting *s = r->s;
    int nx = s->mechanics.nx, nq = nx - s->mechanics.nv;
    perp_mechanics_pack(s->x, &s->mechanics);
    for (int i = 0; i < nx; i++) {
        double *largest = i < nq ? &r->length : &r->speed;
        *largest = fmax(*largest, fabs(s->x[i]));
    }
    return perp_step_outputs(r->step, r->t);
}

/* The mode of relation i of a contact from y and u. */
static int mode_of(const runner *r, const perp_link *link, int i)
{
    int row = i * link->law.dim, was = link->mode[i] != PERP_MODE_OPEN;
    double small = RESTS * r->speed;
    if (!(link->y[row] <= (was ? MOVED : 0.0) * r->length) ||
        fabs(link->u[row]) > (was ? MOVED * r->speed : small))
        return PERP_MODE_OPEN;
    if (link->law.kind != PERP_LAW_FRICTION || fabs(link->u[row + 1]) <= small)
        return PERP_MODE_CLOSED;
    return link->u[row + 1] > 0.0 ? PERP_MODE_FORWARD : PERP_MODE_BACKWARD;
}

/* Modes of all contacts, and the velocities to be watched in the smooth motion. */
static void sort_contacts(runner *r)
{
    splitting *s = r->s;
    r->held = s->count = 0;
    for (int k = 0; k < r->step->nlinks; k++) {
        perp_link *link = r->step->links[k];
        for (int i = 0; perp_law_is_impact(&link->law) && i < link->relations; i++) {
            int row = i * link->law.dim, mode = PERP_MODE_OPEN;
            double sign = 0.0;
            if (r->scheme->contact_forces == PERP_CONTACT_FORCES_CONTINUOUS)
                mode = mode_of(r, link, i);
            link->mode[i] = (unsigned char)mode;
            r->held += mode != PERP_MODE_OPEN;
            if (r->scheme->contact_forces == PERP_CONTACT_FORCES_NONE || mode == PERP_MODE_CLOSED)
                continue;
            if (mode == PERP_MODE_OPEN && link->y[row] <= 0.0 && link->u[row] > 0.0)
                sign = 1.0;
            else if (mode != PERP_MODE_OPEN)
                sign = mode == PERP_MODE_FORWARD ? 1.0 : -1.0;
            if (sign == 0.0)
                continue;
            s->direction[s->count] = -1;
            s->tol[s->count] = RESTS * r->speed;
            s->list[s->count++] = (watched){link, i, row + (mode != PERP_MODE_OPEN), sign};
        }
    }
    s->mechanics.level = r->held ? PERP_LEVEL_UNILATERAL : PERP_LEVEL_FREE;
}

static perp_status velocities(double *g, void *ctx, double t, const double *x)
{
    splitting *s = ctx;
    perp_mechanics_unpack(&s->mechanics, x);
    perp_status status = perp_step_outputs(s->mechanics.step, t);
    for (int k = 0; k < s->count && status == PERP_SOLVED; k++)
        g[k] = s->list[k].sign * s->list[k].link->u[s->list[k].row];
    return status;
}

/* Forces make velocities over the step: a scale for what is at rest. */
static void measure_forces(runner *r)
{
    double h = r->step->h;
    r->speed = fmax(r->speed, h * perp_mechanics_free_acceleration(r->step));
    r->length = fmax(r->length, h * r->speed);
}

/* The step of the method with its error by the tolerance, 0 where no control is asked for. */
static perp_status try_step(runner *r, double h, double *error)
{
    splitting *s = r->s;
    const perp_scheme *scheme = r->scheme;
    int controlled = scheme->inner_steps == PERP_INNER_STEPS_CONTROLLED;
    perp_status status = (controlled ? perp_rk_step_estimated : perp_rk_step)(
        &s->rk, perp_mechanics_rate, &s->mechanics, r->t, h, s->x, r->from);
    r->from = PERP_RK_SAME;
    *error = 0.0;
    if (status == PERP_SOLVED && controlled)
        *error = perp_rk_error_norm(s->rk.error, s->rk.x0, s->rk.x1, scheme->atol, scheme->rtol,
                                    s->rk.n);
    return status == PERP_STALLED ? PERP_FLOW_FAILED : status;
}

static perp_status too_small(runner *r, perp_status status, double error, double h)
{
    char text[160];
    if (status != PERP_SOLVED)
        return failed(r, status);
    snprintf(text, sizeof text, "t = %g: %.3g times the tolerance with the smallest step, %g", r->t,
             error, h);
    return perp_step_refuse(r->step, PERP_STEP_LIMIT, "atol", -1, text);
}

/* A step that is accepted; *h is its length. */
static perp_status flow(runner *r, double *h)
{
    const perp_scheme *scheme = r->scheme;
    const perp_rk_control control = {scheme->alpha, scheme->alpha_min, scheme->alpha_max};
    const perp_tableau *tab = r->s->rk.tableau;
    double left = r->step->t_end - r->t, error;
    double least = fmax(scheme->h_min * r->step->h, 32.0 * DBL_EPSILON * fabs(r->step->t_end));
    if (scheme->inner_steps == PERP_INNER_STEPS_ONE) {
        *h = left;
        perp_status status = try_step(r, *h, &error);
        return status == PERP_SOLVED ? status : failed(r, status);
    }
    for (;;) {
        double wanted = fmax(r->h, least);
        *h = left <= 1.01 * wanted ? left : left < 2.0 * wanted ? 0.5 * left : wanted;
        perp_status status = try_step(r, *h, &error);
        if (status == PERP_INTERRUPTED || status == PERP_ERR_MEMORY)
            return failed(r, status);
        double next = perp_rk_next_h(&control, *h, status == PERP_SOLVED ? error : INFINITY,
                                     perp_tableau_estimate(tab));
        if (status == PERP_SOLVED && error <= 1.0) {
            r->h = next >= *h ? fmax(next, r->h) : next;
            return status;
        }
        perp_step_reject(r->step);
        if (*h <= least)
            return too_small(r, status, error, *h);
        r->h = fmin(next, 0.9 * *h);
    }
}

/* To the time at which a watched velocity is 0; it and those like it are in contact from there. */
static perp_status stop_at_event(runner *r, double *h)
{
    splitting *s = r->s;
    perp_status status =
        perp_root_prepare(&s->root, s->count, s->mechanics.nx, &r->step->stepper->pool);
    if (status == PERP_SOLVED)
        status = perp_root_first(&s->root, &s->rk, velocities, s, s->direction, s->tol, 1e-14);
    if (status != PERP_SOLVED || s->root.which < 0)
        return status == PERP_SOLVED ? status : failed(r, status);
    const watched *which = &s->list[s->root.which];
    double sigma = s->root.sigma;
    if (sigma > 0.0) {
        status = perp_rk_dense(s->rk.x1, &s->rk, sigma);
        if (status != PERP_SOLVED)
            return failed(r, status);
    } else {
        memcpy(s->rk.x1, s->x, sizeof(double) * (size_t)s->mechanics.nx);
    }
    *h *= sigma;
    r->step->stepper->info.events++;
    r->from = PERP_RK_ANEW;
    perp_mechanics_unpack(&s->mechanics, s->rk.x1);
    status = perp_step_outputs(r->step, r->t + *h);
    if (status == PERP_SOLVED && which->link->y[which->r * which->link->law.dim] <= 0.0)
        which->link->mode[which->r] = PERP_MODE_CLOSED;
    return status;
}

/* Smooth motion over what is left of the step, or a part of it. */
static perp_status smooth(runner *r)
{
    splitting *s = r->s;
    double h, left = r->step->t_end - r->t;
    perp_status status = look(r);
    if (status != PERP_SOLVED)
        return status;
    sort_contacts(r);
    status = flow(r, &h);
    if (status != PERP_SOLVED)
        return status;
    measure_forces(r);
    r->from = PERP_RK_NEXT;
    int whole = h == left;
    if (s->count > 0) {
        double before = h;
        status = stop_at_event(r, &h);
        whole = whole && h == before;
    }
    if (status != PERP_SOLVED)
        return status;
    perp_mechanics_normalise(&s->mechanics, s->rk.x1);
    perp_mechanics_unpack(&s->mechanics, s->rk.x1);
    r->t = whole ? r->step->t_end : r->t + h;
    status = perp_step_outputs(r->step, r->t);
    return status == PERP_SOLVED && h > 0.0
               ? perp_step_instant(r->step, r->t, h, PERP_INSTANT_SMOOTH)
               : status;
}

/* 1 where a contact of (87) moves inwards; link->on is its index set. */
static int penetrates(const runner *r)
{
    int any = 0;
    for (int k = 0; k < r->step->nlinks; k++) {
        perp_link *link = r->step->links[k];
        for (int i = 0; i < link->relations; i++) {
            int row = i * link->law.dim, contact = perp_law_is_impact(&link->law);
            int on = !contact || link->y[row] <= 0.0;
            link->on[i] = (unsigned char)on;
            any |= contact && on && link->u[row] < -RESTS * r->speed;
        }
    }
    return any;
}

/* (87), (89). */
static perp_status impulses(runner *r)
{
    perp_stepper *stepper = r->step->stepper;
    perp_status status = look(r);
    if (status != PERP_SOLVED)
        return status;
    if (!penetrates(r)) {
        perp_mechanics_no_forces(r->step);
        return status;
    }
    status = perp_step_instant(r->step, r->t, 0.0, PERP_INSTANT_BEFORE);
    if (status != PERP_SOLVED)
        return status;
    status = perp_mechanics_impact(&r->s->mechanics, r->t);
    if (status != PERP_SOLVED)
        return perp_step_refuse(r->step, status, "solver", -1, "the impulses were not found");
    stepper->info.impacts++;
    status = look(r);
    return status == PERP_SOLVED ? perp_step_instant(r->step, r->t, 0.0, PERP_INSTANT_AFTER)
                                 : status;
}

/* Off the drift of what is bilateral or closed, and with continuous forces those of the end. */
static perp_status finish(runner *r)
{
    perp_mechanics *m = &r->s->mechanics;
    perp_status status = PERP_SOLVED;
    if (r->scheme->contact_forces == PERP_CONTACT_FORCES_CONTINUOUS)
        sort_contacts(r);
    if (r->held || r->bilateral)
        status = perp_mechanics_project(m, r->t);
    if (status == PERP_SOLVED && r->scheme->contact_forces == PERP_CONTACT_FORCES_CONTINUOUS &&
        (r->held || r->bilateral)) {
        status = perp_step_outputs(r->step, r->t);
        if (status == PERP_SOLVED)
            status = perp_mechanics_forces(m, r->t, m->level);
    }
    return status == PERP_SOLVED ? status : failed(r, status);
}

static perp_status march(perp_step *step)
{
    double *carry = perp_step_carry(step);
    const perp_scheme *scheme = perp_step_scheme(step, step->systems[0]);
    runner r = {.step = step,
                .scheme = scheme,
                .s = perp_step_memory(step, step->systems[0]->scheme, sizeof *r.s),
                .t = step->t,
                .h = carry[CARRY_H] > 0.0 ? carry[CARRY_H] : scheme->h_first * step->h,
                .speed = carry[CARRY_SPEED],
                .length = carry[CARRY_LENGTH],
                .from = PERP_RK_ANEW};
    perp_status status = r.s ? prepare(r.s, step, scheme) : PERP_ERR_MEMORY;
    if (status != PERP_SOLVED)
        return failed(&r, status);
    r.bilateral = perp_mechanics_is_bilateral(step);
    for (int k = 0; r.t < step->t_end && status == PERP_SOLVED; k++)
        status = k - step->stepper->info.inner <= scheme->max_events
                     ? smooth(&r)
                     : perp_step_refuse(step, PERP_EVENT_LOST, "max_events", -1,
                                        "contacts are caught without end");
    if (status == PERP_SOLVED)
        status = impulses(&r);
    if (status == PERP_SOLVED)
        status = finish(&r);
    carry[CARRY_H] = r.h;
    carry[CARRY_SPEED] = r.speed;
    carry[CARRY_LENGTH] = r.length;
    return status;
}

const perp_integrator perp_splitting = {
    .name = "splitting",
    .summary = "smooth motion by Runge-Kutta, then the impulses at the end of the step",
    .reads = "tableau contact_forces inner_steps atol rtol alpha alpha_min alpha_max h_min h_first "
             "max_events",
    .kinds = 1u << PERP_SYSTEM_LAGRANGIAN | 1u << PERP_SYSTEM_BODY,
    .accepts = accepts,
    PERP_MJ_STEP,
    .activate = perp_mj_activate,
    .march = march,
    .release = release,
    .between = 1,
    .unstated = "no statement by splitting: its smooth motion is that of a Runge-Kutta method, no "
                "sum of impulses"};
