/* SPDX-License-Identifier: BSD-3-Clause */
/* Discrete gradients of relations between second-order systems over one step: directions G of
 * forces for which y_1 - y_0 = h (G v_b + drift) without an error of order, so that a constraint
 * that holds at both ends does no work ([Gonzalez1996] for any relation; for joints product rules,
 * [BetschSteinmann2002]). */
#ifndef PERP_KERNEL_DISCRETE_GRADIENT_H
#define PERP_KERNEL_DISCRETE_GRADIENT_H

#include "kernel/relations/link.h"

/* At entry each system of the link has q[START] = q_k, v[GUESS] = v_b (the mean velocity of the
 * step), q[NOW] = q_k (+) h v_b and q[GUESS] = q_k (+) (h/2) v_b.  h > 0.
 *
 *     y0      y at (t, q_k) with this lambda, rows
 *     y1      y(t + h, q[NOW], lambda), rows; the rotation rows of a joint keep their sign of the
 *             start where it would change inside the step
 *     G       rows x nv column-major, as link->H
 *     drift   rows: mean rate of y by time alone
 *
 * Every row that is a gap or a constraint has y1 - y0 = h (G v_b + drift) but for rounding.  Rows
 * of sliding of a friction law have H and h_t half way, and so have a gap that is infinite at an
 * end and a contact whose mismatch is more than its points can move in the step (noise of the
 * detection near rest).
 *
 *     joints  bilinear product rules
 *     LINEAR  C; of a body C T(q_m) with its rotation scaled
 *     others  H half way plus a multiple of (M v_b)'; for two bodies v_b without their common
 *             translation where the row does not see that, so that its forces stay opposite.
 *             Where y depends on time, the mean of its changes by time alone at both ends is
 *             the drift
 *
 * y0, y1, G and drift are arrays of the caller other than link->X, work, H_x; link->X is
 * overwritten.  Non-zero: a callback refused. */
int perp_link_discrete_gradient(double *G, double *drift, double *y1, perp_link *link, double t,
                                double h, const double *y0, const double *lambda);

/* The direction p (nv entries, linear in v_b) of which a multiple is added to row i of H_m, H half
 * way, and p . v_b; of a relation without product rules.  Non-zero: a callback refused. */
int perp_link_gradient_direction(double *p, double *square, perp_link *link, const double *H_m,
                                 int i);

/* K (nv x nv column-major, symmetric; overwritten) = -1/2 sum_i lambda_i Hess(y_i) at q[GUESS], in
 * velocity coordinates (angular parts in body axes): lambda being impulses, M + h theta K is the
 * matrix of Newton's method, since v moves the place of G by half of what it moves q_k+1.  Signed,
 * with the coupling between both bodies.  1; 0 where the relation has none (not a joint): K is
 * untouched. */
int perp_link_stiffness(double *K, const perp_link *link, const double *lambda);

/* The same for relations by callbacks, by differences of H at time t; 0: a callback refused.
 * Overwrites link->X and H. */
int perp_smooth_stiffness(double *K, perp_link *link, double t, const double *lambda);

/* One file per topic: joint_gradient.c, joint_stiffness.c. */
void perp_joint_discrete_gradient(double *G, double *y1, const perp_link *link, double h);
void perp_joint_stiffness(double *K, const perp_link *link, const double *lambda);
/* coupling.c */
int perp_coupling_discrete_gradient(double *G, double *drift, double *y1, perp_link *link, double t,
                                    double h);
void perp_coupling_stiffness(double *K, const perp_link *link, double lambda);

#endif
