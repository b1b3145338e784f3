/* SPDX-License-Identifier: BSD-3-Clause */
/* The series of a run as HDF5: "t" and one dataset per quantity ("ball.q"), rows x entries, with
 * their units; the scene; and the contacts.  docs/reference/run-folder.md is the manual of the layout. */
#ifndef PERP_SCENE_SERIES_HDF5_H
#define PERP_SCENE_SERIES_HDF5_H

#include <perp/scene.h>

/* Writes DIR/series.h5 from the rows of the series, or where they are NULL from DIR/series.csv, whose 17
 * digits give the same numbers; from DIR/scene.json and, where it is asked for, DIR/contacts.csv: 0,
 * 1 in a build without HDF5, -1 after writing the reason into text, -2 the same for want of memory. */
int perp_scene_hdf5(const char *dir, perp_scene *scene, const double *rows, int count, int contacts,
                    char *text, size_t size);

#endif
