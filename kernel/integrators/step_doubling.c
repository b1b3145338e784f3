/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps chosen by doubling ([ACA10], adaptive time-step strategies, with the corrections of
 * docs/theory.md).  From one start one step of h and two of h/2; the two are kept.  With p the
 * order of the estimate
 *
 *     e_1/2 = (x_1/2 - x_1) / (2^p - 1)  (55),  2 (x_1/2 - x_1) for p = 0  (73),
 *     error = max_i |e_i| / (atol + rtol max(|x_0,i|, |x_1/2,i|))  (56), (57),
 *     h_new = h min(alpha_max, max(alpha_min, alpha error^(-1/(p+1))))  (59),
 *
 * and, with or instead of it, the penetration that a step makes, by its tolerance (74), (75).
 *
 * error_in smooth: q, and v in steps without an event.  Where the two walks feel an impact in other
 * steps v differs by O(1), whatever h is, and by O(h) where they feel it in the same: with v in it
 * the error sends h towards the tolerance and below at each impact, though the jump, in the wrong
 * place by O(h), is no better for it.  q differs by O(h) in any case, which also is what lets a run
 * walk over an accumulation: once the bounces are lower than the tolerance no step feels them.  In
 * smooth motion q alone is too little: its error is h times that of v, which accumulates. */
#include "kernel/flow/rk.h"
#include "kernel/integrators/walker.h"

/* The error of the two half steps, whose order is p, and whose it is. */
static void judge(perp_walker_verdict *v, const perp_walker *w, int p)
{
    static const double weight[] = {2.0, 1.0, 1.0 / 3.0};
    const perp_scheme *scheme = w->scheme;
    if (scheme->step_control != PERP_STEP_CONTROL_VIOLATION)
        v->error = perp_trial_error(w->trial, w->step, scheme, 1, 2, weight[p],
                                    !perp_trial_event(w->trial, w->step), &v->slot);
    if (scheme->step_control != PERP_STEP_CONTROL_ERROR && w->trial->violation > v->error) {
        v->error = w->trial->violation;
        v->what = "interaction";
        v->slot = w->trial->violated;
    }
}

/* Shows both half steps, and goes on from the second. */
static perp_status show(perp_walker *w, double h, double t_end)
{
    perp_step *step = w->step;
    perp_trial *trial = w->trial;
    perp_trial_note_modes(step);
    if (perp_step_keep(step, &trial->end) != PERP_SOLVED)
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    perp_step_take_back(step, &trial->middle);
    perp_status status = perp_step_instant(step, w->t + 0.5 * h, 0.5 * h, PERP_INSTANT_SMOOTH);
    perp_step_take_back(step, &trial->end);
    return status == PERP_SOLVED ? perp_step_instant(step, t_end, 0.5 * h, PERP_INSTANT_SMOOTH)
                                 : status;
}

perp_status perp_walker_double(perp_walker *w, double h, double t_end, perp_walker_order order,
                               int *done)
{
    const perp_scheme *scheme = w->scheme;
    const perp_rk_control control = {scheme->alpha, scheme->alpha_min, scheme->alpha_max};
    perp_walker_verdict v = {0.0, "system", -1, PERP_SOLVED};
    perp_status status = perp_trial_walk(w->trial, w->step, scheme, w->t, h, 1, 1);
    if (status == PERP_SOLVED)
        status = perp_trial_walk(w->trial, w->step, scheme, w->t, h, 2, 2);
    if (perp_walker_is_curable(w, status)) {
        v.broken = status;
        return perp_walker_shrink(w, h, scheme->alpha_min * h, &v);
    }
    if (status != PERP_SOLVED)
        return status;
    int p = order(w);
    judge(&v, w, p);
    double next = perp_rk_next_h(&control, h, v.error, p);
    if (!(v.error <= 1.0) && !(h <= w->least && scheme->at_h_min == PERP_AT_H_MIN_ACCEPT))
        return perp_walker_shrink(w, h, next, &v);
    if (perp_walker_doubts(w, h))
        return perp_walker_shrink(w, h, scheme->alpha_min * h, &v);
    *done = 1;
    status = show(w, h, t_end);
    perp_walker_keep(w, h, t_end, next);
    return status;
}
