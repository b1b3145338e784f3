/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of contacts: a merge, in the order of keys, of the present ones with those found. */
#include <string.h>

#include "kernel/collide/collider.h"
#include "kernel/model/model_inside.h"

static int before(const perp_contact *x, uint32_t low, uint32_t high, int feature)
{
    if (x->low != low)
        return x->low < low;
    if (x->high != high)
        return x->high < high;
    return x->feature < feature;
}

static perp_status append(perp_collider *c, perp_contact ***list, int *count, int *capacity,
                          perp_contact *contact)
{
    if (!perp_pool_grow(&c->pool, (void **)list, capacity, *count + 1, sizeof(perp_contact *)))
        return PERP_ERR_MEMORY;
    (*list)[(*count)++] = contact;
    return PERP_SOLVED;
}

perp_status perp_collider_discard(perp_collider *c, perp_contact *contact)
{
    return append(c, &c->drop, &c->ndrop, &c->capacity_drop, contact);
}

perp_status perp_collider_keep(perp_collider *c, perp_contact *contact)
{
    return append(c, &c->next, &c->nnext, &c->capacity_next, contact);
}

perp_status perp_collider_make(perp_collider *c, const perp_contact *contact)
{
    perp_contact *made = perp_pool_take(&c->pool, sizeof *made);
    if (!made)
        return PERP_ERR_MEMORY;
    *made = *contact;
    made->id = (perp_interaction_id){0, 0};
    perp_status status = perp_collider_keep(c, made);
    if (status != PERP_SOLVED)
        perp_pool_give(&c->pool, made);
    return status;
}

perp_status perp_collider_take_old(perp_contact **old, perp_collider *c, uint32_t low,
                                   uint32_t high, int feature)
{
    *old = NULL;
    while (c->cursor < c->nnow && before(c->now[c->cursor], low, high, feature)) {
        perp_status status = perp_collider_discard(c, c->now[c->cursor]);
        if (status != PERP_SOLVED)
            return status;
        c->cursor++;
    }
    if (c->cursor == c->nnow)
        return PERP_SOLVED;
    perp_contact *x = c->now[c->cursor];
    if (x->low == low && x->high == high && x->feature == feature) {
        *old = x;
        c->cursor++;
    }
    return PERP_SOLVED;
}

int perp_collider_usable(perp_collider *c, perp_contact *old, const perp_contact *wanted)
{
    const perp_law *law = &wanted->law;
    if (perp_model_output(c->model, old->id, NULL, NULL, NULL, NULL, NULL) != PERP_SOLVED)
        return 0;
    if (old->law.kind != law->kind || old->law.dim != law->dim ||
        old->has_belt != perp_collider_has_belt(c, old))
        return 0;
    if (old->skin != wanted->skin) {
        old->skin = wanted->skin;
        c->refrozen = 1;
    }
    if (old->law.e == law->e && old->law.mu == law->mu && old->law.e_t == law->e_t &&
        old->law.mu_r == law->mu_r && old->law.mu_s == law->mu_s &&
        old->law.stiffness == law->stiffness && old->law.damping == law->damping &&
        old->law.place == law->place && old->law.relative_compliance == law->relative_compliance)
        return 1;
    old->law = *law;
    return perp_model_set_law(c->model, old->id, law) == PERP_SOLVED;
}

perp_status perp_contact_insert(perp_collider *c, perp_contact *contact)
{
    perp_interaction_def def;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = contact->systems;
    def.nsystems = contact->nsystems;
    def.law = contact->law;
    def.relation.rows = contact->law.dim;
    def.relation.user = contact;
    contact->has_belt = perp_collider_has_belt(c, contact);
    if (contact->has_belt)
        def.relation.h_t = perp_contact_surface_rate;
    perp_contact_set_belts(c, contact);
    if (contact->flat) {
        def.relation.kind =
            contact->has_belt ? PERP_RELATION_RHEONOMOUS : PERP_RELATION_SCLERONOMOUS;
        def.relation.h = perp_contact_flat_output;
        def.relation.h_x = perp_contact_flat_jacobian;
    } else {
        def.relation.kind = PERP_RELATION_CONTACT;
        def.relation.contact = perp_contact_callback;
    }
    perp_status status = perp_model_add_interaction(c->model, &def, &contact->id, NULL);
    if (status == PERP_SOLVED)
        perp_model_link(c->model, contact->id)->steady = !contact->has_belt;
    return status;
}

perp_status perp_collider_keep_pair(perp_collider *c, uint32_t low, uint32_t high,
                                    const perp_contact *wanted)
{
    perp_contact *old;
    perp_status status = perp_collider_take_old(&old, c, low, high, -1);
    while (status == PERP_SOLVED && c->cursor < c->nnow && c->now[c->cursor]->low == low &&
           c->now[c->cursor]->high == high) {
        old = c->now[c->cursor++];
        status = perp_collider_usable(c, old, wanted) ? perp_collider_keep(c, old)
                                                      : perp_collider_discard(c, old);
    }
    return status;
}

void perp_collider_roll_back(perp_collider *c)
{
    for (int k = 0; k < c->nnext; k++)
        if (c->next[k]->id.generation == 0)
            perp_pool_give(&c->pool, c->next[k]);
    c->nnext = 0;
    c->ndrop = 0;
}

/* The interactions of systems that are gone went with them, hence no look at the status. */
static void erase(perp_collider *c, perp_contact *contact)
{
    perp_collider_tell_end(c, contact);
    perp_model_remove_interaction(c->model, contact->id);
    perp_pool_give(&c->pool, contact);
}

void perp_collider_set_on_new(perp_collider *collider, perp_new_contact_fn fn, void *ctx)
{
    if (!collider)
        return;
    collider->on_new = fn;
    collider->on_new_ctx = ctx;
}

static perp_status insert(perp_collider *c, perp_contact *contact)
{
    perp_status status = perp_contact_insert(c, contact);
    if (status == PERP_SOLVED && c->on_new)
        c->on_new(c->on_new_ctx,
                  (perp_shape_id){contact->first, c->shapes[contact->first].generation},
                  (perp_shape_id){contact->second, c->shapes[contact->second].generation},
                  contact->feature, contact->id);
    return status;
}

perp_status perp_collider_commit(perp_collider *c)
{
    perp_contact **list = c->next;
    perp_status status = PERP_SOLVED;
    int count = c->nnext, capacity = c->capacity_next, kept = 0;
    for (int k = 0; k < c->ndrop; k++)
        erase(c, c->drop[k]);
    for (int k = 0; k < count; k++) {
        if (list[k]->has_belt)
            perp_contact_set_belts(c, list[k]);
        if (list[k]->id.generation == 0 && status == PERP_SOLVED)
            status = insert(c, list[k]);
        if (list[k]->id.generation == 0)
            perp_pool_give(&c->pool, list[k]);
        else
            list[kept++] = list[k];
    }
    c->next = c->now;
    c->capacity_next = c->capacity_now;
    c->now = list;
    c->capacity_now = capacity;
    c->nnow = kept;
    c->nnext = 0;
    c->ndrop = 0;
    return status;
}

int perp_collider_find(const perp_collider *c, uint32_t low, uint32_t high, int feature)
{
    int from = 0, to = c->nnow;
    while (from < to) {
        int half = from + (to - from) / 2;
        if (before(c->now[half], low, high, feature))
            from = half + 1;
        else
            to = half;
    }
    return from;
}

static void take_place(perp_collider *c, int at)
{
    c->nnow--;
    memmove(c->now + at, c->now + at + 1, sizeof *c->now * (size_t)(c->nnow - at));
}

perp_status perp_collider_put(perp_collider *c, const perp_contact *contact)
{
    int at = perp_collider_find(c, contact->low, contact->high, contact->feature);
    perp_contact *made = perp_pool_take(&c->pool, sizeof *made);
    if (!made)
        return PERP_ERR_MEMORY;
    *made = *contact;
    made->id = (perp_interaction_id){0, 0};
    perp_status status = append(c, &c->put, &c->nput, &c->capacity_put, made);
    if (status == PERP_SOLVED)
        status = append(c, &c->now, &c->nnow, &c->capacity_now, made);
    if (status == PERP_SOLVED) {
        memmove(c->now + at + 1, c->now + at, sizeof *c->now * (size_t)(c->nnow - 1 - at));
        c->now[at] = made;
        status = perp_contact_insert(c, made);
        if (status == PERP_SOLVED)
            return status;
        take_place(c, at);
    }
    if (c->nput > 0 && c->put[c->nput - 1] == made)
        c->nput--;
    perp_pool_give(&c->pool, made);
    return status;
}

void perp_collider_take_out(perp_collider *c)
{
    for (int k = 0; k < c->nput; k++) {
        perp_contact *contact = c->put[k];
        take_place(c, perp_collider_find(c, contact->low, contact->high, contact->feature));
        erase(c, contact);
    }
    c->nput = 0;
}

void perp_collider_clear(perp_collider *c, int slot)
{
    int kept = 0;
    for (int k = 0; k < c->nnow; k++) {
        perp_contact *contact = c->now[k];
        if (slot < 0 || contact->low == (uint32_t)slot || contact->high == (uint32_t)slot)
            erase(c, contact);
        else
            c->now[kept++] = contact;
    }
    c->nnow = kept;
}
