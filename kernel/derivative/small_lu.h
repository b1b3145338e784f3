/* SPDX-License-Identifier: BSD-3-Clause */
/* LU factors of a matrix of few unknowns in an order that is given, by blocks: of a chain of bodies
 * most blocks are 0, and little fills in.  Rows are exchanged within their block.
 *
 * Blocks are of motions, of multipliers, the rows and columns of which are scaled alike, or of the
 * rest: these come last, are not taken apart, and become the Schur complement of the others. */
#ifndef PERP_KERNEL_SMALL_LU_H
#define PERP_KERNEL_SMALL_LU_H

#include <stdint.h>

#include <perp/base.h>

enum {
    PERP_SMALL_LU_MOST = 64,    /* motions; more are for factors with an ordering */
    PERP_SMALL_LU_WIDEST = 256, /* unknowns in all */
    PERP_SMALL_LU_BLOCKS = 64,
    PERP_SMALL_LU_LANES = 4, /* columns of a block are filled up to a multiple of this */
    PERP_SMALL_LU_COLUMNS = PERP_SMALL_LU_WIDEST + (PERP_SMALL_LU_LANES - 1) * PERP_SMALL_LU_BLOCKS
};

typedef enum perp_small_lu_kind {
    PERP_SMALL_LU_MOTION,
    PERP_SMALL_LU_MULTIPLIER,
    PERP_SMALL_LU_REST
} perp_small_lu_kind;

/* Unknown u stands in row row_of[u] and column column_of[u] of an array of rows x columns. */
typedef struct perp_small_lu_plan {
    int least; /* rows from which a block takes no more */
    int full;  /* 1: there were more than PERP_SMALL_LU_BLOCKS, and the plan is none */
    int blocks, rows, columns;
    int taken, unknowns; /* of those that are taken apart: blocks and rows */
    perp_small_lu_kind kind[PERP_SMALL_LU_BLOCKS];
    int row[PERP_SMALL_LU_BLOCKS + 1];    /* the first of a block */
    int column[PERP_SMALL_LU_BLOCKS + 1]; /* the same */
    uint64_t reach[PERP_SMALL_LU_BLOCKS]; /* blocks in which its rows have entries, as bits */
    int row_of[PERP_SMALL_LU_WIDEST], column_of[PERP_SMALL_LU_WIDEST];
    int block_of[PERP_SMALL_LU_WIDEST]; /* of an unknown */
    int unknown[PERP_SMALL_LU_WIDEST];  /* of a row */
    int source[PERP_SMALL_LU_WIDEST];   /* the unknown in whose row it was at first */
    double scale[PERP_SMALL_LU_WIDEST], column_scale[PERP_SMALL_LU_WIDEST];
} perp_small_lu_plan;

/* Begins a plan for so many rows in all; adds `rows` unknowns from `first` on behind the others.
 * Where each kind comes once there are always blocks enough. */
void perp_small_lu_begin(perp_small_lu_plan *plan, int rows);
void perp_small_lu_add(perp_small_lu_plan *plan, perp_small_lu_kind kind, int first, int rows);
/* Rows of blocks a and b have entries in columns of each other. */
void perp_small_lu_reach(perp_small_lu_plan *plan, int a, int b);
/* One block of each kind, all of which have entries in all. */
void perp_small_lu_join(perp_small_lu_plan *plan);
/* Adds what fills in, and makes A 0 there and where blocks have entries; no other place is read. */
void perp_small_lu_clear(double *A, perp_small_lu_plan *plan);

/* Below this part of what was there, what is left has lost too much to rounding. */
#define PERP_SMALL_LU_LOST 1e-4

/* SINGULAR: that, or not finite; DEPENDENT: a multiplier is, on those before it; UNSTABLE: motions
 * would be taken apart by joined blocks. */
typedef enum perp_small_lu_answer {
    PERP_SMALL_LU_FINE,
    PERP_SMALL_LU_SINGULAR,
    PERP_SMALL_LU_DEPENDENT,
    PERP_SMALL_LU_UNSTABLE
} perp_small_lu_answer;
/* A becomes its factors, with the Schur complement in the place of the rest; if not, it is lost. */
perp_small_lu_answer perp_small_lu_eliminate(double *A, perp_small_lu_plan *plan);

/* Factors by rows: what is before the block, the block, what is behind it. */
typedef struct perp_small_lu_block {
    int row, rows, column, columns, before, behind;
    const int *chunk; /* before + behind columns at which LANES numbers begin */
    const double *x;  /* rows x (LANES before + columns + LANES behind) */
} perp_small_lu_block;

typedef struct perp_small_lu {
    int n, blocks, columns;
    perp_small_lu_block block[PERP_SMALL_LU_BLOCKS];
    const int *source, *unknown;
    const double *scale, *column_scale;
} perp_small_lu;

/* How much memory the factors take, and the factors in it. */
void perp_small_lu_memory(const perp_small_lu_plan *plan, int *integers, int *numbers);
void perp_small_lu_pack(perp_small_lu *lu, const double *A, const perp_small_lu_plan *plan,
                        int *integers, double *numbers);
/* x = A^-1 x and x = A^-T x of what was taken apart. */
void perp_small_lu_solve(const perp_small_lu *lu, double *x);
void perp_small_lu_solve_transposed(const perp_small_lu *lu, double *x);

#endif
