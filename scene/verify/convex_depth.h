/* SPDX-License-Identifier: BSD-3-Clause */
/* Overlap of two convex shapes: the least of h_A(d) + h_B(-d) over unit vectors d, with h the support
 * functions.  Each d gives a bound from above, so that what is found is no smaller than the overlap,
 * and the overlap where the search ends at the right direction. */
#ifndef PERP_SCENE_VERIFY_CONVEX_DEPTH_H
#define PERP_SCENE_VERIFY_CONVEX_DEPTH_H

#include "scene/verify/verify_inside.h"

/* max over the shape of d.x; pose: place and unit quaternion of the shape in the world. */
double perp_verify_support(const perp_verify_shape *shape, const double *pose, const double *d);
/* Negative: apart by at least that.  The search ends where it is known to be `allowed` or less.
 * hints: `count` directions to try, 3 each; flat: d in z = 0. */
double perp_verify_convex_depth(const perp_verify_shape *a, const double *pose_a,
                                const perp_verify_shape *b, const double *pose_b,
                                const double *hints, int count, int flat, double allowed);

#endif
