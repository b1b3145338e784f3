/* SPDX-License-Identifier: BSD-3-Clause */
/* What is compared with closed forms and published values. */
#include <math.h>
#include <stdlib.h>

#include "bench/campaign/engines/motion_measures.h"
#include "bench/campaign/engines/overlap.h"

static const double pi = 3.14159265358979323846;

double motion_half_width(const rigid_body *body)
{
    if (body->shape == RIGID_SPHERE)
        return body->radius;
    return fmin(body->half[0], fmin(body->half[1], body->half[2]));
}

int motion_fallen(const rigid_body *body, const double *first, const double *now)
{
    double A[9], B[9], trace = 0.0, largest;

    if (body->shape == RIGID_BARE)
        return 0;
    largest = body->shape == RIGID_SPHERE ? body->radius
                                          : fmax(body->half[0], fmax(body->half[1], body->half[2]));
    if (first[2] - now[2] > 0.25 * largest)
        return 1;
    if (body->shape == RIGID_SPHERE)
        return 0;
    overlap_rotation(A, first + 3);
    overlap_rotation(B, now + 3);
    for (int k = 0; k < 9; k++)
        trace += A[k] * B[k];
    return 0.5 * (trace - 1.0) < cos(pi / 6.0);
}

/* The angle about the z axis of a place or a velocity, followed over full turns. */
static void follow_angle(motion_measures *m, const double *v)
{
    double angle = atan2(v[1], v[0]);

    if (hypot(v[0], v[1]) < 1e-12)
        return;
    if (!isnan(m->direction))
        m->turned += remainder(angle - m->direction, 2.0 * pi);
    m->direction = angle;
}

/* Where the watched body is in the frame of the other. */
static void relative_place(double at[3], const rigid_scene *scene, const double *states)
{
    const double *a = states + (size_t)scene->watched * MOTION_BODY;
    const double *b = states + (size_t)scene->reference * MOTION_BODY;
    double R[9];

    overlap_rotation(R, b + 3);
    for (int k = 0; k < 3; k++) {
        at[k] = 0.0;
        for (int i = 0; i < 3; i++)
            at[k] += R[3 * i + k] * (a[i] - b[i]);
    }
}

static double creep_rate(const motion_measures *m)
{
    double at[3], square = 0.0, time = m->figures.t - m->marked;

    relative_place(at, m->scene, m->last);
    for (int k = 0; k < 3; k++)
        square += (at[k] - m->mark[k]) * (at[k] - m->mark[k]);
    return time > 0.0 ? 1e6 * sqrt(square) / time : NAN;
}

void motion_watch(motion_measures *m, const motion_record *record)
{
    const double *watched = record->body + (size_t)m->scene->watched * MOTION_BODY;

    if (m->scene->law == RIGID_LAW_CREEP && isnan(m->marked) &&
        record->t > m->scene->place - 0.5 * m->scene->h) {
        relative_place(m->mark, m->scene, record->body);
        m->marked = record->t;
    }
    if (m->scene->law == RIGID_LAW_PRECESSION)
        follow_angle(m, watched);
    if (m->scene->law == RIGID_LAW_TURNING)
        follow_angle(m, watched + 7);
    if (m->scene->law == RIGID_LAW_WAVE)
        for (int k = 0; k < m->scene->bodies; k++)
            if (isnan(m->fell[k]) &&
                motion_fallen(&m->scene->body[k], m->first + (size_t)k * MOTION_BODY,
                              record->body + (size_t)k * MOTION_BODY))
                m->fell[k] = record->t;
}

/* From the domino in the middle to the last but one, by the distance of their places; 0 where one
 * of them stands, or one falls before the one in front of it. */
static double wave_speed(const motion_measures *m)
{
    int from = m->scene->bodies / 2, to = m->scene->bodies - 2;
    double way;

    for (int k = 1; k <= to; k++)
        if (!(m->fell[k] >= m->fell[k - 1]))
            return 0.0;
    if (to <= from || !(m->fell[to] > m->fell[from]))
        return 0.0;
    way = m->first[(size_t)to * MOTION_BODY] - m->first[(size_t)from * MOTION_BODY];
    return way / (m->fell[to] - m->fell[from]) / m->scene->place;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double run_out(const motion_measures *m)
{
    int count = m->scene->bodies;
    double *r = malloc(((size_t)count + 1) * sizeof *r), radius;

    if (r == NULL || count == 0) {
        free(r);
        return NAN;
    }
    for (int k = 0; k < count; k++)
        r[k] = hypot(m->last[(size_t)k * MOTION_BODY], m->last[(size_t)k * MOTION_BODY + 1]);
    qsort(r, (size_t)count, sizeof *r, ascending);
    radius = r[(int)(0.95 * (count - 1))];
    free(r);
    return radius / m->scene->place - 1.0;
}

/* z of the axis that was up at the start. */
static double axis_up(const double *was, const double *is)
{
    double A[9], B[9];

    overlap_rotation(A, was + 3);
    overlap_rotation(B, is + 3);
    return B[6] * A[6] + B[7] * A[7] + B[8] * A[8];
}

double motion_observed(const motion_measures *m)
{
    const rigid_scene *scene = m->scene;
    const double *was = m->first + (size_t)scene->watched * MOTION_BODY;
    const double *is = m->last + (size_t)scene->watched * MOTION_BODY;
    double t = m->figures.t, way = 0.0, speed = 0.0;

    for (int k = 0; k < 3; k++) {
        way += scene->along[k] * (is[k] - was[k]);
        speed += scene->along[k] * is[7 + k];
    }
    switch (scene->law) {
    case RIGID_LAW_ACCELERATION:
        return t > 0.0 ? 2.0 * way / (t * t) : NAN;
    case RIGID_LAW_SPEED:
        return speed;
    case RIGID_LAW_PRECESSION:
    case RIGID_LAW_TURNING:
        return t > 0.0 ? m->turned / t : NAN;
    case RIGID_LAW_STOPPED:
        return is[0] < scene->place ? 1.0 : 0.0;
    case RIGID_LAW_WAVE:
        return wave_speed(m);
    case RIGID_LAW_RUN_OUT:
        return run_out(m);
    case RIGID_LAW_COLLAPSED:
        return m->figures.fallen > 0 ? 1.0 : 0.0;
    case RIGID_LAW_WAY:
        return way;
    case RIGID_LAW_CREEP:
        return creep_rate(m);
    case RIGID_LAW_AXIS:
        return axis_up(was, is);
    default:
        return NAN;
    }
}
