/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_SCENE_MUSCLE_SECTION_H
#define PERP_SCENE_MUSCLE_SECTION_H

#include "scene/muscle.h"
#include "scene/numbers.h"
#include "scene/scene_inside.h"

struct perp_scene_muscle {
    perp_muscle muscle;
    int coordinate;
    perp_scene_motion activation;
    struct perp_scene_muscle *next;
};

int perp_scene_read_muscle(perp_scene *scene, const perp_scene_node *at);
/* Their forces at this state. */
void perp_scene_add_muscles(double *out, const perp_scene_member *s, double t, const double *x,
                            const double *v);

#endif
