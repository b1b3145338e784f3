/* SPDX-License-Identifier: BSD-3-Clause */
/* Ties of a robot that are open where it starts. */
#ifndef PERP_SCENE_ROBOTS_CLOSING_H
#define PERP_SCENE_ROBOTS_CLOSING_H

#include "scene/robots/robot.h"

/* Moves the joints to where connect, weld, joint and fixed tendon equalities hold, with the least
 * kinetic energy, limits kept, and says so; where that does not end, joints stay where they are.
 * 0 or -1. */
int perp_robot_close_ties(perp_robot *robot);

#endif
