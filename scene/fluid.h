/* SPDX-License-Identifier: BSD-3-Clause */
/* Forces of a fluid on a body, see perp_scene_fluid. */
#ifndef PERP_SCENE_FLUID_H
#define PERP_SCENE_FLUID_H

#include "scene/scene_inside.h"

/* Adds force (inertial frame) and moment (body frame) of the fluid to out (6); q, v: of the body.
 */
void perp_scene_fluid_force(double *out, const perp_scene_spring *spring, const double *q,
                            const double *v);
/* Its derivatives are known. */
int perp_scene_fluid_has_slope(const perp_scene_spring *spring);
/* Adds those of force and moment by q (6 x 7) and by v (6 x 6).  By the quaternion along turns
 * alone. */
void perp_scene_fluid_slope(double *by_q, double *by_v, const perp_scene_spring *spring,
                            const double *q, const double *v);

#endif
