/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_SCENE_CONTACTS_VTK_H
#define PERP_SCENE_CONTACTS_VTK_H

#include "scene/scene_inside.h"

/* folder/contacts-NUMBER.vtp: the contacts of the last detection.  0, or -1 with errno. */
int perp_scene_contact_frame(const char *folder, int number, perp_scene *scene);

#endif
