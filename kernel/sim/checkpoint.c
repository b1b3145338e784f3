/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a simulation as bytes.  One walk over the state serves to measure, write,
 * check and read: a field is named once. */
#include <stdint.h>
#include <string.h>

#include "kernel/sim/sim_inside.h"

typedef enum walk_mode { WALK_MEASURE, WALK_WRITE, WALK_CHECK, WALK_READ } walk_mode;

typedef struct walk {
    walk_mode mode;
    unsigned char *at;
    size_t bytes, room; /* done so far; of the buffer */
    int failed;
} walk;

static void visit(walk *w, void *data, size_t bytes)
{
    if (w->mode != WALK_MEASURE && (w->failed || bytes > w->room - w->bytes)) {
        w->failed = 1;
        return;
    }
    if (bytes > 0 && w->mode == WALK_WRITE)
        memcpy(w->at + w->bytes, data, bytes);
    else if (bytes > 0 && w->mode == WALK_READ)
        memcpy(data, w->at + w->bytes, bytes);
    w->bytes += bytes;
}

/* A number that steers the walk: read by a check too. */
static void visit_local(walk *w, void *data, size_t bytes)
{
    size_t at = w->bytes;
    visit(w, data, bytes);
    if (w->mode == WALK_CHECK && !w->failed)
        memcpy(data, w->at + at, bytes);
}

static int reads(const walk *w)
{
    return w->mode == WALK_CHECK || w->mode == WALK_READ;
}

static void visit_doubles(walk *w, double *x, int count)
{
    if (x)
        visit(w, x, sizeof(double) * (size_t)count);
}

/* A number that must be the same in the file and here. */
static void expect(walk *w, uint64_t value)
{
    uint64_t stored = value;
    visit_local(w, &stored, sizeof stored);
    w->failed |= stored != value;
}

static void visit_system(walk *w, perp_system *s)
{
    expect(w, (uint64_t)s->kind);
    expect(w, (uint64_t)s->nq);
    visit_doubles(w, s->q[PERP_NOW], s->nq);
    visit_doubles(w, s->v[PERP_NOW], s->nv);
    visit_doubles(w, s->q[PERP_GUESS], s->nq);
    visit_doubles(w, s->v[PERP_GUESS], s->nv);
    visit_doubles(w, s->q_before, s->nq);
    visit_doubles(w, &s->h_before, 1);
    visit_doubles(w, s->p, s->nv);
    visit_doubles(w, s->p_start, s->nv);
    visit_doubles(w, s->z, s->nz);
    visit(w, &s->started, sizeof s->started);
}

static void visit_link(walk *w, perp_link *link)
{
    expect(w, (uint64_t)link->rows);
    visit_doubles(w, link->y, link->rows);
    visit_doubles(w, link->u, link->rows);
    visit_doubles(w, link->lambda, link->rows);
    visit_doubles(w, link->rho, link->inner);
    visit(w, link->on, (size_t)link->relations);
    visit(w, &link->active, sizeof link->active);
    visit(w, &link->known, sizeof link->known);
}

static void read_memory(walk *w, perp_sim *sim, const perp_solver_type *type, uint64_t bytes)
{
    if (!type || bytes > w->room - w->bytes) {
        w->failed = 1;
        return;
    }
    if (w->mode == WALK_CHECK) {
        w->bytes += (size_t)bytes;
        return;
    }
    perp_one_step_handle *handle = perp_one_step_handle_of(&sim->one, type);
    perp_pool_give(&sim->pool, handle->memory);
    handle->memory = perp_pool_take(&sim->pool, (size_t)bytes);
    handle->memory_bytes = (size_t)bytes;
    if (handle->memory)
        visit(w, handle->memory, (size_t)bytes);
    else
        w->failed = 1;
}

/* Memory of the solvers, by name; both the run that is saved and the one that is loaded set
 * up anew, so that factors of older matrices play no part. */
static void visit_handle(walk *w, perp_sim *sim, int k)
{
    perp_one_step_handle *handle = &sim->one.handles[k];
    char name[32] = "";
    uint64_t bytes = 0;
    int waiting = !reads(w) && handle->memory; /* for the next set-up */
    int ready = handle->type && handle->solver && handle->pattern != 0;
    if (!reads(w) && (waiting || ready)) {
        size_t size = waiting ? handle->memory_bytes : 0;
        strncpy(name, perp_solver_name(handle->type), sizeof name - 1);
        if (waiting || perp_solver_save(handle->solver, NULL, &size) == PERP_SOLVED)
            bytes = size;
    }
    visit_local(w, name, sizeof name);
    visit_local(w, &bytes, sizeof bytes);
    name[sizeof name - 1] = '\0';
    if (w->failed || bytes == 0)
        return;
    if (waiting) {
        visit(w, handle->memory, (size_t)bytes);
        return;
    }
    if (reads(w)) {
        read_memory(w, sim, perp_solver_find(name), bytes);
        return;
    }
    size_t size = (size_t)bytes;
    if (w->mode == WALK_WRITE && size <= w->room - w->bytes)
        w->failed |= perp_solver_save(handle->solver, w->at + w->bytes, &size) != PERP_SOLVED;
    w->bytes += size;
}

static void visit_states(walk *w, perp_sim *sim)
{
    for (int k = 0; k < sim->nsystems && !w->failed; k++)
        visit_system(w, sim->systems[k]);
    for (int k = 0; k < sim->nlinks && !w->failed; k++)
        visit_link(w, sim->links[k]);
}

/* Which events were called, in the order in which they were scheduled. */
static void visit_events(walk *w, perp_sim *sim)
{
    uint64_t count = (uint64_t)sim->nevents;
    visit_local(w, &count, sizeof count);
    for (uint64_t k = 0; k < count && !w->failed; k++) {
        perp_sim_event *event = k < (uint64_t)sim->nevents ? &sim->events[k] : NULL;
        int done = event && event->done;
        visit_local(w, &done, sizeof done);
        if (event && w->mode == WALK_READ)
            event->done = done;
    }
}

static void visit_sim(walk *w, perp_sim *sim)
{
    expect(w, UINT64_C(0x31306d6973707265)); /* "erpsim01" */
    expect(w, (uint64_t)sim->nsystems);
    expect(w, (uint64_t)sim->nlinks);
    if (w->failed)
        return;
    visit(w, &sim->t, sizeof sim->t);
    visit(w, &sim->origin, sizeof sim->origin);
    visit(w, &sim->since, sizeof sim->since);
    visit(w, &sim->options.h, sizeof sim->options.h);
    visit(w, &sim->info.step, sizeof sim->info.step);
    visit_states(w, sim);
    visit_events(w, sim);
    for (int k = 0; k < PERP_ONE_STEP_HANDLES && !w->failed; k++)
        visit_handle(w, sim, k);
}

perp_status perp_sim_keep(perp_sim *sim)
{
    walk measure = {.mode = WALK_MEASURE};
    visit_states(&measure, sim);
    if (measure.bytes > sim->room_kept) {
        perp_pool_give(&sim->pool, sim->kept);
        sim->kept = perp_pool_take(&sim->pool, measure.bytes);
        sim->room_kept = sim->kept ? measure.bytes : 0;
        if (!sim->kept)
            return PERP_ERR_MEMORY;
    }
    walk write = {.mode = WALK_WRITE, .at = sim->kept, .room = sim->room_kept};
    visit_states(&write, sim);
    return PERP_SOLVED;
}

void perp_sim_take_back(perp_sim *sim)
{
    walk read = {.mode = WALK_READ, .at = sim->kept, .room = sim->room_kept};
    visit_states(&read, sim);
}

/* Drops what waits for the next set-up of each solver. */
static void forget_memory(perp_sim *sim)
{
    for (int k = 0; k < PERP_ONE_STEP_HANDLES; k++) {
        perp_pool_give(&sim->pool, sim->one.handles[k].memory);
        sim->one.handles[k].memory = NULL;
    }
}

/* Forgets set-ups, so that the next step makes them. */
static void fresh_handles(perp_sim *sim)
{
    for (int k = 0; k < PERP_ONE_STEP_HANDLES; k++)
        sim->one.handles[k].pattern = 0;
}

perp_status perp_sim_save(perp_sim *sim, void *buf, size_t *bytes)
{
    if (!sim || !bytes)
        return PERP_ERR_ARGUMENT;
    perp_status status = perp_sim_prepare(sim);
    if (status != PERP_SOLVED)
        return status;
    walk measure = {.mode = WALK_MEASURE};
    visit_sim(&measure, sim);
    size_t room = *bytes;
    *bytes = measure.bytes;
    if (!buf)
        return PERP_SOLVED;
    if (room < measure.bytes)
        return PERP_ERR_ARGUMENT;
    walk write = {.mode = WALK_WRITE, .at = buf, .room = room};
    visit_sim(&write, sim);
    if (write.failed)
        return PERP_ERR_STATE;
    /* The memory goes with the handles here too. */
    forget_memory(sim);
    walk read = {.mode = WALK_READ, .at = buf, .room = measure.bytes};
    visit_sim(&read, sim);
    fresh_handles(sim);
    return read.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

perp_status perp_sim_load(perp_sim *sim, const void *buf, size_t bytes)
{
    if (!sim || !buf)
        return PERP_ERR_ARGUMENT;
    perp_status status = perp_sim_prepare(sim);
    if (status != PERP_SOLVED)
        return status;
    walk check = {.mode = WALK_CHECK, .at = (unsigned char *)(uintptr_t)buf, .room = bytes};
    visit_sim(&check, sim);
    if (check.failed)
        return PERP_ERR_FORMAT;
    forget_memory(sim);
    walk read = {.mode = WALK_READ, .at = (unsigned char *)(uintptr_t)buf, .room = bytes};
    visit_sim(&read, sim);
    fresh_handles(sim);
    sim->info.t = sim->t;
    return read.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}
