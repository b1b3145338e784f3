/* SPDX-License-Identifier: BSD-3-Clause */
/* Active sets of a sequence of problems, each with the factors of its matrix:
 *
 *     w_S = 0,   z_i = lo_i or hi_i in the other rows,
 *     M_SS z_S = -(q + M z_bounds)_S,
 *
 * for FREE, NONNEG and BOX rows.  A set that is known costs one triangular solution.
 * The sets are those of a checkpoint: plain bytes that may be overwritten from outside; factors
 * belong to the sets that they were made of and are made again where these differ. */
#ifndef PERP_SOLVERS_DIRECT_SET_TABLE_H
#define PERP_SOLVERS_DIRECT_SET_TABLE_H

#include <stdint.h>

#include "core/arena.h"
#include "linalg/factor/factor.h"
#include "problem/blocks.h"

enum { PERP_DIRECT_SETS = 8 };
enum { PERP_DIRECT_LOWER, PERP_DIRECT_INSIDE, PERP_DIRECT_UPPER };

/* What a checkpoint holds, followed by PERP_DIRECT_SETS times n sides. */
typedef struct perp_direct_memory {
    uint64_t hash[PERP_DIRECT_SETS]; /* of the sides; 0: none */
    int order[PERP_DIRECT_SETS];     /* places of the sets, last used first */
    int used;
} perp_direct_memory;

typedef struct perp_direct_factors {
    uint64_t hash; /* of the set that they are of; 0: none */
    int singular, count, bounded;
    int *row;       /* n: rows of S */
    double *offset; /* n: M z of the rows at bounds, where `bounded` */
    double *lu;     /* dense: capacity x capacity */
    int *pivots;
    perp_factor *factor; /* sparse */
    perp_arena arena;
} perp_direct_factors;

typedef struct perp_direct_table {
    const perp_problem *problem;
    int n, capacity, dense; /* capacity: sets that are remembered */
    double *lo, *hi, *rho;  /* n; rho: 1 / d^2 */
    double *r;              /* n */
    perp_direct_memory *memory;
    size_t memory_bytes;
    unsigned char *sides;                              /* PERP_DIRECT_SETS x n, in the memory */
    unsigned char *trial;                              /* n: a set that is not in the table */
    perp_direct_factors factors[PERP_DIRECT_SETS + 1]; /* the last: of the trial */
    int *at;                                           /* n */
    int factorisations;                                /* counted here */
} perp_direct_table;

/* 1 where the entries of M can be read. */
int perp_direct_takes(const perp_mat *M);
/* Takes all memory, but for sparse factors. */
perp_status perp_direct_build(perp_direct_table *table, const perp_problem *problem,
                              const perp_blocks *blocks, const double *d, perp_arena *arena);
/* Bounds and scales of the rows are read again; no set is forgotten that can still be one. */
void perp_direct_reload(perp_direct_table *table, const perp_blocks *blocks, const double *d);
/* M or the bounds are new: no factors from now on. */
void perp_direct_outdate(perp_direct_table *table);
void perp_direct_release(perp_direct_table *table);

/* Drops what cannot be a set: after a checkpoint was loaded, and cheap else. */
void perp_direct_validate(perp_direct_table *table);
/* The set that z and w ask for, into `trial`: the sign of z - rho w at the bounds.  With `wide`
 * rows at a bound where w vanishes count as inside. */
void perp_direct_ask(perp_direct_table *table, const double *z, const double *w, int wide);
/* 1: z and w ask for another set than that at this place. */
int perp_direct_moves(const perp_direct_table *table, int place, const double *z, const double *w);
/* Place of the trial in the table, or `capacity`, its own. */
int perp_direct_find(const perp_direct_table *table);
/* Rows in which the set at this place and the trial differ. */
int perp_direct_distance(const perp_direct_table *table, int place);
/* z of the set at this place.  PERP_ERR_SINGULAR: it has none. */
perp_status perp_direct_answer(double *z, perp_direct_table *table, int place);
/* One step of refinement, w = M z + q. */
void perp_direct_refine(double *z, perp_direct_table *table, int place, const double *w);
/* The set at this place was the answer: it comes first, and a trial takes the place of the set
 * used longest ago. */
void perp_direct_keep(perp_direct_table *table, int place);

#endif
