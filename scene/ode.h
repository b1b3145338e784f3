/* SPDX-License-Identifier: BSD-3-Clause */
/* The narrow phase of contact detection by the collision functions of the Open Dynamics
 * Engine, where configure found it: boxes, capsules and meshes against each other and
 * against spheres.
 *
 * The engine reports only shapes that overlap, so that one of the two is enlarged by the
 * reach and the gaps are taken back to the true shapes: exact for spheres and capsules, and
 * along the normal for boxes.  Of spheres near meshes it only finds the triangles.  Two meshes are
 * not enlarged: they touch only once they overlap. The engine keeps process-wide state and ends the
 * process on errors of its own, hence its place in the command. */
#ifndef PERP_SCENE_ODE_H
#define PERP_SCENE_ODE_H

#include <perp/collide.h>

/* PERP_ERR_UNSUPPORTED where Perp was built without the engine. */
perp_status ode_open(perp_narrow_phase *narrow);
/* After the collider that uses it was destroyed. */
void ode_close(perp_narrow_phase *narrow);

#endif
