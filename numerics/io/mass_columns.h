/* SPDX-License-Identifier: BSD-3-Clause */
/* Products C' M^-1 C with a sparse result.
 *
 * M falls into connected components (bodies).  The inverses of small ones come
 * from few solves, each with one unknown of every component on the right;
 * columns that touch a large one are solved for one by one. */
#ifndef PERP_IO_MASS_COLUMNS_H
#define PERP_IO_MASS_COLUMNS_H

#include <perp/matrix.h>

#include "io/heap.h"
#include "io/sparse.h"

/* P = C' M^-1 C in compressed columns, rows in any order.  M and C are CSC and
 * checked, mass is M's.  All memory stays in `work`. */
perp_status perp_mass_product(perp_mat *P, const perp_mat *M, const perp_mass *mass,
                              const perp_mat *C, perp_heap *work);

#endif
