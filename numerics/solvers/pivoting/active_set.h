/* SPDX-License-Identifier: BSD-3-Clause */
/* The solution of a problem of FREE, NONNEG and BOX rows for a known active set,
 *     w_S = 0,   z_i = 0 or a bound for the other rows,
 * and the set that its signs ask for next: the primal-dual active set method
 * ([HintermullerEtAl2002]), a semismooth Newton method.  From the
 * answer of the time step before, one set is usually enough. */
#ifndef PERP_SOLVERS_ACTIVE_SET_H
#define PERP_SOLVERS_ACTIVE_SET_H

#include "core/arena.h"
#include "problem/blocks.h"

typedef struct perp_active_set {
    const perp_problem *problem;
    const perp_blocks *blocks;
    int n, count;        /* rows; those in S */
    int bounded;         /* a row outside S has z != 0 */
    unsigned char *side; /* n: where a row is */
    int *row, *at;       /* count: rows of S; n: position in it, where M is sparse */
    double *lu, *r;      /* count x count, count */
    int *pivots;
} perp_active_set;

/* 1 where the entries of M can be read one by one. */
int perp_active_set_takes(const perp_mat *M);
/* Bytes that perp_active_set_start() takes in one piece. */
size_t perp_active_set_bytes(size_t n);
/* Memory, and the set in which z is.  0: memory is out. */
int perp_active_set_start(perp_active_set *set, const perp_problem *problem,
                          const perp_blocks *blocks, const double *z, perp_arena *arena);
/* z of this set; w is overwritten.  0: the matrix of S is singular. */
int perp_active_set_solve(double *z, perp_active_set *set, double *w);
/* One step of refinement of z with the same factors, w = M z + q. */
void perp_active_set_refine(double *z, perp_active_set *set, const double *w);
/* The set that z and w = M z + q ask for.  0: the current one. */
int perp_active_set_next(perp_active_set *set, const double *z, const double *w);
/* 0: z is so large that rounding hides q in M z + q, as where M_SS is singular to rounding: a w of
 * the right signs would say nothing.  d: the norms d_i of the rows. */
int perp_active_set_holds(const perp_active_set *set, const double *z, const double *d);
/* Rows whose side z and w contradict; *last: the greatest of them. */
int perp_active_set_count(const perp_active_set *set, const double *z, const double *w, int *last);
/* Only row i goes to the side that z and w ask for. */
void perp_active_set_flip(perp_active_set *set, int i, const double *z, const double *w);
/* Puts z into its bounds; 1: it was not. */
int perp_active_set_clip(double *z, const perp_active_set *set);

#endif
