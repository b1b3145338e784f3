/* SPDX-License-Identifier: BSD-3-Clause */
/* Points of contact between a ball and some triangles of a closed mesh: the places where
 * the distance to the surface has a local minimum. */
#ifndef PERP_SCENE_BALL_MESH_H
#define PERP_SCENE_BALL_MESH_H

#include <perp/collide.h>

/* centre: in the frame of the mesh; list: n triangles, all that are within reach.  normal:
 * from the mesh to the ball; point_a: on the ball; point_b: on the mesh.  All in the frame
 * of the mesh, in the order of the list.  Returns their number, at most capacity. */
int ball_mesh_points(perp_contact_point *points, int capacity, const perp_shape_def *mesh,
                     const int *list, int n, const double *centre, double radius, double reach);

#endif
