/* SPDX-License-Identifier: BSD-3-Clause */
/* Moreau-Jean (euler-moreau for first-order systems) extrapolated where the motion is smooth
 * ([ACA10], "First attempt"; [StuderEtAl2008]; [Studer2009]).  h is walked over in 1,
 * 2, ..., `levels` steps.  Where all of them are in one mode that follows on the last
 * (contact_mode.h) the ends T_j,1 after j steps are extrapolated to h = 0 by the scheme of Aitken
 * and Neville,
 *
 *     T_j,k = T_j,k-1 + (T_j,k-1 - T_j-1,k-1) / ((j / (j - k + 1))^p - 1),
 *
 * p = 2 where the base scheme is symmetric and its error has even powers of h alone (order 2
 * `levels`), 1 else (order `levels`); T_L,L - T_L,L-1 is the error that the tolerance meets.  Where
 * they differ an event lies inside, and a plain step crosses it, whose error 2 (x_1/2 - x_1) (73)
 * and penetration (74) meet the tolerance; or, as Studer has it, one of length h_min. */
#include <math.h>

#include "kernel/flow/rk.h"
#include "kernel/integrators/either_kind.h"
#include "kernel/integrators/walker.h"
#include "kernel/laws/law.h"

/* Choices of scheme.def. */

/* A contact that was closed in the last step, and whose bodies gravity brings back in this one, is
 * at rest: it does not rebound.  What is left of u there would change its sign from part to part,
 * and be amplified by the extrapolation. */
static perp_status activate(perp_step *step, perp_link *link)
{
    perp_status status = perp_either_activate(step, link);
    if (status != PERP_SOLVED || !perp_law_is_impact(&link->law))
        return status;
    link->own_restitution = 1;
    for (int r = 0; r < link->relations; r++)
        if (link->on[r] && link->mode[r] == PERP_MODE_OPEN)
            link->own_restitution = 0;
    return PERP_SOLVED;
}

/* Column `levels` becomes the limit; returns its error by the tolerance. */
static double extrapolate(const perp_walker *w, int p, int *slot)
{
    const perp_trial *trial = w->trial;
    int L = w->scheme->levels;
    double error = 0.0;
    for (int k = 2; k <= L; k++) {
        if (k == L)
            error = perp_trial_error(trial, w->step, w->scheme, L - 1, L,
                                     1.0 / (pow((double)L, (double)p) - 1.0), 1, slot);
        for (int j = L; j >= k; j--) {
            double weight = 1.0 / (pow((double)j / (double)(j - k + 1), (double)p) - 1.0);
            double *x = perp_trial_column(trial, j);
            const double *before = perp_trial_column(trial, j - 1);
            for (int i = 0; i < trial->n; i++)
                x[i] += weight * (x[i] - before[i]);
        }
    }
    return error;
}

static perp_status show(perp_walker *w, double h, double t_end)
{
    perp_trial_note_modes(w->step);
    return perp_step_instant(w->step, t_end, h, PERP_INSTANT_SMOOTH);
}

/* A step with an event in it: the plain one over h, which is at NOW, where its error is within the
 * tolerance, or h cannot be less. */
static perp_status cross(perp_walker *w, double h, double t_end, int *done)
{
    const perp_scheme *scheme = w->scheme;
    const perp_rk_control control = {scheme->alpha, scheme->alpha_min, scheme->alpha_max};
    perp_walker_verdict v = {0.0, "system", -1, PERP_SOLVED};
    int smallest = h <= w->least, fine;
    double next = smallest ? scheme->alpha_max * h : scheme->alpha_min * h;
    if (scheme->crossing == PERP_CROSSING_TOLERANCE) {
        v.error = perp_trial_error(w->trial, w->step, scheme, 1, 2, 2.0, 0, &v.slot);
        if (w->trial->violation > v.error)
            v = (perp_walker_verdict){w->trial->violation, "interaction", w->trial->violated,
                                      PERP_SOLVED};
        next = perp_rk_next_h(&control, h, v.error, 0);
        fine = v.error <= 1.0 || (smallest && scheme->at_h_min == PERP_AT_H_MIN_ACCEPT);
    } else {
        fine = smallest;
    }
    if (!fine || perp_walker_doubts(w, h))
        return perp_walker_shrink(w, h, next, &v);
    *done = 1;
    perp_status status = show(w, h, t_end);
    perp_walker_keep(w, h, t_end, next);
    return status;
}

static perp_status walk_over(perp_walker *w, double h, int from, int to)
{
    perp_status status = PERP_SOLVED;
    int by = from > to ? -1 : 1;
    for (int parts = from; parts != to + by && status == PERP_SOLVED; parts += by)
        status = perp_trial_walk(w->trial, w->step, w->scheme, w->t, h, parts, parts);
    return status;
}

/* All walks, the plain step left at NOW; *event: they are not of one mode.  Two tell most events.
 */
static perp_status walk_all(perp_walker *w, double h, int *event)
{
    perp_trial *trial = w->trial;
    perp_status status = walk_over(w, h, 2, 1);
    if (status != PERP_SOLVED)
        return status;
    double violation = trial->violation;
    *event = trial->through || perp_trial_event(trial, w->step);
    if (*event || w->scheme->levels == 2)
        return PERP_SOLVED;
    if (perp_step_keep(w->step, &trial->end) != PERP_SOLVED)
        return perp_step_refuse(w->step, PERP_ERR_MEMORY, NULL, -1, NULL);
    status = walk_over(w, h, 3, w->scheme->levels);
    if (status != PERP_SOLVED)
        return status;
    *event = trial->through || perp_trial_event(trial, w->step);
    trial->violation = violation;
    perp_step_take_back(w->step, &trial->end);
    return PERP_SOLVED;
}

static perp_status try_step(perp_walker *w, double h, double t_end, int *done)
{
    const perp_scheme *scheme = w->scheme;
    const perp_rk_control control = {scheme->alpha, scheme->alpha_min, scheme->alpha_max};
    perp_walker_verdict v = {0.0, "system", -1, PERP_SOLVED};
    int event = 0;
    perp_status status = walk_all(w, h, &event);
    if (perp_walker_is_curable(w, status)) {
        v.broken = status;
        return perp_walker_shrink(w, h, scheme->alpha_min * h, &v);
    }
    if (status != PERP_SOLVED)
        return status;
    if (event)
        return cross(w, h, t_end, done);
    int p = perp_trial_touches(w->step) ? perp_either_touching_order(w->step, scheme)
                                        : perp_either_smooth_order(w->step, scheme);
    v.error = extrapolate(w, p, &v.slot);
    double next = perp_rk_next_h(&control, h, v.error, p * (scheme->levels - 1));
    if (!(v.error <= 1.0) && !(h <= w->least && scheme->at_h_min == PERP_AT_H_MIN_ACCEPT))
        return perp_walker_shrink(w, h, next, &v);
    if (perp_walker_doubts(w, h))
        return perp_walker_shrink(w, h, scheme->alpha_min * h, &v);
    *done = 1;
    perp_trial_unpack(w->trial, w->step, scheme->levels);
    perp_step_replaced(w->step);
    status = perp_step_outputs(w->step, t_end);
    perp_walker_keep(w, h, t_end, next);
    return status == PERP_SOLVED ? show(w, h, t_end) : status;
}

static perp_status march(perp_step *step)
{
    return perp_walker_march(step, perp_step_scheme(step, step->systems[0])->levels, try_step);
}

const perp_integrator perp_moreau_jean_extrapolated = {
    .name = "moreau-jean-extrapolated",
    .summary = "Moreau-Jean extrapolated to higher order where the motion is smooth",
    .reads = PERP_EITHER_READS
    " levels error_in atol rtol alpha alpha_min alpha_max h_min h_first at_h_min crossing",
    PERP_EITHER_MOREAU_JEAN(activate),
    .march = march,
    .release = perp_trial_release,
    .unstated = "no statement by moreau-jean-extrapolated: its states are limits of several walks, "
                "which no equation of one step ties"};
