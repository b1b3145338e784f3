/* SPDX-License-Identifier: BSD-3-Clause */
/* After the smooth step: whether its impacts took energy (impact_stages.c), and its multipliers
 * with them. */
#include <math.h>
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* Of all that an island's impacts move, and of that and the tolerance: work that is no gain, but
 * what rounding and solves leave of none. */
static const double NO_GAIN = 1e-13, OF_SOLVES = 0.1;

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

/* What the impacts of each island and the lags add to the energy, with the contacts of the smooth
 * step; changes in work of the systems. */
static perp_status add_lag_work(perp_step *step, const perp_dg *dg)
{
    for (int k = 0; k < dg->nlinks; k++)
        if (dg->links[k]->active && perp_dg_may_strike(dg->links[k]))
            perp_dg_island_of(dg, dg->links[k]->systems[0])->work += smooth_work(dg, dg->links[k]);
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        for (int i = 0; i < s->nv; i++)
            s->work[i] = s->v[PERP_NOW][i] - s->v_kept[i];
        if (perp_system_mass_apply(s->free, s, s->q[PERP_GUESS], s->work))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "system", s->slot);
        for (int i = 0; i < s->nv; i++)
            perp_dg_island_of(dg, s)->work += dg->flights[k].lag[i] * s->free[i];
    }
    return PERP_SOLVED;
}

/* Of an island. 1: it had no impact, it takes energy, or its impacts were at the start already. */
static int judge(perp_dg_island *island, double tol)
{
    double none = fmax(NO_GAIN, OF_SOLVES * tol) * island->scale;
    int early = island->refused >= PERP_DG_ATTEMPTS;
    island->stands |= early || !(island->scale > 0.0) || island->work <= none;
    island->refused += !island->stands;
    return island->stands;
}

/* All contacts of an island take energy, those before and after the impacts together; else it is
 * made *again, with the change that came out of it, at last with the impacts at the start. */
perp_status perp_dg_judge_impacts(perp_step *step, perp_dg *dg, int *again)
{
    *again = 0;
    if (dg->nhits == 0)
        return PERP_SOLVED;
    perp_status status = add_lag_work(step, dg);
    if (status != PERP_SOLVED)
        return status;
    for (int k = 0; k < dg->nsystems; k++)
        if (dg->island_root[k] == k)
            *again |= !judge(&dg->islands[k], step->stepper->settings.tol);
    for (int k = 0; *again && k < dg->nsystems; k++) {
        const perp_system *s = dg->systems[k];
        for (int i = 0; !perp_dg_island_of(dg, s)->stands && i < s->nv; i++)
            dg->flights[k].change[i] = perp_dg_is_early(dg, s) ? 0.0 : s->work[i];
        dg->early |= perp_dg_is_early(dg, s);
    }
    if (*again)
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
