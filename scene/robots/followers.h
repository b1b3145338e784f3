/* SPDX-License-Identifier: BSD-3-Clause */
/* Joints whose coordinate is a line in that of another one: mimic of a URDF, joint of an equality. */
#ifndef PERP_SCENE_ROBOTS_FOLLOWERS_H
#define PERP_SCENE_ROBOTS_FOLLOWERS_H

#include "scene/robots/robot.h"

/* Limits that leave the joint which is followed no way to move, or no place at all, are dropped, with a
 * remark: limits that meet in one point have no solution but for rounding.  Non-zero: no memory. */
int perp_robot_free_followers(perp_robot *robot);
/* Followers of a URDF for which nothing says where they start do so where the others have them. */
void perp_robot_place_followers(perp_robot *robot);

#endif
