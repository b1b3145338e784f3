/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a perp_mass: dense blocks for small components, a factorisation
 * for the others. */
#ifndef PERP_LINALG_MASS_H
#define PERP_LINALG_MASS_H

#include <perp/matrix.h>

#include "core/arena.h"
#include "linalg/csc.h"
#include "linalg/factor.h"

typedef struct perp_mass_block {
    int first;       /* position in `dof` of its first unknown */
    int dim;         /* at most PERP_MASS_BLOCK_MAX */
    size_t inverse;  /* offset in `inverses`, column-major dim x dim */
    size_t root;     /* offset in `roots`: B with M^-1 = B' B (B = L^-1), or unused */
} perp_mass_block;

enum { PERP_MASS_BLOCK_MAX = 12 };

struct perp_mass {
    perp_arena arena;
    int n;
    int symmetric;       /* all of M, to 1e-12 relative */
    int nblocks;
    perp_mass_block *blocks;
    int *dof;            /* unknowns, component by component; small ones first */
    int *block_of;       /* n: block of an unknown, -1 when in the sparse part */
    double *inverses;
    double *roots;       /* NULL unless every small block is symmetric positive definite */
    int nsparse;         /* unknowns of the sparse part, the tail of dof */
    perp_csc sparse;
    perp_factor *factor; /* of the sparse part, or NULL */
};

#endif
