/* SPDX-License-Identifier: BSD-3-Clause */
/* The contacts as bytes.  The order of interactions in a model is that of their slots, and a
 * new one takes the slot that was freed last; so that a run continues bit for bit, the slots
 * of the contacts and the chain of free ones are put back as well. */
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "kernel/collide/collider.h"
#include "kernel/model/model_inside.h"

enum { MAGIC = 0x32434350 };

typedef struct head {
    uint32_t magic, size; /* of a record */
    int32_t shapes, contacts, holes, slots;
} head;

/* Without gaps, so that the same contacts make the same bytes. */
typedef struct record {
    uint32_t low, high, first, second, slot;
    int32_t feature, flat, plane, reversed, nsystems;
    double ball[3], radius, other[3], other_radius, normal[3], semi[3], turn[4];
} record;

static int count_holes(const perp_model *model)
{
    int count = 0;
    for (int slot = model->free_link; slot >= 0; slot = model->links[slot].next_free)
        count++;
    return count;
}

static record to_record(const perp_contact *x)
{
    record r = {.low = x->low,
                .high = x->high,
                .first = x->first,
                .second = x->second,
                .slot = x->id.index,
                .feature = x->feature,
                .flat = x->flat,
                .plane = x->plane,
                .reversed = x->reversed | x->pressed << 1 | x->frozen << 2,
                .nsystems = x->nsystems,
                .radius = x->radius,
                .other_radius = x->other_radius};
    memcpy(r.ball, x->ball, sizeof r.ball);
    memcpy(r.other, x->other, sizeof r.other);
    memcpy(r.normal, x->normal, sizeof r.normal);
    memcpy(r.semi, x->semi, sizeof r.semi);
    memcpy(r.turn, x->turn, sizeof r.turn);
    return r;
}

static perp_contact from_record(const record *r)
{
    perp_contact x = {.low = r->low,
                      .high = r->high,
                      .feature = r->feature,
                      .flat = r->flat,
                      .plane = r->plane,
                      .reversed = r->reversed & 1,
                      .pressed = r->reversed >> 1 & 1,
                      .frozen = r->reversed >> 2 & 1,
                      .first = r->first,
                      .second = r->second,
                      .radius = r->radius,
                      .other_radius = r->other_radius,
                      .nsystems = r->nsystems};
    memcpy(x.ball, r->ball, sizeof x.ball);
    memcpy(x.other, r->other, sizeof x.other);
    memcpy(x.normal, r->normal, sizeof x.normal);
    memcpy(x.semi, r->semi, sizeof x.semi);
    memcpy(x.turn, r->turn, sizeof x.turn);
    return x;
}

perp_status perp_collider_save(const perp_collider *collider, void *buf, size_t *bytes)
{
    if (!collider || !bytes)
        return PERP_ERR_ARGUMENT;
    const perp_model *model = collider->model;
    head h = {MAGIC,          sizeof(record),     collider->nshapes,
              collider->nnow, count_holes(model), model->nlinks};
    size_t need =
        sizeof h + (size_t)h.contacts * sizeof(record) + (size_t)h.holes * sizeof(int32_t);
    size_t capacity = *bytes;
    char *out = buf;
    *bytes = need;
    if (!buf)
        return PERP_SOLVED;
    if (capacity < need)
        return PERP_ERR_ARGUMENT;
    memcpy(out, &h, sizeof h);
    out += sizeof h;
    for (int k = 0; k < h.contacts; k++, out += sizeof(record)) {
        record r = to_record(collider->now[k]);
        memcpy(out, &r, sizeof r);
    }
    for (int slot = model->free_link; slot >= 0; slot = model->links[slot].next_free) {
        int32_t hole = slot;
        memcpy(out, &hole, sizeof hole);
        out += sizeof hole;
    }
    return PERP_SOLVED;
}

static perp_status read_head(head *h, const perp_collider *c, const char *buf, size_t bytes)
{
    if (bytes < sizeof *h)
        return PERP_ERR_FORMAT;
    memcpy(h, buf, sizeof *h);
    if (h->magic != MAGIC || h->size != sizeof(record) || h->contacts < 0 || h->holes < 0 ||
        h->slots < 0 || h->holes > h->slots || h->contacts > h->slots - h->holes)
        return PERP_ERR_FORMAT;
    if (bytes !=
        sizeof *h + (size_t)h->contacts * sizeof(record) + (size_t)h->holes * sizeof(int32_t))
        return PERP_ERR_FORMAT;
    /* The slots that are left are those of other interactions. */
    int others = c->model->alive_links - c->nnow;
    return h->shapes == c->nshapes && h->slots - h->holes - h->contacts == others
               ? PERP_SOLVED
               : PERP_ERR_STRUCTURE;
}

static int comes_after(const perp_contact *x, const perp_contact *last)
{
    if (x->low != last->low)
        return x->low > last->low;
    if (x->high != last->high)
        return x->high > last->high;
    return x->feature > last->feature;
}

/* A record in its place in the order of keys, with its systems as they are now. */
static perp_status read_contact(perp_contact *contact, uint32_t *slot, const perp_collider *c,
                                const char *from, const perp_contact *last)
{
    record r;
    memcpy(&r, from, sizeof r);
    *slot = r.slot;
    *contact = from_record(&r);
    uint32_t n = (uint32_t)c->nshapes, a = r.first, b = r.second;
    int named = (a == r.low && b == r.high) || (b == r.low && a == r.high);
    if (a >= n || b >= n || !named || r.low >= r.high || r.feature < 0 || r.nsystems < 1 ||
        r.nsystems > 2 || (last && !comes_after(contact, last)))
        return PERP_ERR_FORMAT;
    for (int k = 0; k < 3; k++)
        if (!isfinite(r.ball[k] + r.other[k] + r.normal[k] + r.radius + r.other_radius + r.semi[k] +
                      r.turn[k] + r.turn[3]))
            return PERP_ERR_FORMAT;
    const perp_shape *first = &c->shapes[a], *second = &c->shapes[b];
    if (!first->alive || !second->alive || !first->moving || first->flat != r.flat ||
        second->flat != r.flat || second->moving != (r.nsystems == 2))
        return PERP_ERR_STRUCTURE;
    contact->systems[0] = first->def.body;
    contact->systems[1] = second->def.body;
    contact->law = perp_collider_law(c, first->def.material, second->def.material, r.flat);
    contact->skin = perp_collider_skin(c, first->def.material, second->def.material);
    return PERP_SOLVED;
}

/* What a load works with: the contact that wants a slot, and what filled each other one. */
typedef struct refill {
    perp_collider *c;
    perp_contact **wanted;    /* by slot, NULL none */
    perp_interaction_id *ids; /* of placeholders, by slot */
    char *is_hole;            /* of the save, by slot */
    int nslots;
    perp_contact placeholder;
} refill;

static int next_slot(const perp_model *model)
{
    return model->free_link >= 0 ? model->free_link : model->nlinks;
}

/* Some contact that is in nobody's way: it is removed again before any step. */
static int make_placeholder(refill *r)
{
    for (int i = 0; i < r->c->nshapes; i++) {
        const perp_shape *shape = &r->c->shapes[i];
        if (!shape->alive || !shape->moving ||
            perp_model_is_prescribed(r->c->model, shape->def.body))
            continue;
        r->placeholder = (perp_contact){.flat = shape->flat,
                                        .nsystems = 1,
                                        .systems = {shape->def.body, {0, 0}},
                                        .law = perp_law_impact(0.0)};
        return 1;
    }
    return 0;
}

static perp_status fill_slots(refill *r)
{
    perp_model *model = r->c->model;
    int able = make_placeholder(r);
    for (int slot = next_slot(model); able && slot < r->nslots; slot = next_slot(model)) {
        perp_contact *contact = r->wanted[slot] ? r->wanted[slot] : &r->placeholder;
        perp_status status = perp_contact_insert(r->c, contact);
        if (status != PERP_SOLVED)
            return status;
        if (contact == &r->placeholder)
            r->ids[slot] = contact->id;
    }
    /* Contacts whose slots were taken by others. */
    for (int slot = 0; slot < r->nslots; slot++)
        if (r->wanted[slot] && r->wanted[slot]->id.generation == 0) {
            perp_status status = perp_contact_insert(r->c, r->wanted[slot]);
            if (status != PERP_SOLVED)
                return status;
        }
    return PERP_SOLVED;
}

/* Placeholders go so that the holes of the save come back in their order, before any other. */
static void empty_slots(refill *r, const int32_t *holes, int nholes)
{
    perp_model *model = r->c->model;
    for (int k = 0; k < nholes; k++)
        r->is_hole[holes[k]] = 1;
    for (int slot = r->nslots - 1; slot >= 0; slot--)
        if (r->ids[slot].generation && !r->is_hole[slot])
            perp_model_remove_interaction(model, r->ids[slot]);
    for (int k = nholes - 1; k >= 0; k--)
        if (r->ids[holes[k]].generation)
            perp_model_remove_interaction(model, r->ids[holes[k]]);
}

static perp_status read_contacts(refill *r, const char *buf, const head *h)
{
    perp_collider *c = r->c;
    perp_status status = PERP_SOLVED;
    for (int k = 0; k < h->contacts && status == PERP_SOLVED; k++) {
        perp_contact contact;
        uint32_t slot;
        status = read_contact(&contact, &slot, c, buf + (size_t)k * sizeof(record),
                              k ? c->next[k - 1] : NULL);
        if (status == PERP_SOLVED && (slot >= (uint32_t)h->slots || r->wanted[slot]))
            status = PERP_ERR_FORMAT;
        if (status == PERP_SOLVED)
            status = perp_collider_make(c, &contact);
        if (status == PERP_SOLVED)
            r->wanted[slot] = c->next[k];
    }
    return status;
}

static perp_status check_holes(const int32_t *holes, const head *h, perp_contact *const *wanted)
{
    for (int k = 0; k < h->holes; k++)
        if (holes[k] < 0 || holes[k] >= h->slots || wanted[holes[k]])
            return PERP_ERR_FORMAT;
    return PERP_SOLVED;
}

/* The records are good: out with the present contacts, in with those. */
static perp_status replace(refill *r, const int32_t *holes, int nholes)
{
    perp_collider *c = r->c;
    perp_collider_clear(c, -1);
    perp_status status = fill_slots(r);
    empty_slots(r, holes, nholes);
    perp_status last = perp_collider_commit(c);
    return status != PERP_SOLVED ? status : last;
}

perp_status perp_collider_load(perp_collider *collider, const void *buf, size_t bytes)
{
    PERP_HOLD_ENVIRONMENT();
    head h;
    if (!collider || !buf)
        return PERP_ERR_ARGUMENT;
    perp_status status = read_head(&h, collider, buf, bytes);
    if (status != PERP_SOLVED)
        return status;
    perp_pool *pool = &collider->pool;
    const char *from = (const char *)buf + sizeof h;
    int now = collider->model->nlinks;
    refill r = {.c = collider, .nslots = h.slots > now ? h.slots : now};
    int32_t *holes = PERP_POOL_ARRAY(pool, int32_t, h.holes + 1);
    r.wanted = PERP_POOL_ARRAY(pool, perp_contact *, r.nslots + 1);
    r.ids = PERP_POOL_ARRAY(pool, perp_interaction_id, r.nslots + 1);
    r.is_hole = PERP_POOL_ARRAY(pool, char, r.nslots + 1);
    status =
        holes && r.wanted && r.ids && r.is_hole ? read_contacts(&r, from, &h) : PERP_ERR_MEMORY;
    if (status == PERP_SOLVED) {
        memcpy(holes, from + (size_t)h.contacts * sizeof(record),
               (size_t)h.holes * sizeof(int32_t));
        status = check_holes(holes, &h, r.wanted);
    }
    if (status == PERP_SOLVED)
        status = replace(&r, holes, h.holes);
    else
        perp_collider_roll_back(collider);
    if (status == PERP_SOLVED)
        perp_collider_note_seen(collider);
    perp_pool_give(pool, holes);
    perp_pool_give(pool, r.wanted);
    perp_pool_give(pool, r.ids);
    perp_pool_give(pool, r.is_hole);
    return status;
}
