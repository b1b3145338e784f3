/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/step/rest.h"

#include <math.h>

#include "kernel/model/model_inside.h"
#include "kernel/step/link_groups.h"
#include "kernel/step/stepper.h"

/* Errors of a solve that are left to a velocity; those that hide whether a body rests, and what
 * they may come to at most. */
static const double OF_TOL = 20.0, HIDDEN = 500.0, MOST_HIDDEN = 5e-2;

/* The part of what its forces give that a body at rest may be off by; 0: it never rests.  Who
 * follows the steps sees all that moves. */
static double part_of(const perp_step *step, const perp_system *s)
{
    const perp_stepper *stepper = step->stepper;
    if (!s->steady || s->kind == PERP_SYSTEM_FIRST_ORDER || stepper->follower.part ||
        !perp_step_integrator(step, s)->rests)
        return 0.0;
    return fmin(stepper->schemes[s->scheme].rest, OF_TOL * stepper->settings.tol);
}

/* The larger of its velocity and the change of it, as a part of what its forces give in the step;
 * HUGE_VAL: they give nothing. */
static double motion_of(const perp_step *step, const perp_system *s)
{
    double speed = 0.0, change = 0.0, given = 0.0;
    const double *v = s->v[PERP_NOW], *before = s->v[PERP_START], *weight = s->ledger.weight;
    for (int i = 0; i < s->nv; i++) {
        double d = v[i] - before[i];
        speed += v[i] * v[i] / weight[i];
        change += d * d / weight[i];
        given += s->force[i] * s->force[i] * weight[i];
    }
    double square = fmax(speed, change);
    return square == 0.0 ? 0.0 : given > 0.0 ? sqrt(square / given) / step->h : HUGE_VAL;
}

/* How many have been quiet for long enough. */
static int count_quiet(perp_step *step)
{
    const perp_step_info *info = &step->stepper->info;
    int ready = 0, sound = info->status == PERP_SOLVED && info->halvings == 0;
    int hidden = 0, moves = 0; /* more than a body at rest may, more than solves leave */
    double most = fmin(HIDDEN * step->stepper->settings.tol, MOST_HIDDEN);
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        double part = sound ? part_of(step, s) : 0.0;
        double motion = part > 0.0 ? motion_of(step, s) : 0.0;
        int quiet = part > 0.0 && motion <= part;
        hidden |= part > 0.0 && !quiet;
        moves |= motion > most || (part == 0.0 && s->kind != PERP_SYSTEM_FIRST_ORDER);
        s->quiet = quiet ? s->quiet + (s->quiet < PERP_REST_STEPS) : 0;
        ready += s->quiet == PERP_REST_STEPS;
    }
    double *restless = &step->stepper->carry[PERP_CARRY_RESTLESS];
    if (hidden && !moves)
        *restless = fmax(*restless, 1.0);
    return ready;
}

static int is_steady(const perp_link *link)
{
    int guided = link->guide != NULL;
    for (int k = 0; perp_coupling_part(link, k); k++)
        guided |= perp_coupling_part(link, k)->guide != NULL;
    return link->second_order && link->steady && !guided;
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

/* The impulses of the step are those that bring it to rest. */
static void hold(perp_system *s, double h)
{
    /* What is steady has a mass that no callback gives. */
    (void)perp_system_mass_apply(s->residual, s, s->q[PERP_NOW], s->v[PERP_START]);
    for (int i = 0; i < s->nv; i++)
        s->p[i] = -h * s->force[i] - s->residual[i];
    memset(s->v[PERP_NOW], 0, sizeof(double) * (size_t)s->nv);
    memcpy(s->q[PERP_START], s->q[PERP_NOW], sizeof(double) * (size_t)s->nq);
    s->resting = PERP_REST_HELD;
}

void perp_rest_settle(perp_step *step)
{
    perp_rest *rest = &step->stepper->rest;
    int resting = rest->resting;
    if (count_quiet(step) == 0)
        return;
    find_islands(step, rest);
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        if (rest->moves[perp_class_root(rest->parent, s->slot)])
            continue;
        s->unbalanced = motion_of(step, s);
        hold(s, step->h);
        rest->resting++;
    }
    for (int k = 0; k < step->nlinks; k++)
        if (perp_link_rests(step->links[k]))
            memset(step->links[k]->u, 0, sizeof(double) * (size_t)step->links[k]->rows);
    rest->stale |= rest->resting > resting;
    rest->h = step->h;
}

static void wake(perp_system *s)
{
    s->resting = PERP_REST_NONE;
    s->quiet = 0;
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
            wake(s);
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
            wake(s);
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
        (void)perp_system_force(s->force, s, 0.0, s->q[PERP_NOW], s->v[PERP_NOW]);
        for (int i = 0; i < s->nv; i++)
            s->p[i] = -rest->h * s->force[i];
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
