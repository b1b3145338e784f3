/* SPDX-License-Identifier: BSD-3-Clause */
/* Shape of a saddle system. */
#include "kernel/step/saddle.h"

/* Systems, joints and their sizes are those of the present pattern. */
static int same_pattern(const perp_saddle *saddle, perp_link *const *joints, int njoints)
{
    if (!saddle->outlined || njoints != saddle->njoints)
        return 0;
    for (int i = 0; i < njoints; i++) {
        int j = saddle->order[i], first = saddle->tie_ptr[j];
        const perp_link *link = joints[i];
        if (link != saddle->joints[j] || link->rows != saddle->joint_sizes[2 * j] ||
            link->nv != saddle->joint_sizes[2 * j + 1] ||
            link->nsystems != saddle->tie_ptr[j + 1] - first)
            return 0;
        for (int k = 0; k < link->nsystems; k++)
            if (link->systems[k] != saddle->systems[saddle->tie_system[first + k]])
                return 0;
    }
    for (int k = 0; k < saddle->nsystems; k++) {
        const perp_system *s = saddle->systems[k];
        const int *sizes = saddle->system_sizes + 3 * k;
        if (s->nv != sizes[0] || (int)s->W.kind != sizes[1] ||
            perp_iteration_entries(&s->W) != sizes[2])
            return 0;
    }
    return 1;
}

/* Says to systems and joints where they are; others may have used these fields since. */
static void announce(perp_saddle *saddle, perp_system *const *systems, int nsystems)
{
    for (int k = 0; k < nsystems; k++)
        systems[k]->coupled = systems[k]->island = -1;
    for (int island = 0; island < saddle->islands; island++)
        for (int k = saddle->system_part[island]; k < saddle->system_part[island + 1]; k++) {
            saddle->systems[k]->coupled = saddle->system_at[k];
            saddle->systems[k]->island = island;
        }
    for (int j = 0; j < saddle->njoints; j++)
        saddle->joints[j]->first_row = saddle->joint_at[j];
}

static void give_back(perp_saddle *saddle)
{
    while (saddle->nheld > 0)
        perp_pool_give(saddle->pool, saddle->held[--saddle->nheld]);
    saddle->outlined = saddle->analysed = saddle->factored = saddle->noutline = 0;
    saddle->nsystems = saddle->njoints = saddle->islands = 0;
    saddle->dofs = saddle->rows = saddle->nodes = 0;
}

perp_status perp_saddle_shape(perp_saddle *saddle, perp_pool *pool, perp_system *const *systems,
                              int nsystems, perp_link *const *joints, int njoints)
{
    saddle->pool = pool;
    if (!same_pattern(saddle, joints, njoints)) {
        give_back(saddle);
        saddle->pattern++;
        perp_status status = perp_saddle_outline(saddle, systems, nsystems, joints, njoints);
        if (status == PERP_SOLVED) {
            saddle->outlined = 1;
            saddle->pattern += saddle->learned && !perp_saddle_take_learned(saddle);
            status = perp_saddle_analyse(saddle);
        }
        if (status != PERP_SOLVED) {
            give_back(saddle);
            announce(saddle, systems, nsystems);
            return status;
        }
    }
    announce(saddle, systems, nsystems);
    return PERP_SOLVED;
}

size_t perp_saddle_entries(const perp_saddle *saddle)
{
    return saddle->analysed ? saddle->panel[saddle->nodes] : 0;
}

void perp_saddle_free(perp_saddle *saddle)
{
    perp_saddle_order *o = &saddle->elimination;
    if (!saddle->pool)
        return;
    give_back(saddle);
    perp_saddle_drop_learned(saddle);
    perp_pool_give(saddle->pool, o->column);
    perp_pool_give(saddle->pool, o->row);
    perp_pool_give(saddle->pool, o->row_column);
    *saddle = (perp_saddle){.pattern = saddle->pattern + 1, .version = saddle->version + 1};
}
