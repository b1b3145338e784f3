/* SPDX-License-Identifier: BSD-3-Clause */
/* The discrete gradients of relations/joint_gradient.c with their derivatives.  Of a body that
 * begins at R_0 and turns by the rotation vector w, with the mean P of the turns between, the
 * change by a small turn phi of the start and by w is
 *
 *     R_0 r       (R_0 phi) x R_0 r
 *     R_1 r       (R_0 phi + P dw) x R_1 r
 *     P'm         P'(m x R_0 phi) + (dJ) R_0'm,   J = I - beta w^ + gamma w^ w^,
 *     q_s         q_s o psi/2,  psi = exp(-s w) phi + s J(s w) dw, a part s of the step on
 *
 * with beta = (1 - cos t)/t^2, gamma = (t - sin t)/t^3, t = |w|, and P = R_0 J(-w).  Forces of a
 * joint are opposite, and everything else is sums and products of these. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "kernel/derivative/joint_gradient_turn.h"
#include "kernel/derivative/lanes.h"
#include "kernel/relations/joint_frames.h"
#include "kernel/relations/turn_mean.h"

/* A body, or the world, over the step. */
typedef struct span {
    int moves, first; /* its lanes */
    const double *q0, *qm, *q1;
    double R0[9], R1[9], P[9], w[3], square;
} span;

typedef struct joint_step {
    const perp_link *link;
    const perp_joint_frames *frames;
    int two;
    span a, b;
    perp_vector force, moment_a, moment_b;
} joint_step;

static void cover(span *s, const perp_system *body, int first, double h)
{
    static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    *s = (span){.moves = body != NULL, .first = first};
    if (!body) {
        memcpy(s->R0, identity, sizeof identity);
        memcpy(s->R1, identity, sizeof identity);
        memcpy(s->P, identity, sizeof identity);
        return;
    }
    double R_m[9];
    s->q0 = body->q[PERP_START];
    s->qm = body->q[PERP_GUESS];
    s->q1 = body->q[PERP_NOW];
    for (int k = 0; k < 3; k++) {
        s->w[k] = h * body->v[PERP_GUESS][3 + k];
        s->square += s->w[k] * s->w[k];
    }
    perp_quaternion_matrix(s->q0 + 3, s->R0);
    perp_quaternion_matrix(s->qm + 3, R_m);
    perp_quaternion_matrix(s->q1 + 3, s->R1);
    perp_turn_mean(s->P, R_m, s->w);
}

/* (1 - cos t)/t^2 from x = t^2. */
static double beta_of(double x)
{
    double half = perp_sinc(0.25 * x);
    return 0.5 * half * half;
}

/* sum of (-1)^k 2k x^(k - 1) / (2k + first)!: twice the slopes of beta (first 2) and gamma (3). */
static double slope_series(double x, int first)
{
    double sum = 0.0, term = first == 2 ? 0.5 : 1.0 / 6.0;
    for (int k = 1; k <= 9; k++) {
        term *= -1.0 / ((2 * k + first - 1) * (2 * k + first));
        sum += 2.0 * k * term;
        term *= x;
    }
    return sum;
}

/* Column k of d(J g): slopes of J(w) g by w. */
static void jacobian_slope(double *out, const double *w, double square, const double *g, int k)
{
    double beta = beta_of(square), gamma = perp_sinc_defect(square);
    double by_beta =
        square < 1.0 ? slope_series(square, 2) : (perp_sinc(square) - 2.0 * beta) / square;
    double by_gamma = square < 1.0 ? slope_series(square, 3) : (beta - 3.0 * gamma) / square;
    double unit[3] = {k == 0, k == 1, k == 2}, once[3], twice[3], own[3], a[3], b[3];
    perp_cross3(once, w, g);
    perp_cross3(twice, w, once);
    perp_cross3(own, unit, g);
    perp_cross3(a, unit, once);
    perp_cross3(b, w, own);
    for (int i = 0; i < 3; i++)
        out[i] = -beta * own[i] + gamma * (a[i] + b[i]) +
                 w[k] * (-by_beta * once[i] + by_gamma * twice[i]);
}

/* R_0 r, or R_1 r, times scale added. */
static void add_carried(perp_vector *sum, const span *s, const double *r, int end, double scale)
{
    double x[3], turned[3];
    perp_rotate3(x, end ? s->R1 : s->R0, r);
    for (int i = 0; i < 3; i++)
        sum->x[i] += scale * x[i];
    for (int k = 0; k < 6 && s->moves; k++) {
        if (k >= 3 && !end)
            break;
        perp_cross3(turned, (k < 3 ? s->R0 + 3 * k : s->P + 3 * (k - 3)), x);
        for (int i = 0; i < 3; i++)
            sum->d[i][s->first + k] += scale * turned[i];
    }
}

static perp_vector carried(const span *s, const double *r, int end)
{
    perp_vector out = {{0.0}, {{0.0}}};
    add_carried(&out, s, r, end, 1.0);
    return out;
}

static perp_vector carried_mean(const span *s, const double *r)
{
    perp_vector out = {{0.0}, {{0.0}}};
    add_carried(&out, s, r, 0, 0.5);
    add_carried(&out, s, r, 1, 0.5);
    return out;
}

/* P'm. */
static perp_vector turned_back(const span *s, const perp_vector *m)
{
    perp_vector out;
    double g[3], across[3], back[3];
    perp_vector_rotate_back(&out, s->P, m);
    perp_rotate_back3(g, s->R0, m->x);
    for (int k = 0; k < 3 && s->moves; k++) {
        perp_cross3(across, m->x, s->R0 + 3 * k);
        perp_rotate_back3(back, s->P, across);
        for (int i = 0; i < 3; i++)
            out.d[i][s->first + k] += back[i];
        jacobian_slope(back, s->w, s->square, g, k);
        for (int i = 0; i < 3; i++)
            out.d[i][s->first + 3 + k] += back[i];
    }
    return out;
}

/* n on the centre of the first body, and m on the points r of it. */
static void push_first(joint_step *step, const perp_vector *n, const perp_vector *m,
                       const double *r)
{
    perp_vector back = turned_back(&step->a, m);
    if (n)
        perp_vector_add(&step->force, n, 1.0);
    perp_vector_add_arm(&step->moment_a, 1.0, r, &back);
}

static void push_second(joint_step *step, double sign, const perp_vector *m, const double *r)
{
    if (!step->two)
        return;
    perp_vector back = turned_back(&step->b, m);
    perp_vector_add_arm(&step->moment_b, sign, r, &back);
}

/* n . (change of d). */
static void push_anchors(joint_step *step, const perp_vector *n)
{
    push_first(step, n, n, step->frames->r_a);
    push_second(step, -1.0, n, step->frames->r_b);
}

static void push_fixed(joint_step *step, const double *n)
{
    perp_vector constant = {{n[0], n[1], n[2]}, {{0.0}}};
    push_anchors(step, &constant);
}

/* axis . p, p on the second body. */
static void push_product(joint_step *step, const double *axis, const double *p)
{
    perp_vector a = carried_mean(&step->a, axis), b = carried_mean(&step->b, p);
    push_first(step, NULL, &b, axis);
    push_second(step, 1.0, &a, p);
}

static void push_parallel(joint_step *step, const double *lambda)
{
    double p[3];
    for (int k = 0; k < 3; k++)
        p[k] = lambda[0] * step->frames->normals[0][k] + lambda[1] * step->frames->normals[1][k];
    push_product(step, step->frames->axis, p);
}

/* Anchors apart, from the centre of the second body where r_b is NULL, at the start or the end. */
static void add_apart(perp_vector *d, const joint_step *step, const double *r_b, int end,
                      double scale)
{
    const double *q_a = end ? step->a.q1 : step->a.q0, *q_b = end ? step->b.q1 : step->b.q0;
    add_carried(d, &step->a, step->frames->r_a, end, scale);
    if (r_b)
        add_carried(d, &step->b, r_b, end, -scale);
    for (int i = 0; i < 3; i++) {
        d->x[i] += scale * (q_a[i] - (step->two ? q_b[i] : 0.0));
        d->d[i][PERP_LANES_PLACE + i] += scale;
        d->d[i][PERP_LANES_MOVE + i] += end ? scale : 0.0;
    }
}

static void push_distance(joint_step *step, double lambda)
{
    perp_vector d[2] = {{{0.0}, {{0.0}}}, {{0.0}, {{0.0}}}}, n = {{lambda, 0.0, 0.0}, {{0.0}}};
    perp_number length[2], weight;
    for (int end = 0; end < 2; end++) {
        add_apart(&d[end], step, step->frames->r_b, end, 1.0);
        length[end] = perp_vector_length(&d[end]);
    }
    double sum = length[0].x + length[1].x;
    if (sum > 0.0) {
        double by = -lambda / (sum * sum);
        weight = perp_number_of(lambda / sum, by, &length[0], by, &length[1]);
        n = (perp_vector){{0.0}, {{0.0}}};
        perp_vector_add(&d[0], &d[1], 1.0);
        perp_vector_add_product(&n, &d[0], &weight);
    }
    push_anchors(step, &n);
}

/* p . d, p on the second body. */
static void push_slide(joint_step *step, const double *p)
{
    perp_vector mean = carried_mean(&step->b, p), D = {{0.0}, {{0.0}}};
    push_first(step, &mean, &mean, step->frames->r_a);
    if (!step->two)
        return;
    add_apart(&D, step, NULL, 0, 0.5);
    add_apart(&D, step, NULL, 1, 0.5);
    push_second(step, 1.0, &D, p);
}

static void push_slides(joint_step *step, const double *lambda)
{
    double p[3];
    for (int k = 0; k < 3; k++)
        p[k] = lambda[0] * step->frames->normals[0][k] + lambda[1] * step->frames->normals[1][k];
    push_slide(step, p);
}

/* x / sin x and its slope, |x| < pi. */
static double over_sine(double x, double *slope)
{
    double square = x * x;
    if (square < 1e-4) {
        *slope = x * (1.0 / 3.0 + square * (7.0 / 90.0 + square * (31.0 / 2520.0)));
        return 1.0 + square * (1.0 / 6.0 + square * (7.0 / 360.0 + square * (31.0 / 15120.0)));
    }
    double sine = sin(x);
    *slope = (sine - x * cos(x)) / (sine * sine);
    return x / sine;
}

/* c = n_1 . mark and s = n_2 . mark at one end. */
static void circle(perp_number c_s[2], const joint_step *step, int end)
{
    perp_vector mark = carried(&step->a, step->frames->mark, end);
    for (int k = 0; k < 2; k++) {
        perp_vector n = carried(&step->b, step->frames->normals[k], end);
        c_s[k] = perp_vector_dot(&n, &mark);
    }
}

static void push_angle(joint_step *step, double lambda)
{
    const perp_joint_frames *frames = step->frames;
    perp_number at[2][2], part[2];
    circle(at[0], step, 0);
    circle(at[1], step, 1);
    double c0 = at[0][0].x, s0 = at[0][1].x, c1 = at[1][0].x, s1 = at[1][1].x;
    perp_number along = perp_number_of(c0 * c1, c1, &at[0][0], c0, &at[1][0]);
    perp_number more = perp_number_of(s0 * s1, s1, &at[0][1], s0, &at[1][1]);
    along = perp_number_of(along.x + more.x, 1.0, &along, 1.0, &more);
    perp_number across = perp_number_of(c0 * s1, s1, &at[0][0], c0, &at[1][1]);
    more = perp_number_of(s0 * c1, c1, &at[0][1], s0, &at[1][0]);
    across = perp_number_of(across.x - more.x, 1.0, &across, -1.0, &more);
    double square = along.x * along.x + across.x * across.x, rho = sqrt(square), slope;
    if (!(square > 0.0))
        return;
    double ratio = over_sine(atan2(across.x, along.x), &slope);
    perp_number weight = perp_number_of(
        lambda * ratio / rho,
        lambda * (-slope * across.x / square - ratio * along.x / square) / rho, &along,
        lambda * (slope * along.x / square - ratio * across.x / square) / rho, &across);
    for (int k = 0; k < 2; k++) { /* of n_1: -s, of n_2: c */
        double sign = k ? 0.5 : -0.5;
        perp_number mean =
            perp_number_of(sign * (at[0][!k].x + at[1][!k].x), sign, &at[0][!k], sign, &at[1][!k]);
        part[k] = perp_number_product(&weight, &mean);
    }
    perp_vector turned = {{0.0}, {{0.0}}}, own = turned,
                mark = carried_mean(&step->a, frames->mark);
    for (int k = 0; k < 2; k++) {
        perp_vector n = carried_mean(&step->b, frames->normals[k]);
        perp_vector_add_product(&turned, &n, &part[k]);
        perp_vector_add_constant(&own, frames->normals[k], &part[k]);
    }
    push_first(step, NULL, &turned, frames->mark);
    if (!step->two)
        return;
    perp_vector back = turned_back(&step->b, &mark);
    perp_vector_add_cross(&step->moment_b, 1.0, &own, &back);
}

/* psi of the lane k of a body, at 0, 1/2 or 1 of the step. */
static void small_turn(double *psi, const span *s, double part, const double *R, int k)
{
    if (k < 3) {
        perp_rotate_back3(psi, R, s->R0 + 3 * k);
        return;
    }
    double w[3], unit[3] = {k == 3, k == 4, k == 5}, once[3], twice[3];
    for (int i = 0; i < 3; i++)
        w[i] = part * s->w[i];
    double square = part * part * s->square, beta = beta_of(square),
           gamma = perp_sinc_defect(square);
    perp_cross3(once, w, unit);
    perp_cross3(twice, w, once);
    for (int i = 0; i < 3; i++)
        psi[i] = part * (unit[i] - beta * once[i] + gamma * twice[i]);
}

static const double *rotation_at(double *R, const span *s, double part)
{
    if (part == 0.0)
        return s->R0;
    if (part == 1.0)
        return s->R1;
    perp_quaternion_matrix(s->qm + 3, R);
    return R;
}

/* Half of (0, left) o e + e o (0, right) into lane k. */
static void turn_lane(perp_number *scalar, perp_vector *v, int k, const double *left,
                      const double *right)
{
    double sum[3], apart[3], across[3];
    for (int i = 0; i < 3; i++) {
        sum[i] = right[i] + left[i];
        apart[i] = right[i] - left[i];
    }
    perp_cross3(across, v->x, apart);
    scalar->d[k] = -0.5 * perp_dot3(v->x, sum);
    for (int i = 0; i < 3; i++)
        v->d[i][k] = 0.5 * (scalar->x * sum[i] + across[i]);
}

/* e a part of the step on, with this sign: its scalar and its vector. */
static void turn_at(perp_number *scalar, perp_vector *v, const joint_step *step, double part,
                    double sign)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const span *a = &step->a, *b = &step->b;
    const double *q_a = part == 0.0 ? a->q0 : part == 1.0 ? a->q1 : a->qm;
    const double *q_b = part == 0.0 ? b->q0 : part == 1.0 ? b->q1 : b->qm;
    double e[4], C[9], space[9], psi[3], seen[3];
    perp_joint_turn(e, step->frames, q_a, q_b);
    *scalar = (perp_number){.x = sign * e[0]};
    *v = (perp_vector){{sign * e[1], sign * e[2], sign * e[3]}, {{0.0}}};
    const double *R = rotation_at(space, a, part);
    for (int k = 0; k < 6; k++) {
        small_turn(psi, a, part, R, k);
        turn_lane(scalar, v, PERP_LANES_A + k, none, psi);
    }
    if (!step->two)
        return;
    R = rotation_at(space, b, part);
    perp_quaternion_matrix(step->frames->c, C);
    for (int k = 0; k < 6; k++) {
        small_turn(psi, b, part, R, k);
        perp_rotate_back3(seen, C, psi);
        for (int i = 0; i < 3; i++)
            seen[i] = -seen[i];
        turn_lane(scalar, v, PERP_LANES_B + k, seen, none);
    }
}

/* sinc(t/4) of one body times cos(t/4) of the other, t the turns of the step. */
static perp_number turn_scale(const span *s, const span *other)
{
    double own = s->square / 16.0, its = other->square / 16.0;
    double sinc = perp_sinc(own), cosine = cos(sqrt(its));
    double slope = (perp_sinc_defect(own) - beta_of(own)) / 16.0;
    perp_number out = {.x = sinc * cosine};
    for (int k = 0; k < 3; k++) {
        out.d[s->first + 3 + k] = cosine * slope * s->w[k];
        out.d[other->first + 3 + k] = -sinc * perp_sinc(its) / 16.0 * other->w[k];
    }
    return out;
}

static double turn_sign(const joint_step *step)
{
    double e[4];
    perp_joint_turn(e, step->frames, step->a.q0, step->b.q0);
    return e[0] < 0.0 ? -1.0 : 1.0;
}

/* The rows 2 vec(e) times lambda. */
static void push_turn(joint_step *step, const perp_vector *lambda)
{
    perp_number scalar, scale = turn_scale(&step->a, &step->b);
    perp_vector v, sum = {{0.0}, {{0.0}}}, out;
    turn_at(&scalar, &v, step, 0.5, turn_sign(step));
    perp_vector_add_product(&sum, lambda, &scalar);
    perp_vector_add_cross(&sum, -1.0, &v, lambda);
    perp_vector_add_product(&step->moment_a, &sum, &scale);
    if (!step->two)
        return;
    double C[9];
    perp_quaternion_matrix(step->frames->c, C);
    perp_vector_add_cross(&sum, 2.0, &v, lambda);
    perp_vector_rotate(&out, C, &sum);
    scale = turn_scale(&step->b, &step->a);
    scale = perp_number_of(-scale.x, -1.0, &scale, 0.0, &scale);
    perp_vector_add_product(&step->moment_b, &out, &scale);
}

static void push_turn_rows(joint_step *step, const double *lambda)
{
    perp_vector constant = {{lambda[0], lambda[1], lambda[2]}, {{0.0}}};
    push_turn(step, &constant);
}

static void push_whole_turn(joint_step *step, double lambda)
{
    perp_number scalar[2], size[2], angle[2], weight;
    perp_vector v[2], n = {{lambda, 0.0, 0.0}, {{0.0}}};
    double sign = turn_sign(step), slope;
    for (int end = 0; end < 2; end++) {
        turn_at(&scalar[end], &v[end], step, end, sign);
        size[end] = perp_vector_length(&v[end]);
        double s = size[end].x, c = scalar[end].x, square = s * s + c * c;
        angle[end] = perp_number_of(atan2(s, c), c / square, &size[end], -s / square, &scalar[end]);
    }
    double mean = 0.5 * (angle[0].x + angle[1].x), middle = cos(mean);
    double ratio = over_sine(0.5 * (angle[1].x - angle[0].x), &slope), sum = size[0].x + size[1].x;
    if (!(middle > 0.0))
        return;
    double grows = 0.5 * lambda * ratio * sin(mean) / (middle * middle),
           turns = 0.5 * lambda * slope / middle;
    weight =
        perp_number_of(lambda * ratio / middle, grows - turns, &angle[0], grows + turns, &angle[1]);
    if (sum > 0.0) {
        perp_number whole = perp_number_of(sum, 1.0, &size[0], 1.0, &size[1]);
        weight =
            perp_number_of(weight.x / sum, 1.0 / sum, &weight, -weight.x / (sum * sum), &whole);
        n = (perp_vector){{0.0}, {{0.0}}};
        perp_vector_add(&v[0], &v[1], 1.0);
        perp_vector_add_product(&n, &v[0], &weight);
    } else {
        static const double any[3] = {1.0, 0.0, 0.0};
        n = (perp_vector){{0.0}, {{0.0}}};
        perp_vector_add_constant(&n, any, &weight);
    }
    push_turn(step, &n);
}

/* The row half way. */
static void push_spin(joint_step *step, double lambda)
{
    const double *axis = step->frames->axis;
    double space_a[9], space_b[9], psi[3], turned[3], world[3], seen[3];
    const double *R_a = rotation_at(space_a, &step->a, 0.5);
    for (int i = 0; i < 3; i++)
        step->moment_a.x[i] += lambda * axis[i];
    if (!step->two)
        return;
    const double *R_b = rotation_at(space_b, &step->b, 0.5);
    perp_rotate3(world, R_a, axis);
    perp_rotate_back3(seen, R_b, world);
    for (int i = 0; i < 3; i++)
        step->moment_b.x[i] -= lambda * seen[i];
    for (int k = 0; k < 6; k++) {
        double back[3];
        small_turn(psi, &step->a, 0.5, R_a, k);
        perp_cross3(turned, psi, axis);
        perp_rotate3(world, R_a, turned);
        perp_rotate_back3(back, R_b, world);
        small_turn(psi, &step->b, 0.5, R_b, k);
        perp_cross3(turned, seen, psi);
        for (int i = 0; i < 3; i++) {
            step->moment_b.d[i][PERP_LANES_A + k] -= lambda * back[i];
            step->moment_b.d[i][PERP_LANES_B + k] -= lambda * turned[i];
        }
    }
}

static void push_coordinate(joint_step *step, double lambda)
{
    double p[3], sided = lambda * perp_joint_side(step->link);
    perp_joint joint = step->link->relation.joint;
    for (int k = 0; k < 3; k++)
        p[k] = sided * step->frames->axis_b[k];
    if (joint == PERP_JOINT_SLIDE)
        push_slide(step, p);
    else if (joint == PERP_JOINT_ANGLE)
        push_angle(step, sided);
    else if (joint == PERP_JOINT_TURN)
        push_whole_turn(step, sided);
    else
        push_spin(step, sided);
}

static void push(joint_step *step, const double *lambda)
{
    const perp_joint_frames *frames = step->frames;
    double p[3];
    switch (step->link->relation.joint) {
    case PERP_JOINT_POINT:
        push_fixed(step, lambda);
        break;
    case PERP_JOINT_PIVOT:
        push_fixed(step, lambda);
        push_parallel(step, lambda + 3);
        break;
    case PERP_JOINT_PRISMATIC:
        push_slides(step, lambda);
        push_turn_rows(step, lambda + 2);
        break;
    case PERP_JOINT_FIXED:
        push_fixed(step, lambda);
        push_turn_rows(step, lambda + 3);
        break;
    case PERP_JOINT_DISTANCE:
        push_distance(step, lambda[0]);
        break;
    case PERP_JOINT_CYLINDRICAL:
        push_slides(step, lambda);
        push_parallel(step, lambda + 2);
        break;
    case PERP_JOINT_UNIVERSAL:
        push_fixed(step, lambda);
        for (int k = 0; k < 3; k++)
            p[k] = lambda[3] * frames->axis_b[k];
        push_product(step, frames->axis, p);
        break;
    case PERP_JOINT_PLANAR:
        for (int k = 0; k < 3; k++)
            p[k] = lambda[0] * frames->axis_b[k];
        push_slide(step, p);
        push_parallel(step, lambda + 1);
        break;
    case PERP_JOINT_SLIDE:
    case PERP_JOINT_ANGLE:
    case PERP_JOINT_TURN:
    case PERP_JOINT_SPIN:
        push_coordinate(step, lambda[0]);
        break;
    }
}

/* Column of one coordinate: of the force, its opposite and the moments, from a lane. */
static void write_column(double *out, const joint_step *step, int lane, double sign)
{
    for (int i = 0; i < 3; i++) {
        out[i] = sign * step->force.d[i][lane];
        out[3 + i] = sign * step->moment_a.d[i][lane];
        if (!step->two)
            continue;
        out[6 + i] = -sign * step->force.d[i][lane];
        out[9 + i] = sign * step->moment_b.d[i][lane];
    }
}

void perp_joint_gradient_turn(double *by_q, double *by_D, const perp_link *link, double h,
                              const double *lambda)
{
    joint_step step;
    int n = 6 * perp_link_bodies(link);
    memset(&step, 0, sizeof step);
    step.link = link;
    step.frames = link->joint;
    step.two = n == 12;
    cover(&step.a, perp_link_body(link, 0), PERP_LANES_A, h);
    cover(&step.b, step.two ? perp_link_body(link, 1) : NULL, PERP_LANES_B, h);
    push(&step, lambda);
    for (int j = 0; j < n; j++) {
        int second = j >= 6, k = j % 6, turn = (second ? PERP_LANES_B : PERP_LANES_A) + k - 3;
        double sign = second && k < 3 ? -1.0 : 1.0;
        write_column(by_q + j * n, &step, k < 3 ? PERP_LANES_PLACE + k : turn, sign);
        write_column(by_D + j * n, &step, k < 3 ? PERP_LANES_MOVE + k : turn + 3, sign);
    }
}
