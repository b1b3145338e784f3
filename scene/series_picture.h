/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of the series through gnuplot: one panel per quantity, PNG and SVG. */
#ifndef PERP_SCENE_SERIES_PICTURE_H
#define PERP_SCENE_SERIES_PICTURE_H

#include <perp/scene.h>

/* Writes DIR/series.gp and runs it: 0, 1 without gnuplot, -1 when it fails. */
int perp_scene_draw(const char *dir, const perp_scene *scene);

#endif
