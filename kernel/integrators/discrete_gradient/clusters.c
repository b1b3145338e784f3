/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands of a step that are made by themselves.  Iterates of the Newton loop, attempts of impacts,
 * tolerances and scales are then those of each: a robot that falls beside ninety-nine others takes
 * the iterates that it takes alone, and its numbers are read once and not in each pass over all.
 * Islands too small to be worth it stay together. */
#include <string.h>

#include "kernel/integrators/discrete_gradient/clusters.h"
#include "kernel/step/snapshot.h"
#include "kernel/step/step_parts.h"
#include "kernel/step/stepper.h"

#define GROW(memory, array, capacity, count)                                                       \
    perp_pool_grow((memory)->pool, (void **)&(memory)->array, &(memory)->capacity, (count),        \
                   sizeof *(memory)->array)

/* Velocities of an island that is made by itself; clusters of a step, which may hold several. */
enum { LEAST_DOFS = 24, MOST_CLUSTERS = 256 };

static void init_dg(perp_dg *dg, perp_stepper *stepper)
{
    dg->pool = &stepper->pool;
    perp_one_step_init(&dg->smooth, dg->pool, stepper->options.form);
    dg->smooth.strict_start = 1; /* errors of steps at rest are not to add up */
    perp_one_step_init(&dg->impact, dg->pool, stepper->options.form);
    perp_one_step_init(&dg->expansion, dg->pool, stepper->options.form);
    perp_one_step_init(&dg->slip, dg->pool, stepper->options.form);
    perp_one_step_init(&dg->overlap.one, dg->pool, PERP_FORM_DENSE);
    dg->slip.tresca = dg->expansion.tresca = 1;
    dg->slip.gaps_kept = dg->expansion.gaps_kept = 1;
    dg->smooth.gaps_kept = dg->impact.gaps_kept = 1;
    dg->smooth.may_mirror = dg->impact.may_mirror = 1;
    dg->slip.may_mirror = dg->expansion.may_mirror = 1;
    dg->slip.apart = 1;
    dg->smooth.gives = 1;
    dg->smooth.given = dg->impact.given = &stepper->given;
    dg->impact.part = dg->expansion.part = 0.5;
    dg->smooth.spent = dg->impact.spent = dg->expansion.spent = &stepper->spent;
    dg->impact.gives = 2; /* impulses of other impacts say nothing */
}

/* One more; 0: no memory. */
static int make_cluster(perp_dg_memory *memory, perp_stepper *stepper)
{
    if (!GROW(memory, made, capacity_made, memory->nmade + 1))
        return 0;
    perp_dg_cluster *cluster = perp_pool_take(memory->pool, sizeof *cluster);
    if (!cluster)
        return 0;
    init_dg(&cluster->dg, stepper);
    memory->made[memory->nmade++] = cluster;
    return 1;
}

perp_dg_memory *perp_dg_memory_of(perp_step *step, int scheme)
{
    perp_dg_memory *memory = perp_step_memory(step, scheme, sizeof *memory);
    if (memory)
        memory->pool = &step->stepper->pool;
    return memory;
}

perp_dg *perp_dg_of(perp_step *step, const perp_system *s)
{
    perp_dg_memory *memory = perp_dg_memory_of(step, s->scheme);
    return memory && s->cluster < memory->nmade ? &memory->made[s->cluster]->dg : NULL;
}

static int is_member(const perp_link *link, int scheme)
{
    return link->second_order && link->systems[0]->scheme == scheme;
}

/* root: of the island of each system, by its place in the step. */
static void find_roots(const perp_step *step, int scheme, int *root)
{
    for (int k = 0; k < step->nsystems; k++)
        root[k] = step->systems[k]->place = k;
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        for (int m = 1; m < link->nsystems && is_member(link, scheme); m++)
            (void)perp_class_join(root, link->systems[0]->place, link->systems[m]->place);
    }
    for (int k = 0; k < step->nsystems; k++)
        root[k] = perp_class_root(root, k);
}

/* number: of the cluster of each island by its root, in order, what is left last.  How many. */
static int number_islands(const perp_step *step, int scheme, const int *root, int *number)
{
    int large = 0, rest = 0;
    memset(number, 0, sizeof(int) * (size_t)step->nsystems);
    for (int k = 0; k < step->nsystems; k++)
        if (step->systems[k]->scheme == scheme)
            number[root[k]] += step->systems[k]->nv;
    for (int k = 0; k < step->nsystems; k++)
        large += root[k] == k && number[k] >= LEAST_DOFS;
    if (large < 2)
        return 1;
    int count = large < MOST_CLUSTERS ? large : MOST_CLUSTERS;
    for (int k = 0, at = 0; k < step->nsystems; k++) {
        if (root[k] != k)
            continue;
        if (number[k] >= LEAST_DOFS) {
            number[k] = (int)((long)at++ * count / large);
        } else {
            rest |= number[k] > 0;
            number[k] = count;
        }
    }
    return count + rest;
}

/* Members of each cluster one behind the other: first counts them, then is where they end. */
static void sort_members(perp_dg_memory *memory, const perp_step *step, int scheme, const int *root,
                         const int *number)
{
    int systems = 0, links = 0;
    for (int c = 0; c < memory->count; c++) {
        perp_step *own = &memory->of_step[c].step;
        own->nsystems = own->nlinks = 0;
    }
    for (int k = 0; k < step->nsystems; k++)
        if (step->systems[k]->scheme == scheme)
            memory->of_step[number[root[k]]].step.nsystems++;
    for (int k = 0; k < step->nlinks; k++)
        if (is_member(step->links[k], scheme))
            memory->of_step[number[root[step->links[k]->systems[0]->place]]].step.nlinks++;
    for (int c = 0; c < memory->count; c++) {
        perp_step *own = &memory->of_step[c].step;
        own->systems = memory->systems + systems;
        own->links = memory->links + links;
        systems += own->nsystems;
        links += own->nlinks;
        own->nsystems = own->nlinks = 0;
    }
    for (int k = 0; k < step->nsystems; k++) {
        if (step->systems[k]->scheme != scheme)
            continue;
        perp_step *own = &memory->of_step[number[root[k]]].step;
        own->systems[own->nsystems++] = step->systems[k];
    }
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        if (!is_member(link, scheme))
            continue;
        perp_step *own = &memory->of_step[number[root[link->systems[0]->place]]].step;
        own->links[own->nlinks++] = link;
    }
}

/* Each has the memory that its first system had in the last step, where no other one has it: what
 * was found of a robot's joints is of use again. */
static int take_memory(perp_dg_memory *memory, perp_stepper *stepper)
{
    for (int k = 0; k < memory->nmade; k++)
        memory->made[k]->taken = 0;
    for (int c = 0; c < memory->count; c++) {
        const perp_step *own = &memory->of_step[c].step;
        int before = own->nsystems > 0 ? own->systems[0]->cluster : 0;
        int is_free = before < memory->nmade && !memory->made[before]->taken;
        memory->of_step[c].cluster = is_free ? before : -1;
        if (is_free)
            memory->made[before]->taken = 1;
    }
    for (int c = 0, next = 0; c < memory->count; c++) {
        perp_dg_share *share = &memory->of_step[c];
        if (share->cluster < 0) {
            while (next < memory->nmade && memory->made[next]->taken)
                next++;
            if (next == memory->nmade && !make_cluster(memory, stepper))
                return 0;
            memory->made[next]->taken = 1;
            share->cluster = next;
        }
        share->dg = &memory->made[share->cluster]->dg;
        for (int k = 0; k < share->step.nsystems; k++)
            share->step.systems[k]->cluster = share->cluster;
    }
    return 1;
}

/* Lists of the clusters; 0: no memory. */
static int list_clusters(perp_dg_memory *memory, perp_step *step, int scheme, int whole)
{
    int n = step->nsystems;
    if (!GROW(memory, work, capacity_work, 2 * n))
        return 0;
    int *root = memory->work, *number = memory->work + n;
    memory->count = 1;
    if (!whole) {
        find_roots(step, scheme, root);
        memory->count = number_islands(step, scheme, root, number);
    }
    if (!GROW(memory, of_step, capacity_of_step, memory->count))
        return 0;
    if (memory->count > 1) {
        if (!GROW(memory, systems, capacity_systems, n) ||
            !GROW(memory, links, capacity_links, step->nlinks))
            return 0;
        sort_members(memory, step, scheme, root, number);
    } else {
        memory->of_step[0].step = *step;
    }
    return take_memory(memory, step->stepper);
}

/* A follower sees all systems in one problem, and so do other processes. */
static int is_whole(const perp_step *step)
{
    return step->stepper->follower.part != NULL || perp_step_is_part(step);
}

int perp_dg_find_clusters(perp_dg_memory *memory, perp_step *step, int scheme)
{
    int whole = is_whole(step);
    int same = memory->version == step->stepper->listed && memory->scheme == scheme &&
               memory->whole == whole;
    memory->version = 0;
    if (!same && !list_clusters(memory, step, scheme, whole))
        return 0;
    memory->version = step->stepper->listed;
    memory->scheme = scheme;
    memory->whole = whole;
    for (int c = 0; c < memory->count; c++) {
        perp_step *own = &memory->of_step[c].step, lists = *own;
        *own = *step;
        if (memory->count == 1)
            continue;
        own->systems = lists.systems;
        own->nsystems = lists.nsystems;
        own->links = lists.links;
        own->nlinks = lists.nlinks;
    }
    return 1;
}

void perp_dg_forget_memory(perp_dg_memory *memory)
{
    memory->version = 0;
    for (int k = 0; k < memory->nmade; k++) {
        perp_dg *dg = &memory->made[k]->dg;
        perp_one_step *own[] = {&dg->smooth, &dg->impact, &dg->expansion, &dg->slip,
                                &dg->overlap.one};
        for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
            perp_one_step_forget(own[i]);
        perp_projection_forget(dg->projection);
        perp_saddle_free(&dg->saddle);
        perp_saddle_free(&dg->moving);
        dg->ranked = 0;
        dg->redundant = 0;
    }
}

/* Which cluster each system was in. */
static void walk_members(perp_walk *w, perp_stepper *stepper, int scheme, int count)
{
    for (int k = 0; k < stepper->nsystems && !w->failed; k++) {
        perp_system *s = stepper->systems[k];
        int cluster = s->cluster;
        if (stepper->integrators[s->scheme] != stepper->integrators[scheme])
            continue;
        perp_walk_peek(w, &cluster, sizeof cluster);
        w->failed |= cluster < 0 || (count > 0 && cluster >= count);
        perp_walk_bytes(w, &cluster, sizeof cluster);
        if (w->mode == PERP_WALK_READ && !w->failed)
            s->cluster = cluster;
    }
}

void perp_dg_walk(perp_walk *w, perp_stepper *stepper, int scheme)
{
    perp_dg_memory *memory =
        perp_stepper_memory(stepper, scheme, w->mode == PERP_WALK_READ ? sizeof *memory : 0);
    int count = w->mode < PERP_WALK_CHECK && memory ? memory->nmade : 0;
    perp_walk_peek(w, &count, sizeof count);
    perp_walk_bytes(w, &count, sizeof count);
    w->failed |= count < 0 || count > MOST_CLUSTERS + 1 || (w->mode == PERP_WALK_READ && !memory);
    if (w->mode == PERP_WALK_READ && memory)
        memory->pool = &stepper->pool;
    for (int k = 0; k < count && !w->failed; k++) {
        int reads = w->mode == PERP_WALK_READ;
        if (reads && k == memory->nmade && !make_cluster(memory, stepper)) {
            w->failed = 1;
            return;
        }
        perp_dg *dg = w->mode == PERP_WALK_CHECK ? NULL : &memory->made[k]->dg;
        int known[2] = {dg && dg->ranked > 0 &&
                            dg->ranked == dg->saddle.pattern + (dg->saddle.learned != NULL),
                        dg && dg->redundant};
        perp_walk_bytes(w, known, sizeof known);
        perp_saddle_walk(w, dg ? &dg->saddle : NULL, &stepper->pool);
        perp_saddle_walk(w, dg ? &dg->moving : NULL, &stepper->pool);
        if (reads && !w->failed) {
            dg->ranked = known[0] ? dg->saddle.pattern + 1 : 0;
            dg->redundant = known[1] != 0;
        }
    }
    walk_members(w, stepper, scheme, count);
}

static void release_dg(perp_dg *dg, perp_pool *pool)
{
    perp_one_step_free(&dg->smooth);
    perp_one_step_free(&dg->impact);
    perp_one_step_free(&dg->expansion);
    perp_one_step_free(&dg->slip);
    perp_one_step_free(&dg->overlap.one);
    perp_saddle_half_free(&dg->overlap.half);
    perp_link_groups_free(&dg->overlap.groups);
    perp_saddle_free(&dg->saddle);
    perp_saddle_free(&dg->moving);
    perp_projection_free(dg->projection);
    void *blocks[] = {dg->systems,       dg->tied,
                      dg->joints,        dg->links,
                      dg->gap,           dg->stiffness,
                      dg->flights,       dg->saddle_x,
                      dg->multipliers,   dg->stiffness_block,
                      dg->history.block, dg->flight_block,
                      dg->stage.systems, dg->stage.links,
                      dg->stage.first,   dg->stage.contact,
                      dg->stage.ring,    dg->stage.waiting,
                      dg->stage.waits,   dg->stage.number,
                      dg->stage.bits,    dg->when,
                      dg->stuck,         dg->hits,
                      dg->hit_block,     dg->lanczos,
                      dg->islands,       dg->island_root,
                      dg->compression,   dg->slipping,
                      dg->slip_bound,    dg->overlap.row,
                      dg->overlap.W,     dg->overlap.solved,
                      dg->overlap.z,     dg->overlap.w,
                      dg->overlap.link,  dg->overlap.listed,
                      dg->overlap.best,  dg->giving,
                      dg->wedged};
    for (size_t k = 0; k < sizeof blocks / sizeof blocks[0]; k++)
        perp_pool_give(pool, blocks[k]);
}

void perp_dg_release_memory(perp_dg_memory *memory, perp_pool *pool)
{
    perp_trial_release(&memory->trial, pool);
    for (int k = 0; k < memory->nmade; k++) {
        release_dg(&memory->made[k]->dg, pool);
        perp_pool_give(pool, memory->made[k]);
    }
    void *lists[] = {memory->of_step, memory->made, memory->systems, memory->links, memory->work};
    for (size_t k = 0; k < sizeof lists / sizeof lists[0]; k++)
        perp_pool_give(pool, lists[k]);
}
