/* SPDX-License-Identifier: BSD-3-Clause */
/* discrete-gradient (euler-moreau for first-order systems) with steps chosen by doubling
 * (step_doubling.c).  error_order variable: 0 where a contact closes, opens, catches or lets go in
 * the step, 1 where some contact is closed, the order of the base scheme else: joints do not lower
 * it.  Both walks may end the bounces of a long step plastically: their difference does not show
 * that.  What a closing contact may miss does, and counts beside the penetration (step_trial.c). */
#include "kernel/integrators/discrete_gradient/clusters.h"
#include "kernel/integrators/contact_mode.h"
#include "kernel/integrators/either_kind.h"
#include "kernel/integrators/walker.h"

static perp_status accepts(const perp_link *link, const perp_scheme *scheme, const char **why)
{
    return perp_either_accepts(&perp_discrete_gradient, link, scheme, why);
}

static int is_linear(const perp_link *link, const perp_scheme *scheme)
{
    return perp_either_is_linear(&perp_discrete_gradient, link, scheme);
}

static perp_status finish(perp_step *step, int scheme, int *again)
{
    return perp_discrete_gradient.finish(step, scheme, again);
}

static int touches(const perp_step *step)
{
    double scale = perp_contact_scale(step);
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        int joint = link->second_order && perp_dg_role_of(link) == PERP_DG_JOINT;
        for (int r = 0; r < link->relations && !joint; r++)
            if (perp_contact_mode_of(link, r, scale) != PERP_MODE_OPEN)
                return 1;
    }
    return 0;
}

static int order_of(const perp_walker *w)
{
    if (w->scheme->error_order != PERP_ERROR_ORDER_VARIABLE)
        return w->scheme->error_order - 1;
    if (perp_trial_event(w->trial, w->step))
        return 0;
    return touches(w->step) || w->scheme->theta != 0.5 ? 1 : 2;
}

static perp_status try_step(perp_walker *w, double h, double t_end, int *done)
{
    return perp_walker_double(w, h, t_end, order_of, done);
}

static perp_status march(perp_step *step)
{
    perp_dg_memory *memory = perp_dg_memory_of(step, step->systems[0]->scheme);
    if (!memory)
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    memory->trial.early = &memory->early;
    return perp_walker_march(step, 2, try_step);
}

static void defaults(perp_scheme *scheme)
{
    perp_discrete_gradient.defaults(scheme);
    scheme->rtol = 1e-4;
}

static void release(void *memory, perp_pool *pool)
{
    perp_discrete_gradient.release(memory, pool);
}

static void forget(void *memory)
{
    perp_discrete_gradient.forget(memory);
}

const perp_integrator perp_discrete_gradient_adaptive = {
    .name = "discrete-gradient-adaptive",
    .summary = "discrete-gradient with steps chosen by doubling and by what impacts miss",
    .reads = "theta gamma variant projection_tol projection_iter impacts error_order step_control "
             "error_in atol rtol alpha alpha_min alpha_max h_min h_first at_h_min",
    PERP_EITHER_KIND(&perp_discrete_gradient, perp_either_activate),
    .accepts = accepts,
    .is_linear = is_linear,
    .finish = finish,
    .march = march,
    .defaults = defaults,
    .release = release,
    .forget = forget,
    .walk = perp_dg_walk,
    .certifies = 1,
};
