/* SPDX-License-Identifier: BSD-3-Clause */
/* All vertices of the solution set of a tiny LCP of integers, in whole numbers: each row takes the
 * column of z_i, that of w_i, or none.  The set is not empty where there is one. */
#ifndef PERP_TESTS_EXACT_LCP_H
#define PERP_TESTS_EXACT_LCP_H

#include "core/rng.h"

enum { EXACT_ROWS = 6, EXACT_POINTS = 729 };

typedef struct exact_lcp {
    int n;
    double M[EXACT_ROWS * EXACT_ROWS], q[EXACT_ROWS]; /* by columns; small whole numbers */
    int count;                                        /* different vertices */
    double z[EXACT_POINTS][EXACT_ROWS];
} exact_lcp;

/* Fills count and z. */
void exact_lcp_solve(exact_lcp *p);
/* Entries in -2 .. 2; kind 0: any; 1: symmetric; 2: B B' of few columns; 3: such and a skew part;
 * 4: nonnegative; 5: a row and column twice. */
void exact_lcp_draw(exact_lcp *p, int kind, perp_rng *rng);

#endif
