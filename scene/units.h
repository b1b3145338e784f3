/* SPDX-License-Identifier: BSD-3-Clause */
/* Units of what a run records, where the scene says what the numbers are. */
#ifndef PERP_SCENE_UNITS_H
#define PERP_SCENE_UNITS_H

#include "scene/scene_inside.h"

/* "m/s", or one for each entry, "m,m,m,1,1,1,1", into text; 0: they are not known (coordinates that
 * the text gives by matrices), or the text is too short for them. */
int perp_scene_units(char *text, size_t size, perp_scene *scene,
                     const perp_scene_quantity *quantity);

#endif
