/* SPDX-License-Identifier: BSD-3-Clause */
/* Interactions at the new state: openings of joints, overlaps, outputs against Jacobians. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/certificate/certificate.h"
#include "kernel/laws/law.h"

/* Part of a largest coordinate that a length of a Lagrangian system has at least. */
static const double OF_COORDINATE = 1e-3;
/* An output that the rates miss by more than this part of the way is looked at. */
static const double SUSPICIOUS = 0.05;
/* Of the size of a body: a way that the position stage took, and not the motion. */
static const double SHIFTED = 0.01;

/* Of what it acts on. */
static double length_of(const perp_link *link)
{
    double size = 0.0, largest = 0.0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const perp_ledger *l = &s->ledger;
        double own = l->size > 0.0 ? l->size : l->half_width;
        if (own > 0.0 && (size == 0.0 || own < size))
            size = own;
        for (int i = 0; s->kind == PERP_SYSTEM_LAGRANGIAN && i < s->nq; i++)
            largest = perp_larger(largest, fabs(s->q[PERP_NOW][i]));
    }
    return size > 0.0 ? size : perp_larger(link->reach, OF_COORDINATE * largest);
}

double perp_certificate_size(const perp_link *link)
{
    return perp_joint_is_angle(link) ? 1.0 : length_of(link);
}

static const double *jacobian_of(const perp_link *link)
{
    return link->ready ? link->left : link->H;
}

/* Sum over the coordinates of |H_ij| times what the entry j of each is compared with. */
typedef enum compared { LENGTHS, SPEEDS, VELOCITIES } compared;

static double entry_size(const perp_system *s, int j, compared with)
{
    const perp_ledger *l = &s->ledger;
    if (with == VELOCITIES)
        return fabs(s->v[PERP_NOW][j]);
    if (with == SPEEDS)
        return l->scale * sqrt(l->weight[j]);
    if (s->kind == PERP_SYSTEM_LAGRANGIAN)
        return fabs(s->q[PERP_NOW][j]);
    return j >= 3 ? 1.0 : l->size > 0.0 ? l->size : l->half_width;
}

static double row_size(const perp_link *link, int row, compared with)
{
    const double *H = jacobian_of(link) + row;
    double sum = 0.0;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++, H += link->rows)
            sum += fabs(*H) * entry_size(link->systems[k], j, with);
    return sum;
}

enum { FEW = 6 };

/* The same of all rows, of which there are few. */
static void row_sizes(double *sum, const perp_link *link, compared with)
{
    const double *H = jacobian_of(link);
    for (int i = 0; i < link->rows; i++)
        sum[i] = 0.0;
    for (int k = 0; k < link->nsystems; k++)
        for (int j = 0; j < link->systems[k]->nv; j++, H += link->rows) {
            double size = entry_size(link->systems[k], j, with);
            for (int i = 0; i < link->rows; i++)
                sum[i] += fabs(H[i]) * size;
        }
}

static void note_joint(perp_certificate *c, const perp_link *link)
{
    double speeds[FEW];
    int few = link->rows <= FEW;
    if (few)
        row_sizes(speeds, link, SPEEDS);
    for (int i = 0; i < link->rows; i++) {
        double length = link->joint ? perp_joint_length(link, i) : row_size(link, i, LENGTHS);
        if (length == 0.0)
            length = perp_certificate_size(link);
        double speed = few ? speeds[i] : row_size(link, i, SPEEDS);
        if (length > 0.0)
            perp_certificate_note(c, PERP_MEASURE_joints, fabs(link->y[i]) / length, NULL, link);
        if (speed > 0.0)
            perp_certificate_note(c, PERP_MEASURE_joint_rates, fabs(link->u[i]) / speed, NULL,
                                  link);
    }
}

/* A closed contact that was not in the problem and did not leave: what it sank by. */
static void note_left_out(perp_certificate *c, const perp_link *link, int i)
{
    double speed = row_size(link, i, SPEEDS);
    if (link->u_start[i] <= 1e-9 * speed && speed > 0.0)
        perp_certificate_note(c, PERP_MEASURE_left_out,
                              (link->y_start[i] - link->y[i]) / (c->h * speed), NULL, link);
}

/* Overlap at the end, and at the start of steps but the first, where the contact may be another one
 * than in the step before; overlap that stays, and what a contact that was left out added. */
static void note_contact(perp_certificate *c, const perp_link *link, int stepped)
{
    double size = 0.0;
    for (int i = 0; i < link->rows; i += link->law.dim) {
        double y = link->y[i], before = stepped ? link->y_start[i] : y;
        double deepest = c->sums.steps > 0 ? fmin(y, before) : y;
        if (deepest >= 0.0) {
            c->step.at[PERP_MEASURE_flight].seen = c->step.at[PERP_MEASURE_penetration].seen = 1;
            continue;
        }
        size = size > 0.0 ? size : perp_certificate_size(link);
        double lasts = fmax(0.0, fmin(-y, -before));
        /* What leaves, or is given back step by step, does not last. */
        if (lasts > 0.0 && (link->u[i] * c->h > 0.01 * lasts || y > 0.9 * before))
            lasts = 0.0;
        perp_certificate_note(c, PERP_MEASURE_flight, -deepest / size, NULL, link);
        perp_certificate_note(c, PERP_MEASURE_penetration, lasts > 0.0 ? lasts / size : 0.0, NULL,
                              link);
        if (stepped && !link->on[i / link->law.dim] && before <= 0.0 && y < before)
            note_left_out(c, link, i);
    }
}

static void note_opening(perp_certificate *c, const perp_link *link, int stepped)
{
    if (link->law.kind == PERP_LAW_EQUALITY)
        note_joint(c, link);
    else if (perp_law_is_impact(&link->law) && !perp_law_is_soft(&link->law))
        note_contact(c, link, stepped);
}

/* Whether the way of y in the step is not what its rates at both ends say. */
static int is_suspicious(const perp_certificate *c, const perp_link *link)
{
    int dim = link->law.dim;
    for (int i = 0; i < link->rows; i += dim) {
        double speed = 0.0, way = link->y[i] - link->y_start[i];
        for (int k = i; k < i + dim; k++)
            speed = perp_larger(speed, fabs(link->u[k]) + fabs(link->u_start[k]));
        double missing = fabs(way - 0.5 * c->h * (link->u[i] + link->u_start[i]));
        if (missing > SUSPICIOUS * c->h * speed && missing > 1e-10 * link->reach)
            return 1;
    }
    return 0;
}

/* An output that leaps: further in the step than any velocity takes it, and by a good part of a
 * body.  The position stage may move bodies as far. */
static void note_leap(perp_certificate *c, const perp_link *link)
{
    double size = perp_certificate_size(link), length = length_of(link);
    for (int k = 0; k < link->nsystems; k++)
        if (link->systems[k]->ledger.shifted > SHIFTED * length)
            return;
    for (int i = 0; i < link->rows; i += link->law.dim) {
        double way = fabs(link->y[i] - link->y_start[i]);
        double most = 2.0 * (fabs(link->u[i]) + fabs(link->u_start[i])) +
                      row_size(link, i, VELOCITIES) + row_size(link, i, SPEEDS);
        if (isfinite(way) && way > 0.1 * size && way > 4.0 * c->h * most)
            perp_certificate_note(c, PERP_MEASURE_rates, way / size, NULL, link);
    }
}

/* y at NOW moved along the velocities for a time, in link->spare. */
static int output_near(perp_certificate *c, perp_link *link, double time)
{
    double *x = link->X;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        perp_system_move(x, s, s->q[PERP_NOW], s->v[PERP_NOW], time);
        x += s->nq;
    }
    return perp_link_output(link->spare, link, c->t + time, link->X, link->lambda);
}

/* A time in which nothing moves by more than a millionth of what it is compared with. */
static double short_time(const perp_certificate *c, const perp_link *link, double *largest)
{
    double speed = 0.0, size = perp_certificate_size(link);
    *largest = 0.0;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        int body = s->kind == PERP_SYSTEM_BODY;
        for (int j = 0; j < s->nv; j++)
            speed = perp_larger(speed, fabs(s->v[PERP_NOW][j]) * (body && j >= 3 ? size : 1.0));
        for (int j = 0; j < (body ? 3 : s->nq); j++)
            *largest = perp_larger(*largest, fabs(s->q[PERP_NOW][j]));
    }
    return speed > 0.0 ? fmin(1e-6 * size / speed, 1e-3 * c->h) : 0.0;
}

int perp_certificate_rates(perp_certificate *c, perp_link *link)
{
    double largest, time = short_time(c, link, &largest), worst = 0.0;
    double *ahead = c->row;
    if (!(time > 0.0))
        return 0;
    if (output_near(c, link, time))
        return 1;
    for (int i = 0; i < link->rows; i++)
        ahead[i] = link->spare[i];
    if (output_near(c, link, -time))
        return 1;
    for (int i = 0; i < link->rows; i += link->law.dim) {
        double y = link->y[i], u = link->u[i], behind = link->spare[i];
        double speed = row_size(link, i, VELOCITIES) + fabs(u);
        double error = fabs((ahead[i] - behind) / (2.0 * time) - u);
        error = fmin(error, fabs((ahead[i] - y) / time - u)); /* y may have a kink here */
        error = fmin(error, fabs((y - behind) / time - u));
        /* Rounding of y, of the places and of the orientations that it is made of. */
        error -= 64.0 * DBL_EPSILON * (fabs(y) + largest + row_size(link, i, LENGTHS)) / time;
        if (error > 0.0 && speed > 0.0)
            worst = perp_larger(worst, error / speed);
    }
    perp_certificate_note(c, PERP_MEASURE_rates, worst, NULL, link);
    return 0;
}

void perp_certificate_hold_none(perp_certificate *c)
{
    memset(c->held, 0, sizeof c->held);
}

void perp_certificate_hold_motion(perp_certificate *c, const perp_system *s, double unbalanced)
{
    perp_noted *at = &c->held[PERP_MEASURE_dynamics];
    if (!at->seen || unbalanced > at->value)
        *at = (perp_noted){.value = unbalanced, .seen = 1, .system = s};
}

void perp_certificate_hold_outputs(perp_certificate *c, const perp_link *link)
{
    perp_noted present[PERP_MEASURES];
    memcpy(present, c->step.at, sizeof present);
    memcpy(c->step.at, c->held, sizeof c->held);
    note_opening(c, link, 0);
    memcpy(c->held, c->step.at, sizeof c->held);
    memcpy(c->step.at, present, sizeof present);
}

int perp_certificate_outputs(perp_certificate *c, perp_link *link, int stepped, int budget)
{
    if (!link->second_order)
        return 0;
    for (int i = 0; i < link->rows; i += link->law.dim)
        if (isfinite(link->y[i]))
            link->reach = perp_larger(link->reach, fabs(link->y[i]));
    note_opening(c, link, stepped);
    if (link->joint && link->relation.joint == PERP_JOINT_SPIN) /* a rate of nothing */
        return 0;
    if (!stepped || c->checks >= budget || !is_suspicious(c, link))
        return 0;
    c->checks++;
    note_leap(c, link);
    return perp_certificate_rates(c, link);
}
