/* SPDX-License-Identifier: BSD-3-Clause */
/* The series of a run as HDF5: "t" and one dataset per quantity ("ball.q"), rows x entries,
 * made from the CSV file, whose 17 digits give the same numbers. */
#ifndef PERP_SCENE_SERIES_HDF5_H
#define PERP_SCENE_SERIES_HDF5_H

#include <perp/scene.h>

/* Writes DIR/series.h5 from DIR/series.csv: 0, 1 in a build without HDF5, -1 after writing
 * the reason into text. */
int perp_scene_hdf5(const char *dir, const perp_scene *scene, char *text, size_t size);

#endif
