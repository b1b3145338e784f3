/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts of boxes, capsules and meshes with each other and with spheres, for a collider: a
 * narrow phase made of the collision functions of the Open Dynamics Engine (ODE).  Link with
 * libperp-scene.
 *
 *     perp_narrow_phase narrow;
 *     perp_narrow_phase_create(&narrow, NULL);
 *     perp_collider_set_narrow_phase(collider, &narrow);
 *     ...
 *     perp_collider_destroy(collider);
 *     perp_narrow_phase_destroy(&narrow);
 *
 * ODE reports only shapes that overlap.  One of the two is therefore enlarged by the reach and the
 * gaps are taken back to the true shapes: exact for spheres and capsules, and along the normal for
 * boxes.  Of a sphere near a mesh ODE only finds the triangles; the points are computed here.  Two
 * meshes are not enlarged: they touch once they overlap.
 *
 * ODE keeps state for the whole process.  Narrow phases made here may live side by side, but one
 * thread at a time may use them.  Where ODE finds an error of its own, the pair is reported as a
 * failure (PERP_ERR_NUMERICAL of the collider), and so is every later one. */
#ifndef PERP_NARROW_PHASE_H
#define PERP_NARROW_PHASE_H

#include <perp/collide.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fills *narrow; allocator: NULL for malloc (ODE takes its own memory from malloc).
 * PERP_ERR_UNSUPPORTED in a build without ODE, PERP_ERR_MEMORY, PERP_ERR_ARGUMENT (NULL).  On an
 * error *narrow is all zero. */
PERP_API perp_status perp_narrow_phase_create(perp_narrow_phase *narrow,
                                              const perp_allocator *allocator);
/* Once no collider uses it any more.  NULL, and one that was not made, are accepted. */
PERP_API void perp_narrow_phase_destroy(perp_narrow_phase *narrow);

#ifdef __cplusplus
}
#endif
#endif
