/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors and matrices of a scene file. */
#ifndef PERP_SCENE_NUMBERS_H
#define PERP_SCENE_NUMBERS_H

#include "scene/scene_inside.h"

/* n numbers: an array, or {"all": x} for equal ones.  *n < 0: any number, which
 * becomes *n ({"all": x, "n": N} then).  Absent: *values stays as it is. */
int perp_scene_vector(perp_scene *scene, double **values, int *n, const perp_scene_node *at,
                      const char *key);
/* A matrix of *rows x *cols (< 0: any, which becomes it), from one of
 *   [[..], ..]                                             rows
 *   {"diagonal": [..]}, {"diagonal": x, "n": N}
 *   {"tridiagonal": [sub, diagonal, super], "n": N, "corners": [first, last]}
 *   {"entries": [[i, j, x], ..], "rows": R, "cols": C}
 * each object with an optional "scale".  Column-major dense. */
int perp_scene_matrix(perp_scene *scene, double **values, int *rows, int *cols,
                      const perp_scene_node *at, const char *key);
/* The same as a view: CSC where it is large and mostly zeros, else dense. */
int perp_scene_mat(perp_scene *scene, perp_mat *A, int *rows, int *cols, const perp_scene_node *at,
                   const char *key);

#endif
