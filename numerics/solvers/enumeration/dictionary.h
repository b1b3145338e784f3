/* SPDX-License-Identifier: BSD-3-Clause */
/* y = A x + b with bounds on every x and y, as a dictionary
 *     basic = c + T nonbasic
 * that keeps its basis while bounds change: the simplex method for feasibility
 * [DutertreDeMoura2006].  What it refutes it proves: the row that shows the conflict names
 * multipliers of the rows of A, and the proof is summed again from A and b with every rounding
 * bounded, so that it does not depend on that of T.
 *
 * Variables have numbers: j for x_j, cols + i for y_i.  Everything is scaled by powers of two. */
#ifndef PERP_SOLVERS_DICTIONARY_H
#define PERP_SOLVERS_DICTIONARY_H

#include "core/arena.h"

typedef struct perp_dictionary {
    int rows, cols;
    double *a, *b;          /* rows x cols by rows; rows */
    double *t, *c;          /* the same for the present basis */
    double *value;          /* rows + cols: of each variable */
    double *lo, *hi;        /* rows + cols */
    double *scale;          /* rows + cols: the variable in the caller's unit, over the one here */
    double *lambda;         /* rows: multipliers of the last proof */
    double margin;          /* of it, over the sum of its absolute terms */
    double reach;           /* of it: refuted are all values with |x_j| below this, in the caller's
                               unit; infinite: all values */
    double *sum;            /* 5 cols: workspace */
    double *trial;          /* rows: workspace */
    int lossy;              /* 1: scaling lost digits, and nothing is refuted */
    int *basic;             /* rows: variable of a row */
    int *nonbasic;          /* cols */
    int *where;             /* rows + cols: row r of a basic variable, -1 - c of column c */
    unsigned char *in;      /* rows + cols: workspace */
    int exchanges;          /* since T was made from A */
    long pivots;            /* in all */
    int (*stop)(void *ctx); /* asked after each pivot; NULL: never */
    void *stop_ctx;
    int stopped; /* 1: it said so, and the last verdict means nothing */
} perp_dictionary;

typedef enum perp_verdict {
    PERP_FEASIBLE,
    PERP_REFUTED,  /* no values within the bounds: proven */
    PERP_UNDECIDED /* rounding hides the answer */
} perp_verdict;

/* Takes memory.  0: none. */
int perp_dictionary_take(perp_dictionary *d, int rows, int cols, perp_arena *arena);
/* After A, b and the bounds were written, in the caller's units: scales them and starts with the
 * y basic. */
void perp_dictionary_start(perp_dictionary *d);
/* Bounds in the units of d; the value of a nonbasic variable follows them. */
void perp_dictionary_bound(perp_dictionary *d, int variable, double lo, double hi);
/* Values within all bounds, or a proof that there are none. */
perp_verdict perp_dictionary_check(perp_dictionary *d);
/* T made again from A for the present basis. */
void perp_dictionary_refresh(perp_dictionary *d);

#endif
