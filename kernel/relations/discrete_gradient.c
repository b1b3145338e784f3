/* SPDX-License-Identifier: BSD-3-Clause */
/* Discrete gradients of relations by callbacks and matrices, in the metric of the masses. */
#include "kernel/relations/discrete_gradient.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/relations/turn_mean.h"

/* A mismatch below this many eps of the terms that it comes from is rounding; divided by a small
 * motion it would turn the direction of the force. */
static const double rounding = 64.0 * DBL_EPSILON;
/* Of what counts as no gap: what the lengths round that a gap is the difference of (of a string of
 * 1 m 1e-16 m, over a way of 1e-9 m). */
static const double OF_SLACK = 1e-4;

/* out -= h G v_b on the rows 0, dim, 2 dim, ... */
static void subtract_motion(double *out, const double *G, const perp_link *link, double h)
{
    int rows = link->rows, dim = link->law.dim;
    for (int k = 0; k < link->nsystems; k++) {
        const double *v = link->systems[k]->v[PERP_GUESS];
        for (int j = 0; j < link->systems[k]->nv; j++, G += rows)
            for (int i = 0; i < rows; i += dim)
                out[i] -= h * G[i] * v[j];
    }
}

/* Size of the terms of y_1 - y_0 in row i: its ends, and coordinates by their weight in it (those
 * of a quaternion are 1 in size). */
static double size_of_row(const double *G, const perp_link *link, double h, int i, double y0,
                          double y1)
{
    double size = fabs(y0) + fabs(y1);
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const double *q = s->q[PERP_GUESS], *v = s->v[PERP_GUESS];
        int straight = s->kind == PERP_SYSTEM_BODY ? 3 : s->nv;
        for (int j = 0; j < s->nv; j++, G += link->rows)
            size += fabs(G[i]) * ((j < straight ? fabs(q[j]) : 1.0) + h * fabs(v[j]));
    }
    return size;
}

/* p = M v_b half way and p . v_b.  Of two bodies also without their common translation, which the
 * rows of a gap between them do not see: then p is +-straight in the centres, and the forces of
 * both stay opposite. */
typedef struct metric {
    const double *p;
    double square;
    int pair;
    double straight[3], square_pair;
} metric;

static double dot(const double *a, const double *b, int count)
{
    double sum = 0.0;
    for (int j = 0; j < count; j++)
        sum += a[j] * b[j];
    return sum;
}

static int is_body(const perp_system *s)
{
    return s->kind == PERP_SYSTEM_BODY;
}

/* Non-zero: a callback refused. */
static int weigh(metric *m, const perp_link *link)
{
    double *p = link->momentum;
    *m = (metric){.p = p};
    for (int k = 0; k < link->nsystems; k++) {
        perp_system *s = link->systems[k];
        const double *v = s->v[PERP_GUESS];
        int refused = perp_system_mass_apply(p, s, s->q[PERP_GUESS], v);
        if (refused)
            return refused;
        m->square += dot(p, v, s->nv);
        p += s->nv;
    }
    m->pair = link->nsystems == 2 && is_body(link->systems[0]) && is_body(link->systems[1]);
    if (!m->pair)
        return 0;
    const double *v_a = link->systems[0]->v[PERP_GUESS], *v_b = link->systems[1]->v[PERP_GUESS];
    double mass_a = link->systems[0]->as.body.mass, mass_b = link->systems[1]->as.body.mass;
    double reduced = mass_a / (mass_a + mass_b) * mass_b;
    m->square_pair = dot(m->p + 3, v_a + 3, 3) + dot(m->p + 9, v_b + 3, 3);
    for (int k = 0; k < 3; k++) {
        m->straight[k] = reduced * (v_a[k] - v_b[k]);
        m->square_pair += m->straight[k] * (v_a[k] - v_b[k]);
    }
    return 0;
}

/* Row i of two bodies is 0 on their common translations. */
static int ignores_translation(const double *G, int rows, int i)
{
    double sum = 0.0, size = 0.0;
    for (int k = 0; k < 3; k++) {
        double a = G[i + k * rows], b = G[i + (6 + k) * rows];
        sum += fabs(a + b);
        size += fabs(a) + fabs(b);
    }
    return sum <= 16.0 * DBL_EPSILON * size;
}

/* How far the points of a contact can move against each other in the step: its rows 0 .. rows - 1
 * have the arms among them. */
static double reach(const double *G, const perp_link *link, double h)
{
    const double *v_a = link->systems[0]->v[PERP_GUESS];
    const double *v_b = link->nsystems == 2 ? link->systems[1]->v[PERP_GUESS]
                        : link->guide       ? link->guide->v[PERP_GUESS]
                                            : NULL;
    int part = 3 * link->rows;
    double d[3], sum;
    for (int k = 0; k < 3; k++)
        d[k] = v_a[k] - (v_b ? v_b[k] : 0.0);
    sum = sqrt(dot(G, G, part) * dot(d, d, 3));
    sum += sqrt(dot(G + part, G + part, part) * dot(v_a + 3, v_a + 3, 3));
    if (v_b && link->nsystems == 2)
        sum += sqrt(dot(G + 3 * part, G + 3 * part, part) * dot(v_b + 3, v_b + 3, 3));
    return h * sum;
}

/* Entry j of p, of two bodies without their common translation. */
static double entry(const metric *m, int pair, int j)
{
    if (!pair || j % 6 >= 3)
        return m->p[j];
    return j < 6 ? m->straight[j] : -m->straight[j - 6];
}

/* Row i += miss / h (M v_b)' / |v_b|_M^2. */
static void correct_row(double *G, const perp_link *link, int i, double miss, double h,
                        const metric *m)
{
    int rows = link->rows, pair = m->pair && ignores_translation(G, rows, i);
    double square = pair ? m->square_pair : m->square, factor = miss / h / square;
    if (!(square > 0.0) || !isfinite(factor))
        return;
    for (int j = 0; j < link->nv; j++)
        G[i + j * rows] += factor * entry(m, pair, j);
}

int perp_link_gradient_direction(double *p, double *square, perp_link *link, const double *H_m,
                                 int i)
{
    metric m;
    int refused = weigh(&m, link);
    if (refused)
        return refused;
    int pair = m.pair && ignores_translation(H_m, link->rows, i);
    *square = pair ? m.square_pair : m.square;
    for (int j = 0; j < link->nv; j++)
        p[j] = entry(&m, pair, j);
    return 0;
}

/* Corrects the rows whose mismatch is more than rounding.  That of a contact is left where it
 * is more than its points can move: then it is noise of the detection, and would turn the force. */
static int correct(double *G, perp_link *link, double h, const double *miss, const double *y0,
                   const double *y1)
{
    int weighed = 0, contact = link->relation.kind == PERP_RELATION_CONTACT;
    metric m;
    for (int i = 0; i < link->rows; i += link->law.dim) {
        double amount = fabs(miss[i]), size = size_of_row(G, link, h, i, y0[i], y1[i]);
        if (!isfinite(amount) || amount <= OF_SLACK * link->slack || amount <= rounding * size ||
            (contact && amount > reach(G, link, h)))
            continue;
        int refused = weighed ? 0 : weigh(&m, link);
        if (refused)
            return refused;
        weighed = 1;
        correct_row(G, link, i, miss[i], h, &m);
    }
    return 0;
}

/* change = that of y by time alone, mean of the changes at q_k and at q[NOW]. */
static int change_by_time(double *change, perp_link *link, double t, double h, const double *y0,
                          const double *y1, const double *lambda)
{
    double *y = link->momentum;
    int rows = link->rows;
    int refused = perp_link_output(y, link, t, perp_link_gather_x(link, PERP_NOW), lambda);
    if (refused)
        return refused;
    for (int i = 0; i < rows; i++)
        change[i] = 0.5 * (y1[i] - y[i]);
    refused = perp_link_output(y, link, t + h, perp_link_gather_x(link, PERP_START), lambda);
    for (int i = 0; i < rows; i++)
        change[i] += 0.5 * (y[i] - y0[i]);
    return refused;
}

/* C T(q_m): the change of a quaternion is that of its rate half way times sinc(t/4). */
static void scale_turns(double *G, const perp_link *link, double h)
{
    size_t rows = (size_t)link->rows;
    for (int k = 0; k < link->nsystems; k++) {
        const perp_system *s = link->systems[k];
        const double *v = s->v[PERP_GUESS];
        if (s->kind == PERP_SYSTEM_BODY) {
            double quarter = h * h * (v[3] * v[3] + v[4] * v[4] + v[5] * v[5]) / 16.0;
            double factor = perp_sinc(quarter);
            for (size_t j = 3 * rows; j < 6 * rows; j++)
                G[j] *= factor;
        }
        G += rows * (size_t)s->nv;
    }
}

/* On the rows of gaps the drift becomes what y changes by beside h G v_b. */
static void drift_is_rest(double *drift, const perp_link *link, double h, const double *rest)
{
    for (int i = 0; i < link->rows; i += link->law.dim)
        if (isfinite(rest[i]))
            drift[i] = rest[i] / h;
}

/* G and drift hold H and h_t half way. */
static int close_mismatch(double *G, double *drift, const double *y1, perp_link *link, double t,
                          double h, const double *y0, const double *lambda)
{
    int rows = link->rows, moving = perp_link_has_drift(link), refused = 0;
    int affine = link->relation.kind == PERP_RELATION_LINEAR && !link->relation.C_at;
    double *miss = link->mismatch;
    if (affine)
        scale_turns(G, link, h);
    if (affine && !moving)
        return 0;
    if (!affine) {
        if (moving)
            refused = change_by_time(miss, link, t, h, y0, y1, lambda);
        else
            memset(miss, 0, (size_t)rows * sizeof(double));
        for (int i = 0; i < rows; i++)
            miss[i] = y1[i] - y0[i] - miss[i];
        subtract_motion(miss, G, link, h);
        refused = refused ? refused : correct(G, link, h, miss, y0, y1);
    }
    if (refused || !moving)
        return refused;
    for (int i = 0; i < rows; i++)
        miss[i] = y1[i] - y0[i];
    subtract_motion(miss, G, link, h);
    drift_is_rest(drift, link, h, miss);
    return 0;
}

int perp_link_discrete_gradient(double *G, double *drift, double *y1, perp_link *link, double t,
                                double h, const double *y0, const double *lambda)
{
    size_t bytes = (size_t)link->rows * sizeof(double);
    if (link->relation.kind == PERP_RELATION_JOINT) {
        perp_joint_discrete_gradient(link->guide ? link->both_H : G, y1, link, h);
        memset(drift, 0, bytes);
        if (link->guide) {
            perp_link_take_own(G, link);
            perp_link_add_guide_rate(drift, link, link->guide->v[PERP_GUESS]);
        }
        return 0;
    }
    if (link->coupling)
        return perp_coupling_discrete_gradient(G, drift, y1, link, t, h);
    const double *x = perp_link_gather_x(link, PERP_GUESS);
    int refused = perp_link_jacobian(G, link, t + 0.5 * h, x, lambda);
    if (!refused)
        refused = perp_link_drift(drift, link, t + 0.5 * h, x, lambda);
    if (!refused)
        refused = perp_link_output(y1, link, t + h, perp_link_gather_x(link, PERP_NOW), lambda);
    if (!refused)
        refused = close_mismatch(G, drift, y1, link, t, h, y0, lambda);
    return refused;
}
