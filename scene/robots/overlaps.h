/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of a robot whose shapes are in each other where it starts. */
#ifndef PERP_SCENE_ROBOTS_OVERLAPS_H
#define PERP_SCENE_ROBOTS_OVERLAPS_H

#include "scene/robots/robot.h"

#include "config.h"

/* The text of its scene where such parts never touch, each pair with a remark: those that no joint
 * can part, and all of them where `coarse`.  NULL after a failure.  A text that is no scene stays as
 * it is: what is wrong with it is said elsewhere. */
#ifdef HAVE_JANSSON
const char *perp_robot_part_overlaps(perp_robot *robot, const char *text, int coarse);
#else
static inline const char *perp_robot_part_overlaps(perp_robot *robot, const char *text,
                                                    int coarse)
{
    (void)robot;
    (void)coarse;
    return text;
}
#endif

#endif
