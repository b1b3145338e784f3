/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a joint: what it keeps in the frames of its bodies, and the rotation
 * e = conj(c) o conj(q_b) o q_a of the first body seen from the second. */
#ifndef PERP_KERNEL_JOINT_FRAMES_H
#define PERP_KERNEL_JOINT_FRAMES_H

#include <math.h>
#include <string.h>

#include <perp/rotation.h>

#include "kernel/relations/joint_memo.h"
#include "kernel/relations/link.h"
#include "kernel/relations/twist.h"

struct perp_joint_frames {
    double r_a[3], r_b[3]; /* anchors in the frames of the bodies, or of the world */
    double axis[3];        /* in the frame of the first body */
    double normals[2][3];  /* of the axis, in the frame of the second */
    double axis_b[3];      /* in the frame of the second: the same axis; UNIVERSAL: the other one */
    double mark[3];        /* normals[0] in the frame of the first */
    double c[4], length, cosine; /* cosine: UNIVERSAL, axis . axis_b */
    perp_joint_memo memo;
};

/* Cosine and sine of an angle, from the mark on the first body and the normals on the second, both
 * inertial. */
static inline void perp_joint_circle(double *c, double *s, const double *mark,
                                     const double normals[2][3])
{
    *c = perp_dot3(normals[0], mark);
    *s = perp_dot3(normals[1], mark);
}

/* p = weight (c n_1 - s n_0), by which an angle with this cosine and sine changes as p . mark does
 * where the normals stand still and weight is 1/(c^2 + s^2). */
static inline void perp_joint_across(double p[3], const double normals[2][3], double c, double s,
                                     double weight)
{
    for (int k = 0; k < 3; k++)
        p[k] = weight * (c * normals[1][k] - s * normals[0][k]);
}

/* The angle that is `angle` but for whole turns and nearest to the branch of the link. */
double perp_joint_unwrap(const perp_link *link, double angle);
/* side (coordinate - origin) */
static inline double perp_joint_sided(const perp_link *link, double coordinate)
{
    return link->relation.side < 0 ? link->relation.origin - coordinate
                                   : coordinate - link->relation.origin;
}
static inline double perp_joint_side(const perp_link *link)
{
    return link->relation.side < 0 ? -1.0 : 1.0;
}

/* q_rel = conj(q_b) o q_a; q_b NULL: the world. */
static inline void perp_joint_relative(double q_rel[4], const double *q_a, const double *q_b)
{
    if (!q_b) {
        memcpy(q_rel, q_a + 3, 4 * sizeof(double));
        return;
    }
    double back[4] = {q_b[3], -q_b[4], -q_b[5], -q_b[6]};
    perp_quaternion_product(back, q_a + 3, q_rel);
}

/* e, of either sign. */
static inline void perp_joint_turn(double e[4], const perp_joint_frames *frames, const double *q_a,
                                   const double *q_b)
{
    const double *c = frames->c;
    double back[4] = {c[0], -c[1], -c[2], -c[3]};
    perp_joint_relative(e, q_a, q_b);
    perp_quaternion_product(back, e, e);
}

/* The axis of e, and the sine of half its angle; any axis where there is none. */
static inline double perp_joint_axis(double n[3], const double e[4])
{
    double size = sqrt(e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
    for (int k = 0; k < 3; k++)
        n[k] = size > 0.0 ? e[1 + k] / size : (double)(k == 0);
    return size;
}

/* The row of SPIN between these orientations. */
void perp_joint_spin_row(double *H, const perp_link *link, const double *R_a, const double *R_b);

/* Rate of 2 vec(e): (e_0 I + skew v) omega_a - (e_0 I - skew v) R(c)' omega_b, as three rows of H
 * with leading dimension rows; the parts of the bodies times scale_a and scale_b. */
void perp_joint_turn_rows(double *H, int rows, const perp_joint_frames *frames, const double *e,
                          double scale_a, double scale_b, int two);

#endif
