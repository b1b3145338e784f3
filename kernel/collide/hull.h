/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_KERNEL_HULL_H
#define PERP_KERNEL_HULL_H

#include "kernel/collide/convex.h"
#include "kernel/systems/pool.h"

/* The hull of points, 3 numbers each.  PERP_ERR_ARGUMENT: they lie in a plane;
 * PERP_ERR_UNSUPPORTED: a build without Qhull. */
perp_status perp_hull_make(perp_hull **hull, perp_pool *pool, const double *points, int count);
void perp_hull_free(perp_hull *hull, perp_pool *pool);

#endif
