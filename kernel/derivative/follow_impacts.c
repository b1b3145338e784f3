/* SPDX-License-Identifier: BSD-3-Clause */
/* Impacts in the stages of a discrete-gradient step, differentiated: the times at which contacts
 * close move with the state, and with them the Jacobians, the approaches and what late impulses
 * leave out of the mean velocity. */
#include <math.h>
#include <string.h>

#include "kernel/derivative/impact_desk.h"
#include "kernel/laws/law.h"
#include "kernel/step/stepper.h"

/* The last impact of the systems of a relation: its time and number. */
static double last_impact(const perp_tape *tape, const perp_dg *dg, const perp_link *link,
                          int *number)
{
    double since = 0.0;
    *number = -1;
    for (int k = 0; k < link->nsystems; k++) {
        int place = link->systems[k]->place;
        if (dg->flights[place].time > since) {
            since = dg->flights[place].time;
            *number = tape->draft.flight[place];
        }
    }
    return since;
}

/* Vectors of the flights of its systems. */
static void gather_flights(double *lag, double *change, const perp_dg *dg, const perp_link *link)
{
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        memcpy(lag, dg->flights[s->place].lag, sizeof(double) * (size_t)s->nv);
        memcpy(change, dg->flights[s->place].change, sizeof(double) * (size_t)s->nv);
        lag += s->nv;
        change += s->nv;
    }
}

/* The time tau of relation r, at which y/h - H lag + tau H v' + tau^2 H change/2 = 0. */
static perp_status add_time(perp_tape *tape, perp_step *step, const perp_dg *dg, perp_link *link,
                            int r, perp_tape_impact_desk *d)
{
    int i = r * link->law.dim, nv = link->nv, rows = link->rows, earlier;
    double h = dg->h, tau = dg->when[link->first_relation + r];
    double since = last_impact(tape, dg, link, &earlier);
    double *lag = d->dv, *change = d->change;
    perp_tape_stage *stage = perp_tape_add_stage(tape, PERP_STAGE_TIME);
    const int *place = perp_tape_places(tape, link);
    double *of[4];
    for (int k = 0; k < 4; k++)
        of[k] = perp_tape_zeros(tape, 1, nv);
    if (!stage || !place || !of[0] || !of[1] || !of[2] || !of[3])
        return PERP_ERR_MEMORY;
    perp_tape_gather_kept(d->v, link);
    gather_flights(lag, change, dg, link);
    perp_tape_gather_q(d->x, link, PERP_START);
    perp_status status = perp_tape_turn_at(tape, link, step->t, d->x, d->G, d->drift, d->work);
    if (status != PERP_SOLVED)
        return status;
    double u = link->spare[i] + perp_tape_row_rate(link->H, rows, i, nv, d->v);
    double c = perp_tape_row_rate(link->H, rows, i, nv, change), slope = u + tau * c;
    stage->as.time = (perp_tape_time_stage){
        .number = tape->draft.stages->times++, .earlier = tau > since ? -1 : earlier, .share = 1.0};
    tape->draft.number[link->first_relation + r] = stage->as.time.number;
    if (!(tau > since))
        return PERP_SOLVED;
    for (int j = 0; j < nv; j++) {
        double H = link->H[i + j * rows];
        of[1][j] = -tau * H / slope;
        of[2][j] = H / slope;
        of[3][j] = -0.5 * tau * tau * H / slope;
        of[0][j] = -H / h / slope - tau * d->drift[i + j * rows] / slope;
        for (int l = 0; l < nv; l++)
            of[0][j] -= d->G[i + (l + j * nv) * rows] *
                        (tau * d->v[l] + 0.5 * tau * tau * change[l] - lag[l]) / slope;
    }
    perp_tape_row *row = &stage->as.time.row;
    *row = (perp_tape_row){.nsystems = link->nsystems, .nv = nv, .system = place};
    row->of[PERP_REG_Q] = of[0];
    row->of[PERP_REG_V] = of[1];
    row->of[PERP_REG_LAG] = of[2];
    row->of[PERP_REG_CHANGE] = of[3];
    if (fabs(tau - 1.0) <= tape->settings.kink) { /* in this step, or in the next one */
        perp_tape_stage *edge = perp_tape_add_stage(tape, PERP_STAGE_EDGE);
        if (!edge)
            return PERP_ERR_MEMORY;
        edge->as.edge = *row;
        edge->as.edge.zero = HUGE_VAL;
    }
    return PERP_SOLVED;
}

/* The strikes of the next stage. */
static perp_status chosen(perp_tape *tape, perp_step *step, const perp_dg *dg)
{
    perp_status status = PERP_SOLVED;
    int relations = 0;
    for (int k = 0; k < dg->nlinks; k++)
        relations += dg->links[k]->relations;
    if (!perp_pool_grow(&tape->pool, (void **)&tape->draft.number, &tape->draft.capacity_number,
                        relations + 1, sizeof(int)))
        return PERP_ERR_MEMORY;
    for (int k = 0; k < dg->nlinks && status == PERP_SOLVED; k++) {
        perp_link *link = dg->links[k];
        perp_tape_impact_desk d = {0};
        for (int r = 0; r < link->relations && status == PERP_SOLVED; r++) {
            if (!(link->mode[r] & PERP_DG_STRUCK) || perp_dg_is_early(dg, link->systems[0]))
                continue;
            if (perp_link_has_drift(link) && !tape->settings.differences)
                return perp_tape_refuse_link(tape, link,
                                             "how its rows move with time is not known: set "
                                             "differences");
            if (!d.block && !perp_tape_lay_out_impact(&d, tape, link))
                status = PERP_ERR_MEMORY;
            if (status == PERP_SOLVED)
                status = add_time(tape, step, dg, link, r, &d);
        }
        perp_pool_give(&tape->pool, d.block);
    }
    tape->draft.hits = dg->nhits;
    tape->draft.chosen = 1;
    return status;
}

/* dx of the configuration q_k (+) tau h v_k: a matrix m (rows x nv) by it becomes matrices by Q and
 * START, and by the number of tau. */
static int by_hit(perp_tape *tape, perp_tape_part *part, const perp_tape_impact_desk *d,
                  const int *place, const perp_link *link, const double *rho, const double *beta,
                  double tau, int number, double h)
{
    perp_tape_turns turns;
    int nv = part->nv, rows = part->rows;
    double *out[4] = {NULL}, *column = perp_tape_zeros(tape, nv, 1);
    double *beta_column = rows > 0 ? perp_tape_zeros(tape, rows, 1) : NULL;
    if (!perp_tape_take_turns(tape, &turns) || !column || (rows > 0 && !beta_column))
        return 0;
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k]->kind == PERP_SYSTEM_BODY &&
            !perp_tape_set_turn_of(tape, &turns, place[k], link->systems[k]->v[PERP_START] + 3,
                                   tau * h))
            return 0;
    for (int k = 0; k < 4; k++)
        if ((k < 2 || beta) && !(out[k] = perp_tape_zeros(tape, k < 2 ? nv : rows, nv)))
            return 0;
    for (int k = 0; k < (beta ? 4 : 2); k++)
        perp_tape_times_turns(out[k], k < 2 ? rho : beta, k < 2 ? nv : rows, tape, place,
                              link->nsystems, k % 2 ? turns.B : turns.A, k % 2 ? tau * h : 1.0);
    for (int j = 0; j < nv; j++) {
        for (int i = 0; i < nv; i++)
            column[i] += h * rho[i + j * nv] * d->start[j];
        for (int i = 0; beta && i < rows; i++)
            beta_column[i] += h * beta[i + j * rows] * d->start[j];
    }
    return perp_tape_add_from(tape, part, PERP_REG_Q, out[0], out[2]) &&
           perp_tape_add_from(tape, part, PERP_REG_START, out[1], out[3]) &&
           perp_tape_add_by(tape, part, number, column, beta ? beta_column : NULL);
}

/* Numbers of the hits that are new in this stage. */
static perp_status number_hits(perp_tape *tape, const perp_dg *dg)
{
    if (!perp_pool_grow(&tape->pool, (void **)&tape->draft.hit, &tape->draft.capacity_hit,
                        dg->nhits + 1, sizeof(int)))
        return PERP_ERR_MEMORY;
    for (int k = 0; k < dg->nhits; k++) {
        const perp_link *link = dg->hits[k].link;
        if (k < tape->draft.numbered)
            continue;
        tape->draft.hit[k] = -1;
        if (k < tape->draft.hits || perp_dg_is_early(dg, link->systems[0]) ||
            perp_dg_role_of(link) == PERP_DG_JOINT)
            continue;
        for (int r = 0; r < link->relations; r++)
            if (link->on[r] && perp_dg_time_of(dg, link, r) == dg->hits[k].time)
                tape->draft.hit[k] = perp_tape_time_number(tape, dg, link, r);
    }
    tape->draft.numbered = dg->nhits;
    return PERP_SOLVED;
}

/* Rates of the rows by q, v', change and the times; *beta: by the configuration of H. */
static int impact_rows(perp_tape *tape, perp_tape_part *part, const perp_dg *dg,
                       const perp_link *link, const perp_tape_impact_desk *d, double **beta)
{
    int nv = link->nv, count = d->count;
    double *by_v = perp_tape_zeros(tape, count, nv), *by_change = perp_tape_zeros(tape, count, nv);
    *beta = perp_tape_zeros(tape, count, nv);
    if (!by_v || !by_change || !*beta)
        return 0;
    for (int i = 0; i < count; i++) {
        perp_tape_impact_row r = perp_tape_impact_row_of(tape, dg, link, d, i);
        double *column = perp_tape_zeros(tape, count, 1);
        int row = d->on[i];
        if (!column)
            return 0;
        column[i] = (1.0 + r.bounce) * perp_tape_row_rate(d->H, count, i, nv, d->change);
        for (int j = 0; j < nv; j++) {
            by_v[i + j * count] = (1.0 + r.bounce) * d->H[i + j * count];
            by_change[i + j * count] = r.tau * by_v[i + j * count];
            double sum = (1.0 + r.bounce) * d->drift[row + j * link->rows];
            for (int l = 0; l < nv; l++)
                sum += d->G[row + (l + j * nv) * link->rows] *
                       (d->dv[l] + (1.0 + r.bounce) * (d->v[l] + r.tau * d->change[l]));
            (*beta)[i + j * count] = sum;
        }
        if (!perp_tape_add_by(tape, part, r.number, NULL, column))
            return 0;
    }
    return perp_tape_add_from(tape, part, PERP_REG_V, NULL, by_v) &&
           (perp_dg_is_early(dg, link->systems[0]) ||
            perp_tape_add_from(tape, part, PERP_REG_CHANGE, NULL, by_change));
}

static perp_status turn_at_hit(perp_tape *tape, perp_step *step, perp_tape_impact_desk *d,
                               perp_link *link, double tau)
{
    double *x = d->x;
    for (int k = 0; k < link->nsystems; x += link->systems[k++]->nq)
        perp_system_move(x, link->systems[k], link->systems[k]->q[PERP_START],
                         link->systems[k]->v[PERP_START], tau * step->h);
    return perp_tape_turn_at(tape, link, step->t + tau * step->h, d->x, d->G, d->drift, d->work);
}

/* By time alone, central differences. */
static perp_status by_time(perp_tape *tape, perp_step *step, perp_tape_impact_desk *d,
                           perp_link *link, double tau)
{
    double t = step->t + tau * step->h, by = 1e-3 * step->h;
    size_t rows = (size_t)link->rows, m = rows * (size_t)link->nv;
    if (!d->H_t)
        return PERP_SOLVED;
    for (int side = 0; side < 2; side++)
        if (perp_link_jacobian(d->H_t + (side ? 0 : m), link, t + (side ? by : -by), d->x,
                               link->lambda_start) ||
            perp_link_drift(d->h_tt + (side ? 0 : rows), link, t + (side ? by : -by), d->x,
                            link->lambda_start))
            return perp_tape_end(tape, PERP_INTERRUPTED, "interaction", link->slot,
                                 "a callback refused");
    for (size_t k = 0; k < m; k++)
        d->H_t[k] = (d->H_t[k] - d->H_t[m + k]) / (2.0 * by);
    for (size_t k = 0; k < rows; k++)
        d->h_tt[k] = (d->h_tt[k] - d->h_tt[rows + k]) / (2.0 * by);
    return PERP_SOLVED;
}

/* What a later hit changes where rows move with time. */
static int move_with_time(perp_tape *tape, perp_tape_part *part, const perp_dg *dg,
                          const perp_link *link, const perp_tape_impact_desk *d, const double *z,
                          int number)
{
    if (!d->H_t)
        return 1;
    double *rho = perp_tape_zeros(tape, part->nv, 1);
    double *beta = part->rows > 0 ? perp_tape_zeros(tape, part->rows, 1) : NULL;
    if (!rho || (part->rows > 0 && !beta))
        return 0;
    for (int i = 0; i < d->count; i++) {
        perp_tape_impact_row r = perp_tape_impact_row_of(tape, dg, link, d, i);
        int row = d->on[i];
        double sum = (1.0 + r.bounce) * d->h_tt[row];
        for (int j = 0; j < part->nv; j++) {
            double H = d->H_t[row + j * link->rows];
            rho[j] += dg->h * H * z[i];
            sum += H * (d->dv[j] + (1.0 + r.bounce) * (d->v[j] + r.tau * d->change[j]));
        }
        if (beta)
            beta[i] = dg->h * sum;
    }
    return perp_tape_add_by(tape, part, number, rho, beta);
}

static perp_status struck_contact(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                  perp_tape_solve_stage *solve, perp_link *link,
                                  perp_tape_impact_desk *d)
{
    double tau = dg->hits[link->hit].time, *z, *w, *beta;
    int number = tape->draft.hit[link->hit];
    perp_status status = turn_at_hit(tape, step, d, link, tau);
    if (status == PERP_SOLVED)
        status = by_time(tape, step, d, link, tau);
    if (status != PERP_SOLVED)
        return status;
    perp_tape_gather_impact(d, dg, link);
    const int *place = perp_tape_places(tape, link);
    double *rho = perp_tape_zeros(tape, link->nv, link->nv);
    perp_tape_part *part =
        place ? perp_tape_add_part(tape, solve, place, link->nsystems, link->nv) : NULL;
    if (!part || !rho || !perp_tape_impact_values(tape, d, link, &dg->impact, &z, &w) ||
        !perp_tape_set_rows(tape, solve, part, &link->law, d->count, z, w, 1.0))
        return PERP_ERR_MEMORY;
    part->G = part->N = d->H;
    perp_tape_impact_turns(rho, d, link, z);
    return impact_rows(tape, part, dg, link, d, &beta) &&
                   by_hit(tape, part, d, place, link, rho, beta, tau, number, dg->h) &&
                   move_with_time(tape, part, dg, link, d, z, number) &&
                   perp_tape_impact_terms(tape, solve, part, dg, link, d)
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

static perp_status lagging_contact(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                   perp_tape_solve_stage *solve, perp_link *link,
                                   perp_tape_impact_desk *d, int first)
{
    double tau = dg->hits[link->hit].time;
    int number = tape->draft.hit[link->hit], nv = link->nv, count = d->count;
    perp_status status = turn_at_hit(tape, step, d, link, tau);
    if (status == PERP_SOLVED)
        status = by_time(tape, step, d, link, tau);
    if (status != PERP_SOLVED)
        return status;
    perp_tape_gather_impact(d, dg, link);
    const int *place = perp_tape_places(tape, link);
    double *rho = perp_tape_zeros(tape, nv, nv), *late = PERP_TAPE_ARRAY(tape, double, count);
    double *kept = perp_tape_zeros(tape, count, nv);
    perp_tape_part *part =
        place ? perp_tape_add_part(tape, solve, place, link->nsystems, nv) : NULL;
    if (!part || !rho || !late || !kept)
        return PERP_ERR_MEMORY;
    double time = perp_dg_lag_time(dg, link);
    int of_group = perp_tape_group_number(tape, dg, link->systems[0]);
    for (int i = 0; i < count; i++) {
        double z = link->lambda[d->on[i]];
        double *column = perp_tape_zeros(tape, nv, 1);
        if (!column)
            return PERP_ERR_MEMORY;
        late[i] = time * z;
        for (int j = 0; j < nv; j++) {
            kept[i + j * count] = time * d->H[i + j * count];
            column[j] = z * d->H[i + j * count];
        }
        if (!perp_tape_add_by(tape, part, of_group, column, NULL))
            return PERP_ERR_MEMORY;
    }
    part->kept = kept;
    part->kept_first = first;
    part->kept_rows = count;
    perp_tape_impact_turns(rho, d, link, late);
    return by_hit(tape, part, d, place, link, rho, NULL, tau, number, dg->h) &&
                   move_with_time(tape, part, dg, link, d, late, number)
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

/* Contacts, then joints, of a stage (velocity: register of v') or of its lags (0). */
static perp_status stage(perp_tape *tape, perp_step *step, const perp_dg *dg,
                         perp_tape_solve_stage *solve, int velocity)
{
    int first = 0;
    perp_status status = perp_tape_follow_masses(tape, step, dg, solve, PERP_START, PERP_REG_Q);
    for (int k = 0; k < dg->nlinks && status == PERP_SOLVED; k++) {
        perp_link *link = dg->links[k];
        perp_tape_impact_desk d;
        if (!link->active)
            continue;
        status = perp_tape_lay_out_impact(&d, tape, link) ? PERP_SOLVED : PERP_ERR_MEMORY;
        if (status == PERP_SOLVED)
            status = velocity ? struck_contact(tape, step, dg, solve, link, &d)
                              : lagging_contact(tape, step, dg, solve, link, &d, first);
        first += d.count;
        perp_pool_give(&tape->pool, d.block);
    }
    for (int k = 0; k < dg->njoints && status == PERP_SOLVED; k++) {
        perp_tape_joint_rows rows = {PERP_START, PERP_REG_Q, velocity,
                                     perp_dg_joint_increment(dg, dg->joints[k])};
        status = perp_tape_follow_joint(tape, step, solve, dg->joints[k], &rows);
    }
    return status;
}

static perp_status struck(perp_tape *tape, perp_step *step, const perp_dg *dg)
{
    perp_status status = number_hits(tape, dg);
    perp_tape_stage *made = perp_tape_add_stage(tape, PERP_STAGE_SOLVE);
    if (!made || status != PERP_SOLVED)
        return PERP_ERR_MEMORY;
    status = stage(tape, step, dg, &made->as.solve, PERP_REG_V);
    if (status != PERP_SOLVED)
        return status;
    made->as.solve.keeps = perp_dg_stage_has_times(dg);
    if (made->as.solve.keeps && made->as.solve.rows > tape->draft.stages->kept_rows)
        tape->draft.stages->kept_rows = made->as.solve.rows;
    for (int k = 0; k < dg->nsystems; k++)
        if (perp_dg_strike_time(dg, dg->systems[k]) <= 1.0 && !perp_dg_is_early(dg, dg->systems[k]))
            tape->draft.flight[k] = perp_tape_group_number(tape, dg, dg->systems[k]);
    return perp_tape_add_to(tape, PERP_REG_V) ? PERP_SOLVED : PERP_ERR_MEMORY;
}

static perp_status lagged(perp_tape *tape, perp_step *step, const perp_dg *dg)
{
    perp_tape_stage *made = perp_tape_add_stage(tape, PERP_STAGE_SOLVE);
    if (!made)
        return PERP_ERR_MEMORY;
    perp_status status = stage(tape, step, dg, &made->as.solve, 0);
    if (status != PERP_SOLVED)
        return status;
    return perp_tape_add_to(tape, PERP_REG_LAG) ? PERP_SOLVED : PERP_ERR_MEMORY;
}

static perp_status joints_struck(perp_tape *tape, perp_step *step, const perp_dg *dg)
{
    perp_status status = PERP_SOLVED;
    perp_tape_stage *made = perp_tape_add_stage(tape, PERP_STAGE_SOLVE);
    if (!made)
        return PERP_ERR_MEMORY;
    status = perp_tape_follow_masses(tape, step, dg, &made->as.solve, PERP_START, PERP_REG_Q);
    for (int k = 0; k < dg->njoints && status == PERP_SOLVED; k++) {
        perp_tape_joint_rows rows = {PERP_START, PERP_REG_Q, PERP_REG_V,
                                     perp_dg_joint_increment(dg, dg->joints[k])};
        status = perp_tape_follow_joint(tape, step, &made->as.solve, dg->joints[k], &rows);
    }
    if (status != PERP_SOLVED)
        return status;
    return perp_tape_add_to(tape, PERP_REG_V) ? PERP_SOLVED : PERP_ERR_MEMORY;
}

perp_status perp_tape_follow_impacts(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                     perp_step_part part)
{
    if (dg->scheme->impacts == PERP_IMPACTS_POISSON && part == PERP_PART_CHOSEN)
        return perp_tape_end(tape, PERP_ERR_UNSUPPORTED, "impacts", -1,
                             "impacts by Poisson's law are not recorded");
    switch (part) {
    case PERP_PART_JOINTS_STRUCK:
        return joints_struck(tape, step, dg);
    case PERP_PART_PREDICTED:
    case PERP_PART_CARRYING:
        return perp_tape_follow_changes(tape, step, dg, part == PERP_PART_CARRYING);
    case PERP_PART_CHOSEN:
        return chosen(tape, step, dg);
    case PERP_PART_CARRIED:
        return perp_tape_follow_carried(tape, dg);
    case PERP_PART_STRUCK:
        return struck(tape, step, dg);
    case PERP_PART_LAGGED:
        return lagged(tape, step, dg);
    default:
        return perp_tape_follow_again(tape, step, dg);
    }
}
