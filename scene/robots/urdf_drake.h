/* SPDX-License-Identifier: BSD-3-Clause */
/* What Drake has in a URDF beside the elements of ROS. */
#ifndef PERP_SCENE_ROBOTS_URDF_DRAKE_H
#define PERP_SCENE_ROBOTS_URDF_DRAKE_H

#include "scene/robots/urdf.h"

/* The friction of a collision, where its drake:proximity_properties have one: 0 or -1. */
int perp_urdf_drake_friction(perp_urdf *u, const perp_xml *collision, double *mu);

/* Pairs of drake:collision_filter_group, which never touch; rotors of the actuators of
 * transmissions, which are armatures of their joints.  When bodies and joints are made: 0 or -1. */
int perp_urdf_drake(perp_urdf *u, const perp_xml *root);

#endif
