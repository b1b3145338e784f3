/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/step/rest.h"

#include "kernel/model/model_inside.h"
#include "kernel/step/link_groups.h"
#include "kernel/step/stepper.h"

/* Errors of a solve that are left to a velocity. */
static const double OF_TOL = 20.0;

/* The part of what its forces give that a body at rest may be off by; 0: it never rests. */
static double part_of(const perp_step *step, const perp_system *s)
{
    const perp_stepper *stepper = step->stepper;
    if (!s->steady || s->kind == PERP_SYSTEM_FIRST_ORDER || !perp_step_integrator(step, s)->rests)
        return 0.0;
    return fmin(stepper->schemes[s->scheme].rest, OF_TOL * stepper->settings.tol);
}

/* Whether it hardly moved; *defect: by how much, of what its forces give. */
static int is_quiet(const perp_step *step, const perp_system *s, double *defect)
{
    double part = part_of(step, s), speed = 0.0, change = 0.0, given = 0.0;
    const double *v = s->v[PERP_NOW], *before = s->v[PERP_START], *weight = s->ledger.weight;
    *defect = 0.0;
    if (part == 0.0)
        return 0;
    for (int i = 0; i < s->nv; i++) {
        double d = v[i] - before[i];
        speed += v[i] * v[i] / weight[i];
        change += d * d / weight[i];
        given += s->force[i] * s->force[i] * weight[i];
    }
    given *= step->h * step->h;
    if (given > 0.0)
        *defect = sqrt(fmax(speed, change) / given);
    return fmax(speed, change) <= part * part * given;
}

static int is_steady(const perp_link *link)
{
    return link->second_order && link->steady && !link->guide;
}

/* Classes of the systems that the interactions of the step join, moves[root] = 1: one of the class
 * is not quiet. */
static void find_islands(const perp_step *step, perp_rest *rest)
{
    for (int k = 0; k < step->nsystems; k++) {
        rest->parent[step->systems[k]->slot] = step->systems[k]->slot;
        rest->moves[step->systems[k]->slot] = 0;
    }
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        for (int i = 1; i < link->nsystems; i++)
            perp_class_join(rest->parent, link->systems[0]->slot, link->systems[i]->slot);
    }
    for (int k = 0; k < step->nsystems; k++)
        if (step->systems[k]->quiet < PERP_REST_STEPS)
            rest->moves[perp_class_root(rest->parent, step->systems[k]->slot)] = 1;
    for (int k = 0; k < step->nlinks; k++)
        if (!is_steady(step->links[k]))
            rest->moves[perp_class_root(rest->parent, step->links[k]->systems[0]->slot)] = 1;
}

static void hold(perp_system *s)
{
    memset(s->v[PERP_NOW], 0, sizeof(double) * (size_t)s->nv);
    memcpy(s->q[PERP_START], s->q[PERP_NOW], sizeof(double) * (size_t)s->nq);
    s->resting = PERP_REST_HELD;
}

void perp_rest_settle(perp_step *step)
{
    perp_stepper *stepper = step->stepper;
    perp_rest *rest = &stepper->rest;
    int ready = 0, resting = rest->resting;
    double defect;
    /* Who follows the steps sees all of them. */
    int sound = stepper->info.status == PERP_SOLVED && stepper->info.halvings == 0 &&
                !stepper->follower.part;
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        s->quiet = sound && is_quiet(step, s, &defect) ? s->quiet + (s->quiet < PERP_REST_STEPS) : 0;
        ready += s->quiet == PERP_REST_STEPS;
    }
    if (ready == 0)
        return;
    find_islands(step, rest);
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        if (rest->moves[perp_class_root(rest->parent, s->slot)])
            continue;
        (void)is_quiet(step, s, &s->unbalanced);
        hold(s);
        rest->resting++;
    }
    for (int k = 0; k < step->nlinks; k++)
        if (perp_link_rests(step->links[k]))
            memset(step->links[k]->u, 0, sizeof(double) * (size_t)step->links[k]->rows);
    rest->stale |= rest->resting > resting;
    rest->h = step->h;
}

/* What is tied to what was disturbed is disturbed. */
static void spread(const perp_model *model)
{
    for (int again = 1; again;) {
        again = 0;
        for (int k = 0; k < model->nlinks; k++) {
            perp_link *link = model->links[k].link;
            int disturbed = 0, held = 0;
            for (int i = 0; link && i < link->nsystems; i++) {
                disturbed |= link->systems[i]->resting == PERP_REST_DISTURBED;
                held |= link->systems[i]->resting == PERP_REST_HELD;
            }
            for (int i = 0; disturbed && held && i < link->nsystems; i++)
                perp_system_disturb(link->systems[i]);
            again |= disturbed && held;
        }
    }
}

void perp_rest_wake(perp_stepper *stepper, double h)
{
    perp_rest *rest = &stepper->rest;
    const perp_model *model = stepper->model;
    int disturbed = 0;
    if (rest->resting == 0)
        return;
    if (h != rest->h) {
        perp_rest_wake_all(stepper);
        return;
    }
    for (int k = 0; k < model->nsystems; k++) {
        perp_system *s = model->systems[k].system;
        if (!s || s->resting == PERP_REST_NONE)
            continue;
        if (!perp_system_rests(s))
            s->resting = PERP_REST_DISTURBED;
        disturbed |= s->resting == PERP_REST_DISTURBED;
    }
    if (disturbed)
        spread(model);
    rest->resting = 0;
    for (int k = 0; k < model->nsystems; k++) {
        perp_system *s = model->systems[k].system;
        if (s && s->resting == PERP_REST_DISTURBED)
            s->resting = PERP_REST_NONE, s->quiet = 0;
        rest->resting += s && s->resting == PERP_REST_HELD;
    }
    rest->stale |= disturbed;
}

void perp_rest_restore(perp_stepper *stepper)
{
    stepper->rest.resting = 0;
    stepper->rest.stale = 1;
    for (int k = 0; k < stepper->nsystems; k++) {
        perp_system *s = stepper->systems[k];
        if (s->resting != PERP_REST_HELD)
            continue;
        memcpy(s->q[PERP_START], s->q[PERP_NOW], sizeof(double) * (size_t)s->nq);
        stepper->rest.resting++;
    }
}

void perp_rest_wake_all(perp_stepper *stepper)
{
    const perp_model *model = stepper->model;
    for (int k = 0; k < model->nsystems; k++) {
        perp_system *s = model->systems[k].system;
        if (s)
            s->resting = PERP_REST_NONE, s->quiet = 0;
    }
    stepper->rest.resting = 0;
    stepper->rest.stale = 1;
}

int perp_rest_list(perp_stepper *stepper)
{
    perp_rest *rest = &stepper->rest;
    perp_pool *pool = &stepper->pool;
    int slots = stepper->model->nsystems;
    if (!perp_pool_grow(pool, (void **)&rest->parent, &rest->capacity_parent, slots,
                        sizeof *rest->parent) ||
        !perp_pool_grow(pool, (void **)&rest->moves, &rest->capacity_moves, slots,
                        sizeof *rest->moves) ||
        !perp_pool_grow(pool, (void **)&rest->systems, &rest->capacity_systems, stepper->nsystems,
                        sizeof *rest->systems) ||
        !perp_pool_grow(pool, (void **)&rest->links, &rest->capacity_links, stepper->nlinks,
                        sizeof *rest->links))
        return 0;
    rest->nsystems = rest->nlinks = rest->resting = 0;
    perp_certificate_hold_none(&stepper->certificate);
    for (int k = 0; k < stepper->nsystems; k++) {
        perp_system *s = stepper->systems[k];
        if (s->resting != PERP_REST_HELD) {
            rest->systems[rest->nsystems++] = s;
            continue;
        }
        rest->resting++;
        perp_certificate_hold_motion(&stepper->certificate, s, s->unbalanced);
    }
    for (int k = 0; k < stepper->nlinks; k++) {
        perp_link *link = stepper->links[k];
        if (!perp_link_rests(link))
            rest->links[rest->nlinks++] = link;
        else if (link->second_order)
            perp_certificate_hold_outputs(&stepper->certificate, link);
    }
    rest->stale = 0;
    stepper->listed++;
    return 1;
}
