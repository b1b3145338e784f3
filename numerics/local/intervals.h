/* SPDX-License-Identifier: BSD-3-Clause */
/* A few rows of intervals at once,  w = M z + q,  -w in N_[lo, hi](z),  by elimination: whole
 * problems of so few rows that the set-up of a solver would cost more than this. */
#ifndef PERP_LOCAL_INTERVALS_H
#define PERP_LOCAL_INTERVALS_H

/* WIDE: rows of the work arrays, a multiple of four. */
enum { PERP_INTERVALS_MOST = 10, PERP_INTERVALS_WIDE = 12, PERP_INTERVALS_MODES = 16 };

typedef struct perp_intervals {
    /* Given.  M: n x n, column-major, columns ld apart; d: n, positive, d_i^2 about |M_ii|. */
    int n, ld;
    const double *M, *q, *d;
    double lo[PERP_INTERVALS_MOST], hi[PERP_INTERVALS_MOST]; /* infinite where there is none */

    int steps; /* pivots made or active sets tried by the last call */
    /* Work: 1 for a row with w = 0, 0 for one with z at the bound `value`. */
    unsigned char between[PERP_INTERVALS_MOST];
    double value[PERP_INTERVALS_MOST];
    double y[PERP_INTERVALS_WIDE]; /* z of the former, w of the latter */
    double T[PERP_INTERVALS_MOST * PERP_INTERVALS_WIDE];
    double largest; /* |q_i| / d_i and bounds in the same unit */
} perp_intervals;

/* Each looks for an active set and fills z (n).  1: an answer by its own arithmetic, which the
 * caller measures; 0: none was found, which proves nothing. pivots  principal pivots on the row
 * furthest out of its interval, at most n + 2 of them, of several rows the first, and then, where
 * that failed, the last lemke   complementary pivots from z = 0, where all rows are half-lines [0,
 * inf) modes   all active sets in turn, where there are at most PERP_INTERVALS_MODES */
int perp_intervals_pivots(perp_intervals *p, double *z);
int perp_intervals_lemke(perp_intervals *p, double *z);
int perp_intervals_modes(perp_intervals *p, double *z);

/* Parts of these.  Every row to its bound, or to 0 where it has none; and z of the active set that
 * `between` and `value` say, 1 where each row is then where it may be. */
void perp_intervals_place(perp_intervals *p);
int perp_intervals_solve_set(perp_intervals *p, double *z);

/* After pivots: z refined once, by its w = M z + q. */
void perp_intervals_refine(const perp_intervals *p, double *z, const double *w);

#endif
