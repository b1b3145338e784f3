/* SPDX-License-Identifier: BSD-3-Clause */
/* The Newton system of the nonsmooth equation F(M z + q, z) = 0 of all blocks,
 * as a sparse matrix whose pattern never changes.
 *
 * Local form ([SDN] 16.1, w eliminated), unknown z:
 *     (Fz + Fw (M + A)) dz = -F.
 * Global form ([SDN] 16.25, in the order ∂_U F H'), unknowns (v, z), for
 * M = H' Minv H with a block-diagonal mass, G = Minv H:
 *     [ I      -G         ] [dv]   [ 0]
 *     [ Fw H'   Fz + Fw A ] [dz] = [-F].
 * A = diag(alpha_i) is the proximal term centred at the current z; it is 0
 * for a plain Newton step. */
#ifndef PERP_SOLVERS_NEWTON_NEWTON_SYSTEM_H
#define PERP_SOLVERS_NEWTON_NEWTON_SYSTEM_H

#include "core/arena.h"
#include "linalg/csc.h"
#include "linalg/factor/factor.h"
#include "problem/blocks.h"
#include "reform/reform.h"

typedef struct perp_nsn {
    const perp_blocks *blocks;
    const perp_reform *reform;
    int n, lead;     /* rows of z; rows of v in front of them (0: local form) */
    int local;       /* set by its owner before the build, 0 at first: the local form in any case */
    int *block_of;   /* n */
    size_t *start;   /* blocks: offset of its dim x dim entries in Fw and Fz */
    perp_csc J;      /* order lead + n */
    double *fixed;   /* at the entries of J: M in the local form; I, -G, H' in the global one */
    double *F;       /* n */
    double *Fw, *Fz; /* blocks */
    double *rho;     /* two per block: normal row, others */
    double *alpha;   /* per block */
    double *rhs;     /* lead + n */
    int *tail, *own; /* lead + n, n: where the rows of z, and a column's own block begin */
    int *cursor;     /* lead + n: entry of a column after the one that was last named */
} perp_nsn;

/* 1 when the global form is used for this matrix: a Delassus matrix whose mass
 * has small components only. */
int perp_nsn_is_global(const perp_mat *M);

/* Pattern and memory, from the arena.  PERP_ERR_OVERFLOW when J has 2^31 entries. */
perp_status perp_nsn_build(perp_nsn *nsn, const perp_problem *problem, const perp_blocks *blocks,
                           const perp_reform *reform, perp_arena *arena);
/* The numbers of M; only a Delassus matrix in the local form needs temporary
 * memory.  PERP_ERR_STRUCTURE when an entry lies outside the pattern or
 * the mass no longer allows the global form. */
perp_status perp_nsn_load(perp_nsn *nsn, const perp_problem *problem,
                          const perp_allocator *allocator);

/* alpha_i = factor d_i^2 and rho_i = 1 / (d_i^2 + alpha_i). */
void perp_nsn_steps(perp_nsn *nsn, const double *d, double factor);
/* The entry of A for row i of block k. */
double perp_nsn_weight(const perp_nsn *nsn, int k, int i);

/* F at (w, z) only; returns the merit sum_i |F_i|^2 / (2 rho_i). */
double perp_nsn_residual(perp_nsn *nsn, const double *w, const double *z);
/* F, Fw and Fz; returns the merit. */
double perp_nsn_evaluate(perp_nsn *nsn, const double *w, const double *z);
/* J from them. */
void perp_nsn_fill(perp_nsn *nsn);
/* Both. */
double perp_nsn_jacobian(perp_nsn *nsn, const double *w, const double *z);

/* rhs = (0, -F). */
void perp_nsn_rhs(perp_nsn *nsn);

#endif
