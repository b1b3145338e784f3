/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures drawn by gnuplot, where it is installed. */
#ifndef PERP_SCENE_GNUPLOT_H
#define PERP_SCENE_GNUPLOT_H

/* Runs FOLDER/script, a process of its own, which writes NAME.part for each of the `count`
 * pictures, and gives them their names.  0; 1 when there is no gnuplot, -1 when it fails: no part
 * is left. */
int perp_scene_gnuplot(const char *folder, const char *script, const char *const *picture,
                       int count);

#endif
