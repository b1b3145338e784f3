/* SPDX-License-Identifier: BSD-3-Clause */
/* Velocities at the start that joints do not allow: those that a caller gave, or that a new joint
 * met. Joints that hold on positions would turn the forbidden part around by the end of the step,
 *
 *     G vb = 0  and  vb = theta v + (1 - theta) v'   give   G v = -(1 - theta)/theta G v',
 *
 * and turn bodies by what is in no solution. They are an impact of the joints at the start instead,
 * which is plastic: M dv = G' mu, G (v' + dv) + g_t = 0. */
#include <math.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* Of a rate to the velocities it comes from, and of its way in a step to the lengths of joints:
 * below are drifts and the rounding of numbers that a caller wrote. */
static const double SLIGHT = 1e-6, NO_WAY = 1e-9;

/* By rates of the last output. */
static int contradicts(const perp_dg *dg, const perp_link *link)
{
    double rate = 0.0, fastest = 0.0;
    for (int i = 0; i < link->rows; i++)
        rate = fmax(rate, fabs(link->u_start[i]));
    if (!(rate * dg->h > NO_WAY * dg->length))
        return 0;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++)
            fastest = fmax(fastest, fabs(link->systems[k]->v_kept[j]));
    return rate > SLIGHT * fastest;
}

int perp_dg_joints_struck(const perp_dg *dg)
{
    for (int k = 0; k < dg->njoints; k++)
        if (contradicts(dg, dg->joints[k]))
            return 1;
    return 0;
}

int perp_dg_note_joint_impulses(perp_dg *dg)
{
    for (int k = 0; k < dg->njoints; k++) {
        perp_link *link = dg->joints[k];
        const double *mu = perp_dg_joint_increment(dg, link);
        double *hit = perp_dg_hit_impulses(dg, link, 0.0);
        for (int i = 0; hit && i < link->rows; i++) {
            hit[i] += mu[i];
            perp_dg_island_of(dg, link->systems[0])->work += mu[i] * link->offset[i];
        }
        if (!hit)
            return 0;
    }
    return 1;
}

perp_status perp_dg_strike_joints(perp_step *step, perp_dg *dg)
{
    perp_status status = perp_dg_set_masses(step, dg, PERP_START);
    if (status != PERP_SOLVED)
        return status;
    perp_dg_joint_targets(dg);
    perp_dg_clear_residuals(dg);
    perp_dg_increment(dg);
    status = perp_dg_record_stage(step, dg, PERP_IMPACT_JOINTS, 0.0);
    if (status == PERP_SOLVED)
        status = perp_dg_add_strike_work(step, dg);
    if (status != PERP_SOLVED)
        return status;
    if (!perp_dg_note_joint_impulses(dg))
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    perp_dg_show(step, dg, PERP_PART_JOINTS_STRUCK);
    perp_dg_take_increment(dg);
    step->stepper->info.impacts++;
    return PERP_SOLVED;
}
