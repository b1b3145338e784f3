/* SPDX-License-Identifier: BSD-3-Clause */
/* Globalised semismooth Newton for FREE, NONNEG and BOX rows: all of the solver newton but the
 * choice of the equation.  The merit is theta = sum d_i^2 F_i^2 / 2 of the Fischer-Burmeister
 * equation, whose square is smooth, so that its gradient g = Fz' D^2 F + M' Fw' D^2 F is a
 * direction of descent wherever theta is not stationary ([DeLucaEtAl1996]).
 *
 * A step is, in this order: the full one of the natural map (min only) where it lowers the
 * merit by a tenth; a line search along the Newton step of Fischer-Burmeister, with a growing
 * proximal weight where that is short or no descent; a line search along -D^-2 g.  The merit may
 * rise to the highest of the last steps ([GrippoEtAl1986]).
 *
 * Where that does not arrive: from 0 along the path of smoothed equations with equal products
 * ([Kanzow1996]); then proximal points, the problems with M + t D^2 and q - t D^2 z_k for a
 * changing t, by the same steps, which converge where M is monotone; then full steps of the natural
 * map, which alone reaches the last digits of a degenerate solution. */
#ifndef PERP_SOLVERS_NEWTON_NEWTON_ROWS_H
#define PERP_SOLVERS_NEWTON_NEWTON_ROWS_H

#include "handle/solver_type.h"
#include "reform/reform.h"

/* min: 1 tries the natural map first. */
perp_status perp_newton_linear_setup(perp_work *work, int min);
perp_status perp_newton_linear_update(perp_work *work);
perp_status perp_newton_linear_solve(perp_work *work);
void perp_newton_linear_release(perp_work *work);

#endif
