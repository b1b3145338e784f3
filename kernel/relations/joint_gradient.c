/* SPDX-License-Identifier: BSD-3-Clause */
/* Discrete gradients of joints.  With P the mean of R along the step (turn_mean.h) an anchor or an
 * axis r moves by R_1 r - R_0 r = P (h omega x r), exactly; bars are means of both ends, and
 *
 *     a . b       changes by  b_bar . (change of a) + a_bar . (change of b)
 *     |d|         by  (d_0 + d_1) / (|d_0| + |d_1|) . (change of d)
 *     2 vec(e)    by the rows of its rate half way, times sinc(t_a/4) cos(t_b/4) for the first
 *                 body and cos(t_a/4) sinc(t_b/4) for the second: bars of quaternions are
 *                 cos(t/4) q_m
 *     atan2(s, c) by d, the turn from (c_0, s_0) to (c_1, s_1): with the lengths rho of both,
 *                 c_0 s_1 - s_0 c_1 = c_bar (s_1 - s_0) - s_bar (c_1 - c_0) = rho_0 rho_1 sin d,
 *                 so it changes by d / (rho_0 rho_1 sin d) times that middle.
 *     TURN        with a half of the angle: 2 |vec(e)| changes by its own rule, (v_0 + v_1) /
 *                 (|v_0| + |v_1|) . 2 (v_1 - v_0), and the angle by (d/2) / (cos(mean a) sin(d/2))
 *                 times that, d the change of a.
 *     SPIN        is no change: its row half way. */
#include <math.h>
#include <string.h>

#include "kernel/relations/discrete_gradient.h"
#include "kernel/relations/joint_frames.h"
#include "kernel/relations/turn_mean.h"

/* A body, or the world, over the step. */
typedef struct span {
    const double *q0, *qm, *q1; /* NULL: the world */
    const double *R0, *R1, *P;
    double square; /* |h omega|^2 */
} span;

typedef struct joint_step {
    const perp_joint_frames *frames;
    int rows, two;
    span a, b;
    double d1[3];
} joint_step;

/* Those of a body are made once for all its joints. */
static void find_turns(perp_turns *turns, const span *s, const double *w)
{
    double R_m[9], key[16] = {w[0], w[1], w[2]};
    const double *q[3] = {s->q0, s->qm, s->q1};
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++)
            key[4 + 4 * k + i] = q[k][3 + i];
    int same = 1;
    for (int i = 0; i < 16; i++)
        same &= key[i] == turns->key[i];
    if (same)
        return;
    memcpy(turns->key, key, sizeof key);
    perp_quaternion_matrix(s->q0 + 3, turns->R0);
    perp_quaternion_matrix(s->q1 + 3, turns->R1);
    perp_quaternion_matrix(s->qm + 3, R_m);
    perp_turn_mean(turns->P, R_m, w);
}

static void cover(span *s, const perp_system *body, double h)
{
    static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    if (!body) {
        *s = (span){.R0 = identity, .R1 = identity, .P = identity};
        return;
    }
    const double *v = body->v[PERP_GUESS];
    double w[3];
    s->q0 = body->q[PERP_START];
    s->qm = body->q[PERP_GUESS];
    s->q1 = body->q[PERP_NOW];
    s->square = 0.0;
    for (int k = 0; k < 3; k++) {
        w[k] = h * v[3 + k];
        s->square += w[k] * w[k];
    }
    find_turns(body->turns, s, w);
    s->R0 = body->turns->R0;
    s->R1 = body->turns->R1;
    s->P = body->turns->P;
}

/* Place of an anchor. */
static void place(double *x, const double *q, const double *R, const double *r)
{
    perp_rotate3(x, R, r);
    for (int k = 0; q && k < 3; k++)
        x[k] += q[k];
}

static void anchors_apart(double *d, const joint_step *step, const double *q_a, const double *R_a,
                          const double *q_b, const double *R_b)
{
    double b[3];
    place(d, q_a, R_a, step->frames->r_a);
    place(b, q_b, R_b, step->frames->r_b);
    for (int k = 0; k < 3; k++)
        d[k] -= b[k];
}

static void prepare(joint_step *step, const perp_link *link, double h)
{
    const span *a = &step->a, *b = &step->b;
    step->frames = link->joint;
    step->rows = link->rows;
    step->two = perp_link_bodies(link) == 2;
    cover(&step->a, perp_link_body(link, 0), h);
    cover(&step->b, step->two ? perp_link_body(link, 1) : NULL, h);
    anchors_apart(step->d1, step, a->q1, a->R1, b->q1, b->R1);
}

/* Row of one body: n . (change of its centre), or 0 for n NULL, + m . (change of R r). */
static void body_row(double *G, int rows, double sign, const double *n, const double *m,
                     const double *r, const span *s)
{
    double back[3], moment[3];
    perp_rotate_back3(back, s->P, m);
    perp_cross3(moment, r, back);
    for (int k = 0; k < 3; k++) {
        G[k * rows] = n ? sign * n[k] : 0.0;
        G[(3 + k) * rows] = sign * moment[k];
    }
}

/* n . (change of d), n fixed. */
static void anchor_row(double *G, const joint_step *step, const double *n)
{
    int rows = step->rows;
    body_row(G, rows, 1.0, n, n, step->frames->r_a, &step->a);
    if (step->two)
        body_row(G + 6 * rows, rows, -1.0, n, n, step->frames->r_b, &step->b);
}

/* All three of d: I and P (omega x r) = (P r^)' applied to omega. */
static void coincide_body(double *G, int rows, double sign, const double *r, const double *P)
{
    for (int i = 0; i < 3; i++) {
        double p0 = P[i], p1 = P[i + 3], p2 = P[i + 6];
        for (int k = 0; k < 3; k++)
            G[i + k * rows] = i == k ? sign : 0.0;
        G[i + 3 * rows] = sign * (r[1] * p2 - r[2] * p1);
        G[i + 4 * rows] = sign * (r[2] * p0 - r[0] * p2);
        G[i + 5 * rows] = sign * (r[0] * p1 - r[1] * p0);
    }
}

static void coincide_rows(double *G, double *y1, const joint_step *step)
{
    int rows = step->rows;
    memcpy(y1, step->d1, sizeof step->d1);
    coincide_body(G, rows, 1.0, step->frames->r_a, step->a.P);
    if (step->two)
        coincide_body(G + 6 * rows, rows, -1.0, step->frames->r_b, step->b.P);
}

static void distance_row(double *G, double *y1, const joint_step *step)
{
    const span *a = &step->a, *b = &step->b;
    double n[3] = {1.0, 0.0, 0.0}, d0[3];
    anchors_apart(d0, step, a->q0, a->R0, b->q0, b->R0);
    double end = sqrt(perp_dot3(step->d1, step->d1));
    double sum = sqrt(perp_dot3(d0, d0)) + end;
    for (int k = 0; k < 3 && sum > 0.0; k++)
        n[k] = (d0[k] + step->d1[k]) / sum;
    y1[0] = end - step->frames->length;
    anchor_row(G, step, n);
}

/* x0, x1 = R_0 r, R_1 r and their mean. */
static void carry(double *x1, double *mean, const span *s, const double *r)
{
    double x0[3];
    perp_rotate3(x0, s->R0, r);
    perp_rotate3(x1, s->R1, r);
    for (int k = 0; k < 3; k++)
        mean[k] = 0.5 * (x0[k] + x1[k]);
}

/* Row a . p, an axis on the first body and a direction on the second. */
static void product_row(double *G, double *y1, const joint_step *step, const double *p)
{
    const perp_joint_frames *frames = step->frames;
    double axis[3], axis_mean[3], other[3], mean[3];
    int rows = step->rows;
    carry(axis, axis_mean, &step->a, frames->axis);
    carry(other, mean, &step->b, p);
    *y1 = perp_dot3(other, axis);
    body_row(G, rows, 1.0, NULL, mean, frames->axis, &step->a);
    if (step->two)
        body_row(G + 6 * rows, rows, 1.0, NULL, axis_mean, p, &step->b);
}

/* Rows p_k . a. */
static void parallel_rows(double *G, double *y1, const joint_step *step)
{
    for (int k = 0; k < 2; k++)
        product_row(G + k, y1 + k, step, step->frames->normals[k]);
}

/* x / sin x for |x| < pi. */
static double over_sine(double x)
{
    double square = x * x;
    if (square < 1e-4)
        return 1.0 + square * (1.0 / 6.0 + square * (7.0 / 360.0 + square * (31.0 / 15120.0)));
    return x / sin(x);
}

static void angle_row(double *G, double *y1, const joint_step *step, const perp_link *link)
{
    const perp_joint_frames *frames = step->frames;
    double mark0[3], mark1[3], mark[3], n0[2][3], n1[2][3], across[3], p[3], c0, s0, c1, s1;
    perp_rotate3(mark0, step->a.R0, frames->mark);
    carry(mark1, mark, &step->a, frames->mark);
    for (int k = 0; k < 2; k++) {
        perp_rotate3(n0[k], step->b.R0, frames->normals[k]);
        perp_rotate3(n1[k], step->b.R1, frames->normals[k]);
    }
    perp_joint_circle(&c0, &s0, mark0, (const double(*)[3])n0);
    perp_joint_circle(&c1, &s1, mark1, (const double(*)[3])n1);
    double d = atan2(c0 * s1 - s0 * c1, c0 * c1 + s0 * s1);
    double rho = sqrt((c0 * c0 + s0 * s0) * (c1 * c1 + s1 * s1));
    double weight = rho > 0.0 ? perp_joint_side(link) * over_sine(d) / rho : 0.0;
    double c = 0.5 * (c0 + c1), s = 0.5 * (s0 + s1);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 3; i++)
            n1[k][i] = 0.5 * (n0[k][i] + n1[k][i]);
    perp_joint_across(across, (const double(*)[3])n1, c, s, weight);
    perp_joint_across(p, frames->normals, c, s, weight);
    body_row(G, 1, 1.0, NULL, across, frames->mark, &step->a);
    if (step->two)
        body_row(G + 6, 1, 1.0, NULL, mark, p, &step->b);
    y1[0] = perp_joint_sided(link, perp_joint_unwrap(link, atan2(s1, c1)));
}

/* Row p . d = p . D - const, D from the centre of the second body to the anchor of the first.
 */
static void slide_row(double *G, double *y1, const joint_step *step, const double *p, double sign)
{
    const perp_joint_frames *frames = step->frames;
    double D[3], D1[3], normal[3], mean[3];
    int rows = step->rows;
    place(D, step->a.q0, step->a.R0, frames->r_a);
    place(D1, step->a.q1, step->a.R1, frames->r_a);
    for (int k = 0; k < 3 && step->two; k++)
        D[k] = 0.5 * ((D[k] - step->b.q0[k]) + (D1[k] - step->b.q1[k]));
    carry(normal, mean, &step->b, p);
    *y1 = perp_dot3(normal, step->d1);
    for (int k = 0; k < 3; k++) {
        mean[k] *= sign;
        D[k] *= sign;
    }
    body_row(G, rows, 1.0, mean, mean, frames->r_a, &step->a);
    if (!step->two)
        return;
    double *second = G + 6 * rows;
    body_row(second, rows, 1.0, NULL, D, p, &step->b);
    for (int j = 0; j < 3; j++)
        second[j * rows] = -mean[j];
}

static void slide_rows(double *G, double *y1, const joint_step *step)
{
    for (int k = 0; k < 2; k++)
        slide_row(G + k, y1 + k, step, step->frames->normals[k], 1.0);
}

/* e at both ends with the sign that makes e_0 >= 0 at the start. */
static void turn_ends(double start[4], double end[4], const joint_step *step)
{
    perp_joint_turn(start, step->frames, step->a.q0, step->b.q0);
    perp_joint_turn(end, step->frames, step->a.q1, step->b.q1);
    for (int k = 3; k >= 0; k--) {
        end[k] = start[0] < 0.0 ? -end[k] : end[k];
        start[k] = start[0] < 0.0 ? -start[k] : start[k];
    }
}

/* Rows 2 vec(e) with that sign. */
static void turn_rows(double *G, double *y1, const joint_step *step)
{
    const span *a = &step->a, *b = &step->b;
    double e[4], end[4], quarter_a = a->square / 16.0, quarter_b = b->square / 16.0;
    perp_joint_turn(e, step->frames, a->q0, b->q0);
    double sign = e[0] < 0.0 ? -1.0 : 1.0;
    perp_joint_turn(end, step->frames, a->q1, b->q1);
    for (int k = 0; k < 3; k++)
        y1[k] = sign * 2.0 * end[1 + k];
    perp_joint_turn(e, step->frames, a->qm, b->qm);
    for (int k = 0; k < 4; k++)
        e[k] *= sign;
    perp_joint_turn_rows(G, step->rows, step->frames, e,
                         perp_sinc(quarter_a) * cos(sqrt(quarter_b)),
                         perp_sinc(quarter_b) * cos(sqrt(quarter_a)), step->two);
}

static void whole_turn_row(double *G, double *y1, const joint_step *step, const perp_link *link)
{
    joint_step three = *step;
    double rows[36], twice[3], e0[4], e1[4], n[3] = {1.0, 0.0, 0.0};
    int nv = step->two ? 12 : 6;
    three.rows = 3;
    turn_rows(rows, twice, &three);
    turn_ends(e0, e1, step);
    double s0 = perp_joint_axis(twice, e0), s1 = perp_joint_axis(twice, e1);
    double a0 = atan2(s0, e0[0]), a1 = atan2(s1, e1[0]), middle = cos(0.5 * (a0 + a1));
    for (int k = 0; k < 3 && s0 + s1 > 0.0; k++)
        n[k] = (e0[1 + k] + e1[1 + k]) / (s0 + s1);
    double weight =
        middle > 0.0 ? perp_joint_side(link) * over_sine(0.5 * (a1 - a0)) / middle : 0.0;
    for (int j = 0; j < nv; j++)
        G[j] = weight * perp_dot3(n, rows + 3 * j);
    y1[0] = perp_joint_sided(link, 2.0 * a1);
}

/* No change of anything: the row half way, so that the work is lambda times its mean rate. */
static void spin_row(double *G, double *y1, const joint_step *step, const perp_link *link)
{
    double R_a[9], R_b[9];
    perp_quaternion_matrix(step->a.qm + 3, R_a);
    memcpy(R_b, step->b.R1, sizeof R_b);
    if (step->two)
        perp_quaternion_matrix(step->b.qm + 3, R_b);
    perp_joint_spin_row(G, link, R_a, R_b);
    y1[0] = 0.0;
}

void perp_joint_discrete_gradient(double *G, double *y1, const perp_link *link, double h)
{
    joint_step step;
    int last = link->rows - 3;
    prepare(&step, link, h);
    switch (link->relation.joint) {
    case PERP_JOINT_POINT:
        coincide_rows(G, y1, &step);
        break;
    case PERP_JOINT_PIVOT:
        coincide_rows(G, y1, &step);
        parallel_rows(G + 3, y1 + 3, &step);
        break;
    case PERP_JOINT_PRISMATIC:
        slide_rows(G, y1, &step);
        turn_rows(G + last, y1 + last, &step);
        break;
    case PERP_JOINT_FIXED:
        coincide_rows(G, y1, &step);
        turn_rows(G + last, y1 + last, &step);
        break;
    case PERP_JOINT_DISTANCE:
        distance_row(G, y1, &step);
        break;
    case PERP_JOINT_CYLINDRICAL:
        slide_rows(G, y1, &step);
        parallel_rows(G + 2, y1 + 2, &step);
        break;
    case PERP_JOINT_UNIVERSAL:
        coincide_rows(G, y1, &step);
        product_row(G + 3, y1 + 3, &step, link->joint->axis_b);
        y1[3] -= link->joint->cosine;
        break;
    case PERP_JOINT_PLANAR:
        slide_row(G, y1, &step, link->joint->axis_b, 1.0);
        parallel_rows(G + 1, y1 + 1, &step);
        break;
    case PERP_JOINT_SLIDE:
        slide_row(G, y1, &step, link->joint->axis_b, perp_joint_side(link));
        y1[0] = perp_joint_sided(link, y1[0]);
        break;
    case PERP_JOINT_ANGLE:
        angle_row(G, y1, &step, link);
        break;
    case PERP_JOINT_TURN:
        whole_turn_row(G, y1, &step, link);
        break;
    case PERP_JOINT_SPIN:
        spin_row(G, y1, &step, link);
        break;
    }
}
