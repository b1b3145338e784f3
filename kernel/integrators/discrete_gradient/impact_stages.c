/* SPDX-License-Identifier: BSD-3-Clause */
/* Impacts within a step, in stages: contacts that close in it strike in the order of their times
 * (impact_times.c), then those that close by what came out, until none is left.  Each stage is
 * Newton's law with friction on its own contacts at their time t = tau h,
 *
 *     M dv = H' p + G' mu,   G dv = 0,   0 <= u+ + e u- perp p >= 0,   u- = H (v' + tau change),
 *
 * with all others left alone, so that what strikes a row of touching balls leaves at its end.
 * Contacts without restitution that are closed take part, since they would only be struck next.
 * With impacts = newton all that are closed do, at rest before; with poisson they do under another
 * law (impact_expansion.c).
 * H is that of the free motion at the time of the first strike of its contact.
 *
 * Impulses late in a step move less: vb = theta v + (1 - theta) v' - lag, lag = sum of tau dv.
 * With M constant and joints and contacts that do no work on vb the energy of a step grows by
 *
 *     sum of dv'M (v' + dv/2) + lag'M (v - v') = sum of p . (u- + u+)/2
 *
 * where v - v' is `change`, that is exactly what the impacts take.  Where it is not (contacts that
 * rest after the impact, forces that depend on q) and that sum is positive the impacts are made
 * again with the change that came out, at last at the start of the step, lag = 0.  In groups of a
 * stage where friction at several contacts makes p . (u- + u+)/2 positive restitution is left out.
 *
 * Approaches slower than the forces, the acceleration of a surface that moves with time, or the
 * turn of a normal cause within a step are left to the gap law: they end plastically, and so do
 * impacts that accumulate.  Where an island has more than four for each of its contacts (and 40, or
 * 2000 where it has few), as of a light body that two heavy ones close in on, the rest are made
 * without restitution, and what was struck so closes no more.
 */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/squeeze.h"
#include "kernel/step/stepper.h"

/* Times that groups of a stage get less restitution. */
enum { CORRECTIONS = 4 };
/* Part of the coefficients of restitution. */
static const double NEARLY = 1.0 - 1e-7;
/* Of the largest impulse of a stage whose impulses are beyond all momenta. */
static const double JAMMED = 1e-3;

int perp_dg_may_strike(const perp_link *link)
{
    return perp_dg_role_of(link) == PERP_DG_CONTACT && perp_law_is_impact(&link->law) &&
           !perp_law_is_soft(&link->law);
}

/* May relation i strike?  By rates of the last output; the bound of acceleration of a point needs
 * no Jacobian. */
static int closes(const perp_dg *dg, const perp_link *link, int i)
{
    double h = dg->h, u = link->u_start[i];
    double none = perp_link_is_coordinate(link) ? perp_dg_no_approach(dg, link) : 0.0;
    return u < -none && link->y_start[i] <= -1.5 * h * u &&
           (link->relation.kind != PERP_RELATION_CONTACT ||
            u < -h * perp_dg_acceleration(link, link->H, i));
}

static int any_closing(const perp_dg *dg)
{
    for (int k = 0; k < dg->nlinks; k++) {
        const perp_link *link = dg->links[k];
        for (int i = 0; perp_dg_may_strike(link) && i < link->rows; i += link->law.dim)
            if (closes(dg, link, i))
                return 1;
    }
    return 0;
}

double *perp_dg_hit_impulses(perp_dg *dg, perp_link *link, double time)
{
    int rows = link->rows;
    if (link->hit < 0) {
        int first =
            dg->nhits ? dg->hits[dg->nhits - 1].first + 4 * dg->hits[dg->nhits - 1].link->rows : 0;
        if (!perp_pool_grow(dg->pool, (void **)&dg->hits, &dg->capacity_hits, dg->nhits + 1,
                            sizeof *dg->hits) ||
            !perp_pool_grow(dg->pool, (void **)&dg->hit_block, &dg->capacity_hit_block,
                            first + 4 * rows, sizeof(double)))
            return NULL;
        memset(dg->hit_block + first, 0, 4 * sizeof(double) * (size_t)rows);
        link->hit = dg->nhits;
        dg->hits[dg->nhits++] = (perp_dg_hit){link, time, first};
    }
    return dg->hit_block + dg->hits[link->hit].first;
}

int perp_dg_hit_jacobian(const perp_step *step, perp_link *link, double time, double *H,
                         double *drift)
{
    double *x = link->X, t = step->t + time * step->h;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        perp_system_move(x, s, s->q[PERP_START], s->v[PERP_START], time * step->h);
        x += s->nq;
    }
    return perp_link_jacobian(H, link, t, link->X, link->lambda_start) ||
           perp_link_drift(drift, link, t, link->X, link->lambda_start);
}

/* u- without the drift: H (v' + tau change), of row i of left. */
static double approach(const perp_dg *dg, const perp_link *link, int i, double tau)
{
    double u = 0.0;
    const double *H = link->left + i;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const double *change = dg->flights[s->place].change;
        for (int j = 0; j < s->nv; j++, H += link->rows)
            u += *H * (s->v_kept[j] + tau * change[j]);
    }
    return u;
}

double perp_dg_lag_time(const perp_dg *dg, const perp_link *link)
{
    const perp_system *s = link->systems[0];
    return perp_dg_is_early(dg, s) ? 0.0 : perp_dg_strike_time(dg, s);
}

double perp_dg_time_of(const perp_dg *dg, const perp_link *link, int r)
{
    int own = link->mode[r] & PERP_DG_STRUCK && !perp_dg_is_early(dg, link->systems[0]);
    return own ? dg->when[link->first_relation + r] : perp_dg_lag_time(dg, link);
}

/* What the law adds to H v+ in row i; u is the drift.  restitution: the part of e, of e_t. */
static double offset_of(const perp_dg *dg, const perp_link *link, int i,
                        const double restitution[2])
{
    int normal = i % link->law.dim == 0;
    double e = normal ? link->law.e : link->law.e_t,
           tau = perp_dg_time_of(dg, link, i / link->law.dim);
    double before = link->u[i] + approach(dg, link, i, tau);
    double late = before - approach(dg, link, i, 0.0);
    if (!(link->mode[i / link->law.dim] & PERP_DG_STRUCK))
        return late;
    return late + restitution[!normal] * e * (normal ? fmin(before, 0.0) : before);
}

/* The rows of a contact of the stage; its other relations keep empty ones.  Non-zero: refused. */
static int strike_rows(const perp_step *step, const perp_dg *dg, perp_link *link,
                       const double restitution[2])
{
    int rows = link->rows, dim = link->law.dim;
    double at = dg->hits[link->hit].time;
    if (perp_dg_hit_jacobian(step, link, at, link->left, link->u))
        return 1;
    for (int i = 0; i < rows; i++) {
        int on = link->on[i / dim];
        link->offset[i] = on ? offset_of(dg, link, i, restitution) : i % dim == 0;
        for (int j = 0; !on && j < link->nv; j++)
            link->left[i + j * rows] = 0.0;
    }
    link->symmetric = 1;
    link->own_restitution = 1;
    return 0;
}

/* Rows of all contacts of the stage, which perp_dg_next_strikes() marked. */
perp_status perp_dg_stage_rows(perp_step *step, perp_dg *dg, double normal, double tangential)
{
    for (int k = 0; k < dg->stage.nlinks; k++) {
        perp_link *link = dg->stage.links[k];
        double first = 1.0, part = perp_dg_group_of(dg, link)->part;
        const double restitution[] = {part * normal, part * tangential};
        memset(link->lambda, 0, sizeof(double) * (size_t)link->rows);
        for (int r = 0; r < link->relations; r++)
            first = link->on[r] ? fmin(first, perp_dg_time_of(dg, link, r)) : first;
        if (!perp_dg_hit_impulses(dg, link, first))
            return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
        if (strike_rows(step, dg, link, restitution))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
    }
    return PERP_SOLVED;
}

/* From residual, v_kept and the targets of the joints: impulses of the active contacts in s->p, and
 * with them the increments of the velocities in work of the systems.  residual += p. */
perp_status perp_dg_stage_solve(perp_step *step, perp_dg *dg, perp_one_step *one)
{
    perp_dg_increment(dg);
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++)
            s->free[i] = s->v_kept[i] + s->work[i];
    }
    perp_status status = perp_dg_solve(step, dg, one);
    if (status != PERP_SOLVED)
        return status;
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++)
            s->residual[i] += s->p[i];
    }
    perp_dg_increment(dg);
    return PERP_SOLVED;
}

void perp_dg_clear_residuals(const perp_dg *dg)
{
    for (int k = 0; k < dg->nopen; k++)
        memset(dg->open[k]->residual, 0, sizeof(double) * (size_t)dg->open[k]->nv);
}

/* By Newton's law with this part of the coefficients of restitution, and that of each group. */
static perp_status newton_stage(perp_step *step, perp_dg *dg, double restitution)
{
    perp_status status = perp_dg_stage_rows(step, dg, restitution, restitution);
    if (status != PERP_SOLVED)
        return status;
    perp_dg_joint_targets(dg);
    perp_dg_clear_residuals(dg);
    return perp_dg_stage_solve(step, dg, &dg->impact);
}

/* Work p . (u- + u+)/2 of a contact of the stage on its relative motion; its scale is added. */
static double work_of(const perp_dg *dg, const perp_link *link, double *scale)
{
    double work = 0.0;
    for (int i = 0; i < link->rows; i++) {
        double p = link->lambda[i], tau = perp_dg_time_of(dg, link, i / link->law.dim);
        const double *H = link->left + i;
        work += p * link->u[i];
        *scale += fabs(p * link->u[i]);
        for (int m = 0; p != 0.0 && m < link->nsystems; m++) {
            const perp_system *s = link->systems[m];
            const double *change = dg->flights[s->place].change;
            for (int j = 0; j < s->nv; j++, H += link->rows) {
                double part = p * *H * (s->v_kept[j] + 0.5 * s->work[j] + tau * change[j]);
                work += part;
                *scale += fabs(part);
            }
        }
    }
    return work;
}

/* Groups whose contacts would give energy get less restitution, if they have some: how many.  What
 * the tolerances of solves make of e = 1 is no reason to leave it out. */
static int lower(const perp_dg *dg)
{
    int count = 0;
    for (int k = 0; k < dg->stage.nlinks; k++) {
        perp_dg_flight *group = perp_dg_group_of(dg, dg->stage.links[k]);
        group->work = group->scale = 0.0;
    }
    for (int k = 0; k < dg->stage.nlinks; k++) {
        perp_dg_flight *group = perp_dg_group_of(dg, dg->stage.links[k]);
        group->work += work_of(dg, dg->stage.links[k], &group->scale);
    }
    for (int k = 0; k < dg->stage.nlinks; k++) {
        perp_dg_flight *group = perp_dg_group_of(dg, dg->stage.links[k]);
        if (group->work <= 1e-12 * group->scale || group->part == 0.0)
            continue;
        group->part = group->part == 1.0 ? NEARLY : 0.0;
        group->work = 0.0; /* of its other contacts: done */
        count++;
    }
    return count;
}

static double largest_impulse(const perp_link *link)
{
    double largest = 0.0;
    for (int i = 0; i < link->rows; i++)
        largest = fmax(largest, fabs(link->lambda[i]));
    return largest;
}

/* A bounce and friction contradict each other where a mechanism lets a contact move along the edge
 * of its cone or inside it alone: what the solver has then are impulses of any size, which joints
 * and friction hold among themselves.  Groups with such get no restitution: how many. */
static int leave_jammed(const perp_dg *dg)
{
    double largest = 0.0;
    int count = 0;
    if (dg->njoints == 0 || !perp_squeeze_is_likely(&dg->impact, dg->h))
        return 0;
    for (int k = 0; k < dg->stage.nlinks; k++)
        largest = fmax(largest, largest_impulse(dg->stage.links[k]));
    for (int k = 0; k < dg->stage.nlinks; k++) {
        perp_dg_flight *group = perp_dg_group_of(dg, dg->stage.links[k]);
        if (group->part == 0.0 || largest_impulse(dg->stage.links[k]) < JAMMED * largest)
            continue;
        group->part = 0.0;
        count++;
    }
    return count;
}

/* Of all groups but those of islands whose impacts end plastically; 1: there are such. */
static int set_parts(const perp_dg *dg, double part)
{
    int any = 0;
    for (int k = 0; k < dg->stage.nlinks; k++) {
        const perp_link *link = dg->stage.links[k];
        int plastic = perp_dg_island_of(dg, link->systems[0])->plastic;
        perp_dg_group_of(dg, link)->part = plastic ? 0.0 : part;
        any |= plastic;
    }
    return any;
}

perp_status perp_dg_add_strike_work(perp_step *step, perp_dg *dg)
{
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        perp_dg_island *island = perp_dg_island_of(dg, s);
        if (perp_system_mass_apply(s->free, s, s->q[PERP_START], s->work))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "system", s->slot);
        for (int i = 0; i < s->nv; i++) {
            island->work += s->free[i] * (s->v_kept[i] + 0.5 * s->work[i]);
            island->scale += fabs(s->free[i]) * (fabs(s->v_kept[i]) + fabs(s->work[i]));
        }
    }
    return PERP_SOLVED;
}

void perp_dg_take_increment(const perp_dg *dg)
{
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++)
            s->v_kept[i] += s->work[i];
    }
}

/* The impulses of the stage for the report; of a joint those are the increments. */
static int note_impulses(perp_dg *dg)
{
    for (int k = 0; k < dg->stage.nlinks; k++) {
        perp_link *link = dg->stage.links[k];
        double *hit = perp_dg_hit_impulses(dg, link, 0.0); /* is there */
        for (int i = 0; hit && i < link->rows; i++) {
            hit[i] += link->lambda[i];
            perp_dg_island_of(dg, link->systems[0])->work += link->lambda[i] * link->u[i];
            hit[link->rows + i] += link->lambda[i] * perp_dg_lag_time(dg, link);
        }
    }
    return perp_dg_note_joint_impulses(dg);
}

/* lag += sum of tau dv. */
static void add_lags(perp_step *step, perp_dg *dg)
{
    perp_dg_clear_targets(dg);
    perp_dg_clear_residuals(dg);
    for (int k = 0; k < dg->stage.nlinks; k++) {
        const perp_link *link = dg->stage.links[k];
        const double *H = link->left;
        for (int m = 0; m < link->nsystems; m++) {
            perp_system *s = link->systems[m];
            for (int j = 0; j < s->nv; j++, H += link->rows)
                for (int i = 0; i < link->rows; i++)
                    s->residual[j] += H[i] * link->lambda[i] * perp_dg_lag_time(dg, link);
        }
    }
    perp_dg_increment(dg);
    perp_dg_record_lags(step, dg);
    for (int k = 0; k < dg->nopen; k++) {
        perp_system *s = dg->open[k];
        for (int i = 0; i < s->nv; i++)
            dg->flights[s->place].lag[i] += s->work[i];
    }
    for (int k = 0; k < dg->njoints; k++) {
        const perp_link *link = dg->joints[k];
        const double *mu = perp_dg_joint_increment(dg, link);
        double *hit = dg->hit_block + dg->hits[link->hit].first;
        for (int i = 0; i < link->rows; i++)
            hit[link->rows + i] += mu[i];
    }
}

/* A follower sees that systems that are not in the stage have no increments. */
static void show_struck(perp_step *step, const perp_dg *dg)
{
    int in_stage = 0;
    for (int k = 0; step->stepper->follower.part && k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        if (in_stage < dg->nopen && dg->open[in_stage] == s) {
            in_stage++;
            continue;
        }
        memset(s->work, 0, sizeof(double) * (size_t)s->nv);
        memset(s->residual, 0, sizeof(double) * (size_t)s->nv);
    }
    perp_dg_show(step, dg, PERP_PART_STRUCK);
}

/* The velocities after the stage. */
static perp_status accept_stage(perp_step *step, perp_dg *dg, perp_impact_kind kind,
                                double restitution)
{
    perp_status status = perp_dg_record_stage(step, dg, kind, restitution);
    if (status == PERP_SOLVED)
        status = perp_dg_add_strike_work(step, dg);
    if (status != PERP_SOLVED)
        return status;
    if (!note_impulses(dg))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    show_struck(step, dg);
    perp_dg_take_increment(dg);
    perp_dg_note_idle(dg);
    for (int k = 0; k < dg->nopen; k++) {
        double time = perp_dg_strike_time(dg, dg->open[k]);
        if (time <= 1.0 && !perp_dg_is_early(dg, dg->open[k]))
            dg->flights[dg->open[k]->place].time = time;
    }
    if (perp_dg_stage_has_times(dg)) {
        add_lags(step, dg);
        perp_dg_show(step, dg, PERP_PART_LAGGED);
    }
    step->stepper->info.impacts++;
    return PERP_SOLVED;
}

/* Poisson's law; *ended = 0: it was not found. */
static perp_status poisson_stage(perp_step *step, perp_dg *dg, int *ended)
{
    perp_status status = newton_stage(step, dg, 0.0);
    if (status == PERP_SOLVED)
        status = perp_dg_record_stage(step, dg, PERP_IMPACT_COMPRESSION, 0.0);
    return status == PERP_SOLVED ? perp_dg_expand(step, dg, ended) : status;
}

static perp_status stage(perp_step *step, perp_dg *dg)
{
    perp_impacts *told = &step->stepper->certificate.impacts;
    int plastic = set_parts(dg, 1.0), ended = 1;
    int poisson = dg->scheme->impacts == PERP_IMPACTS_POISSON && !plastic;
    perp_impact_kind kind = poisson ? PERP_IMPACT_EXPANSION : PERP_IMPACT_NEWTON;
    int before = told->nstages;
    perp_status status = poisson ? poisson_stage(step, dg, &ended) : newton_stage(step, dg, 1.0);
    for (int k = 0; k < CORRECTIONS && status == PERP_SOLVED; k++) {
        if (leave_jammed(dg) + lower(dg) == 0 && ended)
            break;
        perp_impacts_shorten(told, before);
        if (kind == PERP_IMPACT_EXPANSION)
            set_parts(dg, 0.0);
        kind = PERP_IMPACT_NEWTON;
        ended = 1;
        status = newton_stage(step, dg, 1.0);
    }
    return status == PERP_SOLVED ? accept_stage(step, dg, kind, 1.0) : status;
}

/* Rates of all contacts by v_k: Jacobians in H, drifts in spare, their changes in swing, in u the
 * rates. */
static perp_status start_rates(perp_step *step, const perp_dg *dg)
{
    perp_dg_forget_ahead(dg);
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        if (perp_dg_may_strike(link) &&
            (perp_link_swing(link->swing, link, step->t, dg->h,
                             perp_link_gather_x(link, PERP_START), link->lambda_start) ||
             perp_dg_start_rates(step, link) || perp_dg_find_turn(step, dg, link)))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
        for (int i = 0; perp_dg_may_strike(link) && i < link->rows; i++)
            if (isnan(link->u[i]))
                return perp_step_refuse(step, PERP_ERR_NUMERICAL, "interaction", link->slot,
                                        "the rate of its output is not a number");
    }
    return PERP_SOLVED;
}

static void forget_hits(perp_step *step, perp_dg *dg)
{
    perp_impacts_shorten(&step->stepper->certificate.impacts, dg->told);
    for (int k = 0; k < dg->nhits; k++)
        dg->hits[k].link->hit = -1;
    dg->nhits = 0;
}

/* change: that of the free motion, where it is not given. */
static perp_status begin(perp_step *step, perp_dg *dg, int attempt)
{
    if (!perp_dg_begin_flights(dg) || !perp_dg_begin_islands(dg, attempt))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    for (int k = 0; k < dg->nsystems; k++) {
        const perp_system *s = dg->systems[k];
        for (int i = 0; !perp_dg_change_is_given(dg, s) && i < s->nv; i++)
            dg->flights[k].change[i] = dg->h * s->v[PERP_GUESS][i];
    }
    return PERP_SOLVED;
}

static int all_given(const perp_dg *dg)
{
    for (int k = 0; k < dg->nsystems; k++)
        if (!perp_dg_change_is_given(dg, dg->systems[k]))
            return 0;
    return 1;
}

/* Masses, and what moves contacts in the step beside impacts. *struck: how many strike then. */
static perp_status ready(perp_step *step, perp_dg *dg, int *struck)
{
    perp_status status = perp_dg_set_masses(step, dg, PERP_START);
    if (status != PERP_SOLVED || all_given(dg))
        return status;
    status = perp_dg_predict(step, dg);
    if (status == PERP_SOLVED)
        *struck = perp_dg_next_strikes(dg, 0);
    return status;
}

static perp_status make_stages(perp_step *step, perp_dg *dg)
{
    perp_status status = PERP_SOLVED;
    for (int k = 0; status == PERP_SOLVED; k++) {
        int struck = perp_dg_next_strikes(dg, k);
        if (k == 0 && struck > 0)
            status = ready(step, dg, &struck);
        if (status != PERP_SOLVED || struck == 0)
            break;
        /* Without work to spend they are left to the gap law. */
        if (perp_stepper_is_spent(step->stepper)) {
            dg->cut = 1;
            break;
        }
        /* What is not carried any more strikes at other times. */
        while (status == PERP_SOLVED && struck > 0 && perp_dg_next_carrying(dg)) {
            perp_dg_show(step, dg, PERP_PART_CHOSEN);
            status = perp_dg_carry(step, dg);
            struck = perp_dg_next_strikes(dg, k);
        }
        if (status != PERP_SOLVED || struck == 0)
            continue;
        perp_dg_show(step, dg, PERP_PART_CHOSEN);
        status = stage(step, dg);
        if (k >= PERP_DG_ORDERED)
            perp_dg_end_idle(dg);
    }
    step->stepper->certificate.impacts.cut |= dg->cut;
    return status;
}

perp_status perp_dg_impacts(perp_step *step, perp_dg *dg, int attempt)
{
    int joints = perp_dg_joints_struck(dg);
    forget_hits(step, dg);
    if (!joints && !any_closing(dg))
        return PERP_SOLVED;
    perp_status status = begin(step, dg, attempt);
    if (status == PERP_SOLVED && joints)
        status = perp_dg_strike_joints(step, dg);
    if (status == PERP_SOLVED)
        status = start_rates(step, dg);
    if (status == PERP_SOLVED)
        status = make_stages(step, dg);
    dg->open = dg->systems;
    dg->nopen = dg->nsystems;
    for (int k = 0; k < dg->nlinks; k++)
        perp_dg_clear_marks(dg->links[k]);
    return status;
}
