/* SPDX-License-Identifier: BSD-3-Clause */
/* A floor under a robot that comes without one. */
#ifndef PERP_SCENE_ROBOTS_FLOOR_H
#define PERP_SCENE_ROBOTS_FLOOR_H

#include "scene/robots/links.h"

/* Adds the plane that the options ask for, below the lowest point of what moves where they do not
 * say; 0 or -1. */
int perp_robot_add_floor(perp_robot *robot, const perp_robot_links *links);

#endif
