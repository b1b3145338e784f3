/* SPDX-License-Identifier: BSD-3-Clause */
/* The section "contacts": shapes handed to the kernel's contact detection. */
#ifndef PERP_SCENE_CONTACTS_H
#define PERP_SCENE_CONTACTS_H

#include <perp/collide.h>

#include "scene/scene.h"

typedef struct perp_run_contacts perp_run_contacts;

/* The detection of a scene; NULL where it has none. */
perp_collider *perp_run_collider(const perp_run_contacts *contacts);
void perp_run_contacts_destroy(perp_run_contacts *contacts); /* NULL is accepted */

#endif
