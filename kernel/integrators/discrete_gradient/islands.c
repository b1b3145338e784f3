/* SPDX-License-Identifier: BSD-3-Clause */
/* Systems that chains of joints and contacts join. */
#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

static void join(const perp_dg *dg, const perp_link *link)
{
    for (int m = 1; m < link->nsystems; m++)
        (void)perp_class_join(dg->island_root, link->systems[0]->place, link->systems[m]->place);
}

int perp_dg_find_islands(perp_dg *dg, perp_link *const *links, int nlinks)
{
    if (!perp_pool_grow(dg->pool, (void **)&dg->islands, &dg->capacity_islands, dg->nsystems,
                        sizeof *dg->islands) ||
        !perp_pool_grow(dg->pool, (void **)&dg->island_root, &dg->capacity_island_root,
                        dg->nsystems, sizeof(int)))
        return 0;
    for (int k = 0; k < dg->nsystems; k++)
        dg->island_root[k] = k;
    for (int k = 0; k < dg->njoints; k++)
        join(dg, dg->joints[k]);
    for (int k = 0; k < nlinks; k++)
        join(dg, links[k]);
    for (int k = 0; k < dg->nsystems; k++)
        dg->island_root[k] = perp_class_root(dg->island_root, k);
    return 1;
}
