/* SPDX-License-Identifier: BSD-3-Clause */
/* What perp verify needs beside the series: the contacts of every step, and the scene as it ran. */
#ifndef PERP_SCENE_CONTACTS_CSV_H
#define PERP_SCENE_CONTACTS_CSV_H

#include "scene/scene_inside.h"
#include "scene/series_csv.h"

typedef struct perp_scene_contacts_csv {
    perp_scene_csv csv;
} perp_scene_contacts_csv;

/* How the file begins: names and states in words, all else numbers. */
extern const char perp_scene_contacts_head[];
/* open, sticking, sliding, rolling, spinning: words of the column "state". */
enum { PERP_SCENE_CONTACT_STATES = 5 };
extern const char *const perp_scene_contact_states[PERP_SCENE_CONTACT_STATES];

/* bytes: of the file that an interrupted run left, -1: a new one.  0, or -1 with errno. */
int perp_scene_contacts_open(perp_scene_contacts_csv *contacts, const char *dir, long long bytes);
/* One row for each contact of the last detection and each interaction that acts at a point, as of the
 * end of the step; the columns are those of the head, 0 for rows that a contact does not have. */
int perp_scene_contacts_rows(perp_scene_contacts_csv *contacts, perp_scene *scene);

/* DIR/scene.json: the text with what the caller changed, and the schemes by name. */
int perp_scene_write_copy(const char *dir, const perp_scene *scene);

#endif
