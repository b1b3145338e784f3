/* SPDX-License-Identifier: BSD-3-Clause */
/* Impacts by islands: what they make of one says nothing of another.  Each has its own number of
 * impacts and of attempts, so that a body moves as it does alone, whatever else is in the scene. */
#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

/* Stages for each contact, and of an island in any case; of one of so few contacts, whose stages
 * cost little: without loss a light body carries the momentum of a heavy one to a third in some pi
 * times the root of the ratio of their masses; those that end plastically beyond them. */
enum { STAGES = 4, STAGES_OF_ANY = 40, FEW = 40, STAGES_OF_FEW = 2000, PLASTIC = 2 };

int perp_dg_begin_islands(perp_dg *dg, int attempt)
{
    if (!perp_dg_find_islands(dg, dg->links, dg->nlinks))
        return 0;
    for (int k = 0; k < dg->nsystems; k++) {
        perp_dg_island *island = &dg->islands[k];
        if (attempt == 0)
            *island = (perp_dg_island){0};
        island->links = island->plastic = island->over = 0;
        island->work = island->scale = 0.0;
    }
    for (int k = 0; k < dg->nlinks; k++)
        perp_dg_island_of(dg, dg->links[k]->systems[0])->links++;
    return 1;
}

int perp_dg_stage_has_times(const perp_dg *dg)
{
    for (int k = 0; k < dg->nopen; k++)
        if (!perp_dg_is_early(dg, dg->open[k]))
            return 1;
    return 0;
}

int perp_dg_admits(perp_dg *dg, const perp_link *link, int stage)
{
    perp_dg_island *island = perp_dg_island_of(dg, link->systems[0]);
    int links = island->links, least = links <= FEW ? STAGES_OF_FEW : STAGES_OF_ANY;
    int most = STAGES * links > least ? STAGES * links : least;
    island->plastic = stage >= most;
    island->over |= stage >= most + PLASTIC * links;
    dg->cut |= island->plastic || island->over;
    return !island->over;
}

void perp_dg_end_idle(const perp_dg *dg)
{
    for (int k = 0; k < dg->stage.nlinks; k++)
        perp_dg_island_of(dg, dg->stage.links[k]->systems[0])->over = 1;
    for (int k = 0; k < dg->stage.nlinks; k++) {
        const perp_link *link = dg->stage.links[k];
        for (int i = 0; i < link->rows; i++)
            if (link->lambda[i] != 0.0)
                perp_dg_island_of(dg, link->systems[0])->over = 0;
    }
}
