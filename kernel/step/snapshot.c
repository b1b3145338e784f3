/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/step/snapshot.h"

#include <string.h>

#include "kernel/model/away.h"
#include "kernel/model/model_inside.h"

void perp_walk_bytes(perp_walk *w, void *data, size_t bytes)
{
    if (w->mode != PERP_WALK_MEASURE && (w->failed || bytes > w->capacity - w->bytes)) {
        w->failed = 1;
        return;
    }
    if (bytes > 0 && w->mode == PERP_WALK_WRITE)
        memcpy(w->at + w->bytes, data, bytes);
    else if (bytes > 0 && w->mode == PERP_WALK_READ)
        memcpy(data, w->at + w->bytes, bytes);
    w->bytes += bytes;
}

void perp_walk_doubles(perp_walk *w, double *x, int count)
{
    if (x)
        perp_walk_bytes(w, x, sizeof(double) * (size_t)count);
}

/* What the file holds here, to be looked at before anything is read. */
void perp_walk_peek(const perp_walk *w, void *data, size_t bytes)
{
    if (w->mode >= PERP_WALK_CHECK && !w->failed && bytes <= w->capacity - w->bytes)
        memcpy(data, w->at + w->bytes, bytes);
}

/* A number that must be the same in the file and here. */
void perp_walk_expect(perp_walk *w, uint64_t value)
{
    uint64_t stored = value;
    perp_walk_peek(w, &stored, sizeof stored);
    w->failed |= stored != value;
    perp_walk_bytes(w, &value, sizeof value);
}

static void visit_system(perp_walk *w, perp_system *s)
{
    perp_walk_expect(w, (uint64_t)s->kind);
    perp_walk_expect(w, (uint64_t)s->nq);
    perp_walk_expect(w, (uint64_t)s->nz);
    perp_walk_doubles(w, s->q[PERP_NOW], s->nq);
    perp_walk_doubles(w, s->v[PERP_NOW], s->nv);
    perp_walk_doubles(w, s->q[PERP_GUESS], s->nq);
    perp_walk_doubles(w, s->v[PERP_GUESS], s->nv);
    perp_walk_doubles(w, s->q_kept, s->nq);
    perp_walk_doubles(w, &s->h_kept, 1);
    perp_walk_doubles(w, s->p, s->nv);
    perp_walk_doubles(w, s->v_kept, s->nv);
    perp_walk_doubles(w, s->z, s->nz);
    perp_walk_doubles(w, s->constant, s->nv);
    if (s->kind == PERP_SYSTEM_BODY)
        perp_walk_doubles(w, s->as.body.force, 3);
    perp_walk_bytes(w, &s->started, sizeof s->started);
    perp_walk_bytes(w, &s->quiet, sizeof s->quiet);
    perp_walk_bytes(w, &s->stressed, sizeof s->stressed);
    perp_walk_bytes(w, &s->resting, sizeof s->resting);
    perp_walk_doubles(w, &s->unbalanced, 1);
    perp_walk_doubles(w, &s->ledger.scale, 1);
    perp_walk_doubles(w, &s->ledger.turning, 1);
    perp_walk_doubles(w, &s->ledger.size, 1);
}

static void visit_law(perp_walk *w, perp_law *law)
{
    perp_walk_expect(w, (uint64_t)law->kind);
    perp_walk_expect(w, (uint64_t)law->dim);
    perp_walk_doubles(w, &law->e, 1);
    perp_walk_doubles(w, &law->e_t, 1);
    perp_walk_doubles(w, &law->mu, 1);
    perp_walk_doubles(w, &law->lo, 1);
    perp_walk_doubles(w, &law->hi, 1);
    perp_walk_expect(w, (uint64_t)law->drive);
    perp_walk_doubles(w, &law->rate, 1);
    perp_walk_doubles(w, &law->target, 1);
    perp_walk_doubles(w, &law->stiffness, 1);
    perp_walk_doubles(w, &law->damping, 1);
    perp_walk_doubles(w, &law->acceleration, 1);
    perp_walk_doubles(w, &law->place, 1);
    perp_walk_doubles(w, &law->relative_compliance, 1);
}

void perp_walk_link(perp_walk *w, perp_link *link)
{
    perp_walk_expect(w, (uint64_t)link->rows);
    perp_walk_expect(w, (uint64_t)link->inner);
    visit_law(w, &link->law);
    perp_walk_doubles(w, link->y, link->rows);
    perp_walk_doubles(w, link->u, link->rows);
    perp_walk_doubles(w, link->lambda, link->rows);
    perp_walk_doubles(w, link->smooth, link->second_order ? link->rows : 0);
    perp_walk_doubles(w, link->rho, link->inner);
    perp_walk_bytes(w, link->on, (size_t)link->relations);
    perp_walk_bytes(w, link->mode, (size_t)link->relations);
    perp_walk_doubles(w, link->flight, 2 * link->relations);
    perp_walk_doubles(w, &link->reach, 1);
    if (link->joint)
        perp_walk_doubles(w, &link->branch, 1);
    for (int k = 0; perp_coupling_part(link, k); k++)
        perp_walk_doubles(w, &perp_coupling_part(link, k)->branch, 1);
    perp_walk_bytes(w, &link->active, sizeof link->active);
    perp_walk_bytes(w, &link->known, sizeof link->known);
}

static void visit_away(perp_walk *w, perp_away *away)
{
    double memory[PERP_AWAY_MEMORY];
    perp_system s;
    perp_away_show(&s, memory, away);
    visit_system(w, &s);
    if (w->mode == PERP_WALK_READ)
        perp_away_take(away, &s);
}

/* Of a whole model those that are away, too, in the order of their slots. */
static void visit_all(perp_walk *w, const perp_model *model)
{
    for (int k = 0; k < model->nsystems && !w->failed; k++) {
        const perp_system_slot *slot = &model->systems[k];
        if (slot->system && !perp_system_is_prescribed(slot->system))
            visit_system(w, slot->system);
        else if (slot->away)
            visit_away(w, slot->away);
    }
}

void perp_walk_state(perp_walk *w, perp_stepper *stepper)
{
    if (stepper->all)
        visit_all(w, stepper->model);
    for (int k = 0; !stepper->all && k < stepper->nsystems && !w->failed; k++)
        visit_system(w, stepper->systems[k]);
    for (int k = 0; k < stepper->nlinks && !w->failed; k++)
        perp_walk_link(w, stepper->links[k]);
    perp_walk_bytes(w, &stepper->certificate.sums, sizeof stepper->certificate.sums);
}

void perp_stepper_walk(perp_walk *w, perp_stepper *stepper)
{
    for (int k = 0; k < stepper->nschemes && !w->failed; k++) {
        const perp_integrator *integrator = stepper->integrators[k];
        int first = 0; /* of the schemes that share the memory */
        while (stepper->integrators[first] != integrator)
            first++;
        unsigned char held = integrator->walk && first == k && !stepper->parts.total &&
                             perp_stepper_memory(stepper, k, 0) != NULL;
        perp_walk_peek(w, &held, sizeof held);
        perp_walk_bytes(w, &held, sizeof held);
        w->failed |= held && !integrator->walk;
        if (held && !w->failed)
            integrator->walk(w, stepper, k);
    }
}

/* What a step changes: of its own systems and interactions alone, or of all. */
static void walk_step(perp_walk *w, perp_step *step, int own)
{
    if (!own) {
        perp_walk_state(w, step->stepper);
        return;
    }
    for (int k = 0; k < step->nsystems && !w->failed; k++)
        visit_system(w, step->systems[k]);
    for (int k = 0; k < step->nlinks && !w->failed; k++)
        perp_walk_link(w, step->links[k]);
    perp_walk_bytes(w, &step->stepper->certificate.sums, sizeof step->stepper->certificate.sums);
}

static perp_status keep(perp_step *step, perp_kept *kept, int own)
{
    perp_walk again = {.mode = PERP_WALK_WRITE, .at = kept->bytes, .capacity = kept->capacity};
    walk_step(&again, step, own); /* it mostly fits where that of the last step lay */
    if (!again.failed)
        return PERP_SOLVED;
    perp_walk measure = {.mode = PERP_WALK_MEASURE};
    walk_step(&measure, step, own);
    if (measure.bytes > kept->capacity) {
        perp_pool_give(&step->stepper->pool, kept->bytes);
        kept->bytes = perp_pool_take(&step->stepper->pool, measure.bytes);
        kept->capacity = kept->bytes ? measure.bytes : 0;
        if (!kept->bytes)
            return PERP_ERR_MEMORY;
    }
    perp_walk write = {.mode = PERP_WALK_WRITE, .at = kept->bytes, .capacity = kept->capacity};
    walk_step(&write, step, own);
    return PERP_SOLVED;
}

static void take_back(perp_step *step, const perp_kept *kept, int own)
{
    perp_walk read = {.mode = PERP_WALK_READ, .at = kept->bytes, .capacity = kept->capacity};
    walk_step(&read, step, own);
}

perp_status perp_step_keep(perp_step *step, perp_kept *kept)
{
    return keep(step, kept, 0);
}

void perp_step_take_back(perp_step *step, const perp_kept *kept)
{
    take_back(step, kept, 0);
}

perp_status perp_step_keep_own(perp_step *step, perp_kept *kept)
{
    return keep(step, kept, 1);
}

void perp_step_take_back_own(perp_step *step, const perp_kept *kept)
{
    take_back(step, kept, 1);
}
