/* SPDX-License-Identifier: BSD-3-Clause */
/* COLLADA files (.dae) as clouds of points, for hulls. */
#ifndef PERP_SCENE_ROBOTS_COLLADA_H
#define PERP_SCENE_ROBOTS_COLLADA_H

#include "scene/robots/robot.h"

/* The points of all meshes where the scene of the file has them, in metres, times the scale of the
 * mesh, those on their hull alone.  The direction that the file calls up does not turn them, as in
 * ROS.  0; 1: `why` says what is wrong with the file; -1. */
int perp_robot_read_collada(perp_robot_job *job, perp_robot_mesh *mesh, const char *bytes,
                            size_t size, const char **why);

#endif
