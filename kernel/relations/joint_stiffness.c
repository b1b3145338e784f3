/* SPDX-License-Identifier: BSD-3-Clause */
/* Geometric stiffness of joints, K = -1/2 sum lambda_i Hess(y_i) half way.  Along R exp(s omega)
 *
 *     a place R r against f           (omega x (omega x r)) . R'f = omega' S(r, R'f) omega,
 *                                     S(r, f) = (r f' + f r')/2 - (r . f) I
 *     R_a a against R_b b             (w_a x a) . (w_b x b) = w_a' ((a . b) I - b a') w_b, world
 * axes e = conj(c) o conj(q_b) o q_a   -|omega|^2 e / 4 for each body, and both:
 *                                     -(R(c)' omega_b) o e o omega_a / 4
 *     the angle of e, n its axis, w = omega_a - R(c)' omega_b, k = cot(angle/2)/2
 *                                     k (|w|^2 - (n . w)^2) - (R(c)' omega_b) . (n x omega_a) */
#include <math.h>

#include "kernel/relations/discrete_gradient.h"
#include "kernel/relations/joint_frames.h"

enum { FIRST = 3, SECOND_CENTRE = 6, SECOND = 9 }; /* where the parts of the twists begin */

typedef struct half_way {
    double *K;
    int nv, two;
    const perp_joint_frames *frames;
    const double *q_a, *q_b; /* q_b NULL: the world */
    double R_a[9], R_b[9];
} half_way;

/* Block (row, col) += scale B, and its mirror image; B column-major. */
static void add_pair(const half_way *at, int row, int col, double scale, const double *B)
{
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            at->K[row + i + (col + j) * at->nv] += scale * B[i + 3 * j];
            at->K[col + j + (row + i) * at->nv] += scale * B[i + 3 * j];
        }
}

static void add_identity(const half_way *at, int first, double scale)
{
    for (int i = 0; i < 3; i++)
        at->K[(first + i) * (at->nv + 1)] += scale;
}

/* Block of one rotation += scale S(r, R'f). */
static void add_place(const half_way *at, int first, double scale, const double *r, const double *R,
                      const double *f)
{
    double g[3];
    perp_rotate_back3(g, R, f);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            at->K[first + i + (first + j) * at->nv] += scale * 0.5 * (r[i] * g[j] + g[i] * r[j]);
    add_identity(at, first, -scale * perp_dot3(r, g));
}

/* Block of both rotations += scale R_a' ((a . b) I - b a') R_b. */
static void add_product(const half_way *at, double scale, const double *a, const double *b)
{
    double B[9], left[3], right[3], both = perp_dot3(a, b);
    perp_rotate_back3(left, at->R_a, b);
    perp_rotate_back3(right, at->R_b, a);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            B[i + 3 * j] = both * perp_dot3(at->R_a + 3 * i, at->R_b + 3 * j) - left[i] * right[j];
    add_pair(at, FIRST, SECOND, scale, B);
}

/* Both anchors under the force f. */
static void add_anchors(const half_way *at, double scale, const double *f)
{
    add_place(at, FIRST, scale, at->frames->r_a, at->R_a, f);
    if (at->two)
        add_place(at, SECOND, -scale, at->frames->r_b, at->R_b, f);
}

static void add_parallel(const half_way *at, const double *lambda)
{
    double axis[3], normal[3];
    perp_rotate3(axis, at->R_a, at->frames->axis);
    for (int k = 0; k < 2; k++) {
        const double *p = at->frames->normals[k];
        perp_rotate3(normal, at->R_b, p);
        add_place(at, FIRST, -0.5 * lambda[k], at->frames->axis, at->R_a, normal);
        if (!at->two)
            continue;
        add_place(at, SECOND, -0.5 * lambda[k], p, at->R_b, axis);
        add_product(at, -0.5 * lambda[k], axis, normal);
    }
}

/* lambda p . D, D from the centre of the second body to the anchor of the first. */
static void add_slide(const half_way *at, double lambda, const double *p)
{
    double arm[3], D[3], normal[3], B[9], scale = -0.5 * lambda;
    perp_rotate3(arm, at->R_a, at->frames->r_a);
    for (int k = 0; k < 3; k++)
        D[k] = at->q_a[k] + arm[k] - (at->q_b ? at->q_b[k] : 0.0);
    perp_rotate3(normal, at->R_b, p);
    add_place(at, FIRST, scale, at->frames->r_a, at->R_a, normal);
    if (!at->two)
        return;
    add_place(at, SECOND, scale, p, at->R_b, D);
    add_product(at, scale, arm, normal);
    /* (omega_b x p) . x, columns R_b e_j x p. */
    for (int j = 0; j < 3; j++)
        perp_cross3(B + 3 * j, at->R_b + 3 * j, normal);
    add_pair(at, 0, SECOND, scale, B);
    add_pair(at, SECOND_CENTRE, SECOND, -scale, B);
}

/* Weights of the rates of both rotations in a . b, as a twist. */
static void product_rate(double *rate, const half_way *at, const double *a, const double *b,
                         double scale)
{
    double moment[3], back[3];
    perp_cross3(moment, a, b);
    perp_rotate_back3(back, at->R_a, moment);
    for (int k = 0; k < 3; k++)
        rate[FIRST + k] += scale * back[k];
    if (!at->two)
        return;
    perp_rotate_back3(back, at->R_b, moment);
    for (int k = 0; k < 3; k++)
        rate[SECOND + k] -= scale * back[k];
}

/* phi = atan2(s, c) of c = p_1 . m, s = p_2 . m. */
static void add_angle(const half_way *at, double lambda)
{
    const perp_joint_frames *frames = at->frames;
    double mark[3], normals[2][3], across[3], p[3], c, s, turn[12] = {0.0}, grow[12] = {0.0};
    perp_rotate3(mark, at->R_a, frames->mark);
    for (int k = 0; k < 2; k++)
        perp_rotate3(normals[k], at->R_b, frames->normals[k]);
    perp_joint_circle(&c, &s, mark, (const double(*)[3])normals);
    double square = c * c + s * s;
    if (!(square > 0.0))
        return;
    perp_joint_across(across, (const double(*)[3])normals, c, s, 1.0 / square);
    perp_joint_across(p, frames->normals, c, s, 1.0 / square);
    add_place(at, FIRST, -0.5 * lambda, frames->mark, at->R_a, across);
    if (at->two) {
        add_place(at, SECOND, -0.5 * lambda, p, at->R_b, mark);
        add_product(at, -0.5 * lambda, mark, across);
    }
    product_rate(turn, at, mark, across, 1.0);
    product_rate(grow, at, mark, normals[0], c / square);
    product_rate(grow, at, mark, normals[1], s / square);
    for (int j = 0; j < at->nv; j++)
        for (int i = 0; i < at->nv; i++)
            at->K[i + j * at->nv] += 0.5 * lambda * (turn[i] * grow[j] + grow[i] * turn[j]);
}

/* a . b of UNIVERSAL. */
static void add_axes(const half_way *at, double lambda)
{
    const perp_joint_frames *frames = at->frames;
    double axis[3], other[3];
    perp_rotate3(axis, at->R_a, frames->axis);
    perp_rotate3(other, at->R_b, frames->axis_b);
    add_place(at, FIRST, -0.5 * lambda, frames->axis, at->R_a, other);
    if (!at->two)
        return;
    add_place(at, SECOND, -0.5 * lambda, frames->axis_b, at->R_b, axis);
    add_product(at, -0.5 * lambda, axis, other);
}

/* 2 vec(e) with e_0 >= 0 at the start, as in joint_gradient.c. */
static void add_turn(const half_way *at, const perp_link *link, const double *lambda)
{
    double e[4], C[9], N[9], B[9];
    const double *start = at->two ? perp_link_body(link, 1)->q[PERP_START] : NULL;
    perp_joint_turn(e, at->frames, perp_link_body(link, 0)->q[PERP_START], start);
    double sign = e[0] < 0.0 ? -1.0 : 1.0;
    perp_joint_turn(e, at->frames, at->q_a, at->q_b);
    for (int k = 0; k < 4; k++)
        e[k] *= sign;
    const double *v = e + 1;
    double along = perp_dot3(lambda, v);
    add_identity(at, FIRST, 0.25 * along);
    if (!at->two)
        return;
    add_identity(at, SECOND, 0.25 * along);
    /* lambda . vec(w o e o omega_a) = w' N omega_a,
     * N = (lambda . v) I - v lambda' - lambda v' - e_0 skew lambda, w = R(c)' omega_b. */
    const double skew[9] = {0.0,       lambda[2], -lambda[1], -lambda[2], 0.0,
                            lambda[0], lambda[1], -lambda[0], 0.0};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++)
            N[i + 3 * j] = (i == j ? along : 0.0) - v[i] * lambda[j] - lambda[i] * v[j] -
                           e[0] * skew[i + 3 * j];
    perp_quaternion_matrix(at->frames->c, C);
    for (int j = 0; j < 3; j++)
        perp_rotate3(B + 3 * j, C, N + 3 * j);
    add_pair(at, SECOND, FIRST, 0.25, B);
}

/* The whole angle of e. */
static void add_whole_turn(const half_way *at, double lambda)
{
    double e[4], n[3], C[9], across[9], mixed[9], B[9], D[9];
    perp_joint_turn(e, at->frames, at->q_a, at->q_b);
    for (int k = 3; k >= 0; k--)
        e[k] = e[0] < 0.0 ? -e[k] : e[k];
    double size = perp_joint_axis(n, e), k = size > 1e-8 ? 0.5 * e[0] / size : 0.0;
    const double skew[9] = {0.0, n[2], -n[1], -n[2], 0.0, n[0], n[1], -n[0], 0.0};
    for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) {
            across[i + 3 * j] = -0.5 * lambda * k * ((i == j ? 1.0 : 0.0) - n[i] * n[j]);
            mixed[j + 3 * i] = -across[i + 3 * j] - 0.25 * lambda * skew[i + 3 * j];
            at->K[FIRST + i + (FIRST + j) * at->nv] += across[i + 3 * j];
        }
    if (!at->two)
        return;
    /* mixed: of R(c)' omega_b (rows) and omega_a; both parts of the second turned by R(c). */
    perp_quaternion_matrix(at->frames->c, C);
    for (int j = 0; j < 3; j++) {
        perp_rotate3(B + 3 * j, C, mixed + 3 * j);
        perp_rotate3(D + 3 * j, C, across + 3 * j);
    }
    add_pair(at, SECOND, FIRST, 1.0, B);
    for (int j = 0; j < 3; j++)
        for (int i = 0; i <= j; i++) {
            double sum = D[i] * C[j] + D[i + 3] * C[j + 3] + D[i + 6] * C[j + 6];
            at->K[SECOND + i + (SECOND + j) * at->nv] += sum;
            at->K[SECOND + j + (SECOND + i) * at->nv] += i < j ? sum : 0.0;
        }
}

/* |d|: n . d'' and the square of d' across n over |d|. */
static void add_distance(const half_way *at, double lambda)
{
    double J[36], across[36], d[3], n[3] = {1.0, 0.0, 0.0}, arm_a[3], arm_b[3];
    perp_rotate3(arm_a, at->R_a, at->frames->r_a);
    perp_rotate3(arm_b, at->R_b, at->frames->r_b);
    for (int k = 0; k < 3; k++)
        d[k] = at->q_a[k] + arm_a[k] - ((at->q_b ? at->q_b[k] : 0.0) + arm_b[k]);
    double length = sqrt(perp_dot3(d, d));
    for (int k = 0; k < 3 && length > 0.0; k++)
        n[k] = d[k] / length;
    add_anchors(at, -0.5 * lambda, n);
    if (!(length > 0.0))
        return;
    for (int k = 0; k < 3; k++) {
        double unit[3] = {k == 0, k == 1, k == 2};
        memcpy(J + 3 * k, unit, sizeof unit);
        perp_cross3(J + 9 + 3 * k, at->R_a + 3 * k, arm_a);
        for (int i = 0; i < 3; i++)
            J[18 + 3 * k + i] = -unit[i];
        perp_cross3(J + 27 + 3 * k, arm_b, at->R_b + 3 * k);
    }
    for (int j = 0; j < at->nv; j++) {
        double along = perp_dot3(n, J + 3 * j);
        for (int i = 0; i < 3; i++)
            across[i + 3 * j] = J[i + 3 * j] - along * n[i];
    }
    for (int j = 0; j < at->nv; j++)
        for (int i = 0; i < at->nv; i++)
            at->K[i + j * at->nv] -=
                0.5 * lambda / length * perp_dot3(across + 3 * i, across + 3 * j);
}

/* K of both bodies, 36 or 144 numbers. */
static void fill(double *K, const perp_link *link, const double *lambda)
{
    static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    int two = perp_link_bodies(link) == 2, nv = two ? 12 : 6;
    half_way at = {.K = K, .nv = nv, .two = two, .frames = link->joint};
    perp_joint joint = link->relation.joint;
    memset(K, 0, (size_t)nv * (size_t)nv * sizeof(double));
    at.q_a = perp_link_body(link, 0)->q[PERP_GUESS];
    at.q_b = two ? perp_link_body(link, 1)->q[PERP_GUESS] : NULL;
    perp_quaternion_matrix(at.q_a + 3, at.R_a);
    if (at.q_b)
        perp_quaternion_matrix(at.q_b + 3, at.R_b);
    else
        memcpy(at.R_b, identity, sizeof identity);
    double sided = lambda[0] * perp_joint_side(link);
    int slides = joint == PERP_JOINT_PRISMATIC || joint == PERP_JOINT_CYLINDRICAL;
    for (int k = 0; slides && k < 2; k++)
        add_slide(&at, lambda[k], at.frames->normals[k]);
    switch (joint) {
    case PERP_JOINT_DISTANCE:
        add_distance(&at, lambda[0]);
        return;
    case PERP_JOINT_SLIDE:
        add_slide(&at, sided, at.frames->axis_b);
        return;
    case PERP_JOINT_ANGLE:
        add_angle(&at, sided);
        return;
    case PERP_JOINT_TURN:
        add_whole_turn(&at, sided);
        return;
    case PERP_JOINT_SPIN: /* no gradient, and its moment is small beside what ties the bodies */
        return;
    case PERP_JOINT_CYLINDRICAL:
        add_parallel(&at, lambda + 2);
        return;
    case PERP_JOINT_PLANAR:
        add_slide(&at, lambda[0], at.frames->axis_b);
        add_parallel(&at, lambda + 1);
        return;
    case PERP_JOINT_PRISMATIC:
        add_turn(&at, link, lambda + 2);
        return;
    case PERP_JOINT_POINT:
    case PERP_JOINT_PIVOT:
    case PERP_JOINT_FIXED:
    case PERP_JOINT_UNIVERSAL:
        break;
    }
    add_anchors(&at, -0.5, lambda);
    if (joint == PERP_JOINT_PIVOT)
        add_parallel(&at, lambda + 3);
    if (joint == PERP_JOINT_FIXED)
        add_turn(&at, link, lambda + 3);
    if (joint == PERP_JOINT_UNIVERSAL)
        add_axes(&at, lambda[3]);
}

void perp_joint_stiffness(double *K, const perp_link *link, const double *lambda)
{
    double both[144];
    int first = link->guide_first ? 6 : 0;
    fill(link->guide ? both : K, link, lambda);
    for (int j = 0; link->guide && j < 6; j++)
        for (int i = 0; i < 6; i++)
            K[i + 6 * j] = both[first + i + 12 * (first + j)];
}

int perp_link_stiffness(double *K, const perp_link *link, const double *lambda)
{
    if (link->relation.kind == PERP_RELATION_COUPLING) {
        perp_coupling_stiffness(K, link, lambda[0]);
        return 1;
    }
    if (link->relation.kind != PERP_RELATION_JOINT)
        return 0;
    perp_joint_stiffness(K, link, lambda);
    return 1;
}
