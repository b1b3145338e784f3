/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/derivative/impact_desk.h"

#include <math.h>

#include "kernel/laws/law.h"

int perp_tape_lay_out_impact(perp_tape_impact_desk *d, perp_tape *tape, perp_link *link)
{
    size_t N = (size_t)link->N, nv = (size_t)link->nv, m = (size_t)link->rows * nv;
    *d = (perp_tape_impact_desk){0};
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

void perp_tape_gather_impact(perp_tape_impact_desk *d, const perp_dg *dg, const perp_link *link)
{
    int at = 0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        for (int j = 0; j < s->nv; j++, at++) {
            d->v[at] = s->v_kept[j];
            d->change[at] = dg->flights[s->place].change[j];
            d->dv[at] = s->work[j];
            d->start[at] = s->v[PERP_START][j];
        }
    }
}

double perp_tape_row_rate(const double *H, int rows, int i, int nv, const double *v)
{
    double sum = 0.0;
    for (int j = 0; j < nv; j++)
        sum += H[i + j * rows] * v[j];
    return sum;
}

/* The number of the time of the group of a system, -1: none. */
int perp_tape_group_number(const perp_tape *tape, const perp_dg *dg, const perp_system *s)
{
    double time = perp_dg_strike_time(dg, s);
    if (!tape->draft.chosen || perp_dg_is_early(dg, s))
        return -1;
    for (int k = 0; k < dg->nlinks && time <= 1.0; k++) {
        const perp_link *link = dg->links[k];
        for (int r = 0; r < link->relations; r++)
            if (link->mode[r] & PERP_DG_STRUCK && dg->when[link->first_relation + r] == time &&
                perp_dg_strike_time(dg, link->systems[0]) == time)
                return tape->draft.number[link->first_relation + r];
    }
    return -1;
}

int perp_tape_time_number(const perp_tape *tape, const perp_dg *dg, const perp_link *link, int r)
{
    if (perp_dg_is_early(dg, link->systems[0]) || !tape->draft.chosen)
        return -1;
    return link->mode[r] & PERP_DG_STRUCK ? tape->draft.number[link->first_relation + r]
                                          : perp_tape_group_number(tape, dg, link->systems[0]);
}

perp_tape_impact_row perp_tape_impact_row_of(const perp_tape *tape, const perp_dg *dg,
                                             const perp_link *link, const perp_tape_impact_desk *d,
                                             int i)
{
    int row = d->on[i], r = row / link->law.dim, normal = row % link->law.dim == 0, nv = link->nv;
    perp_tape_impact_row out = {perp_dg_time_of(dg, link, r), 0.0, link->u[row],
                                perp_tape_time_number(tape, dg, link, r),
                                (link->mode[r] & PERP_DG_STRUCK) != 0};
    out.before += perp_tape_row_rate(d->H, d->count, i, nv, d->v) +
                  out.tau * perp_tape_row_rate(d->H, d->count, i, nv, d->change);
    double e = perp_dg_group_of(dg, link)->part * (normal ? link->law.e : link->law.e_t);
    out.bounce = out.struck && (!normal || out.before < 0.0) ? e : 0.0;
    return out;
}

int perp_tape_impact_terms(perp_tape *tape, perp_tape_solve_stage *solve,
                           const perp_tape_part *part, const perp_dg *dg, const perp_link *link,
                           const perp_tape_impact_desk *d)
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
            perp_tape_impact_row r = perp_tape_impact_row_of(tape, dg, link, d, i);
            int place = perp_tape_parameter_place(&link->law, p->quantity);
            if (normal && place >= 0 && link->law.kind == PERP_LAW_FRICTION)
                fine &= perp_tape_add_term(tape, solve, k, (perp_tape_target)place,
                                           part->block + i / dim, 1.0);
            if (r.struck && ((normal && p->quantity == PERP_TAPE_E) ||
                             (!normal && p->quantity == PERP_TAPE_E_T)))
                fine &= perp_tape_add_term(tape, solve, k, PERP_TAPE_BETA, part->first + i,
                                           perp_dg_group_of(dg, link)->part *
                                               (normal ? fmin(r.before, 0.0) : r.before));
        }
    }
    return fine;
}

int perp_tape_impact_values(perp_tape *tape, const perp_tape_impact_desk *d, const perp_link *link,
                            const perp_one_step *one, double **z, double **w)
{
    *z = PERP_TAPE_ARRAY(tape, double, d->count);
    *w = PERP_TAPE_ARRAY(tape, double, d->count);
    for (int i = 0; *z && *w && i < d->count; i++) {
        (*z)[i] = link->lambda[d->on[i]];
        (*w)[i] = one->w[link->first_row + d->on[i]];
    }
    return *z && *w;
}

void perp_tape_impact_turns(double *out, const perp_tape_impact_desk *d, const perp_link *link,
                            const double *z)
{
    int nv = link->nv;
    for (int k = 0; k < nv; k++)
        for (int j = 0; j < nv; j++)
            for (int i = 0; i < d->count; i++)
                out[j + k * nv] += d->G[d->on[i] + (j + k * nv) * link->rows] * z[i];
}
