/* SPDX-License-Identifier: BSD-3-Clause */
/* What must hold before a step: every system has a scheme that takes its kind, no interaction
 * lies between two schemes ([SDN] sec. 10.4), each law sits at a level that its relation has. */
#include <stdio.h>

#include "kernel/sim/sim_inside.h"

/* It acts in this process. */
static int is_here(const perp_link *link)
{
    return link &&
           perp_system_holds(link->systems[0], link->nsystems > 1 ? link->systems[1] : NULL);
}

static int list_model(perp_sim *sim)
{
    const perp_model *model = sim->stepper.model;
    if (!perp_pool_grow(&sim->stepper.pool, (void **)&sim->stepper.systems,
                        &sim->stepper.capacity_systems, model->alive_systems,
                        sizeof *sim->stepper.systems) ||
        !perp_pool_grow(&sim->stepper.pool, (void **)&sim->stepper.guides,
                        &sim->stepper.capacity_guides, model->alive_systems,
                        sizeof *sim->stepper.guides) ||
        !perp_pool_grow(&sim->stepper.pool, (void **)&sim->stepper.links,
                        &sim->stepper.capacity_links, model->alive_links,
                        sizeof *sim->stepper.links))
        return 0;
    sim->stepper.nsystems = sim->stepper.nlinks = sim->stepper.nguides = 0;
    for (int k = 0; k < model->nsystems; k++) {
        perp_system *s = model->systems[k].system;
        if (s && perp_system_is_prescribed(s))
            sim->stepper.guides[sim->stepper.nguides++] = s;
        else if (s && (sim->stepper.all || s->presence != PERP_PRESENCE_ABSENT))
            sim->stepper.systems[sim->stepper.nsystems++] = s;
    }
    for (int k = 0; k < model->nlinks; k++)
        if (sim->stepper.all ? model->links[k].link != NULL : is_here(model->links[k].link))
            sim->stepper.links[sim->stepper.nlinks++] = model->links[k].link;
    return 1;
}

/* Memory of the certificate for the widest interaction. */
static int certificate_memory(perp_sim *sim)
{
    perp_stepper *stepper = &sim->stepper;
    int width = 0;
    for (int k = 0; k < stepper->nlinks; k++) {
        const perp_link *link = stepper->links[k];
        width = link->rows > width ? link->rows : width;
        width = link->nv > width ? link->nv : width;
    }
    return perp_certificate_memory(&stepper->certificate, &stepper->pool, width);
}

int perp_sim_looks_out(const perp_sim *sim)
{
    const perp_stepper *stepper = &sim->stepper;
    for (int k = 0; k < stepper->model->nsystems; k++) {
        const perp_system *s = stepper->model->systems[k].system;
        int scheme = !s ? -1 : s->scheme < 0 ? sim->default_scheme[s->kind] : s->scheme;
        if (scheme >= 0 && scheme < stepper->nschemes && stepper->integrators[scheme]->looks_out)
            return 1;
    }
    return 0;
}

static perp_status check_system(perp_sim *sim, perp_system *s)
{
    static const char *const kinds[] = {"first-order", "Lagrangian", "a rigid body"};
    char text[160];
    if (s->scheme < 0)
        s->scheme = sim->default_scheme[s->kind];
    if (sim->stepper.integrators[s->scheme]->kinds & 1u << (unsigned)s->kind)
        return PERP_SOLVED;
    snprintf(text, sizeof text, "%s does not take system %d, which is %s",
             sim->stepper.integrators[s->scheme]->name, s->slot, kinds[s->kind]);
    return perp_stepper_fail(&sim->stepper, PERP_ERR_UNSUPPORTED, "scheme", s->slot, text);
}

/* Of a callback, before the first step: no mass has a negative diagonal or is unsymmetric. */
static perp_status check_mass(perp_sim *sim, perp_system *s)
{
    if (s->started || s->kind != PERP_SYSTEM_LAGRANGIAN || !s->as.lagrangian.mass)
        return PERP_SOLVED;
    if (perp_lagrangian_mass(s->matrix, s, s->q[PERP_NOW]))
        return perp_stepper_fail(&sim->stepper, PERP_INTERRUPTED, "system", s->slot,
                                 "a callback refused");
    const perp_mat M = {PERP_DENSE, s->nv, s->nv, {.dense = {s->matrix, s->nv}}};
    for (int i = 0; i < s->nv; i++)
        if (s->matrix[(size_t)i * ((size_t)s->nv + 1)] < 0.0)
            return perp_stepper_fail(&sim->stepper, PERP_ERR_ARGUMENT, "system", s->slot,
                                     "its mass has a negative diagonal");
    if (perp_system_asymmetry(&M) >= 0)
        return perp_stepper_fail(&sim->stepper, PERP_ERR_ARGUMENT, "system", s->slot,
                                 "its mass is not symmetric");
    return PERP_SOLVED;
}

static perp_status check_link(perp_sim *sim, const perp_link *link)
{
    int scheme = link->systems[0]->scheme;
    const perp_integrator *integrator = sim->stepper.integrators[scheme];
    char text[160];
    for (int k = 1; k < link->nsystems; k++) {
        int other = link->systems[k]->scheme;
        if (other == scheme)
            continue;
        snprintf(text, sizeof text,
                 "interaction %d lies between two schemes, %s and %s: the multiplier of one is not "
                 "that of the other ([SDN] sec. 10.4)",
                 link->slot, integrator->name, sim->stepper.integrators[other]->name);
        return perp_stepper_fail(&sim->stepper, PERP_ERR_UNSUPPORTED, "interaction", link->slot,
                                 text);
    }
    const char *why = NULL;
    perp_status status = integrator->accepts(link, &sim->stepper.schemes[scheme], &why);
    if (status == PERP_SOLVED)
        return status;
    snprintf(text, sizeof text, "%s does not take interaction %d: %s", integrator->name, link->slot,
             why ? why : perp_status_text(status));
    return perp_stepper_fail(&sim->stepper, status, "interaction", link->slot, text);
}

static perp_status refuse_beside(perp_sim *sim, const perp_integrator *march, const perp_system *s)
{
    char text[160];
    snprintf(text, sizeof text,
             "%s chooses its own instants: system %d, which has %s, must have it", march->name,
             s->slot, sim->stepper.integrators[s->scheme]->name);
    return perp_stepper_fail(&sim->stepper, PERP_ERR_UNSUPPORTED, "scheme", s->slot, text);
}

/* A scheme that chooses its own instants takes the whole model through them. */
static perp_status find_march(perp_sim *sim)
{
    const perp_integrator *march = NULL;
    int scheme = -1;
    for (int k = 0; k < sim->stepper.nsystems && !march; k++) {
        scheme = sim->stepper.systems[k]->scheme;
        march = sim->stepper.integrators[scheme]->march ? sim->stepper.integrators[scheme] : NULL;
    }
    for (int k = 0; march && k < sim->stepper.nsystems; k++)
        if (sim->stepper.systems[k]->scheme != scheme)
            return refuse_beside(sim, march, sim->stepper.systems[k]);
    perp_stepper_set_march(&sim->stepper, march);
    return PERP_SOLVED;
}

/* A part of a step is one problem of one scheme, and nothing after it, or whole islands. */
static perp_status check_parts(perp_sim *sim)
{
    const perp_stepper *stepper = &sim->stepper;
    char text[160];
    for (int k = 0; stepper->parts.total && k < stepper->nsystems; k++) {
        const perp_integrator *integrator = stepper->integrators[stepper->systems[k]->scheme];
        int first_order = stepper->systems[k]->kind == PERP_SYSTEM_FIRST_ORDER;
        if (!integrator->march && (!stepper->parts.solve || (!integrator->finish && !first_order)))
            continue;
        snprintf(text, sizeof text, "%s makes no part of a step: system %d", integrator->name,
                 stepper->systems[k]->slot);
        return perp_stepper_fail(&sim->stepper, PERP_ERR_UNSUPPORTED, "scheme",
                                 stepper->systems[k]->slot, text);
    }
    return PERP_SOLVED;
}

/* A longer one would scale impulses and gaps, each differently, and nothing at rest would show it.
 */
static perp_status check_normal(perp_sim *sim, perp_link *link)
{
    double error = 0.0;
    if (link->relation.kind == PERP_RELATION_CONTACT)
        error = perp_contact_normal_error(link, sim->t, perp_link_gather_x(link, PERP_NOW));
    if (error < 0.0)
        return perp_stepper_fail(&sim->stepper, PERP_INTERRUPTED, "interaction", link->slot,
                                 "a callback refused");
    if (error <= 1e-6)
        return PERP_SOLVED;
    return perp_stepper_fail(&sim->stepper, PERP_ERR_ARGUMENT, "interaction", link->slot,
                             "the normal of its contact point is not a unit vector");
}

/* y and u of links that are new, or of all after perp_model_changed(). */
static perp_status first_outputs(perp_sim *sim)
{
    perp_step step = perp_stepper_step(&sim->stepper, sim->t, sim->stepper.options.h);
    step.t_end = sim->t;
    perp_status placed = perp_stepper_guide(&sim->stepper, sim->t, 0.0);
    if (placed != PERP_SOLVED)
        return placed;
    for (int k = 0; k < sim->stepper.nlinks; k++) {
        perp_link *link = sim->stepper.links[k];
        if (link->known && (!sim->stepper.model->changed || perp_link_rests(link)))
            continue;
        perp_status status =
            sim->stepper.integrators[link->systems[0]->scheme]->output(&step, link);
        if (status != PERP_SOLVED)
            return perp_stepper_fail(&sim->stepper, status, "interaction", link->slot,
                                     "a callback refused");
        if (!perp_link_sound(link))
            return perp_stepper_fail(&sim->stepper, PERP_ERR_NONFINITE, "interaction", link->slot,
                                     "its output is not a number");
        status = check_normal(sim, link);
        if (status != PERP_SOLVED)
            return status;
        if (link->joint || link->coupling)
            perp_joint_settle(link, perp_link_gather_x(link, PERP_NOW));
        link->known = 1;
    }
    sim->stepper.model->changed = 0;
    return PERP_SOLVED;
}

static int is_linear(const perp_sim *sim)
{
    for (int k = 0; k < sim->stepper.nsystems; k++)
        if (!sim->stepper.systems[k]->linear)
            return 0;
    for (int k = 0; k < sim->stepper.nlinks; k++) {
        const perp_link *link = sim->stepper.links[k];
        int scheme = link->systems[0]->scheme;
        if (!sim->stepper.integrators[scheme]->is_linear(link, &sim->stepper.schemes[scheme]))
            return 0;
    }
    return 1;
}

static perp_status list_awake(perp_sim *sim)
{
    if (!sim->stepper.rest.stale || perp_rest_list(&sim->stepper))
        return PERP_SOLVED;
    return perp_stepper_fail(&sim->stepper, PERP_ERR_MEMORY, NULL, -1, NULL);
}

int perp_sim_has_model(const perp_sim *sim)
{
    return sim->stepper.model->sim == sim;
}

perp_status perp_sim_prepare(perp_sim *sim)
{
    if (!perp_sim_has_model(sim))
        return perp_stepper_fail(&sim->stepper, PERP_ERR_STATE, "model", -1,
                                 "a simulation that was made later has the model");
    perp_rest_wake(&sim->stepper, sim->stepper.options.h);
    if (sim->stepper.version == sim->stepper.model->version && !sim->stepper.model->changed)
        return list_awake(sim);
    sim->stepper.rest.stale |= sim->stepper.version != sim->stepper.model->version;
    sim->stepper.version = 0;
    if (!list_model(sim) || !certificate_memory(sim))
        return perp_stepper_fail(&sim->stepper, PERP_ERR_MEMORY, NULL, -1, NULL);
    for (int k = 0; k < sim->stepper.nsystems; k++) {
        perp_status status = check_system(sim, sim->stepper.systems[k]);
        if (status != PERP_SOLVED)
            return status;
    }
    for (int k = 0; k < sim->stepper.nlinks; k++) {
        perp_status status = check_link(sim, sim->stepper.links[k]);
        if (status != PERP_SOLVED)
            return status;
    }
    sim->stepper.linear = is_linear(sim);
    perp_status status = find_march(sim);
    if (status == PERP_SOLVED)
        status = check_parts(sim);
    if (status == PERP_SOLVED)
        status = first_outputs(sim);
    for (int k = 0; status == PERP_SOLVED && k < sim->stepper.nsystems; k++)
        status = check_mass(sim, sim->stepper.systems[k]);
    if (status == PERP_SOLVED)
        status = list_awake(sim);
    if (status == PERP_SOLVED)
        sim->stepper.version = sim->stepper.model->version;
    return status;
}
