/* SPDX-License-Identifier: BSD-3-Clause */
/* The linear program that is left of a mixed LCP  y = A x + b  when some pairs are decided
 * (x_i = 0 or y_i = 0) and complementarity of the others is dropped:
 *     A x - y = -b,  x, y >= 0 but where they are decided or FREE. */
#ifndef PERP_SOLVERS_LP_LP_RELAXATION_H
#define PERP_SOLVERS_LP_LP_RELAXATION_H

#include "core/arena.h"
#include "lp/table.h"
#include "solvers/pivoting/lcp_form.h"

enum { PERP_SIDE_X, PERP_SIDE_Y, PERP_SIDE_BOTH };                 /* in the objective */
enum { PERP_CASE_OPEN, PERP_CASE_X_IS_ZERO, PERP_CASE_Y_IS_ZERO }; /* of a pair */

typedef struct perp_relaxation {
    const perp_lcp *lcp;
    const perp_lp_table *table;
    int size;             /* N */
    unsigned char *side;  /* N: what an open pair adds to the objective */
    unsigned char *state; /* N: a PERP_CASE_ */
    perp_lp_program program;
    int *colptr, *row; /* columns: N of x, N of y, N artificial ones, which lift a row */
    double *value, *cost, *lo, *hi, *right;
    char *sense;
    double *found;       /* 3 N: what the program answers */
    int *basic;          /* N */
    double *x, *y;       /* N: vertex */
    double *lu;          /* N x N */
    int *pivots, *index; /* N, 2 N */
    double *r;           /* N */
} perp_relaxation;

perp_status perp_relaxation_take(perp_relaxation *relaxation, const perp_lcp *lcp,
                                 const perp_lp_table *table, perp_arena *arena);

/* The vertex that is least in the sum of the chosen sides of the open pairs, solved again
 * from its basis; x and y are set where the outcome is OPTIMAL. */
perp_lp_outcome perp_relaxation_vertex(perp_relaxation *relaxation, const perp_lp_control *control);

/* Where the constraints contradict each other: multipliers u (N) of the rows with u_i >= 0
 * where y_i >= 0, A'u <= 0 where x >= 0 and = 0 in FREE columns, b.u < 0, each beyond the
 * rounding that the certificate check lets pass.  1: u proves that. */
int perp_relaxation_refute(perp_relaxation *relaxation, double *u, const perp_lp_control *control,
                           perp_lp_outcome *outcome);

/* Chooses the smaller side of each open pair at the vertex; 1: some choice is new. */
int perp_relaxation_choose_sides(perp_relaxation *relaxation);
/* The pair that is worst, by min(x, y), among the open ones; -1: none is open.  *gap: that
 * minimum. */
int perp_relaxation_worst_pair(const perp_relaxation *relaxation, double *gap);

#endif
