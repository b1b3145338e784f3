/* SPDX-License-Identifier: BSD-3-Clause */
/* Places and orientations: x of a frame is p + R(q) x outside of it. */
#ifndef PERP_SCENE_POSE_H
#define PERP_SCENE_POSE_H

typedef struct perp_pose {
    double p[3], q[4]; /* a unit quaternion, scalar first */
} perp_pose;

perp_pose perp_pose_identity(void);
/* b, given in a, outside of a. */
perp_pose perp_pose_product(const perp_pose *a, const perp_pose *b);
/* b, given outside of a, in a. */
perp_pose perp_pose_within(const perp_pose *a, const perp_pose *b);
void perp_pose_apply(double *out, const perp_pose *a, const double *x);

double perp_dot3(const double *a, const double *b);
void perp_cross3(double *out, const double *a, const double *b);
/* a / |a|; the length, 0 where there is none and a stays. */
double perp_unit3(double *a);

/* The turn back; out may not be q. */
void perp_turn_back(double *out, const double *q);
/* The least turn that takes z to the direction of v (any length > 0). */
void perp_turn_from_z(double *q, const double *v);
/* By its columns x, y (made orthogonal to x) and x cross y; -1 where they are parallel or 0. */
int perp_turn_from_xy(double *q, const double *x, const double *y);
/* By an angle about an axis (any length > 0). */
void perp_turn_about(double *q, const double *axis, double angle);

/* A symmetric 3 x 3 matrix, row by row: out = R(q) A R(q)'. */
void perp_turn_tensor(double *out, const double *q, const double *A);
/* Its eigenvalues with the unit vectors (3 each) that they belong to, right-handed, by Jacobi
 * rotations: of a diagonal matrix the axes. */
void perp_tensor_axes(double *value, double *axes, const double *A);
/* Its eigenvalues, rising. */
void perp_tensor_eigenvalues(double *value, const double *A);
/* Sides of the box of this mass whose principal moments are `value`, 3 each. */
void perp_tensor_box(double *side, const double *value, double mass);

#endif
