/* SPDX-License-Identifier: BSD-3-Clause */
/* Fill-reducing orderings of the symmetrised pattern A + A'. */
#ifndef PERP_LINALG_ORDERING_H
#define PERP_LINALG_ORDERING_H

#include "linalg/factor.h"

typedef struct perp_fill {
    double nnz;   /* of L, with the diagonal */
    double flops; /* of L D L'; an L U of the same pattern takes twice as many */
} perp_fill;

/* perm[k] is the unknown that is eliminated at step k.  AUTO: minimum degree
 * (AMD) up to 20 000 unknowns, nested dissection (METIS) above; METIS where it
 * is not configured is AMD.  Temporary memory is taken through `allocator`,
 * AMD and METIS use malloc.
 *
 * METIS draws from rand(): calls of it are serialised and the caller's state
 * of random() is put back afterwards. */
perp_status perp_order(int *perm, perp_fill *fill, const perp_csc *A, perp_ordering ordering,
                       const perp_allocator *allocator);

#endif
