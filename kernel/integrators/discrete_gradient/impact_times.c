/* SPDX-License-Identifier: BSD-3-Clause */
/* When contacts strike within a step, and which of them do so together.
 *
 * At the time t = tau h of the step the gap of a relation is, its Jacobian H taken at the start,
 *
 *     y(t) = y_k + t H v' - h H lag + t^2 H change/(2 h),
 *
 * v' the velocity after the impacts so far, lag what they leave out of the mean velocity since they
 * came late in the step, and change what v changes by within the step without any impact.  It
 * strikes where that is 0.  Systems that joints or closed contacts without restitution tie take
 * part in one impact together; where impacts are made at once, those that any closed contact ties.
 * Of each such group the earliest strikes are made, so that a cascade runs in the order of its
 * times; groups strike independently of each other. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* Parts of a step: strikes of a group as far apart as this are one. */
static const double TOGETHER = 1e-2;
/* Of the part of rates whose work is nothing. */
static const double STILL = 0.1;
/* Of the rate that the turn of a normal makes in a step: approaches so slow are what the turn in
 * the step before has left. */
static const double LEFT = 0.05;

#define GROW(dg, array, capacity, count)                                                           \
    perp_pool_grow((dg)->pool, (void **)&(dg)->array, &(dg)->capacity, (count), sizeof *(dg)->array)

int perp_dg_begin_flights(perp_dg *dg)
{
    int relations = 0, at = 0;
    for (int k = 0; k < dg->nlinks; k++) {
        dg->links[k]->first_relation = relations;
        relations += dg->links[k]->relations;
    }
    if (!GROW(dg, flights, capacity_flights, dg->nsystems) ||
        !GROW(dg, flight_block, capacity_flight_block, 3 * dg->dofs) ||
        !GROW(dg, when, capacity_when, relations) || !GROW(dg, stuck, capacity_stuck, relations))
        return 0;
    memset(dg->stuck, 0, (size_t)relations);
    dg->plastic = 0;
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        perp_dg_flight *f = &dg->flights[k];
        s->place = k;
        f->lag = dg->flight_block + at;
        f->change = f->lag + s->nv;
        f->carried = f->change + s->nv;
        f->carrier = -1;
        f->time = 0.0;
        memset(f->lag, 0, sizeof(double) * (size_t)s->nv);
        memset(f->carried, 0, sizeof(double) * (size_t)s->nv);
        at += 3 * s->nv;
    }
    return 1;
}

/* Of row i: the rate by v', its change within the step, the rate by the lag; the terms of the
 * first. */
typedef struct row_rates {
    double u, change, lag, terms;
} row_rates;

static row_rates rates_of(const perp_dg *dg, const perp_link *link, int i)
{
    row_rates r = {link->spare[i], 0.0, 0.0, fabs(link->spare[i])};
    const double *H = link->H + i;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const perp_dg_flight *f = &dg->flights[s->place];
        for (int j = 0; j < s->nv; j++, H += link->rows) {
            double part = *H * s->v_kept[j];
            r.u += part;
            r.terms += fabs(part);
            r.change += *H * f->change[j];
            r.lag += *H * f->lag[j];
        }
    }
    return r;
}

/* Speed that forces, and a surface that moves with time, give row i within the step. */
static double slow_rate(const perp_dg *dg, const perp_link *link, int i)
{
    return dg->h * perp_dg_acceleration(link, link->H, i) + fabs(link->swing[i]);
}

/* The same with what the solver leaves of an impact, which strikes no more, and what a limit
 * changes by itself: no bound by free motions tells what joints do. */
static double slow_in_stage(const perp_dg *dg, const perp_link *link, int i, const row_rates *r)
{
    double slow = slow_rate(dg, link, i) + STILL * dg->no_work * r->terms;
    return perp_link_is_coordinate(link) ? slow + fmax(-r->change, 0.0) + perp_dg_no_approach(dg)
                                         : slow;
}

enum { FAR, CLOSED, STRIKES };

static int is_stuck(const perp_dg *dg, const perp_link *link, int i)
{
    return dg->stuck[link->first_relation + i / link->law.dim];
}

/* 1: a gap y, over h, is none.  Contacts with restitution only have to touch where impacts are made
 * at once. */
static int touches(const perp_dg *dg, perp_link *link, double y, double slow)
{
    if (!(link->law.e > 0.0))
        return y <= slow;
    return perp_dg_at_once(dg) && (y <= slow || dg->h * y <= perp_dg_rounding(link));
}

/* What row i of a contact does: *when it strikes, a part of the step. */
static int state_of(const perp_dg *dg, perp_link *link, int i, double *when)
{
    row_rates r = rates_of(dg, link, i);
    double h = dg->h, slow = slow_in_stage(dg, link, i, &r), since = 0.0;
    for (int k = 0; k < link->nsystems; k++)
        since = fmax(since, dg->flights[link->systems[k]->place].time);
    double y = link->y_start[i] / h - r.lag + since * (r.u + 0.5 * since * r.change);
    double u = r.u + since * r.change, rest = u * u - 2.0 * r.change * y;
    if (!(u < 0.0 && u < -slow - LEFT * link->turn[i]))
        return is_stuck(dg, link, i) || touches(dg, link, y, slow) ? CLOSED : FAR;
    if (y > 0.0 && rest < 0.0)
        return FAR;
    *when = since + (y > 0.0 ? 2.0 * y / (sqrt(rest) - u) : 0.0);
    return *when <= 1.0 ? STRIKES : FAR;
}

static int root_of(const perp_dg *dg, int place)
{
    while (dg->flights[place].root != place)
        place = dg->flights[place].root = dg->flights[dg->flights[place].root].root;
    return place;
}

static void tie(const perp_dg *dg, const perp_link *link)
{
    int root = root_of(dg, link->systems[0]->place);
    for (int k = 1; k < link->nsystems; k++) {
        int other = root_of(dg, link->systems[k]->place);
        dg->flights[other].root = root;
        dg->flights[root].next = fmin(dg->flights[root].next, dg->flights[other].next);
    }
}

/* States of all contacts in their modes, times in `when`; groups by joints and closed contacts. */
static void find(const perp_dg *dg)
{
    for (int k = 0; k < dg->nsystems; k++) {
        dg->flights[k].root = k;
        dg->flights[k].next = HUGE_VAL;
    }
    for (int k = 0; k < dg->njoints; k++)
        tie(dg, dg->joints[k]);
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        double *when = dg->when + link->first_relation;
        for (int r = 0; r < link->relations; r++, when++) {
            int state =
                perp_dg_may_strike(link) ? state_of(dg, link, r * link->law.dim, when) : FAR;
            if (state != STRIKES)
                *when = HUGE_VAL;
            perp_dg_mark(link, r, state == CLOSED ? PERP_DG_CLOSED : 0);
            if (state == CLOSED)
                tie(dg, link);
        }
    }
}

static double next_of(const perp_dg *dg, const perp_link *link)
{
    double next = HUGE_VAL;
    for (int k = 0; k < link->nsystems; k++)
        next = fmin(next, dg->flights[root_of(dg, link->systems[k]->place)].next);
    return next;
}

/* The time of the first strike of each group. */
static void first_times(const perp_dg *dg)
{
    for (int k = 0; k < dg->nlinks; k++) {
        const perp_link *link = dg->links[k];
        const double *when = dg->when + link->first_relation;
        for (int r = 0; r < link->relations; r++, when++)
            for (int m = 0; *when <= 1.0 && m < link->nsystems; m++) {
                perp_dg_flight *f = &dg->flights[root_of(dg, link->systems[m]->place)];
                f->next = fmin(f->next, *when);
            }
    }
}

/* Those that are struck are marked so; how many. */
static int choose(const perp_dg *dg, int ordered)
{
    int struck = 0;
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        const double *when = dg->when + link->first_relation;
        double last = ordered ? next_of(dg, link) + TOGETHER : 1.0;
        for (int r = 0; r < link->relations; r++, when++)
            if (*when <= 1.0 && *when <= last) {
                perp_dg_mark(link, r, PERP_DG_STRUCK);
                dg->stuck[link->first_relation + r] = (unsigned char)dg->plastic;
                struck++;
            }
    }
    return struck;
}

/* Groups of this stage, with the time of each. */
static void join(const perp_dg *dg)
{
    for (int k = 0; k < dg->nsystems; k++)
        dg->flights[k].next = HUGE_VAL;
    for (int k = 0; k < dg->nlinks; k++)
        for (int r = 0; r < dg->links[k]->relations; r++)
            if (dg->links[k]->mode[r] & PERP_DG_STRUCK)
                tie(dg, dg->links[k]);
    for (int k = 0; k < dg->nlinks; k++) {
        const perp_link *link = dg->links[k];
        const double *when = dg->when + link->first_relation;
        perp_dg_flight *f = &dg->flights[root_of(dg, link->systems[0]->place)];
        for (int r = 0; r < link->relations; r++, when++)
            if (link->mode[r] & PERP_DG_STRUCK)
                f->next = fmin(f->next, *when);
    }
}

/* Does a closed contact take part in the strike at tau?  Those with restitution where they touch
 * then, too. */
static int takes_part(const perp_dg *dg, perp_link *link, int r, double tau)
{
    if (!(link->mode[r] & PERP_DG_CLOSED) || !(tau <= 1.0) || !(link->law.e > 0.0))
        return link->mode[r] & PERP_DG_CLOSED && tau <= 1.0;
    int i = r * link->law.dim;
    if (is_stuck(dg, link, i))
        return 1;
    row_rates rates = rates_of(dg, link, i);
    double y = link->y_start[i] / dg->h - rates.lag + tau * (rates.u + 0.5 * tau * rates.change);
    return touches(dg, link, y, slow_rate(dg, link, i));
}

int perp_dg_next_strikes(const perp_dg *dg, int ordered)
{
    find(dg);
    first_times(dg);
    int struck = choose(dg, ordered);
    join(dg);
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        link->active = 0;
        for (int r = 0; r < link->relations; r++) {
            int closed = takes_part(dg, link, r, perp_dg_strike_time(dg, link->systems[0]));
            link->on[r] = (unsigned char)(closed || link->mode[r] & PERP_DG_STRUCK);
            link->active |= link->on[r];
        }
    }
    return struck;
}

double perp_dg_strike_time(const perp_dg *dg, const perp_system *s)
{
    return dg->flights[root_of(dg, s->place)].next;
}

int perp_dg_carrying(const perp_dg *dg)
{
    int count = 0;
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        link->active = 0;
        for (int r = 0; r < link->relations; r++) {
            int i = r * link->law.dim, strikes = dg->when[link->first_relation + r] <= 1.0;
            link->on[r] = perp_dg_may_strike(link) && !strikes &&
                          link->y_start[i] <= dg->h * slow_rate(dg, link, i);
            if (link->on[r])
                tie(dg, link);
        }
    }
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        for (int r = 0; r < link->relations; r++) {
            link->on[r] = link->on[r] && perp_dg_strike_time(dg, link->systems[0]) <= 1.0;
            link->active |= link->on[r];
            count += link->on[r];
        }
    }
    for (int k = 0; count > 0 && k < dg->nsystems; k++)
        dg->flights[k].carrier =
            perp_dg_strike_time(dg, dg->systems[k]) <= 1.0 ? root_of(dg, k) : -1;
    return count;
}

int perp_dg_next_carrying(const perp_dg *dg)
{
    int any = 0;
    for (int k = 0; k < dg->nsystems; k++)
        dg->flights[k].until = HUGE_VAL;
    for (int k = 0; k < dg->nsystems; k++) {
        int carrier = dg->flights[k].carrier;
        double next = dg->flights[root_of(dg, k)].next;
        if (carrier < 0 || !(next <= 1.0))
            continue;
        dg->flights[carrier].until = fmin(dg->flights[carrier].until, next);
        any = 1;
    }
    return any;
}

double perp_dg_carrying_time(const perp_dg *dg, const perp_system *s)
{
    int carrier = dg->flights[s->place].carrier;
    return carrier < 0 ? HUGE_VAL : dg->flights[carrier].until;
}
