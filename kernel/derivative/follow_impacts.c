/* SPDX-License-Identifier: BSD-3-Clause */
/* Impacts in the stages of a discrete-gradient step, differentiated: the times at which contacts
 * close move with the state, and with them the Jacobians, the approaches and what late impulses
 * leave out of the mean velocity. */
#include <math.h>
#include <string.h>

#include "kernel/derivative/stage_build.h"
#include "kernel/laws/law.h"
#include "kernel/step/stepper.h"

/* dH and H of the rows of a contact that are in a stage. */
typedef struct desk {
    double *block, *x, *G, *drift, *work;
    double *v, *change, *dv, *start; /* nv each: v', change, increment, v_k */
    double *H;                       /* count x nv, of the tape */
    double *H_t, *h_tt;              /* rows x nv, rows: what moves with time alone, or NULL */
    int *on, count;
} desk;

static int lay_out(desk *d, perp_tape *tape, perp_link *link)
{
    size_t N = (size_t)link->N, nv = (size_t)link->nv, m = (size_t)link->rows * nv;
    *d = (desk){NULL};
    d->block = perp_pool_take_array(&tape->pool,
                                    N + m * nv + 3 * m + 2 * (size_t)link->rows + 4 * nv +
                                        perp_tape_turn_numbers(tape, link) + 1,
                                    sizeof(double));
    d->on = PERP_TAPE_ARRAY(tape, int, link->rows);
    if (!d->block || !d->on)
        return 0;
    d->x = d->block;
    d->G = d->x + N;
    d->drift = d->G + m * nv;
    d->v = d->drift + m;
    d->change = d->v + nv;
    d->dv = d->change + nv;
    d->start = d->dv + nv;
    double *by_time = d->start + nv;
    d->work = by_time + 2 * (m + (size_t)link->rows);
    d->H_t = perp_link_has_drift(link) ? by_time : NULL;
    d->h_tt = by_time + 2 * m;
    for (int i = 0; i < link->rows; i++)
        if (link->on[i / link->law.dim])
            d->on[d->count++] = i;
    d->H = perp_tape_zeros(tape, d->count, link->nv);
    for (int j = 0; d->H && j < link->nv; j++)
        for (int i = 0; i < d->count; i++)
            d->H[i + j * d->count] = link->left[d->on[i] + j * link->rows];
    return d->H != NULL;
}

static void gather(desk *d, const perp_dg *dg, const perp_link *link)
{
    int at = 0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        for (int j = 0; j < s->nv; j++, at++) {
            d->v[at] = s->v_kept[j];
            d->change[at] = dg->early ? 0.0 : dg->flights[s->place].change[j];
            d->dv[at] = s->work[j];
            d->start[at] = s->v[PERP_START][j];
        }
    }
}

/* Row i of H times v. */
static double rate(const double *H, int rows, int i, int nv, const double *v)
{
    double sum = 0.0;
    for (int j = 0; j < nv; j++)
        sum += H[i + j * rows] * v[j];
    return sum;
}

/* The number of the time of the group of a system, -1: none. */
static int group_number(const perp_tape *tape, const perp_dg *dg, const perp_system *s)
{
    double time = perp_dg_strike_time(dg, s);
    if (!tape->draft.chosen)
        return -1;
    for (int k = 0; k < dg->nlinks && time <= 1.0 && !dg->early; k++) {
        const perp_link *link = dg->links[k];
        for (int r = 0; r < link->relations; r++)
            if (link->mode[r] & PERP_DG_STRUCK && dg->when[link->first_relation + r] == time &&
                perp_dg_strike_time(dg, link->systems[0]) == time)
                return tape->draft.number[link->first_relation + r];
    }
    return -1;
}

static int time_number(const perp_tape *tape, const perp_dg *dg, const perp_link *link, int r)
{
    if (dg->early || !tape->draft.chosen)
        return -1;
    return link->mode[r] & PERP_DG_STRUCK ? tape->draft.number[link->first_relation + r]
                                          : group_number(tape, dg, link->systems[0]);
}

static double time_of(const perp_dg *dg, const perp_link *link, int r)
{
    if (dg->early)
        return 0.0;
    return link->mode[r] & PERP_DG_STRUCK ? dg->when[link->first_relation + r]
                                          : perp_dg_strike_time(dg, link->systems[0]);
}

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
                            int r, desk *d)
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
    double u = link->spare[i] + rate(link->H, rows, i, nv, d->v);
    double c = rate(link->H, rows, i, nv, change), slope = u + tau * c;
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
    for (int k = 0; k < dg->nlinks && status == PERP_SOLVED && !dg->early; k++) {
        perp_link *link = dg->links[k];
        desk d = {NULL};
        for (int r = 0; r < link->relations && status == PERP_SOLVED; r++) {
            if (!(link->mode[r] & PERP_DG_STRUCK))
                continue;
            if (perp_link_has_drift(link) && !tape->settings.differences)
                return perp_tape_refuse_link(tape, link,
                                             "how its rows move with time is not known: set "
                                             "differences");
            if (!d.block && !lay_out(&d, tape, link))
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
static int by_hit(perp_tape *tape, perp_tape_part *part, const desk *d, const int *place,
                  const perp_link *link, const double *rho, const double *beta, double tau,
                  int number, double h)
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
        if (k < tape->draft.hits || dg->early || perp_dg_role_of(link) == PERP_DG_JOINT)
            continue;
        for (int r = 0; r < link->relations; r++)
            if (link->on[r] && time_of(dg, link, r) == dg->hits[k].time)
                tape->draft.hit[k] = time_number(tape, dg, link, r);
    }
    tape->draft.numbered = dg->nhits;
    return PERP_SOLVED;
}

/* Rows of the impact law of one contact. */
typedef struct impact_row {
    double tau, bounce; /* bounce: e where the row has it and approaches */
    double before;
    int number, struck;
} impact_row;

static impact_row row_of(const perp_tape *tape, const perp_dg *dg, const perp_link *link,
                         const desk *d, int i)
{
    int row = d->on[i], r = row / link->law.dim, normal = row % link->law.dim == 0, nv = link->nv;
    impact_row out = {time_of(dg, link, r), 0.0, link->u[row], time_number(tape, dg, link, r),
                      (link->mode[r] & PERP_DG_STRUCK) != 0};
    out.before +=
        rate(d->H, d->count, i, nv, d->v) + out.tau * rate(d->H, d->count, i, nv, d->change);
    double e = dg->restitution[!normal] * (normal ? link->law.e : link->law.e_t);
    out.bounce = out.struck && (!normal || out.before < 0.0) ? e : 0.0;
    return out;
}

static int impact_terms(perp_tape *tape, perp_tape_solve_stage *solve, const perp_tape_part *part,
                        const perp_dg *dg, const perp_link *link, const desk *d)
{
    const perp_model *model = tape->sim->stepper.model;
    int fine = 1, dim = link->law.dim;
    for (int k = 0; k < tape->nparameters; k++) {
        const perp_tape_parameter *p = &tape->parameters[k];
        int own = (int)p->interaction.index == link->slot &&
                  p->interaction.generation == model->links[link->slot].generation;
        if (p->quantity >= PERP_TAPE_MASS || (p->interaction.generation != 0 && !own) ||
            !perp_tape_law_has(&link->law, p->quantity))
            continue;
        for (int i = 0; i < part->rows; i++) {
            int normal = i % dim == 0;
            impact_row r = row_of(tape, dg, link, d, i);
            if (normal && (p->quantity == PERP_TAPE_MU || p->quantity == PERP_TAPE_MU_R))
                fine &= perp_tape_add_term(
                    tape, solve, k, p->quantity == PERP_TAPE_MU ? PERP_TAPE_PAR0 : PERP_TAPE_PAR1,
                    part->block + i / dim, 1.0);
            if (r.struck && ((normal && p->quantity == PERP_TAPE_E) ||
                             (!normal && p->quantity == PERP_TAPE_E_T)))
                fine &= perp_tape_add_term(tape, solve, k, PERP_TAPE_BETA, part->first + i,
                                           dg->restitution[!normal] *
                                               (normal ? fmin(r.before, 0.0) : r.before));
        }
    }
    return fine;
}

/* Rates of the rows by q, v', change and the times; *beta: by the configuration of H. */
static int impact_rows(perp_tape *tape, perp_tape_part *part, const perp_dg *dg,
                       const perp_link *link, const desk *d, double **beta)
{
    int nv = link->nv, count = d->count;
    double *by_v = perp_tape_zeros(tape, count, nv), *by_change = perp_tape_zeros(tape, count, nv);
    *beta = perp_tape_zeros(tape, count, nv);
    if (!by_v || !by_change || !*beta)
        return 0;
    for (int i = 0; i < count; i++) {
        impact_row r = row_of(tape, dg, link, d, i);
        double *column = perp_tape_zeros(tape, count, 1);
        int row = d->on[i];
        if (!column)
            return 0;
        column[i] = (1.0 + r.bounce) * rate(d->H, count, i, nv, d->change);
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
           (dg->early || perp_tape_add_from(tape, part, PERP_REG_CHANGE, NULL, by_change));
}

/* z of the rows of a stage, and w of its problem. */
static int values(perp_tape *tape, const desk *d, const perp_link *link, const perp_one_step *one,
                  double **z, double **w)
{
    *z = PERP_TAPE_ARRAY(tape, double, d->count);
    *w = PERP_TAPE_ARRAY(tape, double, d->count);
    for (int i = 0; *z && *w && i < d->count; i++) {
        (*z)[i] = link->lambda[d->on[i]];
        (*w)[i] = one->w[link->first_row + d->on[i]];
    }
    return *z && *w;
}

/* (dH)' z of the rows that are on. */
static void along_impulse(double *out, const desk *d, const perp_link *link, const double *z)
{
    int nv = link->nv;
    for (int k = 0; k < nv; k++)
        for (int j = 0; j < nv; j++)
            for (int i = 0; i < d->count; i++)
                out[j + k * nv] += d->G[d->on[i] + (j + k * nv) * link->rows] * z[i];
}

static perp_status turn_at_hit(perp_tape *tape, perp_step *step, desk *d, perp_link *link,
                               double tau)
{
    double *x = d->x;
    for (int k = 0; k < link->nsystems; x += link->systems[k++]->nq)
        perp_system_move(x, link->systems[k], link->systems[k]->q[PERP_START],
                         link->systems[k]->v[PERP_START], tau * step->h);
    return perp_tape_turn_at(tape, link, step->t + tau * step->h, d->x, d->G, d->drift, d->work);
}

/* By time alone, central differences. */
static perp_status by_time(perp_tape *tape, perp_step *step, desk *d, perp_link *link, double tau)
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
                          const perp_link *link, const desk *d, const double *z, int number)
{
    double *rho = perp_tape_zeros(tape, part->nv, 1);
    double *beta = part->rows > 0 ? perp_tape_zeros(tape, part->rows, 1) : NULL;
    if (!d->H_t)
        return 1;
    if (!rho || (part->rows > 0 && !beta))
        return 0;
    for (int i = 0; i < d->count; i++) {
        impact_row r = row_of(tape, dg, link, d, i);
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
                                  perp_tape_solve_stage *solve, perp_link *link, desk *d)
{
    double tau = dg->hits[link->hit].time, *z, *w, *beta;
    int number = tape->draft.hit[link->hit];
    perp_status status = turn_at_hit(tape, step, d, link, tau);
    if (status == PERP_SOLVED)
        status = by_time(tape, step, d, link, tau);
    if (status != PERP_SOLVED)
        return status;
    gather(d, dg, link);
    const int *place = perp_tape_places(tape, link);
    double *rho = perp_tape_zeros(tape, link->nv, link->nv);
    perp_tape_part *part =
        place ? perp_tape_add_part(tape, solve, place, link->nsystems, link->nv) : NULL;
    if (!part || !rho || !values(tape, d, link, &dg->impact, &z, &w) ||
        !perp_tape_set_rows(tape, solve, part, &link->law, d->count, z, w, 1.0))
        return PERP_ERR_MEMORY;
    part->G = part->N = d->H;
    along_impulse(rho, d, link, z);
    return impact_rows(tape, part, dg, link, d, &beta) &&
                   by_hit(tape, part, d, place, link, rho, beta, tau, number, dg->h) &&
                   move_with_time(tape, part, dg, link, d, z, number) &&
                   impact_terms(tape, solve, part, dg, link, d)
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

static perp_status lagging_contact(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                   perp_tape_solve_stage *solve, perp_link *link, desk *d,
                                   int first)
{
    double tau = dg->hits[link->hit].time;
    int number = tape->draft.hit[link->hit], nv = link->nv, count = d->count;
    perp_status status = turn_at_hit(tape, step, d, link, tau);
    if (status == PERP_SOLVED)
        status = by_time(tape, step, d, link, tau);
    if (status != PERP_SOLVED)
        return status;
    gather(d, dg, link);
    const int *place = perp_tape_places(tape, link);
    double *rho = perp_tape_zeros(tape, nv, nv), *late = PERP_TAPE_ARRAY(tape, double, count);
    double *kept = perp_tape_zeros(tape, count, nv);
    perp_tape_part *part =
        place ? perp_tape_add_part(tape, solve, place, link->nsystems, nv) : NULL;
    if (!part || !rho || !late || !kept)
        return PERP_ERR_MEMORY;
    for (int i = 0; i < count; i++) {
        int r = d->on[i] / link->law.dim;
        double time = time_of(dg, link, r), z = link->lambda[d->on[i]];
        double *column = perp_tape_zeros(tape, nv, 1);
        if (!column)
            return PERP_ERR_MEMORY;
        late[i] = time * z;
        for (int j = 0; j < nv; j++) {
            kept[i + j * count] = time * d->H[i + j * count];
            column[j] = z * d->H[i + j * count];
        }
        if (!perp_tape_add_by(tape, part, time_number(tape, dg, link, r), column, NULL))
            return PERP_ERR_MEMORY;
    }
    part->kept = kept;
    part->kept_first = first;
    part->kept_rows = count;
    along_impulse(rho, d, link, late);
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
        desk d;
        if (!link->active)
            continue;
        status = lay_out(&d, tape, link) ? PERP_SOLVED : PERP_ERR_MEMORY;
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
    made->as.solve.keeps = !dg->early;
    if (made->as.solve.keeps && made->as.solve.rows > tape->draft.stages->kept_rows)
        tape->draft.stages->kept_rows = made->as.solve.rows;
    for (int k = 0; k < dg->nsystems && !dg->early; k++)
        if (perp_dg_strike_time(dg, dg->systems[k]) <= 1.0)
            tape->draft.flight[k] = group_number(tape, dg, dg->systems[k]);
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

/* h F(q_k, v_k) in the solve that predicts changes. */
static perp_status force_at_start(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                  perp_tape_solve_stage *solve, int k)
{
    perp_system *s = dg->systems[k];
    const double *by_q, *by_v;
    size_t n = (size_t)s->nv;
    perp_status status =
        perp_tape_forces_at(tape, k, s, step->t, s->q[PERP_START], s->v[PERP_START], &by_q, &by_v);
    int *place = PERP_TAPE_ARRAY(tape, int, 1);
    double *q = perp_tape_zeros(tape, s->nv, s->nv), *v = perp_tape_zeros(tape, s->nv, s->nv);
    perp_tape_part *part = place ? perp_tape_add_part(tape, solve, place, 1, s->nv) : NULL;
    if (!part || !q || !v)
        return PERP_ERR_MEMORY;
    if (status != PERP_SOLVED)
        return status;
    *place = k;
    for (size_t i = 0; i < n * n; i++) {
        q[i] = by_q ? dg->h * by_q[i] : 0.0;
        v[i] = by_v ? dg->h * by_v[i] : 0.0;
    }
    if (s->kind == PERP_SYSTEM_BODY && !s->as.body.no_gyroscopic)
        perp_tape_add_gyroscopic(v, s, s->v[PERP_START] + 3, -dg->h);
    return perp_tape_add_from(tape, part, PERP_REG_Q, q, NULL) &&
                   perp_tape_add_from(tape, part, PERP_REG_START, v, NULL) &&
                   perp_tape_start_terms(tape, solve, dg, k)
               ? perp_tape_terms_of_z(tape, step, dg, solve, k, NULL, s->v[PERP_START])
               : PERP_ERR_MEMORY;
}

/* A contact that carries: the rows of the gap law with the Jacobian at the start. */
static perp_status carrying_contact(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                    perp_tape_solve_stage *solve, perp_link *link, desk *d)
{
    double before = (1.0 - dg->theta) / dg->theta, *z, *w;
    int nv = link->nv, count = d->count;
    perp_tape_gather_q(d->x, link, PERP_START);
    perp_status status = perp_tape_turn_at(tape, link, step->t, d->x, d->G, d->drift, d->work);
    const int *place = perp_tape_places(tape, link);
    double *rho = perp_tape_zeros(tape, nv, nv), *by_q = perp_tape_zeros(tape, count, nv);
    double *by_v = perp_tape_zeros(tape, count, nv);
    perp_tape_part *part =
        place ? perp_tape_add_part(tape, solve, place, link->nsystems, nv) : NULL;
    if (!part || !rho || !by_q || !by_v || !values(tape, d, link, &dg->impact, &z, &w) ||
        !perp_tape_set_rows(tape, solve, part, &link->law, count, z, w, 1.0))
        return PERP_ERR_MEMORY;
    if (status != PERP_SOLVED)
        return status;
    gather(d, dg, link);
    part->G = part->N = d->H;
    along_impulse(rho, d, link, z);
    for (int i = 0; i < count; i++) {
        int row = d->on[i], normal = row % link->law.dim == 0;
        double y = fmax(link->y_start[row], 0.0) / (dg->h * dg->theta);
        int gap = normal && before * link->u[row] + y > 0.0;
        double weight = gap ? 1.0 + before : 1.0,
               by_gap = gap && y > 0.0 ? 1.0 / (dg->h * dg->theta) : 0.0;
        for (int j = 0; j < nv; j++) {
            double sum = weight * d->drift[row + j * link->rows] + by_gap * d->H[i + j * count];
            for (int l = 0; l < nv; l++)
                sum += d->G[row + (l + j * nv) * link->rows] * (weight * d->v[l] + d->dv[l]);
            by_q[i + j * count] = sum;
            by_v[i + j * count] = weight * d->H[i + j * count];
        }
    }
    return perp_tape_add_from(tape, part, PERP_REG_Q, rho, by_q) &&
                   perp_tape_add_from(tape, part, PERP_REG_V, NULL, by_v) &&
                   impact_terms(tape, solve, part, dg, link, d)
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

/* Changes without impacts, y in work. */
static perp_status predicted(perp_tape *tape, perp_step *step, const perp_dg *dg, int carrying)
{
    perp_tape_stage *made = perp_tape_add_stage(tape, PERP_STAGE_SOLVE);
    if (!made)
        return PERP_ERR_MEMORY;
    perp_tape_solve_stage *solve = &made->as.solve;
    solve->forces = dg->h;
    perp_status status = perp_tape_follow_masses(tape, step, dg, solve, PERP_START, PERP_REG_Q);
    for (int k = 0; k < dg->nsystems && status == PERP_SOLVED; k++)
        status = force_at_start(tape, step, dg, solve, k);
    for (int k = 0; k < dg->nlinks && status == PERP_SOLVED && carrying; k++) {
        desk d;
        if (!dg->links[k]->active)
            continue;
        status = lay_out(&d, tape, dg->links[k]) ? PERP_SOLVED : PERP_ERR_MEMORY;
        if (status == PERP_SOLVED)
            status = carrying_contact(tape, step, dg, solve, dg->links[k], &d);
        perp_pool_give(&tape->pool, d.block);
    }
    for (int k = 0; k < dg->njoints && status == PERP_SOLVED; k++) {
        perp_tape_joint_rows rows = {PERP_START, PERP_REG_Q, 0,
                                     perp_dg_joint_increment(dg, dg->joints[k])};
        status = perp_tape_follow_joint(tape, step, solve, dg->joints[k], &rows);
    }
    if (status != PERP_SOLVED)
        return status;
    perp_tape_stage *carried = carrying ? perp_tape_add_stage(tape, PERP_STAGE_MOVE) : NULL;
    perp_tape_stage *change = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
    if (!change || (carrying && !carried))
        return PERP_ERR_MEMORY;
    if (carrying)
        carried->as.move = (perp_tape_move_stage){
            .reg = PERP_REG_CARRIED,
            .count = 2,
            .source = {{PERP_REG_Y, 1.0, NULL, NULL}, {PERP_REG_CHANGE, -1.0, NULL, NULL}}};
    change->as.move = (perp_tape_move_stage){
        .reg = PERP_REG_CHANGE, .count = 1, .source = {{PERP_REG_Y, 1.0, NULL, NULL}}};
    return PERP_SOLVED;
}

/* Until tau contacts carried: v' += tau c, lag += tau^2 c/2, change -= c, c = 0. */
static perp_status carried(perp_tape *tape, const perp_dg *dg)
{
    size_t n = (size_t)tape->nsystems;
    perp_tape_stage *made[4];
    double *each = PERP_TAPE_ARRAY(tape, double, 5 * n), *by[2];
    int *time = PERP_TAPE_ARRAY(tape, int, n);
    for (int k = 0; k < 2; k++)
        by[k] = PERP_TAPE_ARRAY(tape, double, tape->dofs);
    for (int k = 0; k < 4; k++)
        made[k] = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
    if (!each || !time || !by[0] || !by[1] || !made[0] || !made[1] || !made[2] || !made[3])
        return PERP_ERR_MEMORY;
    for (size_t k = 0; k < n; k++) {
        const perp_system *s = dg->systems[k];
        double tau = perp_dg_carrying_time(dg, s);
        int ends = tau <= 1.0, at = tape->systems[k].at;
        each[k] = ends ? tau : 0.0;
        each[n + k] = ends ? 0.5 * tau * tau : 0.0;
        each[2 * n + k] = ends ? -1.0 : 0.0;
        each[3 * n + k] = ends ? 0.0 : 1.0;
        each[4 * n + k] = 1.0;
        time[k] = -1;
        for (int m = 0; ends && time[k] < 0 && m < dg->nlinks; m++)
            for (int r = 0; r < dg->links[m]->relations; r++)
                if (dg->links[m]->mode[r] & PERP_DG_STRUCK &&
                    dg->when[dg->links[m]->first_relation + r] == tau)
                    time[k] = tape->draft.number[dg->links[m]->first_relation + r];
        for (int i = 0; ends && i < s->nv; i++) {
            if (dg->flights[k].carried[i] != 0.0 && tau != 0.0)
                tape->draft.flight[k] = time[k];
            by[0][at + i] = dg->flights[k].carried[i];
            by[1][at + i] = tau * dg->flights[k].carried[i];
        }
    }
    const int regs[] = {PERP_REG_V, PERP_REG_LAG, PERP_REG_CHANGE};
    for (int k = 0; k < 3; k++)
        made[k]->as.move =
            (perp_tape_move_stage){.reg = regs[k],
                                   .count = 1,
                                   .keep = each + 4 * n,
                                   .source = {{PERP_REG_CARRIED, 1.0, each + (size_t)k * n, NULL}},
                                   .time = k < 2 ? time : NULL,
                                   .by_time = k < 2 ? by[k] : NULL};
    made[3]->as.move = (perp_tape_move_stage){.reg = PERP_REG_CARRIED, .keep = each + 3 * n};
    return PERP_SOLVED;
}

/* The step is made again with the changes that came out of it. */
static perp_status again(perp_tape *tape, perp_step *step, const perp_dg *dg)
{
    static const int zero[] = {PERP_REG_LAG, PERP_REG_CARRIED};
    perp_status status = perp_tape_follow_smooth(tape, step, dg);
    perp_tape_stage *change = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
    perp_tape_stage *v = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
    if (!change || !v)
        return PERP_ERR_MEMORY;
    change->as.move = (perp_tape_move_stage){
        .reg = PERP_REG_CHANGE,
        .count = dg->early ? 0 : 2,
        .source = {{PERP_REG_END_V, 1.0, NULL, NULL}, {PERP_REG_V, -1.0, NULL, NULL}}};
    v->as.move = (perp_tape_move_stage){
        .reg = PERP_REG_V, .count = 1, .source = {{PERP_REG_START, 1.0, NULL, NULL}}};
    for (int k = 0; k < 2; k++) {
        perp_tape_stage *stage = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
        if (!stage)
            return PERP_ERR_MEMORY;
        stage->as.move = (perp_tape_move_stage){.reg = zero[k]};
    }
    tape->draft.hits = tape->draft.numbered = 0;
    for (int k = 0; k < tape->nsystems; k++)
        tape->draft.flight[k] = -1;
    return status;
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
        return predicted(tape, step, dg, part == PERP_PART_CARRYING);
    case PERP_PART_CHOSEN:
        return chosen(tape, step, dg);
    case PERP_PART_CARRIED:
        return carried(tape, dg);
    case PERP_PART_STRUCK:
        return struck(tape, step, dg);
    case PERP_PART_LAGGED:
        return lagged(tape, step, dg);
    default:
        return again(tape, step, dg);
    }
}
