/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of one interaction as bytes: what goes with its systems to another process. */
#include "core/float_environment.h"
#include "kernel/sim/sim_inside.h"
#include "kernel/step/snapshot.h"

/* The length of its last step, by which impulses are forces, is that of its systems. */
static void visit(perp_walk *w, perp_link *link)
{
    perp_walk_link(w, link);
    for (int k = 0; k < link->nsystems && !w->failed; k++)
        perp_walk_doubles(w, &link->systems[k]->h_kept, 1);
}

perp_status perp_sim_save_interaction(const perp_sim *sim, perp_interaction_id id, void *buf,
                                      size_t *bytes)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim || !bytes)
        return PERP_ERR_ARGUMENT;
    perp_link *link = perp_model_link(sim->stepper.model, id);
    if (!link)
        return PERP_ERR_STATE;
    perp_walk walk = {
        .mode = buf ? PERP_WALK_WRITE : PERP_WALK_MEASURE, .at = buf, .capacity = *bytes};
    visit(&walk, link);
    if (walk.failed)
        return PERP_ERR_ARGUMENT;
    *bytes = walk.bytes;
    return PERP_SOLVED;
}

perp_status perp_sim_load_interaction(perp_sim *sim, perp_interaction_id id, const void *buf,
                                      size_t bytes)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim || !buf)
        return PERP_ERR_ARGUMENT;
    perp_link *link = perp_model_link(sim->stepper.model, id);
    if (!link)
        return PERP_ERR_STATE;
    unsigned char *at = (unsigned char *)(uintptr_t)buf;
    perp_walk check = {.mode = PERP_WALK_CHECK, .at = at, .capacity = bytes};
    visit(&check, link);
    if (check.failed || check.bytes != bytes)
        return PERP_ERR_FORMAT;
    perp_walk read = {.mode = PERP_WALK_READ, .at = at, .capacity = bytes};
    visit(&read, link);
    sim->reactions.step = 0;
    return PERP_SOLVED;
}
