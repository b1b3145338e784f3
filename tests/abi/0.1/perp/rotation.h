/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit quaternions, scalar first: x = R(p) X takes the body frame to the inertial one
 * (002 sec. 11.3, with the corrections of docs/theory.md).  Outputs may be inputs. */
#ifndef PERP_ROTATION_H
#define PERP_ROTATION_H

#include <perp/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out = a o b. */
PERP_API void perp_quaternion_product(double *out, const double *a, const double *b);
/* Scales p to norm 1; PERP_ERR_ARGUMENT where |p| is 0 or not finite. */
PERP_API perp_status perp_quaternion_normalise(double *p);
/* R(p), 3 x 3 column-major (11.46). */
PERP_API void perp_quaternion_matrix(double *R, const double *p);
/* out = R(p) x and out = R(p)' x. */
PERP_API void perp_quaternion_rotate(double *out, const double *p, const double *x);
PERP_API void perp_quaternion_rotate_back(double *out, const double *p, const double *x);
/* p = exp(r): the rotation by |r| about r, (cos |r|/2, sin(|r|/2) r/|r|). */
PERP_API void perp_quaternion_exp(double *p, const double *r);
/* The rotation vector of p, of norm at most pi. */
PERP_API void perp_quaternion_log(double *r, const double *p);
/* q_out = q (+) h v for a body: x + h v, p o exp(h omega); normalised. */
PERP_API void perp_body_move(double *q_out, const double *q, const double *v, double h);
/* T(q), 7 x 6 column-major: q' = T(q) v (11.63); T'T = diag(I, I/4). */
PERP_API void perp_body_rates(double *T, const double *q);

#ifdef __cplusplus
}
#endif
#endif
