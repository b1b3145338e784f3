/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts of event-capturing-rk: forces at the stages, what is watched, modes. */
#include <float.h>
#include <math.h>

#include "kernel/integrators/event_capturing/event_capturing.h"
#include "kernel/step/stepper.h"

/* u_T, 0 without friction. */
double perp_capture_tangential(const perp_link *link, int row)
{
    return link->law.kind == PERP_LAW_FRICTION ? link->u[row + 1] : 0.0;
}

/* A closed contact sticks, or slides one way or the other. */
unsigned char perp_capture_closed_mode(double towards, double small)
{
    if (fabs(towards) <= small)
        return PERP_MODE_CLOSED;
    return towards > 0.0 ? PERP_MODE_FORWARD : PERP_MODE_BACKWARD;
}

/* Largest Gamma that counts as 0, beside the accelerations of the free motion just found. */
static double small_gamma(const perp_capture *c)
{
    const perp_step *step = c->mechanics.step;
    return fmax(1e-9, 4.0 * step->stepper->settings.tol) * perp_mechanics_free_acceleration(step);
}

/* 1 where a closed contact pulls or leaves its cone. */
static int lets_go(const perp_capture *c)
{
    const perp_step *step = c->mechanics.step;
    double largest = 0.0, least = 0.0;
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        for (int i = 0; i < perp_capture_contacts(link); i++) {
            const double *F = link->lambda + i * link->law.dim;
            if (link->mode[i] == PERP_MODE_OPEN)
                continue;
            largest = fmax(largest, fabs(F[0]));
            least = fmin(least, F[0]);
            if (link->law.kind == PERP_LAW_FRICTION && link->mode[i] == PERP_MODE_CLOSED)
                least = fmin(least, link->law.mu * F[0] - fabs(F[1]));
        }
    }
    return least < -1e-12 * largest;
}

perp_status perp_capture_rate(double *dx, void *ctx, double t, const double *x)
{
    perp_capture *c = ctx;
    perp_mechanics *m = &c->mechanics;
    m->level = PERP_LEVEL_BILATERAL;
    perp_status status = perp_mechanics_rate(dx, m, t, x);
    if (status == PERP_INTERRUPTED || status == PERP_ERR_MEMORY ||
        (status == PERP_SOLVED && !lets_go(c)))
        return status;
    m->level = PERP_LEVEL_UNILATERAL;
    c->released = 1;
    return perp_mechanics_rate(dx, m, t, x);
}

perp_status perp_capture_end_forces(perp_capture_run *r)
{
    perp_mechanics *m = &r->c->mechanics;
    perp_status status = perp_mechanics_forces(m, r->t, PERP_LEVEL_BILATERAL);
    if (status == PERP_INTERRUPTED || status == PERP_ERR_MEMORY ||
        (status == PERP_SOLVED && !lets_go(r->c)))
        return status;
    status = perp_mechanics_forces(m, r->t, PERP_LEVEL_UNILATERAL);
    return status > 0 && status != PERP_INTERRUPTED ? PERP_SOLVED : status;
}

static double watched_value(const perp_capture *c, int k)
{
    const perp_watched *w = &c->list[k];
    const perp_link *link = w->link;
    const double *F = link->lambda + w->row, *gamma;
    switch (w->kind) {
    case PERP_WATCH_GAP:
        return isfinite(link->y[w->row]) ? link->y[w->row] - c->shift[k] : DBL_MAX;
    case PERP_WATCH_SLIP:
        return link->mode[w->r] == PERP_MODE_FORWARD ? link->u[w->row + 1] : -link->u[w->row + 1];
    default:
        gamma = perp_mechanics_gamma(&c->mechanics, link) + w->row;
        return w->kind == PERP_WATCH_FORCE ? F[0] - gamma[0]
                                           : link->law.mu * F[0] - fabs(F[1]) - fabs(gamma[1]);
    }
}

/* What is watched at (t, x); gaps are taken from where they start if that is below 0. */
perp_status perp_capture_events(double *g, void *ctx, double t, const double *x)
{
    perp_capture *c = ctx;
    perp_mechanics *m = &c->mechanics;
    perp_status status = PERP_SOLVED;
    int slips = 0;
    perp_mechanics_unpack(m, x);
    if (c->forces)
        status = perp_mechanics_forces(m, t, PERP_LEVEL_UNILATERAL);
    for (int k = 0; k < c->count; k++)
        slips |= c->list[k].kind == PERP_WATCH_SLIP;
    if (status == PERP_SOLVED && slips)
        status = perp_step_outputs(m->step, t);
    const perp_link *last = NULL;
    for (int k = 0; k < c->count && status == PERP_SOLVED; k++) {
        perp_link *link = c->list[k].link;
        if (c->list[k].kind == PERP_WATCH_GAP && !slips && link != last &&
            perp_link_output(link->y, link, t, perp_link_gather_x(link, PERP_NOW), link->lambda))
            return PERP_INTERRUPTED;
        last = link;
        g[k] = watched_value(c, k);
    }
    return status;
}

void perp_capture_let_go(perp_capture_run *r)
{
    r->left = r->left_at == r->t ? r->left + 1 : 1;
    r->left_at = r->t;
}

/* A contact that was let go at the start of the piece more than once: it lies on its gap's zero,
 * the dense output dips below it, the forces say that it opens. */
static int is_undecided(const perp_capture_run *r, const perp_link *link, int row, double small)
{
    return r->left_at == r->t && r->left > 1 && fabs(link->y[row]) <= small &&
           fabs(link->u[row]) <= PERP_CAPTURE_STOPPED * r->speed;
}

/* What rounding makes of a gap over the step. */
static double small_gap(const perp_capture_run *r)
{
    const perp_rk *rk = &r->c->rk;
    double acceleration = 0.0, h = rk->h;
    for (int s = 0; s < rk->tableau->stages; s++)
        for (int i = r->c->mechanics.nx - r->c->mechanics.nv; i < rk->n; i++)
            acceleration = fmax(acceleration, fabs(rk->k[(size_t)s * (size_t)rk->n + (size_t)i]));
    double reach = r->length + h * (r->speed + h * acceleration);
    return 16.0 * DBL_EPSILON * reach;
}

static void add_watched(perp_capture_run *r, perp_link *link, int i, perp_watch_kind kind,
                        double small)
{
    perp_capture *c = r->c;
    int row = i * link->law.dim;
    double tol = kind == PERP_WATCH_GAP    ? small
                 : kind == PERP_WATCH_SLIP ? PERP_CAPTURE_RESTS * r->speed
                                           : 1e-10 * fabs(link->lambda[row]);
    c->list[c->count] = (perp_watched){link, i, row, kind};
    c->direction[c->count] = -1;
    c->shift[c->count] = fmin(0.0, link->y[row]);
    c->tol[c->count++] = tol;
    c->forces |= kind >= PERP_WATCH_FORCE;
}

void perp_capture_watch(perp_capture_run *r)
{
    perp_capture *c = r->c;
    double small = small_gap(r);
    c->count = c->forces = 0;
    for (int k = 0; k < r->step->nlinks; k++) {
        perp_link *link = r->step->links[k];
        for (int i = 0; i < perp_capture_contacts(link); i++) {
            if (link->mode[i] == PERP_MODE_OPEN && !is_undecided(r, link, i * link->law.dim, small))
                add_watched(r, link, i, PERP_WATCH_GAP, small);
            if (perp_link_slides(link, i))
                add_watched(r, link, i, PERP_WATCH_SLIP, small);
            if (link->mode[i] == PERP_MODE_OPEN || !c->released)
                continue;
            add_watched(r, link, i, PERP_WATCH_FORCE, small);
            if (link->law.kind == PERP_LAW_FRICTION && link->mode[i] == PERP_MODE_CLOSED)
                add_watched(r, link, i, PERP_WATCH_CONE, small);
        }
    }
}

/* Modes after a Moreau-Jean step, from its velocities before and after; *closed: some rest. */
void perp_capture_modes_after(perp_capture_run *r, int *closed)
{
    /* A flight from such a velocity would be over within 8 w. */
    double slow = fmax(PERP_CAPTURE_RESTS * r->speed, 4.0 * r->w * r->acceleration);
    *closed = 0;
    for (int k = 0; k < r->step->nlinks; k++) {
        perp_link *link = r->step->links[k];
        for (int i = 0; i < perp_capture_contacts(link); i++) {
            int row = i * link->law.dim;
            double before = link->law.e * fabs(link->u_start[row]), after = fabs(link->u[row]);
            int rests = after <= slow;
            if (link->lambda[row] > 0.0 && before <= slow)
                rests |= after <= PERP_CAPTURE_STOPPED * r->speed;
            link->mode[i] = PERP_MODE_OPEN;
            if (link->on[i] && rests)
                link->mode[i] = perp_capture_closed_mode(perp_capture_tangential(link, row),
                                                         PERP_CAPTURE_STOPPED * r->speed);
            *closed |= link->mode[i] != PERP_MODE_OPEN;
        }
    }
}

/* What a contact that stops sliding, slips or lets go becomes. */
unsigned char perp_capture_next_mode(const perp_watched *which)
{
    if (which->kind == PERP_WATCH_FORCE)
        return PERP_MODE_OPEN;
    if (which->kind == PERP_WATCH_SLIP)
        return PERP_MODE_CLOSED;
    return which->link->lambda[which->row + 1] < 0.0 ? PERP_MODE_FORWARD : PERP_MODE_BACKWARD;
}

/* The closed contacts that are not pressed at the start of a piece open, those that stick but are
 * pulled away slide. */
perp_status perp_capture_sort_closed(perp_capture_run *r)
{
    perp_capture *c = r->c;
    if (r->held == 0)
        return PERP_SOLVED;
    c->released = 0;
    perp_status status = perp_capture_rate(c->rk.x1, c, r->t, c->x);
    if (status != PERP_SOLVED || !c->released)
        return status;
    double small = small_gamma(c);
    for (int k = 0; k < r->step->nlinks; k++) {
        perp_link *link = r->step->links[k];
        for (int i = 0; i < perp_capture_contacts(link); i++) {
            int was = link->mode[i];
            if (was == PERP_MODE_OPEN)
                continue;
            const double *gamma =
                perp_mechanics_gamma(&c->mechanics, link) + (size_t)i * (size_t)link->law.dim;
            if (gamma[0] > small) {
                link->mode[i] = PERP_MODE_OPEN;
                perp_capture_let_go(r);
            } else if (was == PERP_MODE_CLOSED && link->law.kind == PERP_LAW_FRICTION) {
                link->mode[i] = perp_capture_closed_mode(gamma[1], small);
            }
            r->held -= link->mode[i] == PERP_MODE_OPEN;
            r->step->stepper->info.events += link->mode[i] != was;
        }
    }
    return PERP_SOLVED;
}

/* 1 where an open contact is met head-on at the start of a piece: no smooth motion before it. */
int perp_capture_meets(const perp_capture_run *r)
{
    for (int k = 0; k < r->step->nlinks; k++) {
        const perp_link *link = r->step->links[k];
        for (int i = 0; i < perp_capture_contacts(link); i++)
            if (link->mode[i] == PERP_MODE_OPEN &&
                link->u[i * link->law.dim] < -PERP_CAPTURE_RESTS * r->speed &&
                link->y[i * link->law.dim] + 0.5 * r->w * link->u[i * link->law.dim] <= 0.0)
                return 1;
    }
    return 0;
}

/* Closed contacts that somebody has moved since the last step are open. */
void perp_capture_review(perp_capture_run *r)
{
    for (int k = 0; k < r->step->nlinks; k++) {
        perp_link *link = r->step->links[k];
        for (int i = 0; i < perp_capture_contacts(link); i++) {
            int row = i * link->law.dim, was = link->mode[i];
            if (was != PERP_MODE_OPEN &&
                fabs(perp_capture_tangential(link, row)) > PERP_CAPTURE_STOPPED * r->speed)
                link->mode[i] = perp_capture_closed_mode(perp_capture_tangential(link, row), 0.0);
            if (fabs(link->u[row]) > PERP_CAPTURE_STOPPED * r->speed ||
                link->y[row] > PERP_CAPTURE_STOPPED * r->length) {
                r->held -= was != PERP_MODE_OPEN;
                link->mode[i] = PERP_MODE_OPEN;
            }
        }
    }
}
