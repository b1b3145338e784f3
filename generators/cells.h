/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs of near bodies, by a grid of cells. */
#ifndef PERP_GENERATORS_CELLS_H
#define PERP_GENERATORS_CELLS_H

#include "generators/packing.h"

typedef void (*perp_pair_fn)(void *ctx, int a, int b, double distance);

/* Calls `found` once for every two bodies whose centres are nearer than
 * `reach`, always in the same order.  It may add to the scene's contacts, not
 * to its bodies.  Memory: the scene's allocator; a failure is the scene's. */
void perp_cells_pairs(perp_packing *scene, double reach, perp_pair_fn found, void *ctx);

#endif
