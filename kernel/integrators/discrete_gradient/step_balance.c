/* SPDX-License-Identifier: BSD-3-Clause */
/* What the discrete-gradient scheme tells the certificate: its equations at the end of the Newton
 * loop, from the states alone. */
#include <string.h>

#include "kernel/integrators/discrete_gradient/clusters.h"
#include "kernel/integrators/moreau_jean.h"
#include "kernel/relations/discrete_gradient.h"
#include "kernel/step/one_step_give.h"
#include "kernel/step/stepper.h"

int perp_dg_balance(perp_step *step, perp_system *s, perp_balance *balance)
{
    perp_dg *dg = perp_dg_of(step, s);
    if (!dg || perp_dg_forces(step, dg, s) != PERP_SOLVED)
        return -1;
    for (int i = 0; i < s->nv; i++)
        s->work[i] = s->v[PERP_NOW][i] - s->v_kept[i];
    if (perp_system_mass_apply(balance->change, s, s->q[PERP_GUESS], s->work))
        return -1;
    for (int i = 0; i < s->nv; i++) {
        balance->driven[i] = balance->change[i] - s->residual[i];
        balance->mean[i] = dg->theta * s->v[PERP_NOW][i] + (1.0 - dg->theta) * s->v_kept[i];
    }
    balance->lag = perp_dg_lag(dg, s);
    for (int i = 0; balance->lag && i < s->nv; i++)
        balance->mean[i] -= balance->lag[i];
    balance->weight = dg->theta;
    balance->before = s->v_kept;
    balance->tolerance = perp_dg_tolerance(dg);
    /* Of what is light and in balance that may be much. */
    int carries = s->coupled >= 0;
    for (int i = 0; dg->njoints > 0 && i < s->nv; i++)
        carries |= s->p[i] != 0.0;
    balance->slack = carries ? 2.0 * perp_dg_carried_rounding(dg) : 0.0;
    return 1;
}

int perp_dg_paired(perp_step *step, perp_link *link, perp_pairing *pairing)
{
    const perp_dg *dg = perp_dg_of(step, link->systems[0]);
    perp_dg_role role = perp_dg_role_of(link);
    int rows = link->rows;
    if (!dg)
        return -1;
    if (role == PERP_DG_INPUT)
        return perp_mj_paired_input(step, link, pairing, perp_dg_unit(dg, link));
    if (role == PERP_DG_COMPLIANT
            ? perp_dg_compliant(step, dg, link, 1.0 / dg->h, pairing->H, pairing->drift)
            : perp_link_discrete_gradient(pairing->H, pairing->drift, link->spare, link, step->t,
                                          dg->h, link->y_start, link->lambda))
        return -1;
    memcpy(pairing->impulse, link->lambda, sizeof(double) * (size_t)rows);
    if (role == PERP_DG_CONTACT)
        for (int i = 0; i < rows; i++)
            pairing->offset[i] = link->offset[i] - pairing->drift[i];
    for (int i = 0; role == PERP_DG_CONTACT && perp_law_gives_way(&link->law) && i < rows; i++)
        pairing->offset[i] += perp_one_step_given(link, i, link->lambda);
    if (link->law.drive != PERP_DRIVE_NONE) {
        double compliance, u = pairing->drift[0];
        int at = 0;
        for (int m = 0; m < link->nsystems; m++) {
            const perp_system *s = link->systems[m];
            for (int j = 0; j < s->nv; j++, at++)
                u += pairing->H[at] * perp_dg_start_velocity(dg, s, j);
        }
        pairing->offset[0] = perp_dg_drive_offset(dg, link, u, &compliance);
        pairing->offset[0] += compliance * link->lambda[0];
    }
    pairing->tolerance += perp_dg_rate_tolerance();
    pairing->rounding = perp_dg_no_rate(dg, link);
    pairing->staged = role == PERP_DG_CONTACT && perp_law_is_impact(&link->law);
    pairing->lawful = role == PERP_DG_CONTACT || role == PERP_DG_RATE;
    pairing->forces = role == PERP_DG_RATE;
    return 1;
}
