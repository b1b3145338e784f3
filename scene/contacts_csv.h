/* SPDX-License-Identifier: BSD-3-Clause */
/* What perp verify needs beside the series: the contacts of every step, and the scene as it ran. */
#ifndef PERP_SCENE_CONTACTS_CSV_H
#define PERP_SCENE_CONTACTS_CSV_H

#include "scene/scene_inside.h"
#include "scene/series_csv.h"

typedef struct perp_scene_contacts_csv {
    perp_scene_csv csv;
    const char **names; /* by index of the shape */
    int shapes;
} perp_scene_contacts_csv;

/* bytes: of the file that an interrupted run left, -1: a new one.  0, or -1 with errno. */
int perp_scene_contacts_open(perp_scene_contacts_csv *contacts, perp_scene *scene, const char *dir,
                             long long bytes);
/* One row for each contact of the last detection: t, its shapes, normal and points at the end of
 * the step, 1 where it was in the one-step problem, rates and impulses (3 each, 0 where it has
 * fewer rows). */
int perp_scene_contacts_rows(perp_scene_contacts_csv *contacts, perp_scene *scene);

/* DIR/scene.json: the text with what the caller changed, and the schemes by name. */
int perp_scene_write_copy(const char *dir, const perp_scene *scene);

#endif
