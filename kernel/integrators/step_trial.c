/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/integrators/step_trial.h"

#include <math.h>
#include <string.h>

#include "kernel/step/stepper.h"
#include "kernel/integrators/contact_mode.h"
#include "kernel/laws/law.h"

void perp_trial_release(void *memory, perp_pool *pool)
{
    perp_trial *trial = memory;
    perp_pool_give(pool, trial->start.bytes);
    perp_pool_give(pool, trial->middle.bytes);
    perp_pool_give(pool, trial->end.bytes);
    perp_pool_give(pool, trial->x);
    perp_pool_give(pool, trial->mode);
    memset(trial, 0, sizeof *trial);
}

double *perp_trial_column(const perp_trial *trial, int column)
{
    return trial->x + (size_t)column * (size_t)trial->n;
}

static int is_second(const perp_system *s)
{
    return s->kind != PERP_SYSTEM_FIRST_ORDER;
}

/* Largest coordinate. */
static double size_of(const perp_step *step)
{
    double size = 0.0;
    for (int k = 0; k < step->nsystems; k++)
        for (int i = 0; i < step->systems[k]->nq; i++)
            size = fmax(size, fabs(step->systems[k]->q[PERP_NOW][i]));
    return size;
}

static void pack(double *x, const perp_step *step)
{
    for (int k = 0; k < step->nsystems; k++) {
        const perp_system *s = step->systems[k];
        memcpy(x, s->q[PERP_NOW], sizeof(double) * (size_t)s->nq);
        x += s->nq;
        if (!is_second(s))
            continue;
        memcpy(x, s->v[PERP_NOW], sizeof(double) * (size_t)s->nv);
        x += s->nv;
    }
}

static void make_unit(double *p)
{
    double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    for (int i = 0; i < 4; i++)
        p[i] /= norm;
}

void perp_trial_unpack(const perp_trial *trial, perp_step *step, int column)
{
    const double *x = perp_trial_column(trial, column);
    for (int k = 0; k < step->nsystems; k++) {
        perp_system *s = step->systems[k];
        memcpy(s->q[PERP_NOW], x, sizeof(double) * (size_t)s->nq);
        x += s->nq;
        if (s->kind == PERP_SYSTEM_BODY)
            make_unit(s->q[PERP_NOW] + 3);
        if (!is_second(s))
            continue;
        memcpy(s->v[PERP_NOW], x, sizeof(double) * (size_t)s->nv);
        x += s->nv;
    }
}

perp_status perp_trial_begin(perp_trial *trial, perp_step *step, int columns)
{
    perp_pool *pool = step->one->pool;
    size_t n = 0, relations = 0;
    for (int k = 0; k < step->nsystems; k++) {
        const perp_system *s = step->systems[k];
        n += (size_t)s->nq + (is_second(s) ? (size_t)s->nv : 0);
    }
    for (int k = 0; k < step->nlinks; k++)
        relations += (size_t)step->links[k]->relations;
    if (n > (size_t)INT32_MAX / (size_t)(columns + 1) || relations > INT32_MAX)
        return perp_step_refuse(step, PERP_ERR_OVERFLOW, NULL, -1, NULL);
    trial->n = (int)n;
    trial->relations = (int)relations;
    if (!perp_pool_grow(pool, (void **)&trial->x, &trial->capacity_x, trial->n * (columns + 1),
                        sizeof *trial->x) ||
        !perp_pool_grow(pool, (void **)&trial->mode, &trial->capacity_mode, trial->relations, 1) ||
        perp_step_keep(step, &trial->start) != PERP_SOLVED)
        return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
    pack(trial->x, step);
    trial->size = size_of(step);
    trial->steps = trial->event = trial->through = 0;
    trial->unsolved = PERP_SOLVED;
    return PERP_SOLVED;
}

void perp_trial_again(perp_trial *trial, perp_step *step)
{
    perp_step_take_back(step, &trial->start);
    trial->steps = trial->event = trial->through = 0;
    trial->unsolved = PERP_SOLVED;
}

/* Modes of the step just made: kept of the first, compared with it in the others. */
static void compare_modes(perp_trial *trial, const perp_step *step)
{
    double scale = perp_contact_scale(step);
    unsigned char *mode = trial->mode;
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        for (int r = 0; r < link->relations; r++, mode++) {
            unsigned char now = (unsigned char)perp_contact_mode_of(link, r, scale);
            if (trial->steps == 0)
                *mode = now;
            trial->event |= *mode != now;
        }
    }
    trial->steps++;
}

static void note_violation(perp_trial *trial, const perp_link *link, double error)
{
    if (error > trial->violation) {
        trial->violation = error;
        trial->violated = link->slot;
    }
}

/* What a closed contact may miss where its scheme makes impacts beside the smooth step.  It closes
 * without a bounce: about the way of that until the end of the step.  Or it bounces, at its time:
 * the difference of the walks shows what that misses.  Where impacts are made at the start, it
 * bounces before it has met: the gap that was left, at worst all of it on the way there and e times
 * as much on the way back. */
static double missed(const perp_link *link, int i, double h, int early)
{
    double e = link->law.e, gap = fmax(link->y_start[i], 0.0),
           closing = fmax(-link->u_start[i], 0.0);
    if (!(link->u[i] > 0.5 * e * closing))
        return e * (gap + h * closing);
    return early ? (1.0 + e) * fmin(gap, fmax(link->y[i], 0.0)) : 0.0;
}

/* (74) for one step: what it adds to a penetration, so that what was there before, and stays,
 * does not stop the run. */
static void see_violation(perp_trial *trial, const perp_step *step, const perp_scheme *scheme,
                          double h)
{
    double scale = perp_contact_scale(step);
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        if (!perp_law_is_impact(&link->law))
            continue;
        for (int i = 0; i < link->rows; i += link->law.dim) {
            double y = link->y[i], excess = fmin(0.0, link->y_start[i]) - y;
            double tol = scheme->atol + scheme->rtol * fabs(y);
            int open = perp_contact_mode_of(link, i / link->law.dim, scale) == PERP_MODE_OPEN;
            if (trial->early && !open)
                note_violation(trial, link, missed(link, i, h, *trial->early) / tol);
            if (excess > 1e-12 * trial->size && open)
                trial->through = 1;
            if (excess > 0.0)
                note_violation(trial, link, excess / tol);
        }
    }
}

perp_status perp_trial_walk(perp_trial *trial, perp_step *step, const perp_scheme *scheme, double t,
                            double h, int parts, int column)
{
    if (trial->steps > 0)
        perp_step_take_back(step, &trial->start);
    trial->violation = 0.0;
    trial->violated = -1;
    for (int part = 0; part < parts; part++) {
        perp_step_refuse(step, PERP_SOLVED, NULL, -1, NULL);
        perp_status status =
            perp_step_once(step, t + h * (double)part / (double)parts, h / (double)parts);
        if (status != PERP_SOLVED) {
            perp_step_take_back(step, &trial->start);
            return status;
        }
        status = step->stepper->info.status;
        trial->unsolved = status > trial->unsolved ? status : trial->unsolved;
        compare_modes(trial, step);
        see_violation(trial, step, scheme, h / (double)parts);
        if (part == 0 && parts == 2 && perp_step_keep(step, &trial->middle) != PERP_SOLVED) {
            perp_step_take_back(step, &trial->start);
            return perp_step_refuse(step, PERP_ERR_MEMORY, NULL, -1, NULL);
        }
    }
    pack(perp_trial_column(trial, column), step);
    return PERP_SOLVED;
}

int perp_trial_event(const perp_trial *trial, const perp_step *step)
{
    const unsigned char *mode = trial->mode;
    if (trial->event || trial->violation > 1.0)
        return 1;
    for (int k = 0; k < step->nlinks; k++) {
        const perp_link *link = step->links[k];
        for (int r = 0; r < link->relations; r++, mode++)
            if (link->law.kind != PERP_LAW_EQUALITY && !perp_contact_goes_on(link->mode[r], *mode))
                return 1;
    }
    return 0;
}

int perp_trial_touches(const perp_step *step)
{
    double scale = perp_contact_scale(step);
    for (int k = 0; k < step->nlinks; k++)
        for (int r = 0; r < step->links[k]->relations; r++)
            if (perp_contact_mode_of(step->links[k], r, scale) != PERP_MODE_OPEN)
                return 1;
    return 0;
}

void perp_trial_note_modes(perp_step *step)
{
    double scale = perp_contact_scale(step);
    for (int k = 0; k < step->nlinks; k++) {
        perp_link *link = step->links[k];
        for (int r = 0; r < link->relations; r++)
            link->mode[r] = (unsigned char)perp_contact_mode_of(link, r, scale);
    }
}

/* (56), (57) for some entries; a difference that is no number is infinite. */
static double weighed(const double *start, const double *a, const double *b, int count,
                      const perp_scheme *scheme)
{
    double error = 0.0;
    for (int i = 0; i < count; i++) {
        double e = fabs(b[i] - a[i]);
        if (e == 0.0)
            continue;
        e /= scheme->atol + scheme->rtol * fmax(fabs(start[i]), fabs(b[i]));
        if (isnan(e))
            return INFINITY;
        error = fmax(error, e);
    }
    return error;
}

double perp_trial_error(const perp_trial *trial, const perp_step *step, const perp_scheme *scheme,
                        int a, int b, double weight, int smooth, int *worst)
{
    const double *from = trial->x, *one = perp_trial_column(trial, a),
                 *other = perp_trial_column(trial, b);
    int with_q = scheme->error_in != PERP_ERROR_IN_V, at = 0;
    int with_v =
        scheme->error_in >= PERP_ERROR_IN_V || (scheme->error_in == PERP_ERROR_IN_SMOOTH && smooth);
    double error = 0.0;
    *worst = -1;
    for (int k = 0; k < step->nsystems; k++) {
        const perp_system *s = step->systems[k];
        double e = 0.0;
        if (with_q || !is_second(s))
            e = weighed(from + at, one + at, other + at, s->nq, scheme);
        at += s->nq;
        if (is_second(s)) {
            if (with_v)
                e = fmax(e, weighed(from + at, one + at, other + at, s->nv, scheme));
            at += s->nv;
        }
        if (weight * e > error) {
            error = weight * e;
            *worst = s->slot;
        }
    }
    return error;
}
