/* SPDX-License-Identifier: BSD-3-Clause */
/* What the stages of impacts were, for the certificate: kernel/certificate/impacts.h. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

static perp_impacts *impacts_of(perp_step *step)
{
    return &step->stepper->certificate.impacts;
}

static int is_zero(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0.0)
            return 0;
    return 1;
}

static int record_contact(perp_impacts *impacts, perp_dg *dg, perp_link *link,
                          perp_impact_kind kind, double restitution)
{
    int rows = link->rows;
    double *own = perp_impacts_strike(impacts, dg->pool, link, dg->hits[link->hit].time);
    if (!own)
        return 0;
    double *time = own + 4 * rows, *part = time + link->relations;
    double own_part = perp_dg_group_of(dg, link)->part * restitution;
    int plastic = perp_dg_island_of(dg, link->systems[0])->plastic;
    for (int r = 0; r < link->relations; r++) {
        time[r] = link->on[r] ? perp_dg_time_of(dg, link, r) : -1.0;
        part[r] = link->mode[r] & PERP_DG_STRUCK ? own_part : 0.0;
        impacts->strikes[impacts->nstrikes - 1].ended |=
            plastic && (link->mode[r] & PERP_DG_STRUCK) != 0;
    }
    for (int i = 0; i < rows; i++) {
        own[i] = link->lambda[i];
        own[rows + i] =
            kind == PERP_IMPACT_COMPRESSION ? 0.0 : link->lambda[i] * perp_dg_lag_time(dg, link);
    }
    return 1;
}

/* The increments of a joint. */
static int record_joint(perp_impacts *impacts, perp_dg *dg, perp_link *link, perp_impact_kind kind)
{
    const double *mu = perp_dg_joint_increment(dg, link);
    int paired = kind == PERP_IMPACT_COMPRESSION || kind == PERP_IMPACT_EXPANSION;
    if (!paired && is_zero(mu, link->rows))
        return 1;
    double *own = perp_impacts_strike(impacts, dg->pool, link, 0.0);
    if (own)
        memcpy(own, mu, sizeof(double) * (size_t)link->rows);
    return own != NULL;
}

static int record_systems(perp_impacts *impacts, perp_dg *dg, perp_impact_kind kind)
{
    int paired = kind == PERP_IMPACT_COMPRESSION || kind == PERP_IMPACT_EXPANSION;
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        double time = kind == PERP_IMPACT_JOINTS ? HUGE_VAL : perp_dg_strike_time(dg, s);
        if (!paired && !(time <= 1.0) && is_zero(s->work, s->nv))
            continue;
        time = time <= 1.0 ? (perp_dg_is_early(dg, s) ? 0.0 : time) : -1.0;
        double *own = perp_impacts_jump(impacts, dg->pool, s, time);
        if (!own)
            return 0;
        memcpy(own, s->work, sizeof(double) * (size_t)s->nv);
        memcpy(own + 2 * s->nv, dg->flights[s->place].change, sizeof(double) * (size_t)s->nv);
    }
    return 1;
}

/* An expansion is the whole stage without its compression, which has the same entries. */
static void leave_compression(perp_impacts *impacts)
{
    int stage = impacts->nstages - 1;
    const perp_strike *strike = impacts->strikes + perp_impacts_first_strike(impacts, stage);
    const perp_strike *strike_before =
        impacts->strikes + perp_impacts_first_strike(impacts, stage - 1);
    const perp_jump *jump = impacts->jumps + perp_impacts_first_jump(impacts, stage);
    const perp_jump *jump_before = impacts->jumps + perp_impacts_first_jump(impacts, stage - 1);
    for (; strike < impacts->strikes + impacts->nstrikes; strike++, strike_before++)
        for (int i = 0; i < strike->link->rows; i++)
            impacts->numbers[strike->first + i] -= impacts->numbers[strike_before->first + i];
    for (; jump < impacts->jumps + impacts->njumps; jump++, jump_before++)
        for (int i = 0; i < jump->system->nv; i++)
            impacts->numbers[jump->first + i] -= impacts->numbers[jump_before->first + i];
}

static perp_status no_memory(perp_step *step)
{
    return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
}

static int begin(perp_step *step, perp_dg *dg, perp_impact_kind kind)
{
    return perp_impacts_begin(impacts_of(step), dg->pool, (int)(dg->scheme - step->schemes), kind);
}

perp_status perp_dg_record_stage(perp_step *step, perp_dg *dg, perp_impact_kind kind,
                                 double restitution)
{
    perp_impacts *impacts = impacts_of(step);
    int done = begin(step, dg, kind);
    for (int k = 0; k < dg->stage.nlinks && kind != PERP_IMPACT_JOINTS && done; k++)
        done = record_contact(impacts, dg, dg->stage.links[k], kind, restitution);
    for (int k = 0; k < dg->njoints && done; k++)
        done = record_joint(impacts, dg, dg->joints[k], kind);
    if (!done || !record_systems(impacts, dg, kind))
        return no_memory(step);
    if (kind == PERP_IMPACT_EXPANSION)
        leave_compression(impacts);
    return PERP_SOLVED;
}

void perp_dg_record_lags(perp_step *step, const perp_dg *dg)
{
    perp_impacts *impacts = impacts_of(step);
    int stage = impacts->nstages - 1;
    for (int k = perp_impacts_first_jump(impacts, stage); k < impacts->njumps; k++) {
        const perp_system *s = impacts->jumps[k].system;
        memcpy(impacts->numbers + impacts->jumps[k].first + s->nv, s->work,
               sizeof(double) * (size_t)s->nv);
    }
    for (int k = perp_impacts_first_strike(impacts, stage); k < impacts->nstrikes; k++) {
        const perp_link *link = impacts->strikes[k].link;
        if (perp_dg_role_of(link) == PERP_DG_JOINT)
            memcpy(impacts->numbers + impacts->strikes[k].first + link->rows,
                   perp_dg_joint_increment(dg, link), sizeof(double) * (size_t)link->rows);
    }
}

static int record_carrying(perp_impacts *impacts, perp_dg *dg, perp_link *link)
{
    double tau = perp_dg_carrying_time(dg, link->systems[0]);
    int rows = link->rows;
    if (link->hit < 0 || !(tau > 0.0 && tau <= 1.0))
        return 1;
    const double *carry = dg->hit_block + dg->hits[link->hit].first + 2 * rows;
    if (is_zero(carry, rows))
        return 1;
    double *own = perp_impacts_strike(impacts, dg->pool, link, 0.0);
    for (int i = 0; own && i < rows; i++) {
        own[i] = tau * carry[i];
        own[rows + i] = 0.5 * tau * tau * carry[i];
    }
    for (int r = 0; own && r < link->relations; r++)
        own[4 * rows + r] = tau;
    return own != NULL;
}

perp_status perp_dg_record_carrying(perp_step *step, perp_dg *dg)
{
    perp_impacts *impacts = impacts_of(step);
    int done = begin(step, dg, PERP_IMPACT_CARRIED);
    for (int k = 0; k < dg->nlinks + dg->njoints && done; k++)
        done = record_carrying(impacts, dg,
                               k < dg->nlinks ? dg->links[k] : dg->joints[k - dg->nlinks]);
    for (int k = 0; k < dg->nsystems && done; k++) {
        perp_system *s = dg->systems[k];
        double tau = perp_dg_carrying_time(dg, s);
        if (!(tau <= 1.0) || is_zero(s->work, s->nv))
            continue;
        double *own = perp_impacts_jump(impacts, dg->pool, s, tau);
        for (int i = 0; own && i < s->nv; i++) {
            own[i] = s->work[i];
            own[s->nv + i] = 0.5 * tau * s->work[i];
        }
        done = own != NULL;
    }
    if (done && impacts->njumps == perp_impacts_first_jump(impacts, impacts->nstages - 1))
        perp_impacts_shorten(impacts, impacts->nstages - 1); /* nothing was carried */
    return done ? PERP_SOLVED : no_memory(step);
}
