/* SPDX-License-Identifier: BSD-3-Clause */
/* Moreau-Jean (euler-moreau for first-order systems) with steps chosen by doubling (004, adaptive
 * time-step strategies, with the corrections of docs/theory.md).  From one start one step of h and
 * two of h/2; the two are kept.  With p the order of the estimate
 *
 *     e_1/2 = (x_1/2 - x_1) / (2^p - 1)  (55),  2 (x_1/2 - x_1) for p = 0  (73),
 *     error = max_i |e_i| / (atol + rtol max(|x_0,i|, |x_1/2,i|))  (56), (57),
 *     h_new = h min(alpha_max, max(alpha_min, alpha error^(-1/(p+1))))  (59),
 *
 * and, with or instead of it, the penetration that a step makes, by its tolerance (74), (75).
 * error_order variable: 0 where a contact closes, opens, catches or lets go in the step, the base
 * scheme's own order where nothing touches, 1 else.
 *
 * The error is that of q by default.  Where the two walks feel an impact in other steps v differs
 * by O(1), whatever h is, and by O(h) where they feel it in the same: with v in it the error sends
 * h towards the tolerance and below at each impact, though the jump, in the wrong place by O(h), is
 * no better for it.  q differs by O(h) in any case, which also is what lets a run walk over an
 * accumulation: once the bounces are lower than the tolerance no step feels them. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "kernel/flow/rk.h"
#include "kernel/integrators/either_kind.h"
#include "kernel/integrators/trial.h"

enum { ORDER_VARIABLE };                                 /* scheme.def: error_order */
enum { CONTROL_BOTH, CONTROL_ERROR, CONTROL_VIOLATION }; /* step_control */
enum { REFUSE, ACCEPT };                                 /* at_h_min */
enum { UNSOLVED_TRIALS = 4 };

typedef struct walker {
    perp_step *step;
    const perp_scheme *scheme;
    perp_trial *trial;
    double t, h;       /* reached; wanted next */
    double least;      /* smallest step */
    perp_status worst; /* of the steps that were kept */
} walker;

typedef struct verdict {
    double error;
    int order;
    const char *what; /* whose error it is */
    int slot;
    perp_status broken; /* a step could not be made */
} verdict;

/* Steps that may work where they are smaller. */
static int is_curable(perp_status status)
{
    return status == PERP_ERR_NUMERICAL || status == PERP_ERR_SINGULAR;
}

static int order_of(const walker *w)
{
    if (w->scheme->error_order != ORDER_VARIABLE)
        return w->scheme->error_order - 1;
    if (perp_trial_event(w->trial, w->step))
        return 0;
    return perp_trial_touches(w->step) ? 1 : perp_either_smooth_order(w->step, w->scheme);
}

/* Both walks over h, and their error. */
static perp_status try_step(verdict *v, walker *w, double h)
{
    static const double weight[] = {2.0, 1.0, 1.0 / 3.0};
    const perp_scheme *scheme = w->scheme;
    *v = (verdict){INFINITY, 0, "system", -1, PERP_SOLVED};
    perp_status status = perp_trial_walk(w->trial, w->step, scheme, w->t, h, 1, 1);
    if (status == PERP_SOLVED)
        status = perp_trial_walk(w->trial, w->step, scheme, w->t, h, 2, 2);
    if (status != PERP_SOLVED) {
        v->broken = status;
        return is_curable(status) ? PERP_SOLVED : status;
    }
    v->order = order_of(w);
    v->error = 0.0;
    if (scheme->step_control != CONTROL_VIOLATION)
        v->error = perp_trial_error(w->trial, w->step, scheme, 1, 2, weight[v->order],
                                    scheme->error_in, &v->slot);
    if (scheme->step_control != CONTROL_ERROR && w->trial->violation > v->error) {
        v->error = w->trial->violation;
        v->what = "interaction";
        v->slot = w->trial->violated;
    }
    return PERP_SOLVED;
}

static perp_status refuse(walker *w, const verdict *v, double h)
{
    char text[160];
    if (v->broken != PERP_SOLVED)
        return perp_step_refuse(w->step, v->broken, "h_min", -1,
                                "a step failed, however small it was made");
    snprintf(text, sizeof text, "t = %g: %.3g times the tolerance with the smallest step, %g", w->t,
             v->error, h);
    return perp_step_refuse(w->step, PERP_STEP_LIMIT, v->what, v->slot, text);
}

/* Shows both half steps, and goes on from the second. */
static perp_status keep(walker *w, double h, double t_end)
{
    perp_step *step = w->step;
    perp_trial *trial = w->trial;
    perp_trial_note_modes(step);
    w->worst = trial->unsolved > w->worst ? trial->unsolved : w->worst;
    if (perp_step_keep(step, &trial->end) != PERP_SOLVED)
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    perp_step_take_back(step, &trial->middle);
    perp_status status = perp_step_instant(step, w->t + 0.5 * h, 0.5 * h, PERP_INSTANT_SMOOTH);
    perp_step_take_back(step, &trial->end);
    if (status == PERP_SOLVED)
        status = perp_step_instant(step, t_end, 0.5 * h, PERP_INSTANT_SMOOTH);
    w->t = t_end;
    return status;
}

/* Of the next step: the rest, half of it where a small piece would be left, or what is wanted. */
static double fit(const walker *w)
{
    double left = w->step->t_end - w->t, h = fmax(w->h, w->least);
    if (left <= 1.01 * h)
        return left;
    return left < 2.0 * h ? 0.5 * left : h;
}

static perp_status one_inner_step(walker *w)
{
    const perp_scheme *scheme = w->scheme;
    const perp_rk_control control = {scheme->alpha, scheme->alpha_min, scheme->alpha_max};
    perp_status status = perp_trial_begin(w->trial, w->step, 2);
    if (status != PERP_SOLVED)
        return status;
    for (int unsolved = 0;; unsolved += w->trial->unsolved > 0) {
        double h = fit(w), left = w->step->t_end - w->t;
        verdict v;
        status = try_step(&v, w, h);
        if (status != PERP_SOLVED)
            return status;
        int smallest = h <= w->least, doubtful = w->trial->unsolved > 0;
        int fine =
            v.error <= 1.0 || (smallest && v.broken == PERP_SOLVED && scheme->at_h_min == ACCEPT);
        double next = perp_rk_next_h(&control, h, v.error, v.order);
        if (fine && (!doubtful || smallest || unsolved >= UNSOLVED_TRIALS)) {
            w->h = next >= h ? fmax(next, w->h) : next;
            return keep(w, h, h == left ? w->step->t_end : w->t + h);
        }
        perp_step_reject(w->step);
        if (smallest)
            return refuse(w, &v, h);
        w->h = fmax(fine ? scheme->alpha_min * h : fmin(next, 0.9 * h), w->least);
        perp_trial_again(w->trial, w->step);
    }
}

static perp_status march(perp_step *step)
{
    double *carry = perp_step_carry(step), reach = fmax(fabs(step->t), fabs(step->t_end));
    walker w = {.step = step,
                .scheme = perp_step_scheme(step, step->systems[0]),
                .trial = perp_step_memory(step, sizeof *w.trial),
                .t = step->t};
    if (!w.trial)
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    w.h = *carry > 0.0 ? *carry : w.scheme->h_first * step->h;
    w.least = fmin(step->h, fmax(w.scheme->h_min * step->h, 32.0 * DBL_EPSILON * reach));
    perp_status status = PERP_SOLVED;
    while (w.t < step->t_end && status == PERP_SOLVED)
        status = one_inner_step(&w);
    if (status != PERP_SOLVED)
        return status;
    *carry = w.h;
    perp_step_refuse(step, w.worst, NULL, -1, NULL);
    return PERP_SOLVED;
}

const perp_integrator perp_moreau_jean_adaptive = {
    .name = "moreau-jean-adaptive",
    .summary = "Moreau-Jean with steps chosen by doubling and by the violation of constraints",
    .reads = PERP_EITHER_READS " error_order step_control error_in atol rtol alpha alpha_min "
                               "alpha_max h_min h_first at_h_min",
    PERP_EITHER_KIND,
    .march = march,
    .release = perp_trial_release};
