/* SPDX-License-Identifier: BSD-3-Clause */
/* The residual of a step, recomputed from states and impulses alone, the same for every engine. */
#ifndef PERP_ENGINES_STEP_RESIDUAL_H
#define PERP_ENGINES_STEP_RESIDUAL_H

#include "bench/campaign/engines/motion.h"

/* The larger of two figures, both parts of the largest impulse in the step (of a contact, or of
 * the weight of the heaviest body over the step).
 *
 * Momentum: what is missing of m (v1 - v0) = h m g + sum of the contact impulses, over all bodies
 * that no joint holds.
 * Law: over all contacts |p - P(p - m (u + mu |u_T| n))|, P the projection on Coulomb's cone, m the
 * mass that the two bodies have against each other, u their relative velocity at the point
 * ([DeSaxceFeng1991]).  Schemes impose its parts at different instants; the smallest of four
 * counts: the rate of the gap at the end of the step, u_N + e u_N of the start where the contact
 * closes, or by the displacement over the step, u_N + gap/h; and the slip of the end or of the
 * displacement.
 *
 * before, after: bodies x 13, as in motion.h.  scratch: 3 numbers a body.  NaN where a state is not
 * finite. */
double step_residual(const rigid_scene *scene, double h, const double *before, const double *after,
                     const motion_contact *contact, int contacts, double *scratch);

/* The velocity and the angular velocity, world axes, that bring one state to the other in h. */
void step_mean_rates(double *velocity, double *angular, const double *before, const double *after,
                     double h);

#endif
