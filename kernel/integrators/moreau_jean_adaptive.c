/* SPDX-License-Identifier: BSD-3-Clause */
/* Moreau-Jean (euler-moreau for first-order systems) with steps chosen by doubling
 * (step_doubling.c).  error_order variable: 0 where a contact closes, opens, catches or lets go in
 * the step, the base scheme's own order where nothing touches, 1 else. */
#include "kernel/integrators/either_kind.h"
#include "kernel/integrators/walker.h"

static int order_of(const perp_walker *w)
{
    if (w->scheme->error_order != PERP_ERROR_ORDER_VARIABLE)
        return w->scheme->error_order - 1;
    if (perp_trial_event(w->trial, w->step))
        return 0;
    return perp_trial_touches(w->step) ? 1 : perp_either_smooth_order(w->step, w->scheme);
}

static perp_status try_step(perp_walker *w, double h, double t_end, int *done)
{
    return perp_walker_double(w, h, t_end, order_of, done);
}

static perp_status march(perp_step *step)
{
    return perp_walker_march(step, 2, try_step);
}

static void defaults(perp_scheme *scheme)
{
    scheme->rtol = 1e-4;
}

const perp_integrator perp_moreau_jean_adaptive = {
    .name = "moreau-jean-adaptive",
    .summary = "Moreau-Jean with steps chosen by doubling and by the violation of constraints",
    .reads = PERP_EITHER_READS " error_order step_control error_in atol rtol alpha alpha_min "
                               "alpha_max h_min h_first at_h_min",
    PERP_EITHER_MOREAU_JEAN(perp_either_activate),
    .march = march,
    .defaults = defaults,
    .release = perp_trial_release};
