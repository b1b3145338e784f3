/* SPDX-License-Identifier: BSD-3-Clause */
/* Poses of the bodies of a robot for values of its joints. */
#ifndef PERP_SCENE_ROBOTS_KINEMATICS_H
#define PERP_SCENE_ROBOTS_KINEMATICS_H

#include "scene/robots/robot.h"

/* by: how far each hinge and slide is from where the model has it (NULL: not at all); other joints
 * are as there.  pose: of each body, in the world. */
void perp_robot_stand(perp_pose *pose, const perp_robot *robot, const double *by);

#endif
