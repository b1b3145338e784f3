/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/flow/index_sets.h"

#include <math.h>
#include <string.h>

#include "kernel/step/stepper.h"

perp_status perp_index_sets_prepare(perp_index_sets *sets, perp_mechanics *m,
                                    const perp_scheme *scheme)
{
    perp_pool *pool = &m->step->stepper->pool;
    sets->m = m;
    sets->scheme = scheme;
    return perp_pool_grow(pool, (void **)&sets->x, &sets->capacity_x, m->nx, sizeof(double)) &&
                   perp_pool_grow(pool, (void **)&sets->dx, &sets->capacity_dx, m->nx,
                                  sizeof(double))
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

void perp_index_sets_release(perp_index_sets *sets, perp_pool *pool)
{
    perp_pool_give(pool, sets->x);
    perp_pool_give(pool, sets->dx);
}

static int is_contact(const perp_link *link)
{
    return perp_law_is_impact(&link->law);
}

double perp_row_mobility(const perp_link *link, int row)
{
    double sum = 0.0;
    int at = 0;
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        for (int j = 0; j < s->nv; j++)
            s->work[j] = link->left[row + (at + j) * link->rows];
        perp_system_solve(s, s->work, 1);
        for (int j = 0; j < s->nv; j++, at++)
            sum += link->left[row + at * link->rows] * s->work[j];
    }
    return sum;
}

int perp_index_sets_stale(const perp_index_sets *sets)
{
    const perp_step *step = sets->m->step;
    double gap = perp_gap_zero(sets), rate = perp_rate_zero(sets);
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        for (int r = 0; is_contact(link) && r < link->relations; r++) {
            double y = link->y[r * link->law.dim], u = link->u[r * link->law.dim];
            if (link->mode[r] == PERP_MODE_OPEN ? y <= gap && u <= rate
                                                : fabs(y) > gap || fabs(u) > rate)
                return 1;
        }
    }
    return 0;
}

void perp_index_sets_measure(perp_index_sets *sets)
{
    perp_extent *extent = &sets->extent;
    const perp_step *step = sets->m->step;
    for (int k = 0; k < step->nsystems; k++) {
        const perp_system *s = step->systems[k];
        for (int i = 0; i < s->nq; i++)
            extent->length = fmax(extent->length, fabs(s->q[PERP_NOW][i]));
        for (int i = 0; i < s->nv; i++)
            extent->speed = fmax(extent->speed, fabs(s->v[PERP_NOW][i]));
    }
}

/* I_c into link->on; 1 where some of it approaches. */
static int find_closed(perp_index_sets *sets)
{
    const perp_step *step = sets->m->step;
    double gap = perp_gap_zero(sets), rate = perp_rate_zero(sets);
    int approaching = 0;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        for (int r = 0; is_contact(link) && r < link->relations; r++) {
            double y = link->y[r * link->law.dim], u = link->u[r * link->law.dim];
            link->on[r] = link->mode[r] != PERP_MODE_OPEN ? fabs(y) <= 1e3 * gap : y <= gap;
            approaching |= link->on[r] && u < -rate;
        }
    }
    return approaching;
}

enum { CROWD = 1000 };

/* Time from t to the limit of the impacts of a relation whose flights shrink by a constant
 * factor, HUGE_VAL where they do not.  Where many contacts chatter together their flights shrink
 * without rule: in a crowd of impacts the last flight stands for the time left. */
static double time_left(const double *flight, double t, int crowd)
{
    double last = t - flight[0];
    if (flight[1] <= 0.0)
        return HUGE_VAL;
    if (last >= 0.9999 * flight[1])
        return crowd ? last : HUGE_VAL;
    double ratio = last / flight[1], left = last * ratio / (1.0 - ratio);
    return crowd ? fmin(last, left) : left;
}

/* Notes the impacts at t; the time left to the last limit of those that accumulate, which become
 * CLOSED, or 0. */
static double note_impacts(perp_index_sets *sets, double t)
{
    const perp_step *step = sets->m->step;
    double rate = perp_rate_zero(sets), longest = 0.0;
    int crowd = step->stepper->info.impacts > CROWD;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        for (int r = 0; is_contact(link) && r < link->relations; r++) {
            double *flight = link->flight + 2 * r;
            if (!link->on[r] || !(link->u[r * link->law.dim] < -rate))
                continue;
            double left = time_left(flight, t, crowd);
            if (left < sets->scheme->zeno_time * step->h) {
                longest = fmax(longest, left);
                link->mode[r] = PERP_MODE_CLOSED;
            }
            flight[1] = flight[0] != 0.0 ? t - flight[0] : 0.0;
            flight[0] = t;
        }
    }
    return longest;
}

static perp_status impact(perp_index_sets *sets, double t)
{
    perp_step *step = sets->m->step;
    perp_status status = perp_step_instant(step, t, 0.0, PERP_INSTANT_BEFORE);
    if (status == PERP_SOLVED)
        status = perp_mechanics_impact(sets->m, t);
    if (status > 0 && status != PERP_INTERRUPTED && status != PERP_INFEASIBLE_STEP)
        return perp_step_refuse(step, status, "solver", -1, "the impact problem was not solved");
    if (status == PERP_SOLVED)
        status = perp_step_outputs(step, t);
    step->stepper->info.impacts++;
    return status == PERP_SOLVED ? perp_step_instant(step, t, 0.0, PERP_INSTANT_AFTER) : status;
}

/* A Moreau-Jean step with the accumulating contacts closed and without restitution: their
 * velocities end at 0, positions are wrong by the square of its length. */
perp_status perp_index_sets_leap(perp_index_sets *sets, double *past, double dt)
{
    perp_step *step = sets->m->step;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        for (int r = 0; is_contact(link) && r < link->relations; r++)
            if (link->mode[r] != PERP_MODE_OPEN) {
                link->u[r * link->law.dim] = 0.0;
                link->flight[2 * r] = link->flight[2 * r + 1] = 0.0;
            }
    }
    perp_status status = perp_step_once(step, step->t + *past, dt);
    *past += dt;
    return status == PERP_SOLVED ? perp_step_instant(step, step->t + *past, dt, PERP_INSTANT_SMOOTH)
                                 : status;
}

/* 1 where y of a contact in I_c is not 0: flights lower than that would end below 0.  What
 * rounding leaves stays, since to remove it would change the energy.
 * By link->on and not, as perp_mechanics_drifted(), by modes. */
static int has_drifted(const perp_index_sets *sets)
{
    const perp_step *step = sets->m->step;
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        for (int r = 0; is_contact(link) && r < link->relations; r++)
            if (link->on[r] && fabs(link->y[r * link->law.dim]) > perp_gap_noise(sets))
                return 1;
    }
    return 0;
}

enum { REPEATS = 100 };

static perp_status pass_impacts(perp_index_sets *sets, double *past)
{
    perp_step *step = sets->m->step;
    for (int k = 0; find_closed(sets); k++) {
        double left = note_impacts(sets, step->t + *past);
        if (left > 0.0 && sets->scheme->zeno == PERP_ZENO_STOP)
            return perp_step_refuse(step, PERP_ZENO, "zeno", -1,
                                    "impacts accumulate and zeno=stop forbids to switch");
        if (k == REPEATS)
            return perp_step_refuse(step, PERP_ZENO, "interaction", -1,
                                    "impacts at one instant do not end");
        perp_status status = impact(sets, step->t + *past);
        if (status == PERP_SOLVED && has_drifted(sets))
            status = perp_mechanics_touch(sets->m, step->t + *past);
        if (status == PERP_SOLVED && left > 0.0)
            status = perp_index_sets_leap(sets, past, fmin(left, step->h - *past));
        if (status != PERP_SOLVED)
            return status;
    }
    return PERP_SOLVED;
}

/* I_s, with friction split by the tangential velocity; 1 where there is any. */
static int find_resting(perp_index_sets *sets)
{
    const perp_step *step = sets->m->step;
    double rate = perp_rate_zero(sets);
    int any = 0;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        for (int r = 0; is_contact(link) && r < link->relations; r++) {
            const double *u = link->u + r * link->law.dim;
            link->mode[r] = PERP_MODE_OPEN;
            if (!link->on[r] || u[0] > rate)
                continue;
            link->mode[r] = PERP_MODE_CLOSED;
            if (link->law.kind == PERP_LAW_FRICTION && fabs(u[1]) > rate)
                link->mode[r] = u[1] > 0.0 ? PERP_MODE_FORWARD : PERP_MODE_BACKWARD;
            any = 1;
        }
    }
    return any;
}

/* What the laws on accelerations say of one relation. */
typedef enum verdict { STAYS, OPENS, SLIDES_FORWARD, SLIDES_BACKWARD, UNKNOWN } verdict;

/* `sharp` scales the thresholds: they are lower for a look ahead, where values grow from 0. */
static verdict judge(const perp_index_sets *sets, const perp_link *link, int r, double sharp)
{
    int row = r * link->law.dim;
    const double *gamma = perp_mechanics_gamma(sets->m, link) + row;
    const double *force = link->lambda + row;
    const double *q = sets->m->unilateral.q + link->first_row + row;
    double mobility = perp_row_mobility(link, row);
    double zero = sharp * perp_acceleration_zero(sets, fabs(q[0]));
    if (force[0] * mobility <= zero)
        return gamma[0] > zero ? OPENS : UNKNOWN;
    if (link->law.kind != PERP_LAW_FRICTION || perp_link_slides(link, r))
        return STAYS;
    if (fabs(force[1]) < link->law.mu * force[0] * (1.0 - sets->scheme->force_tol))
        return STAYS;
    zero = sharp * perp_acceleration_zero(sets, fabs(q[1]));
    if (fabs(gamma[1]) <= zero)
        return UNKNOWN;
    return gamma[1] > 0.0 ? SLIDES_FORWARD : SLIDES_BACKWARD;
}

static perp_status laws_on_accelerations(perp_index_sets *sets, double t)
{
    perp_status status = perp_mechanics_forces(sets->m, t, PERP_LEVEL_UNILATERAL);
    if (status > 0 && status != PERP_INTERRUPTED)
        return perp_step_refuse(sets->m->step, PERP_UNDETERMINED, "interaction", -1,
                                "the laws at the level of accelerations were not solved");
    return status;
}

static void set_mode(perp_link *link, int r, verdict said)
{
    if (said == OPENS)
        link->mode[r] = PERP_MODE_OPEN;
    else if (said == SLIDES_FORWARD)
        link->mode[r] = PERP_MODE_FORWARD;
    else if (said == SLIDES_BACKWARD)
        link->mode[r] = PERP_MODE_BACKWARD;
}

/* Sets the modes of which the laws are sure; how many they are not sure of. on = 2 marks those. */
static int set_sure(perp_index_sets *sets)
{
    const perp_step *step = sets->m->step;
    int unknown = 0;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        for (int r = 0; is_contact(link) && r < link->relations; r++) {
            link->on[r] = 0;
            if (link->mode[r] == PERP_MODE_OPEN)
                continue;
            verdict said = judge(sets, link, r, 1.0);
            link->on[r] = said == UNKNOWN ? 2 : 1;
            unknown += said == UNKNOWN;
            set_mode(link, r, said);
        }
    }
    return unknown;
}

/* Cases 1.2.2.3, 1.3.3, 2.2.3: where the motion goes if the contacts keep their modes for a little
 * while, the laws there show the next derivative. */
static perp_status look_ahead(perp_index_sets *sets, double t)
{
    perp_mechanics *m = sets->m;
    double dt = 1e-4 * m->step->h;
    perp_mechanics_pack(sets->x, m);
    m->level = PERP_LEVEL_UNILATERAL;
    perp_status status = perp_mechanics_rate(sets->dx, m, t, sets->x);
    for (int i = 0; i < m->nx; i++)
        sets->dx[i] = sets->x[i] + dt * sets->dx[i];
    perp_mechanics_unpack(m, sets->dx);
    if (status == PERP_SOLVED)
        status = laws_on_accelerations(sets, t + dt);
    return status;
}

static perp_status set_unknown(perp_index_sets *sets)
{
    const perp_step *step = sets->m->step;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        for (int r = 0; is_contact(link) && r < link->relations; r++) {
            if (link->on[r] != 2)
                continue;
            verdict said = judge(sets, link, r, 1e-3);
            link->on[r] = 1;
            if (said == UNKNOWN && sets->scheme->undetermined == PERP_UNDETERMINED_STOP)
                return perp_step_refuse(sets->m->step, PERP_UNDETERMINED, "interaction", link->slot,
                                        "force and acceleration are 0 and stay so");
            set_mode(link, r, said);
        }
    }
    return PERP_SOLVED;
}

/* Modes of I_s by the laws on accelerations (28). */
static perp_status choose_modes(perp_index_sets *sets, double t)
{
    perp_status status = laws_on_accelerations(sets, t);
    if (status != PERP_SOLVED || set_sure(sets) == 0)
        return status;
    status = look_ahead(sets, t);
    if (status == PERP_SOLVED)
        status = set_unknown(sets);
    perp_mechanics_unpack(sets->m, sets->x);
    return status;
}

perp_status perp_index_sets_settle(perp_index_sets *sets, double *past)
{
    perp_step *step = sets->m->step;
    perp_index_sets_measure(sets);
    step->stepper->info.events++;
    perp_status status = pass_impacts(sets, past);
    double t = step->t + *past;
    if (status == PERP_SOLVED && find_resting(sets)) {
        /* Also those that will open: with u a little below 0 they would come back at once. */
        status = perp_mechanics_project(sets->m, t);
        if (status == PERP_SOLVED)
            status = choose_modes(sets, t);
        if (status == PERP_SOLVED)
            status = perp_step_outputs(step, t);
    }
    return status;
}
