/* SPDX-License-Identifier: BSD-3-Clause */
/* Velocities of joints: joints that hold on positions leave H v free to alternate from step to
 * step. After the step v moves to the nearest velocity in the metric of the masses with H v + h_t =
 * 0,
 *
 *     M dv = H(q)' pi,    H(q) (v + dv) + h_t = 0,
 *
 * which only takes energy where h_t = 0. */
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

perp_status perp_dg_mass(perp_step *step, perp_system *s, perp_moment moment)
{
    perp_status status = perp_system_iteration(s, step->t_end, s->q[moment], s->q[moment],
                                               s->v_kept, 0.0, 0.0, NULL, 0.0);
    return status == PERP_SOLVED ? status
                                 : perp_step_callback_refused(step, status, "system", s->slot);
}

perp_status perp_dg_joint_rates(perp_step *step, perp_dg *dg, perp_moment moment)
{
    double t = moment == PERP_START ? step->t : step->t_end;
    for (int k = 0; k < dg->njoints; k++) {
        perp_link *link = dg->joints[k];
        const double *x = perp_link_gather_x(link, moment);
        if (perp_link_jacobian(link->left, link, t, x, link->lambda) ||
            perp_link_drift(link->offset, link, t, x, link->lambda))
            return perp_step_callback_refused(step, PERP_INTERRUPTED, "interaction", link->slot);
    }
    return PERP_SOLVED;
}

perp_status perp_dg_set_masses(perp_step *step, perp_dg *dg, perp_moment moment)
{
    for (int k = 0; k < dg->nsystems; k++) {
        perp_status status = perp_dg_mass(step, dg->systems[k], moment);
        if (status != PERP_SOLVED)
            return status;
    }
    perp_status status = perp_dg_joint_rates(step, dg, moment);
    return status == PERP_SOLVED && dg->njoints ? perp_dg_factor(step, dg, 0) : status;
}

void perp_dg_joint_targets(const perp_dg *dg)
{
    for (int k = 0; k < dg->njoints; k++) {
        const perp_link *link = dg->joints[k];
        double *target = dg->gap + link->first_row;
        const double *left = link->left;
        memcpy(target, link->offset, sizeof(double) * (size_t)link->rows);
        for (int m = 0; m < link->nsystems; m++) {
            const perp_system *s = link->systems[m];
            perp_link_add_rates(target, left, s->v_kept, link->rows, s->nv);
            left += link->rows * s->nv;
        }
        for (int i = 0; i < link->rows; i++)
            target[i] = -target[i];
    }
}

/* Multipliers at the start become those of the same forces without what is left out.  Stresses that
 * joints hold among themselves would stay for ever: no equation has them but the stiffness, which
 * they spoil, and rounding, which grows with them. */
static void release_stresses(perp_dg *dg)
{
    for (int k = 0; k < dg->nsystems; k++)
        memset(dg->systems[k]->residual, 0, sizeof(double) * (size_t)dg->systems[k]->nv);
    for (int k = 0; k < dg->njoints; k++) {
        const perp_link *link = dg->joints[k];
        const double *H = link->left;
        for (int m = 0; m < link->nsystems; m++)
            for (int j = 0; j < link->systems[m]->nv; j++, H += link->rows)
                for (int i = 0; i < link->rows; i++)
                    link->systems[m]->residual[j] += H[i] * link->lambda_start[i];
    }
    perp_dg_clear_targets(dg);
    perp_dg_increment(dg);
    for (int k = 0; k < dg->njoints; k++) {
        const double *change = perp_dg_joint_increment(dg, dg->joints[k]);
        for (int i = 0; i < dg->joints[k]->rows; i++)
            dg->joints[k]->lambda_start[i] = -change[i];
    }
}

perp_status perp_dg_find_dependent(perp_step *step, perp_dg *dg)
{
    if (dg->njoints == 0 || (dg->ranked == dg->saddle.pattern && !dg->redundant))
        return PERP_SOLVED;
    perp_status status = perp_dg_joint_rates(step, dg, PERP_START);
    if (status == PERP_SOLVED)
        status = perp_dg_factor(step, dg, 0);
    if (status != PERP_SOLVED)
        return status;
    perp_saddle_keep_dropped(&dg->saddle);
    perp_saddle_take_dependent(&dg->moving, &dg->saddle);
    dg->ranked = dg->saddle.pattern;
    dg->redundant = dg->saddle.ndropped > 0;
    if (dg->redundant)
        release_stresses(dg);
    return PERP_SOLVED;
}

perp_status perp_dg_project_velocities(perp_step *step, perp_dg *dg)
{
    perp_status status = PERP_SOLVED;
    if (dg->njoints == 0)
        return status;
    for (int k = 0; k < dg->nsystems && status == PERP_SOLVED; k++) {
        perp_system *s = dg->systems[k];
        if (s->coupled < 0)
            continue;
        status = perp_dg_mass(step, s, PERP_NOW);
        memcpy(s->v_kept, s->v[PERP_NOW], sizeof(double) * (size_t)s->nv);
        memset(s->residual, 0, sizeof(double) * (size_t)s->nv);
    }
    if (status == PERP_SOLVED)
        status = perp_dg_joint_rates(step, dg, PERP_NOW);
    if (status == PERP_SOLVED)
        status = perp_dg_factor(step, dg, 0);
    if (status != PERP_SOLVED)
        return status;
    dg->redundant = dg->saddle.ndropped > 0;
    perp_dg_joint_targets(dg);
    perp_dg_increment(dg);
    perp_dg_show(step, dg, PERP_PART_JOINTS);
    for (int k = 0; k < dg->nsystems; k++) {
        perp_system *s = dg->systems[k];
        for (int i = 0; s->coupled >= 0 && i < s->nv; i++)
            s->v[PERP_NOW][i] += s->work[i];
    }
    return PERP_SOLVED;
}
