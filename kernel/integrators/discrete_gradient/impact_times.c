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
/* Groups of more contacts, none with restitution, are struck at once, in so many stages; what
 * strikes after them ends by the gap law, plastically as well. */
enum { LARGE = 64, LARGE_STAGES = 2 };
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
    dg->cut = 0;
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        perp_dg_flight *f = &dg->flights[k];
        f->lag = dg->flight_block + at;
        f->change = f->lag + s->nv;
        f->carried = f->change + s->nv;
        f->carrier = -1;
        f->part = 1.0;
        f->time = 0.0;
        memset(f->lag, 0, sizeof(double) * (size_t)s->nv);
        memset(f->carried, 0, sizeof(double) * (size_t)s->nv);
        at += 3 * s->nv;
    }
    return perp_dg_begin_lists(dg);
}

/* Of row i: the rate by v', its change within the step, the rate by the lag; the terms of the
 * first. */
typedef struct row_rates {
    double u, change, lag, terms;
} row_rates;

static row_rates rates_by(const perp_dg *dg, const perp_link *link, const double *H, double drift,
                          int i)
{
    row_rates r = {drift, 0.0, 0.0, fabs(drift)};
    H += i;
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

/* By the configuration at the start. */
static row_rates rates_of(const perp_dg *dg, const perp_link *link, int i)
{
    return rates_by(dg, link, link->H, link->spare[i], i);
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
    return perp_link_is_coordinate(link)
               ? slow + fmax(-r->change, 0.0) + perp_dg_no_approach(dg, link)
               : slow;
}

enum { FAR, CLOSED, STRIKES };

/* Of `stuck`: it ended plastically, and closes no more; or it was struck and nothing changed, since
 * the configuration at its time has no approach where that at the start has one. */
enum { ENDED = 1, IDLE };

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
    int idle = is_stuck(dg, link, i) == IDLE;
    if (idle || !(u < 0.0 && u < -slow - LEFT * perp_dg_turn_left(link, i)))
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

static void join_groups(const perp_dg *dg, int root, int other)
{
    perp_dg_flight *a = &dg->flights[root], *b = &dg->flights[other];
    int *ring = dg->stage.ring, after = ring[root];
    if (root == other)
        return;
    ring[root] = ring[other];
    ring[other] = after;
    b->root = root;
    a->next = fmin(a->next, b->next);
    a->contacts += b->contacts;
}

static void tie(const perp_dg *dg, const perp_link *link)
{
    for (int k = 1; k < link->nsystems; k++)
        join_groups(dg, root_of(dg, link->systems[0]->place), root_of(dg, link->systems[k]->place));
}

static void untie(const perp_dg *dg, int place)
{
    perp_dg_flight *f = &dg->flights[place];
    dg->stage.ring[place] = f->root = place;
    f->next = HUGE_VAL;
    f->contacts = f->bounces = 0;
}

/* The states of a link in its modes, its times in `when`; it waits where it strikes. */
static void find_link(perp_dg *dg, int k)
{
    perp_link *link = dg->links[k];
    double *when = dg->when + link->first_relation;
    int may = perp_dg_may_strike(link), strikes = 0;
    link->active = 0;
    for (int r = 0; r < link->relations; r++, when++) {
        int state = may ? state_of(dg, link, r * link->law.dim, when) : FAR;
        if (state != STRIKES)
            *when = HUGE_VAL;
        link->on[r] = 0;
        strikes |= state == STRIKES;
        perp_dg_mark(link, r, state == CLOSED ? PERP_DG_CLOSED : 0);
        if (state == CLOSED) {
            tie(dg, link);
            dg->flights[root_of(dg, link->systems[0]->place)].contacts++;
        }
    }
    if (strikes && !dg->stage.waits[k]) {
        dg->stage.waits[k] = 1;
        dg->stage.waiting[dg->stage.nwaiting++] = k;
    }
}

/* States of all contacts; groups by joints and closed contacts. */
static void find_all(perp_dg *dg)
{
    for (int k = 0; k < dg->nsystems; k++)
        untie(dg, k);
    for (int k = 0; k < dg->njoints; k++)
        tie(dg, dg->joints[k]);
    for (int k = 0; k < dg->nlinks; k++)
        find_link(dg, k);
}

/* The same after the systems of the stage were struck: their groups come apart, and their contacts
 * are found again. */
static void find_moved(perp_dg *dg)
{
    perp_dg_stage *stage = &dg->stage;
    for (int k = 0; k < stage->nsystems; k++) {
        int first = stage->systems[k]->place, p = first;
        do {
            int after = stage->ring[p];
            untie(dg, p);
            perp_dg_set_bit(stage->bits, p);
            p = after;
        } while (p != first);
    }
    perp_dg_stage_of(dg, perp_dg_take_bits(stage->bits, dg->nsystems, stage->number));
    perp_dg_contacts_of_stage(dg);
    int count = perp_dg_take_bits(stage->bits, dg->nlinks, stage->number);
    for (int k = 0; k < count; k++)
        find_link(dg, stage->number[k]);
}

static int strikes(const perp_dg *dg, const perp_link *link)
{
    for (int r = 0; r < link->relations; r++)
        if (dg->when[link->first_relation + r] <= 1.0)
            return 1;
    return 0;
}

/* Leaves those that strike no more. */
static void list_waiting(perp_dg *dg)
{
    perp_dg_stage *stage = &dg->stage;
    int count = 0;
    for (int k = 0; k < stage->nwaiting; k++) {
        int at = stage->waiting[k];
        if (strikes(dg, dg->links[at]))
            stage->waiting[count++] = at;
        else
            stage->waits[at] = 0;
    }
    stage->nwaiting = count;
}

static double next_of(const perp_dg *dg, const perp_link *link)
{
    double next = HUGE_VAL;
    for (int k = 0; k < link->nsystems; k++)
        next = fmin(next, dg->flights[root_of(dg, link->systems[k]->place)].next);
    return next;
}

static void clear_times(const perp_dg *dg)
{
    for (int k = 0; k < dg->stage.nwaiting; k++) {
        const perp_link *link = dg->links[dg->stage.waiting[k]];
        for (int m = 0; m < link->nsystems; m++) {
            perp_dg_flight *f = &dg->flights[root_of(dg, link->systems[m]->place)];
            f->next = HUGE_VAL;
            f->bounces = 0;
        }
    }
}

/* The time of the first strike of each group. */
static void first_times(const perp_dg *dg)
{
    clear_times(dg);
    for (int k = 0; k < dg->stage.nwaiting; k++) {
        const perp_link *link = dg->links[dg->stage.waiting[k]];
        const double *when = dg->when + link->first_relation;
        for (int r = 0; r < link->relations; r++, when++)
            for (int m = 0; *when <= 1.0 && m < link->nsystems; m++) {
                perp_dg_flight *f = &dg->flights[root_of(dg, link->systems[m]->place)];
                f->next = fmin(f->next, *when);
                f->bounces |= link->law.e > 0.0;
            }
    }
}

/* Does it strike, or is it struck by, a large group? */
static int is_large(const perp_dg *dg, const perp_link *link)
{
    int contacts = 0, bounces = link->law.e > 0.0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_dg_flight *f = &dg->flights[root_of(dg, link->systems[k]->place)];
        contacts = f->contacts > contacts ? f->contacts : contacts;
        bounces |= f->bounces;
    }
    return !bounces && contacts > LARGE;
}

/* Those that are struck are marked so; how many. */
static int choose(perp_dg *dg, int stage)
{
    int struck = 0;
    for (int k = 0; k < dg->stage.nwaiting; k++) {
        perp_link *link = dg->links[dg->stage.waiting[k]];
        const double *when = dg->when + link->first_relation;
        int large = is_large(dg, link);
        double last = stage < PERP_DG_ORDERED && !large ? next_of(dg, link) + TOGETHER : 1.0;
        if ((large && stage >= LARGE_STAGES) || !perp_dg_admits(dg, link, stage))
            continue;
        for (int r = 0; r < link->relations; r++, when++)
            if (*when <= 1.0 && *when <= last) {
                perp_dg_mark(link, r, PERP_DG_STRUCK);
                struck++;
            }
    }
    return struck;
}

static int is_struck(const perp_link *link)
{
    for (int r = 0; r < link->relations; r++)
        if (link->mode[r] & PERP_DG_STRUCK)
            return 1;
    return 0;
}

/* The time at which all that it is struck with is; 1: one of its systems was struck later. */
static int goes_back(const perp_dg *dg, const perp_link *link)
{
    double first = next_of(dg, link), last = 0.0;
    for (int k = 0; k < link->nsystems; k++)
        last = fmax(last, dg->flights[link->systems[k]->place].time);
    return last > first + TOGETHER;
}

/* What is struck at once has the time of the first strike.  A system that was struck later would
 * move by what it gets now as if it had it since then, and be thrown by as much: its strikes wait
 * until those before them are made.  The first of all is never one of them.  Returns how many. */
static int leave_later(perp_dg *dg)
{
    int left = 0;
    for (int changed = 1; changed;) {
        changed = 0;
        for (int k = 0; k < dg->stage.nwaiting; k++) {
            const perp_link *link = dg->links[dg->stage.waiting[k]];
            double next = next_of(dg, link);
            for (int m = 0; is_struck(link) && m < link->nsystems; m++) {
                perp_dg_flight *f = &dg->flights[root_of(dg, link->systems[m]->place)];
                changed |= f->next > next;
                f->next = fmin(f->next, next);
            }
        }
    }
    for (int k = 0; k < dg->stage.nwaiting; k++) {
        perp_link *link = dg->links[dg->stage.waiting[k]];
        if (!is_struck(link) || !goes_back(dg, link))
            continue;
        for (int r = 0; r < link->relations; r++)
            if (link->mode[r] & PERP_DG_STRUCK) {
                perp_dg_mark(link, r, 0);
                left++;
            }
    }
    return left;
}

/* Groups of this stage, with the time of each; all others have none. */
static void join(const perp_dg *dg)
{
    clear_times(dg);
    for (int k = 0; k < dg->stage.nwaiting; k++)
        if (is_struck(dg->links[dg->stage.waiting[k]]))
            tie(dg, dg->links[dg->stage.waiting[k]]);
    for (int k = 0; k < dg->stage.nwaiting; k++) {
        const perp_link *link = dg->links[dg->stage.waiting[k]];
        const double *when = dg->when + link->first_relation;
        perp_dg_flight *f = &dg->flights[root_of(dg, link->systems[0]->place)];
        int plastic = perp_dg_island_of(dg, link->systems[0])->plastic;
        for (int r = 0; r < link->relations; r++, when++)
            if (link->mode[r] & PERP_DG_STRUCK) {
                f->next = fmin(f->next, *when);
                dg->stuck[link->first_relation + r] = plastic ? ENDED : 0;
            }
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

/* The systems of the groups that are struck. */
static void list_systems(perp_dg *dg)
{
    perp_dg_stage *stage = &dg->stage;
    for (int k = 0; k < stage->nwaiting; k++) {
        const perp_link *link = dg->links[stage->waiting[k]];
        int first = link->systems[0]->place, p = first;
        if (!is_struck(link) || perp_dg_has_bit(stage->bits, first))
            continue;
        do {
            perp_dg_set_bit(stage->bits, p);
            p = stage->ring[p];
        } while (p != first);
    }
    perp_dg_stage_of(dg, perp_dg_take_bits(stage->bits, dg->nsystems, stage->number));
}

static void take_in(perp_dg *dg, perp_link *link)
{
    for (int r = 0; r < link->relations; r++) {
        int closed = takes_part(dg, link, r, perp_dg_strike_time(dg, link->systems[0]));
        link->on[r] = (unsigned char)(closed || link->mode[r] & PERP_DG_STRUCK);
        link->active |= link->on[r];
    }
    if (link->active)
        dg->stage.links[dg->stage.nlinks++] = link;
}

int perp_dg_next_strikes(perp_dg *dg, int stage)
{
    if (dg->stage.from_start)
        find_all(dg);
    else
        find_moved(dg);
    dg->stage.from_start = dg->njoints > 0; /* increments of all are found together */
    list_waiting(dg);
    first_times(dg);
    int struck = choose(dg, stage);
    if (stage >= PERP_DG_ORDERED)
        struck -= leave_later(dg);
    join(dg);
    list_systems(dg);
    dg->stage.nlinks = 0;
    perp_dg_contacts_of_stage(dg);
    int count = perp_dg_take_bits(dg->stage.bits, dg->nlinks, dg->stage.number);
    for (int k = 0; k < count; k++)
        take_in(dg, dg->links[dg->stage.number[k]]);
    if (dg->njoints > 0)
        perp_dg_stage_of_all(dg);
    return struck;
}

/* Did the stage change the normal rate of a relation by more than what solves leave? */
static int is_changed(const perp_dg *dg, const perp_link *link, int r)
{
    int i = r * link->law.dim;
    const double *H = link->H + i;
    double change = 0.0;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++, H += link->rows)
            change += *H * link->systems[k]->work[j];
    return fabs(change) > STILL * dg->no_work * rates_of(dg, link, i).terms;
}

/* By the configuration at its time, in which its stage saw it. */
static int approaches_then(const perp_dg *dg, const perp_link *link, int r)
{
    int i = r * link->law.dim;
    row_rates rates = rates_by(dg, link, link->left, link->u[i], i);
    double u = rates.u + perp_dg_time_of(dg, link, r) * rates.change;
    return u < -slow_in_stage(dg, link, i, &rates);
}

void perp_dg_note_idle(const perp_dg *dg)
{
    for (int k = 0; k < dg->stage.nlinks; k++) {
        const perp_link *link = dg->stage.links[k];
        for (int r = 0; r < link->relations; r++) {
            int changed = is_changed(dg, link, r);
            unsigned char *stuck = &dg->stuck[link->first_relation + r];
            if (!changed && link->mode[r] & PERP_DG_STRUCK)
                *stuck = approaches_then(dg, link, r) ? *stuck : IDLE;
            else if (changed && *stuck == IDLE)
                *stuck = 0;
        }
    }
}

double perp_dg_strike_time(const perp_dg *dg, const perp_system *s)
{
    return dg->flights[root_of(dg, s->place)].next;
}

perp_dg_flight *perp_dg_group_of(const perp_dg *dg, const perp_link *link)
{
    return &dg->flights[root_of(dg, link->systems[0]->place)];
}

int perp_dg_carrying(perp_dg *dg)
{
    int count = 0;
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        link->active = 0;
        for (int r = 0; r < link->relations; r++) {
            int i = r * link->law.dim, strikes = dg->when[link->first_relation + r] <= 1.0;
            link->on[r] = perp_dg_may_strike(link) && !strikes &&
                          !perp_dg_change_is_given(dg, link->systems[0]) &&
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
    for (int k = 0; count > 0 && k < dg->nsystems; k++) {
        dg->flights[k].until = HUGE_VAL;
        dg->flights[k].carrier =
            perp_dg_strike_time(dg, dg->systems[k]) <= 1.0 ? root_of(dg, k) : -1;
    }
    dg->stage.carriers = count > 0;
    dg->stage.from_start = 1;
    perp_dg_stage_of_all(dg);
    return count;
}

int perp_dg_next_carrying(const perp_dg *dg)
{
    const perp_dg_stage *stage = &dg->stage;
    int any = 0;
    for (int k = 0; stage->carriers && k < stage->nsystems; k++) {
        const perp_system *s = stage->systems[k];
        int carrier = dg->flights[s->place].carrier;
        double next = perp_dg_strike_time(dg, s);
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
