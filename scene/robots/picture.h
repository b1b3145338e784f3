/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures (PNG) as numbers: grey, or the red of colours. */
#ifndef PERP_SCENE_ROBOTS_PICTURE_H
#define PERP_SCENE_ROBOTS_PICTURE_H

#include "scene/robots/robot_job.h"

/* One number for each place, row by row from the top: 0; 1: a kind that is not done, -1.  It is
 * said in either case. */
int perp_robot_read_picture(perp_robot_job *job, const struct perp_xml *at,
                            const unsigned char *bytes, size_t size, int most, double **values,
                            int *rows, int *columns);

#endif
