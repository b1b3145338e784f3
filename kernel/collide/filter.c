/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs that never touch: those that were excluded, and bodies that a joint holds together. */
#include <stdlib.h>

#include "kernel/collide/collider.h"
#include "kernel/model/model_inside.h"

static uint64_t key_of(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

/* Place of the first key that is not before `key`. */
static int place_of(const uint64_t *keys, int count, uint64_t key)
{
    int lo = 0, hi = count;
    while (lo < hi) {
        int middle = lo + (hi - lo) / 2;
        if (keys[middle] < key)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static int has_key(const uint64_t *keys, int count, uint64_t key)
{
    int at = place_of(keys, count, key);
    return at < count && keys[at] == key;
}

static int is_stale(const perp_collider *c, perp_shape_id id)
{
    return id.index >= (uint32_t)c->nshapes || !c->shapes[id.index].alive ||
           c->shapes[id.index].generation != id.generation;
}

perp_status perp_collider_exclude(perp_collider *collider, perp_shape_id a, perp_shape_id b)
{
    perp_collider *c = collider;
    if (!c || (a.index == b.index && a.generation == b.generation))
        return PERP_ERR_ARGUMENT;
    if (is_stale(c, a) || is_stale(c, b))
        return PERP_ERR_STATE;
    uint64_t key = key_of(a.index, b.index);
    int at = place_of(c->excluded, c->nexcluded, key);
    if (at < c->nexcluded && c->excluded[at] == key)
        return PERP_SOLVED;
    if (!perp_pool_grow(&c->pool, (void **)&c->excluded, &c->capacity_excluded, c->nexcluded + 1,
                        sizeof(uint64_t)))
        return PERP_ERR_MEMORY;
    for (int k = c->nexcluded; k > at; k--)
        c->excluded[k] = c->excluded[k - 1];
    c->excluded[at] = key;
    c->nexcluded++;
    c->changed = 1;
    return PERP_SOLVED;
}

void perp_collider_forget_excluded(perp_collider *c, int slot)
{
    int kept = 0;
    for (int k = 0; k < c->nexcluded; k++)
        if (c->excluded[k] >> 32 != (uint64_t)slot && (uint32_t)c->excluded[k] != (uint32_t)slot)
            c->excluded[kept++] = c->excluded[k];
    c->nexcluded = kept;
}

perp_status perp_collider_set_joined(perp_collider *collider, int touch)
{
    if (!collider)
        return PERP_ERR_ARGUMENT;
    collider->joined_touch = touch != 0;
    collider->changed = 1;
    return PERP_SOLVED;
}

/* A joint that keeps places of two bodies together; a rod keeps them apart. */
static int holds_together(const perp_link *link)
{
    return link && link->nsystems == 2 && link->relation.kind == PERP_RELATION_JOINT &&
           link->law.kind == PERP_LAW_EQUALITY && link->relation.joint != PERP_JOINT_DISTANCE &&
           link->relation.joint != PERP_JOINT_SLIDE && link->relation.joint != PERP_JOINT_ANGLE &&
           link->relation.joint != PERP_JOINT_TURN && link->relation.joint != PERP_JOINT_SPIN;
}

/* By address: only whether a pair is there is ever asked. */
static int ascending(const void *x, const void *y)
{
    const perp_joined *a = x, *b = y;
    if (a->low != b->low)
        return (uintptr_t)a->low < (uintptr_t)b->low ? -1 : 1;
    return ((uintptr_t)a->high > (uintptr_t)b->high) - ((uintptr_t)a->high < (uintptr_t)b->high);
}

static perp_joined pair_of(const perp_system *a, const perp_system *b)
{
    return (uintptr_t)a < (uintptr_t)b ? (perp_joined){a, b} : (perp_joined){b, a};
}

perp_status perp_collider_list_joined(perp_collider *c)
{
    const perp_model *model = c->model;
    c->njoined = 0;
    for (int k = 0; k < model->nlinks && !c->joined_touch; k++) {
        const perp_link *link = model->links[k].link;
        if (!holds_together(link))
            continue;
        if (!perp_pool_grow(&c->pool, (void **)&c->joined, &c->capacity_joined, c->njoined + 1,
                            sizeof(perp_joined)))
            return PERP_ERR_MEMORY;
        c->joined[c->njoined++] = pair_of(link->systems[0], link->systems[1]);
    }
    if (c->njoined > 1)
        qsort(c->joined, (size_t)c->njoined, sizeof *c->joined, ascending);
    return PERP_SOLVED;
}

static int by_default(const perp_shape *shape)
{
    return shape->def.category == 0 && shape->def.touches == 0;
}

static uint32_t category(const perp_shape *shape)
{
    return by_default(shape) ? 1 : shape->def.category;
}

static uint32_t touches(const perp_shape *shape)
{
    return by_default(shape) ? 1 : shape->def.touches;
}

int perp_collider_is_filtered(const perp_collider *c, int i, int j)
{
    const perp_shape *a = &c->shapes[i], *b = &c->shapes[j];
    if (a->def.group != 0 && a->def.group == b->def.group)
        return 1;
    if (!(category(a) & touches(b)) && !(category(b) & touches(a)))
        return 1;
    if (c->nexcluded > 0 && has_key(c->excluded, c->nexcluded, key_of((uint32_t)i, (uint32_t)j)))
        return 1;
    if (c->njoined == 0 || !a->moving || !b->moving)
        return 0;
    perp_joined pair =
        pair_of(perp_model_system(c->model, a->def.body), perp_model_system(c->model, b->def.body));
    return bsearch(&pair, c->joined, (size_t)c->njoined, sizeof pair, ascending) != NULL;
}
