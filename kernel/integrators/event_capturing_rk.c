/* SPDX-License-Identifier: BSD-3-Clause */
/* Time stepping of any order by Mannshardt's principle (004 (76)-(82), corrected in
 * docs/theory.md): a Runge-Kutta method on [t, t_a] with complementarity of contact forces and gap
 * accelerations at its stages (79), one step of Moreau-Jean across [t_a, t_b], which holds the
 * impact and is w = h (h / locate)^p long, and the same on what is left of the step, until its
 * end or until `repetitions`, after which Moreau-Jean takes the rest.
 *
 * A contact whose next bounce would last less than 2 w is closed: the error in q is of the order of
 * w^2.  Closed ones let go where the force of (79) comes to zero, which is located too. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/flow/mechanics.h"
#include "kernel/flow/rk.h"
#include "kernel/flow/root.h"
#include "kernel/sim/sim_inside.h"

/* A contact and what is watched of it: its gap, or lambda - Gamma where it is closed. */
typedef struct watched {
    perp_link *link;
    int r, held;
} watched;

typedef struct capture {
    perp_mechanics mechanics;
    perp_rk rk;
    perp_root root;
    double *x;     /* state at the start of a piece */
    watched *list; /* with direction, tolerance and value at the start */
    int *direction;
    double *tol, *shift;
    int count, room_x, room_list, room_direction, room_tol, room_shift;
    const perp_link *hit; /* relation that the next Moreau-Jean step has to take, or NULL */
    int hit_r;
    int released; /* some stage had a closed contact without force */
} capture;

/* A step at work. */
typedef struct runner {
    perp_step *step;
    const perp_scheme *scheme;
    capture *c;
    double t, w;
    double length, speed; /* largest coordinate and velocity met so far */
    perp_rk_from from;
    int held; /* closed contacts */
} runner;

enum { CARRY_LENGTH, CARRY_SPEED };
enum { REFINEMENTS = 12 };
/* Velocities below these parts of the largest one met count as 0: of a contact that rests, and of
 * one that an impact problem has stopped, where they are what the solver's tolerance leaves. */
static const double RESTS = 1e-12, STOPPED = 1e-6;

static perp_status accepts(const perp_link *link, const perp_scheme *scheme, const char **why)
{
    if (!perp_mechanics_accepts(link, why))
        return PERP_ERR_UNSUPPORTED;
    if (link->law.kind == PERP_LAW_FRICTION) {
        *why = "the laws of this scheme are impact and equality";
        return PERP_ERR_UNSUPPORTED;
    }
    return perp_mj_accepts(link, scheme, why);
}

/* Of the Moreau-Jean steps: what closes by half of the step, what is closed, and what was hit. */
static perp_status activate(perp_step *step, perp_link *link)
{
    const capture *c = perp_step_memory(step, sizeof *c);
    link->active = 0;
    for (int r = 0; r < link->relations; r++) {
        int on = link->law.kind == PERP_LAW_EQUALITY || link->mode[r] != PERP_MODE_OPEN ||
                 link->y_start[r] + 0.5 * step->h * link->u_start[r] <= 0.0;
        link->on[r] = (unsigned char)(on || (c && c->hit == link && c->hit_r == r));
        link->active |= link->on[r];
    }
    return PERP_SOLVED;
}

static int is_impact(const perp_link *link)
{
    return link->law.kind == PERP_LAW_IMPACT;
}

static perp_status prepare(capture *c, perp_step *step, const perp_scheme *scheme)
{
    perp_pool *pool = &step->sim->pool;
    int count = 0;
    perp_status status = perp_mechanics_prepare(&c->mechanics, step);
    if (status == PERP_SOLVED)
        status = perp_rk_prepare(&c->rk, perp_tableau_at(scheme->tableau), c->mechanics.nx, pool);
    for (int k = 0; k < step->nlinks; k++)
        count += step->links[k]->relations;
    if (status == PERP_SOLVED)
        status = perp_root_prepare(&c->root, count, c->mechanics.nx, pool);
    if (status == PERP_SOLVED &&
        !(perp_pool_grow(pool, (void **)&c->list, &c->room_list, count, sizeof *c->list) &&
          perp_pool_grow(pool, (void **)&c->tol, &c->room_tol, count, sizeof(double)) &&
          perp_pool_grow(pool, (void **)&c->shift, &c->room_shift, count, sizeof(double)) &&
          perp_pool_grow(pool, (void **)&c->direction, &c->room_direction, count, sizeof(int)) &&
          perp_pool_grow(pool, (void **)&c->x, &c->room_x, c->mechanics.nx, sizeof(double))))
        status = PERP_ERR_MEMORY;
    c->hit = NULL;
    c->root.intervals = 2;
    return status;
}

static void release(void *memory, perp_pool *pool)
{
    capture *c = memory;
    perp_mechanics_release(&c->mechanics, pool);
    perp_rk_free(&c->rk, pool);
    perp_root_free(&c->root, pool);
    perp_pool_give(pool, c->x);
    perp_pool_give(pool, c->list);
    perp_pool_give(pool, c->direction);
    perp_pool_give(pool, c->tol);
    perp_pool_give(pool, c->shift);
}

static perp_status refuse(runner *r, perp_status status, const char *detail)
{
    return perp_step_refuse(r->step, status, "scheme", -1, detail);
}

/* Ends the step with a failure of one of the parts, which leave no word of their own. */
static perp_status failed(runner *r, perp_status status)
{
    if (status == PERP_INTERRUPTED)
        return refuse(r, status, "a callback refused");
    if (status == PERP_ERR_MEMORY)
        return refuse(r, status, NULL);
    return refuse(r, status, status > 0 ? "contact forces were not found" : "a problem failed");
}

static void measure(runner *r)
{
    const capture *c = r->c;
    int nx = c->mechanics.nx, nq = nx - c->mechanics.nv;
    for (int i = 0; i < nq; i++)
        r->length = fmax(r->length, fabs(c->x[i]));
    for (int i = nq; i < nx; i++)
        r->speed = fmax(r->speed, fabs(c->x[i]));
}

static perp_status outputs(runner *r)
{
    perp_status status = perp_step_outputs(r->step, r->t);
    r->held = 0;
    for (int k = 0; k < r->step->nlinks; k++) {
        const perp_link *link = r->step->links[k];
        for (int i = 0; is_impact(link) && i < link->relations; i++)
            r->held += link->mode[i] != PERP_MODE_OPEN;
    }
    return status;
}

/* Largest Gamma that counts as 0 beside these rates. */
static double small_gamma(const capture *c, const double *dx)
{
    double largest = 0.0;
    for (int i = c->mechanics.nx - c->mechanics.nv; i < c->mechanics.nx; i++)
        largest = fmax(largest, fabs(dx[i]));
    return 1e-9 * largest;
}

/* 1 where a closed contact pulls, or with Gamma at hand where one is let go. */
static int lets_go(const capture *c, const double *dx, int with_gamma)
{
    const perp_step *step = c->mechanics.step;
    double small = with_gamma ? small_gamma(c, dx) : 0.0, largest = 0.0, least = 0.0;
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        for (int i = 0; is_impact(link) && i < link->relations; i++) {
            if (link->mode[i] == PERP_MODE_OPEN)
                continue;
            if (with_gamma && perp_mechanics_gamma(&c->mechanics, link)[i] > small)
                return 1;
            largest = fmax(largest, link->lambda[i]);
            least = fmin(least, link->lambda[i]);
        }
    }
    return least < -1e-12 * largest;
}

/* (79) at a stage: the bilateral forces where all of them push, else those of the complementarity
 * problem. */
static perp_status rate(double *dx, void *ctx, double t, const double *x)
{
    capture *c = ctx;
    perp_mechanics *m = &c->mechanics;
    perp_sim *sim = m->step->sim;
    const perp_one_step *shown = sim->shown;
    sim->shown = NULL;
    m->level = PERP_LEVEL_BILATERAL;
    perp_status status = perp_mechanics_rate(dx, m, t, x);
    int chosen = sim->shown == &m->unilateral; /* redundant: the laws were asked */
    if (!sim->shown)
        sim->shown = shown;
    if (status != PERP_SOLVED)
        return status;
    if (!chosen && lets_go(c, dx, 0)) {
        m->level = PERP_LEVEL_UNILATERAL;
        status = perp_mechanics_rate(dx, m, t, x);
        c->released = 1;
    } else if (chosen && lets_go(c, dx, 1)) {
        c->released = 1;
    }
    return status;
}

/* What is watched at (t, x): gaps, taken from where they start if that is below 0, and lambda -
 * Gamma of closed contacts. */
static perp_status event_functions(double *g, void *ctx, double t, const double *x)
{
    capture *c = ctx;
    perp_mechanics *m = &c->mechanics;
    perp_link *last = NULL;
    perp_mechanics_unpack(m, x);
    int forces = c->count > 0 && c->list[c->count - 1].held;
    if (forces) {
        perp_status status = perp_mechanics_forces(m, t, PERP_LEVEL_UNILATERAL);
        if (status != PERP_SOLVED)
            return status;
    }
    for (int k = 0; k < c->count; k++) {
        perp_link *link = c->list[k].link;
        int r = c->list[k].r;
        if (c->list[k].held) {
            g[k] = link->lambda[r] - perp_mechanics_gamma(m, link)[r];
            continue;
        }
        if (link != last &&
            perp_link_output(link->y, link, t, perp_link_gather_x(link, PERP_NOW), link->lambda))
            return PERP_INTERRUPTED;
        last = link;
        g[k] = isfinite(link->y[r]) ? link->y[r] - c->shift[k] : DBL_MAX;
    }
    return PERP_SOLVED;
}

/* Gaps first, then, where a stage asked for them, closed contacts. */
static void watch(runner *r)
{
    capture *c = r->c;
    c->count = 0;
    for (int held = 0; held <= (r->held > 0 && c->released); held++)
        for (int k = 0; k < r->step->nlinks; k++) {
            perp_link *link = r->step->links[k];
            for (int i = 0; is_impact(link) && i < link->relations; i++) {
                if (held != (link->mode[i] != PERP_MODE_OPEN))
                    continue;
                c->list[c->count] = (watched){link, i, held};
                c->direction[c->count] = -1;
                c->shift[c->count] = held ? 0.0 : fmin(0.0, link->y[i]);
                c->tol[c->count++] =
                    held ? 1e-10 * fabs(link->lambda[i]) : 8.0 * DBL_EPSILON * r->length;
            }
        }
}

static perp_status instant(runner *r, double h, perp_instant_kind kind)
{
    return perp_step_instant(r->step, r->t, h, kind);
}

/* Modes after a Moreau-Jean step, from its velocities before and after; *closed: some rest. */
static void modes_after(runner *r, int *closed)
{
    *closed = 0;
    for (int k = 0; k < r->step->nlinks; k++) {
        perp_link *link = r->step->links[k];
        for (int i = 0; is_impact(link) && i < link->relations; i++) {
            double before = link->law.e * fabs(link->u_start[i]), after = fabs(link->u[i]);
            int rests = after <= RESTS * r->speed;
            if (link->lambda[i] > 0.0 && before <= RESTS * r->speed)
                rests |= after <= STOPPED * r->speed;
            link->mode[i] = link->on[i] && rests ? PERP_MODE_CLOSED : PERP_MODE_OPEN;
            *closed |= link->mode[i] != PERP_MODE_OPEN;
        }
    }
}

/* Closed contacts onto y = 0 and u = 0. */
static perp_status settle(runner *r)
{
    perp_status status = perp_mechanics_project(&r->c->mechanics, r->t);
    if (status == PERP_SOLVED)
        return outputs(r);
    return failed(r, status);
}

/* Moreau-Jean over [t_a, t_b], states and outputs of t_a at hand; the rest of the step where less
 * than twice the length is left. */
static perp_status across(runner *r, double length)
{
    perp_sim *sim = r->step->sim;
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
    modes_after(r, &closed);
    sim->info.events++;
    sim->info.impacts++;
    status = closed ? settle(r) : outputs(r);
    return status == PERP_SOLVED ? instant(r, length, PERP_INSTANT_AFTER) : status;
}

/* The state at the end of the last Runge-Kutta step becomes that at NOW. */
static perp_status take(runner *r, double t)
{
    capture *c = r->c;
    perp_mechanics_normalise(&c->mechanics, c->rk.x1);
    perp_mechanics_unpack(&c->mechanics, c->rk.x1);
    r->t = t;
    return outputs(r);
}

/* The last step again with another length. */
static perp_status again(runner *r, double t, double h)
{
    capture *c = r->c;
    perp_step_reject(r->step);
    perp_status status = perp_rk_step(&c->rk, rate, c, t, h, c->x, PERP_RK_SAME);
    if (status == PERP_SOLVED) {
        r->from = PERP_RK_NEXT;
        return take(r, t + h);
    }
    return status == PERP_STALLED ? refuse(r, PERP_FLOW_FAILED, "Newton's method at the stages")
                                  : failed(r, status);
}

/* One that starts on its gap's zero and is back within 2 w does not bounce any more. */
static perp_status close_contact(runner *r, const watched *which)
{
    capture *c = r->c;
    perp_step_reject(r->step);
    perp_mechanics_unpack(&c->mechanics, c->x);
    which->link->mode[which->r] = PERP_MODE_CLOSED;
    r->step->sim->info.events++;
    r->from = PERP_RK_ANEW;
    return settle(r);
}

/* Steps up to the zero of a gap, moved by Newton until it is within w/4; then across it. */
static perp_status up_to_impact(runner *r, const watched *which, double tau, double h)
{
    capture *c = r->c;
    double start = r->t;
    for (int k = 0; k < REFINEMENTS; k++) {
        if (tau > 0.0) {
            perp_status status = again(r, start, tau);
            if (status != PERP_SOLVED)
                return status;
        }
        double y = which->link->y[which->r], u = which->link->u[which->r];
        if (u >= 0.0 && tau > 0.0)
            return instant(r, tau, PERP_INSTANT_SMOOTH); /* it only touched */
        if (tau <= 0.0 || fabs(y) <= fmax(-0.25 * r->w * u, 64.0 * DBL_EPSILON * r->length)) {
            perp_status status = tau > 0.0 ? instant(r, tau, PERP_INSTANT_SMOOTH) : PERP_SOLVED;
            c->hit = which->link;
            c->hit_r = which->r;
            return status == PERP_SOLVED ? across(r, r->w) : status;
        }
        tau = fmin(fmax(tau - y / u, 0.1 * tau), h);
    }
    return perp_step_refuse(r->step, PERP_EVENT_LOST, "interaction", which->link->slot,
                            "the time of an impact does not converge");
}

static perp_status let_go(runner *r, const watched *which, double tau)
{
    perp_status status = PERP_SOLVED;
    if (tau > 0.0)
        status = again(r, r->t, tau);
    if (status == PERP_SOLVED && tau > 0.0)
        status = instant(r, tau, PERP_INSTANT_SMOOTH);
    else
        perp_mechanics_unpack(&r->c->mechanics, r->c->x);
    which->link->mode[which->r] = PERP_MODE_OPEN;
    r->step->sim->info.events++;
    r->from = PERP_RK_ANEW;
    return status == PERP_SOLVED ? outputs(r) : status;
}

/* Opens the closed contacts that are not pressed at the start of a piece. */
static perp_status open_unpressed(runner *r)
{
    capture *c = r->c;
    if (r->held == 0)
        return PERP_SOLVED;
    c->mechanics.level = PERP_LEVEL_UNILATERAL;
    perp_status status = perp_mechanics_rate(c->rk.x1, &c->mechanics, r->t, c->x);
    if (status != PERP_SOLVED)
        return failed(r, status);
    double small = small_gamma(c, c->rk.x1);
    for (int k = 0; k < r->step->nlinks; k++) {
        perp_link *link = r->step->links[k];
        for (int i = 0; is_impact(link) && i < link->relations; i++)
            if (link->mode[i] != PERP_MODE_OPEN &&
                perp_mechanics_gamma(&c->mechanics, link)[i] > small) {
                link->mode[i] = PERP_MODE_OPEN;
                r->held--;
                r->step->sim->info.events++;
            }
    }
    return PERP_SOLVED;
}

/* 1 where an open contact is met head-on at the start of a piece: no smooth motion before it. */
static int meets(const runner *r)
{
    for (int k = 0; k < r->step->nlinks; k++) {
        const perp_link *link = r->step->links[k];
        for (int i = 0; is_impact(link) && i < link->relations; i++)
            if (link->mode[i] == PERP_MODE_OPEN && link->u[i] < -RESTS * r->speed &&
                link->y[i] + 0.5 * r->w * link->u[i] <= 0.0)
                return 1;
    }
    return 0;
}

/* The smooth step over what is left, or over less where its method fails. */
static perp_status smooth(runner *r, double *h)
{
    capture *c = r->c;
    for (*h = r->step->t_end - r->t;; *h *= 0.5) {
        c->released = 0;
        perp_status status = perp_rk_step(&c->rk, rate, c, r->t, *h, c->x, r->from);
        r->from = PERP_RK_SAME;
        if (status == PERP_SOLVED)
            return status;
        if (status == PERP_INTERRUPTED || status == PERP_ERR_MEMORY)
            return failed(r, status);
        if (*h < r->scheme->h_min * r->step->h || *h <= 4.0 * r->w)
            return status < 0 ? failed(r, status)
                              : refuse(r, PERP_FLOW_FAILED, "the Runge-Kutta step has no solution");
        perp_step_reject(r->step);
    }
}

/* From r->t to the end of the step or to the other side of the first event. */
static perp_status piece(runner *r)
{
    capture *c = r->c;
    double h;
    perp_mechanics_pack(c->x, &c->mechanics);
    measure(r);
    if (meets(r))
        return across(r, r->w);
    perp_status status = open_unpressed(r);
    if (status == PERP_SOLVED)
        status = smooth(r, &h);
    if (status != PERP_SOLVED)
        return status;
    watch(r);
    status = perp_root_prepare(&c->root, c->count, c->mechanics.nx, &r->step->sim->pool);
    if (status == PERP_SOLVED)
        status = perp_root_first(&c->root, &c->rk, event_functions, c, c->direction, c->tol,
                                 0.01 * r->w / h);
    if (status != PERP_SOLVED)
        return failed(r, status);
    if (c->root.which < 0) {
        double left = r->step->t_end - r->t;
        r->from = PERP_RK_NEXT;
        status = take(r, h == left ? r->step->t_end : r->t + h);
        return status == PERP_SOLVED ? instant(r, h, PERP_INSTANT_SMOOTH) : status;
    }
    const watched *which = &c->list[c->root.which];
    double tau = c->root.sigma * h;
    perp_mechanics_unpack(&c->mechanics, c->x);
    status = outputs(r);
    if (status != PERP_SOLVED)
        return status;
    if (which->held)
        return let_go(r, which, tau);
    if (which->link->u[which->r] >= -RESTS * r->speed && tau <= 2.0 * r->w)
        return close_contact(r, which);
    return up_to_impact(r, which, tau, h);
}

/* Closed contacts that somebody has moved since the last step are open. */
static void review(runner *r)
{
    for (int k = 0; k < r->step->nlinks; k++) {
        perp_link *link = r->step->links[k];
        for (int i = 0; is_impact(link) && i < link->relations; i++)
            if (fabs(link->u[i]) > STOPPED * r->speed || link->y[i] > STOPPED * r->length) {
                r->held -= link->mode[i] != PERP_MODE_OPEN;
                link->mode[i] = PERP_MODE_OPEN;
            }
    }
}

static int is_bilateral(const perp_step *step)
{
    for (int k = 0; k < step->nlinks; k++)
        if (step->links[k]->law.kind == PERP_LAW_EQUALITY)
            return 1;
    return 0;
}

static void no_forces(perp_step *step)
{
    for (int k = 0; k < step->nlinks; k++) {
        memset(step->links[k]->lambda, 0, sizeof(double) * (size_t)step->links[k]->rows);
        step->links[k]->active = 0;
    }
    for (int k = 0; k < step->nsystems; k++)
        memset(step->systems[k]->p, 0, sizeof(double) * (size_t)step->systems[k]->nv);
}

/* Drift off, and the contact forces of the end. */
static perp_status finish(runner *r)
{
    perp_status status = PERP_SOLVED;
    capture *c = r->c;
    if (r->held > 0 || is_bilateral(r->step))
        status = settle(r);
    if (status != PERP_SOLVED)
        return status;
    perp_mechanics_pack(c->x, &c->mechanics);
    measure(r);
    if (r->held > 0 || is_bilateral(r->step))
        status = perp_mechanics_forces(&c->mechanics, r->t,
                                       r->held > 0 ? PERP_LEVEL_UNILATERAL : PERP_LEVEL_FREE);
    else
        no_forces(r->step);
    if (status != PERP_SOLVED)
        return failed(r, status);
    for (int k = 0; k < r->step->nlinks; k++) {
        perp_link *link = r->step->links[k];
        for (int i = 0; is_impact(link) && i < link->relations; i++)
            link->on[i] = link->mode[i] != PERP_MODE_OPEN;
    }
    return status;
}

static perp_status march(perp_step *step)
{
    double *carry = perp_step_carry(step);
    const perp_scheme *scheme = perp_step_scheme(step, step->systems[0]);
    runner r = {.step = step,
                .scheme = scheme,
                .c = perp_step_memory(step, sizeof *r.c),
                .t = step->t,
                .length = carry[CARRY_LENGTH],
                .speed = carry[CARRY_SPEED],
                .from = PERP_RK_ANEW};
    if (!r.c)
        return refuse(&r, PERP_ERR_MEMORY, NULL);
    perp_status status = prepare(r.c, step, scheme);
    if (status != PERP_SOLVED)
        return refuse(&r, status, NULL);
    double h = step->h, reach = fmax(fabs(step->t), fabs(step->t_end));
    r.w = fmin(h * pow(h / scheme->locate, r.c->rk.tableau->order), 0.01 * h);
    r.w = fmax(r.w, 64.0 * DBL_EPSILON * reach);
    status = outputs(&r);
    perp_mechanics_pack(r.c->x, &r.c->mechanics);
    measure(&r);
    if (status == PERP_SOLVED)
        review(&r);
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
