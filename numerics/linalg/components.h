/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef PERP_LINALG_COMPONENTS_H
#define PERP_LINALG_COMPONENTS_H

#include "linalg/csc.h"

/* Connected components of the pattern of a square matrix (A + A').  of[i] is
 * the component of unknown i; components are numbered by their lowest unknown.
 * with[i] is an unknown that belongs to the component of i whatever A says; NULL:
 * none.  Takes n ints from the arena.  Returns their number, -1 when memory is out. */
int perp_components(int *of, const perp_csc *A, const int *with, perp_arena *arena);

#endif
