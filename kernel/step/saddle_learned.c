/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "kernel/step/saddle.h"
#include "kernel/step/snapshot.h"

/* Joints as they were given, by their slots; the rest in the order of the outline. */
typedef struct perp_saddle_learned {
    int joints, nodes, rows;
    int *slot;
    unsigned char *late, *stiff, *dependent;
} perp_saddle_learned;

void perp_saddle_drop_learned(perp_saddle *saddle)
{
    perp_saddle_learned *l = saddle->learned;
    if (!l)
        return;
    perp_pool_give(saddle->pool, l->slot);
    perp_pool_give(saddle->pool, l->late);
    perp_pool_give(saddle->pool, l);
    saddle->learned = NULL;
}

/* Space for what was counted; 0: memory is out. */
static int reserve(perp_saddle *saddle, perp_saddle_learned *l)
{
    size_t marks = (size_t)l->nodes + (size_t)l->joints + (size_t)l->rows;
    saddle->learned = perp_pool_take(saddle->pool, sizeof *l);
    l->slot = PERP_POOL_ARRAY(saddle->pool, int, (size_t)l->joints + 1);
    l->late = perp_pool_take(saddle->pool, marks + 1);
    if (!saddle->learned || !l->slot || !l->late) {
        perp_pool_give(saddle->pool, saddle->learned);
        perp_pool_give(saddle->pool, l->slot);
        perp_pool_give(saddle->pool, l->late);
        saddle->learned = NULL;
        return 0;
    }
    l->stiff = l->late + l->nodes;
    l->dependent = l->stiff + l->joints;
    *saddle->learned = *l;
    return 1;
}

static void visit(perp_walk *w, const perp_saddle *saddle, perp_saddle_learned *l)
{
    for (int j = 0; j < l->joints && !w->failed; j++) {
        int slot = !l->slot && w->mode == PERP_WALK_WRITE
                       ? (int)saddle->joints[saddle->order[j]]->slot
                       : 0;
        perp_walk_bytes(w, l->slot ? l->slot + j : &slot, sizeof slot);
    }
    perp_walk_bytes(w, l->late, (size_t)l->nodes);
    perp_walk_bytes(w, l->stiff, (size_t)l->joints);
    perp_walk_bytes(w, l->dependent, (size_t)l->rows);
}

void perp_saddle_walk(perp_walk *w, perp_saddle *saddle, perp_pool *pool)
{
    perp_saddle_learned l = {0};
    if (w->mode < PERP_WALK_CHECK && saddle->learned)
        l = *saddle->learned;
    else if (w->mode < PERP_WALK_CHECK && saddle->outlined)
        l = (perp_saddle_learned){.joints = saddle->njoints,
                                  .nodes = saddle->nodes,
                                  .rows = saddle->rows,
                                  .late = saddle->late,
                                  .stiff = saddle->stiff,
                                  .dependent = saddle->dependent};
    int size[3] = {l.joints, l.nodes, l.rows};
    perp_walk_peek(w, size, sizeof size);
    perp_walk_bytes(w, size, sizeof size);
    w->failed |= size[0] < 0 || size[1] < 0 || size[2] < 0;
    if (w->failed)
        return;
    l.joints = size[0];
    l.nodes = size[1];
    l.rows = size[2];
    if (w->mode == PERP_WALK_READ && l.joints > 0) {
        saddle->pool = pool;
        w->failed = !reserve(saddle, &l);
    }
    if (!w->failed)
        visit(w, saddle, &l);
}

int perp_saddle_take_learned(perp_saddle *saddle)
{
    const perp_saddle_learned *l = saddle->learned;
    int same = l->joints == saddle->njoints && l->nodes == saddle->nodes && l->rows == saddle->rows;
    for (int j = 0; j < l->joints && same; j++)
        same = l->slot[j] == (int)saddle->joints[saddle->order[j]]->slot;
    if (same) {
        memcpy(saddle->late, l->late, (size_t)l->nodes);
        memcpy(saddle->stiff, l->stiff, (size_t)l->joints);
        memcpy(saddle->dependent, l->dependent, (size_t)l->rows);
    }
    perp_saddle_drop_learned(saddle);
    return same;
}
