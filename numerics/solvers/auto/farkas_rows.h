/* SPDX-License-Identifier: BSD-3-Clause */
/* The linear rows of the search for a proof (solvers/auto/farkas.h). */
#ifndef PERP_SOLVERS_AUTO_FARKAS_ROWS_H
#define PERP_SOLVERS_AUTO_FARKAS_ROWS_H

#include "feasible/rows.h"
#include "handle/solver_type.h"
#include "linalg/csc.h"

/* Which of the rows. */
typedef enum perp_farkas_scope {
    PERP_FARKAS_LARGE, /* signs of w alone, where z is large */
    PERP_FARKAS_SIGNS, /* signs of w alone, in all blocks */
    PERP_FARKAS_ALL    /* those, and z in K */
} perp_farkas_scope;

/* One row: c.w or c.x + b >= 0 (= 0), over the rows or unknowns from `row` on. */
typedef struct perp_farkas_line {
    int row, dim;
    double b, *c;
    unsigned char of_w, equality;
} perp_farkas_line;

typedef struct perp_farkas_rows {
    perp_work *work;
    perp_arena *arena;
    perp_csc A;             /* w = A x + q */
    const double *diagonal; /* that A leaves out of w, >= 0, or NULL */
    double *weight;         /* of x */
    perp_farkas_line *line;
    int lines, most;
} perp_farkas_rows;

/* A and the weights: x is z, or, where `moved`, the motion H' v of a DELASSUS matrix. */
perp_status perp_farkas_unknowns(perp_farkas_rows *p, perp_work *work, int moved,
                                 perp_arena *arena);
/* 0: no memory. */
int perp_farkas_lines(perp_farkas_rows *p, perp_farkas_scope scope);
/* A direction more wherever x leaves a round cone; how many were added. */
int perp_farkas_cut(perp_farkas_rows *p, const double *x, perp_farkas_scope scope);
/* The lines as rows over the unknowns that they touch; kept: of each such one its number, cols ints
 * of the arena.  0: no memory. */
int perp_farkas_write(perp_linear_rows *rows, int **kept, const perp_farkas_rows *p,
                      perp_arena *arena);

#endif
