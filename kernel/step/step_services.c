/* SPDX-License-Identifier: BSD-3-Clause */
/* What schemes ask for within a step. */
#include "kernel/step/stepper.h"

perp_status perp_step_outputs(perp_step *step, double t)
{
    double worst = 0.0;
    perp_step at = *step;
    at.t_end = t;
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        perp_status status = perp_step_integrator(step, link->systems[0])->output(&at, link);
        if (status != PERP_SOLVED)
            return perp_step_callback_refused(step, status, "interaction", link->slot);
        if (!perp_link_sound(link))
            return perp_step_refuse(step, PERP_ERR_NUMERICAL, "interaction", link->slot,
                                    "the new output is not a number");
        if (link->joint || link->coupling)
            perp_joint_settle(link, perp_link_gather_x(link, PERP_NOW));
        double violation = perp_law_violation(&link->law, link->y, link->rows);
        worst = violation > worst ? violation : worst;
    }
    step->stepper->info.violation = worst;
    return PERP_SOLVED;
}

perp_status perp_step_instant(perp_step *step, double t, double h, perp_instant_kind kind)
{
    if (h > 0.0)
        step->stepper->info.inner++;
    return perp_stepper_show(step->stepper, t, h, kind);
}

void perp_step_reject(perp_step *step)
{
    step->stepper->info.rejected++;
}

perp_status perp_step_refuse(perp_step *step, perp_status status, const char *what, int slot,
                             const char *detail)
{
    return perp_stepper_fail(step->stepper, status, what, slot, detail);
}

double *perp_step_carry(perp_step *step)
{
    return step->stepper->carry;
}

int perp_step_link_is_linear(const perp_link *link, const perp_scheme *scheme)
{
    (void)scheme;
    return link->linear;
}

void perp_step_add_squares(double *square, const perp_system *s, const double *bias)
{
    for (int i = 0; i < s->nv; i++) {
        double r = s->residual[i] - s->p[i] - (bias ? bias[i] : 0.0);
        *square += r * r;
    }
}

void perp_step_show_part(perp_step *step, int scheme, perp_step_part part)
{
    const perp_step_follower *follower = &step->stepper->follower;
    if (follower->part)
        follower->part(follower->ctx, step, scheme, part);
}
