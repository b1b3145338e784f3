/* SPDX-License-Identifier: BSD-3-Clause */
/* Surfaces of triangles: a tree of boxes around them, their normals and neighbours. */
#ifndef PERP_KERNEL_MESH_H
#define PERP_KERNEL_MESH_H

#include "kernel/collide/convex.h"
#include "kernel/systems/pool.h"

typedef struct perp_mesh_node {
    double lo[3], hi[3];
    int first, count; /* count 0: the children are first and first + 1 */
} perp_mesh_node;

typedef struct perp_mesh {
    const double *vertex; /* borrowed */
    const int *triangle;
    int triangles, nodes;
    perp_mesh_node *node;
    int *order;     /* triangles by leaf */
    double *normal; /* 3 each, unit, 0 of one without area */
    int *neighbour; /* 3 each: across the edges 01, 12, 20; -1 none */
} perp_mesh;

perp_status perp_mesh_make(perp_mesh **mesh, perp_pool *pool, const double *vertices,
                           const int *triangles, int count);
void perp_mesh_free(perp_mesh *mesh, perp_pool *pool);
/* Points of a convex shape a, and of a surface at (centre, R); seen from its outside alone. */
int perp_mesh_touch(perp_touch *points, int capacity, const perp_convex *a, const perp_mesh *mesh,
                    const double *centre, const double *R, double reach);

#endif
