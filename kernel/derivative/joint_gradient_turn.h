/* SPDX-License-Identifier: BSD-3-Clause */
/* How the discrete gradient of a joint turns. */
#ifndef PERP_KERNEL_JOINT_GRADIENT_TURN_H
#define PERP_KERNEL_JOINT_GRADIENT_TURN_H

#include "kernel/relations/link.h"

/* The derivative of G' lambda, G the discrete gradient of the joint (perp_link_discrete_gradient())
 * of both its bodies where one has a prescribed motion, by the configuration at the start and by
 * D = h v_b: n x n each, column-major, n = 6 times the number of bodies.  At entry the states are
 * those that the discrete gradient reads.
 *
 * Where it has no derivative (TURN without any turn, DISTANCE of length 0, an ANGLE whose mark
 * stands on the axis) what has none counts as standing still. */
void perp_joint_gradient_turn(double *by_q, double *by_D, const perp_link *link, double h,
                              const double *lambda);

#endif
