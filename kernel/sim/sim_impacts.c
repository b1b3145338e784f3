/* SPDX-License-Identifier: BSD-3-Clause */
/* The staged impacts of the last step, as callers see them. */
#include <string.h>

#include "core/float_environment.h"
#include "kernel/model/model_inside.h"
#include "kernel/sim/sim_inside.h"
#include "numerics/core/sized.h"

int perp_sim_strikes(const perp_sim *sim)
{
    if (!sim || sim->stepper.version != sim->stepper.model->version)
        return 0;
    return sim->stepper.certificate.impacts.nstrikes;
}

static int stage_of(const perp_impacts *impacts, int k)
{
    int stage = 0;
    while (impacts->stages[stage].strikes <= k)
        stage++;
    return stage;
}

static perp_status point_of(perp_contact_point *point, const perp_sim *sim, perp_link *link,
                            double at)
{
    const perp_relation *r = &link->relation;
    double h = sim->stepper.certificate.impacts.h, *x = link->X;
    double t = sim->stepper.certificate.impacts.t + at * h;
    for (int k = 0; k < link->nsystems; x += link->systems[k++]->nq) {
        const perp_system *s = link->systems[k];
        perp_system_move(x, s, s->q[PERP_START], s->v[PERP_START], at * h);
    }
    const double *both = link->guide ? perp_link_both(link, t, link->X) : link->X;
    const double *second = perp_link_bodies(link) == 2 ? both + 7 : NULL;
    return !both || r->contact(point, t, both, second, link->z, r->user) ? PERP_INTERRUPTED
                                                                         : PERP_SOLVED;
}

perp_status perp_sim_strike(const perp_sim *sim, int k, perp_strike_info *info)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim || !info || k < 0 || k >= perp_sim_strikes(sim))
        return PERP_ERR_ARGUMENT;
    const perp_impacts *impacts = &sim->stepper.certificate.impacts;
    const perp_strike *strike = &impacts->strikes[k];
    perp_link *link = strike->link;
    const double *own = impacts->numbers + strike->first;
    int rows = link->rows, stage = stage_of(impacts, k);
    int joint = link->law.kind == PERP_LAW_EQUALITY;
    const perp_model *model = sim->stepper.model;
    perp_strike_info found = {
        .interaction = {(uint32_t)link->slot, model->links[link->slot].generation},
        .kind = joint ? PERP_STRIKE_JOINT : (perp_strike_kind)impacts->stages[stage].kind,
        .stage = stage,
        .rows = rows,
        .relations = link->relations,
        .impulse = own,
        .before = own + 2 * rows,
        .after = own + 3 * rows,
        .time = own + 4 * rows,
        .restitution = own + 4 * rows + link->relations,
        .at = strike->at,
        .has_point = link->relation.kind == PERP_RELATION_CONTACT};
    perp_status status =
        found.has_point ? point_of(&found.point, sim, link, strike->at) : PERP_SOLVED;
    return status == PERP_SOLVED ? perp_sized_write(info, &found, sizeof found) : status;
}
