/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of a model as names of a scene: without blanks and the like, each once. */
#ifndef PERP_SCENE_ROBOTS_NAMES_H
#define PERP_SCENE_ROBOTS_NAMES_H

#include "scene/robots/name_index.h"

typedef struct perp_robot_names {
    perp_robot_job *job;
    perp_name_index used; /* names, each with the number that was tried last behind it */
} perp_robot_names;

/* A name that is new; NULL without memory. */
const char *perp_robot_new_name(perp_robot_names *names, const char *wanted);

#endif
