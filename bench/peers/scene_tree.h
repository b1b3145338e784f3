/* SPDX-License-Identifier: BSD-3-Clause */
/* Joints of a scene as engines in joint coordinates want them: a forest of bodies, and what is left
 * over closes loops. */
#ifndef PERP_PEERS_SCENE_TREE_H
#define PERP_PEERS_SCENE_TREE_H

#include "generators/rigid_scene.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scene_tree {
    int *by;     /* of each body: the joint that ties it to its parent, -1: it is free */
    int *parent; /* -1: the world */
    int *order;  /* bodies, parents first */
    int *closes; /* of each joint: 1, it is none of the forest */
} scene_tree;

/* 0, or -1 without memory. */
int scene_tree_make(scene_tree *tree, const rigid_scene *scene);

/* Where a RIGID_TARGET drive should be at t: along the ramp that its speed and acceleration allow.
 */
double scene_drive_place(const rigid_drive *drive, double t);

#ifdef __cplusplus
}
#endif
#endif
