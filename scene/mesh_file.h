/* SPDX-License-Identifier: BSD-3-Clause */
/* Triangles from STL files, of text or binary, and from Wavefront OBJ files. */
#ifndef PERP_SCENE_MESH_FILE_H
#define PERP_SCENE_MESH_FILE_H

#include <stddef.h>

typedef struct perp_scene_mesh {
    double *vertex; /* 3 each; equal ones are one */
    int *triangle;  /* 3 each */
    int vertices, triangles; /* no triangles: an OBJ of points, which are those of a hull */
    int dropped; /* triangles with an edge of length 0, left out */
} perp_scene_mesh;

/* The arrays are from malloc.  0, or -1 with a sentence. */
int perp_scene_mesh_read(perp_scene_mesh *mesh, const char *path, char *text, size_t size);
/* The same from memory; name: of a file, for its ending. */
int perp_scene_mesh_parse(perp_scene_mesh *mesh, const char *name, const char *bytes,
                          size_t length, char *text, size_t size);
void perp_scene_mesh_free(perp_scene_mesh *mesh);

#endif
