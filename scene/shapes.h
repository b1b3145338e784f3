/* SPDX-License-Identifier: BSD-3-Clause */
/* Shapes of bodies: one, or a list of them. */
#ifndef PERP_SCENE_SHAPES_H
#define PERP_SCENE_SHAPES_H

#include "scene/scene_inside.h"

/* "shape" or "shapes" of a body into s->shape and what follows it; 0 or -1. */
int perp_scene_read_shapes(perp_scene *scene, perp_scene_member *s, const perp_scene_node *at);
/* Mass, and inertia where `inertia` is not NULL, from "mass" or "density" of the body; the shapes
 * are shifted so that their centre is the origin, and *moved is where it was, if a density is given. */
int perp_scene_read_mass(perp_scene *scene, perp_scene_member *s, double *moved,
                         const perp_scene_node *at);
/* The definition of one shape, in the frame of its body; without its material. */
void perp_scene_shape_def(perp_shape_def *def, const perp_scene_shape *shape);
/* A list of shapes of its own for a copy of a body; 0 or -1. */
int perp_scene_copy_shapes(perp_scene *scene, perp_scene_member *s);
/* The next shape of a system, first NULL; NULL after the last one. */
perp_scene_shape *perp_scene_next_shape(perp_scene_member *s, perp_scene_shape *last);
/* The smallest half width of a shape; 0 of a plane.  Of all shapes of a system. */
double perp_scene_half_width(const perp_scene_shape *shape);
double perp_scene_least_half_width(perp_scene_member *s);

#endif
