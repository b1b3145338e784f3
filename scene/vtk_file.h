/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a VTK XML file of polygons or points with its arrays appended as they are in memory:
 * laid out once, or again in the same memory, filled, and written as one piece. */
#ifndef PERP_SCENE_VTK_FILE_H
#define PERP_SCENE_VTK_FILE_H

#include <stdint.h>

#include "scene/scene_memory.h"

typedef enum perp_vtk_section {
    PERP_VTK_FIELD, /* of the whole file */
    PERP_VTK_POINTS,
    PERP_VTK_VERTS,
    PERP_VTK_POLYS,
    PERP_VTK_POINT_DATA,
    PERP_VTK_CELL_DATA /* the first is what polygons are coloured by */
} perp_vtk_section;

typedef enum perp_vtk_type { PERP_VTK_DOUBLE, PERP_VTK_INT, PERP_VTK_TEXT } perp_vtk_type;

typedef struct perp_vtk_array {
    perp_vtk_section section; /* arrays of one section stand together */
    perp_vtk_type type;       /* texts end with a zero each */
    const char *name;
    int components;
    size_t count; /* of numbers, or of bytes of all texts */
    size_t place; /* of its first byte in the file; set by the layout */
} perp_vtk_array;

typedef struct perp_vtk_file {
    const perp_allocator *memory;
    unsigned char *bytes;
    size_t length, capacity;
} perp_vtk_file;

/* "LittleEndian" or "BigEndian", that of this machine. */
const char *perp_vtk_byte_order(void);
/* All but the contents of the arrays; 0, or -1 with errno where there is no memory. */
int perp_vtk_lay_out(perp_vtk_file *file, int points, int verts, int polys, perp_vtk_array *arrays,
                     int count);
/* `count` numbers into an array, from the one with number `first` on. */
void perp_vtk_put(perp_vtk_file *file, const perp_vtk_array *array, size_t first, const void *data,
                  size_t count);
void perp_vtk_free(perp_vtk_file *file);

#endif
