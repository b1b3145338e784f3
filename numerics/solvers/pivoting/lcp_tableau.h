/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense tableau of a mixed LCP  y = A x + b + d t  and the pivots of Lemke's
 * method on it: free variables first, then complementary pivots with the
 * lexicographic rule (Cottle, Pang, Stone, The Linear Complementarity Problem,
 * 4.4 and 4.9).
 *
 * Variables have numbers: j for x_j, N + j for y_j, 2N for t.  Row r says what
 * basic[r] is in terms of the variables of the slots:
 *     v(basic[r]) = value[r] + sum_c T(r, c) v(nonbasic[c]). */
#ifndef PERP_SOLVERS_LCP_TABLEAU_H
#define PERP_SOLVERS_LCP_TABLEAU_H

#include "core/arena.h"
#include "solvers/pivoting/lcp_form.h"

typedef struct perp_tableau {
    const perp_lcp *lcp;
    int size;            /* N rows */
    int slots;           /* slots in use; the dead ones lie behind */
    int *basic;          /* N: variable of a row */
    int *nonbasic;       /* N + 1: variable of a slot */
    int *where;          /* 2N + 1: row r of a basic variable, -1 - c of slot c */
    int *order;          /* N: variables basic at the start of the complementary pivots */
    unsigned char *open; /* N: rows that no ratio test looks at (free variables) */
    int *ties;           /* N */
    double *t;           /* N x (N + 1), column-major */
    double *value;       /* N */
    double *noise;       /* N: rounding that a value may carry */
    double *cover;       /* N: d in terms of the rows of A */
    double *column;      /* N: copy of the entering column */
    double *basis;       /* N x N: factors of the basis */
    int *pivots;         /* N */
    int exchanges;       /* since the tableau was last made from A */
} perp_tableau;

/* Bytes that perp_tableau_take() takes, rounding of the arena included. */
size_t perp_tableau_bytes(size_t size);
/* Memory for an LCP of this size. */
perp_status perp_tableau_take(perp_tableau *tableau, const perp_lcp *lcp, perp_arena *arena);

/* y basic, x not, t absent. */
void perp_tableau_reset(perp_tableau *tableau);

/* Brings one more free x into the basis: by complete pivoting over the free rows,
 * or, where that block is singular, by two pivots through a pair.  0: none is left
 * that a pivot reaches. */
int perp_tableau_eliminate_free(perp_tableau *tableau);

/* After the last elimination: sets the rows of the free variables that no pivot reached
 * aside; these variables stay 0.  Returns how many those are; *row is the one with the
 * largest |value| whose entries all vanish (an equality that cannot hold), -1 when
 * there is none. */
int perp_tableau_unmet(perp_tableau *tableau, int *row);

/* Multipliers of the rows of A (N doubles, scaled) that combine to tableau row r. */
void perp_tableau_multipliers(double *multipliers, const perp_tableau *tableau, int r);

/* Gives t its slot and its column: 1 in each row for attempt 0, else numbers
 * between 1/8 and 1 that depend on `attempt` only.  1: all values are >= 0 and no pivot is
 * needed; 0: t has entered and *leaving is the variable that left. */
int perp_tableau_cover(perp_tableau *tableau, int attempt, int *leaving);

/* Lets `entering` grow until a basic variable reaches 0 and exchanges the two.
 * 1 and *leaving, or 0 when nothing blocks it: a ray. */
int perp_tableau_pivot(perp_tableau *tableau, int entering, int *leaving);

/* max |basis * value - b| against the sizes of the terms. */
double perp_tableau_drift(perp_tableau *tableau);
/* Made anew from A for the current basis.  PERP_ERR_SINGULAR: unchanged but for `basis`. */
perp_status perp_tableau_refresh(perp_tableau *tableau);

/* x part of the current basic point. */
void perp_tableau_point(double *x, const perp_tableau *tableau);
/* x part of the direction in which `entering` grows. */
void perp_tableau_direction(double *x, const perp_tableau *tableau, int entering);

#endif
