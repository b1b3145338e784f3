/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense tableau of a mixed LCP  y = A x + b, in which the free variables are brought into the basis
 * where their block is singular.
 *
 * Variables have numbers: j for x_j, N + j for y_j.  Row r says what basic[r] is in terms of the
 * variables of the slots:
 *     v(basic[r]) = value[r] + sum_c T(r, c) v(nonbasic[c]). */
#ifndef PERP_SOLVERS_LCP_TABLEAU_H
#define PERP_SOLVERS_LCP_TABLEAU_H

#include "core/arena.h"
#include "solvers/pivoting/lcp_form.h"

typedef struct perp_tableau {
    const perp_lcp *lcp;
    int size;            /* N rows and slots */
    int *basic;          /* N: variable of a row */
    int *nonbasic;       /* N: variable of a slot */
    int *where;          /* 2N: row r of a basic variable, -1 - c of slot c */
    unsigned char *open; /* N: rows of free variables */
    double *t;           /* N x N, column-major */
    double *value;       /* N */
    double *column;      /* N: copy of the entering column */
} perp_tableau;

/* Bytes that perp_tableau_take() takes, rounding of the arena included. */
size_t perp_tableau_bytes(size_t size);
/* Memory for an LCP of this size. */
perp_status perp_tableau_take(perp_tableau *tableau, const perp_lcp *lcp, perp_arena *arena);

/* y basic, x not. */
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

#endif
