/* SPDX-License-Identifier: BSD-3-Clause */
/* The contacts of a frame for ParaView. */
#ifndef PERP_SCENE_CONTACTS_VTK_H
#define PERP_SCENE_CONTACTS_VTK_H

#include "scene/scene_inside.h"
#include "scene/vtk_file.h"

/* The contacts of the last detection, and interactions that act at a point, as a file of points. 0,
 * or -1 with errno. */
int perp_scene_contact_frame(perp_vtk_file *file, perp_scene *scene);

#endif
