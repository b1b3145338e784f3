/* SPDX-License-Identifier: BSD-3-Clause */
/* Masses and inertias of shapes and bodies. */
#ifndef PERP_SCENE_ROBOTS_INERTIA_H
#define PERP_SCENE_ROBOTS_INERTIA_H

#include "scene/robots/robot.h"

/* Of the shape filled with density 1, or of its surface with density 1 where it is a shell; 0 for
 * planes and meshes that were not loaded. */
double perp_robot_volume(const perp_robot_geom *geom);
int perp_robot_can_be_shell(const perp_robot_geom *geom);

/* A mass that grows by parts. */
typedef struct perp_robot_lump {
    double mass, centre[3];
    double second[9]; /* inertia about the centre */
} perp_robot_lump;
/* Adds a mass with its centre and its inertia about it, both in the axes of the lump. */
void perp_robot_lump_add(perp_robot_lump *lump, double mass, const double *centre,
                         const double *inertia);
/* Adds a lump that is given in the frame `pose`. */
void perp_robot_lump_add_at(perp_robot_lump *lump, const perp_pose *pose,
                            const perp_robot_lump *other);
/* The shapes of a body that weigh, in its frame. */
void perp_robot_lump_of_shapes(perp_robot_lump *lump, const perp_robot *robot, int body);

/* 1: positive; 0: a rotation would have no energy or a negative one; -1: positive, but the largest
 * principal moment exceeds the sum of the others, which no mass has. */
int perp_robot_inertia_holds(const double *inertia);
/* The turn q to its principal axes, with their moments.  Of equal moments any axes would do; these
 * are those of MuJoCo: each turn removes the largest product, until those that are left are
 * rounding, so that a diagonal tensor keeps its axes. */
void perp_robot_principal_turn(double *q, double *moment, const double *inertia);
/* It is that of a rod or a point: 0 about some axis, and nowhere negative. */
int perp_robot_inertia_is_flat(const double *inertia);

#endif
