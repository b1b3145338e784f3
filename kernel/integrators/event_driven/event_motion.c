/* SPDX-License-Identifier: BSD-3-Clause */
/* Smooth steps of the event-driven scheme, and the way to an event inside one. */
#include "kernel/integrators/event_driven/event_driven.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/step/stepper.h"

/* A status of the smooth motion as one of the step. */
perp_status perp_event_status(perp_event_driver *ed, perp_status status)
{
    if (status <= 0 || status == PERP_INTERRUPTED)
        return status;
    return perp_step_refuse(ed->m.step, PERP_FLOW_FAILED, "system", -1,
                            "the forces of the smooth motion were not found");
}

static perp_status try_step(perp_event_driver *ed, double t, double h, perp_rk_from from)
{
    ed->m.level = PERP_LEVEL_BILATERAL;
    return perp_rk_step_estimated(&ed->rk, perp_mechanics_rate, &ed->m, t, h, ed->x, from);
}

/* Times that differ by what rounding of them leaves of the time of a corner. */
int perp_event_same_time(double a, double b)
{
    return fabs(a - b) <= 256.0 * DBL_EPSILON * fabs(a);
}

/* Where the step that was refused came upon a corner of a relation the next one ends there, or
 * begins after it. */
static int meet_corner(perp_event_driver *ed, double t, double h, perp_rk_from *from)
{
    double corner = ed->m.corner;
    if (!(corner < t + h))
        return 0;
    if (perp_event_same_time(corner, t)) {
        ed->m.from = corner;
        *from = PERP_RK_ANEW;
    } else {
        ed->m.until = corner;
    }
    return 1;
}

/* The same by CVODE, which chooses *h. */
static perp_status multistep(perp_event_driver *ed, double t, double rest, double *h,
                             perp_rk_from from)
{
    const perp_scheme *scheme = ed->sets.scheme;
    perp_status status = PERP_SOLVED;
    ed->m.level = PERP_LEVEL_BILATERAL;
    if (from == PERP_RK_ANEW)
        status = perp_cvode_start(ed->cvode, perp_mechanics_rate, &ed->m, t, ed->x, scheme->atol,
                                  scheme->rtol);
    if (status == PERP_SOLVED)
        status = perp_cvode_step(ed->cvode, &ed->rk, rest);
    *h = ed->rk.h >= rest * (1.0 - 1e-12) ? rest : ed->rk.h;
    if (status == PERP_STEP_LIMIT)
        return perp_step_refuse(ed->m.step, status, "rtol", -1,
                                "CVODE cannot meet the tolerance of the smooth motion");
    return status == PERP_FLOW_FAILED
               ? perp_step_refuse(ed->m.step, status, "smooth", -1, "CVODE gave up")
               : perp_event_status(ed, status);
}

/* One step within the tolerance from ed->x at t, at most of length rest; *h its length, *next that
 * of the one after it. */
perp_status perp_event_step(perp_event_driver *ed, double t, double rest, double *h, double *next,
                            perp_rk_from from)
{
    if (ed->cvode)
        return multistep(ed, t, rest, h, from);
    const perp_step *step = ed->m.step;
    const perp_scheme *scheme = ed->sets.scheme;
    int order = perp_tableau_estimate(ed->rk.tableau), corners = 0;
    *h = *next;
    for (;;) {
        int cut = *h >= rest - 1e-3 * *h || t + *h > ed->m.until;
        if (cut)
            *h = fmin(rest, ed->m.until - t);
        ed->m.corner = HUGE_VAL;
        perp_status status = try_step(ed, t, *h, from);
        if (status < 0 && status != PERP_ERR_NUMERICAL)
            return status;
        if (status > 0 && status != PERP_STALLED)
            return perp_event_status(ed, status);
        double error = status == PERP_SOLVED
                           ? perp_rk_error_norm(ed->rk.error, ed->rk.x0, ed->rk.x1, scheme->atol,
                                                scheme->rtol, ed->m.nx)
                           : HUGE_VAL;
        double wanted = perp_rk_next_h(&ed->control, *h, error, order);
        if (error <= 1.0) {
            /* Where it was cut short the step says nothing of how long steps may be. */
            *next = cut ? fmax(*next, wanted) : wanted;
            return PERP_SOLVED;
        }
        step->stepper->info.rejected++;
        from = PERP_RK_SAME;
        if (corners == 0 && meet_corner(ed, t, *h, &from)) {
            corners = 1;
            continue;
        }
        *next = *h = fmin(wanted, 0.9 * *h);
        if (*h < scheme->h_min * step->h)
            return perp_step_refuse(ed->m.step, PERP_STEP_LIMIT, "rtol", -1,
                                    "the tolerance of the smooth motion asks for too short steps");
    }
}

/* The event function `which` after a step of length s from ed->x. */
static perp_status value_after(double *g, perp_event_driver *ed, double t, double s, int which)
{
    perp_status status = try_step(ed, t, s, PERP_RK_SAME);
    if (status == PERP_SOLVED)
        status = perp_events_values(ed->g, ed, t + s, ed->rk.x1);
    *g = ed->g[which];
    return status;
}

/* The same by moving the end of the last step by delta. */
static perp_status value_moved(double *g, perp_event_driver *ed, double delta, int which)
{
    perp_status status = perp_rk_nudge(&ed->rk, delta);
    if (status == PERP_SOLVED)
        status = perp_events_values(ed->g, ed, ed->rk.t + ed->rk.h, ed->rk.x1);
    *g = ed->g[which];
    return status;
}

/* The solution of CVODE inside its step is as good as at its end. */
static perp_status read_event(perp_event_driver *ed, double t, double *h)
{
    *h *= ed->root.after;
    perp_status status = perp_rk_dense(ed->sets.x, &ed->rk, ed->root.after);
    memcpy(ed->rk.x1, ed->sets.x, sizeof(double) * (size_t)ed->m.nx);
    if (status == PERP_SOLVED)
        status = perp_events_values(ed->g, ed, t + *h, ed->rk.x1);
    return perp_event_status(ed, status);
}

enum { REFINEMENTS = 12 };
/* Parts of a step whose third power is rounding. */
static const double little = 1e-5;

/* Steps of the method itself that end at the event, by secants: the dense output is of lower
 * order.  The last bits of the way from the end of such a step.  *h: length; rk->x1 and the outputs
 * belong to its end. */
perp_status perp_event_localise(perp_event_driver *ed, double t, double *h)
{
    if (ed->cvode)
        return read_event(ed, t, h);
    int which = ed->root.which;
    double whole = *h, sigma = ed->root.sigma, near = sigma > 0.5 ? sigma - 0.05 : sigma + 0.05;
    double g, slope, best = HUGE_VAL, before = NAN, s_before = NAN;
    perp_status status = perp_rk_dense(ed->sets.x, &ed->rk, near);
    if (status == PERP_SOLVED)
        status = perp_events_values(ed->g, ed, t + near * whole, ed->sets.x);
    slope = ed->g[which] / ((near - sigma) * whole);
    double s = sigma * whole, s_best = s;
    for (int k = 0; k < REFINEMENTS && status == PERP_SOLVED; k++) {
        status = isfinite(before) && fabs(s - s_before) <= little * whole
                     ? value_moved(&g, ed, s - s_before, which)
                     : value_after(&g, ed, t, s, which);
        if (status != PERP_SOLVED)
            break;
        if (isfinite(before) && s != s_before && g != before)
            slope = (g - before) / (s - s_before);
        if (fabs(g) < best) {
            best = fabs(g);
            s_best = s;
        } else if (k > 1) {
            break;
        }
        before = g;
        s_before = s;
        s = fmin(fmax(s - g / slope, 0.5 * s), whole);
        if (best == 0.0 || fabs(s - s_before) <= 2.0 * DBL_EPSILON * s)
            break;
    }
    if (status == PERP_SOLVED && s_best != s_before)
        status = value_after(&g, ed, t, s_best, which);
    *h = s_best;
    int gap = ed->events[which].kind == PERP_EVENT_GAP;
    double tol = gap ? perp_gap_zero(&ed->sets) : ed->tol[which];
    if (status != PERP_SOLVED || best <= fmax(tol, DBL_MIN))
        return perp_event_status(ed, status);
    if (gap)
        return perp_step_refuse(ed->m.step, PERP_EVENT_LOST, "interaction",
                                ed->events[which].link->slot,
                                "its event could not be localised within the thresholds");
    /* A force that jumps over its zero: the laws are asked behind the jump. */
    *h = ed->root.after * whole;
    status = value_after(&g, ed, t, *h, which);
    return perp_event_status(ed, status);
}
