/* SPDX-License-Identifier: BSD-3-Clause */
/* Springs with dampers between two ends: coordinates, or points that systems carry. */
#ifndef PERP_SCENE_SPRING_H
#define PERP_SCENE_SPRING_H

#include "scene/scene_inside.h"

/* Reads {"system", "coordinate" | "point"} or {"world": [..]}. */
int perp_scene_read_end(perp_scene *scene, perp_scene_end *end, const perp_scene_node *at);
/* A point of a system by its number or its place: what "point" says. */
int perp_scene_read_point(perp_scene_end *end, const perp_scene_node *at, const char *key);
/* Adds the generalised force of the spring on end `which` to out (nv); q and v are the
 * states of the two ends, NULL for the world. */
void perp_scene_spring_force(double *out, const perp_scene_spring *spring, int which,
                             const double *const q[2], const double *const v[2]);
double perp_scene_spring_stretch(const perp_scene_spring *spring, const double *const q[2]);
double perp_scene_spring_potential(const perp_scene_spring *spring, double stretch);
/* Of one on a coordinate, to the world: the derivatives of minus its force. */
double perp_scene_spring_slope(const perp_scene_spring *spring, double coordinate);
double perp_scene_spring_brake_slope(const perp_scene_spring *spring, double rate);

#endif
