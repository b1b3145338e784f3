/* SPDX-License-Identifier: BSD-3-Clause */
/* What a stage of impacts is about: the systems of the groups that are struck and their contacts.
 * All others stay as they are, so that a stage costs what it strikes, however many others there
 * are: after it, states are found again for the contacts of these systems alone. */
#include <string.h>

#include "kernel/integrators/discrete_gradient/discrete_gradient.h"
#include "kernel/step/stepper.h"

#define GROW(dg, array, capacity, count)                                                           \
    perp_pool_grow((dg)->pool, (void **)&(dg)->stage.array, &(dg)->stage.capacity, (count),        \
                   sizeof *(dg)->stage.array)

enum { BITS = 64 };

static int words(int n)
{
    return (n + BITS - 1) / BITS;
}

static int lowest(uint64_t x)
{
    int k = 0;
    for (int half = BITS / 2; half > 0; half /= 2)
        if (!(x & (((uint64_t)1 << half) - 1))) {
            x >>= half;
            k += half;
        }
    return k;
}

void perp_dg_set_bit(uint64_t *bits, int k)
{
    bits[k / BITS] |= (uint64_t)1 << (k % BITS);
}

int perp_dg_has_bit(const uint64_t *bits, int k)
{
    return bits[k / BITS] >> (k % BITS) & 1;
}

int perp_dg_take_bits(uint64_t *bits, int n, int *list)
{
    int count = 0;
    for (int w = 0; w < words(n); w++) {
        for (uint64_t left = bits[w]; left; left &= left - 1)
            list[count++] = w * BITS + lowest(left);
        bits[w] = 0;
    }
    return count;
}

/* Counting sort: the contacts of each system. */
static void list_contacts(perp_dg *dg)
{
    perp_dg_stage *stage = &dg->stage;
    memset(stage->first, 0, sizeof(int) * ((size_t)dg->nsystems + 1));
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < dg->nlinks; k++)
            for (int m = 0; perp_dg_may_strike(dg->links[k]) && m < dg->links[k]->nsystems; m++) {
                int place = dg->links[k]->systems[m]->place;
                if (pass == 0)
                    stage->first[place + 1]++;
                else
                    stage->contact[stage->first[place]++] = k;
            }
        for (int k = 0; pass == 0 && k < dg->nsystems; k++)
            stage->first[k + 1] += stage->first[k];
    }
    for (int k = dg->nsystems; k > 0; k--)
        stage->first[k] = stage->first[k - 1];
    stage->first[0] = 0;
}

int perp_dg_begin_lists(perp_dg *dg)
{
    perp_dg_stage *stage = &dg->stage;
    int sides = 0, most = dg->nlinks > dg->nsystems ? dg->nlinks : dg->nsystems;
    for (int k = 0; k < dg->nlinks; k++)
        sides += dg->links[k]->nsystems;
    if (!GROW(dg, systems, capacity_systems, dg->nsystems) ||
        !GROW(dg, links, capacity_links, dg->nlinks) ||
        !GROW(dg, first, capacity_first, dg->nsystems + 1) ||
        !GROW(dg, contact, capacity_contact, sides) ||
        !GROW(dg, ring, capacity_ring, dg->nsystems) ||
        !GROW(dg, waiting, capacity_waiting, dg->nlinks) ||
        !GROW(dg, waits, capacity_waits, dg->nlinks) || !GROW(dg, number, capacity_number, most) ||
        !GROW(dg, bits, capacity_bits, words(most) + 1))
        return 0;
    list_contacts(dg);
    memset(stage->bits, 0, sizeof *stage->bits * (size_t)(words(most) + 1));
    memset(stage->waits, 0, (size_t)dg->nlinks);
    stage->nwaiting = stage->carriers = 0;
    stage->from_start = 1;
    perp_dg_stage_of_all(dg);
    return 1;
}

void perp_dg_stage_of_all(perp_dg *dg)
{
    perp_dg_stage *stage = &dg->stage;
    stage->nsystems = stage->nlinks = 0;
    for (int k = 0; k < dg->nsystems; k++)
        stage->systems[stage->nsystems++] = dg->systems[k];
    for (int k = 0; k < dg->nlinks; k++)
        if (dg->links[k]->active)
            stage->links[stage->nlinks++] = dg->links[k];
    dg->open = dg->systems;
    dg->nopen = dg->nsystems;
}

/* With joints all systems: their increments are found together. */
void perp_dg_stage_of(perp_dg *dg, int count)
{
    perp_dg_stage *stage = &dg->stage;
    stage->nsystems = 0;
    for (int k = 0; k < count; k++)
        stage->systems[stage->nsystems++] = dg->systems[stage->number[k]];
    dg->open = stage->systems;
    dg->nopen = stage->nsystems;
}

void perp_dg_contacts_of_stage(perp_dg *dg)
{
    const perp_dg_stage *stage = &dg->stage;
    for (int k = 0; k < stage->nsystems; k++) {
        int place = stage->systems[k]->place;
        for (int m = stage->first[place]; m < stage->first[place + 1]; m++)
            perp_dg_set_bit(stage->bits, stage->contact[m]);
    }
}
