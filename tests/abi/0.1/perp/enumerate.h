/* SPDX-License-Identifier: BSD-3-Clause */
/* All solutions of a small problem. */
#ifndef PERP_ENUMERATE_H
#define PERP_ENUMERATE_H

#include <perp/problem.h>
#include <perp/settings.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Solution k = 0, 1, ..: z and w (n entries each) are borrowed for the call.  piece 1: it lies in
 * a polyhedron of solutions with the same modes, of which it is one inner point; 0: it is the only
 * one with its modes.  Returns non-zero to stop. */
typedef int (*perp_solution_call)(void *ctx, int k, const double *z, const double *w, int piece);

typedef struct perp_enumerate_info {
    size_t size;    /* set by the caller */
    int solutions;  /* shown */
    int pieces;     /* of these, inner points of polyhedra */
    int nodes;      /* of the search */
    long undecided; /* choices that rounding kept from a verdict: there a solution may be missing */
    double worst;   /* largest error of a solution shown */
    perp_where where; /* of an error in the problem or the settings */
    char detail[160]; /* of an error, one sentence; else "" */
    double reach; /* no solution but those shown has all |z_i| below this, proven: infinite where
                     all else was refuted for every z; 0: nothing is known */
} perp_enumerate_info;

/* Shows every solution of a problem of FREE, NONNEG, BOX, and TRESCA and COULOMB in two
 * dimensions, each as it is measured within settings->tol.  A point that fits several complementary
 * choices (a degenerate one) is shown once; the end of a polyhedron that fits other choices too may
 * be shown apart from it.  The order is that of the search.  The work grows like 2^n or less.
 * PERP_SOLVED: all with |z_i| below info.reach were shown, at least one.  PERP_INFEASIBLE: there
 * is none, every choice was refuted; PERP_INFEASIBLE_WITHIN: none with all |z_i| below reach.  PERP_STALLED: some choices stayed undecided, all else was shown.  PERP_INTERRUPTED: by
 * the callback of the settings or this one.  PERP_ITERATION_LIMIT, PERP_TIME_LIMIT: max_iter nodes
 * and pivots (0: 1e8), time_limit.  PERP_ERR_UNSUPPORTED: other sets, 3D contact, an OPERATOR.
 * settings NULL: defaults; info may be NULL. */
PERP_API perp_status perp_enumerate(const perp_problem *problem, const perp_settings *settings,
                                    perp_solution_call call, void *ctx,
                                    const perp_allocator *allocator, perp_enumerate_info *info);

#ifdef __cplusplus
}
#endif
#endif
