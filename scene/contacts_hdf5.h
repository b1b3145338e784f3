/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts and scene of a run in its HDF5 file; only in builds with HDF5. */
#ifndef PERP_SCENE_CONTACTS_HDF5_H
#define PERP_SCENE_CONTACTS_HDF5_H

#include <hdf5.h>
#include <stdio.h>

#include "scene/scene_inside.h"

/* A text attribute; 0 or -1. */
int perp_scene_hdf5_text(hid_t at, const char *name, const char *text);
/* Lines of a file, which is then at its beginning. */
hsize_t perp_scene_hdf5_lines(FILE *f);

/* The group "contacts" from contacts.csv: one dataset per column or vector, a row per contact. */
int perp_scene_contacts_hdf5(hid_t file, perp_scene *scene, FILE *csv);
/* How large it will be, about; 0 for NULL. */
double perp_scene_contacts_hdf5_bytes(FILE *csv);
/* "run/scene": DIR/scene.json as it is. */
int perp_scene_copy_hdf5(hid_t file, const perp_scene *scene, const char *dir);

#endif
