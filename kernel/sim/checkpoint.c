/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a simulation as bytes.  One walk over the state serves to measure, write,
 * check and read: a field is named once.  A checksum in front tells bytes that were damaged. */
#include <stdint.h>
#include <string.h>

#include "kernel/integrators/generalized_alpha.h"
#include "kernel/sim/sim_inside.h"

typedef enum walk_mode { WALK_MEASURE, WALK_WRITE, WALK_CHECK, WALK_READ } walk_mode;

typedef struct walk {
    walk_mode mode;
    unsigned char *at;
    size_t bytes, room; /* done so far; of the buffer */
    int failed;
} walk;

static const uint64_t magic = UINT64_C(0x33306d6973707265); /* "erpsim03" */

typedef struct head {
    uint64_t magic, bytes, sum; /* bytes and FNV-1a sum of what follows */
} head;

static uint64_t checksum(const unsigned char *at, size_t bytes)
{
    uint64_t sum = UINT64_C(14695981039346656037);
    for (size_t k = 0; k < bytes; k++)
        sum = (sum ^ at[k]) * UINT64_C(1099511628211);
    return sum;
}

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

static void visit_doubles(walk *w, double *x, int count)
{
    if (x)
        visit(w, x, sizeof(double) * (size_t)count);
}

/* What the file holds here, to be looked at before anything is read. */
static void peek(const walk *w, void *data, size_t bytes)
{
    if (w->mode >= WALK_CHECK && !w->failed && bytes <= w->room - w->bytes)
        memcpy(data, w->at + w->bytes, bytes);
}

/* A number that must be the same in the file and here. */
static void expect(walk *w, uint64_t value)
{
    uint64_t stored = value;
    peek(w, &stored, sizeof stored);
    w->failed |= stored != value;
    visit(w, &value, sizeof value);
}

static void visit_system(walk *w, perp_system *s)
{
    expect(w, (uint64_t)s->kind);
    expect(w, (uint64_t)s->nq);
    expect(w, (uint64_t)s->nz);
    visit_doubles(w, s->q[PERP_NOW], s->nq);
    visit_doubles(w, s->v[PERP_NOW], s->nv);
    visit_doubles(w, s->q[PERP_GUESS], s->nq);
    visit_doubles(w, s->v[PERP_GUESS], s->nv);
    visit_doubles(w, s->q_before, s->nq);
    visit_doubles(w, &s->h_before, 1);
    visit_doubles(w, s->p, s->nv);
    visit_doubles(w, s->p_start, s->nv);
    visit_doubles(w, s->z, s->nz);
    visit_doubles(w, s->constant, s->nv);
    if (s->kind == PERP_SYSTEM_BODY)
        visit_doubles(w, s->as.body.force, 3);
    visit(w, &s->started, sizeof s->started);
}

static void visit_law(walk *w, perp_law *law)
{
    expect(w, (uint64_t)law->kind);
    expect(w, (uint64_t)law->dim);
    visit_doubles(w, &law->e, 1);
    visit_doubles(w, &law->e_t, 1);
    visit_doubles(w, &law->mu, 1);
    visit_doubles(w, &law->lo, 1);
    visit_doubles(w, &law->hi, 1);
}

static void visit_link(walk *w, perp_link *link)
{
    expect(w, (uint64_t)link->rows);
    expect(w, (uint64_t)link->inner);
    visit_law(w, &link->law);
    visit_doubles(w, link->y, link->rows);
    visit_doubles(w, link->u, link->rows);
    visit_doubles(w, link->lambda, link->rows);
    visit_doubles(w, link->rho, link->inner);
    visit(w, link->on, (size_t)link->relations);
    visit(w, link->mode, (size_t)link->relations);
    visit_doubles(w, link->flight, 2 * link->relations);
    visit(w, &link->active, sizeof link->active);
    visit(w, &link->known, sizeof link->known);
}

/* Takes what a solver remembers into its handle. */
static void read_memory(walk *w, perp_sim *sim, const char *name, size_t bytes)
{
    perp_one_step_handle *handle = perp_one_step_handle_of(&sim->one, perp_solver_find(name));
    handle->memory = perp_pool_take(&sim->pool, bytes);
    handle->memory_bytes = bytes;
    if (handle->memory)
        visit(w, handle->memory, bytes);
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
    size_t size = 0;
    if (w->mode < WALK_CHECK && handle->memory)
        size = handle->memory_bytes;
    else if (w->mode < WALK_CHECK && handle->type && handle->solver && handle->pattern != 0 &&
             perp_solver_save(handle->solver, NULL, &size) != PERP_SOLVED)
        size = 0;
    if (size > 0)
        strncpy(name, perp_solver_name(handle->type), sizeof name - 1);
    bytes = size;
    peek(w, name, sizeof name);
    visit(w, name, sizeof name);
    peek(w, &bytes, sizeof bytes);
    visit(w, &bytes, sizeof bytes);
    w->failed |= name[sizeof name - 1] != '\0' || (bytes > 0 && !perp_solver_find(name)) ||
                 (w->mode != WALK_MEASURE && bytes > w->room - w->bytes);
    if (w->failed || bytes == 0)
        return;
    size = (size_t)bytes;
    if (w->mode == WALK_READ) {
        read_memory(w, sim, name, size);
        return;
    }
    if (w->mode == WALK_WRITE && handle->memory)
        memcpy(w->at + w->bytes, handle->memory, size);
    else if (w->mode == WALK_WRITE)
        w->failed |= perp_solver_save(handle->solver, w->at + w->bytes, &size) != PERP_SOLVED;
    w->bytes += (size_t)bytes;
}

/* An event is the same where its time is; whether it is done belongs to the state. */
static void visit_event(walk *w, perp_sim_event *event)
{
    uint64_t time;
    memcpy(&time, &event->time, sizeof time);
    expect(w, time);
    visit(w, &event->done, sizeof event->done);
}

static void visit_state(walk *w, perp_sim *sim)
{
    for (int k = 0; k < sim->nsystems && !w->failed; k++)
        visit_system(w, sim->systems[k]);
    for (int k = 0; k < sim->nlinks && !w->failed; k++)
        visit_link(w, sim->links[k]);
}

static void visit_sim(walk *w, perp_sim *sim)
{
    expect(w, (uint64_t)sim->nsystems);
    expect(w, (uint64_t)sim->nlinks);
    expect(w, (uint64_t)sim->nevents);
    for (int k = 0; k < PERP_ONE_STEP_HANDLES && !w->failed; k++)
        visit_handle(w, sim, k);
    if (w->failed)
        return;
    visit(w, &sim->t, sizeof sim->t);
    visit(w, &sim->origin, sizeof sim->origin);
    visit(w, &sim->since, sizeof sim->since);
    visit(w, &sim->options.h, sizeof sim->options.h);
    visit(w, &sim->info.step, sizeof sim->info.step);
    for (int k = 0; k < sim->nevents && !w->failed; k++)
        visit_event(w, &sim->events[k]);
    visit_doubles(w, sim->carry, PERP_CARRY);
    visit_state(w, sim);
}

/* Forgets set-ups, so that the next step makes them. */
static void fresh_handles(perp_sim *sim)
{
    for (int k = 0; k < PERP_ONE_STEP_HANDLES; k++)
        sim->one.handles[k].pattern = 0;
    sim->one.mass_pattern = 0;
}

/* Forgets what handles were given before; the next set-up begins with nothing. */
static void drop_memory(perp_sim *sim)
{
    for (int k = 0; k < PERP_ONE_STEP_HANDLES; k++) {
        perp_pool_give(&sim->pool, sim->one.handles[k].memory);
        sim->one.handles[k].memory = NULL;
    }
}

static perp_status read_sim(perp_sim *sim, unsigned char *at, size_t bytes)
{
    walk read = {.mode = WALK_READ, .at = at, .room = bytes};
    drop_memory(sim);
    perp_alpha_forget(sim->alpha);
    visit_sim(&read, sim);
    fresh_handles(sim);
    return read.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
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
    *bytes = sizeof(head) + measure.bytes;
    if (!buf)
        return PERP_SOLVED;
    if (room < *bytes)
        return PERP_ERR_ARGUMENT;
    unsigned char *rest = (unsigned char *)buf + sizeof(head);
    walk write = {.mode = WALK_WRITE, .at = rest, .room = measure.bytes};
    visit_sim(&write, sim);
    if (write.failed)
        return PERP_ERR_STATE;
    head h = {magic, measure.bytes, checksum(rest, measure.bytes)};
    memcpy(buf, &h, sizeof h);
    /* The memory goes with the handles here too. */
    return read_sim(sim, rest, measure.bytes);
}

perp_status perp_sim_load(perp_sim *sim, const void *buf, size_t bytes)
{
    head h;
    if (!sim || !buf)
        return PERP_ERR_ARGUMENT;
    perp_status status = perp_sim_prepare(sim);
    if (status != PERP_SOLVED)
        return status;
    if (bytes < sizeof h)
        return PERP_ERR_FORMAT;
    memcpy(&h, buf, sizeof h);
    unsigned char *rest = (unsigned char *)(uintptr_t)buf + sizeof h;
    bytes -= sizeof h;
    if (h.magic != magic || h.bytes != bytes || h.sum != checksum(rest, bytes))
        return PERP_ERR_FORMAT;
    walk check = {.mode = WALK_CHECK, .at = rest, .room = bytes};
    visit_sim(&check, sim);
    if (check.failed || check.bytes != bytes)
        return PERP_ERR_FORMAT;
    status = read_sim(sim, rest, bytes);
    if (status == PERP_SOLVED)
        sim->info.t = sim->t;
    return status;
}

perp_status perp_sim_keep(perp_sim *sim, perp_kept *kept)
{
    walk measure = {.mode = WALK_MEASURE};
    visit_state(&measure, sim);
    if (measure.bytes > kept->room) {
        perp_pool_give(&sim->pool, kept->bytes);
        kept->bytes = perp_pool_take(&sim->pool, measure.bytes);
        kept->room = kept->bytes ? measure.bytes : 0;
        if (!kept->bytes)
            return PERP_ERR_MEMORY;
    }
    walk write = {.mode = WALK_WRITE, .at = kept->bytes, .room = kept->room};
    visit_state(&write, sim);
    return PERP_SOLVED;
}

void perp_sim_take_back(perp_sim *sim, const perp_kept *kept)
{
    walk read = {.mode = WALK_READ, .at = kept->bytes, .room = kept->room};
    visit_state(&read, sim);
}
