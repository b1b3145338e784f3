/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands in a URDF beside its links and joints. */
#ifndef PERP_SCENE_ROBOTS_URDF_OTHER_H
#define PERP_SCENE_ROBOTS_URDF_OTHER_H

#include "scene/robots/xml.h"

/* A file of xacro macros is no URDF yet: 0, or -1 after a refusal. */
int perp_urdf_refuse_xacro(perp_robot_job *job, const perp_xml *root);
/* A joint may hang on a link `world` that is nowhere declared: it is added.  0 or -1. */
int perp_urdf_declare_world(perp_robot_job *job, perp_xml *root);
/* Remarks on what is neither read nor harmless. */
void perp_urdf_look_over(perp_robot_job *job, const perp_xml *root);

#endif
