/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill-reducing orderings of the symmetrised pattern A + A'. */
#ifndef PERP_LINALG_ORDERING_H
#define PERP_LINALG_ORDERING_H

#include "linalg/factor/factor.h"

/* perm[k] is the unknown that is eliminated at step k.  AUTO: minimum degree
 * (AMD), and where that leaves much work nested dissection (METIS) too, of which
 * the cheaper one is kept; METIS where it is not configured is AMD.  Temporary
 * memory is taken through `allocator`; AMD and METIS use malloc.
 *
 * METIS draws from rand(): calls of it are serialised and the caller's state of
 * random() is put back afterwards.  During a call it also catches SIGABRT and
 * SIGTERM, its way of reporting that memory is out. */
perp_status perp_order(int *perm, perp_fill *fill, const perp_csc *A, perp_ordering_kind ordering,
                       const perp_allocator *allocator);

#endif
