/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes of models: their points, and what they weigh. */
#ifndef PERP_SCENE_ROBOTS_MESH_H
#define PERP_SCENE_ROBOTS_MESH_H

#include "scene/robots/robot.h"

/* Volume, centre and inertia of density 1, once; 0 or -1. */
int perp_robot_mesh_weigh(perp_robot_job *job, perp_robot_mesh *mesh);

#endif
