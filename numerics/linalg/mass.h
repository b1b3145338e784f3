/* SPDX-License-Identifier: BSD-3-Clause */
/* Inside of a perp_mass: dense inverses for small components, triangular
 * factors for the others together. */
#ifndef PERP_LINALG_MASS_H
#define PERP_LINALG_MASS_H

#include <perp/matrix.h>

#include "core/arena.h"
#include "linalg/factor/lu.h"

typedef struct perp_mass_block {
    int first;      /* position in `dof` of its first unknown */
    int dim;        /* at most PERP_MASS_BLOCK_MAX */
    size_t inverse; /* offset in `inverses`, column-major dim x dim */
    size_t root;    /* offset in `roots`: B with M^-1 = B' B (B = L^-1), or unused */
} perp_mass_block;

enum { PERP_MASS_BLOCK_MAX = 12 };

struct perp_mass {
    perp_arena arena;
    int n;
    int symmetric; /* all of M, to 1e-12 when scaled to a unit diagonal */
    int nblocks;
    perp_mass_block *blocks;
    int *dof;      /* unknowns, component by component; small ones first */
    int *block_of; /* n: block of an unknown, -1 when in the sparse part */
    double *inverses;
    double *roots; /* NULL unless every small block is symmetric positive definite */
    int nsparse;   /* unknowns of the sparse part, the tail of dof */
    perp_lu lu;    /* factors of the sparse part, where nsparse > 0 */
};

/* v(b) = M_b^-1 v(b) for the unknowns of one small block. */
static inline void perp_mass_block_solve(double *v, const perp_mass *mass, int block)
{
    const perp_mass_block *b = &mass->blocks[block];
    const double *inverse = mass->inverses + b->inverse;
    const int *dof = mass->dof + b->first;
    if (b->dim == 1) {
        v[dof[0]] *= inverse[0];
        return;
    }
    double in[PERP_MASS_BLOCK_MAX], out[PERP_MASS_BLOCK_MAX] = {0.0};
    for (int i = 0; i < b->dim; i++)
        in[i] = v[dof[i]];
    for (int j = 0; j < b->dim; j++)
        for (int i = 0; i < b->dim; i++)
            out[i] += inverse[i + j * b->dim] * in[j];
    for (int i = 0; i < b->dim; i++)
        v[dof[i]] = out[i];
}

#endif
