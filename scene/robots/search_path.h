/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that a model names.  They are opened only below the folder of the model and those that the
 * caller lists, links resolved. */
#ifndef PERP_SCENE_ROBOTS_SEARCH_PATH_H
#define PERP_SCENE_ROBOTS_SEARCH_PATH_H

#include "scene/robots/xml.h"

/* The resolved path of a file that `at` names; NULL after a failure.  package://NAME/REST is looked
 * for as NAME/REST and as REST in each folder; REST without its first folders as well, as search
 * paths may begin further down.  folder: added in front of a relative name, as meshdir is; NULL:
 * none. */
const char *perp_robot_find_file(perp_robot_job *job, const char *name, const char *folder,
                                 const perp_xml *at);
/* The same; NULL without a failure where there is none. */
const char *perp_robot_look_for_file(perp_robot_job *job, const char *name, const char *folder,
                                     int *outside);

/* The same; where there is none, the file of this name beside the one that `at` stands in. */
const char *perp_robot_look_beside(perp_robot_job *job, const char *name, const char *folder,
                                   const perp_xml *at, int *outside);
/* A file as messages name it: one below the folder of the model as the model itself is named. */
const char *perp_robot_shown_path(perp_robot_job *job, const char *path);

#endif
