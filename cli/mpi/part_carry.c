/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/mpi/part_carry.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* An interaction of the text: its number, -1, 0.  A contact: its shapes and feature. */
typedef struct perp_part_entry {
    int first, second, feature, bytes;
} perp_part_entry;

static size_t length_of(const perp_part_entry *entry)
{
    return sizeof *entry + ((size_t)entry->bytes + 7) / 8 * 8;
}

static perp_part_entry entry_at(const unsigned char *at)
{
    perp_part_entry entry;

    memcpy(&entry, at, sizeof entry);
    return entry;
}

static int grow(unsigned char **bytes, size_t *capacity, size_t wanted)
{
    size_t more = 2 * *capacity > wanted ? 2 * *capacity : wanted;
    unsigned char *grown = wanted > *capacity ? realloc(*bytes, more) : *bytes;

    if (grown == NULL)
        return wanted == 0;
    *capacity = wanted > *capacity ? more : *capacity;
    *bytes = grown;
    return 1;
}

static int any_bad(int bad)
{
    int worst;

    MPI_Allreduce(&bad, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return worst;
}

static int key_order(const perp_part_entry *a, const perp_part_entry *b)
{
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    if (a->second != b->second)
        return a->second < b->second ? -1 : 1;
    return (a->feature > b->feature) - (a->feature < b->feature);
}

static int ascending(const void *x, const void *y)
{
    perp_part_entry a = entry_at(*(const unsigned char *const *)x);
    perp_part_entry b = entry_at(*(const unsigned char *const *)y);

    return key_order(&a, &b);
}

/* A contact that another rank had. */
static void arrives(void *ctx, perp_shape_id first, perp_shape_id second, int feature,
                    perp_interaction_id interaction)
{
    perp_part_carry *carry = ctx;
    perp_part_entry wanted = {(int)first.index, (int)second.index, feature, 0};
    int from = 0, to = carry->contacts;

    while (from < to) {
        int half = from + (to - from) / 2;
        perp_part_entry entry = entry_at(carry->contact[half]);
        int order = key_order(&entry, &wanted);
        if (order == 0) {
            carry->handed += perp_sim_load_interaction(perp_scene_sim(carry->scene), interaction,
                                                       carry->contact[half] + sizeof entry,
                                                       (size_t)entry.bytes) == PERP_SOLVED;
            return;
        }
        from = order < 0 ? half + 1 : from;
        to = order < 0 ? to : half;
    }
}

perp_status perp_part_carry_create(perp_part_carry *carry, perp_part_layout *layout,
                                   perp_scene *scene)
{
    memset(carry, 0, sizeof *carry);
    carry->layout = layout;
    carry->scene = scene;
    carry->interactions = perp_scene_interactions(scene);
    carry->count = calloc(2 * (size_t)layout->ranks, sizeof *carry->count);
    if (carry->count == NULL)
        return PERP_ERR_MEMORY;
    carry->offset = carry->count + layout->ranks;
    perp_collider_set_on_new(layout->collider, arrives, carry);
    return PERP_SOLVED;
}

void perp_part_carry_destroy(perp_part_carry *carry)
{
    if (carry->layout != NULL)
        perp_collider_set_on_new(carry->layout->collider, NULL, NULL);
    free(carry->own);
    free(carry->all);
    free(carry->count);
    free(carry->contact);
    memset(carry, 0, sizeof *carry);
}

/* The rank of a body of an interaction; with `before`: before the division, -1: none of its bodies
 * goes to another rank. */
static int rank_of(const perp_part_layout *layout, perp_interaction_id id, int before)
{
    perp_system_id systems[2];
    int count = perp_model_interaction_systems(layout->model, id, systems, 2), rank = -1, moves = 0;

    for (int k = 0; k < count && k < 2; k++) {
        int body = layout->place[systems[k].index];
        if (body < 0)
            continue;
        moves |= layout->before[body] != layout->owner[body];
        rank = rank < 0 ? (before ? layout->before : layout->owner)[body] : rank;
    }
    return before && !moves ? -1 : rank;
}

/* One more, whose bytes the caller writes to the address. */
static unsigned char *append(perp_part_carry *carry, const perp_part_entry *entry)
{
    size_t length = length_of(entry);
    unsigned char *at;

    if (!grow(&carry->own, &carry->capacity, carry->filled + length))
        return NULL;
    at = carry->own + carry->filled;
    memset(at, 0, length);
    memcpy(at, entry, sizeof *entry);
    carry->filled += length;
    return at + sizeof *entry;
}

static int pack_interaction(perp_part_carry *carry, int k)
{
    perp_part_entry entry = {k, -1, 0, 0};
    size_t bytes = 0;
    unsigned char *at;

    if (perp_scene_save_interaction(carry->scene, k, NULL, &bytes) != PERP_SOLVED)
        return 0;
    entry.bytes = (int)bytes;
    at = append(carry, &entry);
    return at != NULL && perp_scene_save_interaction(carry->scene, k, at, &bytes) == PERP_SOLVED;
}

/* before = 1: those that leave this rank; 0: all that it has. */
static int pack_interactions(perp_part_carry *carry, int before)
{
    perp_scene_interaction_info info = {.size = sizeof info};
    int good = 1;

    for (int k = 0; good && k < carry->interactions; k++)
        if (perp_scene_interaction(carry->scene, k, &info) == PERP_SOLVED &&
            rank_of(carry->layout, info.id, before) == carry->layout->rank)
            good = pack_interaction(carry, k);
    return good;
}

/* Contacts of this rank of which a body goes to another one. */
static int pack_contacts(perp_part_carry *carry)
{
    const perp_part_layout *layout = carry->layout;
    const perp_sim *sim = perp_scene_sim(carry->scene);
    perp_contact_info info = {.size = sizeof info};
    int count = perp_collider_contacts(layout->collider), good = 1;

    for (int k = 0; good && k < count; k++) {
        size_t bytes = 0;
        unsigned char *at;
        if (perp_collider_contact(layout->collider, k, &info) != PERP_SOLVED ||
            rank_of(layout, info.interaction, 1) < 0 ||
            perp_sim_save_interaction(sim, info.interaction, NULL, &bytes) != PERP_SOLVED)
            continue;
        perp_part_entry entry = {(int)info.first.index, (int)info.second.index, info.feature,
                                 (int)bytes};
        at = append(carry, &entry);
        good = at != NULL &&
               perp_sim_save_interaction(sim, info.interaction, at, &bytes) == PERP_SOLVED;
    }
    return good;
}

/* What this rank packed, to all or (root) to rank 0: how many bytes arrived here.  *bad, on all:
 * memory is out, or more than MPI counts. */
static size_t bring(perp_part_carry *carry, int good, int root, int *bad)
{
    perp_part_layout *layout = carry->layout;
    int own = carry->filled <= INT_MAX ? (int)carry->filled : 0;
    double all = 0.0;

    MPI_Allgather(&own, 1, MPI_INT, carry->count, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < layout->ranks; r++) {
        carry->offset[r] = (int)all;
        all += carry->count[r];
        if (all > INT_MAX)
            break;
    }
    *bad = any_bad(
        !good || carry->filled > INT_MAX || all > INT_MAX ||
        ((!root || layout->rank == 0) && !grow(&carry->all, &carry->capacity_all, (size_t)all)));
    if (*bad || all == 0.0)
        return 0;
    if (root)
        MPI_Gatherv(carry->own, own, MPI_BYTE, carry->all, carry->count, carry->offset, MPI_BYTE, 0,
                    MPI_COMM_WORLD);
    else
        MPI_Allgatherv(carry->own, own, MPI_BYTE, carry->all, carry->count, carry->offset, MPI_BYTE,
                       MPI_COMM_WORLD);
    int to = root ? layout->rank > 0 : layout->ranks - 1;
    layout->messages += own > 0 ? to : 0;
    layout->bytes += (double)own * to;
    return root && layout->rank > 0 ? 0 : (size_t)all;
}

/* Interactions get their state, contacts are listed; own: those of this rank, too. */
static int unpack(perp_part_carry *carry, size_t bytes)
{
    const unsigned char *at = carry->all, *end = carry->all + bytes;
    int count = 0;

    for (; bytes > 0 && at < end; count++) {
        perp_part_entry entry = entry_at(at);
        at += length_of(&entry);
    }
    if (count > carry->capacity_contacts) {
        free(carry->contact);
        carry->contact = calloc((size_t)count, sizeof *carry->contact);
        carry->capacity_contacts = carry->contact != NULL ? count : 0;
        if (carry->contact == NULL)
            return 0;
    }
    for (at = carry->all; bytes > 0 && at < end;) {
        perp_part_entry entry = entry_at(at);
        if (entry.second >= 0)
            carry->contact[carry->contacts++] = at;
        else
            (void)perp_scene_load_interaction(carry->scene, entry.first, at + sizeof entry,
                                              (size_t)entry.bytes);
        at += length_of(&entry);
    }
    if (carry->contacts > 1)
        qsort(carry->contact, (size_t)carry->contacts, sizeof *carry->contact, ascending);
    return 1;
}

perp_status perp_part_carry_along(void *ctx)
{
    perp_part_carry *carry = ctx;
    int good, bad;
    size_t bytes;

    carry->contacts = 0;
    carry->filled = 0;
    good = pack_interactions(carry, 1) && pack_contacts(carry);
    bytes = bring(carry, good, 0, &bad);
    if (bad)
        return PERP_ERR_MEMORY;
    return any_bad(!unpack(carry, bytes)) ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_part_carry_gather(perp_part_carry *carry)
{
    int good, bad;
    size_t bytes;

    carry->contacts = 0;
    if (carry->interactions == 0 || carry->layout->ranks == 1)
        return PERP_SOLVED;
    carry->filled = 0;
    good = carry->layout->rank == 0 || pack_interactions(carry, 0);
    bytes = bring(carry, good, 1, &bad);
    if (bad)
        return PERP_ERR_MEMORY;
    return any_bad(!unpack(carry, bytes)) ? PERP_ERR_MEMORY : PERP_SOLVED;
}
