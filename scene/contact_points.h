/* SPDX-License-Identifier: BSD-3-Clause */
/* The contacts of now, for all that is written of them: those that were detected, then interactions
 * of the scene that act at a point. */
#ifndef PERP_SCENE_CONTACT_POINTS_H
#define PERP_SCENE_CONTACT_POINTS_H

#include <perp/collide.h>

#include "scene/scene_inside.h"

typedef struct perp_scene_contact {
    perp_contact_info info;  /* of an interaction without first and second */
    const char *interaction; /* its name; NULL: it was detected */
    const double *u, *lambda;
    int rows, active;      /* rows 0: it has no multipliers yet */
    int body[2], shape[2]; /* places in scene->systems; which shapes of theirs; -1: none */
} perp_scene_contact;

/* Once, after all interactions were read: 0, or -1 with the report. */
int perp_scene_find_points(perp_scene *scene);
/* Whether there may be any. */
int perp_scene_has_contacts(const perp_scene *scene);
/* Numbers that perp_scene_contact_at() takes: so many were detected, and come first; of all. */
int perp_scene_detected(const perp_scene *scene);
int perp_scene_contact_places(const perp_scene *scene);
/* 1, or 0: no contact is there now.  Of interactions there are those that are in the one-step
 * problem or press. */
int perp_scene_contact_at(perp_scene_contact *contact, const perp_scene *scene, int k);

/* Whether one of scene->touch is there; cheap, for those that are mostly open. */
int perp_scene_touch_acts(const perp_scene *scene, const perp_scene_touch *touch);
/* "" for none: the world. */
const char *perp_scene_contact_body(const perp_scene_contact *contact, const perp_scene *scene,
                                    int side);

#endif
