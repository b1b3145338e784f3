/* SPDX-License-Identifier: BSD-3-Clause */
/* JOINT: bilateral constraints between two bodies, or a body and the world (which counts as
 * a second body with R = I, at rest).  With P_a, P_b the anchors and d = P_a - P_b:
 *
 *     POINT      d, in the inertial frame
 *     PIVOT      d, then p_k . a: a the axis on the first body, p_1, p_2 normal to it on the second
 *     PRISMATIC  p_k . d, then the rotation
 *     FIXED      d, then the rotation
 *     DISTANCE   |d| - length
 *     CYLINDRICAL  p_k . d, then p_k . a
 *     UNIVERSAL  d, then a . b - const, b the other axis on the second body
 *     PLANAR     b . d, b the axis on the second body, then p_k . a
 *     SLIDE      b . d, b the axis on the second body
 *     ANGLE      atan2(p_2 . m, p_1 . m), m on the first body where p_1 was when it was made
 *     TURN       2 atan2(|vec(e)|, |e_0|)
 *     SPIN       0; its rate is a . (w_a - w_b), a the axis on the first body
 *
 * The rotation is 2 vec(e) sign(e_0), e = conj(c) o conj(q_b) o q_a, c its value when made:
 * near e = 1 the rotation vector of the first body seen from the second. */
#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "core/float_environment.h"
#include "kernel/relations/joint_frames.h"
#include "kernel/relations/joint_memo.h"
#include "kernel/relations/twist.h"

/* A joint at one configuration, inertial frame. */
typedef struct placed {
    double R_a[9], R_b[9];
    double arm_a[3], arm_b[3]; /* from the centres of mass to the anchors */
    double d[3];
} placed;

int perp_joint_rows(perp_joint joint)
{
    PERP_HOLD_ENVIRONMENT();
    switch (joint) {
    case PERP_JOINT_POINT:
    case PERP_JOINT_PLANAR:
        return 3;
    case PERP_JOINT_PIVOT:
    case PERP_JOINT_PRISMATIC:
        return 5;
    case PERP_JOINT_FIXED:
        return 6;
    case PERP_JOINT_CYLINDRICAL:
    case PERP_JOINT_UNIVERSAL:
        return 4;
    case PERP_JOINT_DISTANCE:
    case PERP_JOINT_SLIDE:
    case PERP_JOINT_ANGLE:
    case PERP_JOINT_TURN:
    case PERP_JOINT_SPIN:
        return 1;
    }
    return 0;
}

int perp_joint_is_angle(const perp_link *link)
{
    if (link->coupling)
        return perp_coupling_part(link, 0) && perp_joint_is_angle(perp_coupling_part(link, 0));
    return link->joint && link->relation.joint == PERP_JOINT_ANGLE;
}

double perp_joint_unwrap(const perp_link *link, double angle)
{
    static const double turn = 6.283185307179586476925;
    return angle + turn * nearbyint((link->branch - angle) / turn);
}

static const double *second_body(const perp_link *link, const double *x)
{
    return perp_link_bodies(link) == 2 ? x + 7 : NULL;
}

static void rotations(placed *at, const double *q_a, const double *q_b)
{
    static const double identity[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    perp_quaternion_matrix(q_a + 3, at->R_a);
    if (q_b)
        perp_quaternion_matrix(q_b + 3, at->R_b);
    else
        memcpy(at->R_b, identity, sizeof identity);
}

static void place(placed *at, const perp_joint_frames *frames, const double *q_a, const double *q_b)
{
    rotations(at, q_a, q_b);
    perp_rotate3(at->arm_a, at->R_a, frames->r_a);
    perp_rotate3(at->arm_b, at->R_b, frames->r_b);
    for (int k = 0; k < 3; k++)
        at->d[k] = q_a[k] + at->arm_a[k] - ((q_b ? q_b[k] : 0.0) + at->arm_b[k]);
}

/* e with e_0 >= 0. */
static void turn(double e[4], const perp_joint_frames *frames, const double *q_a, const double *q_b)
{
    perp_joint_turn(e, frames, q_a, q_b);
    for (int k = 3; k >= 0; k--)
        e[k] = e[0] < 0.0 ? -e[k] : e[k];
}

static perp_status refuse(perp_where *where, perp_status status, const char *what)
{
    if (where)
        *where = (perp_where){what, -1, -1};
    return status;
}

/* 0: there is no such direction. */
static int unit(double axis[3], const double *given)
{
    double largest = fmax(fabs(given[0]), fmax(fabs(given[1]), fabs(given[2])));
    if (!(largest > 0.0))
        return 0;
    for (int k = 0; k < 3; k++)
        axis[k] = given[k] / largest;
    double norm = sqrt(perp_dot3(axis, axis));
    for (int k = 0; k < 3; k++)
        axis[k] /= norm;
    return 1;
}

/* The other axis of UNIVERSAL, on the second body. */
static perp_status make_second_axis(perp_joint_frames *frames, const placed *at, const double *axis,
                                    const double *given, perp_where *where)
{
    double other[3], across[3];
    if (!unit(other, given))
        return refuse(where, PERP_ERR_ARGUMENT, "relation.axis_b");
    perp_cross3(across, axis, other);
    if (!(perp_dot3(across, across) > 1e-6))
        return refuse(where, PERP_ERR_ARGUMENT, "relation.axis_b");
    frames->cosine = perp_dot3(axis, other);
    perp_rotate_back3(frames->axis_b, at->R_b, other);
    return PERP_SOLVED;
}

/* The axis of norm 1, two normals of it and their body frames. */
static perp_status make_axis(perp_joint_frames *frames, const placed *at, const double *given,
                             const double *second, perp_where *where)
{
    double axis[3], normals[2][3], other[3] = {0.0};
    if (!unit(axis, given))
        return refuse(where, PERP_ERR_ARGUMENT, "relation.axis");
    int smallest = 0;
    for (int k = 0; k < 3; k++)
        smallest = fabs(axis[k]) < fabs(axis[smallest]) ? k : smallest;
    other[smallest] = 1.0;
    perp_cross3(normals[0], axis, other);
    double norm = sqrt(perp_dot3(normals[0], normals[0]));
    for (int k = 0; k < 3; k++)
        normals[0][k] /= norm;
    perp_cross3(normals[1], axis, normals[0]);
    perp_rotate_back3(frames->axis, at->R_a, axis);
    for (int k = 0; k < 2; k++)
        perp_rotate_back3(frames->normals[k], at->R_b, normals[k]);
    perp_rotate_back3(frames->mark, at->R_a, normals[0]);
    perp_rotate_back3(frames->axis_b, at->R_b, axis);
    return second ? make_second_axis(frames, at, axis, second, where) : PERP_SOLVED;
}

static int finite3(const double *x)
{
    return isfinite(x[0]) && isfinite(x[1]) && isfinite(x[2]);
}

static perp_status make_frames(perp_joint_frames *frames, const perp_relation *r, const double *q_a,
                               const double *q_b, perp_where *where)
{
    placed at;
    int distance = r->joint == PERP_JOINT_DISTANCE;
    int universal = r->joint == PERP_JOINT_UNIVERSAL;
    int turn = r->joint == PERP_JOINT_TURN;
    int needs_axis =
        r->joint != PERP_JOINT_POINT && r->joint != PERP_JOINT_FIXED && !distance && !turn;
    if (!finite3(r->anchor))
        return refuse(where, PERP_ERR_NONFINITE, "relation.anchor");
    if (distance && !finite3(r->anchor_b))
        return refuse(where, PERP_ERR_NONFINITE, "relation.anchor_b");
    if ((needs_axis || turn) && !finite3(r->axis))
        return refuse(where, PERP_ERR_NONFINITE, "relation.axis");
    if (universal && !finite3(r->axis_b))
        return refuse(where, PERP_ERR_NONFINITE, "relation.axis_b");
    const double *anchor_b = distance ? r->anchor_b : r->anchor;
    double arm_a[3], arm_b[3], d[3];
    for (int k = 0; k < 3; k++) {
        arm_a[k] = r->anchor[k] - q_a[k];
        arm_b[k] = anchor_b[k] - (q_b ? q_b[k] : 0.0);
        d[k] = r->anchor[k] - anchor_b[k];
    }
    rotations(&at, q_a, q_b);
    perp_rotate_back3(frames->r_a, at.R_a, arm_a);
    perp_rotate_back3(frames->r_b, at.R_b, arm_b);
    frames->length = sqrt(perp_dot3(d, d));
    perp_joint_relative(frames->c, q_a, q_b);
    if (turn) { /* e = exp(axis) */
        const double back[3] = {-r->axis[0], -r->axis[1], -r->axis[2]};
        double e[4];
        perp_quaternion_exp(back, e);
        perp_quaternion_product(frames->c, e, frames->c);
    }
    if (distance && !(frames->length > 0.0))
        return refuse(where, PERP_ERR_ARGUMENT, "relation.anchor_b");
    return needs_axis ? make_axis(frames, &at, r->axis, universal ? r->axis_b : NULL, where)
                      : PERP_SOLVED;
}

/* Zeros, which no rotation is. */
static int take_turns(perp_system *body, perp_pool *pool)
{
    if (!body->turns)
        body->turns = PERP_POOL_ARRAY(pool, perp_turns, 1);
    return body->turns != NULL;
}

perp_status perp_joint_make(perp_link *link, perp_pool *pool, perp_where *where)
{
    const double *q_b = perp_link_bodies(link) == 2 ? perp_link_body(link, 1)->q[PERP_NOW] : NULL;
    perp_joint_frames *frames = PERP_POOL_ARRAY(pool, perp_joint_frames, 1);
    link->joint = frames;
    int fits = frames != NULL;
    for (int k = 0; k < perp_link_bodies(link); k++)
        fits = fits && take_turns(perp_link_body(link, k), pool);
    if (!fits)
        return refuse(where, PERP_ERR_MEMORY, "relation.joint");
    return make_frames(frames, &link->relation, perp_link_body(link, 0)->q[PERP_NOW], q_b, where);
}

int perp_joint_anchor(double *point, const perp_link *link)
{
    const double *q = link->systems[0]->q[PERP_NOW];
    if (!link->joint)
        return 0;
    perp_quaternion_rotate(q + 3, link->guide_first ? link->joint->r_b : link->joint->r_a, point);
    for (int k = 0; k < 3; k++)
        point[k] += q[k];
    return 1;
}

double perp_joint_arm(const perp_link *link)
{
    const perp_joint_frames *frames = link->joint;
    if (!frames)
        return 0.0;
    double a = perp_dot3(frames->r_a, frames->r_a), b = perp_dot3(frames->r_b, frames->r_b);
    double arm = sqrt(link->guide_first ? b : link->nsystems == 2 ? fmax(a, b) : a);
    return link->relation.joint == PERP_JOINT_DISTANCE ? fmax(arm, frames->length) : arm;
}

int perp_joint_row_turns(const perp_link *link, int row)
{
    perp_joint joint = link->relation.joint;
    if (!link->joint)
        return perp_joint_is_angle(link);
    int distance = joint == PERP_JOINT_DISTANCE;
    int slides = joint == PERP_JOINT_PRISMATIC || joint == PERP_JOINT_CYLINDRICAL;
    int turns = joint == PERP_JOINT_ANGLE || joint == PERP_JOINT_TURN || joint == PERP_JOINT_SPIN;
    return row >= (turns ? 0 : distance || joint == PERP_JOINT_PLANAR ? 1 : slides ? 2 : 3);
}

double perp_joint_length(const perp_link *link, int row)
{
    if (perp_joint_row_turns(link, row))
        return 1.0;
    int distance = link->relation.joint == PERP_JOINT_DISTANCE;
    return fmax(perp_joint_arm(link), distance ? link->joint->length : 0.0);
}

/* Mark and normals of an angle. */
static void circle(double *c, double *s, double mark[3], double normals[2][3],
                   const perp_joint_frames *frames, const placed *at)
{
    perp_rotate3(mark, at->R_a, frames->mark);
    for (int k = 0; k < 2; k++)
        perp_rotate3(normals[k], at->R_b, frames->normals[k]);
    perp_joint_circle(c, s, mark, (const double(*)[3])normals);
}

static double along_axis(const perp_link *link, const placed *at)
{
    double axis[3];
    perp_rotate3(axis, at->R_b, link->joint->axis_b);
    return perp_dot3(axis, at->d);
}

/* SLIDE or ANGLE itself, an angle on the branch of the link. */
static double coordinate(const perp_link *link, const placed *at)
{
    double mark[3], normals[2][3], c, s;
    if (link->relation.joint == PERP_JOINT_SLIDE)
        return along_axis(link, at);
    circle(&c, &s, mark, normals, link->joint, at);
    return perp_joint_unwrap(link, atan2(s, c));
}

void perp_joint_settle(perp_link *link, const double *x)
{
    placed at;
    if (link->coupling) {
        perp_coupling_settle(link, x);
        return;
    }
    if (!perp_joint_is_angle(link))
        return;
    x = perp_link_both_at(link, PERP_NOW, x);
    const perp_joint_memo *memo = perp_joint_memo_at(&link->joint->memo, link, x);
    if (perp_joint_memo_knows_output(memo, link)) {
        link->branch = memo->coordinate;
        return;
    }
    place(&at, link->joint, x, second_body(link, x));
    link->branch = coordinate(link, &at);
}

/* p_k . a, or a . b - const. */
static void axes_output(double *y, const perp_link *link, const placed *at)
{
    const perp_joint_frames *frames = link->joint;
    int universal = link->relation.joint == PERP_JOINT_UNIVERSAL;
    double axis[3], other[3];
    perp_rotate3(axis, at->R_a, frames->axis);
    for (int k = 0; k < (universal ? 1 : 2); k++) {
        perp_rotate3(other, at->R_b, universal ? frames->axis_b : frames->normals[k]);
        y[k] = perp_dot3(other, axis) - (universal ? frames->cosine : 0.0);
    }
}

static void slides_output(double *y, const perp_link *link, const placed *at)
{
    double normal[3];
    for (int k = 0; k < 2; k++) {
        perp_rotate3(normal, at->R_b, link->joint->normals[k]);
        y[k] = perp_dot3(normal, at->d);
    }
}

/* *along: SLIDE or ANGLE itself. */
static void find_output(double *y, double *along, const perp_link *link, const double *x)
{
    const perp_joint_frames *frames = link->joint;
    const double *q_b = second_body(link, x);
    perp_joint joint = link->relation.joint;
    double e[4], axis[3];
    placed at;
    place(&at, frames, x, q_b);
    switch (joint) {
    case PERP_JOINT_DISTANCE:
        y[0] = sqrt(perp_dot3(at.d, at.d)) - frames->length;
        return;
    case PERP_JOINT_SLIDE:
    case PERP_JOINT_ANGLE:
        *along = coordinate(link, &at);
        y[0] = perp_joint_sided(link, *along);
        return;
    case PERP_JOINT_TURN:
        turn(e, frames, x, q_b);
        y[0] = perp_joint_sided(link, 2.0 * atan2(perp_joint_axis(axis, e), e[0]));
        return;
    case PERP_JOINT_SPIN:
        y[0] = 0.0;
        return;
    case PERP_JOINT_PLANAR:
        y[0] = along_axis(link, &at);
        axes_output(y + 1, link, &at);
        return;
    case PERP_JOINT_CYLINDRICAL:
        slides_output(y, link, &at);
        axes_output(y + 2, link, &at);
        return;
    case PERP_JOINT_PRISMATIC:
        slides_output(y, link, &at);
        break;
    case PERP_JOINT_PIVOT:
    case PERP_JOINT_UNIVERSAL:
    case PERP_JOINT_POINT:
    case PERP_JOINT_FIXED:
        memcpy(y, at.d, sizeof at.d);
        break;
    }
    if (joint == PERP_JOINT_PIVOT || joint == PERP_JOINT_UNIVERSAL)
        axes_output(y + 3, link, &at);
    if (joint == PERP_JOINT_PRISMATIC || joint == PERP_JOINT_FIXED) {
        turn(e, frames, x, q_b);
        for (int k = 0; k < 3; k++)
            y[link->rows - 3 + k] = 2.0 * e[1 + k];
    }
}

void perp_joint_output(double *y, const perp_link *link, const double *x)
{
    perp_joint_memo *memo = perp_joint_memo_at(&link->joint->memo, link, x);
    if (!perp_joint_memo_knows_output(memo, link)) {
        find_output(memo->y, &memo->coordinate, link, x);
        perp_joint_memo_has_output(memo, link);
    }
    memcpy(y, memo->y, sizeof *y * (size_t)link->rows);
}

/* Row of both bodies: n . d where n is at rest, `extra` more moment on the second. */
static void anchor_row(double *H, int rows, const placed *at, const double *n, const double *extra,
                       int two)
{
    double moment[3];
    perp_cross3(moment, at->arm_a, n);
    perp_twist_row(H, rows, 1.0, n, moment, at->R_a);
    if (!two)
        return;
    perp_cross3(moment, at->arm_b, n);
    for (int k = 0; k < 3; k++)
        moment[k] += extra[k];
    perp_twist_row(H + 6 * rows, rows, -1.0, n, moment, at->R_b);
}

/* p . a: rate (w_a - w_b) . (a x p). */
static void parallel_row(double *H, int rows, const placed *at, const double *axis,
                         const double *normal, int two)
{
    static const double zero[3] = {0.0, 0.0, 0.0};
    double moment[3];
    perp_cross3(moment, axis, normal);
    perp_twist_row(H, rows, 1.0, zero, moment, at->R_a);
    if (two)
        perp_twist_row(H + 6 * rows, rows, -1.0, zero, moment, at->R_b);
}

void perp_joint_turn_rows(double *H, int rows, const perp_joint_frames *frames, const double *e,
                          double scale_a, double scale_b, int two)
{
    double C[9];
    const double *v = e + 1;
    double A[9] = {e[0], v[2], -v[1], -v[2], e[0], v[0], v[1], -v[0], e[0]};
    if (two)
        perp_quaternion_matrix(frames->c, C);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            H[i + k * rows] = 0.0;
            H[i + (3 + k) * rows] = scale_a * A[i + 3 * k];
            if (!two)
                continue;
            /* Row i of A' C', since e_0 I - skew v = A'. */
            double sum = 0.0;
            for (int j = 0; j < 3; j++)
                sum += A[j + 3 * i] * C[k + 3 * j];
            H[i + (6 + k) * rows] = 0.0;
            H[i + (9 + k) * rows] = scale_b * -sum;
        }
}

/* Rows of d in the inertial frame. */
static void coincide_rows(double *H, int rows, const placed *at, int two)
{
    static const double zero[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; k++) {
        double n[3] = {k == 0, k == 1, k == 2};
        anchor_row(H + k, rows, at, n, zero, two);
    }
}

static void distance_row(double *H, const placed *at, int two)
{
    static const double zero[3] = {0.0, 0.0, 0.0};
    double n[3] = {1.0, 0.0, 0.0}, length = sqrt(perp_dot3(at->d, at->d));
    for (int k = 0; k < 3 && length > 0.0; k++)
        n[k] = at->d[k] / length;
    anchor_row(H, 1, at, n, zero, two);
}

/* Rows p_k . d of normals that turn with the second body: d . (w_b x p) = w_b . (p x d). */
static void slide_row(double *H, int rows, const placed *at, const double *direction, double sign,
                      int two)
{
    double n[3], turning[3];
    perp_rotate3(n, at->R_b, direction);
    for (int k = 0; k < 3; k++)
        n[k] *= sign;
    perp_cross3(turning, at->d, n);
    anchor_row(H, rows, at, n, turning, two);
}

static void axes_rows(double *H, const perp_link *link, const placed *at, int two)
{
    const perp_joint_frames *frames = link->joint;
    int universal = link->relation.joint == PERP_JOINT_UNIVERSAL;
    double axis[3], other[3];
    perp_rotate3(axis, at->R_a, frames->axis);
    for (int k = 0; k < (universal ? 1 : 2); k++) {
        perp_rotate3(other, at->R_b, universal ? frames->axis_b : frames->normals[k]);
        parallel_row(H + k, link->rows, at, axis, other, two);
    }
}

static void angle_row(double *H, const perp_link *link, const placed *at, int two)
{
    double mark[3], normals[2][3], p[3], c, s;
    circle(&c, &s, mark, normals, link->joint, at);
    double square = c * c + s * s;
    perp_joint_across(p, (const double(*)[3])normals, c, s,
                      square > 0.0 ? perp_joint_side(link) / square : 0.0);
    parallel_row(H, 1, at, mark, p, two);
}

/* The rate of the angle is n . (omega_a - R(c)' omega_b). */
static void turn_row(double *H, const perp_link *link, const double *x)
{
    const perp_joint_frames *frames = link->joint;
    const double *q_b = second_body(link, x);
    double e[4], n[3], C[9], back[3];
    turn(e, frames, x, q_b);
    (void)perp_joint_axis(n, e);
    for (int k = 0; k < 3; k++) {
        H[k] = 0.0;
        H[3 + k] = perp_joint_side(link) * n[k];
    }
    if (!q_b)
        return;
    perp_quaternion_matrix(frames->c, C);
    perp_rotate3(back, C, n);
    for (int k = 0; k < 3; k++) {
        H[6 + k] = 0.0;
        H[9 + k] = -perp_joint_side(link) * back[k];
    }
}

void perp_joint_spin_row(double *H, const perp_link *link, const double *R_a, const double *R_b)
{
    double axis[3], back[3], sign = perp_joint_side(link);
    perp_rotate3(axis, R_a, link->joint->axis);
    perp_rotate_back3(back, R_b, axis);
    for (int k = 0; k < 3; k++) {
        H[k] = 0.0;
        H[3 + k] = sign * link->joint->axis[k];
    }
    for (int k = 0; k < 3 && perp_link_bodies(link) == 2; k++) {
        H[6 + k] = 0.0;
        H[9 + k] = -sign * back[k];
    }
}

static void find_jacobian(double *H, const perp_link *link, const double *x)
{
    const perp_joint_frames *frames = link->joint;
    const double *q_b = second_body(link, x);
    perp_joint joint = link->relation.joint;
    int rows = link->rows, two = q_b != NULL;
    int slides = joint == PERP_JOINT_PRISMATIC || joint == PERP_JOINT_CYLINDRICAL;
    double e[4];
    placed at;
    place(&at, frames, x, q_b);
    if (joint == PERP_JOINT_DISTANCE)
        distance_row(H, &at, two);
    else if (joint == PERP_JOINT_SLIDE)
        slide_row(H, rows, &at, frames->axis_b, perp_joint_side(link), two);
    else if (joint == PERP_JOINT_ANGLE)
        angle_row(H, link, &at, two);
    else if (joint == PERP_JOINT_TURN)
        turn_row(H, link, x);
    else if (joint == PERP_JOINT_SPIN)
        perp_joint_spin_row(H, link, at.R_a, at.R_b);
    else if (joint == PERP_JOINT_PLANAR)
        slide_row(H, rows, &at, frames->axis_b, 1.0, two);
    else if (!slides)
        coincide_rows(H, rows, &at, two);
    for (int k = 0; slides && k < 2; k++)
        slide_row(H + k, rows, &at, frames->normals[k], 1.0, two);
    if (joint == PERP_JOINT_PIVOT || joint == PERP_JOINT_UNIVERSAL)
        axes_rows(H + 3, link, &at, two);
    if (joint == PERP_JOINT_CYLINDRICAL)
        axes_rows(H + 2, link, &at, two);
    if (joint == PERP_JOINT_PLANAR)
        axes_rows(H + 1, link, &at, two);
    if (joint == PERP_JOINT_PRISMATIC || joint == PERP_JOINT_FIXED) {
        turn(e, frames, x, q_b);
        perp_joint_turn_rows(H + rows - 3, rows, frames, e, 1.0, 1.0, two);
    }
}

void perp_joint_jacobian(double *H, const perp_link *link, const double *x)
{
    perp_joint_memo *memo = perp_joint_memo_at(&link->joint->memo, link, x);
    if (!memo->has_H)
        find_jacobian(memo->H, link, x);
    memo->has_H = 1;
    size_t columns = 6 * (size_t)perp_link_bodies(link);
    memcpy(H, memo->H, sizeof *H * (size_t)link->rows * columns);
}
