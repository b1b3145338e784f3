/* SPDX-License-Identifier: BSD-3-Clause */
/* A step by a scheme that chooses its own instants, and what such a scheme asks for. */
#include <string.h>

#include "kernel/sim/sim_inside.h"

perp_status perp_step_outputs(perp_step *step, double t)
{
    perp_step at = *step;
    at.t_end = t;
    return perp_sim_outputs(&at);
}

perp_status perp_step_instant(perp_step *step, double t, double h, perp_instant_kind kind)
{
    perp_sim *sim = step->sim;
    perp_instant instant = {t, h, kind};
    if (h > 0.0)
        sim->info.inner++;
    if (sim->at_instants && sim->at_instants(sim->instants_ctx, sim, sim->model, &instant))
        return perp_sim_fail(sim, PERP_INTERRUPTED, "at_instants", -1, "a callback asked to stop");
    return PERP_SOLVED;
}

void perp_step_reject(perp_step *step)
{
    step->sim->info.rejected++;
}

perp_status perp_step_refuse(perp_step *step, perp_status status, const char *what, int slot,
                             const char *detail)
{
    return perp_sim_fail(step->sim, status, what, slot, detail);
}

perp_status perp_step_keep(perp_step *step, perp_kept *kept)
{
    return perp_sim_keep(step->sim, kept);
}

void perp_step_take_back(perp_step *step, const perp_kept *kept)
{
    perp_sim_take_back(step->sim, kept);
}

void *perp_step_memory(perp_step *step, size_t bytes)
{
    perp_sim *sim = step->sim;
    if (!sim->march_memory) {
        sim->march_memory = perp_pool_take(&sim->pool, bytes);
        if (sim->march_memory)
            memset(sim->march_memory, 0, bytes);
    }
    return sim->march_memory;
}

double *perp_step_carry(perp_step *step)
{
    return step->sim->carry;
}

void perp_sim_end_march(perp_sim *sim)
{
    if (sim->march_memory) {
        if (sim->march->release)
            sim->march->release(sim->march_memory, &sim->pool);
        perp_pool_give(&sim->pool, sim->march_memory);
    }
    sim->march_memory = NULL;
    sim->march = NULL;
    sim->shown = &sim->one;
    memset(sim->carry, 0, sizeof sim->carry);
}

perp_status perp_sim_march(perp_sim *sim, double t, double h)
{
    perp_step step = {.sim = sim,
                      .schemes = sim->schemes,
                      .t = t,
                      .t_end = t + h,
                      .h = h,
                      .global = sim->options.form == PERP_FORM_DELASSUS,
                      .systems = sim->systems,
                      .nsystems = sim->nsystems,
                      .links = sim->links,
                      .nlinks = sim->nlinks,
                      .one = &sim->one};
    double carry[PERP_CARRY];
    memcpy(carry, sim->carry, sizeof carry);
    if (perp_sim_keep(sim, &sim->start) != PERP_SOLVED)
        return perp_sim_fail(sim, PERP_ERR_MEMORY, NULL, -1, NULL);
    perp_status status = sim->march->march(&step);
    if (status == PERP_SOLVED)
        status = perp_sim_finite_states(&step);
    if (status == PERP_SOLVED)
        status = perp_sim_outputs(&step);
    /* The scheme's own steps were accepted one by one. */
    if (status == PERP_SOLVED) {
        for (int k = 0; k < sim->nsystems; k++)
            sim->systems[k]->started = 1;
        return status;
    }
    perp_sim_take_back(sim, &sim->start);
    memcpy(sim->carry, carry, sizeof carry);
    return status;
}
