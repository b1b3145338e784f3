/* SPDX-License-Identifier: BSD-3-Clause */
/* One detection: places, grid, pairs in the order of their slots, and the exchange of the
 * table. */
#include <math.h>

#include "core/float_environment.h"
#include "kernel/collide/collider.h"
#include "kernel/sim/sim_inside.h"

/* Of the size of a shape: what bodies at rest move in some steps, at least, and of the tolerance of
 * the solver, which leaves it. */
static const double SLACK = 1e-9, SLACK_OF_TOL = 0.1;

static perp_status find_contacts(perp_collider *c)
{
    perp_status status = perp_collider_list_joined(c);
    c->cursor = 0;
    if (status == PERP_SOLVED)
        status = perp_grid_pairs(c, perp_collider_pair);
    while (status == PERP_SOLVED && c->cursor < c->nnow)
        status = perp_collider_discard(c, c->now[c->cursor++]);
    return status;
}

void perp_collider_note_seen(perp_collider *c)
{
    c->changed = 0;
    for (int i = 0; i < c->nshapes; i++)
        c->shapes[i].seen = 1;
}

static perp_status detect(perp_collider *collider, double t, double h, double slack, int foresees)
{
    perp_status status;
    if (!collider || !isfinite(t) || !(h >= 0.0) || !isfinite(h))
        return PERP_ERR_ARGUMENT;
    collider->fault = -1;
    collider->detail[0] = '\0';
    collider->refrozen = 0;
    collider->slack = slack;
    collider->t = t;
    collider->nlate = collider->nput = 0;
    status = perp_collider_place(collider, h, foresees);
    if (status == PERP_SOLVED) {
        status = find_contacts(collider);
        if (status == PERP_SOLVED)
            status = perp_collider_commit(collider);
        else
            perp_collider_roll_back(collider);
    }
    if (status == PERP_SOLVED)
        perp_collider_note_seen(collider);
    if (collider->refrozen)
        perp_model_changed(collider->model);
    collider->status = status;
    return status;
}

perp_status perp_collider_detect(perp_collider *collider, double t, double h)
{
    PERP_HOLD_ENVIRONMENT();
    return detect(collider, t, h, SLACK, 0);
}

int perp_collider_step(void *collider, perp_sim *sim, perp_model *model, double t, double h)
{
    PERP_HOLD_ENVIRONMENT();
    double tol = sim ? sim->stepper.settings.tol : 0.0;
    int looks_out = sim && perp_sim_looks_out(sim);
    perp_status status = detect(collider, t, h, fmax(SLACK, SLACK_OF_TOL * tol), looks_out);
    (void)model;
    if (status == PERP_SOLVED && looks_out)
        sim->stepper.lookout = (perp_step_lookout){perp_collider_look, perp_collider_add_unforeseen,
                                                   perp_collider_leave_unforeseen, collider};
    if (status == PERP_SOLVED)
        return 0;
    const perp_collider *c = collider;
    perp_where where = {"shape", -1, c ? c->fault : -1};
    const char *detail = c && c->detail[0] ? c->detail : perp_status_text(status);
    perp_sim_set_reason(sim, status, &where, detail);
    return 1;
}
