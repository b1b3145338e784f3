/* SPDX-License-Identifier: BSD-3-Clause */
/* What a fluid does to an ellipsoid that moves in it: added mass (what does not need the
 * acceleration), lift, drag; as MuJoCo has it with fluidshape="ellipsoid". */
#ifndef PERP_SCENE_ELLIPSOID_DRAG_H
#define PERP_SCENE_ELLIPSOID_DRAG_H

typedef struct perp_ellipsoid_drag {
    double radii[3], density, viscosity;
    double blunt, slender, angular, lift, magnus; /* coefficients */
    double mass[3], inertia[3];                   /* added, of density 1 */
} perp_ellipsoid_drag;

/* mass and inertia from the radii, which are positive. */
void perp_ellipsoid_drag_begin(perp_ellipsoid_drag *e);
/* Adds force and moment, in the axes of the ellipsoid, for the velocity of its centre and its
 * angular velocity. */
void perp_ellipsoid_drag_add(double force[3], double moment[3], const perp_ellipsoid_drag *e,
                             const double u[3], const double w[3]);

#endif
