/* SPDX-License-Identifier: BSD-3-Clause */
/* A solver run by another one on a convex problem: its handle, the segments and vectors of
 * that problem, and what carries over between solves.
 *
 * Use, in setup: perp_inner_take() for memory; then M, seg, q of `problem` are filled by the
 * caller; perp_inner_setup().  In solve: write q, parameters and z, then perp_inner_solve().
 */
#ifndef PERP_SOLVERS_INNER_H
#define PERP_SOLVERS_INNER_H

#include "handle/solver_type.h"

typedef struct perp_inner {
    const perp_solver_type *type;
    perp_solver *solver; /* NULL until perp_inner_setup() */
    perp_problem problem;
    perp_segment *seg;  /* problem.seg, ours */
    double *q;          /* problem.q, ours */
    double *z, *w;      /* the iterate: first on entry to a solve, then the answer */
    int idle;           /* solves in a row that found z good enough as it was */
    void *fresh, *kept; /* what the handle remembered after setup; and last */
    size_t memory_bytes;
    perp_info info; /* of the last solve */
} perp_inner;

/* The solver that the setting `inner` names; for auto gs, or projection where gs does not take the
 * problem.  NULL: it is a lagged one, or does not take the problem. */
const perp_solver_type *perp_inner_type(const perp_work *work, const perp_problem *problem);

/* Zeroed vectors for n rows and nseg segments. */
perp_status perp_inner_take(perp_inner *inner, int n, int nseg, perp_arena *arena);

/* Handle through the allocator of the arena, set up for inner->problem.  Errors name the setting
 * `inner` in work->info->where. */
perp_status perp_inner_setup(perp_inner *inner, perp_work *work);
/* M has new numbers. */
perp_status perp_inner_update(perp_inner *inner);
void perp_inner_release(perp_inner *inner);

/* At the start and end of a solve of the outer handle: the inner one remembers what it did at the
 * end of the solve before, or, cold, what it did after setup. */
void perp_inner_begin(perp_inner *inner, int warm);
void perp_inner_end(perp_inner *inner);

/* Solves from inner->z to the relative accuracy tol (at least 1e-14).  Limits and callback of the
 * outer solve hold inside: iteration and error are those to report.  The status is that of
 * the inner solve; PERP_INTERRUPTED when a limit of the outer one was met, too, and then
 * work->monitor.verdict says which. */
perp_status perp_inner_solve(perp_inner *inner, perp_work *work, int iteration, double error,
                             double tol);

#endif
