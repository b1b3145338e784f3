/* SPDX-License-Identifier: BSD-3-Clause */
/* What velocities change by within a step without impacts, differentiated: by the forces at the
 * start, by contacts that carry until an impact ends that, by the attempt before. */
#include <math.h>

#include "kernel/derivative/impact_desk.h"

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
                                    perp_tape_solve_stage *solve, perp_link *link,
                                    perp_tape_impact_desk *d)
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
    if (!part || !rho || !by_q || !by_v ||
        !perp_tape_impact_values(tape, d, link, &dg->impact, &z, &w) ||
        !perp_tape_set_rows(tape, solve, part, &link->law, count, z, w, 1.0))
        return PERP_ERR_MEMORY;
    if (status != PERP_SOLVED)
        return status;
    perp_tape_gather_impact(d, dg, link);
    part->G = part->N = d->H;
    perp_tape_impact_turns(rho, d, link, z);
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
                   perp_tape_impact_terms(tape, solve, part, dg, link, d)
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

/* By system, 1: the change is that of this attempt; that of an attempt before. */
static int given_parts(perp_tape *tape, const perp_dg *dg, double **made_now, double **given)
{
    *made_now = PERP_TAPE_ARRAY(tape, double, tape->nsystems);
    *given = PERP_TAPE_ARRAY(tape, double, tape->nsystems);
    for (int k = 0; *made_now && *given && k < tape->nsystems; k++) {
        (*given)[k] = perp_dg_change_is_given(dg, dg->systems[k]);
        (*made_now)[k] = 1.0 - (*given)[k];
    }
    return *made_now && *given;
}

/* Changes without impacts, y in work. */
perp_status perp_tape_follow_changes(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                     int carrying)
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
        perp_tape_impact_desk d;
        if (!dg->links[k]->active)
            continue;
        status = perp_tape_lay_out_impact(&d, tape, dg->links[k]) ? PERP_SOLVED : PERP_ERR_MEMORY;
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
    double *made_now, *given;
    if (!given_parts(tape, dg, &made_now, &given))
        return PERP_ERR_MEMORY;
    if (carrying)
        carried->as.move = (perp_tape_move_stage){
            .reg = PERP_REG_CARRIED,
            .count = 2,
            .source = {{PERP_REG_Y, 1.0, made_now, NULL}, {PERP_REG_CHANGE, -1.0, made_now, NULL}}};
    change->as.move = (perp_tape_move_stage){.reg = PERP_REG_CHANGE,
                                             .count = 1,
                                             .keep = given,
                                             .source = {{PERP_REG_Y, 1.0, made_now, NULL}}};
    return PERP_SOLVED;
}

/* Until tau contacts carried: v' += tau c, lag += tau^2 c/2, change -= c, c = 0. */
perp_status perp_tape_follow_carried(perp_tape *tape, const perp_dg *dg)
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

/* The step is made again, with the changes that came out of it where impacts gave energy. */
perp_status perp_tape_follow_again(perp_tape *tape, perp_step *step, const perp_dg *dg)
{
    static const int zero[] = {PERP_REG_LAG, PERP_REG_CARRIED};
    perp_status status = perp_tape_follow_smooth(tape, step, dg);
    perp_tape_stage *change = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
    perp_tape_stage *v = perp_tape_add_stage(tape, PERP_STAGE_MOVE);
    double *out = PERP_TAPE_ARRAY(tape, double, tape->nsystems);
    double *keep = PERP_TAPE_ARRAY(tape, double, tape->nsystems);
    if (!change || !v || !out || !keep)
        return PERP_ERR_MEMORY;
    for (int k = 0; k < tape->nsystems; k++) {
        const perp_system *s = dg->systems[k];
        keep[k] = perp_dg_island_of(dg, s)->stands;
        out[k] = !perp_dg_island_of(dg, s)->stands && !perp_dg_is_early(dg, s);
    }
    change->as.move = (perp_tape_move_stage){
        .reg = PERP_REG_CHANGE,
        .count = 2,
        .keep = keep,
        .source = {{PERP_REG_END_V, 1.0, out, NULL}, {PERP_REG_V, -1.0, out, NULL}}};
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
