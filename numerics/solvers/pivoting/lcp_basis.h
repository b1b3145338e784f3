/* SPDX-License-Identifier: BSD-3-Clause */
/* A basis of  y - A x - d t = b  by its factors, and the pivots of Lemke's method on it: the
 * complementary ones with the lexicographic rule (Cottle, Pang, Stone, The Linear Complementarity
 * Problem, 4.4 and 4.9), and the first ones of Lemke and Howson.
 *
 * Of the N columns those of y are unit vectors; the k x k matrix of the others is factored (LU).
 * Each pivot adds an elementary matrix (product form of the basis); when these cost more than new
 * factors, or leave too large a residual, the basis is factored again.  A pivot takes
 * 2 k^2 + 2 N (k + pivots since) operations, where a tableau takes 2 N^2.
 *
 * Variables have numbers: j for x_j, N + j for y_j, 2N for t.  Position r of the basis holds
 * basic[r] with value[r]. */
#ifndef PERP_SOLVERS_LCP_BASIS_H
#define PERP_SOLVERS_LCP_BASIS_H

#include "core/arena.h"
#include "solvers/pivoting/lcp_form.h"

typedef struct perp_basis {
    const perp_lcp *lcp;
    const double *right; /* N: lcp->b, or what stands for it */
    int size;            /* N */
    int *basic;          /* N */
    int *where;          /* 2N + 1: position, or -1 */
    unsigned char *open; /* N: positions that no ratio test looks at (free variables) */
    double *value;       /* N */
    double *noise;       /* N: rounding that a value may carry */
    double *column;      /* N: the entering column */
    double *cover;       /* N: d in terms of the rows of A */
    int *order;          /* N: variables of the lexicographic columns */
    int *ties;           /* N */
    double *work;        /* N */
    /* factors */
    int kernel;         /* k */
    double *lu;         /* k x k, space for N x N */
    int *pivots;        /* k */
    int *row, *at, *of; /* k: rows of the kernel; positions of its columns, their variables */
    int *unit;          /* N: row of the unit column at a position, or -1 */
    double *part;       /* N */
    double *entry;      /* N: a lexicographic column */
    int etas, most;     /* elementary matrices in use, capacity */
    double *eta;        /* most x N */
    int *eta_at;        /* most */
    double spent;       /* operations with them since the last factors */
    int factorisations; /* made so far */
} perp_basis;

/* Bytes that perp_basis_take() takes, rounding of the arena included. */
size_t perp_basis_bytes(size_t size);
perp_status perp_basis_take(perp_basis *basis, const perp_lcp *lcp, perp_arena *arena);

/* basic[] and open[] were written: factors, values.  PERP_ERR_SINGULAR. */
perp_status perp_basis_start(perp_basis *basis);
/* column = B^-1 times the column of variable v. */
void perp_basis_column(double *column, perp_basis *basis, int v);
/* The variable at position r becomes `entering`, whose column is in basis->column; values follow.
 * Factors again where that is cheaper.  PERP_ERR_SINGULAR. */
perp_status perp_basis_exchange(perp_basis *basis, int r, int entering, double step);
/* The same basis factored again, values recomputed.  PERP_ERR_SINGULAR. */
perp_status perp_basis_refresh(perp_basis *basis);
/* max |B value - b| over the sizes of the values. */
double perp_basis_drift(perp_basis *basis);

/* Gives t its column: 1 in each row for attempt 0, else numbers between 1/8 and 1 that depend on
 * `attempt` only.  1: all values are >= 0 and no pivot is needed; 0: t has entered and *leaving is
 * the variable that left; -1: that basis is singular, or its values are not finite. */
int perp_basis_cover(perp_basis *basis, int attempt, int *leaving);

/* Lemke and Howson: x_j grows until all values are >= 0, or, where rows are left that it does not
 * lift, until the last of the others is, and then the partner of the variable that left, and so on.
 * What grows last could do so without end, so that no path leads back here.
 * 1: all values are >= 0, only the pair of j is not complementary and *leaving left last; 0: it
 * cannot be begun so. */
int perp_basis_begin(perp_basis *basis, int j, int *leaving);

/* Lets `entering` grow until a basic variable reaches 0 and exchanges the two; `goal` and `other`
 * leave first among equals.  1 and *leaving; 0 when nothing blocks it: a ray, of which column is
 * the direction (-column in the basic variables); -1: the new basis is singular, or values are not
 * finite. */
int perp_basis_pivot(perp_basis *basis, int entering, int goal, int other, int *leaving);

/* x part of the present point, and of the direction in which `entering` grows. */
void perp_basis_point(double *x, const perp_basis *basis);
void perp_basis_direction(double *x, perp_basis *basis, int entering);

#endif
