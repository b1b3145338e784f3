/* SPDX-License-Identifier: BSD-3-Clause */
/* Event functions: all fall through 0. */
#include "kernel/integrators/event_driven/event_driven.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/step/stepper.h"

static void add_event(perp_event_driver *ed, perp_link *link, int r, perp_event_kind kind,
                      double tol)
{
    ed->tol[ed->nevents] = tol;
    ed->direction[ed->nevents] = -1;
    ed->events[ed->nevents++] = (perp_event){link, r, kind};
    ed->forces |= kind >= PERP_EVENT_FORCE && kind <= PERP_EVENT_CONE_RIGHT;
}

/* Event functions of the present modes, contact forces in link->lambda. */
perp_status perp_events_list(perp_event_driver *ed)
{
    const perp_step *step = ed->m.step;
    ed->nevents = ed->forces = 0;
    ed->plain = !perp_mechanics_pushes(step);
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        for (int r = 0; perp_law_is_impact(&link->law) && r < link->relations; r++) {
            if (link->mode[r] == PERP_MODE_OPEN) {
                /* After an impact y is 0 but for noise, of which this is the measure; what opened
                 * from rest stays near 0 for a while. */
                double noise = perp_gap_noise(&ed->sets), y = link->y[r * link->law.dim];
                int flies = link->u[r * link->law.dim] > perp_rate_zero(&ed->sets);
                double tol = flies ? fmin(noise, 4.0 * fabs(y)) : noise;
                /* One that begins below the band would not be watched. */
                add_event(ed, link, r, PERP_EVENT_GAP, y < 0.0 ? fmax(tol, -2.0 * y) : tol);
                continue;
            }
            int row = r * link->law.dim;
            double force = fabs(link->lambda[row]);
            double tol = ed->sets.scheme->force_tol * force +
                         perp_acceleration_zero(&ed->sets, 0.0) / perp_row_mobility(link, row);
            add_event(ed, link, r, PERP_EVENT_FORCE, tol);
            if (link->law.kind != PERP_LAW_FRICTION)
                continue;
            if (perp_link_slides(link, r)) {
                add_event(ed, link, r, PERP_EVENT_SLIP, perp_rate_zero(&ed->sets));
            } else {
                add_event(ed, link, r, PERP_EVENT_CONE_LEFT, tol);
                add_event(ed, link, r, PERP_EVENT_CONE_RIGHT, tol);
            }
        }
    }
    return perp_root_prepare(&ed->root, ed->nevents, ed->m.nx, &step->stepper->pool);
}

static double value(const perp_event *e)
{
    const perp_link *link = e->link;
    int row = e->relation * link->law.dim;
    switch (e->kind) {
    case PERP_EVENT_GAP:
        return link->y[row];
    case PERP_EVENT_FORCE:
        return link->lambda[row];
    case PERP_EVENT_CONE_LEFT:
        return link->law.mu * link->lambda[row] - link->lambda[row + 1];
    case PERP_EVENT_CONE_RIGHT:
        return link->law.mu * link->lambda[row] + link->lambda[row + 1];
    default:
        return link->mode[e->relation] == PERP_MODE_FORWARD ? link->u[row + 1] : -link->u[row + 1];
    }
}

/* A perp_event_fn. */
perp_status perp_events_values(double *g, void *ctx, double t, const double *x)
{
    perp_event_driver *ed = ctx;
    perp_mechanics_unpack(&ed->m, x);
    perp_status status = PERP_SOLVED;
    if (ed->forces)
        status = perp_mechanics_forces(&ed->m, t, PERP_LEVEL_BILATERAL);
    if (status == PERP_SOLVED)
        status = perp_step_outputs(ed->m.step, t);
    for (int k = 0; k < ed->nevents && status == PERP_SOLVED; k++)
        g[k] = value(&ed->events[k]);
    return status;
}
