/* SPDX-License-Identifier: BSD-3-Clause */
/* The section "contacts": shapes handed to the kernel's contact detection. */
#ifndef PERP_SCENE_CONTACT_SECTION_H
#define PERP_SCENE_CONTACT_SECTION_H

#include <perp/collide.h>

#include "scene/scene_inside.h"

typedef struct perp_scene_contacts perp_scene_contacts;

/* The detection of a scene; NULL where it has none. */
perp_collider *perp_scene_contacts_collider(const perp_scene_contacts *contacts);
void perp_scene_contacts_destroy(perp_scene_contacts *contacts); /* NULL is accepted */

/* Whose shape it is, as a number in scene->systems, and in *shape which of its shapes; -1: nobody's. */
int perp_scene_body_of_shape(int *shape, const perp_scene *scene, perp_shape_id id);

#endif
