/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/engines/motion_measures.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/campaign/engines/overlap.h"
#include "bench/campaign/engines/step_residual.h"

enum { MANY = 400 }; /* bodies, from which on overlaps are not looked for at every record */

int motion_measures_begin(motion_measures *m, const rigid_scene *scene)
{
    size_t bodies = (size_t)(scene->bodies > 0 ? scene->bodies : 1);

    memset(m, 0, sizeof *m);
    m->scene = scene;
    m->first = calloc(bodies * MOTION_BODY, sizeof(double));
    m->last = calloc(bodies * MOTION_BODY, sizeof(double));
    m->scratch = calloc(bodies * 3, sizeof(double));
    m->fell = malloc(bodies * sizeof(double));
    if (m->first == NULL || m->last == NULL || m->scratch == NULL || m->fell == NULL) {
        motion_measures_free(m);
        return -1;
    }
    for (size_t k = 0; k < bodies; k++)
        m->fell[k] = NAN;
    m->every = 1 + scene->bodies / MANY;
    m->potential_low = m->lowest = INFINITY;
    m->potential_high = -INFINITY;
    m->direction = m->marked = NAN;
    m->figures = (motion_figures){.contacts = NAN,
                                  .opening = scene->joints > 0 ? 0.0 : NAN,
                                  .observed = NAN,
                                  .worst = NAN,
                                  .median = NAN,
                                  .early = -1,
                                  .finite = 1};
    return 0;
}

void motion_measures_free(motion_measures *m)
{
    free(m->first);
    free(m->last);
    free(m->scratch);
    free(m->fell);
    free(m->residual);
    memset(m, 0, sizeof *m);
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* w' I w for the angular velocity w in world axes. */
static double spin_energy(const rigid_body *body, const double *state)
{
    double R[9], sum = 0.0;

    overlap_rotation(R, state + 3);
    for (int j = 0; j < 3; j++) {
        double along = R[j] * state[10] + R[j + 3] * state[11] + R[j + 6] * state[12];
        sum += body->inertia[j] * along * along;
    }
    return sum;
}

static void add_energy(motion_measures *m, const double *state)
{
    double kinetic = 0.0, potential = 0.0, energy;

    for (int k = 0; k < m->scene->bodies; k++, state += MOTION_BODY) {
        const rigid_body *b = &m->scene->body[k];
        kinetic += 0.5 * (b->mass * dot(state + 7, state + 7) + spin_energy(b, state));
        potential -= b->mass * dot(m->scene->gravity, state);
    }
    energy = kinetic + potential;
    m->kinetic_high = fmax(m->kinetic_high, kinetic);
    m->potential_low = fmin(m->potential_low, potential);
    m->potential_high = fmax(m->potential_high, potential);
    m->lowest = fmin(m->lowest, energy);
    m->rise = fmax(m->rise, energy - m->lowest);
}

/* Where a point that is given for the start is now; body -1: where it was. */
static void follow(double now[3], const motion_measures *m, const double *states, int body,
                   const double *point, int direction)
{
    const double *was = m->first + (size_t)(body > 0 ? body : 0) * MOTION_BODY;
    const double *is = states + (size_t)(body > 0 ? body : 0) * MOTION_BODY;
    double A[9], B[9];

    memcpy(now, point, 3 * sizeof *now);
    if (body < 0)
        return;
    overlap_rotation(A, was + 3);
    overlap_rotation(B, is + 3);
    for (int i = 0; i < 3; i++) {
        now[i] = direction ? 0.0 : is[i];
        for (int j = 0; j < 3; j++) {
            double local = 0.0;
            for (int k = 0; k < 3; k++)
                local += A[3 * k + j] * (point[k] - (direction ? 0.0 : was[k]));
            now[i] += B[3 * i + j] * local;
        }
    }
}

static double apart(const double *a, const double *b)
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};

    return sqrt(dot(d, d));
}

/* How far a line of the axis of b through its anchor is from the anchor of a. */
static double beside(const double *a, const double *b, const double *axis)
{
    double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]}, along = dot(d, axis);

    return sqrt(fmax(0.0, dot(d, d) - along * along));
}

/* A direction across the axis, for turns about it. */
static void across(double v[3], const double *axis)
{
    int least = fabs(axis[0]) < 0.8 ? 0 : 1;

    for (int k = 0; k < 3; k++)
        v[k] = (k == least) - axis[least] * axis[k];
}

static double joint_opening(const motion_measures *m, const double *states, const rigid_joint *j)
{
    double a[3], b[3], axis[3], v[3], open;

    follow(a, m, states, j->a, j->at, 0);
    follow(b, m, states, j->b, j->at_b, 0);
    open = apart(a, b);
    if (j->kind == RIGID_DISTANCE)
        return fabs(open - apart(j->at, j->at_b));
    if (j->kind == RIGID_BALL)
        return open;
    follow(axis, m, states, j->b, j->axis, 1);
    if (j->kind == RIGID_SLIDER) {
        open = beside(a, b, axis);
        across(v, j->axis);
        follow(a, m, states, j->a, v, 1);
        follow(b, m, states, j->b, v, 1);
        open = fmax(open, apart(a, b));
    }
    follow(a, m, states, j->a, j->axis, 1);
    return fmax(open, apart(a, axis));
}

static void add_openings(motion_measures *m, const double *states)
{
    for (int k = 0; k < m->scene->joints; k++)
        m->figures.opening =
            fmax(m->figures.opening, joint_opening(m, states, &m->scene->joint[k]));
}

static int add_residual(motion_measures *m, const motion_record *record)
{
    if (record->given < 0.0)
        return 0;
    if (m->residuals == m->capacity) {
        long capacity = 2 * m->capacity + 256;
        double *made = realloc(m->residual, (size_t)capacity * sizeof *made);
        if (made == NULL)
            return -1;
        m->residual = made;
        m->capacity = capacity;
    }
    m->residual[m->residuals++] =
        step_residual(m->scene, record->t - m->figures.t, m->last, record->body, record->contact,
                      (int)record->given, m->scratch);
    return 0;
}

static int all_finite(const motion_record *record, int bodies)
{
    for (long k = 0; k < (long)bodies * MOTION_BODY; k++)
        if (!isfinite(record->body[k]))
            return 0;
    return 1;
}

int motion_measures_add(motion_measures *m, const motion_record *record)
{
    motion_figures *f = &m->figures;
    size_t bytes = (size_t)m->scene->bodies * MOTION_BODY * sizeof(double);

    if (!f->finite || !all_finite(record, m->scene->bodies)) {
        f->finite = 0;
        return 0;
    }
    if (m->records == 0) {
        memcpy(m->first, record->body, bytes);
    } else {
        f->steps++;
        f->seconds += record->seconds;
        if (!isnan(record->early))
            f->early = (f->early > 0 ? f->early : 0) + (record->early != 0.0);
        m->contact_sum += record->contacts;
        if (add_residual(m, record) != 0)
            return -1;
    }
    add_energy(m, record->body);
    add_openings(m, record->body);
    if (m->records % m->every == 0)
        f->overlap = fmax(f->overlap, overlap_largest(m->scene, record->body, MOTION_BODY));
    f->t = record->t;
    motion_watch(m, record);
    memcpy(m->last, record->body, bytes);
    m->records++;
    return 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void end_places(motion_measures *m)
{
    motion_figures *f = &m->figures;

    for (int k = 0; k < m->scene->bodies; k++) {
        const double *was = m->first + (size_t)k * MOTION_BODY;
        const double *is = m->last + (size_t)k * MOTION_BODY;
        f->creep = fmax(f->creep, hypot(is[0] - was[0], is[1] - was[1]));
        f->sink = fmax(f->sink, was[2] - is[2]);
        f->fallen += motion_fallen(&m->scene->body[k], was, is);
    }
}

/* The energy that lifts each body by the smallest of its half widths: where nothing moves, rises
 * are compared with it. */
static double lift(const rigid_scene *scene)
{
    double sum = 0.0, gravity = sqrt(dot(scene->gravity, scene->gravity));

    for (int k = 0; k < scene->bodies; k++)
        sum += scene->body[k].mass * gravity * motion_half_width(&scene->body[k]);
    return sum;
}

void motion_measures_end(motion_measures *m, motion_figures *figures)
{
    motion_figures *f = &m->figures;
    double scale = fmax(m->kinetic_high + m->potential_high - m->potential_low, lift(m->scene));

    if (m->records > 0) {
        end_places(m);
        f->overlap = fmax(f->overlap, overlap_largest(m->scene, m->last, MOTION_BODY));
        f->energy = scale > 0.0 ? m->rise / scale : 0.0;
        for (int k = 0; k < m->scene->joints; k++)
            if (m->scene->joint[k].drive.kind != RIGID_FREE)
                f->energy = NAN; /* it may come from a drive */
        f->observed = motion_observed(m);
    }
    if (f->steps > 0)
        f->contacts = m->contact_sum / (double)f->steps;
    if (m->residuals > 0) {
        qsort(m->residual, (size_t)m->residuals, sizeof *m->residual, ascending);
        f->worst = m->residual[m->residuals - 1];
        f->median = m->residual[m->residuals / 2];
    }
    *figures = *f;
}
