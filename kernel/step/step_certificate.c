/* SPDX-License-Identifier: BSD-3-Clause */
/* The certificate of a step: what schemes say of it goes into the sums of the run. */
#include "kernel/step/step_certificate.h"
#include "kernel/step/step_parts.h"

#include <string.h>

static perp_certificate *of(const perp_step *step)
{
    return &step->stepper->certificate;
}

static perp_status refused(perp_step *step, const char *what, int slot)
{
    return perp_step_callback_refused(step, PERP_INTERRUPTED, what, slot);
}

void perp_step_certificate_begin(perp_step *step)
{
    perp_impacts_clear(&of(step)->impacts, step->t, step->h);
    perp_certificate_begin(of(step), step->t_end, step->h);
}

/* The equation of motion of each system, as far as the scheme states it. */
static perp_status state_motion(perp_step *step, int scheme)
{
    const perp_integrator *integrator = step->stepper->integrators[scheme];
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        perp_ledger *ledger = &s->ledger;
        long evaluations = s->evaluations;
        if (s->scheme != scheme)
            continue;
        perp_balance balance = {.change = ledger->change,
                                .driven = ledger->driven,
                                .mean = ledger->mean,
                                .weight = 0.5,
                                .before = s->v[PERP_START]};
        int said = integrator->balance ? integrator->balance(step, s, &balance) : 0;
        ledger->stated = 0;
        ledger->shifted = 0.0;
        s->evaluations = evaluations; /* those of the scheme count */
        if (said < 0 || (said > 0 && perp_certificate_motion(of(step), s, &balance)))
            return refused(step, "system", s->slot);
        of(step)->step.silent_motion |= said == 0;
        of(step)->step.silent_energy |= balance.staggered;
    }
    return PERP_SOLVED;
}

static int all_stated(const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++)
        if (!link->systems[k]->ledger.stated)
            return 0;
    return 1;
}

/* The motion of its systems cannot be judged without the impulse. */
static void silence(perp_step *step, const perp_link *link)
{
    of(step)->step.silent_impulse = of(step)->step.silent_motion = 1;
    for (int k = 0; k < link->nsystems; k++)
        link->systems[k]->ledger.stated = 0;
}

/* Non-zero: refused. */
static int swing_of(const perp_step *step, perp_link *link, perp_pairing *pairing)
{
    if (!perp_link_has_drift(link))
        return 0;
    double *swing = perp_certificate_swing(of(step), link);
    pairing->swing = swing;
    return perp_link_swing(swing, link, step->t, step->h, perp_link_gather_x(link, PERP_START),
                           link->lambda_start);
}

/* H and drift where the part `at` of the free motion leads.  Non-zero: refused. */
static int jacobian_at(const perp_step *step, perp_link *link, double at, perp_pairing *pairing)
{
    double *x = link->X, t = step->t + at * step->h;
    for (int k = 0; k < link->nsystems; x += link->systems[k++]->nq) {
        const perp_system *s = link->systems[k];
        perp_system_move(x, s, s->q[PERP_START], s->v[PERP_START], at * step->h);
    }
    return perp_link_jacobian(pairing->H, link, t, link->X, link->lambda_start) ||
           perp_link_drift(pairing->drift, link, t, link->X, link->lambda_start);
}

static perp_status state_impulses(perp_step *step, int scheme)
{
    const perp_integrator *integrator = step->stepper->integrators[scheme];
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        perp_pairing pairing;
        if (!link->active || link->systems[0]->scheme != scheme)
            continue;
        int said = 0;
        if (integrator->paired && all_stated(link)) {
            perp_certificate_pairing(of(step), link, &pairing);
            pairing.tolerance = step->stepper->settings.tol;
            said = integrator->paired(step, link, &pairing);
        }
        if (said > 0 && pairing.staged && swing_of(step, link, &pairing))
            said = -1;
        if (said < 0)
            return refused(step, "interaction", link->slot);
        if (!said)
            silence(step, link);
        else if (perp_certificate_impulse(of(step), link, &pairing)) {
            if (jacobian_at(step, link, 0.0, &pairing))
                return refused(step, "interaction", link->slot);
            perp_certificate_unstruck_impulse(of(step), link, &pairing);
        }
    }
    return PERP_SOLVED;
}

static perp_status state_strike(perp_step *step, int stage, const perp_strike *strike)
{
    perp_link *link = strike->link;
    perp_pairing pairing;
    int timed = perp_certificate_is_timed(of(step), stage, strike);
    perp_certificate_pairing(of(step), link, &pairing);
    if (timed && jacobian_at(step, link, 0.0, &pairing))
        return refused(step, "interaction", link->slot);
    if (timed)
        perp_certificate_time(of(step), strike, &pairing);
    if (jacobian_at(step, link, strike->at, &pairing))
        return refused(step, "interaction", link->slot);
    perp_certificate_strike(of(step), strike, &pairing);
    return PERP_SOLVED;
}

static perp_status state_stage(perp_step *step, int stage)
{
    const perp_impacts *impacts = &of(step)->impacts;
    perp_status status = PERP_SOLVED;
    perp_certificate_begin_stage(of(step), stage);
    for (int k = perp_impacts_first_strike(impacts, stage);
         k < impacts->stages[stage].strikes && status == PERP_SOLVED; k++)
        status = state_strike(step, stage, &impacts->strikes[k]);
    if (status == PERP_SOLVED &&
        perp_certificate_end_stage(of(step), stage, step->stepper->settings.tol))
        return refused(step, "system", -1);
    return status;
}

static int has_velocities(const perp_system *s, int scheme)
{
    return s->scheme == scheme && s->kind != PERP_SYSTEM_FIRST_ORDER;
}

/* Impacts before the smooth step: what they made of the velocities. */
static perp_status state_impacts(perp_step *step, int scheme)
{
    const perp_impacts *impacts = &of(step)->impacts;
    perp_status status = PERP_SOLVED;
    int any = 0;
    for (int k = 0; k < impacts->nstages; k++)
        any |= impacts->stages[k].scheme == scheme;
    for (int k = 0; k < step->nsystems && !any; k++)
        any |= step->systems[k]->scheme == scheme && perp_certificate_jumped(step->systems[k]);
    for (int k = 0; k < step->nsystems && any; k++)
        if (has_velocities(step->systems[k], scheme))
            perp_certificate_begin_jumps(step->systems[k]);
    for (int k = 0; k < impacts->nstages && status == PERP_SOLVED; k++)
        if (impacts->stages[k].scheme == scheme)
            status = state_stage(step, k);
    for (int k = 0; k < step->nsystems && any && status == PERP_SOLVED; k++) {
        perp_system *s = step->systems[k];
        if (!has_velocities(s, scheme))
            continue;
        if (s->ledger.stated && perp_certificate_jump(of(step), s))
            return refused(step, "system", s->slot);
        memset(s->ledger.magnitude, 0, sizeof(double) * (size_t)s->nv);
        memset(s->ledger.input, 0, sizeof(double) * (size_t)s->nv);
    }
    return status;
}

perp_status perp_step_certify(perp_step *step, int scheme)
{
    perp_status status = state_motion(step, scheme);
    if (status == PERP_SOLVED)
        status = state_impacts(step, scheme);
    if (status == PERP_SOLVED)
        status = state_impulses(step, scheme);
    if (status == PERP_SOLVED && perp_step_is_part(step))
        status = perp_step_add_inputs(step);
    if (status != PERP_SOLVED)
        return status;
    for (int k = 0; k < step->nsystems; k++)
        if (step->systems[k]->scheme == scheme && step->systems[k]->ledger.stated &&
            !perp_system_is_guest(step->systems[k]))
            perp_certificate_balance(of(step), step->systems[k]);
    if (perp_step_is_part(step))
        status = perp_step_add_islands(step, scheme);
    for (int k = 0; k < step->nsystems && status == PERP_SOLVED; k++)
        if (step->systems[k]->scheme == scheme && step->systems[k]->ledger.stated)
            perp_certificate_island(of(step), step->systems[k]);
    return status;
}

/* The jump of one system by the impulses of an impact. */
static perp_status state_jump(perp_step *step, perp_system *s)
{
    perp_ledger *ledger = &s->ledger;
    size_t bytes = sizeof(double) * (size_t)s->nv;
    perp_balance balance = {.change = ledger->change,
                            .driven = ledger->driven,
                            .mean = ledger->mean,
                            .weight = 0.5,
                            .before = ledger->kept,
                            .staggered = 1,
                            .still = 1};
    memset(ledger->driven, 0, bytes);
    memset(ledger->mean, 0, bytes);
    for (int i = 0; i < s->nv; i++)
        s->work[i] = s->v[PERP_NOW][i] - ledger->kept[i];
    if (perp_system_mass_apply(ledger->change, s, s->q[PERP_NOW], s->work) ||
        perp_certificate_motion(of(step), s, &balance))
        return refused(step, "system", s->slot);
    return PERP_SOLVED;
}

static perp_status state_impact(perp_step *step, perp_link *link, double t)
{
    perp_pairing pairing;
    perp_certificate_pairing(of(step), link, &pairing);
    const double *x = perp_link_gather_x(link, PERP_NOW);
    if (perp_link_jacobian(pairing.H, link, t, x, link->lambda) ||
        (perp_link_has_drift(link) && perp_link_drift(pairing.drift, link, t, x, link->lambda)))
        return refused(step, "interaction", link->slot);
    double *v = link->V;
    for (int k = 0; k < link->nsystems; v += link->systems[k++]->nv)
        memcpy(v, link->systems[k]->ledger.kept, sizeof(double) * (size_t)link->systems[k]->nv);
    perp_link_rate(link->spare, link, pairing.H, link->V, pairing.drift);
    perp_law_restitution(pairing.offset, &link->law, link->spare, link->rows);
    memcpy(pairing.impulse, link->lambda, sizeof(double) * (size_t)link->rows);
    pairing.lawful = 1;
    pairing.at = PERP_NOW;
    pairing.tolerance = step->stepper->settings.tol;
    perp_certificate_impulse(of(step), link, &pairing);
    return PERP_SOLVED;
}

perp_status perp_step_certify_impact(perp_step *step, double t)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < step->nsystems && status == PERP_SOLVED; k++)
        status = state_jump(step, step->systems[k]);
    for (int k = 0; k < step->nlinks && status == PERP_SOLVED; k++)
        if (step->links[k]->active)
            status = state_impact(step, step->links[k], t);
    for (int k = 0; k < step->nsystems && status == PERP_SOLVED; k++)
        perp_certificate_balance(of(step), step->systems[k]);
    for (int k = 0; k < step->nsystems && status == PERP_SOLVED; k++)
        perp_certificate_island(of(step), step->systems[k]);
    return status;
}

perp_status perp_step_moved(perp_step *step, int scheme, perp_moved what, int done)
{
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        if (s->scheme != scheme || s->kind == PERP_SYSTEM_FIRST_ORDER)
            continue;
        int velocities = what == PERP_MOVED_VELOCITIES;
        const double *x = velocities ? s->v[PERP_NOW] : s->q[PERP_NOW];
        size_t bytes = sizeof(double) * (size_t)(velocities ? s->nv : s->nq);
        if (!done)
            memcpy(s->ledger.kept, x, bytes);
        else if (memcmp(s->ledger.kept, x, bytes) != 0 &&
                 perp_certificate_moved(of(step), s, velocities))
            return refused(step, "system", s->slot);
    }
    return PERP_SOLVED;
}

void perp_step_resolution(perp_step *step, double h_omega)
{
    perp_certificate_note(of(step), PERP_MEASURE_resolution, h_omega, NULL, NULL);
}

void perp_step_replaced(perp_step *step)
{
    of(step)->sums.silent_motion++;
    of(step)->sums.silent_impulse++;
}

/* Jacobians that may be checked in a step. */
static int budget(const perp_step *step)
{
    return 2 + step->nlinks / 32;
}

static perp_status outputs(perp_step *step, int stepped)
{
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        if (perp_certificate_outputs(of(step), link, stepped, budget(step)))
            return refused(step, "interaction", link->slot);
    }
    for (int k = 0; k < step->nsystems; k++)
        perp_certificate_spin(of(step), step->systems[k]);
    return PERP_SOLVED;
}

perp_status perp_step_certificate_end(perp_step *step)
{
    perp_status status = outputs(step, 1);
    if (status == PERP_SOLVED && step->stepper->parts.total)
        status = perp_step_add_energies(step);
    if (status == PERP_SOLVED && step->stepper->parts.total)
        status = perp_step_share_measures(step);
    if (status == PERP_SOLVED)
        perp_certificate_commit(of(step));
    return status;
}

perp_status perp_step_certificate_march(perp_step *step)
{
    int silent = of(step)->commits == 0 || step->stepper->march->between;
    if (of(step)->commits > 0) /* else there are impacts in it */
        perp_certificate_begin(of(step), step->t_end, step->h);
    of(step)->step.silent_motion = of(step)->step.silent_impulse = silent;
    perp_status status = outputs(step, 0);
    if (status == PERP_SOLVED)
        perp_certificate_commit(of(step));
    return status;
}
