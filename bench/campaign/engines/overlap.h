/* SPDX-License-Identifier: BSD-3-Clause */
/* How deep shapes are in each other, from their poses alone: no code of any engine. */
#ifndef PERP_ENGINES_OVERLAP_H
#define PERP_ENGINES_OVERLAP_H

#include "generators/rigid_scene.h"

/* A body with its shape at a pose: 7 numbers, the centre and the quaternion (scalar first). */
double overlap_with_plane(const rigid_body *body, const double *pose, const rigid_plane *plane);
/* The least distance by which the two must be shifted to be free of each other; 0 where they
 * are. */
double overlap_of(const rigid_body *a, const double *pose_a, const rigid_body *b,
                  const double *pose_b);

/* The largest overlap of a scene; pose k begins at pose + k * stride.  Bodies that a joint ties are
 * left out.  NaN without memory. */
double overlap_largest(const rigid_scene *scene, const double *pose, int stride);

/* R, by rows, of a quaternion of any length. */
void overlap_rotation(double R[9], const double *quaternion);

#endif
