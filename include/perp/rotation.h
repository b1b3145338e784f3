/* SPDX-License-Identifier: BSD-3-Clause */
/* Unit quaternions, scalar first: x = R(p) X takes the body frame to the inertial one
 * ([SDN] sec. 11.3, with the corrections of docs/theory.md).  Outputs come last and may be inputs.
 */
#ifndef PERP_ROTATION_H
#define PERP_ROTATION_H

#include <perp/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* out = a o b. */
PERP_API void perp_quaternion_product(const double *a, const double *b, double *out);
/* Scales p to norm 1; PERP_ERR_ARGUMENT where |p| is 0 or not finite. */
PERP_API perp_status perp_quaternion_normalise(double *p);
/* R(p), 3 x 3 column-major (11.46). */
PERP_API void perp_quaternion_matrix(const double *p, double *R);
/* out = R(p) x and out = R(p)' x. */
PERP_API void perp_quaternion_rotate(const double *p, const double *x, double *out);
PERP_API void perp_quaternion_rotate_back(const double *p, const double *x, double *out);
/* p = exp(r): the rotation by |r| about r, (cos |r|/2, sin(|r|/2) r/|r|). */
PERP_API void perp_quaternion_exp(const double *r, double *p);
/* The rotation vector of p, of norm at most pi. */
PERP_API void perp_quaternion_log(const double *p, double *r);
/* q_out = q (+) h v for a body: x + h v, p o exp(h omega); normalised. */
PERP_API void perp_body_move(const double *q, const double *v, double h, double *q_out);
/* T(q), 7 x 6 column-major: q' = T(q) v (11.63); T'T = diag(I, I/4). */
PERP_API void perp_body_rates(const double *q, double *T);

#ifdef __cplusplus
}
#endif
#endif
