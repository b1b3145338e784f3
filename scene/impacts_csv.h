/* SPDX-License-Identifier: BSD-3-Clause */
/* The staged impacts of every step, for perp verify. */
#ifndef PERP_SCENE_IMPACTS_CSV_H
#define PERP_SCENE_IMPACTS_CSV_H

#include "scene/scene_inside.h"
#include "scene/series_csv.h"

typedef struct perp_scene_impacts_csv {
    perp_scene_csv csv;
    int *contact_of; /* of each slot of interactions: its contact of the collider + 1, or 0; memory
                        of the scene */
    int capacity;
} perp_scene_impacts_csv;

/* bytes: of the file that an interrupted run left, -1: a new one.  0, or -1 with errno. */
int perp_scene_impacts_open(perp_scene_impacts_csv *impacts, const char *dir, long long bytes);
/* One row for each relation that was struck in a stage of the last step;
 * docs/reference/run-folder.md has the columns. */
int perp_scene_impacts_rows(perp_scene_impacts_csv *impacts, perp_scene *scene);

#endif
