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
#define PERP_MASS_SYMMETRY 1e-12 /* asymmetry that is taken for rounding */

struct perp_mass {
    perp_arena arena;
    perp_arena factors; /* memory of lu */
    int n;
    int symmetric; /* all of M, to 1e-12 when scaled to a unit diagonal */
    int nblocks;
    perp_mass_block *blocks;
    int *dof;      /* unknowns, component by component; small ones first */
    int *place;    /* n: where an unknown stands in dof */
    int *block_of; /* n: block of an unknown, -1 when in the sparse part */
    double *inverses;
    double *roots; /* NULL unless every small block is symmetric positive definite */
    double *root_memory, *next_inverses, *next_roots; /* what an update writes, then exchanges */
    int *seen;                                        /* n: for the scan of an update */
    int nsparse; /* unknowns of the sparse part, the tail of dof */
    int *large;  /* nsparse: a number for each component there */
    perp_lu lu;  /* factors of the sparse part, where nsparse > 0 */
};

/* What is found while the blocks are inverted. */
typedef struct perp_mass_report {
    int singular;  /* first unknown of a singular component, or -1 */
    int coupled;   /* 1: an entry couples two components, and nothing was inverted */
    int definite;  /* every block is symmetric positive definite */
    int symmetric; /* the blocks are, together */
} perp_mass_report;

/* Inverts the small blocks of M into next_inverses and next_roots. */
perp_status perp_mass_invert_blocks(perp_mass *mass, const perp_mat *M, perp_mass_report *report);
/* Makes those the inverses of the mass. */
void perp_mass_exchange(perp_mass *mass, int definite);
/* Factors the sparse part of M; lu, in memory of `arena`, and whether it is symmetric. */
perp_status perp_mass_factor(perp_lu *lu, int *symmetric, const perp_mass *mass, const perp_mat *M,
                             perp_arena *arena, int *singular);
/* A mass made from M, with the components of `old` (may be NULL) kept together. */
perp_status perp_mass_build(perp_mass *mass, const perp_mat *M, const perp_mass *old,
                            const perp_allocator *memory, int *singular);

/* The small blocks in which `count` rows lie, as a mass of its own that borrows their inverses; the
 * rows are renumbered in it.  PERP_ERR_UNSUPPORTED where a row lies in the sparse part: then
 * nothing was changed.  number: one of each small block, -1 before and after, so that many parts
 * cost what they hold.  Memory from the arena; an update of the whole makes it invalid. */
perp_status perp_mass_part(perp_mass *part, int *row, int count, const perp_mass *whole,
                           int *number, perp_arena *arena);

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
