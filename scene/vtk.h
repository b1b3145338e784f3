/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of the shapes for ParaView: frames/NNNNNN.vtp, and frames.pvd with their times. */
#ifndef PERP_SCENE_VTK_H
#define PERP_SCENE_VTK_H

#include "scene/outline.h"
#include "scene/scene_inside.h"
#include "scene/vtk_file.h"

enum { PERP_SCENE_FRAME_ARRAYS = 6 };

/* First point and polygon of a shape in the file, and how many. */
typedef struct perp_scene_frame_shape {
    size_t point, polygon;
    int points, polygons;
} perp_scene_frame_shape;

typedef struct perp_scene_frames {
    const char *dir; /* NULL: no frames are wanted */
    int every;       /* steps between two */
    int count;
    int synced;  /* so many of them */
    int before;  /* of a run that this one goes on from */
    int between; /* 1: the last frame stands between two of those, at time `last` */
    double last;
    perp_scene_detail detail;
    /* The next file, whose polygons stay; the outlines, each in the frame of its shape. */
    const perp_allocator *memory;
    perp_vtk_file file, contacts;
    perp_vtk_array array[PERP_SCENE_FRAME_ARRAYS];
    perp_scene_frame_shape *shape;
    size_t shapes;
    double *point;
    int placed; /* fixed shapes have their places in the file */
} perp_scene_frames;

/* Frames of a scene that has shapes or shows contacts, else none; wish as in
 * perp_scene_run_options.vtk.  0, or -1 with errno; perp_scene_frames_end() releases what it took in
 * any case. */
int perp_scene_frames_start(perp_scene_frames *frames, const char *dir, perp_scene *scene, int wish,
                            double until);
void perp_scene_frames_end(perp_scene_frames *frames);
/* Writes the next frame; 0, or -1 with errno. */
int perp_scene_frame(perp_scene_frames *frames, perp_scene *scene);
/* Syncs frames that were not yet, the oldest first, for some `seconds`; the rest is left to the
 * system. */
int perp_scene_frames_sync(perp_scene_frames *frames, const perp_scene *scene, double seconds);
/* Writes frames.pvd; frames of a run before that are not whole any more are left out. */
int perp_scene_frames_list(const perp_scene_frames *frames, const perp_scene *scene);

#endif
