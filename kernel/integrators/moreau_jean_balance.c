/* SPDX-License-Identifier: BSD-3-Clause */
/* What the theta-method and its contacts tell the certificate. */
#include <string.h>

#include "kernel/integrators/moreau_jean.h"
#include "kernel/step/stepper.h"

/* a . (w x J w) */
static double gyroscopic_power(const perp_system *s, const double *w, const double *a)
{
    double moment[3];
    perp_body_gyroscopic(moment, s, w);
    return a[0] * moment[0] + a[1] * moment[1] + a[2] * moment[2];
}

static int forces_of(double *driven, perp_step *step, perp_system *s, double theta)
{
    double h = step->h;
    if (s->plain) {
        for (int i = 0; i < s->nv; i++)
            driven[i] = h * s->constant[i];
        return 0;
    }
    if (theta > 0.0 && perp_system_force(s->work, s, step->t_end, s->q[PERP_NOW], s->v[PERP_NOW]))
        return 1;
    for (int i = 0; i < s->nv; i++)
        driven[i] = (theta > 0.0 ? h * theta * s->work[i] : 0.0) + h * (1.0 - theta) * s->force[i];
    return 0;
}

int perp_mj_balance(perp_step *step, perp_system *s, perp_balance *balance)
{
    const perp_scheme *scheme = perp_step_scheme(step, s);
    double theta = scheme->theta, weight = scheme->forces == PERP_FORCES_EXPLICIT ? 0.0 : theta;
    const double *v = s->v[PERP_NOW], *v_k = s->v[PERP_START];
    if (forces_of(balance->driven, step, s, weight))
        return -1;
    for (int i = 0; i < s->nv; i++) {
        balance->mean[i] = theta * v[i] + (1.0 - theta) * v_k[i];
        s->work[i] = v[i] - v_k[i];
    }
    balance->weight = weight;
    balance->slack = step->stepper->linear ? 0.0 : step->stepper->options.newton_tol;
    if (s->kind == PERP_SYSTEM_BODY && !s->as.body.no_gyroscopic)
        balance->inertial =
            -step->h * (weight * gyroscopic_power(s, v + 3, balance->mean + 3) +
                        (1.0 - weight) * gyroscopic_power(s, v_k + 3, balance->mean + 3));
    return perp_system_mass_apply(balance->change, s, s->q[PERP_GUESS], s->work) ? -1 : 1;
}

int perp_mj_paired_input(perp_step *step, perp_link *link, perp_pairing *pairing, double scale)
{
    const double *x = perp_link_gather_x(link, PERP_NOW);
    pairing->kind = PERP_PAIRING_INPUT;
    if (perp_link_input(pairing->impulse, link, step->t_end, x, link->lambda))
        return -1;
    for (int i = 0; i < link->nv; i++)
        pairing->impulse[i] *= scale;
    return 1;
}

/* Relations on positions, whose multiplier is a force. */
static int position_pairing(perp_step *step, perp_link *link, perp_pairing *pairing)
{
    int published = perp_link_scheme(step, link)->inconsistent_compliance;
    if (!published && !link->linear && step->stepper->options.newton_iter == 1)
        return 0; /* linearised at an iterate that is gone */
    if (perp_link_has_input(link))
        return perp_mj_paired_input(step, link, pairing, published ? 1.0 : step->h);
    const double *x = perp_link_gather_x(link, published ? PERP_GUESS : PERP_NOW);
    if (perp_link_jacobian(pairing->H, link, step->t_end, x, link->lambda))
        return -1;
    for (int i = 0; i < link->rows; i++)
        pairing->impulse[i] = published ? link->lambda[i] : step->h * link->lambda[i];
    return 1;
}

/* What contacts that give way add to the rates. */
static void soften(const perp_step *step, perp_link *link, perp_pairing *pairing)
{
    double theta = perp_link_scheme(step, link)->theta;
    if (link->law.relative_compliance > 0.0)
        for (int i = 0; i < link->rows; i++)
            pairing->offset[i] += link->soft[i] * (link->lambda[i] - link->centre[i]);
    if (!perp_law_is_soft(&link->law))
        return;
    const double *v = perp_link_gather_v(link, PERP_START);
    for (int i = 0; i < link->rows; i += link->law.dim) {
        double offset, compliance, u = pairing->drift[i];
        for (int j = 0; j < link->nv; j++)
            u += pairing->H[i + j * link->rows] * v[j];
        perp_law_contact(&offset, &compliance, &link->law, step->h, theta, link->y_start[i],
                         (1.0 - theta) * u);
        pairing->offset[i] += offset + compliance * link->lambda[i];
    }
}

int perp_mj_paired(perp_step *step, perp_link *link, perp_pairing *pairing)
{
    int rows = link->rows, force = link->law.kind == PERP_LAW_BOX;
    if (perp_link_has_feedthrough(link))
        return position_pairing(step, link, pairing);
    if (perp_link_has_input(link))
        return step->stepper->options.newton_iter == 1 && !link->linear
                   ? 0
                   : perp_mj_paired_input(step, link, pairing, force ? step->h : 1.0);
    const double *x = perp_link_gather_x(link, PERP_GUESS);
    if (perp_link_jacobian(pairing->H, link, step->t_end, x, link->lambda))
        return -1;
    if (perp_link_has_drift(link) &&
        perp_link_drift(pairing->drift, link, step->t_end, x, link->lambda))
        return -1;
    for (int i = 0; i < rows; i++)
        pairing->impulse[i] = force ? step->h * link->lambda[i] : link->lambda[i];
    if (!link->own_restitution)
        perp_law_restitution(pairing->offset, &link->law, link->u_start, rows);
    if (link->law.drive != PERP_DRIVE_NONE) {
        double offset, compliance, u = pairing->drift[0];
        const double *v = perp_link_gather_v(link, PERP_START);
        for (int j = 0; j < link->nv; j++)
            u += pairing->H[j] * v[j];
        perp_law_drive(&offset, &compliance, &link->law, step->h,
                       perp_link_scheme(step, link)->theta, link->y_start[0], u,
                       PERP_MJ_SERVO_PLACE);
        pairing->offset[0] += offset + compliance * pairing->impulse[0];
    }
    if (perp_law_is_impact(&link->law))
        soften(step, link, pairing);
    pairing->forces = force;
    pairing->at = PERP_GUESS;
    pairing->lawful = 1;
    return 1;
}
