/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a simulation as bytes.  One walk over the state serves to measure, write,
 * check and read: a field is named once.  A checksum in front tells bytes that were damaged. */
#include <stdint.h>
#include <string.h>

#include "core/float_environment.h"
#include "kernel/sim/sim_inside.h"
#include "kernel/step/snapshot.h"

static const uint64_t magic = UINT64_C(0x30316d6973707265); /* "erpsim10" */

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

/* Takes what a solver remembers into its handle, which is there though it remembers nothing. */
static void read_memory(perp_walk *w, perp_sim *sim, const char *name, size_t bytes)
{
    perp_one_step_handle *handle =
        perp_one_step_handle_of(&sim->stepper.one, perp_solver_find(name));
    if (bytes == 0)
        return;
    handle->memory = perp_pool_take(&sim->stepper.pool, bytes);
    handle->memory_bytes = bytes;
    if (handle->memory)
        perp_walk_bytes(w, handle->memory, bytes);
    else
        w->failed = 1;
}

/* Memory of the solvers, by name. */
static void visit_handle(perp_walk *w, perp_sim *sim, int k)
{
    perp_one_step_handle *handle = &sim->stepper.one.handles[k];
    char name[32] = "";
    uint64_t bytes = 0;
    size_t size = 0;
    if (w->mode < PERP_WALK_CHECK && handle->memory)
        size = handle->memory_bytes;
    else if (w->mode < PERP_WALK_CHECK && handle->type && handle->solver && handle->pattern != 0 &&
             perp_solver_save(handle->solver, NULL, &size) != PERP_SOLVED)
        size = 0;
    if (w->mode < PERP_WALK_CHECK && handle->type)
        strncpy(name, perp_solver_name(handle->type), sizeof name - 1);
    bytes = size;
    perp_walk_peek(w, name, sizeof name);
    perp_walk_bytes(w, name, sizeof name);
    perp_walk_peek(w, &bytes, sizeof bytes);
    perp_walk_bytes(w, &bytes, sizeof bytes);
    int named = name[0] != '\0';
    w->failed |= name[sizeof name - 1] != '\0' || (bytes > 0 && !named) ||
                 (w->mode != PERP_WALK_MEASURE && bytes > w->capacity - w->bytes);
    w->failed = w->failed || (named && !perp_solver_find(name));
    if (w->failed || !named)
        return;
    size = (size_t)bytes;
    if (w->mode == PERP_WALK_READ) {
        read_memory(w, sim, name, size);
        return;
    }
    if (w->mode == PERP_WALK_WRITE && handle->memory)
        memcpy(w->at + w->bytes, handle->memory, size);
    else if (w->mode == PERP_WALK_WRITE && size > 0)
        w->failed |= perp_solver_save(handle->solver, w->at + w->bytes, &size) != PERP_SOLVED;
    w->bytes += (size_t)bytes;
}

/* An event is the same where its time is; whether it is done belongs to the state. */
static void visit_event(perp_walk *w, perp_sim_event *event)
{
    uint64_t time;
    memcpy(&time, &event->time, sizeof time);
    perp_walk_expect(w, time);
    perp_walk_bytes(w, &event->done, sizeof event->done);
}

static void visit_sim(perp_walk *w, perp_sim *sim)
{
    const perp_model *model = sim->stepper.model;
    int systems =
        sim->stepper.all ? model->alive_systems - model->prescribed : sim->stepper.nsystems;
    perp_walk_expect(w, (uint64_t)systems);
    perp_walk_expect(w, (uint64_t)sim->stepper.nlinks);
    perp_walk_expect(w, (uint64_t)sim->nevents);
    perp_walk_expect(w, (uint64_t)sim->nsamplers);
    for (int k = 0; k < PERP_ONE_STEP_HANDLES && !w->failed; k++)
        visit_handle(w, sim, k);
    if (w->failed)
        return;
    perp_walk_bytes(w, &sim->t, sizeof sim->t);
    perp_walk_bytes(w, &sim->origin, sizeof sim->origin);
    perp_walk_bytes(w, &sim->since, sizeof sim->since);
    perp_walk_bytes(w, &sim->stepper.options.h, sizeof sim->stepper.options.h);
    perp_walk_bytes(w, &sim->stepper.info.step, sizeof sim->stepper.info.step);
    perp_walk_bytes(w, &sim->stepper.info.unsolved, sizeof sim->stepper.info.unsolved);
    perp_walk_bytes(w, &sim->stepper.info.infeasible, sizeof sim->stepper.info.infeasible);
    for (int k = 0; k < sim->nevents && !w->failed; k++)
        visit_event(w, &sim->events[k]);
    for (int k = 0; k < sim->nsamplers && !w->failed; k++)
        perp_walk_bytes(w, &sim->samplers[k].taken, sizeof sim->samplers[k].taken);
    perp_walk_doubles(w, sim->stepper.carry, PERP_CARRY);
    perp_walk_doubles(w, &sim->stepper.rest.h, 1);
    perp_walk_state(w, &sim->stepper);
    perp_stepper_walk(w, &sim->stepper);
}

static perp_status read_sim(perp_sim *sim, unsigned char *at, size_t bytes)
{
    perp_walk read = {.mode = PERP_WALK_READ, .at = at, .capacity = bytes};
    sim->reactions.step = 0;
    perp_stepper_forget(&sim->stepper);
    visit_sim(&read, sim);
    perp_rest_restore(&sim->stepper);
    return read.failed ? PERP_ERR_MEMORY : PERP_SOLVED;
}

/* A checkpoint holds the whole model, whatever part of it is here. */
perp_status perp_sim_list_all(perp_sim *sim, int all)
{
    if (!sim->stepper.parts.total)
        return all ? perp_sim_prepare(sim) : PERP_SOLVED;
    sim->stepper.all = all;
    sim->stepper.version = 0;
    return all ? perp_sim_prepare(sim) : PERP_SOLVED;
}

static perp_status save(perp_sim *sim, void *buf, size_t *bytes)
{
    perp_status status = perp_sim_list_all(sim, 1);
    if (status != PERP_SOLVED)
        return status;
    perp_walk measure = {.mode = PERP_WALK_MEASURE};
    visit_sim(&measure, sim);
    size_t capacity = *bytes;
    *bytes = sizeof(head) + measure.bytes;
    if (!buf)
        return PERP_SOLVED;
    if (capacity < *bytes)
        return PERP_ERR_ARGUMENT;
    unsigned char *rest = (unsigned char *)buf + sizeof(head);
    perp_walk write = {.mode = PERP_WALK_WRITE, .at = rest, .capacity = measure.bytes};
    visit_sim(&write, sim);
    if (write.failed)
        return PERP_ERR_STATE;
    head h = {magic, measure.bytes, checksum(rest, measure.bytes)};
    memcpy(buf, &h, sizeof h);
    return PERP_SOLVED;
}

perp_status perp_sim_save(perp_sim *sim, void *buf, size_t *bytes)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim || !bytes)
        return PERP_ERR_ARGUMENT;
    if (!perp_sim_has_model(sim))
        return PERP_ERR_STATE;
    perp_status status = save(sim, buf, bytes);
    (void)perp_sim_list_all(sim, 0);
    return status;
}

static perp_status load(perp_sim *sim, const void *buf, size_t bytes)
{
    head h;
    perp_status status = perp_sim_list_all(sim, 1);
    if (status != PERP_SOLVED)
        return status;
    if (bytes < sizeof h)
        return PERP_ERR_FORMAT;
    memcpy(&h, buf, sizeof h);
    unsigned char *rest = (unsigned char *)(uintptr_t)buf + sizeof h;
    bytes -= sizeof h;
    if (h.magic != magic || h.bytes != bytes || h.sum != checksum(rest, bytes))
        return PERP_ERR_FORMAT;
    perp_walk check = {.mode = PERP_WALK_CHECK, .at = rest, .capacity = bytes};
    visit_sim(&check, sim);
    if (check.failed || check.bytes != bytes)
        return PERP_ERR_FORMAT;
    status = read_sim(sim, rest, bytes);
    if (status == PERP_SOLVED)
        sim->stepper.info.t = sim->t;
    return status;
}

perp_status perp_sim_load(perp_sim *sim, const void *buf, size_t bytes)
{
    PERP_HOLD_ENVIRONMENT();
    if (!sim || !buf)
        return PERP_ERR_ARGUMENT;
    if (!perp_sim_has_model(sim))
        return PERP_ERR_STATE;
    perp_status status = load(sim, buf, bytes);
    (void)perp_sim_list_all(sim, 0);
    return status;
}
