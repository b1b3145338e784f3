/* SPDX-License-Identifier: BSD-3-Clause */
/* What must hold before a step: every system has a scheme that takes its kind, no interaction
 * lies between two schemes (002 sec. 10.4), each law sits at a level that its relation has. */
#include <stdio.h>
#include <string.h>

#include "kernel/sim/sim_inside.h"

perp_status perp_sim_fail(perp_sim *sim, perp_status status, const char *what, int index,
                          const char *detail)
{
    perp_step_info *info = &sim->info;
    info->status = status;
    info->where.what = what;
    info->where.segment = -1;
    info->where.index = index;
    snprintf(info->detail, sizeof info->detail, "%s", detail ? detail : "");
    return status;
}

static int list_model(perp_sim *sim)
{
    const perp_model *model = sim->model;
    if (!perp_pool_grow(&sim->pool, (void **)&sim->systems, &sim->room_systems,
                        model->alive_systems, sizeof *sim->systems) ||
        !perp_pool_grow(&sim->pool, (void **)&sim->links, &sim->room_links, model->alive_links,
                        sizeof *sim->links))
        return 0;
    sim->nsystems = sim->nlinks = 0;
    for (int k = 0; k < model->nsystems; k++)
        if (model->systems[k].system)
            sim->systems[sim->nsystems++] = model->systems[k].system;
    for (int k = 0; k < model->nlinks; k++)
        if (model->links[k].link)
            sim->links[sim->nlinks++] = model->links[k].link;
    return 1;
}

static perp_status check_system(perp_sim *sim, perp_system *s)
{
    if (s->scheme < 0)
        s->scheme = sim->standard[s->kind];
    if (s->scheme >= sim->nschemes ||
        !(sim->integrators[s->scheme]->kinds & 1u << (unsigned)s->kind))
        return perp_sim_fail(sim, PERP_ERR_UNSUPPORTED, "scheme", s->slot,
                             "the scheme does not take this kind of system");
    return PERP_SOLVED;
}

static perp_status check_link(perp_sim *sim, const perp_link *link)
{
    int scheme = link->systems[0]->scheme;
    for (int k = 1; k < link->nsystems; k++)
        if (link->systems[k]->scheme != scheme)
            return perp_sim_fail(sim, PERP_ERR_UNSUPPORTED, "interaction", link->slot,
                                 "its systems have different schemes: the multiplier of one is "
                                 "not that of the other (002 sec. 10.4)");
    const char *why = NULL;
    perp_status status = sim->integrators[scheme]->accepts(link, &sim->schemes[scheme], &why);
    return status == PERP_SOLVED ? status
                                 : perp_sim_fail(sim, status, "interaction", link->slot, why);
}

/* A scheme that chooses its own instants takes the whole model through them. */
static perp_status find_march(perp_sim *sim)
{
    const perp_integrator *march = NULL;
    int scheme = -1;
    for (int k = 0; k < sim->nsystems && !march; k++) {
        scheme = sim->systems[k]->scheme;
        march = sim->integrators[scheme]->march ? sim->integrators[scheme] : NULL;
    }
    for (int k = 0; march && k < sim->nsystems; k++)
        if (sim->systems[k]->scheme != scheme)
            return perp_sim_fail(sim, PERP_ERR_UNSUPPORTED, "scheme", sim->systems[k]->slot,
                                 "another system has a scheme that chooses its own instants: "
                                 "all systems must have it");
    if (march != sim->march) {
        perp_sim_end_march(sim);
        sim->march = march;
    }
    return PERP_SOLVED;
}

/* y and u of links that are new, or of all after perp_model_changed(). */
static perp_status first_outputs(perp_sim *sim)
{
    perp_step step = {.sim = sim,
                      .schemes = sim->schemes,
                      .t = sim->t,
                      .t_end = sim->t,
                      .h = sim->options.h,
                      .systems = sim->systems,
                      .nsystems = sim->nsystems,
                      .links = sim->links,
                      .nlinks = sim->nlinks};
    for (int k = 0; k < sim->nlinks; k++) {
        perp_link *link = sim->links[k];
        if (link->known && !sim->model->changed)
            continue;
        perp_status status = sim->integrators[link->systems[0]->scheme]->output(&step, link);
        if (status != PERP_SOLVED)
            return perp_sim_fail(sim, status, "interaction", link->slot, "a callback refused");
        if (!perp_link_sound(link))
            return perp_sim_fail(sim, PERP_ERR_NONFINITE, "interaction", link->slot,
                                 "its output is not a number");
        link->known = 1;
    }
    sim->model->changed = 0;
    return PERP_SOLVED;
}

static int is_linear(const perp_sim *sim)
{
    for (int k = 0; k < sim->nsystems; k++)
        if (!sim->systems[k]->linear)
            return 0;
    for (int k = 0; k < sim->nlinks; k++) {
        const perp_link *link = sim->links[k];
        int scheme = link->systems[0]->scheme;
        if (!sim->integrators[scheme]->is_linear(link, &sim->schemes[scheme]))
            return 0;
    }
    return 1;
}

perp_status perp_sim_prepare(perp_sim *sim)
{
    if (sim->version == sim->model->version && !sim->model->changed)
        return PERP_SOLVED;
    sim->version = 0;
    if (!list_model(sim))
        return perp_sim_fail(sim, PERP_ERR_MEMORY, NULL, -1, NULL);
    for (int k = 0; k < sim->nsystems; k++) {
        perp_status status = check_system(sim, sim->systems[k]);
        if (status != PERP_SOLVED)
            return status;
    }
    for (int k = 0; k < sim->nlinks; k++) {
        perp_status status = check_link(sim, sim->links[k]);
        if (status != PERP_SOLVED)
            return status;
    }
    sim->linear = is_linear(sim);
    perp_status status = find_march(sim);
    if (status == PERP_SOLVED)
        status = first_outputs(sim);
    if (status == PERP_SOLVED)
        sim->version = sim->model->version;
    return status;
}
