/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks of W = H' M^-1 H that touch only the masses of the bodies concerned. */
#ifndef PERP_LINALG_DELASSUS_H
#define PERP_LINALG_DELASSUS_H

#include "linalg/mat.h"

/* As perp_mat_diagonal_blocks(). */
perp_status perp_delassus_diagonal_blocks(double *out, const perp_mat *W, const int *offset,
                                          const size_t *start, int count,
                                          const perp_allocator *allocator);

#endif
