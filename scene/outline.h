/* SPDX-License-Identifier: BSD-3-Clause */
/* Outlines of shapes as polygons, for pictures. */
#ifndef PERP_SCENE_OUTLINE_H
#define PERP_SCENE_OUTLINE_H

#include "scene/scene_inside.h"

enum {
    PERP_SCENE_CIRCLE = 32, /* points of a disc */
    PERP_SCENE_AROUND = 12, /* of a ball, at most: around its axis, and rings of them */
    PERP_SCENE_RINGS = 5,
    PERP_SCENE_BALL = 2 + PERP_SCENE_AROUND * PERP_SCENE_RINGS
};

/* How finely. */
typedef struct perp_scene_detail {
    int around, rings;
    double extent; /* half size of a plane */
    /* Cosines and sines of the angles of a ball and of a disc. */
    double longitude[PERP_SCENE_CIRCLE][2], latitude[PERP_SCENE_CIRCLE][2];
    double circle[PERP_SCENE_CIRCLE][2];
} perp_scene_detail;

/* A shape in its own frame: points, and polygons as counts and numbers of points.  Those of a hull
 * are borrowed: triangles. */
typedef struct perp_scene_outline {
    int points, polygons, entries;
    const double *point;
    const int *size, *vertex; /* size: NULL, all triangles */
    double own_point[3 * PERP_SCENE_BALL];
    int own_size[2 * PERP_SCENE_BALL], own_vertex[4 * 2 * PERP_SCENE_BALL];
} perp_scene_outline;

/* For a picture of so many shapes that move. */
void perp_scene_detail_choose(perp_scene_detail *detail, int shapes, double extent);
void perp_scene_outline_draw(perp_scene_outline *out, const perp_scene_shape *shape,
                             const perp_scene_detail *detail);

#endif
