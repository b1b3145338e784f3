/* SPDX-License-Identifier: BSD-3-Clause */
/* After the smooth step: whether its impacts took energy (impact_stages.c), and its multipliers
 * with them. */
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* Attempts with impacts in time. */
enum { LATE = 4 };

/* Work of a contact in the smooth step, on its relative motion but for the slip of obstacles. */
static double smooth_work(const perp_dg *dg, perp_link *link)
{
    double work = 0.0;
    const double *mean = perp_link_gather_v(link, PERP_GUESS);
    for (int i = 0; i < link->rows; i++) {
        double rate = 0.0;
        for (int j = 0; j < link->nv; j++)
            rate += link->left[i + j * link->rows] * mean[j];
        if (i % link->law.dim == 0)
            rate = (link->y[i] - link->y_start[i]) / dg->h;
        work += link->lambda[i] * rate;
    }
    return work;
}

/* All contacts of a step that was solved take energy, those before and after the impacts together;
 * else *again, with the change that came out of it, at last with the impacts at its start. */
perp_status perp_dg_judge_impacts(perp_step *step, perp_dg *dg, int attempt, int *again)
{
    double work = dg->struck_work, scale = dg->struck_scale;
    *again = 0;
    if (dg->nhits == 0 || dg->early)
        return PERP_SOLVED;
    for (int k = 0; k < dg->nlinks; k++)
        if (dg->links[k]->active && perp_dg_may_strike(dg->links[k]))
            work += smooth_work(dg, dg->links[k]);
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        perp_dg_flight *f = &dg->flights[k];
        for (int i = 0; i < s->nv; i++)
            s->work[i] = s->v[PERP_NOW][i] - s->v_kept[i];
        if (perp_system_mass_apply(s->free, s, s->q[PERP_GUESS], s->work))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "system", s->slot);
        for (int i = 0; i < s->nv; i++)
            work += f->lag[i] * s->free[i];
    }
    if (work <= 1e-13 * scale)
        return PERP_SOLVED;
    for (int k = 0; k < dg->nsystems; k++)
        memcpy(dg->flights[k].change, dg->systems[k]->work,
               sizeof(double) * (size_t)dg->systems[k]->nv);
    dg->early = attempt + 1 >= LATE;
    for (int k = 0; dg->early && k < dg->nsystems; k++)
        memset(dg->flights[k].change, 0, sizeof(double) * (size_t)dg->systems[k]->nv);
    *again = 1;
    perp_dg_show(step, dg, PERP_PART_AGAIN);
    return PERP_SOLVED;
}

void perp_dg_add_strikes(const perp_dg *dg)
{
    for (int k = 0; k < dg->nhits; k++) {
        perp_link *link = dg->hits[k].link;
        const double *hit = dg->hit_block + dg->hits[k].first;
        for (int i = 0; i < link->rows; i++)
            if (hit[i] != 0.0) {
                link->lambda[i] += hit[i];
                link->on[i / link->law.dim] = 1;
                link->active = 1;
            }
    }
}
