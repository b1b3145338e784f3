/* SPDX-License-Identifier: BSD-3-Clause */
/* The gradient through many steps in the memory of few: the motion is made once with a checkpoint
 * every sqrt(N) steps, and a second time in parts, from the last to the first. */
#include <math.h>
#include <string.h>

#include "core/float_environment.h"
#include "core/sized.h"
#include "kernel/derivative/product.h"

typedef struct run {
    perp_tape *tape;
    perp_sim *sim;
    long steps, part; /* all steps; of one part */
    int parts, dofs, numbers;
    unsigned char **saved; /* parts + 1: contacts, then the simulation */
    size_t *bytes, *of_contacts;
    double *ends;  /* parts * numbers: states at the ends of the parts */
    double *state; /* numbers */
    double *bars;  /* 2 dofs, then parameters, then the path of q and of v */
    perp_tape_cotangent_fn cotangent;
    void *ctx;
} run;

static void *take(run *r, size_t count, size_t size)
{
    return perp_pool_take_array(&r->tape->pool, count, size);
}

static void give(run *r)
{
    perp_pool *pool = &r->tape->pool;
    for (int p = 0; r->saved && p <= r->parts; p++)
        perp_pool_give(pool, r->saved[p]);
    perp_pool_give(pool, r->saved);
    perp_pool_give(pool, r->bytes);
    perp_pool_give(pool, r->of_contacts);
    perp_pool_give(pool, r->ends);
    perp_pool_give(pool, r->state);
    perp_pool_give(pool, r->bars);
}

static perp_status lay_out(run *r)
{
    const perp_stepper *stepper = &r->sim->stepper;
    perp_status status = perp_sim_check(r->sim);
    if (status != PERP_SOLVED)
        return status;
    for (int k = 0; k < stepper->nsystems; k++) {
        r->dofs += stepper->systems[k]->nv;
        r->numbers += stepper->systems[k]->nq + stepper->systems[k]->nv;
    }
    r->part = (long)ceil(sqrt((double)r->steps));
    r->parts = (int)((r->steps + r->part - 1) / r->part);
    size_t parts = (size_t)r->parts, numbers = (size_t)r->numbers, dofs = (size_t)r->dofs;
    r->saved = take(r, parts + 1, sizeof *r->saved);
    r->bytes = take(r, parts + 1, sizeof *r->bytes);
    r->of_contacts = take(r, parts + 1, sizeof *r->of_contacts);
    r->ends = take(r, parts * numbers + 1, sizeof *r->ends);
    r->state = take(r, numbers + 1, sizeof *r->state);
    r->bars =
        take(r, 2 * dofs + (size_t)r->tape->nparameters + 2 * dofs * (size_t)(r->part + 1) + 1,
             sizeof *r->bars);
    return r->saved && r->bytes && r->of_contacts && r->ends && r->state && r->bars
               ? PERP_SOLVED
               : PERP_ERR_MEMORY;
}

static void read_state(const run *r, double *out)
{
    const perp_stepper *stepper = &r->sim->stepper;
    for (int k = 0; k < stepper->nsystems; k++) {
        const perp_system *s = stepper->systems[k];
        memcpy(out, s->q[PERP_NOW], sizeof(double) * (size_t)s->nq);
        out += s->nq;
        if (s->v[PERP_NOW])
            memcpy(out, s->v[PERP_NOW], sizeof(double) * (size_t)s->nv);
        out += s->nv;
    }
}

static perp_status save(run *r, int p)
{
    perp_collider *collider = r->tape->collider;
    size_t sim = 0, *contacts = &r->of_contacts[p];
    perp_status status = collider ? perp_collider_save(collider, NULL, contacts) : PERP_SOLVED;
    if (status == PERP_SOLVED)
        status = perp_sim_save(r->sim, NULL, &sim);
    if (status != PERP_SOLVED)
        return status;
    r->bytes[p] = *contacts + sim;
    r->saved[p] = take(r, r->bytes[p], 1);
    if (!r->saved[p])
        return PERP_ERR_MEMORY;
    if (collider)
        status = perp_collider_save(collider, r->saved[p], contacts);
    return status == PERP_SOLVED ? perp_sim_save(r->sim, r->saved[p] + *contacts, &sim) : status;
}

/* Contacts first: they are interactions of the model. */
static perp_status load(run *r, int p)
{
    perp_status status = PERP_SOLVED;
    size_t contacts = r->of_contacts[p];
    if (r->tape->collider)
        status = perp_collider_load(r->tape->collider, r->saved[p], contacts);
    return status == PERP_SOLVED
               ? perp_sim_load(r->sim, r->saved[p] + contacts, r->bytes[p] - contacts)
               : status;
}

static long steps_of(const run *r, int p)
{
    long left = r->steps - (long)p * r->part;
    return left < r->part ? left : r->part;
}

/* The motion with its checkpoints, not recorded. */
static perp_status first_time(run *r)
{
    perp_status status = PERP_SOLVED;
    for (int p = 0; p < r->parts && status == PERP_SOLVED; p++) {
        status = save(r, p);
        for (long k = 0; k < steps_of(r, p) && status == PERP_SOLVED; k++)
            status = perp_sim_step(r->sim);
        read_state(r, r->ends + (size_t)p * (size_t)r->numbers);
    }
    return status == PERP_SOLVED ? save(r, r->parts) : status;
}

static double *path_of(const run *r, int velocity)
{
    size_t dofs = (size_t)r->dofs;
    return r->bars + 2 * dofs + (size_t)r->tape->nparameters +
           (velocity ? dofs * (size_t)(r->part + 1) : 0);
}

static perp_status ask(run *r, int p, long instant)
{
    size_t at = (size_t)instant * (size_t)r->dofs;
    return r->cotangent(r->ctx, r->sim, (long)p * r->part + instant, path_of(r, 0) + at,
                        path_of(r, 1) + at)
               ? PERP_INTERRUPTED
               : PERP_SOLVED;
}

/* Part p again, recorded. */
static perp_status again(run *r, int p, perp_where *where)
{
    const double *end = r->ends + (size_t)p * (size_t)r->numbers;
    memset(path_of(r, 0), 0, 2 * sizeof(double) * (size_t)r->dofs * (size_t)(r->part + 1));
    perp_tape_reset(r->tape);
    perp_status status = load(r, p);
    if (status == PERP_SOLVED && p == 0)
        status = ask(r, p, 0);
    for (long k = 0; k < steps_of(r, p) && status == PERP_SOLVED; k++) {
        status = perp_sim_step(r->sim);
        if (status == PERP_SOLVED)
            status = ask(r, p, k + 1);
    }
    if (status != PERP_SOLVED)
        return status;
    read_state(r, r->state);
    if (memcmp(r->state, end, sizeof(double) * (size_t)r->numbers) != 0) {
        *where = (perp_where){"hooks", -1, p};
        return PERP_ERR_STATE;
    }
    return perp_tape_ready(r->tape);
}

static perp_status backwards(run *r, double *forces, perp_tape_report *report)
{
    size_t dofs = (size_t)r->dofs;
    perp_where where = {NULL, -1, -1};
    for (int p = r->parts - 1; p >= 0; p--) {
        perp_status status = again(r, p, &where);
        if (where.what)
            return perp_tape_end(r->tape, status, where.what, where.index,
                                 "the second run of a part differs from the first");
        if (status != PERP_SOLVED)
            return status;
        perp_tape_cotangents bars = {.count = 1,
                                     .q = r->bars,
                                     .v = r->bars + dofs,
                                     .q_path = path_of(r, 0),
                                     .v_path = path_of(r, 1),
                                     .parameters = r->bars + 2 * dofs,
                                     .forces = forces ? forces + (size_t)p * (size_t)r->part * dofs
                                                      : NULL};
        status = perp_tape_backward(r->tape, &bars, report);
        if (status < 0)
            return status;
    }
    perp_status status = load(r, r->parts);
    return status == PERP_SOLVED ? report->status : status;
}

perp_status perp_tape_gradient_of_run(perp_tape *tape, long steps, perp_tape_cotangent_fn cotangent,
                                      void *ctx, const perp_tape_gradient *of,
                                      perp_tape_report *report)
{
    PERP_HOLD_ENVIRONMENT();
    perp_tape_gradient own = {.size = sizeof own};
    perp_tape_report found = {sizeof found, PERP_SOLVED, -1};
    if (!tape || steps <= 0 || steps > (1L << 30) || !cotangent ||
        perp_sized_read(&own, sizeof own, of) != PERP_SOLVED)
        return PERP_ERR_ARGUMENT;
    if (!tape->sim)
        return PERP_ERR_STATE;
    run r = {.tape = tape, .sim = tape->sim, .steps = steps, .cotangent = cotangent, .ctx = ctx};
    int recording = tape->recording;
    perp_tape_reset(tape);
    tape->recording = tape->keeps = 0;
    perp_status status = lay_out(&r);
    double *forces = NULL;
    if (status == PERP_SOLVED && own.forces) {
        forces = take(&r, (size_t)steps * (size_t)r.dofs + 1, sizeof *forces);
        status = forces ? PERP_SOLVED : PERP_ERR_MEMORY;
    }
    if (status == PERP_SOLVED)
        status = first_time(&r);
    tape->recording = 1;
    if (status == PERP_SOLVED)
        status = backwards(&r, forces, &found);
    tape->recording = recording;
    size_t dofs = (size_t)r.dofs * sizeof(double);
    if (status >= 0 && found.status == status) {
        if (own.q)
            memcpy(own.q, r.bars, dofs);
        if (own.v)
            memcpy(own.v, r.bars + r.dofs, dofs);
        if (own.parameters)
            memcpy(own.parameters, r.bars + 2 * (size_t)r.dofs,
                   (size_t)tape->nparameters * sizeof(double));
        if (own.forces)
            memcpy(own.forces, forces, (size_t)steps * dofs);
    }
    perp_pool_give(&tape->pool, forces);
    give(&r);
    if (report)
        (void)perp_sized_write(report, &found, sizeof found);
    return status;
}
