/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of the series through gnuplot: one panel per quantity, PNG and SVG. */
#ifndef PERP_SCENE_PLOT_H
#define PERP_SCENE_PLOT_H

#include "scene/record.h"

/* Writes DIR/series.gp and runs it: 0, 1 without gnuplot, -1 when it fails. */
int perp_run_plot(const char *dir, const perp_run_record *record, const char *title);

#endif
