/* SPDX-License-Identifier: BSD-3-Clause */
/* Pictures of the shapes for ParaView: frames/NNNNNN.vtp, and frames.pvd with their times. */
#ifndef PERP_SCENE_VTK_H
#define PERP_SCENE_VTK_H

#include "scene/scene_inside.h"

enum { PERP_SCENE_CIRCLE = 32 };

typedef struct perp_scene_frames {
    const char *dir; /* NULL: no frames are wanted */
    int every;       /* steps between two */
    int count;
    int synced; /* so many of them */
    int around, rings; /* points of a ball */
    /* Cosines and sines of their angles, and of those of a disc. */
    double longitude[PERP_SCENE_CIRCLE][2], latitude[PERP_SCENE_CIRCLE][2];
    double circle[PERP_SCENE_CIRCLE][2];
    double extent;     /* half size of a plane in the picture */
    int between;       /* 1: the last frame stands between two of those, at time `last` */
    double last;
} perp_scene_frames;

/* Frames of a scene that has shapes, else none.  every as the scene asks, or some 200 in all. */
void perp_scene_frames_start(perp_scene_frames *frames, const char *dir, perp_scene *scene,
                             double until);
/* Writes the next frame; 0, or -1 with errno. */
int perp_scene_frame(perp_scene_frames *frames, perp_scene *scene);
/* Syncs frames that were not yet, the oldest first, for some `seconds`; the rest is left to the
 * system. */
int perp_scene_frames_sync(perp_scene_frames *frames, double seconds);
/* Writes frames.pvd. */
int perp_scene_frames_list(const perp_scene_frames *frames, const perp_scene *scene);

#endif
