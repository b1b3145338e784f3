/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts of balls (disks in 2D) that lie close to each other or to a plane. */
#ifndef PERP_GENERATORS_BALL_CONTACTS_H
#define PERP_GENERATORS_BALL_CONTACTS_H

#include "generators/packing.h"

/* A ball at x of the given radius and density, at rest. */
void perp_packing_add_ball(perp_packing *scene, const double x[3], double radius, double density);

/* A contact for every two balls whose gap is below `gap`.  No radius exceeds
 * radius_max.  Time and memory are linear in the number of balls. */
void perp_packing_touch_balls(perp_packing *scene, double radius_max, double gap);

/* A contact for every ball whose gap to the plane normal . x = offset is below `gap`. */
void perp_packing_touch_plane(perp_packing *scene, const double normal[3], double offset, double gap);

#endif
