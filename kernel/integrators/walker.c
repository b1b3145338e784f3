/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/integrators/walker.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { DOUBTFUL_TRIALS = 4, PROVED_TRIALS = 8 };

/* Length of the next inner step: all that is left, half of it where a small piece would remain, or
 * what is wanted. */
static double fit(const perp_walker *w)
{
    double left = w->step->t_end - w->t, wanted = fmax(w->h, w->least);
    if (left <= 1.01 * wanted)
        return left;
    return left < 2.0 * wanted ? 0.5 * left : wanted;
}

perp_status perp_walker_march(perp_step *step, int columns, perp_walker_try try)
{
    step->uncut = 1;
    double *carry = perp_step_carry(step), reach = fmax(fabs(step->t), fabs(step->t_end));
    perp_walker w = {.step = step,
                     .scheme = perp_step_scheme(step, step->systems[0]),
                     .trial = perp_step_memory(step, step->systems[0]->scheme, sizeof *w.trial),
                     .t = step->t};
    if (!w.trial)
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    w.h = *carry > 0.0 ? *carry : w.scheme->h_first * step->h;
    w.least = fmin(step->h, fmax(w.scheme->h_min * step->h, 32.0 * DBL_EPSILON * reach));
    perp_status status = PERP_SOLVED;
    while (w.t < step->t_end && status == PERP_SOLVED) {
        status = perp_trial_begin(w.trial, step, columns);
        w.doubtful = 0;
        for (int done = 0; !done && status == PERP_SOLVED;) {
            double h = fit(&w);
            status = try(&w, h, h == step->t_end - w.t ? step->t_end : w.t + h, &done);
        }
    }
    if (status != PERP_SOLVED)
        return status;
    *carry = w.h;
    perp_step_refuse(step, w.worst, NULL, -1, NULL);
    return PERP_SOLVED;
}

/* The same proof for shorter and shorter steps: what has no solution will have none. */
static int is_proved(perp_walker *w, perp_status broken)
{
    double speed = broken == PERP_INFEASIBLE_STEP ? w->step->stepper->squeeze.figures.speed : 0.0;
    w->proved = speed > 0.0 && speed >= 0.9 * w->speed ? w->proved + 1 : 0;
    w->speed = speed;
    return w->proved >= PROVED_TRIALS;
}

perp_status perp_walker_shrink(perp_walker *w, double h, double wanted,
                               const perp_walker_verdict *verdict)
{
    char text[160];
    perp_step_reject(w->step);
    if (h > w->least && !is_proved(w, verdict->broken)) {
        w->h = fmax(fmin(wanted, 0.9 * h), w->least);
        perp_trial_again(w->trial, w->step);
        return PERP_SOLVED;
    }
    if (verdict->broken == PERP_INFEASIBLE_STEP) /* which says itself what is squeezed */
        return verdict->broken;
    if (verdict->broken != PERP_SOLVED)
        return perp_step_refuse(w->step, verdict->broken, verdict->what, verdict->slot,
                                "a step failed, however small it was made");
    snprintf(text, sizeof text, "t = %g: %.3g times the tolerance with the smallest step, %g", w->t,
             verdict->error, h);
    return perp_step_refuse(w->step, PERP_STEP_LIMIT, verdict->what, verdict->slot, text);
}

int perp_walker_doubts(perp_walker *w, double h)
{
    if (w->trial->unsolved == PERP_SOLVED || h <= w->least || w->doubtful >= DOUBTFUL_TRIALS)
        return 0;
    w->doubtful++;
    return 1;
}

void perp_walker_keep(perp_walker *w, double h, double t_end, double next)
{
    w->worst = w->trial->unsolved > w->worst ? w->trial->unsolved : w->worst;
    w->h = next >= h ? fmax(next, w->h) : next;
    w->t = t_end;
}
