/* SPDX-License-Identifier: BSD-3-Clause */
/* Meshes of models: their points, and what they weigh. */
#ifndef PERP_SCENE_ROBOTS_MESH_H
#define PERP_SCENE_ROBOTS_MESH_H

#include "scene/robots/robot.h"

/* Points of its file, once: 0; 1 where it cannot be had, which is noted as missing; -1. */
int perp_robot_mesh_load(perp_robot_job *job, perp_robot_mesh *mesh);
/* The same, with volume, centre and inertia of density 1. */
int perp_robot_mesh_weigh(perp_robot_job *job, perp_robot_mesh *mesh);

#endif
