/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that carry while others of their group are struck: what they make of the velocities, and
 * their impulses up to the first impact. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* Many contacts that carry are solved to so many tolerances, or to what is most: what is left of
 * them is a part of what forces give in the step. */
static const double ROUGHLY = 100.0, ROUGHEST = 1e-4;

/* Contacts that carry something while others in their group are struck: active, with their rows of
 * the gap law at the start; how many. */
static int carrying_rows(perp_dg *dg)
{
    double before = (1.0 - dg->theta) / dg->theta;
    int count = perp_dg_carrying(dg);
    for (int k = 0; k < dg->nlinks; k++) {
        perp_link *link = dg->links[k];
        int rows = link->rows, dim = link->law.dim;
        double scale = perp_dg_since(dg, link);
        memset(link->lambda, 0, sizeof(double) * (size_t)rows);
        if (!link->active)
            continue;
        memcpy(link->left, link->H, sizeof(double) * (size_t)rows * (size_t)link->nv);
        memcpy(link->offset, link->spare, sizeof(double) * (size_t)rows);
        for (int i = 0; i < rows; i += dim) {
            int on = link->on[i / dim];
            double b = before * link->u[i] + fmax(link->y_start[i], 0.0) / (dg->h * dg->theta);
            link->offset[i] = on ? link->offset[i] + fmax(0.0, b) : 1.0;
            for (int m = 0; on && count >= PERP_DG_MANY && m < dim; m++)
                link->lambda[i + m] = scale * link->smooth[i + m];
            for (int j = 0; !on && j < rows * link->nv; j += rows)
                for (int m = 0; m < dim; m++)
                    link->left[i + m + j] = 0.0;
        }
        link->symmetric = 1;
        link->own_restitution = 1;
    }
    return count;
}

/* Impulses of the contacts that carry, or, with sign, the increments of the joints. */
static int note_carrying(perp_dg *dg, int joints, double sign)
{
    perp_link **links = joints ? dg->joints : dg->links;
    for (int k = 0; k < (joints ? dg->njoints : dg->nlinks); k++) {
        perp_link *link = links[k];
        if (!joints && !link->active)
            continue;
        double *hit = perp_dg_hit_impulses(dg, link, 0.0);
        const double *impulse = joints ? perp_dg_joint_increment(dg, link) : link->lambda;
        for (int i = 0; hit && i < link->rows; i++)
            hit[2 * link->rows + i] += sign * impulse[i];
        if (!hit)
            return 0;
    }
    return 1;
}

static perp_status solve_carrying(perp_step *step, perp_dg *dg, int count)
{
    perp_settings *settings = &step->stepper->settings;
    double tol = settings->tol;
    if (count >= PERP_DG_MANY)
        settings->tol = fmax(tol, fmin(ROUGHEST, ROUGHLY * tol));
    perp_status status = perp_dg_stage_solve(step, dg, &dg->impact);
    settings->tol = tol;
    return status;
}

/* `change`, where it is not given, by the forces at the start and joints, then with the contacts
 * that carry; what these alone make of it is `carried`. */
perp_status perp_dg_predict(perp_step *step, perp_dg *dg)
{
    dg->stage.from_start = 1;
    perp_dg_stage_of_all(dg);
    perp_dg_clear_targets(dg);
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        for (int i = 0; i < s->nv; i++)
            s->residual[i] = dg->h * s->force[i];
    }
    perp_dg_increment(dg);
    for (int k = 0; k < dg->nsystems; k++)
        if (!perp_dg_change_is_given(dg, dg->systems[k]))
            memcpy(dg->flights[k].change, dg->systems[k]->work,
                   sizeof(double) * (size_t)dg->systems[k]->nv);
    perp_dg_show(step, dg, PERP_PART_PREDICTED);
    int count = carrying_rows(dg);
    if (count == 0)
        return PERP_SOLVED;
    int noted = note_carrying(dg, 1, -1.0);
    perp_status status = noted ? solve_carrying(step, dg, count) : PERP_SOLVED;
    if (status != PERP_SOLVED)
        return status;
    if (!noted || !note_carrying(dg, 1, 1.0) || !note_carrying(dg, 0, 1.0))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    perp_dg_show(step, dg, PERP_PART_CARRYING);
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        perp_dg_flight *f = &dg->flights[k];
        for (int i = 0; i < s->nv && !perp_dg_change_is_given(dg, s); i++) {
            f->carried[i] = s->work[i] - f->change[i];
            f->change[i] = s->work[i];
        }
    }
    return PERP_SOLVED;
}

/* Impulses of a relation that carried up to the part tau of the step. */
static void carry_link(perp_dg *dg, perp_link *link, const double *drift)
{
    if (link->hit < 0)
        return;
    double tau = perp_dg_carrying_time(dg, link->systems[0]);
    double *hit = dg->hit_block + dg->hits[link->hit].first;
    const double *carry = hit + 2 * link->rows;
    for (int i = 0; tau > 0.0 && tau <= 1.0 && i < link->rows; i++) {
        hit[i] += tau * carry[i];
        hit[3 * link->rows + i] += tau * carry[i];
        hit[link->rows + i] += 0.5 * tau * tau * carry[i];
        perp_dg_island_of(dg, link->systems[0])->work += tau * carry[i] * drift[i];
    }
}

/* Contacts that carry did so until the first impact of their group: this is their impulse, the
 * smooth step has what carries after it. */
perp_status perp_dg_carry(perp_step *step, perp_dg *dg)
{
    perp_dg_show(step, dg, PERP_PART_CARRIED);
    perp_dg_stage_of_all(dg);
    dg->stage.from_start = 1;
    for (int k = 0; k < dg->nlinks; k++)
        carry_link(dg, dg->links[k], dg->links[k]->spare);
    for (int k = 0; k < dg->njoints; k++)
        carry_link(dg, dg->joints[k], dg->joints[k]->offset);
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        perp_dg_flight *f = &dg->flights[k];
        double tau = perp_dg_carrying_time(dg, s);
        for (int i = 0; i < s->nv; i++)
            s->work[i] = tau <= 1.0 ? tau * f->carried[i] : 0.0;
        for (int i = 0; tau <= 1.0 && i < s->nv; i++) {
            f->lag[i] += 0.5 * tau * s->work[i];
            f->change[i] -= f->carried[i];
            f->carried[i] = 0.0;
        }
    }
    perp_status status = perp_dg_record_carrying(step, dg);
    if (status == PERP_SOLVED)
        status = perp_dg_add_strike_work(step, dg);
    perp_dg_take_increment(dg);
    for (int k = 0; k < dg->nsystems; k++) {
        const perp_system *s = dg->systems[k];
        double tau = perp_dg_carrying_time(dg, s);
        for (int i = 0; tau <= 1.0 && i < s->nv; i++)
            dg->flights[k].time = s->work[i] != 0.0 ? tau : dg->flights[k].time;
        if (tau <= 1.0)
            dg->flights[k].carrier = -1;
    }
    return status;
}
