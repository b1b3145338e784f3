/* SPDX-License-Identifier: BSD-3-Clause */
/* Projection of positions onto the constraints ([SDN] ch. 13): from q the nearest point, in the
 * metric of the coordinates and not of the masses, where the constraints hold.
 *
 *     0 = or <= y(q) + C D C' Lambda perp Lambda,      q <- q + D C' Lambda,
 *
 * repeated to the tolerance.  In q: C = dy/dq, D = 1, and a row |Q| - 1 = 0 for each body
 * (13.7).  In V: C = dy/dq T, D = (T'T)^-1 = diag(I, 4 I), and q moves along the twist (13.11).
 * Velocities are left alone. */
#ifndef PERP_KERNEL_PROJECTION_H
#define PERP_KERNEL_PROJECTION_H

#include "kernel/step/integrator.h"

/* Does the relation constrain positions, so that it is projected upon? */
int perp_projection_takes(const perp_link *link);

/* Moves q at NOW of the systems with the scheme of this index.  By default every relation that
 * constrains positions takes part, unilateral ones as inequalities; with equalities = 1 those in
 * the index set only, all as equalities.  Keeps the memory of the scheme. */
perp_status perp_project(perp_step *step, int scheme, int equalities);

/* The same as a correction of positions in the certificate of the step. */
perp_status perp_project_certified(perp_step *step, int scheme, int equalities);

void perp_projection_release(void *memory, perp_pool *pool); /* its `release` */

#endif
